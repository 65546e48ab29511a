// How long somebody waits, whoever decides: what others get before it is `ahead_i` at most, which shrinks by what they
// get until it is served; so what they have got and that are never more than `highest_i`, which is the bound.

module waiting #(
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             waits_i,    // it can be served in this cycle, and what it waits for stands
  input  logic             served_i,   // it is, in this cycle
  input  logic [Width-1:0] sent_i,     // to others, in this cycle
  input  logic [Width-1:0] ahead_i,    // of it, in the state before this cycle
  input  logic [Width-1:0] highest_i,

  output logic             unbounded_o,
  output logic             too_long_o,
  output logic [Width-1:0] waited_o
);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                    waited_o <= '0;
    else if (!waits_i || served_i)  waited_o <= '0;
    else                            waited_o <= waited_o + sent_i;
  end

  assign unbounded_o = rst_ni & ({1'b0, waited_o} + {1'b0, ahead_i} > {1'b0, highest_i});
  assign too_long_o  = rst_ni & (waited_o > highest_i);

endmodule
