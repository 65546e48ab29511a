// qosarb_dtable, with Latency 1 qosarb_dtable_lookahead, beside its specification, which is then asked a cycle later:
// any table that a commit lets through, which changes by loads only, any traffic and stops, and a reset at any time.

module dtable_proof
  import clamp_pkg::clamped;
#(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned Entries        = 4,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  int unsigned Latency        = 0,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1),
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits)
) (
  input  logic                                 clk_i,
  input  logic                                 reset_i,
  input  logic                                 load_i,
  input  logic [EntryWidth-1:0]                last_entry_i,
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_sl_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_weight_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    sl_mtu_i,
  input  logic [Queues-1:0][QueueWidth-1:0]    queue_sl_i,
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,
  input  logic [Queues-1:0]                    next_valid_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    next_flits_i,
  input  logic                                 request_i,

  output logic                                 not_coupled_o,
  output logic [6*Queues+2*Entries+19:0]       parts_o,
  output logic                                 differs_o,
  output logic                                 two_grants_o,
  output logic                                 grant_to_inactive_o,
  output logic                                 idle_with_active_o,
  output logic                                 overflows_o,
  output logic                                 cover_deficit_added_o,
  output logic                                 cover_turn_goes_on_o,
  output logic                                 cover_back_to_back_o
);

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  // The table in force. What was written is clamped to what a commit lets through: SLs and entries that exist,
  // MTUs within 1..MaxPacketFlits, weights of at least the MTU of their SL.
  logic [EntryWidth-1:0]                last_entry_q, last_entry;
  logic [Entries-1:0][QueueWidth-1:0]   sl_q, entry_sl;
  logic [Entries-1:0][QuantumWidth-1:0] weight_q, entry_weight;
  logic [Queues-1:0][FlitsWidth-1:0]    sl_mtu_q, sl_mtu, queue_mtu;
  logic [Queues-1:0][QueueWidth-1:0]    queue_sl_q, queue_sl;
  logic [Entries-1:0]                   entry_used;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      last_entry_q <= last_entry_i;
      sl_q         <= entry_sl_i;
      weight_q     <= entry_weight_i;
      sl_mtu_q     <= sl_mtu_i;
      queue_sl_q   <= queue_sl_i;
    end
  end

  assign last_entry = EntryWidth'(clamped(32'(last_entry_q), 0, Entries - 1));
  for (genvar e = 0; e < Entries; e++) begin : g_entry
    assign entry_used[e]   = e <= 32'(last_entry);
    assign entry_sl[e]     = QueueWidth'(clamped(32'(sl_q[e]), 0, Queues - 1));
    assign entry_weight[e] = QuantumWidth'(clamped(32'(weight_q[e]), 32'(sl_mtu[entry_sl[e]]), 2 ** QuantumWidth - 1));
  end

  for (genvar q = 0; q < Queues; q++) begin : g_queue
    assign queue_sl[q]  = QueueWidth'(clamped(32'(queue_sl_q[q]), 0, Queues - 1));
    assign sl_mtu[q]    = FlitsWidth'(clamped(32'(sl_mtu_q[q]), 1, MaxPacketFlits));
    assign queue_mtu[q] = sl_mtu[queue_sl[q]];
  end

  logic [Queues-1:0]                     grant, valid, active, queue_behind, served;
  logic [Queues-1:0][FlitsWidth-1:0]     flits, next_flits, active_flits;
  logic                                  grant_valid, expected_valid, asked;
  logic [QueueWidth-1:0]                 grant_queue, expected_queue, selected_sl, sl;
  logic [7:0]                            current;
  logic                                  selected, expected_selected;
  logic [RemainingWidth-1:0]             remaining, acc;
  logic [Queues-1:0][DeficitWidth-1:0]   deficit;
  logic [Queues-1:0][RemainingWidth-1:0] expected_deficit;
  logic [EntryWidth-1:0]                 entry;
  logic [Queues-1:0][QueueWidth-1:0]     last;

  any_traffic #(
    .Queues        (Queues),
    .MaxPacketFlits(MaxPacketFlits),
    .Latency       (Latency)
  ) u_traffic (.*, .longest(queue_mtu));

  dtable_semantics #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_semantics (
    .clk_i,
    .rst_ni       (rst_n),
    .load_i,
    .last_entry_i (last_entry),
    .sl_i         (entry_sl),
    .weight_i     (entry_weight),
    .sl_mtu_i     (sl_mtu),
    .queue_sl_i   (queue_sl),
    .active_i     (active),
    .flits_i      (active_flits),
    .request_i    (asked),
    .grant_valid_o(expected_valid),
    .grant_queue_o(expected_queue),
    .selected_o   (expected_selected),
    .sl_o         (sl),
    .entry_o      (entry),
    .acc_o        (acc),
    .deficit_o    (expected_deficit),
    .last_o       (last)
  );

  // Coupling. The turn, what remains of it, the deficits of all other SLs and the round robins are the
  // specification's; the current entry is, too, once there is one.
  localparam int unsigned BlockWidth = 8;
  localparam int unsigned Blocks     = (Entries + BlockWidth - 1) / BlockWidth;

  logic                                nobody, plenty, position_valid, turn_equal;
  logic                                bounded, sum_equal, remaining_equal, behind_equal;
  logic [RemainingWidth-1:0]           quantum;
  logic [RemainingWidth+1:0]           sum;             // of the turn, two's complement
  logic [Queues-1:0][DeficitWidth-1:0] engine_deficit;  // of each queue's SL
  logic [Queues-1:0]                   engine_turn;     // the queues of the SL that has the turn
  logic [Queues-1:0]                   deficit_equal;

  localparam int unsigned ShortWidth = (FlitsWidth + 1 < RemainingWidth) ? FlitsWidth + 1 : RemainingWidth;

  always_comb begin
    turn_equal      = (selected == expected_selected) &
                      (~selected | ((selected_sl == sl) & (entry_sl[entry] == sl)));
    bounded         = ~selected |
                      (acc <= RemainingWidth'(entry_weight[entry]) + RemainingWidth'(sl_mtu[sl]) - 1'b1);
`ifdef LIES
    sum_equal       = ~selected | ((acc == (sum[RemainingWidth+1] ? '0 : sum[RemainingWidth-1:0])) &
                                   (sum[RemainingWidth+1] | ~sum[RemainingWidth]));
`else
    sum_equal       = ~selected | (sum == {2'b0, acc});
`endif
    remaining_equal = ~selected | ((remaining == acc) & (plenty == ((quantum >> ShortWidth) != '0)));
    behind_equal    = 1'b1;
    for (int unsigned q = 0; q < Queues; q++) begin
      turn_equal      &= engine_turn[q] == (expected_selected & (queue_sl[q] == sl));
      deficit_equal[q] = ((selected & (queue_sl[q] == sl)) |
                          (RemainingWidth'(engine_deficit[q]) == expected_deficit[queue_sl[q]])) &
                         (expected_deficit[q] < RemainingWidth'(sl_mtu[q]));
      behind_equal    &= (queue_behind[q] == (q > 32'(last[queue_sl[q]]))) & (32'(last[q]) < Queues);
    end
  end

  // What is decided now follows from the state, and the next state from that: the next queue of each SL; whether the
  // turn goes on, or which entry begins one; with how much, and what is left of it.
  logic [Queues-1:0]                 sl_active, sl_equal, candidate, candidate_equal, change_equal;
  logic [Queues-1:0][QueueWidth-1:0] next;
  logic [Queues-1:0][FlitsWidth-1:0] cost;  // of each queue's head
  logic [Entries-1:0]                entry_active, entry_equal, unused_passed_entries;
  logic [EntryWidth-1:0]             first;
  logic [QueueWidth-1:0]             winner_sl;
  logic [FlitsWidth-1:0]             turn_cost, winner_cost;
  logic                              any_entry, goes_on, decides, goes_on_equal, need_equal, found_equal;
  logic                              winner_sl_equal, added_equal, begun_equal, left_equal, queue_equal;
  logic [Entries-1:0]                winner_equal;
  logic [RemainingWidth-1:0]         kept, begun, turn_quantum, next_quantum;
  logic [RemainingWidth+1:0]         turn_change, next_change;  // two's complement
  logic                              next_equal, arithmetic_holds, begun_bounded, begun_suffices;
  logic [Queues-1:0][RemainingWidth-1:0] added;  // the deficit of each SL, if it begins a turn

  for (genvar s = 0; s < Queues; s++) begin : g_sl
    logic [Queues-1:0] of_sl, unused_passed;

    for (genvar q = 0; q < Queues; q++) begin : g_of_sl
      assign of_sl[q] = active[q] & (32'(queue_sl[q]) == s);
    end

    circular_search #(
      .Width(Queues)
    ) u_next (
      .request_i (of_sl),
      .position_i(last[s]),
      .any_o     (sl_active[s]),
      .index_o   (next[s]),
      .passed_o  (unused_passed)
    );

    assign cost[s]     = active_flits[s] | FlitsWidth'(active_flits[s] == '0);
    assign sl_equal[s] = (u_semantics.sl_active[s] == sl_active[s]) &
                         (~sl_active[s] | ((u_semantics.candidate[s] == next[s]) &
                                           (u_semantics.cost[s] == cost[next[s]])));
    assign added[s]    = (expected_selected && 32'(sl) == s) ? kept : expected_deficit[s];
    assign candidate[s] = sl_active[queue_sl[s]] & (32'(next[queue_sl[s]]) == s);
  end

  for (genvar e = 0; e < Entries; e++) begin : g_entry_active
    assign entry_active[e] = entry_used[e] & sl_active[entry_sl[e]];
  end

  circular_search #(
    .Width(Entries)
  ) u_first (
    .request_i (entry_active),
    .position_i(entry),
    .any_o     (any_entry),
    .index_o   (first),
    .passed_o  (unused_passed_entries)
  );

  assign turn_cost   = cost[next[sl]];
  assign goes_on     = expected_selected & sl_active[sl] & (RemainingWidth'(turn_cost) <= acc);
  assign kept        = (sl_active[sl] && turn_cost <= sl_mtu[sl]) ? acc : '0;
  assign decides     = asked & any_entry;
  assign winner_sl   = goes_on ? sl : entry_sl[first];
  assign winner_cost = cost[next[winner_sl]];
  assign begun       = goes_on ? acc : added[entry_sl[first]] + RemainingWidth'(entry_weight[first]);

  // The specification's search, from each entry at which it may begin.
  for (genvar e = 0; e < Entries; e++) begin : g_winner
    assign winner_equal[e] = ~asked | (32'(entry) != e) |
                             ((u_semantics.taken == (any_entry & ~goes_on)) &
                              (~u_semantics.taken | (u_semantics.entry == first)));
  end

  assign winner_sl_equal = ~decides | (u_semantics.s == winner_sl);
  // The engine adds up in the next cycle: the turn's weight, or what remained, and what this grant changes.
  assign turn_quantum     = goes_on ? acc : RemainingWidth'(entry_weight[first]);
  assign turn_change      = (goes_on ? '0 : (RemainingWidth + 2)'(added[entry_sl[first]])) -
                            (RemainingWidth + 2)'(winner_cost);
  assign next_equal       = ~decides | ((next_quantum == turn_quantum) & (next_change == turn_change));
  assign begun_bounded    = ~decides |
                            (begun <= RemainingWidth'(entry_weight[goes_on ? entry : first]) +
                                      RemainingWidth'(sl_mtu[winner_sl]) - 1'b1);
`ifdef LIES
  assign begun_suffices   = ~decides | (begun >= RemainingWidth'(winner_cost)) | (winner_cost > sl_mtu[winner_sl]);
`else
  assign begun_suffices   = ~decides | (begun >= RemainingWidth'(winner_cost));
`endif
  assign arithmetic_holds = (RemainingWidth + 2)'(turn_quantum) + turn_change ==
                            (RemainingWidth + 2)'(begun) - (RemainingWidth + 2)'(winner_cost);

  // What the specification begins a turn with, by the entry and the deficits that it comes to.
  logic [RemainingWidth-1:0] expected_begun;

  assign expected_begun = goes_on ? acc : u_semantics.deficit[u_semantics.s] +
                                          RemainingWidth'(entry_weight[u_semantics.entry]);
  assign added_equal    = ~decides | load_i | goes_on | (u_semantics.deficit[winner_sl] == added[winner_sl]);
  assign begun_equal    = ~decides | load_i | (expected_begun == begun);
  assign left_equal     = ~decides | load_i |
                          (u_semantics.acc == ((begun < RemainingWidth'(winner_cost)) ? '0 :
                                               begun - RemainingWidth'(winner_cost)));
  assign queue_equal  = (expected_valid == decides) & (~decides | (expected_queue == next[winner_sl]));

  if (Latency == 0) begin : g_at_once
    qosarb_dtable #(
      .Queues        (Queues),
      .Entries       (Entries),
      .QuantumWidth  (QuantumWidth),
      .MaxPacketFlits(MaxPacketFlits)
    ) u_engine (
      .clk_i,
      .rst_ni        (rst_n),
      .load_i,
      .entry_used_i  (entry_used),
      .entry_sl_i    (entry_sl),
      .entry_weight_i(entry_weight),
      .queue_sl_i    (queue_sl),
      .queue_mtu_i   (queue_mtu),
      .valid_i       (valid),
      .stopped_i,
      .flits_i       (flits),
      .request_i,
      .grant_valid_o (grant_valid),
      .grant_o       (grant),
      .grant_queue_o (grant_queue),
      .current_o     (current),
      .selected_o    (selected),
      .selected_sl_o (selected_sl),
      .remaining_o   (remaining),
      .deficit_o     (deficit),
      .behind_o      (queue_behind)
    );

    assign nobody          = u_engine.block_q == '0;
    assign quantum         = u_engine.quantum;
    assign plenty          = u_engine.plenty;
    assign sum             = (RemainingWidth + 2)'(u_engine.quantum) +
                             (RemainingWidth + 2)'(signed'(u_engine.change));
    assign engine_deficit  = u_engine.deficit;
    assign engine_turn     = u_engine.turn_queues_q;

    always_comb begin
      position_valid = (nobody | (current == 8'(entry))) & (32'(entry) <= 32'(last_entry));
      if (nobody) begin
        position_valid &= (u_engine.blocks_behind_q == '0) & (entry == last_entry) & ~selected;
      end else begin
        for (int unsigned b = 0; b < Blocks; b++) begin
          position_valid &= u_engine.block_q[b] == (b == 32'(entry) / BlockWidth);
          position_valid &= u_engine.blocks_behind_q[b] == (b > 32'(entry) / BlockWidth);
        end
        for (int unsigned i = 0; i < BlockWidth; i++) begin
          position_valid &= u_engine.behind_q[i] == (i > 32'(entry) % BlockWidth);
        end
      end
    end

    for (genvar e = 0; e < Entries; e++) begin : g_entry_equal
      assign entry_equal[e] = u_engine.u_search.g_block[e/BlockWidth].request[e%BlockWidth] == entry_active[e];
    end

    for (genvar q = 0; q < Queues; q++) begin : g_candidate_equal
      assign candidate_equal[q] = (u_engine.candidate[q] == candidate[q]) &
                                  (~sl_active[queue_sl[q]] |
                                   (u_engine.u_sl_queues.after[q] == (q > 32'(next[queue_sl[q]]))));
      assign change_equal[q]    = ~grant[q] | goes_on |
                                  ((RemainingWidth + 2)'(signed'(u_engine.began_change_d[q])) ==
                                   (RemainingWidth + 2)'(added[queue_sl[q]]) - (RemainingWidth + 2)'(cost[q]));
    end

    assign goes_on_equal = u_engine.goes_on == goes_on;
    assign need_equal    = 1'b1;
    assign next_quantum  = u_engine.begins ? RemainingWidth'(u_engine.found_weight) : u_engine.remaining;

    always_comb begin
      next_change = (RemainingWidth + 2)'(signed'(u_engine.went_on_change_d &
                                                  {(FlitsWidth + 1){u_engine.source[Blocks]}}));
      for (int unsigned q = 0; q < Queues; q++) begin
        if (grant[q] && !u_engine.goes_on) next_change |= (RemainingWidth + 2)'(signed'(u_engine.began_change_d[q]));
      end
      found_equal = u_engine.any_active == any_entry;
      if (any_entry) begin
        found_equal &= u_engine.found_weight == entry_weight[first];
        found_equal &= u_engine.found_plenty == ((entry_weight[first] >> ShortWidth) != '0);
        for (int unsigned b = 0; b < Blocks; b++) begin
          found_equal &= u_engine.winner[b] == (b == 32'(first) / BlockWidth);
          found_equal &= u_engine.blocks_behind_found[b] == (b > 32'(first) / BlockWidth);
        end
        for (int unsigned i = 0; i < BlockWidth; i++) begin
          found_equal &= u_engine.behind_found[i] == (i > 32'(first) % BlockWidth);
        end
        for (int unsigned q = 0; q < Queues; q++) begin
          found_equal &= ~request_i | (u_engine.served_queues[q] == (queue_sl[q] == winner_sl));
        end
      end
    end

    assign cover_turn_goes_on_o = rst_n & u_engine.went_on_q & u_engine.source[Blocks];
  end else begin : g_next_cycle
    // The engine's candidates are those of the last cycle; in the cycle after a load there are none. What it found out
    // about them in their own cycle is what follows from them: whose queue is next, and what the turn has to pay for it.
    qosarb_dtable_lookahead #(
      .Queues        (Queues),
      .Entries       (Entries),
      .QuantumWidth  (QuantumWidth),
      .MaxPacketFlits(MaxPacketFlits)
    ) u_engine (
      .clk_i,
      .rst_ni        (rst_n),
      .load_i,
      .entry_used_i  (entry_used),
      .entry_sl_i    (entry_sl),
      .entry_weight_i(entry_weight),
      .queue_sl_i    (queue_sl),
      .queue_mtu_i   (queue_mtu),
      .valid_i       (valid),
      .stopped_i,
      .flits_i       (flits),
      .next_valid_i,
      .next_flits_i  (next_flits),
      .request_i,
      .grant_valid_o (grant_valid),
      .grant_o       (grant),
      .grant_queue_o (grant_queue),
      .current_o     (current),
      .selected_o    (selected),
      .selected_sl_o (selected_sl),
      .remaining_o   (remaining),
      .deficit_o     (deficit),
      .behind_o      (queue_behind)
    );

    assign nobody         = u_engine.behind_q == '0;
    assign quantum        = u_engine.quantum_q;
    assign plenty         = u_engine.plenty_q;
    assign sum            = (RemainingWidth + 2)'(u_engine.quantum_q) +
                            (RemainingWidth + 2)'(signed'(u_engine.change_q));
    assign engine_deficit = u_engine.deficit;
    assign engine_turn    = u_engine.turn_queues_q;

    always_comb begin
      position_valid = (nobody | (current == 8'(entry))) & (32'(entry) <= 32'(last_entry));
      position_valid &= (u_engine.request_q == asked) & (asked | (active == '0));
      position_valid &= u_engine.active_behind_q == (u_engine.entry_active_q & u_engine.behind_q);
      for (int unsigned e = 0; e < Entries; e++) begin
        if (entry_used[e]) position_valid &= u_engine.behind_q[e] == (e > 32'(entry));
        // The queues of an entry's SL; nothing is asked as long as they are of the table before.
        for (int unsigned q = 0; q < Queues; q++) begin
          position_valid &= ~asked | (u_engine.entry_queues[e][q] == (entry_used[e] & (entry_sl[e] == queue_sl[q])));
        end
      end
      for (int unsigned q = 0; q < Queues; q++) begin
        // A head of one flit fits unless nothing remains: whether it is too long means nothing.
        position_valid &= ~active[q] | ((u_engine.flits[q] == cost[q]) &
                                        ((u_engine.too_long[q] == (active_flits[q] > queue_mtu[q])) |
                                         (active_flits[q] <= FlitsWidth'(1))));
`ifndef LIES
        position_valid &= ~active[q] | ((active_flits[q] != '0) & (active_flits[q] <= queue_mtu[q]));
`endif
      end
    end

    assign entry_equal = ~(u_engine.entry_active_q ^ entry_active);
    assign need_equal  = (u_engine.need_q.has == (expected_selected & sl_active[sl])) &
                         (~u_engine.need_q.has | (u_engine.need_q.flits == turn_cost));

    // What a grant of each queue does to the turn that it begins.
    logic [Queues-1:0][FlitsWidth:0] change;

    for (genvar q = 0; q < Queues; q++) begin : g_candidate_equal
      assign candidate_equal[q] = ~asked |
                                  ((u_engine.candidate[q] == candidate[q]) &
                                   (~sl_active[queue_sl[q]] |
                                    (u_engine.next_q.after[q] == (q > 32'(next[queue_sl[q]])))));
      assign change[q]          = (u_engine.turn_queues_q[q] & ~u_engine.too_long[q] & ~u_engine.overdrawn) ?
                                  u_engine.left[FlitsWidth:0] : u_engine.began_change[q];
      assign change_equal[q]    = ~grant[q] | goes_on |
                                  ((u_engine.change_d == change[q]) &
                                   ((RemainingWidth + 2)'(signed'(change[q])) ==
                                    (RemainingWidth + 2)'(added[queue_sl[q]]) - (RemainingWidth + 2)'(cost[q])));
    end

    assign goes_on_equal = u_engine.goes_on == goes_on;
    assign next_quantum  = u_engine.quantum_d;
    assign next_change   = (RemainingWidth + 2)'(signed'(u_engine.change_d));

    always_comb begin
      found_equal = u_engine.any_active == any_entry;
      if (any_entry) begin
        found_equal &= u_engine.found.served.sl == entry_sl[first];
        found_equal &= u_engine.found_weight.weight == entry_weight[first];
        found_equal &= u_engine.found_weight.plenty == ((entry_weight[first] >> ShortWidth) != '0);
        for (int unsigned e = 0; e < Entries; e++) begin
          if (entry_used[e] && !goes_on) found_equal &= u_engine.behind_d[e] == (e > 32'(first));
        end
        for (int unsigned q = 0; q < Queues; q++) begin
          found_equal &= u_engine.served_queues[q] == (queue_sl[q] == winner_sl);
        end
      end else begin
        found_equal &= u_engine.served_queues == '0;
      end
    end

    assign cover_turn_goes_on_o = rst_n & selected & grant_valid & u_engine.goes_on;
  end

  // The properties follow queue by queue: each that is active and served is a reason for a grant, who wins is active,
  // and the grant is that of the winner.
  logic [Queues-1:0] answered, granted_equal;
  logic              winner_active;

  for (genvar q = 0; q < Queues; q++) begin : g_granted
    assign answered[q]      = ~asked | ~active[q] | ~served[q] | any_entry;
    assign granted_equal[q] = grant[q] == (decides & (32'(next[winner_sl]) == q));
  end
  assign winner_active = ~decides | active[next[winner_sl]];

  by_parts #(
    .Parts(6 * Queues + 2 * Entries + 19)
  ) u_parts (
    .*,
    .holds({granted_equal, winner_active, answered, queue_equal, left_equal, begun_equal, added_equal, winner_sl_equal,
            winner_equal, begun_suffices, begun_bounded, arithmetic_holds, next_equal, change_equal, found_equal,
            goes_on_equal, need_equal, candidate_equal, entry_equal, sl_equal, behind_equal, deficit_equal, remaining_equal,
            sum_equal, bounded, turn_equal, position_valid}),
    .fails(differs_o | two_grants_o | grant_to_inactive_o | idle_with_active_o | overflows_o)
  );

  // Properties of the engine's outputs.
  always_comb begin
    served = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        if (entry_used[e] && entry_sl[e] == queue_sl[q]) served[q] = 1'b1;
      end
    end
  end

  grant_properties #(
    .Queues(Queues)
  ) u_properties (.*);

  // Nothing overflows: what remains is never above the greatest weight and deficit that the table allows, that is
  // not above those of some entry.
  always_comb begin
    overflows_o = rst_n;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (entry_used[e] && {1'b0, remaining} <= (RemainingWidth + 1)'(entry_weight[e]) +
                                                (RemainingWidth + 1)'(MaxPacketFlits) - 1'b1) begin
        overflows_o = 1'b0;
      end
    end
  end

  // To be seen: a grant while some SL has a deficit; a turn of more than one grant; with Latency 1 two packets of a
  // queue in two cycles, of which the second was behind the first.
  assign cover_deficit_added_o = rst_n & grant_valid & (expected_deficit != '0);

  logic [Queues-1:0] granted_q;
  always_ff @(posedge clk_i) granted_q <= grant;
  assign cover_back_to_back_o = rst_n & ((grant & granted_q) != '0);

endmodule
