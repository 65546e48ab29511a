// Cover points of qosarb_age_output: the ages with which packets leave.

module qosarb_age_output_cover (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [9:0] sum,
  input  logic [8:0] left_field,
  input  logic       left_q,
  input  logic       overflow
);

  age_saturates: cover property (@(posedge clk_i) disable iff (!rst_ni) left_q && overflow);
  age_saturates_at_512: cover property (@(posedge clk_i) disable iff (!rst_ni)
    left_q && sum[9] && !left_field[8] && !sum[8]);
  // The packet came younger than the timestamp: its field is negative.
  younger_than_timestamp: cover property (@(posedge clk_i) disable iff (!rst_ni)
    left_q && left_field[8] && !overflow);

endmodule

bind qosarb_age_output qosarb_age_output_cover u_cover (.*);
