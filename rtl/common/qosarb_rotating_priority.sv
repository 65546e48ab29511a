// Circular priority search: the first request behind a position, in constant time, with what the
// winner carries.
//
// Algorithm, in blocks of eight candidates:
//   1. `behind_i` marks the candidates that come first, those after the position up to the last. If
//      one of them requests, the lowest of them wins; else the lowest of all wins.
//   2. Each block finds its own first one, behind the position if it can, else among all. That is
//      right in every block: if the block that holds the position has a request behind it, then the
//      block wins by it and its other requests do not count.
//   3. Beside that, the same rule among blocks finds the winning one. Each block's payload is
//      selected before the winning block is known, so that the payload comes hardly later than the
//      winner.
//   4. The prefix OR that finds the winner is a thermometer code of its place: below it everybody
//      was passed over, above it stands who comes first when the winner is the new position.
// Bound: log2(8) + log2(Width / 8) levels of two-input ORs, and a handful of selects.
//
// Nothing is remembered here. Whoever owns the position keeps it as a thermometer code, so that no
// decoder stands before the search: register `behind_o` and feed it back as `behind_i`.

module qosarb_rotating_priority #(
  parameter int unsigned Width        = 8,
  parameter int unsigned PayloadWidth = 1
) (
  input  logic [Width-1:0]                   request_i,
  // The candidates after the position: a run of ones up to the highest bit, or none.
  input  logic [Width-1:0]                   behind_i,
  input  logic [Width-1:0][PayloadWidth-1:0] payload_i,
  output logic                               any_o,
  // The winner, one-hot, and its payload; zero when nobody requests.
  output logic [Width-1:0]                   grant_o,
  output logic [PayloadWidth-1:0]            payload_o,
  // The candidates after the winner, and those between the position and the winner, neither of the
  // two included. Both mean nothing when nobody requests.
  output logic [Width-1:0]                   behind_o,
  output logic [Width-1:0]                   passed_o
);

  if (Width == 0 || PayloadWidth == 0) begin : g_check_width
    $error("qosarb_rotating_priority: Width and PayloadWidth must be at least 1");
  end

  localparam int unsigned BlockWidth = 8;
  localparam int unsigned Blocks     = (Width + BlockWidth - 1) / BlockWidth;
  localparam int unsigned Padded     = Blocks * BlockWidth;

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
  assign request_behind = request & Padded'(behind_i);

  // 2. Within each block.
  logic [Blocks-1:0]                       block_requests, block_requests_behind;
  logic [Blocks-1:0][BlockWidth-1:0]       first, reached;
  logic [Blocks-1:0][PayloadWidth-1:0]     block_payload;

  for (genvar b = 0; b < Blocks; b++) begin : g_block
    logic [BlockWidth-1:0] all, behind, reached_all, reached_behind;

    assign all            = request[b*BlockWidth +: BlockWidth];
    assign behind         = request_behind[b*BlockWidth +: BlockWidth];
    assign reached_all    = prefix_or(all);
    assign reached_behind = prefix_or(behind);

    assign block_requests[b]        = |all;
    assign block_requests_behind[b] = |behind;

    assign reached[b] = block_requests_behind[b] ? reached_behind : reached_all;
    assign first[b]   = block_requests_behind[b] ? (behind & ~(reached_behind << 1))
                                                 : (all & ~(reached_all << 1));

    always_comb begin
      block_payload[b] = '0;
      for (int unsigned i = 0; i < BlockWidth; i++) begin
        if (b * BlockWidth + i < Width) begin
          block_payload[b] |= payload_i[b*BlockWidth+i] & {PayloadWidth{first[b][i]}};
        end
      end
    end
  end

  // 3. Among blocks.
  logic              any_behind;
  logic [Blocks-1:0] blocks_reached, blocks_reached_behind, winner, after_winner;

  assign any_behind            = |block_requests_behind;
  assign any_o                 = |block_requests;
  assign blocks_reached        = prefix_or_blocks(block_requests);
  assign blocks_reached_behind = prefix_or_blocks(block_requests_behind);

  assign winner       = any_behind ? (block_requests_behind & ~(blocks_reached_behind << 1))
                                   : (block_requests & ~(blocks_reached << 1));
  assign after_winner = (any_behind ? blocks_reached_behind : blocks_reached) << 1;

  always_comb begin
    payload_o = '0;
    for (int unsigned b = 0; b < Blocks; b++) begin
      payload_o |= block_payload[b] & {PayloadWidth{winner[b]}};
    end
  end

  // 4. The winner's place.
  logic [Width-1:0] reached_winner;

  for (genvar i = 0; i < Width; i++) begin : g_place
    localparam int unsigned B = i / BlockWidth;
    localparam int unsigned I = i % BlockWidth;
    assign grant_o[i]        = winner[B] & first[B][I];
    assign reached_winner[i] = after_winner[B] | (winner[B] & reached[B][I]);
    assign behind_o[i]       = reached_winner[i] & ~grant_o[i];
  end

  assign passed_o = any_behind ? (behind_i & ~reached_winner) : (behind_i | ~reached_winner);

endmodule
