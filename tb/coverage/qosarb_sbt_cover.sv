// Cover points of qosarb_sbt: weights and restoration.

module qosarb_sbt_cover #(
  parameter int unsigned Queues = 8,
  parameter int unsigned Entries = Queues
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               grant_valid_o,
  input  logic [Entries-1:0] behind_q,
  input  logic [Entries-1:0] entry_active,
  input  logic [Entries-1:0] has_left_q,
  input  logic [Entries-1:0] found_left,
  input  logic [Entries-1:0] found_restored,
  input  logic [Entries-1:0] last_left,
  input  logic [Entries-1:0] last_restored,
  input  logic [Entries-1:0] last,
  input  logic [Queues-1:0]  winner_queues,
  input  logic [Queues-1:0]  candidate,
  input  logic [Queues-1:0]  active,
  input  logic               any_left,
  input  logic               any_restored,
  input  logic               restores,
  input  logic [Entries-1:0] restored_q
);

  same_entry_again: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && any_left && |(found_left & last));
  wraps_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && any_left && behind_q != '0 && |(found_left & ~behind_q & ~last));
  spends_its_last: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && any_left && |(found_left & last_left));
  // All weights are restored.
  all_restored: cover property (@(posedge clk_i) disable iff (!rst_ni) restores && any_restored);
  // The packet that restores the weights uses its entry up at once.
  restores_for_weight_1: cover property (@(posedge clk_i) disable iff (!rst_ni)
    restores && |(found_restored & last_restored));
  // The only active entry restores, and wins again.
  restores_the_same: cover property (@(posedge clk_i) disable iff (!rst_ni)
    restores && |(found_restored & last));
  // Some entry with weight left is idle: it does not hold up the others.
  restores_beside_idle: cover property (@(posedge clk_i) disable iff (!rst_ni)
    restores && any_restored && |(has_left_q & ~entry_active));
  // Only queues that no entry serves are active.
  restores_without_winner: cover property (@(posedge clk_i) disable iff (!rst_ni)
    restores && !any_restored);
  restored_then_grant: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |restored_q && grant_valid_o);
  two_queues_of_an_sl: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && |(winner_queues & active & ~candidate));

endmodule

bind qosarb_sbt qosarb_sbt_cover #(
  .Queues(Queues), .Entries(Entries)
) u_cover (.*);

bind qosarb_sbt qosarb_candidates_cover #(
  .Queues(Queues)
) u_candidates_cover (.*);
