// Circular priority search for candidates that request by groups: the first candidate behind a
// position of which a group is active. Table entries and their queues, for example.
//
// Algorithm, in blocks of BlockWidth candidates:
//   1. Those after the position up to the last candidate come first. If one of them requests, the
//      lowest of them wins; else the lowest of all wins.
//   2. A candidate requests when one of its groups is active. Which blocks have a request, and
//      which have one behind the position, tells the winning block.
//   3. In each block the same rule gives an order, from the position alone and so before the
//      requests are known. A candidate is its block's first one when it requests and none before it
//      in that order does. If the block that holds the position has a request behind it, then the
//      block wins by it and its other requests do not count.
//   4. The block's first one selects what it carries.
// The choice of the block is left to whoever has to choose between this search and something else
// as well: `winner_o` selects from `block_payload_o`.
// Bound: log2(Groups) levels of ORs for the activity, log2(BlockWidth) for the first one of a block
// and log2(BlockWidth) for its payload, beside log2(Blocks) for the winning block.
//
// Nothing is remembered here. A position is kept by its block and, as a thermometer code, by its
// place within the block, so that it is little to select and no decoder stands before the search:
// register the three outputs that tell the winner's position and feed them back.

module qosarb_grouped_priority #(
  parameter  int unsigned Width        = 8,
  parameter  int unsigned Groups       = 8,
  parameter  int unsigned PayloadWidth = 1,
  parameter  int unsigned BlockWidth   = 8,
  localparam int unsigned Blocks       = (Width + BlockWidth - 1) / BlockWidth
) (
  input  logic [Groups-1:0]                   active_i,
  input  logic [Width-1:0][Groups-1:0]        groups_i,  // of each candidate
  // The position: its block, one-hot or none; the blocks after that one; and the places after it in
  // its block, a run of ones up to the highest or none. With no block it comes after all.
  input  logic [Blocks-1:0]                   block_i,
  input  logic [Blocks-1:0]                   blocks_behind_i,
  input  logic [BlockWidth-1:0]               behind_i,
  input  logic [Width-1:0][PayloadWidth-1:0]  payload_i,
  output logic                                any_o,
  // The winner's position; `winner_o` is zero when nobody requests, the others mean nothing then.
  output logic [Blocks-1:0]                   winner_o,
  output logic [Blocks-1:0]                   blocks_behind_o,
  output logic [BlockWidth-1:0]               behind_o,
  // What the first candidate of each block carries; zero when none requests there.
  output logic [Blocks-1:0][PayloadWidth-1:0] block_payload_o
);

  if (Width == 0 || Groups == 0 || PayloadWidth == 0 || BlockWidth == 0) begin : g_check_width
    $error("qosarb_grouped_priority: no parameter may be 0");
  end

  // Bit i of the results: some bit of `x` at or below i is set.
  function automatic logic [BlockWidth-1:0] prefix_or(logic [BlockWidth-1:0] x);
    logic [BlockWidth-1:0] result;
    result = x;
    for (int unsigned distance = 1; distance < BlockWidth; distance *= 2) begin
      result |= result << distance;
    end
    return result;
  endfunction

  function automatic logic [Blocks-1:0] prefix_or_blocks(logic [Blocks-1:0] x);
    logic [Blocks-1:0] result;
    result = x;
    for (int unsigned distance = 1; distance < Blocks; distance *= 2) begin
      result |= result << distance;
    end
    return result;
  endfunction

  // 2. and 3. Within each block.
  logic [Blocks-1:0]                 block_requests, block_requests_behind;
  logic [Blocks-1:0][BlockWidth-1:0] after_first;

  for (genvar b = 0; b < Blocks; b++) begin : g_block
    logic [BlockWidth-1:0] request, behind, first;

    always_comb begin
      request = '0;
      for (int unsigned i = 0; i < BlockWidth; i++) begin
        if (b * BlockWidth + i < Width) begin
          request[i] = |(groups_i[b*BlockWidth+i] & active_i);
        end
      end
    end

    assign behind = {BlockWidth{blocks_behind_i[b]}} | (behind_i & {BlockWidth{block_i[b]}});

    assign block_requests[b]        = |request;
    assign block_requests_behind[b] = |(request & behind);

    for (genvar i = 0; i < BlockWidth; i++) begin : g_first
      localparam logic [BlockWidth-1:0] Lower = ~({BlockWidth{1'b1}} << i);
      logic [BlockWidth-1:0] precedes;  // those that come before candidate i
      assign precedes = (behind_i[i] & block_i[b]) ? (behind_i & Lower) :
                        Lower | (behind_i & ~Lower & {BlockWidth{block_i[b] & ~behind_i[i]}});
      assign first[i] = request[i] & ~|(request & precedes);
    end

    assign after_first[b] = prefix_or(first) << 1;

    always_comb begin
      block_payload_o[b] = '0;
      for (int unsigned i = 0; i < BlockWidth; i++) begin
        if (b * BlockWidth + i < Width) begin
          block_payload_o[b] |= payload_i[b*BlockWidth+i] & {PayloadWidth{first[i]}};
        end
      end
    end
  end

  // 2. Among blocks.
  logic              any_behind;
  logic [Blocks-1:0] after, after_behind;

  assign any_o           = |block_requests;
  assign any_behind      = |block_requests_behind;
  assign after           = prefix_or_blocks(block_requests) << 1;
  assign after_behind    = prefix_or_blocks(block_requests_behind) << 1;
  assign winner_o        = any_behind ? (block_requests_behind & ~after_behind)
                                      : (block_requests & ~after);
  assign blocks_behind_o = any_behind ? after_behind : after;

  always_comb begin
    behind_o = '0;
    for (int unsigned b = 0; b < Blocks; b++) begin
      behind_o |= after_first[b] & {BlockWidth{winner_o[b]}};
    end
  end

endmodule
