// dtable: deficit table, a decision in two cycles and one decision a cycle.
//
// Paper: Cano-Cano et al., "Providing quality of service in Omni-Path networks", 2022, Algorithm 2,
// with its errata corrected (docs/policies/dtable.md). A packet costs its flits.
//
// It decides what qosarb_dtable decides, one cycle later: the candidates and the request of cycle c
// are answered in cycle c + 1. The grant of cycle c is not yet taken off the queues that show
// themselves in cycle c, so a queue also shows the packet behind its head; that one counts for a
// queue whose head is granted in this very cycle.
//
// Algorithm. In the cycle of the candidates:
//   1. Each SL, and from it each entry, learns whether it is active without regard to this cycle's
//      grant, and if its SL is granted; each queue, in both cases, whether it is the candidate of
//      its SL, which is the next of the SL's active queues, round robin.
//   2. Beside it runs the search of 4, for the candidates of the cycle before. It has a first entry
//      in each block before it knows the winning block, so each block prepares what follows if its
//      entry wins: the grant, what it does to the turn and what the next head asks for. Which block
//      wins, or that the turn goes on, only selects. The queues of each entry's SL stand in a
//      register; in the cycle after a load they are those of the old table, and no entry is active.
// In the cycle of the answer, from registers:
//   3. If the SL that has the turn is active, and its candidate fits into what remains, it goes on.
//   4. Else its turn is over. What remains becomes the deficit of the SL, or nothing does if the SL
//      is not active. The first entry behind the current one with an active SL wins, circularly,
//      the current one being the last in that order. It begins a turn with its weight and the
//      deficit of its SL.
//   5. The winner sends the candidate of its SL and pays its flits.
//
// Lengths that lie: a head above the MTU of its SL is too long. A turn that begins sends it like any
// other, as 4 does not compare; what remains is then nothing, its sign masking it. A turn that ends
// because a too long head does not fit saves nothing. A head of 0 flits counts as one of 1.
//
// Bound: with all SLs backlogged, an entry's turn comes after at most the sum of the other entries'
// weights plus MaxPacketFlits - 1 flits for each of them. One decision a cycle, every cycle. A
// packet that arrives in cycle c, or a stop, counts in the grants from cycle c + 1 on.
// The table in force has weights of at least the MTU of their SLs; so a turn that begins always holds
// a head within its MTU.
// Width: a deficit is less than the head that did not fit, thus $clog2(MaxPacketFlits) bits; what
// remains is at most a weight plus MaxPacketFlits - 1.

