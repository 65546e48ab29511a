// The reset of a port: that of the chip, or the one that the port asks for by CONTROL.
//
// It stands beside the port, where a chip makes its resets: a technology's own cells, or what bypasses
// them in a scan test, take its place. Its clock is not to be gated by the port's `idle_o`.
// Algorithm: the request is registered twice, once inverted, and resets the port in the next cycle, which
// ends the request. So the reset lasts one cycle, is released in step with the clock, and neither a
// glitch nor one flipped bit makes one.

module qosarb_port_reset (
  input  logic clk_i,
  input  logic rst_ni,        // the chip's

  input  logic soft_reset_i,  // from the port
  output logic rst_no         // for the port
);

  logic reset_q, second_reset;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) reset_q <= 1'b0;
    else         reset_q <= soft_reset_i;
  end

  (* keep_hierarchy *)
  qosarb_inverted_copy u_second (
    .clk_i,
    .rst_ni,
    .d_i(soft_reset_i),
    .q_o(second_reset)
  );

  assign rst_no = rst_ni & ~(reset_q & second_reset);

endmodule
