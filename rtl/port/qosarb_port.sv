// The output port's arbiter: policies, table memory, registers and counters.
//
// It chooses, whenever the link can take a packet, which queue's head goes next.
//   1. Candidates: `valid_i[q]` says that queue q has a packet, `flits_i[q]` (at least 1) how long
//      it is, `pfc_stop_i[q]` that the neighbour paused the queue's class (or that credit for a
//      whole packet is missing). A queue with a packet and without a stop is active.
//   2. `request_i` asks for a decision. `grant_valid_o`, `grant_o` (one-hot) and `grant_queue_o`
//      answer in the same cycle; some queue wins whenever one that the policy serves is active.
//      In the next cycle the winner's following packet, if any, must stand at its place.
//   3. Which policy decides, and by which table, is written through the registers into a shadow
//      and takes effect as a whole by a commit, between two decisions (see qosarb_port_commit).
//      `table_applied_o` is high in the cycle at whose end that happens.
//   4. Counters of each queue say what was sent and what it waited for (see qosarb_port_counters).
// Reset (asynchronous assertion; release it in step with the clock) leaves round robin over all
// queues, and a table by which a commit of POLICY alone gives each queue equal quanta.
// Bound: one decision a cycle, every cycle. The bound on waiting is the policy's.
// docs/integration.md says how to bind the port, docs/registers.md lists the registers.

