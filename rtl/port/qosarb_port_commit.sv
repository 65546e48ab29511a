// The commit: the check that a shadow configuration passes to come into force.
//
// Algorithm:
//   1. `start_i` begins a check of the shadow configuration, which stands still until it is over.
//      For a policy that takes any configuration there is nothing to check.
//   2. One entry or class a cycle is looked at, from 0 to the last one, by the policy that is to
//      come (its slot, see qosarb_port_policies). It was fetched into registers in the cycle before, entry 0
//      in the one that begins the check. The commit is refused with the first fault, and
//      `where_o` is the entry or class that has it. Beside that it is noted whom the entries serve.
//      With the last one, every queue in use must be served; else the commit is refused and
//      `where_o` is the lowest queue that is not.
//   3. A configuration that passes is applied as a whole at the end of one cycle, the one in which
//      `load_o` is high. A decision of that cycle is the last one by the old table.
//   4. With Protect this stands twice, and `stop_i` says that the copies differ: what is in progress ends, refused, and
//      does not take effect. A flipped bit may have hidden from one copy that a commit is in progress, which so counts
//      if either copy says so (`under_way_i`) or one starts. A check that has looked at every entry and found none to
//      be the last one is of a policy or a depth that an upset put there, in both copies: it is refused.
// Packet boundary: a decision begins and ends in one cycle, and a packet that was granted depends on
// the table no more. So the end of any cycle lies between two packets for the arbiter, whether the
// link sends, idles or is down, and no commit waits for the link.
// Bound: `load_o` or the refusal comes at most E + 1 cycles after `start_i`, E being the entries or
// classes that are looked at.

module qosarb_port_commit #(
  parameter  int unsigned Queues       = 8,
  parameter  int unsigned Entries      = 64,
  parameter  int unsigned QuantumWidth = 16,
  parameter  int unsigned Protect      = 0,  // 1: against soft errors
  localparam int unsigned QueueWidth   = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth   = qosarb_pkg::index_width(Entries)
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,

  input  logic                                  start_i,      // not while a commit is in progress
  input  logic                                  stop_i,       // a bit of a commit was flipped
  input  logic                                  under_way_i,  // a commit is in progress in either copy

  // The entry that is fetched for the next cycle, one-hot.
  output logic [Entries-1:0]                    fetch_o,
  input  logic [QueueWidth-1:0]                 fetch_queue_i,
  input  logic [QuantumWidth-1:0]               fetch_quantum_i,

  // What is looked at, and what the policy that is to come says about it.
  output logic [EntryWidth-1:0]                 index_o,
  output logic [QueueWidth-1:0]                 queue_o,
  output logic [QuantumWidth-1:0]               quantum_o,
  output logic [Queues-1:0]                     seen_o,   // the marks of those before it
  input  logic                                  needed_i,
  input  logic                                  is_last_i,
  input  qosarb_port_reg_pkg::status_reason_e   fault_i,
  input  logic [Queues-1:0]                     seen_i,   // and its own
  input  logic [Queues-1:0]                     served_i,
  input  logic [Queues-1:0]                     queues_in_use_i,

  // How far the commit is, and how the last one ended.
  output qosarb_port_reg_pkg::status_progress_e progress_o,
  output qosarb_port_reg_pkg::status_outcome_e  outcome_o,
  output qosarb_port_reg_pkg::status_reason_e   reason_o,
  output logic [7:0]                            where_o,

  output logic                                  load_o
);

  import qosarb_port_reg_pkg::*;

  status_progress_e      progress_d, progress_q;
  status_outcome_e       outcome_d, outcome_q;
  status_reason_e        reason_d, reason_q;
  logic [7:0]            where_d, where_q;
  logic [EntryWidth-1:0] entry_q;
  logic [Entries-1:0]    fetch_d, fetch_q;  // the entry behind entry_q in a check, else the first
  logic [Queues-1:0]     seen_d, seen_q;

  logic [QueueWidth-1:0]   queue_q;
  logic [QuantumWidth-1:0] quantum_q;

  logic [Queues-1:0]     unserved, lowest_unserved;
  logic [QueueWidth-1:0] unserved_queue;

  assign unserved        = queues_in_use_i & ~served_i;
  assign lowest_unserved = unserved & (~unserved + 1'b1);

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_unserved_queue (
    .onehot_i(lowest_unserved),
    .index_o (unserved_queue)
  );

  always_comb begin
    progress_d = progress_q;
    outcome_d  = outcome_q;
    reason_d   = reason_q;
    where_d    = where_q;
    seen_d     = seen_q;

    unique case (progress_q)
      StatusProgressIdle: begin
        if (start_i) begin
          progress_d = needed_i ? StatusProgressChecking : StatusProgressApplying;
          seen_d     = '0;
        end
      end
      StatusProgressChecking: begin
        seen_d = seen_i;
        if (fault_i != StatusReasonNone) begin
          progress_d = StatusProgressIdle;
          outcome_d  = StatusOutcomeRefused;
          reason_d   = fault_i;
          where_d    = 8'(entry_q);
        end else if (is_last_i) begin
          if (unserved == '0) begin
            progress_d = StatusProgressApplying;
          end else begin
            progress_d = StatusProgressIdle;
            outcome_d  = StatusOutcomeRefused;
            reason_d   = StatusReasonUnservedQueue;
            where_d    = 8'(unserved_queue);
          end
        end else if (Protect != 0 && fetch_q == '0) begin
          progress_d = StatusProgressIdle;
          outcome_d  = StatusOutcomeRefused;
          reason_d   = StatusReasonSoftError;
          where_d    = '0;
        end
      end
      StatusProgressApplying: begin
        progress_d = StatusProgressIdle;
        outcome_d  = StatusOutcomeInForce;
        reason_d   = StatusReasonNone;
        where_d    = '0;
      end
      default: progress_d = StatusProgressIdle;
    endcase

    if (stop_i) begin
      progress_d = StatusProgressIdle;
      seen_d     = '0;
      if (under_way_i || start_i) begin
        outcome_d = StatusOutcomeRefused;
        reason_d  = StatusReasonSoftError;
        where_d   = '0;
      end
    end

    fetch_d = (progress_d == StatusProgressChecking) ? fetch_q << 1 : Entries'(1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      progress_q <= StatusProgressIdle;
      outcome_q  <= StatusOutcomeNone;
      reason_q   <= StatusReasonNone;
      where_q    <= '0;
      entry_q    <= '0;
      fetch_q    <= Entries'(1);
      queue_q    <= '0;
      quantum_q  <= '0;
      seen_q     <= '0;
    end else begin
      progress_q <= progress_d;
      outcome_q  <= outcome_d;
      reason_q   <= reason_d;
      where_q    <= where_d;
      entry_q    <= (progress_q == StatusProgressChecking) ? entry_q + 1'b1 : '0;
      fetch_q    <= fetch_d;
      queue_q    <= fetch_queue_i;
      quantum_q  <= fetch_quantum_i;
      seen_q     <= seen_d;
      if (Protect != 0 && stop_i) entry_q <= '0;
    end
  end

  assign fetch_o    = fetch_q;
  assign index_o    = entry_q;
  assign queue_o    = queue_q;
  assign quantum_o  = quantum_q;
  assign seen_o     = seen_q;
  assign progress_o = progress_q;
  assign outcome_o  = outcome_q;
  assign reason_o   = reason_q;
  assign load_o     = (progress_q == StatusProgressApplying) & ~stop_i;
  assign where_o    = where_q;

endmodule
