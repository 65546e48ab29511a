// Cover points of qosarb_port_commit: commits that take effect, and each way to be refused.

module qosarb_port_commit_cover #(
  parameter int unsigned Queues = 8
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,
  input  logic                                  start_i,
  input  logic                                  load_o,
  input  logic                                  needs_check,
  input  logic [Queues-1:0]                     unserved,
  input  logic                                  is_last,
  input  qosarb_pkg::policy_e                   policy_i,
  input  qosarb_pkg::policy_e                   policy_o,
  input  qosarb_port_reg_pkg::status_progress_e progress_q,
  input  qosarb_port_reg_pkg::status_outcome_e  outcome_q,
  input  qosarb_port_reg_pkg::status_reason_e   fault
);

  import qosarb_port_reg_pkg::*;

  logic checking;

  assign checking = progress_q == StatusProgressChecking;

  applied_after_check: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && is_last && fault == StatusReasonNone && unserved == '0);
  applied_at_once: cover property (@(posedge clk_i) disable iff (!rst_ni) start_i && !needs_check);
  another_policy: cover property (@(posedge clk_i) disable iff (!rst_ni)
    load_o && policy_i != policy_o);
  same_policy_again: cover property (@(posedge clk_i) disable iff (!rst_ni)
    load_o && policy_i == policy_o);
  refused_short_quantum: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault == StatusReasonShortQuantum);
  refused_zero_weight: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault == StatusReasonZeroWeight);
  refused_repeated_sl: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault == StatusReasonRepeatedSl);
  refused_large_weight: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault == StatusReasonLargeWeight);
  refused_rates: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault == StatusReasonRates);
  refused_short_burst: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault == StatusReasonShortBurst);
  refused_repeated_priority: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault == StatusReasonRepeatedPriority);
  refused_unserved_queue: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && is_last && fault == StatusReasonNone && unserved != '0);
  start_after_refusal: cover property (@(posedge clk_i) disable iff (!rst_ni)
    start_i && outcome_q == StatusOutcomeRefused);

endmodule

bind qosarb_port_commit qosarb_port_commit_cover #(
  .Queues(Queues)
) u_cover (.*);
