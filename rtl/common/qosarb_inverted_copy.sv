// A register that stands a second time, inverted, for what is to survive a flipped bit.
//
// It is an instance of its own, to be kept (`keep_hierarchy`): in one module with its original, synthesis would merge
// the two, as registers that are always opposite.
// Algorithm: `q_o` is what `d_i` was in the last cycle, as of any register; what is stored is its inverse.

module qosarb_inverted_copy #(
  parameter int unsigned      Width = 1,
  parameter logic [Width-1:0] Reset = '0  // What it says after a reset
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  if (Width == 0) begin : g_check_width
    $error("qosarb_inverted_copy: Width must be at least 1");
  end

  logic [Width-1:0] not_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) not_q <= ~Reset;
    else         not_q <= ~d_i;
  end

  assign q_o = ~not_q;

endmodule
