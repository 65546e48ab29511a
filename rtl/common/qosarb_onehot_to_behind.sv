// The positions after the one bit that is set: a run of ones up to the highest bit, or none.
//
// Algorithm: a parallel-prefix OR, shifted by one.
// Bound: ceil(log2(Width)) levels of two-input ORs.

module qosarb_onehot_to_behind #(
  parameter int unsigned Width = 8
) (
  input  logic [Width-1:0] onehot_i,
  output logic [Width-1:0] behind_o
);

  if (Width == 0) begin : g_check_width
    $error("qosarb_onehot_to_behind: Width must be at least 1");
  end

  always_comb begin
    behind_o = onehot_i << 1;
    for (int unsigned distance = 1; distance < Width; distance *= 2) begin
      behind_o |= behind_o << distance;
    end
  end

endmodule
