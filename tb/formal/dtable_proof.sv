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
  logic                                state_equal, engine_valid, nobody;
  logic [RemainingWidth+1:0]           sum;             // of the turn, two's complement
  logic [Queues-1:0][DeficitWidth-1:0] engine_deficit;  // of each queue's SL
  logic [Queues-1:0]                   engine_turn;     // the queues of the SL that has the turn

  always_comb begin
    state_equal = (selected == expected_selected) & (nobody | (current == 8'(entry))) &
                  (32'(entry) <= 32'(last_entry));
    if (selected) begin
      state_equal &= (selected_sl == sl) & (remaining == acc) & (entry_sl[entry] == sl);
      state_equal &= RemainingWidth'(acc) <= RemainingWidth'(entry_weight[entry]) + RemainingWidth'(sl_mtu[sl]) - 1'b1;
`ifdef LIES
      state_equal &= remaining == (sum[RemainingWidth+1] ? '0 : sum[RemainingWidth-1:0]);
      state_equal &= sum[RemainingWidth+1] | ~sum[RemainingWidth];
`else
      state_equal &= sum == {2'b0, acc};
`endif
    end
    for (int unsigned q = 0; q < Queues; q++) begin
      if (!(selected && queue_sl[q] == sl)) begin
        state_equal &= RemainingWidth'(engine_deficit[q]) == expected_deficit[queue_sl[q]];
      end
      state_equal &= expected_deficit[q] < RemainingWidth'(sl_mtu[q]);
      state_equal &= engine_turn[q] == (expected_selected & (queue_sl[q] == sl));
      state_equal &= queue_behind[q] == (q > 32'(last[queue_sl[q]]));
      state_equal &= 32'(last[q]) < Queues;
    end
  end

  if (Latency == 0) begin : g_at_once
    localparam int unsigned BlockWidth = 8;
    localparam int unsigned Blocks     = (Entries + BlockWidth - 1) / BlockWidth;

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

    assign nobody         = u_engine.block_q == '0;
    assign sum            = (RemainingWidth + 2)'(u_engine.quantum) +
                            (RemainingWidth + 2)'(signed'(u_engine.change));
    assign engine_deficit = u_engine.deficit;
    assign engine_turn    = u_engine.turn_queues_q;

    always_comb begin
      engine_valid = 1'b1;
      if (nobody) begin
        engine_valid &= (u_engine.blocks_behind_q == '0) & (entry == last_entry) & ~selected;
      end else begin
        for (int unsigned b = 0; b < Blocks; b++) begin
          engine_valid &= u_engine.block_q[b] == (b == 32'(entry) / BlockWidth);
          engine_valid &= u_engine.blocks_behind_q[b] == (b > 32'(entry) / BlockWidth);
        end
        for (int unsigned i = 0; i < BlockWidth; i++) begin
          engine_valid &= u_engine.behind_q[i] == (i > 32'(entry) % BlockWidth);
        end
      end
      if (selected) engine_valid &= u_engine.plenty == ((u_engine.quantum >> u_engine.ShortWidth) != '0);
    end

    assign cover_turn_goes_on_o = rst_n & u_engine.went_on_q & u_engine.source[Blocks];
  end else begin : g_next_cycle
    // The engine's candidates are those of the last cycle; in the cycle after a load there are none, and the
    // comparison of the SLs is that of the old table.
    logic [Entries-1:0] entry_active;

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
    assign sum            = (RemainingWidth + 2)'(u_engine.quantum_q) +
                            (RemainingWidth + 2)'(signed'(u_engine.change_q));
    assign engine_deficit = u_engine.deficit;
    assign engine_turn    = u_engine.turn_queues_q;

    always_comb begin
      engine_valid = (u_engine.request_q == asked) & (u_engine.active_q == active) &
                     (u_engine.entry_active_q == entry_active);
      for (int unsigned e = 0; e < Entries; e++) begin
        entry_active[e] = 1'b0;
        for (int unsigned q = 0; q < Queues; q++) begin
          if (entry_used[e] && active[q] && queue_sl[q] == entry_sl[e]) entry_active[e] = 1'b1;
        end
        if (entry_used[e]) engine_valid &= u_engine.behind_q[e] == (e > 32'(entry));
      end
      for (int unsigned q = 0; q < Queues; q++) begin
        engine_valid &= ~active[q] | (u_engine.flits_q[q] == active_flits[q]);
`ifndef LIES
        engine_valid &= ~active[q] | ((active_flits[q] != '0) & (active_flits[q] <= queue_mtu[q]));
`endif
        for (int unsigned other = 0; other < Queues; other++) begin
          engine_valid &= (active == '0) | (u_engine.same_sl[q][other] == (queue_sl[q] == queue_sl[other]));
        end
      end
      if (selected) engine_valid &= u_engine.plenty_q == ((u_engine.quantum_q >> u_engine.ShortWidth) != '0);
    end

    assign cover_turn_goes_on_o = rst_n & selected & grant_valid & u_engine.goes_on;
  end

  assign not_coupled_o = rst_n & ~(state_equal & engine_valid);

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

  // Nothing overflows: what remains is never above the greatest weight and deficit that the table allows.
  logic [RemainingWidth:0] most;
  always_comb begin
    most = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (entry_used[e] && (RemainingWidth + 1)'(entry_weight[e]) > most) begin
        most = (RemainingWidth + 1)'(entry_weight[e]);
      end
    end
  end
  assign overflows_o = rst_n & ({1'b0, remaining} > most + (RemainingWidth + 1)'(MaxPacketFlits) - 1'b1);

  // To be seen: a grant while some SL has a deficit; a turn of more than one grant; with Latency 1 two packets of a
  // queue in two cycles, of which the second was behind the first.
  assign cover_deficit_added_o = rst_n & grant_valid & (expected_deficit != '0);

  logic [Queues-1:0] granted_q;
  always_ff @(posedge clk_i) granted_q <= grant;
  assign cover_back_to_back_o = rst_n & ((grant & granted_q) != '0);

endmodule