module qosarb_port #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,        // at least Queues
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned CounterWidth   = 32,
  // One bit for each qosarb_pkg::policy_e that the build includes; rr (bit 0) always.
  parameter  int unsigned Policies       = 32'h7,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  // APB4 slave, whole words, no wait states.
  input  logic                              psel_i,
  input  logic                              penable_i,
  input  logic                              pwrite_i,
  input  logic [11:0]                       paddr_i,
  input  logic [31:0]                       pwdata_i,
  input  logic [3:0]                        pstrb_i,
  output logic                              pready_o,
  output logic [31:0]                       prdata_o,
  output logic                              pslverr_o,

  // Candidates.
  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0]                 pfc_stop_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,

  // The link can take a packet; the answer comes in the same cycle.
  input  logic                              request_i,
  output logic                              grant_valid_o,
  output logic [Queues-1:0]                 grant_o,
  output logic [QueueWidth-1:0]             grant_queue_o,  // meaningful with grant_valid_o

  // At the end of this cycle a committed configuration takes effect.
  output logic                              table_applied_o
);

  if (Queues < 1 || Queues > 32) begin : g_check_queues
    $error("qosarb_port: Queues must be within 1..32");
  end
  if (Entries < Queues || Entries > 128) begin : g_check_entries
    $error("qosarb_port: Entries must be within Queues..128");
  end
  if (MaxPacketFlits < 1 || MaxPacketFlits > 65535) begin : g_check_flits
    $error("qosarb_port: MaxPacketFlits must be within 1..65535");
  end
  if (QuantumWidth < FlitsWidth || QuantumWidth > 24) begin : g_check_quantum
    $error("qosarb_port: QuantumWidth must hold MaxPacketFlits and be at most 24");
  end
  if (CounterWidth < FlitsWidth || CounterWidth > 32) begin : g_check_counter
    $error("qosarb_port: CounterWidth must hold MaxPacketFlits and be at most 32");
  end

  localparam int unsigned CountWidth     = $clog2(Entries + 1);
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1);
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits);

  // The shadow configuration, and the commit of it.
  logic                                  commit;
  qosarb_pkg::policy_e                   shadow_policy;
  logic [CountWidth-1:0]                 shadow_table_entries;
  logic [FlitsWidth-1:0]                 shadow_max_packet_flits;
  logic [Queues-1:0]                     shadow_queues_in_use;
  logic [Entries-1:0][QueueWidth-1:0]    shadow_entry_queue;
  logic [Entries-1:0][QuantumWidth-1:0]  shadow_entry_quantum;
  qosarb_port_reg_pkg::status_progress_e progress;
  qosarb_port_reg_pkg::status_outcome_e  outcome;
  qosarb_port_reg_pkg::status_reason_e   reason;
  logic [7:0]                            where;

  // The configuration in force.
  logic                                  load;
  qosarb_pkg::policy_e                   policy;
  logic [CountWidth-1:0]                 table_entries;
  logic [FlitsWidth-1:0]                 max_packet_flits;
  logic [Queues-1:0]                     queues_in_use;
  logic [Entries-1:0]                    entry_used;
  logic [Entries-1:0][QueueWidth-1:0]    entry_queue;
  logic [Entries-1:0][QuantumWidth-1:0]  entry_quantum;

  // The arbiter's state, and the counters.
  logic [7:0]                            current;
  logic [RemainingWidth-1:0]             remaining;
  logic [Entries-1:0][DeficitWidth-1:0]  deficit;
  logic                                  counter_clear;
  logic [Queues-1:0][CounterWidth-1:0]   packets, flits, blocked, waiting;

  qosarb_port_registers #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .CounterWidth  (CounterWidth),
    .Policies      (Policies)
  ) u_registers (
    .clk_i,
    .rst_ni,
    .psel_i,
    .penable_i,
    .pwrite_i,
    .paddr_i,
    .pwdata_i,
    .pstrb_i,
    .pready_o,
    .prdata_o,
    .pslverr_o,
    .commit_o                   (commit),
    .policy_o                   (shadow_policy),
    .table_entries_o            (shadow_table_entries),
    .max_packet_flits_o         (shadow_max_packet_flits),
    .queues_in_use_o            (shadow_queues_in_use),
    .entry_queue_o              (shadow_entry_queue),
    .entry_quantum_o            (shadow_entry_quantum),
    .progress_i                 (progress),
    .outcome_i                  (outcome),
    .reason_i                   (reason),
    .where_i                    (where),
    .policy_in_force_i          (policy),
    .table_entries_in_force_i   (table_entries),
    .max_packet_flits_in_force_i(max_packet_flits),
    .queues_in_use_in_force_i   (queues_in_use),
    .entry_queue_in_force_i     (entry_queue),
    .entry_quantum_in_force_i   (entry_quantum),
    .current_i                  (current),
    .remaining_i                (remaining),
    .deficit_i                  (deficit),
    .counter_clear_o            (counter_clear),
    .packets_i                  (packets),
    .flits_i                    (flits),
    .blocked_i                  (blocked),
    .waiting_i                  (waiting)
  );

  qosarb_port_commit #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_commit (
    .clk_i,
    .rst_ni,
    .start_i           (commit),
    .policy_i          (shadow_policy),
    .table_entries_i   (shadow_table_entries),
    .max_packet_flits_i(shadow_max_packet_flits),
    .queues_in_use_i   (shadow_queues_in_use),
    .entry_queue_i     (shadow_entry_queue),
    .entry_quantum_i   (shadow_entry_quantum),
    .progress_o        (progress),
    .outcome_o         (outcome),
    .reason_o          (reason),
    .where_o           (where),
    .load_o            (load),
    .policy_o          (policy),
    .table_entries_o   (table_entries),
    .max_packet_flits_o(max_packet_flits),
    .queues_in_use_o   (queues_in_use),
    .entry_used_o      (entry_used),
    .entry_queue_o     (entry_queue),
    .entry_quantum_o   (entry_quantum)
  );

  qosarb_port_policies #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Policies      (Policies)
  ) u_policies (
    .clk_i,
    .rst_ni,
    .policy_i       (policy),
    .load_i         (load),
    .entry_used_i   (entry_used),
    .entry_queue_i  (entry_queue),
    .entry_quantum_i(entry_quantum),
    .valid_i,
    .stopped_i      (pfc_stop_i),
    .flits_i,
    .request_i,
    .grant_valid_o,
    .grant_o,
    .grant_queue_o,
    .current_o      (current),
    .remaining_o    (remaining),
    .deficit_o      (deficit)
  );

  qosarb_port_counters #(
    .Queues        (Queues),
    .MaxPacketFlits(MaxPacketFlits),
    .CounterWidth  (CounterWidth)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .clear_i      (counter_clear),
    .valid_i,
    .stopped_i    (pfc_stop_i),
    .flits_i,
    .grant_valid_i(grant_valid_o),
    .grant_i      (grant_o),
    .grant_queue_i(grant_queue_o),
    .packets_o    (packets),
    .flits_o      (flits),
    .blocked_o    (blocked),
    .waiting_o    (waiting)
  );

  assign table_applied_o = load;

endmodule
