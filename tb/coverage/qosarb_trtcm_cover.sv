// Cover points of qosarb_trtcm: colours and priorities.

module qosarb_trtcm_cover #(
  parameter int unsigned Queues = 8
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [Queues-1:0] valid_i,
  input  logic [Queues-1:0] stopped_i,
  input  logic              request_i,
  input  logic              grant_valid_o,
  input  logic [Queues-1:0] green_o,
  input  logic [Queues-1:0] yellow_o,
  input  logic [Queues-1:0] in_peak,
  input  logic [Queues-1:0] in_assured,
  input  logic [Queues-1:0] winner,
  input  logic [Queues-1:0] active,
  input  logic [Queues-1:0] behind_q,
  input  logic [Queues-1:0] last_red
);

  logic [15:0] idle_cycles_q;  // since the last request

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)               idle_cycles_q <= '0;
    else if (request_i)        idle_cycles_q <= '0;
    else if (!(&idle_cycles_q)) idle_cycles_q <= idle_cycles_q + 1'b1;
  end

  green: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && |(winner & green_o));
  yellow: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && |(winner & yellow_o));
  red: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && (winner & in_peak) == '0);
  green_before_yellow: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && |(winner & green_o) && |(active & yellow_o));
  green_before_red: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && |(winner & green_o) && |(active & ~in_peak));
  yellow_before_red: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && |(winner & yellow_o) && |(active & ~in_peak));
  two_greens: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && |(winner & green_o) && |(active & green_o & ~winner));
  two_yellows: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && |(winner & yellow_o) && |(active & yellow_o & ~winner));
  two_reds: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && (winner & in_peak) == '0 && |(active & ~in_peak & ~winner));
  // Green tokens do not help where the peak bucket is empty.
  red_by_peak_only: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && |(winner & in_assured & ~in_peak));
  red_wraps_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && (winner & in_peak) == '0 && behind_q != '0 && |(winner & ~behind_q & ~last_red));
  // Buckets fill for long, and one that did does not hold its head all the same.
  after_a_long_gap: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && idle_cycles_q >= 16'd1000);
  not_green_after_a_long_gap: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && !(|(winner & green_o)) && idle_cycles_q >= 16'd1000);
  stopped_green_passed_over: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && !(|(winner & green_o)) && |(valid_i & stopped_i & green_o));

endmodule

bind qosarb_trtcm qosarb_trtcm_cover #(
  .Queues(Queues)
) u_cover (.*);

bind qosarb_trtcm qosarb_candidates_cover #(
  .Queues(Queues)
) u_candidates_cover (.*);