module qosarb_dtable_lookahead #(
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
  // end the state starts over, and its request has no answer.
  input  logic                                 load_i,
  input  logic [Entries-1:0]                   entry_used_i,    // ones up to the last entry
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_sl_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_weight_i,  // flits
  input  logic [Queues-1:0][QueueWidth-1:0]    queue_sl_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    queue_mtu_i,     // the MTU of each queue's SL, flits

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

  // State before the answer of this cycle, for reading. Before the first grant the current entry is
  // the highest.
  output logic [7:0]                           current_o,      // the entry that was selected last
  output logic                                 selected_o,     // it is an SL's turn
  output logic [QueueWidth-1:0]                selected_sl_o,  // zero if it is nobody's
  output logic [RemainingWidth-1:0]            remaining_o,    // the accumulated weight, flits
  output logic [Queues-1:0][DeficitWidth-1:0]  deficit_o,      // of each SL, flits
  output logic [Queues-1:0]                    behind_o        // the one that their SL served last
);

  if (Queues < 1 || Queues > 256) begin : g_check_queues
    $error("qosarb_dtable_lookahead: Queues must be within 1..256");
  end
  if (Entries < 1 || Entries > 256) begin : g_check_entries
    $error("qosarb_dtable_lookahead: Entries must be within 1..256");
  end
  if (MaxPacketFlits < 1 || QuantumWidth < FlitsWidth || QuantumWidth > 24) begin : g_check_quantum
    $error("qosarb_dtable_lookahead: a weight of QuantumWidth (<= 24) bits must hold a packet");
  end

  localparam int unsigned EntryWidth  = qosarb_pkg::index_width(Entries);
  localparam int unsigned ChangeWidth = FlitsWidth + 1;
  localparam int unsigned BlockWidth  = 8;
  localparam int unsigned Blocks      = (Entries + BlockWidth - 1) / BlockWidth;
  localparam int unsigned Padded      = Blocks * BlockWidth;
  localparam int unsigned Sls         = 2 ** QueueWidth;  // that a number can name

  // The turn. It is nobody's when no bit of `turn_queues_q` is set. What remains of it is
  // quantum_q + change_q.
  logic [Queues-1:0]         turn_queues_d, turn_queues_q;  // the queues of its SL
  logic [QueueWidth-1:0]     turn_sl_d, turn_sl_q;
  logic [RemainingWidth-1:0] quantum_d, quantum_q;          // first its weight, then what remained
  logic                      plenty_d, plenty_q;            // quantum_q is worth two packets
  logic [Entries-1:0]        behind_d, behind_q;            // the entries after the current one

  // What the last cycle's grant did to the turn: minus the flits of the head that it took, plus the
  // deficit of the SL if it began a turn. Two's complement.
  logic [ChangeWidth-1:0]    change_d, change_q;

  // The deficit of each queue's SL. The turn that the last cycle ended left saved_q to ended_q,
  // which deficit_q does not count.
  logic [Queues-1:0][DeficitWidth-1:0] deficit, deficit_q;
  logic [DeficitWidth-1:0]             saved, saved_q;
  logic [Queues-1:0]                   ended_q;

  // The candidates of the last cycle: whether there was a request, which entries are active, those of
  // them after the current one, and what quantum_q + change_q must be for the turn to go on.
  typedef struct packed {
    logic                  has;    // its SL is active
    logic [FlitsWidth-1:0] flits;  // of its candidate, as they count
  } need_t;

  logic               request_q;
  logic [Entries-1:0] entry_active_d, entry_active_q, active_behind_q;
  need_t              need_d, need_q;

  // Each queue's head of the last cycle and the packet behind it, as they count, whether they are
  // too long, and which of the two is the candidate.
  logic [Queues-1:0][FlitsWidth-1:0] head_flits, second_flits, head_flits_q, second_flits_q, flits;
  logic [Queues-1:0]                 head_long_q, second_long_q, too_long;
  logic [Queues-1:0]                 granted_q;

  // The candidates of the SLs, as qosarb_sl_queues finds them, but in the cycle before. They mean
  // nothing of an SL that is not active.
  typedef struct packed {
    logic [Queues-1:0] candidate;  // of its SL
    logic [Queues-1:0] after;      // it
  } candidates_t;

  logic [Queues-1:0][Queues-1:0] same_sl;
  logic [Queues-1:0]             queue_behind_d, queue_behind_q;  // the one that its SL served last
  candidates_t                   if_served, if_not, next_d, next_q;

  qosarb_sl_members #(
    .Items  (Queues),
    .Queues (Queues),
    .SlWidth(QueueWidth)
  ) u_same_sl (
    .clk_i,
    .rst_ni,
    .used_i    ('1),
    .sl_i      (queue_sl_i),
    .queue_sl_i(queue_sl_i),
    .members_o (same_sl)
  );

  logic [Entries-1:0][Queues-1:0] entry_queues;

  qosarb_sl_members #(
    .Items     (Entries),
    .Queues    (Queues),
    .SlWidth   (QueueWidth),
    .Registered(1'b1)
  ) u_entry_queues (
    .clk_i,
    .rst_ni,
    .used_i    (entry_used_i),
    .sl_i      (entry_sl_i),
    .queue_sl_i(queue_sl_i),
    .members_o (entry_queues)
  );

  function automatic candidates_t candidates(
      logic [Queues-1:0][Queues-1:0] same, logic [Queues-1:0] active, logic [Queues-1:0] behind);
    localparam logic [Queues-1:0] AllQueues = '1;
    candidates_t result;
    for (int unsigned q = 0; q < Queues; q++) begin
      logic [Queues-1:0] members, first, precedes;
      members             = same[q] & active;
      first               = ((members & behind) != '0) ? behind : AllQueues;
      result.after[q]     = |(members & first & ~(AllQueues << q));
      precedes            = behind[q] ? (behind & ~(AllQueues << q)) : (behind | ~(AllQueues << q));
      result.candidate[q] = active[q] & ~|(active & same[q] & precedes);
    end
    return result;
  endfunction

  // 1. Who is active next: `head`, without regard to this cycle's grant, and `after_grant`, of each
  //    queue if its SL is granted. The entries alone tell that nobody asks.
  logic                       asks;
  logic [Queues-1:0]          candidate, head, after_grant;
  logic [Sls-1:0][Queues-1:0] sl_queues;
  logic [Sls-1:0]             sl_head, sl_after_grant;
  logic [Entries-1:0]         entry_head, entry_after_grant;

  assign asks        = request_i & ~load_i;
  assign candidate   = next_q.candidate;
  assign head        = valid_i & ~stopped_i;
  assign after_grant = head & (next_valid_i | ~candidate);
  assign if_served   = candidates(same_sl, after_grant, next_q.after);
  assign if_not      = candidates(same_sl, head, queue_behind_q);

  for (genvar s = 0; s < Sls; s++) begin : g_sl
    for (genvar q = 0; q < Queues; q++) begin : g_queue
      assign sl_queues[s][q] = queue_sl_i[q] == QueueWidth'(unsigned'(s));
    end
    assign sl_head[s]        = |(sl_queues[s] & head) & asks;
    assign sl_after_grant[s] = |(sl_queues[s] & after_grant) & asks;
  end
  for (genvar e = 0; e < Entries; e++) begin : g_entry
    assign entry_head[e]        = entry_used_i[e] & sl_head[entry_sl_i[e]];
    assign entry_after_grant[e] = entry_used_i[e] & sl_after_grant[entry_sl_i[e]];
  end

  // What an SL's next candidate asks for: if the SL of the turn goes on, and if nobody is granted. A
  // request that finds nobody active ends the turn.
  logic [Queues-1:0][FlitsWidth-1:0] served_flits;
  need_t                             turn_need, idle_need;

  function automatic need_t need(logic [Queues-1:0] heads, logic [Queues-1:0][FlitsWidth-1:0] of);
    need_t result;
    result     = '0;
    result.has = heads != '0;
    for (int unsigned q = 0; q < Queues; q++) result.flits |= of[q] & {FlitsWidth{heads[q]}};
    return result;
  endfunction

  for (genvar q = 0; q < Queues; q++) begin : g_queue
    assign head_flits[q]   = flits_i[q] | FlitsWidth'(flits_i[q] == '0);
    assign second_flits[q] = next_flits_i[q] | FlitsWidth'(next_flits_i[q] == '0);
    assign served_flits[q] = candidate[q] ? second_flits[q] : head_flits[q];
    assign flits[q]        = granted_q[q] ? second_flits_q[q] : head_flits_q[q];
    assign too_long[q]     = granted_q[q] ? second_long_q[q] : head_long_q[q];
  end
  assign turn_need = need(turn_queues_q & if_served.candidate, served_flits);
  assign idle_need = need(turn_queues_q & if_not.candidate & {Queues{~request_q}}, head_flits);

  // 3. Whether the current SL goes on: quantum + change - need >= 0, as one sum. Above two packets'
  //    worth of quantum a head fits anyway, so the sum is not wider. The three are added up to two
  //    numbers first, so that one carry chain is left.
  localparam int unsigned ShortWidth = (FlitsWidth + 1 < RemainingWidth) ? FlitsWidth + 1
                                                                         : RemainingWidth;
  localparam int unsigned LeftWidth  = ShortWidth + 2;

  logic [RemainingWidth:0]   rest;  // two's complement
  logic [RemainingWidth-1:0] remaining;
  logic                      overdrawn, goes_on;
  logic [LeftWidth-1:0]      short_quantum, short_change, minus_need, sum, left;
  logic [LeftWidth-2:0]      carry;

  assign rest          = (RemainingWidth + 1)'(quantum_q) +
                         (RemainingWidth + 1)'(signed'(change_q));
  assign overdrawn     = rest[RemainingWidth];
  assign remaining     = rest[RemainingWidth-1:0] & {RemainingWidth{~overdrawn}};
  assign short_quantum = LeftWidth'(quantum_q[ShortWidth-1:0]);
  assign short_change  = LeftWidth'(signed'(change_q));
  assign minus_need    = ~LeftWidth'(need_q.flits);
  assign sum           = short_quantum ^ short_change ^ minus_need;
  assign carry         = (LeftWidth - 1)'((short_quantum & short_change) |
                                          ((short_quantum | short_change) & minus_need));
  assign left          = sum + {carry, 1'b1};
  assign goes_on       = need_q.has & (plenty_q | ~left[LeftWidth-1]);

  // What a grant to each queue does to a turn that it begins, but for an SL that follows itself: its
  // deficit is what remained, so that less the head is known already, or it is nothing.
  logic [Queues-1:0][ChangeWidth-1:0] began_change;

  for (genvar q = 0; q < Queues; q++) begin : g_change
    logic [DeficitWidth-1:0] not_own;
    assign deficit[q]      = ended_q[q] ? saved_q : deficit_q[q];
    assign not_own         = deficit[q] & {DeficitWidth{~turn_queues_q[q]}};
    assign began_change[q] = ChangeWidth'(not_own) - ChangeWidth'(flits[q]);
  end

  // 4. Whose turn it is otherwise.
  logic                              any_active, unused_any_behind;
  logic [Blocks-1:0][BlockWidth-1:0] first, reached;
  logic [Blocks-1:0]                 winner, after_winner;

  qosarb_rotating_blocks #(
    .Width     (Entries),
    .BlockWidth(BlockWidth)
  ) u_search (
    .request_i       (entry_active_q),
    .request_behind_i(active_behind_q),
    .any_o           (any_active),
    .any_behind_o    (unused_any_behind),
    .first_o         (first),
    .reached_o       (reached),
    .winner_o        (winner),
    .after_winner_o  (after_winner)
  );

  // The SL and its queues are needed first, so they have a tree of their own beside the search.
  typedef struct packed {
    logic [QueueWidth-1:0] sl;
    logic [Queues-1:0]     queues;  // of that SL
  } served_t;

  typedef struct packed {
    served_t                served;
    logic [Queues-1:0]      grant;        // its candidate
    logic [QueueWidth-1:0]  grant_queue;  // the same as a number
    logic [ChangeWidth-1:0] change;       // of the turn that begins
    logic                   follows;      // itself, with a head that is not too long
  } block_t;

  typedef struct packed {
    logic [QuantumWidth-1:0] weight;
    logic                    plenty;  // it is worth two packets
  } weight_t;

  logic [Padded-1:0]                 padded_active, padded_behind;
  served_t [Padded-1:0]              padded_served;
  served_t [Blocks-1:0]              block_served;
  block_t [Blocks-1:0]               block;
  weight_t [Blocks-1:0]              block_weight;
  block_t                            found;
  weight_t                           found_weight;
  need_t [Blocks-1:0]                block_need;  // the one part that this cycle's heads make
  need_t                             found_need;

  assign padded_active = Padded'(entry_active_q);
  assign padded_behind = Padded'(active_behind_q);

  for (genvar e = 0; e < Padded; e++) begin : g_served
    if (e < Entries) begin : g_entry
      assign padded_served[e] = '{sl: entry_sl_i[e], queues: entry_queues[e]};
    end else begin : g_none
      assign padded_served[e] = '0;
    end
  end

  for (genvar b = 0; b < Blocks; b++) begin : g_block
    logic [Queues-1:0]      grant;
    logic [QueueWidth-1:0]  grant_queue;
    logic [ChangeWidth-1:0] change;

    qosarb_rotating_select #(
      .Width       (BlockWidth),
      .PayloadWidth($bits(served_t))
    ) u_select (
      .request_i       (padded_active[b*BlockWidth +: BlockWidth]),
      .request_behind_i(padded_behind[b*BlockWidth +: BlockWidth]),
      .payload_i       (padded_served[b*BlockWidth +: BlockWidth]),
      .payload_o       (block_served[b])
    );

    assign grant = block_served[b].queues & candidate;

    qosarb_onehot_to_index #(
      .Width(Queues)
    ) u_grant_queue (
      .onehot_i(grant),
      .index_o (grant_queue)
    );

    always_comb begin
      change = '0;
      for (int unsigned q = 0; q < Queues; q++) begin
        change |= began_change[q] & {ChangeWidth{grant[q]}};
      end
    end

    assign block[b]      = '{served: block_served[b], grant: grant, grant_queue: grant_queue, change: change,
                             follows: |(grant & turn_queues_q & ~too_long)};
    assign block_need[b] = need(block_served[b].queues & if_served.candidate, served_flits);

    always_comb begin
      block_weight[b] = '0;
      for (int unsigned i = 0; i < BlockWidth; i++) begin
        if (b * BlockWidth + i < Entries) begin
          block_weight[b] |= {entry_weight_i[b*BlockWidth+i],
                              (entry_weight_i[b*BlockWidth+i] >> ShortWidth) != '0} &
                             {$bits(weight_t){first[b][i]}};
        end
      end
    end
  end

  always_comb begin
    found        = '0;
    found_weight = '0;
    found_need   = '0;
    for (int unsigned b = 0; b < Blocks; b++) begin
      found        |= block[b] & {$bits(block_t){winner[b]}};
      found_weight |= block_weight[b] & {$bits(weight_t){winner[b]}};
      found_need   |= block_need[b] & {$bits(need_t){winner[b]}};
    end
  end

  // 5. The grant. An SL whose turn goes on has an entry, so some entry is active then, too.
  logic [Queues-1:0]     turn_grant, served_queues;
  logic [QueueWidth-1:0] turn_grant_queue;
  logic                  begins, ends;

  assign begins        = any_active & ~goes_on;
  assign ends          = request_q & ~goes_on;  // if it is anybody's turn
  assign turn_grant    = turn_queues_q & candidate;
  assign served_queues = goes_on ? turn_queues_q : found.served.queues;
  assign grant_valid_o = any_active;
  assign grant_o       = goes_on ? turn_grant : found.grant;
  assign grant_queue_o = goes_on ? turn_grant_queue : found.grant_queue;

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_turn_grant_queue (
    .onehot_i(turn_grant),
    .index_o (turn_grant_queue)
  );

  // 2. What follows from it.
  for (genvar q = 0; q < Queues; q++) begin : g_next
    assign next_d.candidate[q] = served_queues[q] ? if_served.candidate[q] : if_not.candidate[q];
    assign next_d.after[q]     = served_queues[q] ? if_served.after[q] : if_not.after[q];
    assign queue_behind_d[q]   = served_queues[q] ? next_q.after[q] : queue_behind_q[q];
  end
  for (genvar e = 0; e < Entries; e++) begin : g_next_entry
    localparam int unsigned B = e / BlockWidth;
    localparam int unsigned I = e % BlockWidth;
    logic of_turn, of_found, served;
    assign of_turn = entry_sl_i[e] == turn_sl_q;
    always_comb begin
      of_found = 1'b0;
      for (int unsigned b = 0; b < Blocks; b++) begin
        of_found |= (entry_sl_i[e] == block_served[b].sl) & winner[b];
      end
    end
    assign served            = goes_on ? of_turn : of_found;
    assign entry_active_d[e] = served ? entry_after_grant[e] : entry_head[e];
    assign behind_d[e]       = begins ? after_winner[B] |
                                        (reached[B][I] & ~first[B][I] & winner[B])
                                      : behind_q[e];
  end

  assign need_d        = goes_on ? turn_need : any_active ? found_need : idle_need;
  assign change_d      = goes_on                      ? -ChangeWidth'(need_q.flits) :
                         (found.follows & ~overdrawn) ? left[ChangeWidth-1:0] : found.change;
  assign quantum_d     = begins ? RemainingWidth'(found_weight.weight) : remaining;
  assign plenty_d      = begins ? found_weight.plenty : (remaining >> ShortWidth) != '0;
  assign turn_queues_d = ends ? found.served.queues : turn_queues_q;
  assign turn_sl_d     = ends ? found.served.sl : turn_sl_q;

  // What remains of an active SL is less than its head when its turn ends, and that head not above an
  // MTU if it is saved, so the upper bits are zero.
  logic saves;

  assign saves = |(turn_grant & ~too_long);
  assign saved = remaining[DeficitWidth-1:0] & {DeficitWidth{saves}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_queues_q   <= '0;
      turn_sl_q       <= '0;
      behind_q        <= '0;
      deficit_q       <= '0;
      ended_q         <= '0;
      queue_behind_q  <= '0;
      request_q       <= 1'b0;
      entry_active_q  <= '0;
      active_behind_q <= '0;
      need_q          <= '0;
    end else begin
      turn_queues_q   <= load_i ? '0 : turn_queues_d;
      turn_sl_q       <= load_i ? '0 : turn_sl_d;
      behind_q        <= load_i ? '0 : behind_d;
      deficit_q       <= load_i ? '0 : deficit;
      ended_q         <= load_i ? '0 : turn_queues_q & {Queues{ends}};
      queue_behind_q  <= load_i ? '0 : queue_behind_d;
      request_q       <= asks;
      entry_active_q  <= entry_active_d;
      active_behind_q <= entry_active_d & behind_d;
      need_q          <= '{has: need_d.has & asks, flits: need_d.flits};
    end
  end

  // What means nothing while nobody is active and no turn is anybody's needs no reset.
  always_ff @(posedge clk_i) begin
    next_q         <= next_d;
    head_flits_q   <= head_flits;
    second_flits_q <= second_flits;
    granted_q      <= grant_o;
    for (int unsigned q = 0; q < Queues; q++) begin
      head_long_q[q]   <= flits_i[q] > queue_mtu_i[q];
      second_long_q[q] <= next_flits_i[q] > queue_mtu_i[q];
    end
    quantum_q <= quantum_d;
    plenty_q  <= plenty_d;
    change_q  <= change_d;
    saved_q   <= saved;
  end

  // For reading. The current entry is the highest that is not in `behind_q`.
  logic [Entries-1:0]    current;
  logic [EntryWidth-1:0] current_entry;

  assign current = ~behind_q & ~(~behind_q >> 1);

  qosarb_onehot_to_index #(
    .Width(Entries)
  ) u_current_index (
    .onehot_i(current),
    .index_o (current_entry)
  );

  always_comb begin
    deficit_o = '0;
    for (int unsigned s = 0; s < Queues; s++) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        deficit_o[s] |= deficit[q] & {DeficitWidth{sl_queues[s][q]}};
      end
    end
  end

  assign current_o     = 8'(current_entry);
  assign behind_o      = queue_behind_q;
  assign selected_o    = turn_queues_q != '0;
  assign selected_sl_o = turn_sl_q;
  assign remaining_o   = remaining & {RemainingWidth{selected_o}};

endmodule
