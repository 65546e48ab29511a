// dtable: deficit table. Weights count flits; an entry names a service level, which may have many.
//
// Paper: Cano-Cano et al., "Providing quality of service in Omni-Path networks", 2022, Algorithm 2,
// with its errata corrected (docs/policies/dtable.md). A packet costs its flits.
//
// State: the entry and the SL whose turn it is, the flits that remain of the turn, a deficit for
// each SL, the place of each SL's round robin.
// Algorithm, all entries side by side:
//   1. An SL is active when one of its queues is: its head is valid and it is not stopped. The
//      candidate of the SL is the next of those, round robin.
//   2. If the SL that has the turn is active, and its candidate fits into what remains, it goes on.
//   3. Else its turn is over. What remains becomes the deficit of the SL, or nothing does if the SL
//      is not active. The first entry behind the current one with an active SL wins, circularly,
//      the current one being the last in that order. It begins a turn with its weight and the
//      deficit of its SL.
//   4. The winner sends the candidate of its SL and pays its flits.
//
// A step is spread over two cycles without costing one: a grant only notes the winner's weight,
// which the search brings along. The next cycle adds the SL's deficit and subtracts what was spent,
// while its own search runs. It compares the sum with the heads of all queues, so that the
// candidate only selects the answer.
//
// Bound: with all SLs backlogged, an entry's turn comes after at most the sum of the other entries'
// weights plus MaxPacketFlits - 1 flits for each of them. One decision a cycle, every cycle.
// The table in force has weights of at least the MTU of their SLs, and no packet is longer than the
// MTU of its SL; so a turn that begins always holds the head.
// Width: a deficit is less than the head that did not fit, thus $clog2(MaxPacketFlits) bits; what
// remains is at most a weight plus MaxPacketFlits - 1.

