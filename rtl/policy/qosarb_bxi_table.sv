// The arbitration table of bxi-basic and bxi-deficit, with deficits that can be switched.
//
// Paper: Sanchez de la Rosa et al., "Quality-of-service provision for BXIv3-based interconnection
// networks", 2025, Algorithms 1 and 2, with the errata of docs/errata.md corrected.
//
// State: the entry whose turn it is, the flits that remain of the turn, a deficit for each entry.
// Algorithm, all entries side by side:
//   1. An entry is active when its queue's head is valid and the queue is not stopped.
//   2. If the current entry is active and its head fits into what remains, it wins again.
//   3. Else the current entry is skipped: if it is active, what remains becomes its deficit. The
//      first active entry behind it wins, circularly, the current one being the last in that order.
//      It begins a turn with its quantum plus its deficit. The entries passed over are inactive and
//      lose their deficits.
//   4. The winner pays the length of its head.
// This equals the paper's loop under a strict table, in which every quantum holds any packet, so
// that a fresh turn always holds the head; qosarb_port refuses other tables. An exactly depleted
// turn needs no step of its own: nothing remains, no head fits, and 3 goes on with the next entry.
//
// A step is spread over two cycles without costing one: a grant only notes who won and how much was
// spent, and the next cycle selects the winner's credit and subtracts, while the search runs.
//
// Bound: with all queues backlogged, an entry's turn comes after at most the sum of the other
// entries' quanta plus MaxPacketFlits - 1 flits for each of them. One decision a cycle, every cycle.
// Width: a deficit is less than the head that did not fit, thus $clog2(MaxPacketFlits) bits; what
// remains is at most a quantum plus MaxPacketFlits - 1.

