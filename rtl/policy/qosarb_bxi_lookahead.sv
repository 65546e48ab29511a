// bxi-basic and bxi-deficit, a decision in two cycles and one decision a cycle.
//
// Paper: Sanchez de la Rosa et al., "Quality-of-service provision for BXIv3-based interconnection
// networks", 2025, Algorithms 1 and 2, with the errata of docs/errata.md corrected.
//
// It decides what qosarb_bxi_table decides, one cycle later: the candidates and the request of cycle
// c are answered in cycle c + 1. The grant of cycle c is not yet taken off the queues that show
// themselves in cycle c, so a queue also shows the packet behind its head; that one is the candidate
// of a queue whose head is granted in this very cycle.
//
// Algorithm. In the cycle of the candidates:
//   1. Each entry learns whether its queue has a candidate, in both cases: this cycle's grant is
//      not its queue's, or it is.
//   2. Beside it runs the search of 4, for the candidates of the cycle before. It has a first entry
//      in each block before it knows the winning block, so each block prepares what follows if its
//      entry wins: who is a candidate then, what the turn then has to pay and the next head asks
//      for. Which block wins, or that the current entry goes on, only selects.
// In the cycle of the answer, from registers:
//   3. If the current entry has a candidate and it fits into what remains, it wins again.
//   4. Else the first entry behind the current one that has a candidate wins, circularly, the
//      current one being the last in that order, and begins a turn with its quantum plus its
//      deficit. If the current entry has a candidate, what remains becomes its deficit. The entries
//      passed over lose theirs.
// This equals the paper's loop under a strict table, in which every quantum holds any packet, so
// that a fresh turn always holds the head; see docs/parallel-search.md. qosarb_port refuses other
// tables.
//
// Lengths that lie: a head above `max_packet_flits_i` is too long. A turn that begins sends it like
// any other, as 4 does not compare; what remains is then nothing, its sign masking it. A turn that
// ends because a too long head does not fit saves nothing. A head of 0 flits counts as one of 1.
//
// Bound: with all queues backlogged, an entry's turn comes after at most the sum of the other
// entries' quanta plus MaxPacketFlits - 1 flits for each of them. One decision a cycle, every cycle.
// A packet that arrives in cycle c, or a stop, counts in the grants from cycle c + 1 on.
// Width: a deficit is less than the head that did not fit, thus $clog2(MaxPacketFlits) bits; what
// remains is at most a quantum plus MaxPacketFlits - 1.