module qosarb_dtable #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 128,
  parameter  int unsigned QuantumWidth   = 16,  // bits of a weight
  parameter  int unsigned MaxPacketFlits = 1023,
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
  input  logic [Entries-1:0]                   entry_used_i,    // ones up to the last entry
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_sl_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_weight_i,  // flits
  input  logic [Queues-1:0][QueueWidth-1:0]    queue_sl_i,

  // The candidates: the head of each queue, its length in flits, and its PFC stop.
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,

  // The link can take a packet; the answer comes in the same cycle.
  input  logic                                 request_i,
  output logic                                 grant_valid_o,
  output logic [Queues-1:0]                    grant_o,
  output logic [QueueWidth-1:0]                grant_queue_o,

  // State, for reading. Before the first grant the current entry is the highest.
  output logic [7:0]                           current_o,      // the entry that was selected last
  output logic                                 selected_o,     // it is an SL's turn
  output logic [QueueWidth-1:0]                selected_sl_o,
  output logic [RemainingWidth-1:0]            remaining_o,    // the accumulated weight, flits
  output logic [Queues-1:0][DeficitWidth-1:0]  deficit_o       // of each SL, flits
);

  if (Queues < 1 || Queues > 256) begin : g_check_queues
    $error("qosarb_dtable: Queues must be within 1..256");
  end
  if (Entries < 1 || Entries > 256) begin : g_check_entries
    $error("qosarb_dtable: Entries must be within 1..256");
  end
  if (MaxPacketFlits < 1 || QuantumWidth < FlitsWidth || QuantumWidth > 24) begin : g_check_quantum
    $error("qosarb_dtable: a weight of QuantumWidth (<= 24) bits must hold MaxPacketFlits >= 1");
  end

  localparam int unsigned EntryWidth = qosarb_pkg::index_width(Entries);

  // The turn. It is nobody's when no bit of `turn_queues_q` is set.
  // What remains of it is quantum_q less what the last cycle's grant spent, and in the first cycle
  // of a turn plus the deficit of the SL.
  logic [Entries-1:0]        behind_d, behind_q;            // the entries after the current one
  logic [Queues-1:0]         turn_queues_d, turn_queues_q;  // the queues of its SL
  logic [QueueWidth-1:0]     sl_d, sl_q;                    // its SL
  logic [RemainingWidth-1:0] quantum_d, quantum_q;          // first its weight, then what remained
  logic                      begun_d, begun_q;              // by the last cycle's grant

  // The grant of the last cycle, and the heads that it chose from.
  logic [Queues-1:0]                 granted_q;
  logic [Queues-1:0][FlitsWidth-1:0] flits_q;

  logic [Queues-1:0][DeficitWidth-1:0] deficit_d, deficit_q;  // of each SL

  // 1. Which SLs and entries are active, and the candidates.
  logic [Queues-1:0]              active, candidate, served_queues;
  logic [Entries-1:0][Queues-1:0] entry_queues;
  logic [Entries-1:0]             entry_active;

  assign active = valid_i & ~stopped_i;

  qosarb_sl_members #(
    .Items  (Entries),
    .Queues (Queues),
    .SlWidth(QueueWidth)
  ) u_entry_queues (
    .used_i    (entry_used_i),
    .sl_i      (entry_sl_i),
    .queue_sl_i(queue_sl_i),
    .members_o (entry_queues)
  );

  for (genvar e = 0; e < Entries; e++) begin : g_entry
    assign entry_active[e] = |(entry_queues[e] & active);
  end

  qosarb_sl_queues #(
    .Queues(Queues)
  ) u_sl_queues (
    .clk_i,
    .rst_ni,
    .load_i,
    .queue_sl_i,
    .active_i   (active),
    .candidate_o(candidate),
    .served_i   (served_queues & {Queues{grant_valid_o}})
  );

  // 2. Whether the current SL goes on: quantum + deficit - spent - head >= 0, as one sum for each
  //    queue. Above two packets' worth of quantum a head fits anyway, so the sum is not wider.
  localparam int unsigned ShortWidth = (FlitsWidth + 1 < RemainingWidth) ? FlitsWidth + 1
                                                                         : RemainingWidth;

  logic [DeficitWidth-1:0]   extra;
  logic [FlitsWidth-1:0]     spent;
  logic [RemainingWidth-1:0] remaining;
  logic                      plenty, turn_active, goes_on;
  logic [Queues-1:0]         fits;

  always_comb begin
    extra = '0;
    spent = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      extra |= deficit_q[q] & {DeficitWidth{begun_q & (sl_q == QueueWidth'(q))}};
      spent |= flits_q[q] & {FlitsWidth{granted_q[q]}};
    end
  end

  assign remaining = quantum_q + RemainingWidth'(extra) - RemainingWidth'(spent);
  assign plenty    = (quantum_q >> ShortWidth) != '0;

  for (genvar q = 0; q < Queues; q++) begin : g_fits
    logic [ShortWidth+1:0] left;  // two's complement
    assign left    = (ShortWidth + 2)'(quantum_q[ShortWidth-1:0]) + (ShortWidth + 2)'(extra) -
                     (ShortWidth + 2)'(spent) - (ShortWidth + 2)'(flits_i[q]);
    assign fits[q] = plenty | ~left[ShortWidth+1];
  end

  assign turn_active = |(turn_queues_q & active);
  assign goes_on     = |(turn_queues_q & candidate & fits);

  // 3. Whose turn it is otherwise. The search brings the winner's queues, SL and weight.
  localparam int unsigned PayloadWidth = Queues + QueueWidth + QuantumWidth;

  logic [Entries-1:0][PayloadWidth-1:0] payload;
  logic                                 any_active;
  logic [Entries-1:0]                   unused_found, behind_found, unused_passed;
  logic [Queues-1:0]                    found_queues;
  logic [QueueWidth-1:0]                found_sl;
  logic [QuantumWidth-1:0]              found_weight;

  for (genvar e = 0; e < Entries; e++) begin : g_payload
    always_comb begin
      payload[e][QuantumWidth-1:0]                = entry_weight_i[e];
      payload[e][QuantumWidth+:QueueWidth]        = entry_sl_i[e];
      payload[e][QuantumWidth+QueueWidth+:Queues] = entry_queues[e];
    end
  end

  qosarb_rotating_priority #(
    .Width       (Entries),
    .PayloadWidth(PayloadWidth)
  ) u_search (
    .request_i(entry_active),
    .behind_i (behind_q),
    .payload_i(payload),
    .any_o    (any_active),
    .grant_o  (unused_found),
    .payload_o({found_queues, found_sl, found_weight}),
    .behind_o (behind_found),
    .passed_o (unused_passed)
  );

  // 4. The grant. An SL whose turn goes on has an entry, so some entry is active then, too.
  assign served_queues = goes_on ? turn_queues_q : found_queues;
  assign grant_valid_o = request_i & any_active;
  assign grant_o       = candidate & served_queues & {Queues{grant_valid_o}};

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_grant_index (
    .onehot_i(grant_o),
    .index_o (grant_queue_o)
  );

  // The state after this cycle. What remains of an active SL is less than its head when its turn
  // ends, so the upper bits are zero.
  logic ends;

  assign ends = request_i & (turn_queues_q != '0) & ~goes_on;

  always_comb begin
    behind_d      = behind_q;
    turn_queues_d = turn_queues_q;
    sl_d          = sl_q;
    quantum_d     = remaining;
    begun_d       = 1'b0;
    deficit_d     = deficit_q;
    if (ends) begin
      turn_queues_d = '0;
      for (int unsigned s = 0; s < Queues; s++) begin
        if (sl_q == QueueWidth'(s)) begin
          deficit_d[s] = remaining[DeficitWidth-1:0] & {DeficitWidth{turn_active}};
        end
      end
    end
    if (grant_valid_o && !goes_on) begin
      behind_d      = behind_found;
      turn_queues_d = found_queues;
      sl_d          = found_sl;
      quantum_d     = RemainingWidth'(found_weight);
      begun_d       = 1'b1;
    end
    if (load_i) begin
      behind_d      = '0;
      turn_queues_d = '0;
      begun_d       = 1'b0;
      deficit_d     = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      behind_q      <= '0;
      turn_queues_q <= '0;
      sl_q          <= '0;
      quantum_q     <= '0;
      begun_q       <= 1'b0;
      deficit_q     <= '0;
      granted_q     <= '0;
      flits_q       <= '0;
    end else begin
      behind_q      <= behind_d;
      turn_queues_q <= turn_queues_d;
      sl_q          <= sl_d;
      quantum_q     <= quantum_d;
      begun_q       <= begun_d;
      deficit_q     <= deficit_d;
      granted_q     <= load_i ? '0 : grant_o;
      flits_q       <= flits_i;
    end
  end

  // For reading. The current entry is the highest that is not behind itself.
  logic [Entries-1:0]    current;
  logic [EntryWidth-1:0] current_entry;

  assign current = ~behind_q & ~(~behind_q >> 1);

  qosarb_onehot_to_index #(
    .Width(Entries)
  ) u_current_index (
    .onehot_i(current),
    .index_o (current_entry)
  );

  assign current_o     = 8'(current_entry);
  assign selected_o    = turn_queues_q != '0;
  assign selected_sl_o = sl_q;
  assign remaining_o   = remaining & {RemainingWidth{selected_o}};
  assign deficit_o     = deficit_q;

endmodule
