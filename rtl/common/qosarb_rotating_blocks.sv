// Circular priority search in blocks: the first request behind a position, in logarithmic depth, left in
// the two parts of which it is made, a place within each block and a block.
//
// Algorithm, in blocks of BlockWidth candidates:
//   1. `request_behind_i` marks the requests that come first, those after the position up to the last.
//      If there is one, the lowest of them wins; else the lowest of all wins.
//   2. Each block finds its own first one, behind the position if it can, else among all. That is
//      right in every block: if the block that holds the position has a request behind it, then the
//      block wins by it and its other requests do not count.
//   3. Beside that, the same rule among blocks finds the winning one.
//   4. The prefix OR that finds a winner is a thermometer code of its place.
// Bound: log2(BlockWidth) + log2(Width / BlockWidth) levels of two-input ORs, and two selects.
//
// Whoever has something to choose by the winner chooses it within each block by `first_o`, while the
// winning block is still being found, and then among blocks by `winner_o`.

module qosarb_rotating_blocks #(
  parameter  int unsigned Width      = 8,
  parameter  int unsigned BlockWidth = 8,
  localparam int unsigned Blocks     = (Width + BlockWidth - 1) / BlockWidth
) (
  input  logic [Width-1:0]                  request_i,
  // Those of them that are after the position.
  input  logic [Width-1:0]                  request_behind_i,
  output logic                              any_o,
  output logic                              any_behind_o,
  // In each block: its first candidate, one-hot, and all from there on; zero when nobody requests.
  output logic [Blocks-1:0][BlockWidth-1:0] first_o,
  output logic [Blocks-1:0][BlockWidth-1:0] reached_o,
  // The block whose first candidate wins, one-hot, and the blocks after it.
  output logic [Blocks-1:0]                 winner_o,
  output logic [Blocks-1:0]                 after_winner_o
);

  if (Width == 0 || BlockWidth == 0) begin : g_check_width
    $error("qosarb_rotating_blocks: Width and BlockWidth must be at least 1");
  end

  localparam int unsigned Padded = Blocks * BlockWidth;

  // Bit i of the result: some bit of `x` at or below i is set.
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

  logic [Padded-1:0] request, request_behind;
  assign request        = Padded'(request_i);
  assign request_behind = Padded'(request_behind_i);

  // 2. Within each block.
  logic [Blocks-1:0] block_requests, block_requests_behind;

  for (genvar b = 0; b < Blocks; b++) begin : g_block
    logic [BlockWidth-1:0] all, behind, reached_all, reached_behind;

    assign all            = request[b*BlockWidth +: BlockWidth];
    assign behind         = request_behind[b*BlockWidth +: BlockWidth];
    assign reached_all    = prefix_or(all);
    assign reached_behind = prefix_or(behind);

    assign block_requests[b]        = |all;
    assign block_requests_behind[b] = |behind;

    assign reached_o[b] = block_requests_behind[b] ? reached_behind : reached_all;
    assign first_o[b]   = block_requests_behind[b] ? (behind & ~(reached_behind << 1))
                                                   : (all & ~(reached_all << 1));
  end

  // 3. Among blocks.
  logic [Blocks-1:0] blocks_reached, blocks_reached_behind;

  assign any_behind_o          = |block_requests_behind;
  assign any_o                 = |block_requests;
  assign blocks_reached        = prefix_or_blocks(block_requests);
  assign blocks_reached_behind = prefix_or_blocks(block_requests_behind);

  assign winner_o       = any_behind_o ? (block_requests_behind & ~(blocks_reached_behind << 1))
                                       : (block_requests & ~(blocks_reached << 1));
  assign after_winner_o = (any_behind_o ? blocks_reached_behind : blocks_reached) << 1;

endmodule
