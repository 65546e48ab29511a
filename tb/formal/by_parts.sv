// An invariant by parts: a prover that cannot show all of it at once is asked about each part by itself.
//
// A part is claimed where all parts have held in all cycles before and those before it in the list hold now; what else
// is claimed, where all parts hold now, too. If no such claim is ever broken, then no part ever is: in the first cycle
// in which one could be, there is a first one in the list.

module by_parts #(
  parameter int unsigned Parts = 2
) (
  input  logic             clk_i,
  input  logic             rst_n,
  input  logic [Parts-1:0] holds,          // each part of the invariant, in an order in which they follow
  input  logic             fails,          // some property does not hold

  output logic             not_coupled_o,  // the whole invariant
  output logic [Parts:0]   parts_o         // each of them, and the properties: the claim is broken
);

  logic held_q;

  initial held_q = 1'b1;
  always_ff @(posedge clk_i) held_q <= held_q & ~not_coupled_o;

  assign not_coupled_o = rst_n & ~(&holds);

  for (genvar i = 0; i < Parts; i++) begin : g_part
    localparam logic [Parts-1:0] Earlier = ~({Parts{1'b1}} << i);
    assign parts_o[i] = rst_n & held_q & ((holds & Earlier) == Earlier) & ~holds[i];
  end

  assign parts_o[Parts] = rst_n & held_q & (&holds) & fails;

endmodule
