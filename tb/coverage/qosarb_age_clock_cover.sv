// Cover points of qosarb_age_clock: ticks, rollover, inhibition.

module qosarb_age_clock_cover #(
  parameter int unsigned ArrivalWidth = 3,
  parameter int unsigned CountWidth = 13
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic [31:0]                period_i,
  input  logic [31:0]                period_q,
  input  logic [31:0]                countdown_q,
  input  logic [7:0]                 timestamp_q,
  input  logic                       epoch_q,
  input  logic                       inhibit_q,
  input  logic                       others_wait,
  input  logic                       period_is_over,
  input  logic [ArrivalWidth-1:0]    arrived_i,
  input  logic [1:0][CountWidth-1:0] count
);

  ticks: cover property (@(posedge clk_i) disable iff (!rst_ni)
    !inhibit_q && period_is_over && timestamp_q != '1);
  rolls_over: cover property (@(posedge clk_i) disable iff (!rst_ni)
    !inhibit_q && period_is_over && timestamp_q == '1 && !others_wait);
  rolls_over_to_epoch_0: cover property (@(posedge clk_i) disable iff (!rst_ni)
    !inhibit_q && period_is_over && timestamp_q == '1 && !others_wait && epoch_q);
  inhibits: cover property (@(posedge clk_i) disable iff (!rst_ni)
    !inhibit_q && period_is_over && timestamp_q == '1 && others_wait);
  inhibition_ends: cover property (@(posedge clk_i) disable iff (!rst_ni)
    inhibit_q && !others_wait);
  arrives_while_inhibited: cover property (@(posedge clk_i) disable iff (!rst_ni)
    inhibit_q && arrived_i != '0);
  both_epochs_wait: cover property (@(posedge clk_i) disable iff (!rst_ni)
    count[0] != '0 && count[1] != '0);
  empty_chip: cover property (@(posedge clk_i) disable iff (!rst_ni)
    count[0] == '0 && count[1] == '0 && timestamp_q != '0);
  stands_before_a_period: cover property (@(posedge clk_i) disable iff (!rst_ni) countdown_q == '0);
  period_of_1: cover property (@(posedge clk_i) disable iff (!rst_ni)
    period_q == 32'd1 && period_is_over);
  long_period: cover property (@(posedge clk_i) disable iff (!rst_ni)
    period_q > 32'd40 && period_is_over);
  period_changes: cover property (@(posedge clk_i) disable iff (!rst_ni)
    period_i != period_q && countdown_q != '0);

endmodule

bind qosarb_age_clock qosarb_age_clock_cover #(
  .ArrivalWidth(ArrivalWidth), .CountWidth(CountWidth)
) u_cover (.*);
