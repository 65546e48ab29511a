// The greatest of all keys, every pair of candidates compared at once.
//
// Algorithm:
//   1. Candidate i is beaten by candidate j when j requests and i does not, or when both do and
//      a. j is `top_i` and i is not, or
//      b. neither is, and j's key is greater, or
//      c. both are, or neither is and the keys are equal, and j comes first: those marked `behind_i` come before
//         the others, and among equals the lower position does.
//      One comparator serves each pair, for one of the two is always beaten by the other.
//   2. The candidate that nobody beats wins.
// Bound: one comparison, then an AND over the candidates, however many there are.
// Size: Width * (Width - 1) / 2 comparators. qosarb_rotating_max puts groups of these together.

module qosarb_pairwise_max #(
  parameter int unsigned Width    = 4,
  parameter int unsigned KeyWidth = 9
) (
  input  logic [Width-1:0]               request_i,
  input  logic [Width-1:0]               top_i,     // greater than any key
  input  logic [Width-1:0][KeyWidth-1:0] key_i,
  input  logic [Width-1:0]               behind_i,
  output logic [Width-1:0]               winner_o   // one-hot; zero when nobody requests
);

  if (Width == 0 || KeyWidth == 0) begin : g_check_width
    $error("qosarb_pairwise_max: Width and KeyWidth must be at least 1");
  end

  if (Width == 1) begin : g_alone
    logic unused_alone;
    assign unused_alone = ^{top_i, key_i, behind_i};
  end

  for (genvar i = 0; i < Width; i++) begin : g_row
    logic [Width-1:0] beats;  // the candidates that i comes before
    for (genvar j = 0; j < Width; j++) begin : g_column
      if (j == i) begin : g_self
        assign beats[j] = 1'b1;
      end else if (j < i) begin : g_known
        assign beats[j] = ~g_row[j].beats[i];
      end else begin : g_compare
        logic greater, equal, first, is_greater;
        assign greater    = key_i[i] > key_i[j];
        assign equal      = key_i[i] == key_i[j];
        assign first      = behind_i[i] | ~behind_i[j];
        assign is_greater = top_i[j] ? (top_i[i] & first) : (top_i[i] | greater | (equal & first));
        assign beats[j]   = request_i[i] & (~request_i[j] | is_greater);
      end
    end
    assign winner_o[i] = request_i[i] & (&beats);
  end

endmodule
