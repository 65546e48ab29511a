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
  output logic [Queues+4*Entries+28:0]            parts_o,
  output logic                                    differs_o,
  output logic                                    two_grants_o,
  output logic                                    grant_to_inactive_o,
  output logic                                    idle_with_active_o,
  output logic                                    overflows_o,
  output logic                                    shows_otherwise_o,
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
  // weight (or at none yet), where the specification is at the next one with that one's weight. It stands at none if
  // nothing is behind it, whichever blocks it stands in: so a reset may leave anything there.
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

  logic stale;  // the VL of each entry: not yet that of this table
  assign stale = IdleAfterLoad & loaded_q;

  logic [1:0] members_valid, turn_equal;

  for (genvar t = 0; t < 2; t++) begin : g_coupling
    assign nobody[t]   = ~has_left[t] & (blocks_behind[t] == '0) & ((block[t] == '0) | (behind[t] == '0));
    assign position[t] = nobody[t] ? last_entry[t] : EntryWidth'(current[t]);
    assign lazy_cur[t] = has_left[t] ? position[t] : (position[t] == last_entry[t]) ? '0 : position[t] + 1'b1;
    assign lazy_remaining[t] = has_left[t] ? remaining[t] : weight[t][lazy_cur[t]];
    always_comb begin
      turn_valid[t] = 32'(position[t]) <= 32'(last_entry[t]);
      if (!nobody[t]) begin
        for (int unsigned b = 0; b < Blocks; b++) begin
          turn_valid[t] &= block[t][b] == (b == 32'(position[t]) / BlockWidth);
          turn_valid[t] &= blocks_behind[t][b] == (b > 32'(position[t]) / BlockWidth);
        end
        for (int unsigned i = 0; i < BlockWidth; i++) begin
          turn_valid[t] &= behind[t][i] == (i > 32'(position[t]) % BlockWidth);
        end
      end
      members_valid[t] = stale | (with_entry[t] == served_by[t]);
      for (int unsigned e = 0; e < Entries; e++) begin
        members_valid[t] &= stale | (entry_vl[t][e] == (Queues'(used[t][e] & (weight[t][e] != '0)) << vl[t][e]));
      end
      if (has_left[t]) begin
        turn_valid[t] &= turn_vl[t] == (Queues'(1) << vl[t][position[t]]);
        turn_valid[t] &= turn_vl_index[t] == vl[t][position[t]];
        turn_valid[t] &= (remaining[t] != '0) & (remaining[t] <= weight[t][position[t]]);
      end
    end
    assign turn_equal[t] = (cur[t] == lazy_cur[t]) & (expected_remaining[t] == lazy_remaining[t]);
  end

  // The room below the limit is kept in flits: room and bytes are the limit, unless nothing is counted. Once the limit is
  // reached it only matters that there is none, as nothing counts then; the bytes may be as many as can be. With the
  // limit 255 neither matters.
  logic [21:0] room_bytes, counted_bytes;
  logic        no_bytes_valid, room_valid, plenty_valid;

  assign room_bytes     = u_engine.room_q << flit_bytes_log2;
  assign counted_bytes  = 22'(u_engine.bytes_q | {20{u_engine.full_q}});
  assign no_bytes_valid = (u_engine.no_bytes_q == (counted_bytes == '0)) &
                          ((u_engine.counted_q == '0) == (u_engine.counted_flits == '0));
  assign room_valid     =
      (limit == 8'd255) | (u_engine.no_bytes_q & (u_engine.counted_q == '0)) |
      ((counted_bytes >= {2'b0, limit, 12'b0}) & (u_engine.room_q[21:FlitsWidth] == '1) & (u_engine.counted_q == '0)) |
      ((room_bytes + counted_bytes == {2'b0, limit, 12'b0}) &
       (22'(signed'(u_engine.room_q)) == 22'((signed'(room_bytes)) >>> flit_bytes_log2)) &
       (counted_bytes < {2'b0, limit, 12'b0} + (22'(MaxPacketFlits) << flit_bytes_log2) + 22'(limit == '0)) &
       ((u_engine.counted_q == '0) | (counted_bytes < {2'b0, limit, 12'b0}) | u_engine.no_bytes_q));

  // Plenty is told where the room is more than any packet needs, and wherever it is more than two packets.
  assign plenty_valid   =
      (limit == 8'd255) | (u_engine.no_bytes_q & (u_engine.counted_q == '0)) |
      (u_engine.plenty_q ? ~u_engine.room_q[21] & (u_engine.room_q[20:FlitsWidth] != '0)
                         : u_engine.room_q[21] | (u_engine.room_q[20:FlitsWidth+1] == '0));

  logic bytes_equal, low_valid;

  assign bytes_equal = (hi_bytes == high_bytes) & (in_low_turn == expected_in_low_turn);
  // What is left of a low turn is left to one that goes on.
  assign low_valid   = ~(u_engine.last_low_q & (u_engine.counted_q != '0)) &
                       (u_engine.last_low_q | low_turn_packet | ~has_left[1]);

  // What is decided now follows from the state, and the next state from that. Of the specification: where each table
  // begins, which of them sends, from which entry and with how much of its weight.
  logic                              cut_short, low_turn, open, sends, sends_low, choice_equal;
  logic [19:0]                       begun_bytes;
  logic [1:0]                        ready, goes_on, unused_any, unused_found_any;
  logic [1:0][EntryWidth-1:0]        start, first, winner, found, behind_winner;
  logic [1:0][7:0]                   left, begun;
  logic [1:0][Entries-1:0]           usable, unused_passed, unused_found_passed, visits_equal;
  logic [Queues-1:0][FlitsWidth+6:0] bytes, cost;  // of each head
  logic [QueueWidth-1:0]             winner_vl;
  logic                              cost_equal, queue_equal;

  assign cut_short   = request & expected_in_low_turn & ~active[vl[1][cur[1]]];
  assign low_turn    = expected_in_low_turn & ~cut_short;
  assign begun_bytes = cut_short ? '0 : hi_bytes;
  assign open        = (limit == 8'd255) | ((limit == '0) & (begun_bytes == '0)) | (begun_bytes < {limit, 12'b0});
  assign sends       = request & (ready != '0);
  assign sends_low   = low_turn | (ready[1] & ~(ready[0] & open));

  for (genvar q = 0; q < Queues; q++) begin : g_cost
    assign bytes[q] = (FlitsWidth + 7)'(flits[q] | FlitsWidth'(flits[q] == '0)) << flit_bytes_log2;
    assign cost[q]  = (bytes[q] >> 6) + (FlitsWidth + 7)'(bytes[q][5:0] != '0);
  end

  for (genvar t = 0; t < 2; t++) begin : g_decided
    logic good;

    for (genvar e = 0; e < Entries; e++) begin : g_entry
      assign usable[t][e] = used[t][e] & (weight[t][e] != '0) & active[vl[t][e]];
    end
    assign ready[t] = usable[t] != '0;

    if (t == 0) begin : g_high
      assign start[t] = cur[t];
      assign left[t]  = expected_remaining[t];
    end else begin : g_low
      assign start[t] = ~cut_short ? cur[t] : (cur[t] == last_entry[t]) ? '0 : cur[t] + 1'b1;
      assign left[t]  = cut_short ? weight[t][start[t]] : expected_remaining[t];
    end

    circular_search #(
      .Width(Entries)
    ) u_first (
      .request_i (usable[t]),
      .position_i(start[t]),
      .any_o     (unused_any[t]),
      .index_o   (first[t]),
      .passed_o  (unused_passed[t])
    );

    assign good             = usable[t][start[t]] & (left[t] != '0);
    assign winner[t]        = good ? start[t] : first[t];
    assign begun[t]         = good ? left[t] : weight[t][first[t]];
    assign behind_winner[t] = (winner[t] == last_entry[t]) ? '0 : winner[t] + 1'b1;

    // The visits of the specification, from each entry at which they may begin.
    for (genvar e = 0; e < Entries; e++) begin : g_visits
      logic used_up;
      assign used_up = 32'(u_semantics.cost) >= 32'(begun[t]);
      assign visits_equal[t][e] =
          ~sends | (32'(sends_low) != t) | (32'(start[t]) != e) |
          ((u_semantics.vl == vl[t][winner[t]]) &
           (load_i | ((u_semantics.cur[t] == (used_up ? behind_winner[t] : winner[t])) &
                      (u_semantics.remaining[t] == (used_up ? weight[t][behind_winner[t]] :
                                                    begun[t] - 8'(u_semantics.cost))))));
    end
  end

  assign winner_vl    = vl[sends_low][winner[sends_low]];
  assign choice_equal = (u_semantics.sends == sends) &
                        (~sends | ((u_semantics.table_sent == sends_low) &
                                   (u_semantics.counts == (~low_turn & ready[0] & open))));
  assign cost_equal   = ~sends | ((u_semantics.cost == cost[winner_vl]) & (u_semantics.bytes == bytes[winner_vl]));
  assign queue_equal  = (expected_valid == sends) & (~sends | (expected_queue == winner_vl));

  // Of the engine: what its tables find, which from its position is the same, and which of them sends.
  logic [1:0]               ready_equal, goes_on_equal, found_equal, winner_same;
  logic [1:0][Entries-1:0]  request_equal;
  logic [Queues-1:0]        units_equal;
  logic                     open_equal, sender_equal;

  for (genvar q = 0; q < Queues; q++) begin : g_units
    assign units_equal[q] = (FlitsWidth + 7)'(u_engine.units_d[q]) == cost[q];
  end

`define TABLE_EQUAL(T, TABLE) \
  assign ready_equal[T]   = stale | (TABLE.ready_o == ready[T]); \
  assign goes_on_equal[T] = stale | (TABLE.goes_on_o == goes_on[T]); \
  for (genvar e = 0; e < Entries; e++) begin : g_request_``T \
    assign request_equal[T][e] = stale | \
        (TABLE.u_search.g_block[e/BlockWidth].request[e%BlockWidth] == usable[T][e]); \
  end \
  always_comb begin \
    found_equal[T] = stale | ~ready[T] | ((TABLE.found_vl == (Queues'(1) << vl[T][found[T]])) & \
                                          (TABLE.found_index == vl[T][found[T]]) & \
                                          (TABLE.found_weight == weight[T][found[T]])); \
    for (int unsigned b = 0; b < Blocks; b++) begin \
      found_equal[T] &= stale | ~ready[T] | \
                        ((TABLE.winner[b] == (b == 32'(found[T]) / BlockWidth)) & \
                         (TABLE.blocks_behind_found[b] == (b > 32'(found[T]) / BlockWidth))); \
    end \
    for (int unsigned i = 0; i < BlockWidth; i++) begin \
      found_equal[T] &= stale | ~ready[T] | (TABLE.behind_found[i] == (i > 32'(found[T]) % BlockWidth)); \
    end \
  end

  `TABLE_EQUAL(0, u_engine.u_high)
  `TABLE_EQUAL(1, u_engine.u_low)
`undef TABLE_EQUAL

  for (genvar t = 0; t < 2; t++) begin : g_found
    circular_search #(
      .Width(Entries)
    ) u_found (
      .request_i (usable[t]),
      .position_i(position[t]),
      .any_o     (unused_found_any[t]),
      .index_o   (found[t]),
      .passed_o  (unused_found_passed[t])
    );

    assign goes_on[t]     = has_left[t] & usable[t][position[t]];
    assign winner_same[t] = ~ready[t] | ((winner[t] == (goes_on[t] ? position[t] : found[t])) &
                                         (begun[t] == (goes_on[t] ? remaining[t] : weight[t][found[t]])));
  end

  assign open_equal   = ~request | low_turn | (u_engine.high_open == open);
  assign sender_equal = ~request | ((u_engine.sends_low == (sends & sends_low)) &
                                    (u_engine.sends_high == (sends & ~sends_low)) &
                                    (u_engine.cut_short == cut_short));

  // What is sent, and of it what counts against the limit.
  logic [1:0]            sent_equal;
  logic [FlitsWidth-1:0] counted;
  logic                  counted_equal, bytes_next_equal, used_up;
  logic [20:0]           sum;

  assign sent_equal[0] = u_engine.high_vl == ((sends & ~sends_low) ? Queues'(1) << winner_vl : '0);
  assign sent_equal[1] = u_engine.low_vl == ((sends & sends_low) ? Queues'(1) << winner_vl : '0);

  always_comb begin
    counted = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (u_engine.high_vl[q] && u_engine.high_open) counted |= u_engine.head_flits[q];
    end
  end

  assign counted_equal = counted == ((sends & u_semantics.counts) ?
                                     flits[winner_vl] | FlitsWidth'(flits[winner_vl] == '0) : '0);
  assign used_up       = 32'(u_semantics.cost) >= 32'(begun[1]);
  assign sum           = 21'(begun_bytes) + 21'(u_semantics.bytes);

  always_comb begin
    bytes_next_equal = 1'b1;
    if (!load_i) begin
      if (!sends) begin
        bytes_next_equal = (u_semantics.hi_bytes == begun_bytes) & (u_semantics.in_low_turn == low_turn);
      end else if (sends_low) begin
        bytes_next_equal = (u_semantics.in_low_turn == (~low_turn_packet & ~used_up)) &
                           (u_semantics.hi_bytes == ((low_turn_packet | used_up) ? '0 : begun_bytes));
      end else begin
        bytes_next_equal = ~u_semantics.in_low_turn &
                           (u_semantics.hi_bytes == (~u_semantics.counts ? begun_bytes : sum[20] ? '1 : sum[19:0]));
      end
    end
  end

  by_parts #(
    .Parts(Queues + 4 * Entries + 28)
  ) u_parts (
    .*,
    .holds({bytes_next_equal, counted_equal, sent_equal, queue_equal, cost_equal, visits_equal, choice_equal,
            sender_equal, open_equal, winner_same, found_equal, goes_on_equal, ready_equal, request_equal, units_equal,
            plenty_valid, room_valid, no_bytes_valid, low_valid, bytes_equal, turn_equal, turn_valid, members_valid}),
    .fails(differs_o | two_grants_o | grant_to_inactive_o | idle_with_active_o | overflows_o | shows_otherwise_o |
           limit_exceeded_o)
  );

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

  // The state for reading is the specification's: with nothing left it is the turn of the entry behind the current one.
  always_comb begin
    shows_otherwise_o = rst_n & ((high_bytes != hi_bytes) | (in_low_turn != expected_in_low_turn));
    for (int unsigned t = 0; t < 2; t++) begin
      if (remaining[t] != '0) begin
        shows_otherwise_o |= rst_n & ((current[t] != 8'(cur[t])) | (remaining[t] != expected_remaining[t]));
      end else begin
        shows_otherwise_o |= rst_n & ((8'(cur[t]) != ((current[t] >= 8'(last_entry[t])) ? '0 : current[t] + 1'b1)) |
                                      (expected_remaining[t] != weight[t][cur[t]]));
      end
    end
  end

  // The limit is exceeded by less than one packet.
  assign limit_exceeded_o = rst_n & (limit != 8'd255) & (high_bytes != '0) &
      (21'(high_bytes) >= 21'({limit, 12'b0}) + (21'(MaxPacketFlits) << flit_bytes_log2) + 21'(limit == '0));

  // To be seen: a low turn that goes on while the high table is ready.
  assign cover_low_turn_o = rst_n & grant_valid & in_low_turn & u_engine.sends_low & u_engine.high_ready;

endmodule
