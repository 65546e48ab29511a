// Cover points of qosarb_rr: the order.

module qosarb_rr_cover #(
  parameter int unsigned Queues = 8
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [Queues-1:0] valid_i,
  input  logic [Queues-1:0] stopped_i,
  input  logic              grant_valid_o,
  input  logic [Queues-1:0] grant_o,
  input  logic [Queues-1:0] behind_q,
  input  logic [Queues-1:0] last
);

  // Some queue is behind the last winner, but the search starts over from queue 0.
  wraps_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && behind_q != '0 && (grant_o & behind_q) == '0);
  // The last winner, which comes last in the order, wins again.
  last_winner_only: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && (grant_o & last) != '0 && behind_q != '0);
  stopped_passed_over: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && |(grant_o & behind_q) && |(valid_i & stopped_i & behind_q));

endmodule

bind qosarb_rr qosarb_rr_cover #(
  .Queues(Queues)
) u_cover (.*);

bind qosarb_rr qosarb_candidates_cover #(
  .Queues(Queues)
) u_candidates_cover (.*);
