// Cover points of qosarb_seastar_age: ages, inhibition, the round robin between.

module qosarb_seastar_age_cover #(
  parameter int unsigned Queues = 28
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [Queues-1:0] valid_i,
  input  logic [Queues-1:0] stopped_i,
  input  logic              request_i,
  input  logic              grant_valid_o,
  input  logic [Queues-1:0] grant_o,
  input  logic              inhibit_i,
  input  logic [Queues-1:0] active,
  input  logic [Queues-1:0] other_epoch,
  input  logic [Queues-1:0] oldest,
  input  logic [Queues-1:0] last_rr,
  input  logic [Queues-1:0] last_age_q,
  input  logic [Queues-1:0] behind_rr_q,
  input  logic [Queues-1:0] behind_age,
  input  logic              by_age,
  input  logic              fresh_q,
  input  logic [5:0]        grants_q
);

  grant_by_age: cover property (@(posedge clk_i) disable iff (!rst_ni) grant_valid_o && by_age);
  grant_by_round_robin: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && !by_age && !inhibit_i);
  // A packet of the other epoch goes before those of the present one.
  inhibited_old_first: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && inhibit_i && |(grant_o & other_epoch) && |(active & ~other_epoch));
  // All packets of the other epoch are stopped or not at the head.
  inhibited_none_old: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && inhibit_i && (active & other_epoch) == '0);
  old_one_stopped: cover property (@(posedge clk_i) disable iff (!rst_ni)
    inhibit_i && request_i && |(valid_i & stopped_i & other_epoch));
  // Several heads have the age of 255: the pointer decides.
  two_oldest: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && by_age && $countones(oldest & active) > 1);
  age_wraps_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && by_age && behind_age != '0 && |(grant_o & ~behind_age & ~last_age_q));
  rr_wraps_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && !by_age && behind_rr_q != '0 && |(grant_o & ~behind_rr_q & ~last_rr));
  grants_roll_over: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && (&grants_q));
  first_of_a_configuration: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && fresh_q);

endmodule

bind qosarb_seastar_age qosarb_seastar_age_cover #(
  .Queues(Queues)
) u_cover (.*);

bind qosarb_seastar_age qosarb_candidates_cover #(
  .Queues(Queues)
) u_candidates_cover (.*);
