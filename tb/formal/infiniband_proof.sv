// qosarb_infiniband beside its specification: any tables, which change by loads only, any traffic and stops,
// and a reset at any time.

module infiniband_proof
  import clamp_pkg::clamped;
#(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned Entries        = 4,  // of each table
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  bit          IdleAfterLoad  = 1'b0,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                                    clk_i,
  input  logic                                    reset_i,
  input  logic                                    load_i,
  input  logic [1:0][EntryWidth-1:0]              last_entry_i,
  input  logic [1:0][Entries-1:0][QueueWidth-1:0] vl_i,
  input  logic [1:0][Entries-1:0][7:0]            weight_i,
  input  logic [7:0]                              limit_i,
  input  logic                                    low_turn_packet_i,
  input  logic [2:0]                              flit_bytes_log2_i,
  input  logic [Queues-1:0]                       valid_i,
  input  logic [Queues-1:0]                       stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]       flits_i,
  input  logic                                    request_i,

  output logic                                    not_coupled_o,
  output logic                                    differs_o,
  output logic                                    two_grants_o,
  output logic                                    grant_to_inactive_o,
  output logic                                    idle_with_active_o,
  output logic                                    overflows_o,
  output logic                                    limit_exceeded_o,
  output logic                                    cover_low_turn_o
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

  // The tables in force; VLs and entries that exist.
  logic [1:0][EntryWidth-1:0]              last_entry_q, last_entry;
  logic [1:0][Entries-1:0][QueueWidth-1:0] vl_q, vl;
  logic [1:0][Entries-1:0][7:0]            weight;
  logic [1:0][Entries-1:0]                 used;
  logic [7:0]                              limit;
  logic                                    low_turn_packet;
  logic [2:0]                              flit_bytes_log2;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      last_entry_q    <= last_entry_i;
      vl_q            <= vl_i;
      weight          <= weight_i;
      limit           <= limit_i;
      low_turn_packet <= low_turn_packet_i;
      flit_bytes_log2 <= flit_bytes_log2_i;
    end
  end

  for (genvar t = 0; t < 2; t++) begin : g_table
    assign last_entry[t] = EntryWidth'(clamped(32'(last_entry_q[t]), 0, Entries - 1));
    for (genvar e = 0; e < Entries; e++) begin : g_entry
      assign used[t][e] = e <= 32'(last_entry[t]);
      assign vl[t][e]   = QueueWidth'(clamped(32'(vl_q[t][e]), 0, Queues - 1));
    end
  end

  // The heads. Without LIES none is of 0 flits.
  logic [Queues-1:0]                 active;
  logic [Queues-1:0][FlitsWidth-1:0] flits;

  assign active = valid_i & ~stopped_i;
  for (genvar q = 0; q < Queues; q++) begin : g_head
