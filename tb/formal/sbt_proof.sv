// qosarb_sbt beside its specification: any table, which changes by loads only, any traffic and stops, and a
// reset at any time.

module sbt_proof
  import clamp_pkg::clamped;
#(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned QuantumWidth   = 2,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  bit          IdleAfterLoad  = 1'b0,
  localparam int unsigned Entries        = Queues,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                                 clk_i,
  input  logic                                 reset_i,
  input  logic                                 load_i,
  input  logic [QueueWidth-1:0]                last_entry_i,
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_sl_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_weight_i,
  input  logic [Queues-1:0][QueueWidth-1:0]    queue_sl_i,
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,
  input  logic                                 request_i,

  output logic                                 not_coupled_o,
  output logic [3*Queues+7:0]                  parts_o,
  output logic                                 differs_o,
  output logic                                 two_grants_o,
  output logic                                 grant_to_inactive_o,
  output logic                                 idle_with_active_o,
  output logic                                 overflows_o,
  output logic                                 shows_otherwise_o,
  output logic                                 cover_restored_o
);

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  // With IdleAfterLoad the first cycle of a table is without a request.
  logic request, loaded_q;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) loaded_q <= 1'b1;
    else        loaded_q <= load_i;
  end

  assign request = request_i & ~(IdleAfterLoad & loaded_q);

  // The table in force. What was written is clamped to what a commit lets through: SLs and entries that exist,
  // weights of at least 1, and no SL twice (the table ends before that).
  logic [QueueWidth-1:0]                last_entry_q, last_entry;
  logic [Entries-1:0][QueueWidth-1:0]   sl_q, entry_sl;
  logic [Entries-1:0][QuantumWidth-1:0] weight_q, entry_weight;
  logic [Queues-1:0][QueueWidth-1:0]    queue_sl_q, queue_sl;
  logic [Entries-1:0]                   entry_used;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      last_entry_q <= last_entry_i;
      sl_q         <= entry_sl_i;
      weight_q     <= entry_weight_i;
      queue_sl_q   <= queue_sl_i;
    end
  end

  for (genvar e = 0; e < Entries; e++) begin : g_entry
    assign entry_sl[e]     = QueueWidth'(clamped(32'(sl_q[e]), 0, Queues - 1));
    assign entry_weight[e] = QuantumWidth'(clamped(32'(weight_q[e]), 1, 2 ** QuantumWidth - 1));
    assign queue_sl[e]     = QueueWidth'(clamped(32'(queue_sl_q[e]), 0, Queues - 1));
  end

  always_comb begin
    last_entry = '0;
    entry_used = Entries'(1);
    for (int unsigned e = 1; e < Entries; e++) begin
      entry_used[e] = entry_used[e-1] & (e <= 32'(last_entry_q));
      for (int unsigned other = 0; other < e; other++) begin
        if (entry_sl[e] == entry_sl[other]) entry_used[e] = 1'b0;
      end
      if (entry_used[e]) last_entry = QueueWidth'(e);
    end
  end

  logic [Queues-1:0]                    active, grant, queues_behind;
  logic                                 grant_valid, expected_valid;
  logic [QueueWidth-1:0]                grant_queue, expected_queue, cur;
  logic [7:0]                           current;
  logic [Entries-1:0][QuantumWidth-1:0] left, expected_left;
  logic [Queues-1:0][QueueWidth-1:0]    last;

  assign active = valid_i & ~stopped_i;

  qosarb_sbt #(
    .Queues        (Queues),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .IdleAfterLoad (IdleAfterLoad)
  ) u_engine (
    .clk_i,
    .rst_ni        (rst_n),
    .load_i,
    .entry_used_i  (entry_used),
    .entry_sl_i    (entry_sl),
    .entry_weight_i(entry_weight),
    .queue_sl_i    (queue_sl),
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i     (request),
    .grant_valid_o (grant_valid),
    .grant_o       (grant),
    .grant_queue_o (grant_queue),
    .current_o     (current),
    .left_o        (left),
    .behind_o      (queues_behind)
  );

  sbt_semantics #(
    .Queues      (Queues),
    .QuantumWidth(QuantumWidth)
  ) u_semantics (
    .clk_i,
    .rst_ni       (rst_n),
    .load_i,
    .last_entry_i (last_entry),
    .sl_i         (entry_sl),
    .weight_i     (entry_weight),
    .queue_sl_i   (queue_sl),
    .active_i     (active),
    .request_i     (request),
    .grant_valid_o(expected_valid),
    .grant_queue_o(expected_queue),
    .cur_o        (cur),
    .left_o       (expected_left),
    .last_o       (last)
  );

  // Coupling: each position is a thermometer code of the specification's pointer, the flags of weight left
  // tell what the weights say.
  logic               stale;  // which queues an entry, and another queue's SL, has: not yet those of this table
  logic               position_equal, members_valid;
  logic [Entries-1:0] left_equal;
  logic [Queues-1:0]  behind_equal;

  assign stale = IdleAfterLoad & loaded_q;

  always_comb begin
    position_equal = (current == 8'(cur)) & (32'(cur) <= 32'(last_entry));
    members_valid  = 1'b1;
    for (int unsigned e = 0; e < Entries; e++) begin
      position_equal &= u_engine.behind_q[e] == (e > 32'(cur));
      left_equal[e]   = ~entry_used[e] |
                        ((left[e] == expected_left[e]) & (expected_left[e] <= entry_weight[e]) &
                         (u_engine.has_left_q[e] == (expected_left[e] != '0)));
    end
    for (int unsigned q = 0; q < Queues; q++) begin
      behind_equal[q] = (u_engine.u_sl_queues.behind[q] == (q > 32'(last[queue_sl[q]]))) & (32'(last[q]) < Queues);
      for (int unsigned e = 0; e < Entries; e++) begin
        members_valid &= stale | (u_engine.entry_queues[e][q] == (entry_used[e] & (entry_sl[e] == queue_sl[q])));
      end
      for (int unsigned other = 0; other < Queues; other++) begin
        members_valid &= stale | (u_engine.u_sl_queues.same_sl[other][q] == (queue_sl[other] == queue_sl[q]));
      end
    end
  end

  // What is decided now follows from the state, and the next state from that: which entry wins, and which queue is
  // the next one of each SL.
  logic [Entries-1:0]                has_left, entry_active, unused_passed_left, unused_passed_restored;
  logic [QueueWidth-1:0]             before_cur, first_left, first_restored, winner;
  logic                              any_left, any_entry, engine_active, engine_winner;
  logic                              sl_active_equal, winner_equal, queue_equal;
  logic [Queues-1:0]                 sl_valid, candidate_equal, candidate;
  logic [Queues-1:0][QueueWidth-1:0] next;

  always_comb begin
    entry_active = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        if (entry_used[e] && active[q] && queue_sl[q] == entry_sl[e]) entry_active[e] = 1'b1;
      end
      has_left[e] = expected_left[e] != '0;
    end
  end

  assign before_cur = (cur == '0) ? QueueWidth'(Entries - 1) : cur - 1'b1;
  assign winner     = any_left ? first_left : first_restored;

  circular_search #(
    .Width(Entries)
  ) u_first_left (
    .request_i (entry_active & has_left),
    .position_i(before_cur),
    .any_o     (any_left),
    .index_o   (first_left),
    .passed_o  (unused_passed_left)
  );

  circular_search #(
    .Width(Entries)
  ) u_first_restored (
    .request_i (entry_active),
    .position_i(cur),
    .any_o     (any_entry),
    .index_o   (first_restored),
    .passed_o  (unused_passed_restored)
  );

  for (genvar q = 0; q < Queues; q++) begin : g_next
    logic [Queues-1:0] of_sl, unused_passed;

    for (genvar other = 0; other < Queues; other++) begin : g_of_sl
      assign of_sl[other] = active[other] & (queue_sl[other] == queue_sl[q]);
    end

    circular_search #(
      .Width(Queues)
    ) u_next (
      .request_i (of_sl),
      .position_i(last[queue_sl[q]]),
      .any_o     (sl_valid[q]),
      .index_o   (next[q]),
      .passed_o  (unused_passed)
    );

    assign candidate[q]       = sl_valid[q] & (32'(next[q]) == q);
    assign candidate_equal[q] = stale | ((u_engine.candidate[q] == candidate[q]) &
                                         (~sl_valid[q] | (u_engine.u_sl_queues.after[q] == (q > 32'(next[q])))));
  end

  assign engine_active = stale | (u_engine.entry_active == entry_active);

  always_comb begin
    sl_active_equal = 1'b1;
    for (int unsigned e = 0; e < Entries; e++) begin
      sl_active_equal &= ~entry_used[e] | (u_semantics.sl_active[entry_sl[e]] == entry_active[e]);
    end
  end
  assign engine_winner = stale | ((u_engine.found_left == (Entries'(any_left) << first_left)) &
                                  (u_engine.found_restored == (Entries'(any_entry) << first_restored)));
  assign winner_equal  = ~request | (active == '0) |
                         ((u_semantics.found == any_entry) & (~any_entry | (u_semantics.winner == winner)));

  always_comb begin
    queue_equal = expected_valid == (request & any_entry);
    for (int unsigned q = 0; q < Queues; q++) begin
      if (expected_valid && candidate[q] && queue_sl[q] == entry_sl[winner]) begin
        queue_equal &= expected_queue == QueueWidth'(q);
      end
    end
  end

  by_parts #(
    .Parts(3 * Queues + 7)
  ) u_parts (
    .*,
    .holds({queue_equal, candidate_equal, winner_equal, engine_winner, engine_active, sl_active_equal,
            behind_equal, left_equal, members_valid, position_equal}),
    .fails(differs_o | two_grants_o | grant_to_inactive_o | idle_with_active_o | overflows_o |
           shows_otherwise_o)
  );

  // Properties of the engine's outputs.
  logic [Queues-1:0] served;
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
  ) u_properties (.*, .asked(request));

  // Nothing overflows: no weight left is above its entry's weight, as it were if it fell below zero.
  always_comb begin
    overflows_o = 1'b0;
    for (int unsigned e = 0; e < Entries; e++) begin
      overflows_o |= rst_n & entry_used[e] & (left[e] > entry_weight[e]);
    end
  end

  // The state for reading is the specification's.
  always_comb begin
    shows_otherwise_o = rst_n & (current != 8'(cur));
    for (int unsigned e = 0; e < Entries; e++) begin
      shows_otherwise_o |= rst_n & entry_used[e] & (left[e] != expected_left[e]);
    end
    for (int unsigned q = 0; q < Queues; q++) begin
      shows_otherwise_o |= rst_n & (queues_behind[q] != (q > 32'(last[queue_sl[q]])));
    end
  end

  // To be seen: a grant by which all weights are restored, of an entry that still had none left.
  assign cover_restored_o = rst_n & grant_valid & (expected_left[cur] == '0) & ~u_engine.any_left;

endmodule
