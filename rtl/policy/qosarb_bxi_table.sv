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
// A step is spread over two cycles without costing one: a grant only notes the winner's quantum and
// deficit, which the search brings along. The next cycle adds the two and subtracts what was spent,
// while its own search runs.
//
// Lengths that lie: a head above `max_packet_flits_i` is too long. A turn that begins sends it like
// any other, as 3 does not compare; what remains is then nothing, its sign masking it. A turn that
// ends because a too long head does not fit saves nothing. A head of 0 flits counts as one of 1: it
// withholds the carry into the subtraction that takes it off.
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
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,

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
  output logic                                 had_turn_o,    // some entry has had a turn
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

  // Nothing is granted in a reset, which needs no edge of the clock.
  logic request;

  assign request = request_i & rst_ni;

  localparam int unsigned EntryWidth = qosarb_pkg::index_width(Entries);

  // The turn. Before the first grant it is nobody's: no bit of `current_q` is set, nothing remains.
  // What remains of it is quantum_q + extra_q less what the last cycle's grant spent.
  logic [Entries-1:0]        current_d, current_q;  // the entry, one-hot
  logic [Entries-1:0]        behind_d, behind_q;    // the entries after it
  logic [Queues-1:0]         queue_d, queue_q;      // its queue, one-hot
  logic [RemainingWidth-1:0] quantum_d, quantum_q;  // at first its quantum, then what remained
  logic [DeficitWidth-1:0]   extra_d, extra_q;      // at first its deficit, then nothing

  // The grant of the last cycle, and the heads that it chose from, as they count.
  logic [Queues-1:0]                 granted_q;
  logic [Queues-1:0][FlitsWidth-1:0] flits_q;

  // The deficits, and which of them count. The current entry's register follows what remains, and
  // counts from the moment the entry is skipped until the deficit is added or passed over.
  logic [Entries-1:0][DeficitWidth-1:0] value_q, deficit;
  logic [Entries-1:0]                   saved_d, saved_q;
  logic                                 deficits_on;

  // 1. Which queues and entries are active.
  logic [Queues-1:0]              active;
  logic [Entries-1:0][Queues-1:0] entry_queue;  // one-hot; zero for an entry that is not used
  logic [Entries-1:0]             entry_active;

  assign active = valid_i & ~stopped_i;
  for (genvar e = 0; e < Entries; e++) begin : g_entry
    assign entry_queue[e]  = Queues'(entry_used_i[e]) << entry_queue_i[e];
    assign entry_active[e] = |(entry_queue[e] & active);
  end

  // 2. Whether the current entry goes on: quantum + extra - spent - head >= 0, as one sum. Above
  //    two packets' worth of quantum it fits anyway, so the sum is not wider than that.
  localparam int unsigned ShortWidth = (FlitsWidth + 1 < RemainingWidth) ? FlitsWidth + 1
                                                                         : RemainingWidth;

  logic [FlitsWidth-1:0]     spent, current_flits;
  logic [Queues-1:0]         counts;  // as more than 0 flits
  logic [RemainingWidth:0]   rest;    // two's complement
  logic [RemainingWidth-1:0] remaining;
  logic [ShortWidth+1:0]     left;    // two's complement
  logic                      plenty, current_active, current_counts, too_long, goes_on;

  for (genvar q = 0; q < Queues; q++) begin : g_counts
    assign counts[q] = flits_i[q] != '0;
  end

  always_comb begin
    spent         = '0;
    current_flits = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      spent         |= flits_q[q] & {FlitsWidth{granted_q[q]}};
      current_flits |= flits_i[q] & {FlitsWidth{queue_q[q]}};
    end
  end

  assign rest      = (RemainingWidth + 1)'(quantum_q) + (RemainingWidth + 1)'(extra_q) -
                     (RemainingWidth + 1)'(spent);
  assign remaining = rest[RemainingWidth-1:0] & {RemainingWidth{~rest[RemainingWidth]}};
  assign left      = (ShortWidth + 2)'(quantum_q[ShortWidth-1:0]) + (ShortWidth + 2)'(extra_q) -
                     (ShortWidth + 2)'(spent) + ~(ShortWidth + 2)'(current_flits) +
                     (ShortWidth + 2)'(current_counts);
  assign plenty    = (quantum_q >> ShortWidth) != '0;

  assign current_active = |(queue_q & active);
  assign current_counts = |(queue_q & counts);
  assign too_long       = current_flits > max_packet_flits_i;
  assign goes_on        = current_active & (plenty | ~left[ShortWidth+1]);

  // 3. Whose turn it is otherwise. The search brings the winner's queue, quantum and deficit.
  localparam int unsigned PayloadWidth = Queues + QuantumWidth + DeficitWidth;

  logic [Entries-1:0][PayloadWidth-1:0] payload;
  logic                                 any_active;
  logic [Entries-1:0]                   found, behind_found, passed;
  logic [Queues-1:0]                    found_queue;
  logic [QuantumWidth-1:0]              found_quantum;
  logic [DeficitWidth-1:0]              found_deficit;

  for (genvar e = 0; e < Entries; e++) begin : g_payload
    assign payload[e] = {entry_queue[e], entry_quantum_i[e], deficit[e]};
  end

  qosarb_rotating_priority #(
    .Width       (Entries),
    .PayloadWidth(PayloadWidth)
  ) u_search (
    .request_i(entry_active),
    .behind_i (behind_q),
    .payload_i(payload),
    .any_o    (any_active),
    .grant_o  (found),
    .payload_o({found_queue, found_quantum, found_deficit}),
    .behind_o (behind_found),
    .passed_o (passed)
  );

  assign grant_valid_o = request & any_active;
  assign grant_o       = (goes_on ? queue_q : found_queue) & {Queues{grant_valid_o}};

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_grant_index (
    .onehot_i(grant_o),
    .index_o (grant_queue_o)
  );

  // The current entry is skipped when another turn begins. If it is active and its head is not too
  // long, what remains becomes its deficit; that is less than its head, so the upper bits are zero.
  logic begins, saves, returns;

  assign begins  = grant_valid_o & ~goes_on;
  assign saves   = current_active & deficits_on & ~too_long;
  assign returns = (entry_active & ~current_q) == '0;  // nobody else: the entry follows itself

  // The state after this cycle.
  always_comb begin
    current_d = current_q;
    behind_d  = behind_q;
    queue_d   = queue_q;
    quantum_d = remaining;
    extra_d   = '0;
    if (begins) begin
      current_d = found;
      behind_d  = behind_found;
      queue_d   = found_queue;
      quantum_d = RemainingWidth'(found_quantum);
      extra_d   = found_deficit;
      if (returns) extra_d = remaining[DeficitWidth-1:0] & {DeficitWidth{saves}};
    end
    if (load_i) begin
      current_d = '0;
      behind_d  = '1;
      quantum_d = '0;
      extra_d   = '0;
    end
  end

  assign saved_d = load_i ? '0 :
                   begins ? (saved_q | (current_q & {Entries{saves}})) & ~(passed | found) : saved_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      current_q <= '0;
      behind_q  <= '1;
      queue_q   <= '0;
      quantum_q <= '0;
      extra_q   <= '0;
      granted_q <= '0;
      flits_q   <= '0;
    end else begin
      current_q <= current_d;
      behind_q  <= behind_d;
      queue_q   <= queue_d;
      quantum_q <= quantum_d;
      extra_q   <= extra_d;
      granted_q <= load_i ? '0 : grant_o;
      for (int unsigned q = 0; q < Queues; q++) begin
        flits_q[q] <= flits_i[q] | FlitsWidth'(!counts[q]);
      end
    end
  end

  if (Deficits) begin : g_deficits
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        value_q <= '0;
        saved_q <= '0;
      end else begin
        for (int unsigned e = 0; e < Entries; e++) begin
          if (current_q[e]) value_q[e] <= remaining[DeficitWidth-1:0];
        end
        saved_q <= saved_d;
      end
    end
    assign deficits_on = deficits_on_i;
  end else begin : g_no_deficits
    logic unused_deficits;
    assign unused_deficits = ^{deficits_on_i, saved_d};
    assign value_q         = '0;
    assign saved_q         = '0;
    assign deficits_on     = 1'b0;
  end

  for (genvar e = 0; e < Entries; e++) begin : g_deficit
    assign deficit[e] = value_q[e] & {DeficitWidth{saved_q[e]}};
  end

  // For reading.
  logic [EntryWidth-1:0] current_entry;

  qosarb_onehot_to_index #(
    .Width(Entries)
  ) u_current_index (
    .onehot_i(current_q),
    .index_o (current_entry)
  );

  assign current_o   = 8'(current_entry);
  assign had_turn_o  = current_q != '0;
  assign remaining_o = remaining;
  assign deficit_o   = deficit;

endmodule
