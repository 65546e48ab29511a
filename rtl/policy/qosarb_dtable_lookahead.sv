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
//      grant, and each queue also whether it is active if its SL is granted.
//   2. Beside it runs the search of 4, for the candidates of the cycle before. It brings the number
//      of the SL that wins, and whether the grant leaves nobody of that SL active; then the entries
//      with that number are not active. For the SL that has the turn both are known before it is
//      known whether it goes on.
// In the cycle of the answer, from registers:
//   3. If the SL that has the turn is active, and its candidate fits into what remains, it goes on.
//      The candidate of an SL is the next of its active queues, round robin.
//   4. Else its turn is over. What remains becomes the deficit of the SL, or nothing does if the SL
//      is not active. The first entry behind the current one with an active SL wins, circularly,
//      the current one being the last in that order. It begins a turn with its weight and the
//      deficit of its SL.
//   5. The winner sends the candidate of its SL and pays its flits.
//
// Lengths that lie: a head above the MTU of its SL is too long. A turn that begins sends it like any
// other, as 4 does not compare; what remains is then nothing, its sign masking it. A turn that ends
// because a too long head does not fit saves nothing. A head of 0 flits counts as one of 1: it
// withholds the carry into the subtraction that takes it off.
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

  // The candidates of the last cycle: whether there was a request, which queues and entries are
  // active, and the heads.
  logic                              request_q;
  logic [Queues-1:0]                 active_d, active_q;
  logic [Entries-1:0]                entry_active_d, entry_active_q;
  logic [Queues-1:0][FlitsWidth-1:0] flits_d, flits_q;

  // The candidates of the SLs, as in qosarb_sl_queues, but the comparison of the SLs stands in
  // registers. In the cycle after a load it is still that of the old table, but no queue is active.
  localparam logic [Queues-1:0] AllQueues = '1;

  logic [Queues-1:0][Queues-1:0] same_sl;
  logic [Queues-1:0]             queue_behind_d, queue_behind_q;  // the one that its SL served last
  logic [Queues-1:0]             candidate, after_candidate, served_queues;

  qosarb_sl_members #(
    .Items     (Queues),
    .Queues    (Queues),
    .SlWidth   (QueueWidth),
    .Registered(1'b1)
  ) u_same_sl (
    .clk_i,
    .rst_ni,
    .used_i    ('1),
    .sl_i      (queue_sl_i),
    .queue_sl_i(queue_sl_i),
    .members_o (same_sl)
  );

  for (genvar q = 0; q < Queues; q++) begin : g_candidate
    localparam logic [Queues-1:0] Lower = ~(AllQueues << q);
    logic any_behind;

    assign any_behind         = |(same_sl[q] & active_q & queue_behind_q);
    assign after_candidate[q] = any_behind ? |(same_sl[q] & active_q & queue_behind_q & Lower)
                                           : |(same_sl[q] & active_q & Lower);
    assign candidate[q]       = active_q[q] & (queue_behind_q[q] | ~any_behind) &
                                ~after_candidate[q];
    assign queue_behind_d[q]  = served_queues[q] ? after_candidate[q] : queue_behind_q[q];
  end

  // 1. Who is active next: `head`, without regard to this cycle's grant, and `after_grant`, of each
  //    queue if its SL is granted.
  logic [Queues-1:0]          head, second, after_grant;
  logic [Sls-1:0][Queues-1:0] sl_queues;
  logic [Sls-1:0]             sl_head;
  logic [Entries-1:0]         entry_head;

  assign head        = valid_i & ~stopped_i & {Queues{request_i & ~load_i}};
  assign second      = next_valid_i & head;
  assign after_grant = (second & candidate) | (head & ~candidate);

  for (genvar s = 0; s < Sls; s++) begin : g_sl
    for (genvar q = 0; q < Queues; q++) begin : g_queue
      assign sl_queues[s][q] = queue_sl_i[q] == QueueWidth'(unsigned'(s));
    end
    assign sl_head[s] = |(sl_queues[s] & head);
  end
  for (genvar e = 0; e < Entries; e++) begin : g_entry
    assign entry_head[e] = entry_used_i[e] & sl_head[entry_sl_i[e]];
  end

  // 3. Whether the current SL goes on: quantum + change - head >= 0, as one sum for each queue.
  //    Above two packets' worth of quantum a head fits anyway, so the sum is not wider.
  localparam int unsigned ShortWidth = (FlitsWidth + 1 < RemainingWidth) ? FlitsWidth + 1
                                                                         : RemainingWidth;
  localparam int unsigned LeftWidth  = ShortWidth + 2;

  logic [RemainingWidth:0]          rest;    // two's complement
  logic [RemainingWidth-1:0]        remaining;
  logic                             overdrawn, goes_on;
  logic                             turn_last;  // nobody of its SL is active after its grant
  logic [LeftWidth-1:0]             short_quantum, short_change;
  logic [Queues-1:0][LeftWidth-1:0] left;  // two's complement
  logic [Queues-1:0]                counts;  // as more than 0 flits
  logic [Queues-1:0]                too_long, fits;

  assign rest          = (RemainingWidth + 1)'(quantum_q) +
                         (RemainingWidth + 1)'(signed'(change_q));
  assign overdrawn     = rest[RemainingWidth];
  assign remaining     = rest[RemainingWidth-1:0] & {RemainingWidth{~overdrawn}};
  assign short_quantum = LeftWidth'(quantum_q[ShortWidth-1:0]);
  assign short_change  = LeftWidth'(signed'(change_q));

  // The three are added up to two numbers first, so that one carry chain is left. The subtraction
  // of the head has its carry into the lowest bit.
  for (genvar q = 0; q < Queues; q++) begin : g_fits
    logic [LeftWidth-1:0] minus_head, sum;
    logic [LeftWidth-2:0] carry;
    assign minus_head = ~LeftWidth'(flits_q[q]);
    assign sum        = short_quantum ^ short_change ^ minus_head;
    assign carry      = (short_quantum[LeftWidth-2:0] & short_change[LeftWidth-2:0]) |
                        (short_quantum[LeftWidth-2:0] & minus_head[LeftWidth-2:0]) |
                        (short_change[LeftWidth-2:0] & minus_head[LeftWidth-2:0]);
    assign left[q]    = sum + {carry, counts[q]};
    assign fits[q]    = plenty_q | ~left[q][LeftWidth-1];

    assign counts[q]   = flits_q[q] != '0;
    assign too_long[q] = flits_q[q] > queue_mtu_i[q];
  end

  assign goes_on   = |(turn_queues_q & candidate & fits);
  assign turn_last = ~|(turn_queues_q & after_grant);

  // 4. Whose turn it is otherwise.
  logic                              any_active, unused_any_behind;
  logic [Blocks-1:0][BlockWidth-1:0] first, reached;
  logic [Blocks-1:0]                 winner, after_winner;
  logic [Entries-1:0]                entry_active_behind;

  assign entry_active_behind = entry_active_q & behind_q;

  qosarb_rotating_blocks #(
    .Width     (Entries),
    .BlockWidth(BlockWidth)
  ) u_search (
    .request_i       (entry_active_q),
    .request_behind_i(entry_active_behind),
    .any_o           (any_active),
    .any_behind_o    (unused_any_behind),
    .first_o         (first),
    .reached_o       (reached),
    .winner_o        (winner),
    .after_winner_o  (after_winner)
  );

  // The SL is needed first, so it has a tree of its own beside the search.
  logic [Padded-1:0]                   padded_active, padded_behind;
  logic [Padded-1:0][QueueWidth-1:0]   padded_sl;
  logic [Padded-1:0][QuantumWidth-1:0] padded_weight;
  logic [Blocks-1:0][QueueWidth-1:0]   block_sl;
  logic [Blocks-1:0][Queues-1:0]       block_queues;
  logic [Blocks-1:0]                   block_last;  // as turn_last
  logic [QueueWidth-1:0]               found_sl;
  logic [QuantumWidth-1:0]             found_weight;
  logic                                found_plenty, found_last;
  logic [Queues-1:0]                   found_queues;

  assign padded_active = Padded'(entry_active_q);
  assign padded_behind = Padded'(entry_active_behind);
  assign padded_sl     = (Padded * QueueWidth)'(entry_sl_i);
  assign padded_weight = (Padded * QuantumWidth)'(entry_weight_i);

  for (genvar b = 0; b < Blocks; b++) begin : g_block
    qosarb_rotating_select #(
      .Width       (BlockWidth),
      .PayloadWidth(QueueWidth)
    ) u_select (
      .request_i       (padded_active[b*BlockWidth +: BlockWidth]),
      .request_behind_i(padded_behind[b*BlockWidth +: BlockWidth]),
      .payload_i       (padded_sl[b*BlockWidth +: BlockWidth]),
      .payload_o       (block_sl[b])
    );
    for (genvar q = 0; q < Queues; q++) begin : g_queue
      assign block_queues[b][q] = queue_sl_i[q] == block_sl[b];
    end
    assign block_last[b] = ~|(block_queues[b] & after_grant);
  end

  always_comb begin
    found_sl     = '0;
    found_queues = '0;
    found_weight = '0;
    found_plenty = 1'b0;
    found_last   = 1'b0;
    for (int unsigned b = 0; b < Blocks; b++) begin
      logic [QuantumWidth-1:0] block_weight;
      logic                    block_plenty;
      block_weight = '0;
      block_plenty = 1'b0;
      for (int unsigned i = 0; i < BlockWidth; i++) begin
        block_weight |= padded_weight[b*BlockWidth+i] & {QuantumWidth{first[b][i]}};
        block_plenty |= ((padded_weight[b*BlockWidth+i] >> ShortWidth) != '0) & first[b][i];
      end
      found_sl     |= block_sl[b] & {QueueWidth{winner[b]}};
      found_queues |= block_queues[b] & {Queues{winner[b]}};
      found_weight |= block_weight & {QuantumWidth{winner[b]}};
      found_plenty |= block_plenty & winner[b];
      found_last   |= block_last[b] & winner[b];
    end
  end

  // 5. The grant. An SL whose turn goes on has an entry, so some entry is active then, too.
  logic [Queues-1:0] turn_grant, found_grant;
  logic              begins, ends;
  logic              turn_empties, found_empties;  // whose entries have nobody active then

  assign begins        = any_active & ~goes_on;
  assign ends          = request_q & ~goes_on;  // if it is anybody's turn
  assign served_queues = goes_on ? turn_queues_q : found_queues;
  assign grant_valid_o = any_active;
  assign turn_grant    = turn_queues_q & candidate;
  assign found_grant   = found_queues & candidate;
  assign grant_o       = goes_on ? turn_grant : found_grant;
  assign turn_empties  = goes_on & turn_last;
  assign found_empties = ~goes_on & found_last;

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_grant_queue (
    .onehot_i(grant_o),
    .index_o (grant_queue_o)
  );

  // 2. What follows from it.
  for (genvar q = 0; q < Queues; q++) begin : g_next
    assign active_d[q] = served_queues[q] ? after_grant[q] : head[q];
    assign flits_d[q]  = grant_o[q] ? next_flits_i[q] : flits_i[q];
  end
  for (genvar e = 0; e < Entries; e++) begin : g_next_entry
    localparam int unsigned B = e / BlockWidth;
    localparam int unsigned I = e % BlockWidth;
    logic of_turn, of_found;
    assign of_turn           = entry_sl_i[e] == turn_sl_q;
    assign of_found          = entry_sl_i[e] == found_sl;
    assign entry_active_d[e] = entry_head[e] & ~(of_turn & turn_empties) &
                               ~(of_found & found_empties);
    assign behind_d[e]       = begins ? after_winner[B] |
                                        (reached[B][I] & ~first[B][I] & winner[B])
                                      : behind_q[e];
  end

  // The turn. When an SL follows itself, the deficit is what remained, so that less the head is
  // known already; or it is nothing.
  logic [Queues-1:0][ChangeWidth-1:0] began_change;
  logic [ChangeWidth-1:0]             found_change;
  logic [FlitsWidth-1:0]              turn_flits;  // of the head with which the turn would go on
  logic                               turn_counts;

  for (genvar q = 0; q < Queues; q++) begin : g_change
    logic [DeficitWidth-1:0] not_own;
    assign deficit[q]      = ended_q[q] ? saved_q : deficit_q[q];
    assign not_own         = deficit[q] & {DeficitWidth{~turn_queues_q[q]}};
    assign began_change[q] = (turn_queues_q[q] & ~too_long[q] & ~overdrawn) ?
                             left[q][ChangeWidth-1:0] :
                             ChangeWidth'(not_own) + ~ChangeWidth'(flits_q[q]) +
                             ChangeWidth'(counts[q]);
  end

  always_comb begin
    found_change = '0;
    turn_flits   = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      found_change |= began_change[q] & {ChangeWidth{found_grant[q]}};
      turn_flits   |= flits_q[q] & {FlitsWidth{turn_grant[q]}};
    end
  end

  assign turn_counts   = |(turn_grant & counts);
  assign change_d      = goes_on ? ~ChangeWidth'(turn_flits) + ChangeWidth'(turn_counts)
                                 : found_change;
  assign quantum_d     = begins ? RemainingWidth'(found_weight) : remaining;
  assign plenty_d      = begins ? found_plenty : (remaining >> ShortWidth) != '0;
  assign turn_queues_d = ends ? found_queues : turn_queues_q;
  assign turn_sl_d     = ends ? found_sl : turn_sl_q;

  // What remains of an active SL is less than its head when its turn ends, and that head not above an
  // MTU if it is saved, so the upper bits are zero.
  logic saves;

  assign saves = |(turn_grant & ~too_long);
  assign saved = remaining[DeficitWidth-1:0] & {DeficitWidth{saves}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_queues_q  <= '0;
      turn_sl_q      <= '0;
      behind_q       <= '0;
      deficit_q      <= '0;
      ended_q        <= '0;
      queue_behind_q <= '0;
      request_q      <= 1'b0;
      active_q       <= '0;
      entry_active_q <= '0;
    end else begin
      turn_queues_q  <= load_i ? '0 : turn_queues_d;
      turn_sl_q      <= load_i ? '0 : turn_sl_d;
      behind_q       <= load_i ? '0 : behind_d;
      deficit_q      <= load_i ? '0 : deficit;
      ended_q        <= load_i ? '0 : turn_queues_q & {Queues{ends}};
      queue_behind_q <= load_i ? '0 : queue_behind_d;
      request_q      <= request_i & ~load_i;
      active_q       <= active_d;
      entry_active_q <= entry_active_d;
    end
  end

  // What means nothing while nobody is active and no turn is anybody's needs no reset.
  always_ff @(posedge clk_i) begin
    flits_q   <= flits_d;
    quantum_q <= quantum_d;
    plenty_q  <= plenty_d;
    change_q  <= change_d;
    saved_q   <= saved;
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