`ifdef LIES
    assign flits[q] = flits_i[q];
`else
    assign flits[q] = (flits_i[q] == '0) ? FlitsWidth'(1) : flits_i[q];
`endif
  end

  logic [Queues-1:0]          grant;
  logic                       grant_valid, expected_valid, in_low_turn, expected_in_low_turn;
  logic [QueueWidth-1:0]      grant_queue, expected_queue;
  logic [1:0][7:0]            current, remaining, expected_remaining;
  logic [19:0]                high_bytes, hi_bytes;
  logic [1:0][EntryWidth-1:0] cur;

  qosarb_infiniband #(
    .Queues        (Queues),
    .Entries       (Entries),
    .MaxPacketFlits(MaxPacketFlits),
    .IdleAfterLoad (IdleAfterLoad)
  ) u_engine (
    .clk_i,
    .rst_ni           (rst_n),
    .load_i,
    .high_used_i      (used[0]),
    .high_vl_i        (vl[0]),
    .high_weight_i    (weight[0]),
    .low_used_i       (used[1]),
    .low_vl_i         (vl[1]),
    .low_weight_i     (weight[1]),
    .limit_i          (limit),
    .low_turn_packet_i(low_turn_packet),
    .flit_bytes_log2_i(flit_bytes_log2),
    .valid_i,
    .stopped_i,
    .flits_i          (flits),
    .request_i        (request),
    .grant_valid_o    (grant_valid),
    .grant_o          (grant),
    .grant_queue_o    (grant_queue),
    .current_o        (current[0]),
    .remaining_o      (remaining[0]),
    .low_current_o    (current[1]),
    .low_remaining_o  (remaining[1]),
    .high_bytes_o     (high_bytes),
    .in_low_turn_o    (in_low_turn)
  );

  infiniband_semantics #(
    .Queues        (Queues),
    .Entries       (Entries),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_semantics (
    .clk_i,
    .rst_ni           (rst_n),
    .load_i,
    .last_entry_i     (last_entry),
    .vl_i             (vl),
    .weight_i         (weight),
    .limit_i          (limit),
    .low_turn_packet_i(low_turn_packet),
    .flit_bytes_log2_i(flit_bytes_log2),
    .active_i         (active),
    .flits_i          (flits),
    .request_i        (request),
    .grant_valid_o    (expected_valid),
    .grant_queue_o    (expected_queue),
    .cur_o            (cur),
    .remaining_o      (expected_remaining),
    .hi_bytes_o       (hi_bytes),
    .in_low_turn_o    (expected_in_low_turn)
  );

  // The VLs that a table serves.
  logic [1:0][Queues-1:0] served_by;

  always_comb begin
    served_by = '0;
    for (int unsigned t = 0; t < 2; t++) begin
      for (int unsigned e = 0; e < Entries; e++) begin
        if (used[t][e] && weight[t][e] != '0) served_by[t][vl[t][e]] = 1'b1;
      end
    end
  end

  // Coupling. A table of the engine steps lazily: with nothing left it stands at the entry that used up its
  // weight (or at none yet), where the specification is at the next one with that one's weight.
  localparam int unsigned BlockWidth = 8;
  localparam int unsigned Blocks     = (Entries + BlockWidth - 1) / BlockWidth;

  logic [1:0]                                nobody, has_left, turn_valid;
  logic [1:0][Blocks-1:0]                       block, blocks_behind;
  logic [1:0][BlockWidth-1:0]                behind;
  logic [1:0][Queues-1:0]                    turn_vl, with_entry;
  logic [1:0][Entries-1:0][Queues-1:0]       entry_vl;
  logic [1:0][QueueWidth-1:0]                turn_vl_index;
  logic [1:0][EntryWidth-1:0]                position, lazy_cur;
  logic [1:0][7:0]                           lazy_remaining;

  assign block         = {u_engine.u_low.block_q, u_engine.u_high.block_q};
  assign blocks_behind = {u_engine.u_low.blocks_behind_q, u_engine.u_high.blocks_behind_q};
  assign behind        = {u_engine.u_low.behind_q, u_engine.u_high.behind_q};
  assign turn_vl       = {u_engine.u_low.vl, u_engine.u_high.vl};
  assign turn_vl_index = {u_engine.u_low.vl_index, u_engine.u_high.vl_index};
  assign with_entry    = {u_engine.u_low.served, u_engine.u_high.served};
  assign entry_vl      = {u_engine.u_low.entry_vl, u_engine.u_high.entry_vl};
  assign has_left      = {u_engine.u_low.has_left_o, u_engine.u_high.has_left_o};

  for (genvar t = 0; t < 2; t++) begin : g_coupling
    assign nobody[t]   = block[t] == '0;
    assign position[t] = nobody[t] ? last_entry[t] : EntryWidth'(current[t]);
    assign lazy_cur[t] = has_left[t] ? position[t] : (position[t] == last_entry[t]) ? '0 : position[t] + 1'b1;
    assign lazy_remaining[t] = has_left[t] ? remaining[t] : weight[t][lazy_cur[t]];
    always_comb begin
      turn_valid[t] = 32'(position[t]) <= 32'(last_entry[t]);
      if (nobody[t]) begin
        turn_valid[t] &= ~has_left[t] & (blocks_behind[t] == '0);
      end else begin
        for (int unsigned b = 0; b < Blocks; b++) begin
          turn_valid[t] &= block[t][b] == (b == 32'(position[t]) / BlockWidth);
          turn_valid[t] &= blocks_behind[t][b] == (b > 32'(position[t]) / BlockWidth);
        end
        for (int unsigned i = 0; i < BlockWidth; i++) begin
          turn_valid[t] &= behind[t][i] == (i > 32'(position[t]) % BlockWidth);
        end
      end
      // The VL of each entry: from the second cycle of a table on, where it is registered.
      for (int unsigned e = 0; e < Entries; e++) begin
        turn_valid[t] &= (IdleAfterLoad & loaded_q) |
                         (entry_vl[t][e] == (Queues'(used[t][e] & (weight[t][e] != '0)) << vl[t][e]));
      end
      turn_valid[t] &= (IdleAfterLoad & loaded_q) | (with_entry[t] == served_by[t]);
      if (has_left[t]) begin
        turn_valid[t] &= turn_vl[t] == (Queues'(1) << vl[t][position[t]]);
        turn_valid[t] &= turn_vl_index[t] == vl[t][position[t]];
        turn_valid[t] &= (remaining[t] != '0) & (remaining[t] <= weight[t][position[t]]);
      end
    end
  end

  // The room below the limit is kept in flits: room and bytes are the limit, unless nothing is counted. With
  // the limit 255 neither matters.
  logic [21:0] room_bytes, counted_bytes;
  logic        room_valid;

  assign room_bytes    = u_engine.room_q << flit_bytes_log2;
  assign counted_bytes = 22'(u_engine.bytes_q);
  assign room_valid    = (u_engine.no_bytes_q == (u_engine.bytes_q == '0)) &
      ((u_engine.counted_q == '0) == (u_engine.counted_flits == '0)) &
      ((limit == 8'd255) | (u_engine.no_bytes_q & (u_engine.counted_q == '0)) |
       ((room_bytes + counted_bytes == {2'b0, limit, 12'b0}) &
        (22'(signed'(u_engine.room_q)) == 22'((signed'(room_bytes)) >>> flit_bytes_log2)) &
        (counted_bytes < {2'b0, limit, 12'b0} + (22'(MaxPacketFlits) << flit_bytes_log2) + 22'(limit == '0)) &
        ((u_engine.counted_q == '0) | (counted_bytes < {2'b0, limit, 12'b0}) | u_engine.no_bytes_q)));

  logic state_equal, low_valid;

  assign state_equal = (cur == lazy_cur) & (expected_remaining == lazy_remaining) & (hi_bytes == high_bytes) &
                       (in_low_turn == expected_in_low_turn);
  assign low_valid   = ~(u_engine.last_low_q & (u_engine.counted_q != '0));

  assign not_coupled_o = rst_n & ~(state_equal & (&turn_valid) & room_valid & low_valid);

  // Properties of the engine's outputs.
  logic [Queues-1:0] served;
  assign served = served_by[0] | served_by[1];

  grant_properties #(
    .Queues(Queues)
  ) u_properties (.*, .asked(request));

  // Nothing overflows: what remains is never above the weight of the entry that it remains to.
  always_comb begin
    overflows_o = 1'b0;
    for (int unsigned t = 0; t < 2; t++) begin
      if (remaining[t] != '0) overflows_o |= rst_n & (remaining[t] > weight[t][EntryWidth'(current[t])]);
    end
  end

  // The limit is exceeded by less than one packet.
  assign limit_exceeded_o = rst_n & (limit != 8'd255) & (high_bytes != '0) &
      (21'(high_bytes) >= 21'({limit, 12'b0}) + (21'(MaxPacketFlits) << flit_bytes_log2) + 21'(limit == '0));

  // To be seen: a low turn that goes on while the high table is ready.
  assign cover_low_turn_o = rst_n & grant_valid & in_low_turn & u_engine.sends_low & u_engine.high_ready;

endmodule
