// The arbitration table of bxi-basic and bxi-deficit, with deficits that can be switched.
//
// Paper: Sanchez de la Rosa et al., "Quality-of-service provision for BXIv3-based interconnection
// networks", 2025, Algorithms 1 and 2, with the errata of docs/errata.md corrected.
//
// State: the current entry, the flits that remain of its turn, and a deficit per entry.
// Algorithm, all entries side by side; N is the number of entries used:
//   1. An entry is active when its queue's head is valid and not stopped.
//   2. If the current entry is active and its head fits into what remains, it wins and pays.
//   3. Else the current entry is skipped: if it is active it saves what remains as its deficit.
//      The first active entry behind it wins, circularly, the current one being last in that order.
//      It pays from a fresh credit, its quantum plus its deficit. What the entries in between had
//      saved is lost: they are inactive.
//   4. A winner whose credit is used up exactly hands the turn to the next entry, which gets its
//      quantum plus its deficit.
//   A deficit is cleared when it is added.
// This equals the paper's loop as long as every fresh credit holds the head, which a strict table
// ensures: every used quantum is at least as long as any packet. qosarb_port refuses other tables.
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

  // The table in force. At the end of a cycle with `load_i` the state starts over for the table
  // that stands from the next cycle on, whose first quantum is `load_quantum_i`.
  input  logic                                 load_i,
  input  logic [QuantumWidth-1:0]              load_quantum_i,
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

  logic [EntryWidth-1:0]                current_d, current_q;
  logic [RemainingWidth-1:0]            remaining_d, remaining_q;
  logic [Entries-1:0][DeficitWidth-1:0] deficit_d, deficit_q;

  logic                                 deficits_on;

  // 1. Which entries are active.
  logic [Queues-1:0]  active;
  logic [Entries-1:0] entry_active;

  assign active = valid_i & ~stopped_i;
  for (genvar e = 0; e < Entries; e++) begin : g_entry_active
    assign entry_active[e] = entry_used_i[e] & active[entry_queue_i[e]];
  end

  // 2. The current entry goes on.
  logic                  current_active, current_wins;
  logic [FlitsWidth-1:0] current_flits;

  assign current_active = entry_active[current_q];
  assign current_flits  = flits_i[entry_queue_i[current_q]];
  assign current_wins   = current_active & (RemainingWidth'(current_flits) <= remaining_q);

  // 3. Or the first active entry behind it does, on a fresh credit.
  logic [Entries-1:0]    behind, found, passed;
  logic                  any_active;
  logic [EntryWidth-1:0] found_entry;

  assign behind = ({Entries{1'b1}} << current_q) << 1;

  qosarb_rotating_priority #(
    .Width(Entries)
  ) u_search (
    .request_i(entry_active),
    .behind_i (behind),
    .any_o    (any_active),
    .grant_o  (found),
    .passed_o (passed)
  );

  qosarb_onehot_to_index #(
    .Width(Entries)
  ) u_found_entry (
    .onehot_i(found),
    .index_o (found_entry)
  );

  logic [EntryWidth-1:0]     winner_entry;
  logic [FlitsWidth-1:0]     winner_flits;
  logic [DeficitWidth-1:0]   saved, found_deficit;
  logic [RemainingWidth-1:0] fresh, credit, left;

  // Less than the head that does not fit, so the upper bits are zero whenever this counts.
  assign saved = (deficits_on && current_active) ? remaining_q[DeficitWidth-1:0] : '0;

  assign winner_entry  = current_wins ? current_q : found_entry;
  assign grant_queue_o = entry_queue_i[winner_entry];
  assign winner_flits  = flits_i[grant_queue_o];
  assign found_deficit = found[current_q] ? saved : deficit_q[found_entry];
  assign fresh         = RemainingWidth'(entry_quantum_i[found_entry]) +
                         RemainingWidth'(found_deficit);
  assign credit        = current_wins ? remaining_q : fresh;
  assign left          = credit - RemainingWidth'(winner_flits);

  assign grant_valid_o = request_i & any_active;
  for (genvar q = 0; q < Queues; q++) begin : g_grant
    assign grant_o[q] = grant_valid_o & (grant_queue_o == QueueWidth'(unsigned'(q)));
  end

  // The deficits after the skips and the winner's turn, before a hand-over adds one of them.
  logic [Entries-1:0][DeficitWidth-1:0] deficit_after;

  always_comb begin
    deficit_after = deficit_q;
    if (!current_wins) begin
      for (int unsigned e = 0; e < Entries; e++) begin
        if (passed[e] || found[e]) deficit_after[e] = '0;
      end
      if (!found[current_q]) deficit_after[current_q] = saved;
    end
  end

  // 4. The state after a grant.
  logic                  depleted;
  logic [EntryWidth-1:0] next_entry;

  assign depleted = left == '0;
  if (Entries > 1) begin : g_next
    localparam logic [EntryWidth-1:0] LastEntry = EntryWidth'(Entries - 1);
    logic [EntryWidth-1:0] above;
    assign above      = winner_entry + 1'b1;
    assign next_entry = ((winner_entry == LastEntry) || !entry_used_i[above]) ? '0 : above;
  end else begin : g_single
    assign next_entry = '0;
  end

  always_comb begin
    current_d   = current_q;
    remaining_d = remaining_q;
    deficit_d   = deficit_q;
    if (load_i) begin
      current_d   = '0;
      remaining_d = RemainingWidth'(load_quantum_i);
      deficit_d   = '0;
    end else if (grant_valid_o) begin
      current_d   = winner_entry;
      remaining_d = left;
      deficit_d   = deficit_after;
      if (depleted) begin
        current_d             = next_entry;
        remaining_d           = RemainingWidth'(entry_quantum_i[next_entry]) +
                                RemainingWidth'(deficit_after[next_entry]);
        deficit_d[next_entry] = '0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      current_q   <= '0;
      remaining_q <= RemainingWidth'(MaxPacketFlits);  // a table of shortest quanta
    end else begin
      current_q   <= current_d;
      remaining_q <= remaining_d;
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

  assign current_o   = 8'(current_q);
  assign remaining_o = remaining_q;
  assign deficit_o   = deficit_q;

endmodule
