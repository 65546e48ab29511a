// Cover points of qosarb_port_commit: commits that take effect, and each way to be refused.

module qosarb_port_commit_cover #(
  parameter int unsigned Queues = 8
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,
  input  logic                                  start_i,
  input  logic                                  needed_i,
  input  logic [Queues-1:0]                     unserved,
  input  logic                                  is_last_i,
  input  qosarb_port_reg_pkg::status_progress_e progress_q,
  input  qosarb_port_reg_pkg::status_outcome_e  outcome_q,
  input  qosarb_port_reg_pkg::status_reason_e   fault_i
);

  import qosarb_port_reg_pkg::*;

  logic checking;

  assign checking = progress_q == StatusProgressChecking;

  applied_after_check: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && is_last_i && fault_i == StatusReasonNone && unserved == '0);
  applied_at_once: cover property (@(posedge clk_i) disable iff (!rst_ni) start_i && !needed_i);
  refused_short_quantum: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault_i == StatusReasonShortQuantum);
  refused_zero_weight: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault_i == StatusReasonZeroWeight);
  refused_repeated_sl: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault_i == StatusReasonRepeatedSl);
  refused_large_weight: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault_i == StatusReasonLargeWeight);
  refused_large_vl: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault_i == StatusReasonLargeVl);
  refused_strict_entry: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault_i == StatusReasonStrictEntry);
  refused_queue_order: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault_i == StatusReasonQueueOrder);
  refused_long_mtu: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault_i == StatusReasonLongMtu);
  refused_rates: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault_i == StatusReasonRates);
  refused_short_burst: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault_i == StatusReasonShortBurst);
  refused_repeated_priority: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && fault_i == StatusReasonRepeatedPriority);
  refused_unserved_queue: cover property (@(posedge clk_i) disable iff (!rst_ni)
    checking && is_last_i && fault_i == StatusReasonNone && unserved != '0);
  start_after_refusal: cover property (@(posedge clk_i) disable iff (!rst_ni)
    start_i && outcome_q == StatusOutcomeRefused);

endmodule

bind qosarb_port_commit qosarb_port_commit_cover #(
  .Queues(Queues)
) u_cover (.*);
