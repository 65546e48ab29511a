// Couples qosarb_bxi, which is `TABLE, with the specification's state by bxi_coupling; read by the proofs whose
// engine is or has such a table. `table_active` are the candidates that the table is asked about.

  logic [Entries-1:0]        engine_current, engine_saved, behind, entry_active;
  logic [Queues-1:0]         engine_queue;
  logic [RemainingWidth-1:0] engine_quantum;
  logic [DeficitWidth-1:0]   engine_extra;
  logic [FlitsWidth-1:0]     engine_spent, current_flits;
  logic [6:0]                coupled;
  logic [4:0]                decided;
  logic [Entries+2:0]        table_valid;
  logic                      nobody, depleted;

  bxi_coupling #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_coupling (
    .last_entry_i      (last_entry),
    .entry_used_i      (entry_used),
    .entry_queue_i     (entry_queue),
    .entry_quantum_i   (entry_quantum),
    .max_packet_flits_i(max_packet_flits),
    .cur_i             (cur),
    .rem_i             (rem),
    .fresh_i           (fresh),
    .deficit_i         (expected_deficit),
    .engine_current_i  (engine_current),
    .engine_queue_i    (engine_queue),
    .engine_quantum_i  (engine_quantum),
    .engine_extra_i    (engine_extra),
    .engine_spent_i    (engine_spent),
    .engine_saved_i    (engine_saved),
    .current_i         (EntryWidth'(current)),
    .remaining_i       (remaining),
    .engine_deficit_i  (deficit),
    .nobody_o          (nobody),
    .depleted_o        (depleted),
    .behind_o          (behind),
    .coupled_o         (coupled)
  );

  for (genvar e = 0; e < Entries; e++) begin : g_entry_active
    assign entry_active[e] = entry_used[e] & table_active[entry_queue[e]];
  end

  always_comb begin
    current_flits = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (engine_queue[q]) current_flits |= active_flits[q];
    end
  end

  // What is decided now, if anything, follows from the state, and the next state from that: whether the turn goes on,
  // or which entry begins one; with what, and how many flits it pays.
  logic                      any_entry, cur_active, cur_too_long, cur_fits;
  logic [EntryWidth-1:0]     first, winner;
  logic [Entries-1:0]        unused_passed;
  logic [FlitsWidth-1:0]     cur_flits, winner_flits, paid;
  logic [RemainingWidth-1:0] begun;

  circular_search #(
    .Width(Entries)
  ) u_first (
    .request_i (entry_active),
    .position_i(cur),
    .any_o     (any_entry),
    .index_o   (first),
    .passed_o  (unused_passed)
  );

  assign cur_active   = entry_active[cur];
  assign cur_flits    = active_flits[entry_queue[cur]] | FlitsWidth'(active_flits[entry_queue[cur]] == '0);
  assign cur_too_long = cur_flits > max_packet_flits;
  assign cur_fits     = cur_active & (fresh | (RemainingWidth'(cur_flits) <= rem));
  assign winner       = cur_fits ? cur : first;
  assign winner_flits = active_flits[entry_queue[winner]] | FlitsWidth'(active_flits[entry_queue[winner]] == '0);
  assign begun        = cur_fits ? rem :
                        RemainingWidth'(entry_quantum[first]) +
                            ((first != cur) ? expected_deficit[first] : (cur_too_long | ~DeficitsOn) ? '0 : rem);

  assign decided[4] = ~cur_active | cur_fits | cur_too_long | (rem < RemainingWidth'(max_packet_flits));

  if (Latency == 0) begin : g_coupled_at_once
    assign decided[0]     = ~any_entry | (`TABLE.g_at_once.u_engine.goes_on == (cur_fits & ~fresh));
    assign decided[1]     = ~any_entry | (cur_fits & ~fresh) |
                            (`TABLE.g_at_once.u_engine.found == (Entries'(1) << winner));
    assign decided[2]     = ~`TABLE.g_at_once.u_engine.grant_valid_o | load_i |
                            (`TABLE.g_at_once.u_engine.quantum_d +
                             RemainingWidth'(`TABLE.g_at_once.u_engine.extra_d) == begun);
    assign decided[3]     = ~`TABLE.g_at_once.u_engine.grant_valid_o | (paid == winner_flits);

    always_comb begin
      paid = '0;
      for (int unsigned q = 0; q < Queues; q++) begin
        if (`TABLE.g_at_once.u_engine.grant_o[q]) paid |= active_flits[q] | FlitsWidth'(active_flits[q] == '0);
      end
    end

    assign engine_current = `TABLE.g_at_once.u_engine.current_q;
    assign engine_saved   = `TABLE.g_at_once.u_engine.saved_q;
    assign engine_queue   = `TABLE.g_at_once.u_engine.queue_q;
    assign engine_quantum = `TABLE.g_at_once.u_engine.quantum_q;
    assign engine_extra   = `TABLE.g_at_once.u_engine.extra_q;
    assign engine_spent   = `TABLE.g_at_once.u_engine.spent;
    assign table_valid[0] = (`TABLE.g_at_once.u_engine.behind_q == behind) & (had_turn == ~nobody) &
                            ((`TABLE.g_at_once.u_engine.granted_q &
                              (`TABLE.g_at_once.u_engine.granted_q - 1'b1)) == '0) &
                            (~nobody | (`TABLE.g_at_once.u_engine.granted_q == '0));
    assign table_valid[Entries+2:1] = '1;
  end else begin : g_coupled_next_cycle
    logic [Entries-1:0] found;

    for (genvar e = 0; e < Entries; e++) begin : g_found
      assign found[e] = `TABLE.g_next_cycle.u_engine.first[e/8][e%8] & `TABLE.g_next_cycle.u_engine.wins[e/8];
    end

    assign paid       = `TABLE.g_next_cycle.u_engine.spent_d;
    assign decided[0] = ~any_entry | (`TABLE.g_next_cycle.u_engine.goes_on == (cur_fits & ~fresh));
    assign decided[1] = ~any_entry | (cur_fits & ~fresh) | (found == (Entries'(1) << winner));
    assign decided[2] = ~any_entry | load_i |
                        (`TABLE.g_next_cycle.u_engine.quantum_d +
                         RemainingWidth'(`TABLE.g_next_cycle.u_engine.extra_d) == begun);
    assign decided[3] = ~any_entry | ((`TABLE.g_next_cycle.u_engine.grant_o == (Queues'(1) << entry_queue[winner])) &
                                      (load_i | (paid == winner_flits)));

    // The engine's candidates are those of the last cycle; what the current entry's one needs is its flits and
    // those that the last grant took.
    logic current_active, current_saves;

    assign engine_current   = `TABLE.g_next_cycle.u_engine.current_q;
    assign engine_saved     = `TABLE.g_next_cycle.u_engine.saved;
    assign engine_queue     = `TABLE.g_next_cycle.u_engine.queue_q;
    assign engine_quantum   = `TABLE.g_next_cycle.u_engine.quantum_q;
    assign engine_extra     = `TABLE.g_next_cycle.u_engine.extra_q;
    assign engine_spent     = `TABLE.g_next_cycle.u_engine.spent_q;
    assign current_active   = `TABLE.g_next_cycle.u_engine.current_active_q;
    assign current_saves    = `TABLE.g_next_cycle.u_engine.current_saves_q;
    assign table_valid[0]   = (`TABLE.g_next_cycle.u_engine.behind_q == (nobody ? '0 : behind)) &
                              (had_turn == ~nobody) & ((engine_queue & (engine_queue - 1'b1)) == '0) &
                              (asked | (active == '0));
    assign table_valid[Entries:1] = ~(`TABLE.g_next_cycle.u_engine.active_q ^ entry_active);
    assign table_valid[Entries+1] = `TABLE.g_next_cycle.u_engine.active_behind_q ==
                                    (entry_active & `TABLE.g_next_cycle.u_engine.behind_q);
    // Before the first turn a queue may be left from the table before; its head fits into nothing. A head of one flit
    // fits unless nothing remains: whether that would be saved means nothing.
    assign table_valid[Entries+2] =
        nobody         ? ~current_active | (`TABLE.g_next_cycle.u_engine.need_q != '0) :
        current_active ? ((engine_queue & table_active) != '0) &
                         ((current_saves == (current_flits <= max_packet_flits)) |
                          (current_flits <= FlitsWidth'(1))) &
                         (`TABLE.g_next_cycle.u_engine.need_q ==
                          (FlitsWidth + 1)'(engine_spent) +
                          (FlitsWidth + 1)'(current_flits | FlitsWidth'(current_flits == '0)))
                       : ((engine_queue & table_active) == '0) & ~current_saves;
  end
