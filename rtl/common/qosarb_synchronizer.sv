// Two flip-flops that bring signals of another clock into this one.
//
// Each bit by itself: bits that must change together need a code of which one changes at a time, or a
// handshake. `d_i` comes from flip-flops without logic behind them. A technology's own cell takes the
// place of this module.
// Paper: C. Dike and E. Burton, "Miller and noise effects in a synchronizing flip-flop", IEEE Journal of
// Solid-State Circuits 34(6), 1999.

module qosarb_synchronizer #(
  parameter int unsigned      Width = 1,
  parameter logic [Width-1:0] Reset = '0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  if (Width < 1) begin : g_check_width
    $error("qosarb_synchronizer: Width must be at least 1");
  end

  logic [Width-1:0] first_q, second_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q  <= Reset;
      second_q <= Reset;
    end else begin
      first_q  <= d_i;
      second_q <= first_q;
    end
  end

  assign q_o = second_q;

endmodule