module qosarb_bxi_lookahead #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  bit          Deficits       = 1'b1,  // 0: bxi-basic only, and no registers for them
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1),
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  // The table in force. A cycle with `load_i` is the last of the table that stands in it; at its
  // end the state starts over, and its request has no answer.
  input  logic                                 load_i,
  input  logic [Entries-1:0]                   entry_used_i,     // ones up to the last entry
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,
  input  logic                                 deficits_on_i,    // bxi-deficit, else bxi-basic
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,

  // The candidates: the head of each queue, its length in flits, the packet behind it, and the
  // queue's PFC stop. A head stays until the end of the cycle in which it is granted; then the
  // packet behind it is the head.
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,
  input  logic [Queues-1:0]                    next_valid_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    next_flits_i,

  // The link can take a packet in the next cycle; the answer comes in that cycle.
  input  logic                                 request_i,
  output logic                                 grant_valid_o,
  output logic [Queues-1:0]                    grant_o,
  output logic [QueueWidth-1:0]                grant_queue_o,

  // State before the answer of this cycle, for reading.
  output logic [7:0]                           current_o,     // the entry whose turn it is
  output logic                                 had_turn_o,    // some entry has had a turn
  output logic [RemainingWidth-1:0]            remaining_o,
  output logic [Entries-1:0][DeficitWidth-1:0] deficit_o
);

  if (Queues < 1 || Queues > 256) begin : g_check_queues
    $error("qosarb_bxi_lookahead: Queues must be within 1..256");
  end
  if (Entries < 1 || Entries > 256) begin : g_check_entries
    $error("qosarb_bxi_lookahead: Entries must be within 1..256");
  end
  if (MaxPacketFlits < 1 || QuantumWidth < FlitsWidth || QuantumWidth > 24) begin : g_check_quantum
    $error("qosarb_bxi_lookahead: a quantum of QuantumWidth (<= 24) bits must hold MaxPacketFlits");
  end

  localparam int unsigned EntryWidth = qosarb_pkg::index_width(Entries);
  localparam int unsigned BlockWidth = 8;
  localparam int unsigned Blocks     = (Entries + BlockWidth - 1) / BlockWidth;
  localparam int unsigned Padded     = Blocks * BlockWidth;
  localparam int unsigned NeedWidth  = FlitsWidth + 1;  // of two packets

  // The turn. Before the first grant it is nobody's: no bit of `current_q` is set, nothing remains.
  // What remains of it is quantum_q + extra_q - spent_q.
  logic [Entries-1:0]        current_d, current_q;  // the entry, one-hot
  logic [Entries-1:0]        behind_d, behind_q;    // the entries after it
  logic [Queues-1:0]         queue_d, queue_q;      // its queue, one-hot
  logic [RemainingWidth-1:0] quantum_d, quantum_q;  // at first its quantum, then what remained
  logic [DeficitWidth-1:0]   extra_d, extra_q;      // at first its deficit, then nothing
  logic [FlitsWidth-1:0]     spent_d, spent_q;      // what the last cycle's grant took

  // The candidates of the last cycle: which entries have one, the current entry too, and what
  // quantum_q + extra_q must be for it to fit.
  logic [Entries-1:0]   active_d, active_q;
  logic [Entries-1:0]   active_behind_d, active_behind_q;  // those of them after the current entry
  logic                 current_active_d, current_active_q;
  logic                 current_saves_d, current_saves_q;  // nor is its candidate too long
  logic [NeedWidth-1:0] need_d, need_q;

  // The deficits, and which of them count. The current entry's register follows what remains, and
  // counts from the moment the entry is skipped until the deficit is added or passed over. Whom the
  // last cycle's grant passed over is seen from the turns before and after it, so that the search
  // ends without it.
  logic [Entries-1:0][DeficitWidth-1:0] value_q, deficit;
  logic [Entries-1:0]                   saved_d, saved_q, saved;
  logic                                 moved_d, moved_q;  // that grant began a turn
  logic                                 wrapped_q;         // of an entry not behind the one before
  logic [Entries-1:0]                   left_behind_q;     // the entries after the one before

  // 1. The candidates, if this cycle's grant is not their queue's and if it is.
  logic [Queues-1:0]                head, second;
  logic [Queues-1:0]                head_saves, second_saves;  // if it is a candidate
  logic [Queues-1:0][FlitsWidth-1:0] head_flits, second_flits; // as they count
  logic [Queues-1:0][FlitsWidth-1:0] paid;  // if granted; a load leaves nothing to be paid
  logic [Queues-1:0][NeedWidth-1:0] both_flits;
  logic [Entries-1:0][Queues-1:0]   entry_queue;  // one-hot; zero for an entry that is not used
  logic [Entries-1:0]               entry_head, entry_second;

  assign head   = valid_i & ~stopped_i & {Queues{request_i & ~load_i}};
  assign second = next_valid_i & head;
  for (genvar q = 0; q < Queues; q++) begin : g_queue
    assign head_flits[q]   = flits_i[q] | FlitsWidth'(flits_i[q] == '0);
    assign second_flits[q] = next_flits_i[q] | FlitsWidth'(next_flits_i[q] == '0);
    assign head_saves[q]   = head[q] & (flits_i[q] <= max_packet_flits_i);
    assign second_saves[q] = second[q] & (next_flits_i[q] <= max_packet_flits_i);
    assign paid[q]         = head_flits[q] & {FlitsWidth{~load_i}};
    assign both_flits[q]   = NeedWidth'(head_flits[q]) + NeedWidth'(second_flits[q]);
  end
  for (genvar e = 0; e < Entries; e++) begin : g_entry
    assign entry_queue[e]  = Queues'(entry_used_i[e]) << entry_queue_i[e];
    assign entry_head[e]   = |(entry_queue[e] & head);
    assign entry_second[e] = |(entry_queue[e] & second);
  end

  // 3. Whether the current entry goes on: quantum + extra - need >= 0, as one sum. Above two
  //    packets' worth of quantum it fits anyway, so the sum is not wider than that.
  localparam int unsigned ShortWidth = (NeedWidth < RemainingWidth) ? NeedWidth : RemainingWidth;

  logic [RemainingWidth:0]   rest;  // two's complement
  logic [RemainingWidth-1:0] remaining;
  logic [ShortWidth+1:0]     left;  // two's complement
  logic                      plenty, goes_on;

  assign rest      = (RemainingWidth + 1)'(quantum_q) + (RemainingWidth + 1)'(extra_q) -
                     (RemainingWidth + 1)'(spent_q);
  assign remaining = rest[RemainingWidth-1:0] & {RemainingWidth{~rest[RemainingWidth]}};
  assign left      = (ShortWidth + 2)'(quantum_q[ShortWidth-1:0]) + (ShortWidth + 2)'(extra_q) -
                     (ShortWidth + 2)'(need_q);
  assign plenty    = (quantum_q >> ShortWidth) != '0;
  assign goes_on   = current_active_q & (plenty | ~left[ShortWidth+1]);

  // 4. Whose turn it is otherwise.
  logic                              any_active, any_behind;
  logic [Blocks-1:0][BlockWidth-1:0] first, reached;
  logic [Blocks-1:0]                 winner, after_winner;

  qosarb_rotating_blocks #(
    .Width     (Entries),
    .BlockWidth(BlockWidth)
  ) u_search (
    .request_i     (active_q),
    .request_behind_i(active_behind_q),
    .any_o         (any_active),
    .any_behind_o  (any_behind),
    .first_o       (first),
    .reached_o     (reached),
    .winner_o      (winner),
    .after_winner_o(after_winner)
  );

  // 2. What follows if a block's first entry wins, and if the current entry does.
  typedef struct packed {
    logic [QuantumWidth-1:0] quantum;
    logic [DeficitWidth-1:0] extra;
  } turn_t;

  typedef struct packed {
    logic [Entries-1:0]    active;
    logic                  current_active;
    logic                  current_saves;
    logic [NeedWidth-1:0]  need;
    logic [FlitsWidth-1:0] spent;
  } candidates_t;

  logic                     idle;
  turn_t       [Blocks-1:0] block_turn;
  candidates_t [Blocks-1:0] block_next;
  candidates_t              granted_next, idle_next, stay_next;

  // The candidates when `queue`, one-hot, is granted in this cycle and has the turn.
  function automatic candidates_t after_grant(
      logic [Queues-1:0] queue, logic [Entries-1:0][Queues-1:0] of_entry,
      logic [Entries-1:0] with_head, logic [Entries-1:0] with_second, logic [Queues-1:0] seconds,
      logic [Queues-1:0] saving_seconds,
      logic [Queues-1:0][FlitsWidth-1:0] flits, logic [Queues-1:0][NeedWidth-1:0] both);
    candidates_t result;
    result = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      result.active[e] = with_second[e] | (with_head[e] & ~|(of_entry[e] & queue));
    end
    result.current_active = |(seconds & queue);
    result.current_saves  = |(saving_seconds & queue);
    for (int unsigned q = 0; q < Queues; q++) begin
      result.need  |= both[q] & {NeedWidth{queue[q]}};
      result.spent |= flits[q] & {FlitsWidth{queue[q]}};
    end
    return result;
  endfunction

  // A queue is needed first, so it has a tree of its own beside the search.
  logic [Padded-1:0]             padded_active, padded_behind;
  logic [Padded-1:0][Queues-1:0] padded_queue;
  logic [Blocks-1:0][Queues-1:0] block_queue;

  assign padded_active = Padded'(active_q);
  assign padded_behind = Padded'(active_behind_q);
  assign padded_queue  = (Padded * Queues)'(entry_queue);

  for (genvar b = 0; b < Blocks; b++) begin : g_block
    qosarb_rotating_select #(
      .Width       (BlockWidth),
      .PayloadWidth(Queues)
    ) u_select (
      .request_i       (padded_active[b*BlockWidth +: BlockWidth]),
      .request_behind_i(padded_behind[b*BlockWidth +: BlockWidth]),
      .payload_i       (padded_queue[b*BlockWidth +: BlockWidth]),
      .payload_o       (block_queue[b])
    );
    always_comb begin
      block_turn[b] = '0;
      for (int unsigned i = 0; i < BlockWidth; i++) begin
        if (b * BlockWidth + i < Entries) begin
          block_turn[b] |= turn_t'({entry_quantum_i[b*BlockWidth+i], deficit[b*BlockWidth+i]}) &
                           {$bits(turn_t){first[b][i]}};
        end
      end
    end
    assign block_next[b] = after_grant(block_queue[b], entry_queue, entry_head, entry_second,
                                       second, second_saves, paid, both_flits);
  end

  assign granted_next = after_grant(queue_q, entry_queue, entry_head, entry_second, second,
                                    second_saves, paid, both_flits);

  always_comb begin
    idle_next                = '0;
    idle_next.active         = entry_head;
    idle_next.current_active = |(head & queue_q);
    idle_next.current_saves  = |(head_saves & queue_q);
    for (int unsigned q = 0; q < Queues; q++) begin
      idle_next.need |= NeedWidth'(head_flits[q]) & {NeedWidth{queue_q[q]}};
    end
  end

  // The current entry stays if it goes on or if nobody has a candidate.
  assign idle      = ~any_active;
  assign stay_next = idle ? idle_next : granted_next;

  // Which of them it is. A load lets the grant of its cycle pass, but no turn.
  logic [Blocks-1:0] wins, begins;
  logic              stays, moves;

  assign wins    = winner & ~{Blocks{goes_on}};
  assign begins  = winner & ~{Blocks{goes_on | load_i}};
  assign stays   = (goes_on | idle) & ~load_i;
  assign moves   = ~goes_on & ~load_i;  // or idle: then there is no winner
  assign moved_d = moves & any_active;

  logic [Queues-1:0]       found_queue;
  logic [QuantumWidth-1:0] found_quantum;
  logic [DeficitWidth-1:0] found_extra;
  candidates_t             found_next;

  always_comb begin
    found_queue   = '0;
    found_quantum = '0;
    found_extra   = '0;
    found_next    = '0;
    for (int unsigned b = 0; b < Blocks; b++) begin
      found_queue   |= block_queue[b] & {Queues{wins[b]}};
      found_quantum |= block_turn[b].quantum & {QuantumWidth{begins[b]}};
      found_extra   |= block_turn[b].extra & {DeficitWidth{begins[b]}};
      found_next    |= block_next[b] & {$bits(candidates_t){wins[b]}};
    end
  end

  assign grant_valid_o = any_active;
  assign grant_o       = found_queue | (queue_q & {Queues{goes_on}});

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_grant_queue (
    .onehot_i(grant_o),
    .index_o (grant_queue_o)
  );

  // Nobody else has a candidate: the current entry follows itself, on what it has just saved. That is
  // less than its head, so the upper bits are zero.
  logic deficits_on, saves, returns;

  assign saves   = current_saves_q & deficits_on;
  assign returns = saves & ~goes_on & ((active_q & ~current_q) == '0);

  assign queue_d          = found_queue | (queue_q & {Queues{stays}});
  assign quantum_d        = RemainingWidth'(found_quantum) |
                            (remaining & {RemainingWidth{stays}});
  assign extra_d          = found_extra |
                            (remaining[DeficitWidth-1:0] & {DeficitWidth{returns & ~load_i}});
  assign {active_d, current_active_d, current_saves_d, need_d, spent_d} =
      found_next | (stay_next & {$bits(candidates_t){goes_on | idle}});

  for (genvar e = 0; e < Entries; e++) begin : g_state
    localparam int unsigned B = e / BlockWidth;
    localparam int unsigned I = e % BlockWidth;
    localparam logic [Blocks-1:0] BeforeB = Blocks'((64'd1 << B) - 64'd1);
    logic reached_turn, passed;

    assign current_d[e]  = (first[B][I] & begins[B]) | (current_q[e] & stays);
    assign behind_d[e]   = (behind_q[e] & stays) | (after_winner[B] & moves) |
                           (reached[B][I] & ~first[B][I] & begins[B]);
    // The same terms as of active_d, each with the entries that are behind its turn: all entries of
    // the blocks after the winner's, some of its own.
    always_comb begin
      active_behind_d[e] = behind_q[e] & stay_next.active[e] & (goes_on | idle);
      for (int unsigned b = 0; b < Blocks; b++) begin
        active_behind_d[e] |= block_next[b].active[e] & wins[b] & BeforeB[b];
      end
      active_behind_d[e] |= block_next[B].active[e] & reached[B][I] & ~first[B][I] & wins[B];
    end

    // Passed over by the last cycle's grant: between the entry before and the current one.
    assign reached_turn = current_q[e] | behind_q[e];
    assign passed       = wrapped_q ? (left_behind_q[e] | ~reached_turn)
                                    : (left_behind_q[e] & ~reached_turn);
    assign saved[e]     = saved_q[e] & ~(moved_q & (passed | current_q[e]));
    assign saved_d[e]   = ~load_i & (saved[e] | (current_q[e] & saves & ~stays));
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      current_q        <= '0;
      behind_q         <= '0;
      queue_q          <= '0;
      quantum_q        <= '0;
      extra_q          <= '0;
      spent_q          <= '0;
      active_q         <= '0;
      active_behind_q  <= '0;
      current_active_q <= 1'b0;
    end else begin
      current_q        <= current_d;
      behind_q         <= behind_d;
      queue_q          <= queue_d;
      quantum_q        <= quantum_d;
      extra_q          <= extra_d;
      spent_q          <= spent_d;
      active_q         <= active_d;
      active_behind_q  <= active_behind_d;
      current_active_q <= current_active_d;
    end
  end

  // What means nothing while nobody has a candidate, and nothing remains, needs no reset.
  always_ff @(posedge clk_i) begin
    current_saves_q <= current_saves_d;
    need_q          <= need_d;
  end

  if (Deficits) begin : g_deficits
    always_ff @(posedge clk_i) begin
      for (int unsigned e = 0; e < Entries; e++) begin
        if (current_q[e]) value_q[e] <= remaining[DeficitWidth-1:0];
      end
      wrapped_q     <= ~any_behind;
      left_behind_q <= behind_q;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        saved_q <= '0;
        moved_q <= 1'b0;
      end else begin
        saved_q <= saved_d;
        moved_q <= moved_d;
      end
    end
    assign deficits_on = deficits_on_i;
  end else begin : g_no_deficits
    logic unused_deficits;
    assign unused_deficits = ^{deficits_on_i, saved_d, moved_d, any_behind};
    assign value_q         = '0;
    assign saved_q         = '0;
    assign moved_q         = 1'b0;
    assign wrapped_q       = 1'b0;
    assign left_behind_q   = '0;
    assign deficits_on     = 1'b0;
  end

  for (genvar e = 0; e < Entries; e++) begin : g_deficit
    assign deficit[e] = value_q[e] & {DeficitWidth{saved[e]}};
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
