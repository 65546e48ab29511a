// qosarb_dtable beside its specification: any table that a commit lets through, which changes by loads only,
// any traffic and stops, and a reset at any time.

module dtable_proof #(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned Entries        = 4,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
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
  input  logic                                 request_i,

  output logic                                 not_coupled_o,
  output logic                                 differs_o,
  output logic                                 two_grants_o,
  output logic                                 grant_to_inactive_o,
  output logic                                 idle_with_active_o,
  output logic                                 overflows_o,
  output logic                                 cover_deficit_added_o,
  output logic                                 cover_turn_goes_on_o
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

  assign last_entry = (32'(last_entry_q) < Entries) ? last_entry_q : EntryWidth'(Entries - 1);
  for (genvar e = 0; e < Entries; e++) begin : g_entry
    assign entry_used[e]   = e <= 32'(last_entry);
    assign entry_sl[e]     = (32'(sl_q[e]) < Queues) ? sl_q[e] : '0;
    assign entry_weight[e] = (weight_q[e] < QuantumWidth'(sl_mtu[entry_sl[e]]))
                                 ? QuantumWidth'(sl_mtu[entry_sl[e]]) : weight_q[e];
  end

  // The heads. Without LIES they are within 1..the MTU of their SL.
  logic [Queues-1:0]                 active;
  logic [Queues-1:0][FlitsWidth-1:0] flits;

  assign active = valid_i & ~stopped_i;
  for (genvar q = 0; q < Queues; q++) begin : g_queue
    assign queue_sl[q]  = (32'(queue_sl_q[q]) < Queues) ? queue_sl_q[q] : '0;
    assign sl_mtu[q]    = (sl_mtu_q[q] == '0) ? FlitsWidth'(1) :
                          (32'(sl_mtu_q[q]) > MaxPacketFlits) ? FlitsWidth'(MaxPacketFlits) : sl_mtu_q[q];
    assign queue_mtu[q] = sl_mtu[queue_sl[q]];
`ifdef LIES
    assign flits[q] = flits_i[q];
`else
    assign flits[q] = (flits_i[q] == '0)          ? FlitsWidth'(1) :
                      (flits_i[q] > queue_mtu[q]) ? queue_mtu[q] : flits_i[q];
`endif
  end

  logic [Queues-1:0]                     grant;
  logic                                  grant_valid, expected_valid;
  logic [QueueWidth-1:0]                 grant_queue, expected_queue, selected_sl, sl;
  logic [7:0]                            current;
  logic                                  selected, expected_selected;
  logic [RemainingWidth-1:0]             remaining, acc;
  logic [Queues-1:0][DeficitWidth-1:0]   deficit;
  logic [Queues-1:0][RemainingWidth-1:0] expected_deficit;
  logic [EntryWidth-1:0]                 entry;
  logic [Queues-1:0][QueueWidth-1:0]     last;

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
    .valid_i,
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
    .deficit_o     (deficit)
  );

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
    .flits_i      (flits),
    .request_i,
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

  logic                      state_equal, engine_valid, nobody;
  logic [RemainingWidth+1:0] sum;  // two's complement

  assign nobody = u_engine.block_q == '0;
  assign sum    = (RemainingWidth + 2)'(u_engine.quantum) + (RemainingWidth + 2)'(signed'(u_engine.change));

  always_comb begin
    state_equal = (selected == expected_selected) & (nobody | (current == 8'(entry)));
    if (nobody) state_equal &= (entry == last_entry) & ~selected;
    if (selected) begin
      state_equal &= (selected_sl == sl) & (remaining == acc) & (entry_sl[entry] == sl);
      state_equal &= RemainingWidth'(acc) <= RemainingWidth'(entry_weight[entry]) + RemainingWidth'(sl_mtu[sl]) - 1'b1;
    end
    for (int unsigned q = 0; q < Queues; q++) begin
      if (!(selected && queue_sl[q] == sl)) begin
        state_equal &= RemainingWidth'(u_engine.deficit[q]) == expected_deficit[queue_sl[q]];
      end
      state_equal &= expected_deficit[q] < RemainingWidth'(sl_mtu[q]);
      state_equal &= u_engine.u_sl_queues.behind[q] == (q > 32'(last[queue_sl[q]]));
      state_equal &= 32'(last[q]) < Queues;
    end
  end

  always_comb begin
    engine_valid = 32'(entry) <= 32'(last_entry);
    if (nobody) begin
      engine_valid &= u_engine.blocks_behind_q == '0;
    end else begin
      for (int unsigned b = 0; b < Blocks; b++) begin
        engine_valid &= u_engine.block_q[b] == (b == 32'(entry) / BlockWidth);
        engine_valid &= u_engine.blocks_behind_q[b] == (b > 32'(entry) / BlockWidth);
      end
      for (int unsigned i = 0; i < BlockWidth; i++) begin
        engine_valid &= u_engine.behind_q[i] == (i > 32'(entry) % BlockWidth);
      end
    end
    for (int unsigned q = 0; q < Queues; q++) begin
      engine_valid &= u_engine.turn_queues_q[q] == (expected_selected & (queue_sl[q] == sl));
    end
    if (selected) begin
`ifdef LIES
      engine_valid &= remaining == (sum[RemainingWidth+1] ? '0 : sum[RemainingWidth-1:0]);
      engine_valid &= sum[RemainingWidth+1] | ~sum[RemainingWidth];
`else
      engine_valid &= sum == {2'b0, acc};
`endif
      engine_valid &= u_engine.plenty == ((u_engine.quantum >> u_engine.ShortWidth) != '0);
    end
  end

  assign not_coupled_o = rst_n & ~(state_equal & engine_valid);

  // Properties of the engine's outputs.
  logic [Queues-1:0] expected, served;
  assign expected = Queues'(expected_valid) << expected_queue;
  always_comb begin
    served = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        if (entry_used[e] && entry_sl[e] == queue_sl[q]) served[q] = 1'b1;
      end
    end
  end

  assign differs_o           = rst_n & ((grant_valid != expected_valid) | (grant != expected) |
                                        (expected_valid & (grant_queue != expected_queue)));
  assign two_grants_o        = rst_n & ((grant & (grant - 1'b1)) != '0);
  assign grant_to_inactive_o = rst_n & ((grant & ~active) != '0);
  assign idle_with_active_o  = rst_n & request_i & ((active & served) != '0) & (grant == '0);

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

  // To be seen: a grant while some SL has a deficit; a turn of more than one grant.
  assign cover_deficit_added_o = rst_n & grant_valid & (expected_deficit != '0);
  assign cover_turn_goes_on_o  = rst_n & u_engine.went_on_q & u_engine.source[Blocks];

endmodule
