// The configuration in force, and the check that a shadow configuration passes to become it.
//
// Algorithm:
//   1. `start_i` begins a check of the shadow configuration, which stands still until it is over.
//      rr uses no table, so for rr there is nothing to check.
//   2. For a table policy one entry a cycle is looked at, from entry 0 to the last one used:
//      a. its quantum must be at least as long as the longest packet; else the commit is refused
//         and `where_o` is the entry;
//      b. the queue that it serves is noted.
//      With the last entry, every queue in use must be served; else the commit is refused and
//      `where_o` is the lowest queue that is not.
//   3. A configuration that passes is applied as a whole at the end of one cycle, the one in which
//      `load_o` is high. A decision of that cycle is the last one by the old table.
// Packet boundary: a decision begins and ends in one cycle, and a packet that was granted depends on
// the table no more. So the end of any cycle lies between two packets for the arbiter, whether the
// link sends, idles or is down, and no commit waits for the link.
// Bound: `load_o` or the refusal comes at most `table_entries_i` + 1 cycles after `start_i`.

module qosarb_port_commit #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned CountWidth     = $clog2(Entries + 1)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  // The shadow configuration. A start while a commit is in progress is not allowed.
  input  logic                                 start_i,
  input  qosarb_pkg::policy_e                  policy_i,
  input  logic [CountWidth-1:0]                table_entries_i,
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,
  input  logic [Queues-1:0]                    queues_in_use_i,
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,

  // How far the commit is, and how the last one ended.
  output qosarb_port_reg_pkg::status_progress_e progress_o,
  output qosarb_port_reg_pkg::status_outcome_e  outcome_o,
  output qosarb_port_reg_pkg::status_reason_e   reason_o,
  output logic [7:0]                            where_o,

  // The configuration in force.
  output logic                                 load_o,
  output qosarb_pkg::policy_e                  policy_o,
  output logic [CountWidth-1:0]                table_entries_o,
  output logic [FlitsWidth-1:0]                max_packet_flits_o,
  output logic [Queues-1:0]                    queues_in_use_o,
  output logic [Entries-1:0]                   entry_used_o,
  output logic [Entries-1:0][QueueWidth-1:0]   entry_queue_o,
  output logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_o
);

  import qosarb_port_reg_pkg::*;

  localparam int unsigned EntryWidth = qosarb_pkg::index_width(Entries);

  // 1. Where the commit stands.
  status_progress_e      progress_d, progress_q;
  status_outcome_e       outcome_d, outcome_q;
  status_reason_e        reason_d, reason_q;
  logic [7:0]            where_d, where_q;
  logic [EntryWidth-1:0] entry_d, entry_q;    // looked at in this cycle
  logic [Queues-1:0]     served_d, served_q;  // by the entries before this one

  // 2. The entry that is looked at.
  logic [QueueWidth-1:0]   entry_queue;
  logic [QuantumWidth-1:0] entry_quantum;
  logic                    quantum_is_short, entry_is_last;
  logic [Queues-1:0]       served, unserved, lowest_unserved;
  logic [QueueWidth-1:0]   unserved_queue;

  assign entry_queue      = entry_queue_i[entry_q];
  assign entry_quantum    = entry_quantum_i[entry_q];
  assign quantum_is_short = entry_quantum < QuantumWidth'(max_packet_flits_i);
  assign entry_is_last    = CountWidth'(entry_q) + 1'b1 == table_entries_i;
  assign served           = served_q | (Queues'(1'b1) << entry_queue);
  assign unserved         = queues_in_use_i & ~served;
  assign lowest_unserved  = unserved & (~unserved + 1'b1);

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
    entry_d    = entry_q;
    served_d   = served_q;

    unique case (progress_q)
      StatusProgressIdle: begin
        if (start_i) begin
          progress_d = (policy_i == qosarb_pkg::PolicyRr) ? StatusProgressApplying
                                                          : StatusProgressChecking;
          entry_d    = '0;
          served_d   = '0;
        end
      end
      StatusProgressChecking: begin
        entry_d  = entry_q + 1'b1;
        served_d = served;
        if (quantum_is_short) begin
          progress_d = StatusProgressIdle;
          outcome_d  = StatusOutcomeRefused;
          reason_d   = StatusReasonShortQuantum;
          where_d    = 8'(entry_q);
        end else if (entry_is_last) begin
          if (unserved == '0) begin
            progress_d = StatusProgressApplying;
          end else begin
            progress_d = StatusProgressIdle;
            outcome_d  = StatusOutcomeRefused;
            reason_d   = StatusReasonUnservedQueue;
            where_d    = 8'(unserved_queue);
          end
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
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      progress_q <= StatusProgressIdle;
      outcome_q  <= StatusOutcomeNone;
      reason_q   <= StatusReasonNone;
      where_q    <= '0;
      entry_q    <= '0;
      served_q   <= '0;
    end else begin
      progress_q <= progress_d;
      outcome_q  <= outcome_d;
      reason_q   <= reason_d;
      where_q    <= where_d;
      entry_q    <= entry_d;
      served_q   <= served_d;
    end
  end

  assign progress_o = progress_q;
  assign outcome_o  = outcome_q;
  assign reason_o   = reason_q;
  assign where_o    = where_q;

  // 3. The configuration in force.
  qosarb_pkg::policy_e                  policy_q;
  logic [CountWidth-1:0]                table_entries_q;
  logic [FlitsWidth-1:0]                max_packet_flits_q;
  logic [Queues-1:0]                    queues_in_use_q;
  logic [Entries-1:0]                   entry_used_q;
  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_q;
  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_q;

  localparam logic [Entries-1:0] AllEntries = '1;

  assign load_o = progress_q == StatusProgressApplying;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      policy_q           <= qosarb_pkg::PolicyRr;
      table_entries_q    <= CountWidth'(Queues);
      max_packet_flits_q <= FlitsWidth'(MaxPacketFlits);
      queues_in_use_q    <= '1;
      entry_used_q       <= ~(AllEntries << Queues);
      entry_quantum_q    <= {Entries{QuantumWidth'(MaxPacketFlits)}};
      for (int unsigned e = 0; e < Entries; e++) entry_queue_q[e] <= QueueWidth'(e % Queues);
    end else if (load_o) begin
      policy_q           <= policy_i;
      table_entries_q    <= table_entries_i;
      max_packet_flits_q <= max_packet_flits_i;
      queues_in_use_q    <= queues_in_use_i;
      entry_used_q       <= ~(AllEntries << table_entries_i);
      entry_quantum_q    <= entry_quantum_i;
      entry_queue_q      <= entry_queue_i;
    end
  end

  assign policy_o           = policy_q;
  assign table_entries_o    = table_entries_q;
  assign max_packet_flits_o = max_packet_flits_q;
  assign queues_in_use_o    = queues_in_use_q;
  assign entry_used_o       = entry_used_q;
  assign entry_queue_o      = entry_queue_q;
  assign entry_quantum_o    = entry_quantum_q;

endmodule
