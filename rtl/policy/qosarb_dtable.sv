// dtable: deficit table. Weights count flits; an entry names a service level, which may have many.
//
// Paper: Cano-Cano et al., "Providing quality of service in Omni-Path networks", 2022, Algorithm 2,
// with its errata corrected (docs/policies/dtable.md). A packet costs its flits.
//
// State: the entry and the SL whose turn it is, the flits that remain of the turn, a deficit for
// each SL, the place of each SL's round robin. An SL is known by its queues, which are no other's;
// its deficit is kept with each of them, so that nothing has to be looked up by an SL's number.
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
// A step is spread over two cycles without costing one: a grant only notes the queue and the
// winner's weight, which the search brings along. The next cycle adds the SL's deficit and
// subtracts what was spent, while its own search runs. It compares the sum with the heads of all
// queues, so that the candidate only selects the answer. Whether the turn goes on is known after
// the search's blocks have their first entries, so turn and blocks are sources of the grant side by
// side, each with its queue's number, and a one-hot select of them is all that comes last.
//
// Lengths that lie: a head above the MTU of its SL is too long. A turn that begins sends it like any
// other, as 3 does not compare; what remains is then nothing, its sign masking it. A turn that ends
// because a too long head does not fit saves nothing. A head of 0 flits counts as one of 1: it
// withholds the carry into the subtraction that takes it off.
//
// Bound: with all SLs backlogged, an entry's turn comes after at most the sum of the other entries'
// weights plus MaxPacketFlits - 1 flits for each of them. One decision a cycle, every cycle.
// The table in force has weights of at least the MTU of their SLs; so a turn that begins always holds
// a head within its MTU.
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
  input  logic [Queues-1:0][FlitsWidth-1:0]    queue_mtu_i,     // the MTU of each queue's SL, flits

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
  output logic [Queues-1:0][DeficitWidth-1:0]  deficit_o,      // of each SL, flits
  output logic [Queues-1:0]                    behind_o        // the one that their SL served last
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

  // Nothing is granted in a reset, which needs no edge of the clock.
  logic request;

  assign request = request_i & rst_ni;

  localparam int unsigned EntryWidth  = qosarb_pkg::index_width(Entries);
  localparam int unsigned ChangeWidth = FlitsWidth + 1;
  localparam int unsigned BlockWidth  = 8;
  localparam int unsigned Blocks      = (Entries + BlockWidth - 1) / BlockWidth;

  // The turn. It is nobody's when no bit of `turn_queues_q` is set.
  logic [Queues-1:0]         turn_queues_d, turn_queues_q;  // the queues of its SL
  logic [RemainingWidth-1:0] quantum, quantum_q;            // first its weight, then what remained

  // The current entry's position in the search.
  logic [Blocks-1:0]     block_d, block_q, blocks_behind_d, blocks_behind_q;
  logic [BlockWidth-1:0] behind_d, behind_q;

  // The weight that the search of the last cycle found, and whether it began a turn. quantum_q does
  // not count it.
  logic                    begins, begins_q;
  logic [QuantumWidth-1:0] found_weight, found_weight_q;

  // Whether the weight, or what remained, is worth at least two packets.
  logic                    found_plenty, found_plenty_q, plenty_q;

  // What the last cycle's grant did to the turn. If it went on with one: minus the flits of the
  // head that this took. If it began one, which queue was granted, and for each: minus its flits,
  // plus the deficit of its SL. Two's complement.
  logic                               went_on_q;
  logic [ChangeWidth-1:0]             went_on_change_d, went_on_change_q;
  logic [Queues-1:0]                  began_q;
  logic [Queues-1:0][ChangeWidth-1:0] began_change_d, began_change_q;

  // The deficit of each queue's SL. The turn that the last cycle ended left saved_q to ended_q,
  // which deficit_q does not count.
  logic [Queues-1:0][DeficitWidth-1:0] deficit, deficit_q;
  logic [DeficitWidth-1:0]             saved, saved_q;
  logic [Queues-1:0]                   ended_q;

  // 1. Which SLs and entries are active, and the candidates.
  logic [Queues-1:0]              active, candidate, served_queues;
  logic [Entries-1:0][Queues-1:0] entry_queues;

  assign active = valid_i & ~stopped_i;

  qosarb_sl_members #(
    .Items  (Entries),
    .Queues (Queues),
    .SlWidth(QueueWidth)
  ) u_entry_queues (
    .clk_i,
    .rst_ni,
    .used_i    (entry_used_i),
    .sl_i      (entry_sl_i),
    .queue_sl_i(queue_sl_i),
    .members_o (entry_queues)
  );

  qosarb_sl_queues #(
    .Queues(Queues)
  ) u_sl_queues (
    .clk_i,
    .rst_ni,
    .load_i,
    .queue_sl_i,
    .active_i   (active),
    .candidate_o(candidate),
    .served_i   (served_queues),
    .behind_o
  );

  // 2. Whether the current SL goes on: quantum + change - head >= 0, as one sum for each queue.
  //    Above two packets' worth of quantum a head fits anyway, so the sum is not wider.
  localparam int unsigned ShortWidth = (FlitsWidth + 1 < RemainingWidth) ? FlitsWidth + 1
                                                                         : RemainingWidth;
  localparam int unsigned LeftWidth  = ShortWidth + 2;

  logic [ChangeWidth-1:0]    change;  // two's complement
  logic [RemainingWidth:0]   rest;    // two's complement
  logic [RemainingWidth-1:0] remaining;
  logic                      overdrawn, plenty, goes_on;
  logic [Queues-1:0]         counts;  // as more than 0 flits
  logic [Queues-1:0]         too_long, fits;
  logic [LeftWidth-1:0]      short_quantum, short_change;

  assign quantum = begins_q ? RemainingWidth'(found_weight_q) : quantum_q;

  always_comb begin
    change = went_on_change_q & {ChangeWidth{went_on_q}};
    for (int unsigned q = 0; q < Queues; q++) begin
      change |= began_change_q[q] & {ChangeWidth{began_q[q]}};
    end
  end

  assign rest          = (RemainingWidth + 1)'(quantum) + (RemainingWidth + 1)'(signed'(change));
  assign overdrawn     = rest[RemainingWidth];
  assign remaining     = rest[RemainingWidth-1:0] & {RemainingWidth{~overdrawn}};
  assign plenty        = begins_q ? found_plenty_q : plenty_q;
  assign short_quantum = LeftWidth'(quantum[ShortWidth-1:0]);
  assign short_change  = LeftWidth'(signed'(change));

  // The three are added up to two numbers first, so that one carry chain is left. The subtraction
  // of the head has its carry into the lowest bit.
  logic [Queues-1:0][LeftWidth-1:0] left;  // two's complement

  for (genvar q = 0; q < Queues; q++) begin : g_fits
    logic [LeftWidth-1:0] head, sum;
    logic [LeftWidth-2:0] carry;
    assign head    = ~LeftWidth'(flits_i[q]);
    assign sum     = short_quantum ^ short_change ^ head;
    assign carry   = (short_quantum[LeftWidth-2:0] & short_change[LeftWidth-2:0]) |
                     (short_quantum[LeftWidth-2:0] & head[LeftWidth-2:0]) |
                     (short_change[LeftWidth-2:0] & head[LeftWidth-2:0]);
    assign left[q] = sum + {carry, counts[q]};
    assign fits[q] = plenty | ~left[q][LeftWidth-1];

    assign counts[q]   = flits_i[q] != '0;
    assign too_long[q] = flits_i[q] > queue_mtu_i[q];
  end

  assign goes_on = |(turn_queues_q & candidate & fits);

  // 3. Whose turn it is otherwise. The search brings the winner's queues and weight.
  localparam int unsigned PayloadWidth = Queues + 1 + QuantumWidth;

  logic [Entries-1:0][PayloadWidth-1:0] payload;
  logic                                 any_active;
  logic [Blocks-1:0]                    winner, blocks_behind_found;
  logic [BlockWidth-1:0]                behind_found;
  logic [Blocks-1:0][PayloadWidth-1:0]  block_payload;

  for (genvar e = 0; e < Entries; e++) begin : g_payload
    logic weight_plenty;
    assign weight_plenty = (entry_weight_i[e] >> ShortWidth) != '0;
    // In slices, which simulate four times as fast as one wide concatenation.
    always_comb begin
      payload[e][QuantumWidth-1:0]         = entry_weight_i[e];
      payload[e][QuantumWidth]             = weight_plenty;
      payload[e][QuantumWidth+1 +: Queues] = entry_queues[e];
    end
  end

  qosarb_grouped_priority #(
    .Width       (Entries),
    .Groups      (Queues),
    .PayloadWidth(PayloadWidth),
    .BlockWidth  (BlockWidth)
  ) u_search (
    .active_i       (active),
    .groups_i       (entry_queues),
    .block_i        (block_q),
    .blocks_behind_i(blocks_behind_q),
    .behind_i       (behind_q),
    .payload_i      (payload),
    .any_o          (any_active),
    .winner_o       (winner),
    .blocks_behind_o(blocks_behind_found),
    .behind_o       (behind_found),
    .block_payload_o(block_payload)
  );

  // 4. The grant, from the winning block or, last in the order, from the turn that goes on. An SL
  //    whose turn goes on has an entry, so some entry is active then, too.
  logic [Blocks:0]                 source;  // one-hot; none when nobody wins
  logic [Blocks:0][Queues-1:0]     source_queues, source_grant;
  logic [Blocks:0][QueueWidth-1:0] source_index;

  assign source = {goes_on, winner & {Blocks{~goes_on}}} & {(Blocks + 1){request}};

  for (genvar s = 0; s <= Blocks; s++) begin : g_source
    if (s < Blocks) begin : g_block
      assign source_queues[s] = block_payload[s][QuantumWidth+1+:Queues];
    end else begin : g_turn
      assign source_queues[s] = turn_queues_q;
    end
    assign source_grant[s] = source_queues[s] & candidate;

    qosarb_onehot_to_index #(
      .Width(Queues)
    ) u_index (
      .onehot_i(source_grant[s]),
      .index_o (source_index[s])
    );
  end

  always_comb begin
    served_queues = '0;
    grant_o       = '0;
    grant_queue_o = '0;
    found_plenty  = 1'b0;
    found_weight  = '0;
    for (int unsigned s = 0; s <= Blocks; s++) begin
      served_queues |= source_queues[s] & {Queues{source[s]}};
      grant_o       |= source_grant[s] & {Queues{source[s]}};
      grant_queue_o |= source_index[s] & {QueueWidth{source[s]}};
    end
    for (int unsigned b = 0; b < Blocks; b++) begin
      found_plenty |= block_payload[b][QuantumWidth] & winner[b];
      found_weight |= block_payload[b][QuantumWidth-1:0] & {QuantumWidth{winner[b]}};
    end
  end

  assign grant_valid_o = request & any_active;
  assign begins        = grant_valid_o & ~goes_on;

  // The state after this cycle. What remains of an active SL is less than its head when its turn
  // ends, and that head not above an MTU if it is saved, so the upper bits are zero.
  logic ends, saves;

  assign ends  = request & ~goes_on;  // if it is anybody's turn
  assign saves = |(turn_queues_q & candidate & ~too_long);
  assign saved = remaining[DeficitWidth-1:0] & {DeficitWidth{saves}};

  // When an SL follows itself, the deficit is what remained, so that less the head is known
  // already; or it is nothing.
  for (genvar q = 0; q < Queues; q++) begin : g_change
    logic [DeficitWidth-1:0] not_own;
    assign deficit[q]        = ended_q[q] ? saved_q : deficit_q[q];
    assign not_own           = deficit[q] & {DeficitWidth{~turn_queues_q[q]}};
    assign began_change_d[q] = (turn_queues_q[q] & ~too_long[q] & ~overdrawn) ?
                               left[q][ChangeWidth-1:0] :
                               ChangeWidth'(not_own) + ~ChangeWidth'(flits_i[q]) +
                               ChangeWidth'(counts[q]);
  end

  // Minus the head with which the turn would go on.
  logic [FlitsWidth-1:0] turn_flits;
  logic                  turn_counts;

  always_comb begin
    turn_flits = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      turn_flits |= flits_i[q] & {FlitsWidth{source_grant[Blocks][q]}};
    end
  end

  assign turn_counts      = |(source_grant[Blocks] & counts);
  assign went_on_change_d = ~ChangeWidth'(turn_flits) + ChangeWidth'(turn_counts);

  assign block_d         = begins ? winner : block_q;
  assign blocks_behind_d = begins ? blocks_behind_found : blocks_behind_q;
  assign behind_d        = begins ? behind_found : behind_q;
  assign turn_queues_d   = request ? served_queues : turn_queues_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_queues_q    <= '0;
      quantum_q        <= '0;
      block_q          <= '0;
      blocks_behind_q  <= '0;
      behind_q         <= '0;
      begins_q         <= 1'b0;
      found_weight_q   <= '0;
      found_plenty_q   <= 1'b0;
      plenty_q         <= 1'b0;
      went_on_q        <= 1'b0;
      began_q          <= '0;
      went_on_change_q <= '0;
      began_change_q   <= '0;
      deficit_q        <= '0;
      saved_q          <= '0;
      ended_q          <= '0;
    end else begin
      turn_queues_q    <= load_i ? '0 : turn_queues_d;
      quantum_q        <= remaining;
      block_q          <= load_i ? '0 : block_d;
      blocks_behind_q  <= load_i ? '0 : blocks_behind_d;
      behind_q         <= behind_d;
      begins_q         <= begins;
      found_weight_q   <= found_weight;
      found_plenty_q   <= found_plenty;
      plenty_q         <= (remaining >> ShortWidth) != '0;
      went_on_q        <= source[Blocks];
      began_q          <= grant_o & {Queues{~goes_on}};
      went_on_change_q <= went_on_change_d;
      began_change_q   <= began_change_d;
      deficit_q        <= load_i ? '0 : deficit;
      saved_q          <= saved;
      ended_q          <= load_i ? '0 : turn_queues_q & {Queues{ends}};
    end
  end

  // For reading. The current entry is the highest that is not in `behind`.
  logic [Entries-1:0]    behind, current;
  logic [EntryWidth-1:0] current_entry;

  for (genvar e = 0; e < Entries; e++) begin : g_behind
    assign behind[e] = blocks_behind_q[e/BlockWidth] |
                       (block_q[e/BlockWidth] & behind_q[e%BlockWidth]);
  end

  assign current = ~behind & ~(~behind >> 1);

  qosarb_onehot_to_index #(
    .Width(Entries)
  ) u_current_index (
    .onehot_i(current),
    .index_o (current_entry)
  );

  logic [Queues-1:0][Queues-1:0] sl_queues;  // of each SL

  for (genvar s = 0; s < Queues; s++) begin : g_sl
    for (genvar q = 0; q < Queues; q++) begin : g_queue
      assign sl_queues[s][q] = queue_sl_i[q] == QueueWidth'(unsigned'(s));
    end
  end

  always_comb begin
    selected_sl_o = '0;
    deficit_o     = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      selected_sl_o |= queue_sl_i[q] & {QueueWidth{turn_queues_q[q]}};
      for (int unsigned s = 0; s < Queues; s++) begin
        deficit_o[s] |= deficit[q] & {DeficitWidth{sl_queues[s][q]}};
      end
    end
  end

  assign current_o   = 8'(current_entry);
  assign selected_o  = turn_queues_q != '0;
  assign remaining_o = remaining & {RemainingWidth{selected_o}};

endmodule