module qosarb_bxi_table #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  // Without deficit registers, `deficits_on_i` has no effect.
  parameter  bit          Deficits       = 1'b1,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1),
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  // The table in force. A cycle with `load_i` is the last of the table that stands in it; at its
  // end the state starts over.
  input  logic                                 load_i,
  input  logic [Entries-1:0]                   entry_used_i,     // ones up to the last entry
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,
  input  logic                                 deficits_on_i,

  // The candidates: the head of each queue, its length in flits, and its PFC stop.
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,

  // The link can take a packet; the answer comes in the same cycle.
  input  logic                                 request_i,
  output logic                                 grant_valid_o,
  output logic [Queues-1:0]                    grant_o,
  output logic [QueueWidth-1:0]                grant_queue_o,

  // State, for reading.
  output logic [7:0]                           current_o,     // the entry whose turn it is
  output logic [RemainingWidth-1:0]            remaining_o,
  output logic [Entries-1:0][DeficitWidth-1:0] deficit_o
);

  if (Queues < 1 || Queues > 256) begin : g_check_queues
    $error("qosarb_bxi_table: Queues must be within 1..256");
  end
  if (Entries < 1 || Entries > 256) begin : g_check_entries
    $error("qosarb_bxi_table: Entries must be within 1..256");
  end
  if (MaxPacketFlits < 1 || QuantumWidth < FlitsWidth || QuantumWidth > 24) begin : g_check_quantum
    $error("qosarb_bxi_table: a quantum of QuantumWidth (<= 24) bits must hold MaxPacketFlits >= 1");
  end

  localparam int unsigned EntryWidth = qosarb_pkg::index_width(Entries);

  // The turn. Before the first grant it is nobody's: no bit of `current_q` is set, nothing remains.
  logic [Entries-1:0]        current_d, current_q;  // one-hot
  logic [Entries-1:0]        behind_d, behind_q;    // the entries after the current one
  logic [QueueWidth-1:0]     queue_d, queue_q;      // the queue of the current entry
  logic                      fresh_d, fresh_q;      // the turn began with the last grant
  logic [FlitsWidth-1:0]     spent_d, spent_q;      // by a grant in the last cycle
  logic [RemainingWidth-1:0] credit_d, credit_q;    // of the turn before `spent_q`, unless fresh
  logic [Entries-1:0][DeficitWidth-1:0] deficit_d, deficit_q;
  logic                                 deficits_on;

  // What the turn had before the last grant spent some, and what remains of it now.
  logic [QuantumWidth-1:0]   current_quantum;
  logic [DeficitWidth-1:0]   current_deficit;
  logic [RemainingWidth-1:0] credit, remaining;

  always_comb begin
    current_quantum = '0;
    current_deficit = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      current_quantum |= entry_quantum_i[e] & {QuantumWidth{current_q[e]}};
      current_deficit |= deficit_q[e] & {DeficitWidth{current_q[e]}};
    end
  end

  assign credit    = fresh_q ? RemainingWidth'(current_quantum) + RemainingWidth'(current_deficit)
                             : credit_q;
  assign remaining = credit - RemainingWidth'(spent_q);

  // 1. Which queues and entries are active.
  logic [Queues-1:0]  active;
  logic [Entries-1:0] entry_active;

  assign active = valid_i & ~stopped_i;
  for (genvar e = 0; e < Entries; e++) begin : g_entry_active
    assign entry_active[e] = entry_used_i[e] & active[entry_queue_i[e]];
  end

  // 2. Whether the current entry goes on. Without a sum on the way: credit - spent >= head.
  logic                      goes_on;
  logic [FlitsWidth-1:0]     current_flits;
  logic [RemainingWidth-1:0] needed;

  assign current_flits = flits_i[queue_q];
  assign needed        = RemainingWidth'(spent_q) + RemainingWidth'(current_flits);
  assign goes_on       = active[queue_q] & (credit >= needed);

  // 3. Whose turn it is otherwise.
  logic               any_active;
  logic [Entries-1:0] found, behind_found, passed;

  qosarb_rotating_priority #(
    .Width(Entries)
  ) u_search (
    .request_i(entry_active),
    .behind_i (behind_q),
    .any_o    (any_active),
    .grant_o  (found),
    .behind_o (behind_found),
    .passed_o (passed)
  );

  logic [QueueWidth-1:0] found_queue;
  always_comb begin
    found_queue = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      found_queue |= entry_queue_i[e] & {QueueWidth{found[e]}};
    end
  end

  assign grant_valid_o = request_i & any_active;
  assign grant_queue_o = goes_on ? queue_q : found_queue;
  for (genvar q = 0; q < Queues; q++) begin : g_grant
    assign grant_o[q] = grant_valid_o & (grant_queue_o == QueueWidth'(unsigned'(q)));
  end

  // 4. The state after this cycle.
  logic begins;
  assign begins = grant_valid_o & ~goes_on;

  always_comb begin
    current_d = current_q;
    behind_d  = behind_q;
    queue_d   = queue_q;
    fresh_d   = begins;
    spent_d   = '0;
    credit_d  = remaining;
    if (begins) begin
      current_d = found;
      behind_d  = behind_found;
      queue_d   = found_queue;
    end
    if (grant_valid_o) spent_d = flits_i[grant_queue_o];
    if (load_i) begin
      current_d = '0;
      behind_d  = '1;
      fresh_d   = 1'b0;
      spent_d   = '0;
      credit_d  = '0;
    end
  end

  // A deficit stays until it has been added, in the first cycle of the entry's turn. What remains
  // when an active entry is skipped is less than its head, so the upper bits are zero.
  logic [DeficitWidth-1:0] saved;
  assign saved = (begins && active[queue_q] && deficits_on) ? remaining[DeficitWidth-1:0] : '0;

  always_comb begin
    deficit_d = deficit_q;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (current_q[e])                    deficit_d[e] = saved;
      else if (begins && passed[e])        deficit_d[e] = '0;
    end
    if (load_i) deficit_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      current_q <= '0;
      behind_q  <= '1;
      queue_q   <= '0;
      fresh_q   <= 1'b0;
      spent_q   <= '0;
      credit_q  <= '0;
    end else begin
      current_q <= current_d;
      behind_q  <= behind_d;
      queue_q   <= queue_d;
      fresh_q   <= fresh_d;
      spent_q   <= spent_d;
      credit_q  <= credit_d;
    end
  end

  if (Deficits) begin : g_deficits
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) deficit_q <= '0;
      else         deficit_q <= deficit_d;
    end
    assign deficits_on = deficits_on_i;
  end else begin : g_no_deficits
    logic unused_deficits;
    assign unused_deficits = ^{deficits_on_i, deficit_d};
    assign deficit_q       = '0;
    assign deficits_on     = 1'b0;
  end

  // For reading: the deficit of the current entry is part of what remains.
  logic [EntryWidth-1:0] current_entry;

  qosarb_onehot_to_index #(
    .Width(Entries)
  ) u_current_index (
    .onehot_i(current_q),
    .index_o (current_entry)
  );

  assign current_o   = 8'(current_entry);
  assign remaining_o = remaining;
  for (genvar e = 0; e < Entries; e++) begin : g_deficit_read
    assign deficit_o[e] = deficit_q[e] & ~{DeficitWidth{current_q[e]}};
  end

endmodule
