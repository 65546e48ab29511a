// Cover points of qosarb_trtcm: colours, priorities, stops and commits.

module qosarb_trtcm_cover #(
  parameter int unsigned Queues = 8
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              load_i,
  input  logic [Queues-1:0] valid_i,
  input  logic [Queues-1:0] stopped_i,
  input  logic              request_i,
  input  logic              grant_valid_o,
  input  logic [Queues-1:0] grant_o,
  input  logic [Queues-1:0] green_o,
  input  logic [Queues-1:0] yellow_o,
  input  logic [Queues-1:0] in_peak,
  input  logic [Queues-1:0] in_assured,
  input  logic [Queues-1:0] winner,
  input  logic [Queues-1:0] active,
  input  logic [Queues-1:0] behind_q,
  input  logic [Queues-1:0] last_red
);

  logic [Queues-1:0] last_granted_q;  // by the last cycle's grant

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_granted_q <= '0;
    else         last_granted_q <= grant_o;
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
  stopped_green_passed_over: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && !(|(winner & green_o)) && |(valid_i & stopped_i & green_o));
  granted_while_all_active: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && (&valid_i) && stopped_i == '0);
  nobody_active: cover property (@(posedge clk_i) disable iff (!rst_ni)
    request_i && valid_i == '0);
  all_stopped: cover property (@(posedge clk_i) disable iff (!rst_ni)
    request_i && valid_i != '0 && (valid_i & ~stopped_i) == '0);
  // The queue that won the last cycle is stopped with a packet.
  stop_on_granted: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |(last_granted_q & valid_i & stopped_i));
  granted_twice_running: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |(last_granted_q & grant_o));
  // A commit takes effect at the end of a cycle with a decision.
  commit_with_grant: cover property (@(posedge clk_i) disable iff (!rst_ni)
    load_i && grant_valid_o);

endmodule

bind qosarb_trtcm qosarb_trtcm_cover #(
  .Queues(Queues)
) u_cover (.*);
