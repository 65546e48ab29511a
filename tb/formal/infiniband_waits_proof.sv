// How long an entry of infiniband waits whose VL can send at every arbitration, whatever the others do: four bounds, in
// bytes. Entries of weight 0 do not count.
//
//   1. Of either table: before an entry each other one that stands between it and the entry of its VL before it sends one
//      turn at most: 64 bytes for each unit of its weight but one, and a longest packet. All other entries of the table
//      send nothing. And no entry is passed.
//   2. The high table, while any of its VLs can send, waits for one turn of the low one; with low turns of a packet, for
//      one packet.
//   3. The low table waits for less than the limit and a packet; with a limit of 0 for a packet; with 255 for ever.
//   4. The high table, while any of its VLs can send, sends the limit or more from the begin of one low turn to that of the
//      next; with a limit of 0 a packet; with 255 no low turn begins.
//
// So before a VL of the high table others send the turns of 1, one low turn, and one more for each limit that there is in
// the turns of 1; before one of the low table the turns of 1, and what 3 says before each low turn in them and its own.
//
// Why: 1. an entry has still to send what is left of its turn, or a turn if it is on the way, and else nothing; 2. what is
// left of the low turn, if one goes on, or any turn if the high table is closed; 3. what is left of the limit, and a
// packet. Each of them and what has been sent is never more than the bound.
//
// infiniband_proof couples the engine and its specification; the waits are observed here, as the engine grants.

module infiniband_waits_proof
  import clamp_pkg::clamped;
#(
  parameter  int unsigned Queues         = 3,
  parameter  int unsigned Entries        = 3,  // of each table
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  bit          IdleAfterLoad  = 1'b0,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned PairParts      = Queues + 4 * Entries + 28,
  localparam int unsigned Parts          = PairParts + Entries + 17
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
  input  logic                                    watched_table_i,  // the entry that waits
  input  logic [EntryWidth-1:0]                   watched_entry_i,
  input  logic [EntryWidth-1:0]                   other_entry_i,    // another one of that table
  input  logic [EntryWidth-1:0]                   longest_entry_i,  // of the low table

  output logic                                    not_bounded_o,
  output logic [Parts:0]                          parts_o,
  output logic                                    waits_too_long_o,
  output logic                                    passed_over_o,
  output logic                                    low_turn_too_long_o,
  output logic                                    high_too_long_o,
  output logic                                    low_turn_too_early_o,
  output logic                                    cover_longest_wait_o,
  output logic                                    cover_longest_low_turn_o,
  output logic                                    cover_limit_exceeded_o,
  output logic                                    cover_low_turn_on_limit_o
);

  // Bytes: of a turn, or of a limit and a packet.
  localparam int unsigned BytesWidth = ((FlitsWidth + 7 > 20) ? FlitsWidth + 7 : 20) + 2;

  typedef logic [BytesWidth-1:0] bytes_t;

  logic unused_coupled, differs, unused_two, unused_inactive, unused_idle, unused_overflows, unused_exceeded,
        unused_low_turn, unused_shows;
  logic [PairParts:0] unused_parts;

  infiniband_proof #(
    .Queues        (Queues),
    .Entries       (Entries),
    .MaxPacketFlits(MaxPacketFlits),
    .IdleAfterLoad (IdleAfterLoad)
  ) u_pair (
    .clk_i,
    .reset_i,
    .load_i,
    .last_entry_i,
    .vl_i,
    .weight_i,
    .limit_i,
    .low_turn_packet_i,
    .flit_bytes_log2_i,
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i,
    .not_coupled_o      (unused_coupled),
    .parts_o            (unused_parts),
    .differs_o          (differs),
    .two_grants_o       (unused_two),
    .grant_to_inactive_o(unused_inactive),
    .idle_with_active_o (unused_idle),
    .overflows_o        (unused_overflows),
    .shows_otherwise_o  (unused_shows),
    .limit_exceeded_o   (unused_exceeded),
    .cover_low_turn_o   (unused_low_turn)
  );

  // What is sent, and by which table, as the engine has it.
  logic [1:0] sends;
  bytes_t     packet, longest, limit;

  assign sends   = {u_pair.u_engine.sends_low, u_pair.u_engine.sends_high};
  assign longest = bytes_t'(MaxPacketFlits) << u_pair.flit_bytes_log2;
  assign limit   = bytes_t'({u_pair.limit, 12'b0});

  always_comb begin
    packet = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (u_pair.grant[q]) begin
        packet |= bytes_t'(u_pair.flits[q] | FlitsWidth'(u_pair.flits[q] == '0)) << u_pair.flit_bytes_log2;
      end
    end
  end

  // A turn with so much weight: what it sends at most.
  function automatic bytes_t turn(logic [7:0] weight);
    return ((bytes_t'(weight) - 1) << 6) + longest;
  endfunction

  // Circularly, and none if both are the same.
  function automatic logic is_between(int unsigned entry, int unsigned first, int unsigned last);
    if (first == last) return 1'b0;
    return (first < last) ? entry > first && entry < last : entry > first || entry < last;
  endfunction

  // 1. The entry and another one, chosen with the tables, and where their table stands: before this cycle, with who wins
  // an arbitration, and behind this cycle, where no load comes.
  typedef logic [EntryWidth-1:0] entry_t;

  logic                  table_q;
  entry_t                entry_q, other_q, longest_q, entry, other_entry, longest_entry, cur, winner, cur_next;
  logic [7:0]            left, left_as_begun, left_next, begun;
  logic [QueueWidth-1:0] vl, other_vl;
  logic [Entries-1:0]    serves, same_vl, in_between;
  logic                  good, alone, is_next, is_served, waits, waited_q, passed_over;
  bytes_t                highest, sent, waited, cost, ahead_now, ahead_as_begun, ahead_next;
  logic                  too_long, unbounded, decided, used_up;
  logic                  not_passed, packet_equal, cost_covers, turn_pays;
  logic                  begun_bounded, stays_next, ahead_falls, next_bounded;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      table_q   <= watched_table_i;
      entry_q   <= watched_entry_i;
      other_q   <= other_entry_i;
      longest_q <= longest_entry_i;
    end
  end

  // None is beyond the tables, also before the first load.
  assign entry         = entry_t'(clamped(32'(entry_q), 0, Entries - 1));
  assign other_entry   = entry_t'(clamped(32'(other_q), 0, Entries - 1));
  assign longest_entry = entry_t'(clamped(32'(longest_q), 0, Entries - 1));

  assign cur           = u_pair.cur[table_q];
  assign winner        = u_pair.winner[table_q];
  assign cur_next      = u_pair.u_semantics.cur[table_q];
  assign left          = u_pair.expected_remaining[table_q];
  assign left_as_begun = u_pair.begun[table_q];
  assign left_next     = u_pair.u_semantics.remaining[table_q];
  assign vl            = u_pair.vl[table_q][entry];
  assign other_vl      = u_pair.vl[table_q][other_entry];
  assign good          = serves[entry];

  function automatic logic is_in(logic [Queues-1:0] queues, logic [QueueWidth-1:0] queue);
    return (32'(queue) < Queues) & queues[queue];
  endfunction

  for (genvar e = 0; e < Entries; e++) begin : g_entry
    assign serves[e]  = u_pair.used[table_q][e] & (u_pair.weight[table_q][e] != '0);
    assign same_vl[e] = serves[e] & (u_pair.vl[table_q][e] == vl);
    // Where the table may stand while the entry is the next one of its VL.
    always_comb begin
      in_between[e] = ~same_vl[e] & (e != 32'(entry));
      for (int unsigned other = 0; other < Entries; other++) begin
        if (is_between(other, e, 32'(entry))) in_between[e] &= ~same_vl[other];
      end
    end
  end

  // What the other entry can send before the one that waits, from where the table stands.
  function automatic bytes_t ahead(entry_t from, logic [7:0] rest, logic serves_other, logic [7:0] weight);
    if (!serves_other || other_entry == entry)               return '0;
    if (from == other_entry)                                   return turn(rest);
    if (is_between(32'(other_entry), 32'(from), 32'(entry))) return turn(weight);
    return '0;
  endfunction

  logic       serves_other;
  logic [7:0] other_weight;

  assign serves_other = serves[other_entry];
  assign other_weight = u_pair.weight[table_q][other_entry];
  assign highest      = (serves_other & in_between[other_entry]) ? turn(other_weight) : '0;
  assign is_next      = (cur == entry) | in_between[cur];
  assign is_served    = sends[table_q] & is_in(u_pair.grant, vl);
  assign waits        = good & is_next & ~load_i & (~u_pair.request | is_in(u_pair.active, vl));

  // What the other entry sends: if it is alone in having its VL, what that sends.
  always_comb begin
    alone = 1'b1;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (serves[e] && e != 32'(other_entry) && u_pair.vl[table_q][e] == other_vl) alone = 1'b0;
    end
  end

  assign sent = (sends[table_q] & (alone ? is_in(u_pair.grant, other_vl) : winner == other_entry)) ? packet : '0;

  waiting #(
    .Width(BytesWidth)
  ) u_waiting (
    .clk_i,
    .rst_ni     (u_pair.rst_n),
    .waits_i    (waits),
    .served_i   (is_served),
    .sent_i     (sent),
    .ahead_i    (ahead_now),
    .highest_i  (highest),
    .unbounded_o(unbounded),
    .too_long_o (too_long),
    .waited_o   (waited)
  );

  // The table does not pass the entry: another one of its VL is the next one only when its VL has been sent.
  always_ff @(posedge clk_i or negedge u_pair.rst_n) begin
    if (!u_pair.rst_n) waited_q <= 1'b0;
    else               waited_q <= waits & ~is_served;
  end

  assign passed_over = waited_q & ~is_next;

  assign waits_too_long_o = good & is_next & too_long;
  assign passed_over_o    = u_pair.rst_n & passed_over;

  // Why it is so, step by step: whom an arbitration decides for, what that pays, and what is still ahead behind it.
  assign ahead_now      = ahead(cur, left, serves_other, other_weight);
  assign ahead_as_begun = ahead(winner, left_as_begun, serves_other, other_weight);
  assign ahead_next     = ahead(cur_next, left_next, serves_other, other_weight);

  assign decided       = waits & u_pair.sends & (u_pair.sends_low == table_q);
  assign cost          = bytes_t'(u_pair.u_semantics.cost);
  assign begun         = u_pair.begun[u_pair.sends_low];
  assign used_up       = cost >= bytes_t'(begun);
  assign not_passed    = ~decided | (winner == entry) | (winner == cur) |
                         is_between(32'(winner), 32'(cur), 32'(entry));
  assign begun_bounded = ~decided | ({1'b0, waited} + {1'b0, ahead_as_begun} <= {1'b0, highest});
  assign stays_next    = ~waits | is_served | (cur_next == entry) | in_between[cur_next];
  assign packet_equal  = ~u_pair.sends | (packet == bytes_t'(u_pair.u_semantics.bytes));
  assign cost_covers   = ~u_pair.sends | ((packet <= (cost << 6)) & (packet <= longest));
  assign turn_pays     = ~u_pair.sends | (begun == '0) |
                         (used_up ? packet <= turn(begun) : packet + turn(begun - 8'(cost)) <= turn(begun));
  assign ahead_falls   = ~waits | is_served |
                         ({1'b0, sent} + {1'b0, ahead_next} <= {1'b0, decided ? ahead_as_begun : ahead_now});
  assign next_bounded  = ~waits | is_served |
                         ({1'b0, waited} + {1'b0, sent} + {1'b0, ahead_next} <= {1'b0, highest});

  // What both tables come to of what is decided; the other one stays, unless a low turn is cut short.
  logic [1:0] moves_as_decided;

  for (genvar t = 0; t < 2; t++) begin : g_moves
    logic       sends_it, used_up;
    entry_t     behind;
    logic [7:0] rest;
    assign sends_it = u_pair.sends & (32'(u_pair.sends_low) == t);
    assign used_up  = 32'(u_pair.u_semantics.cost) >= 32'(u_pair.begun[t]);
    assign behind   = ~sends_it ? u_pair.start[t] : used_up ? u_pair.behind_winner[t] : u_pair.winner[t];
    assign rest     = ~sends_it ? u_pair.left[t] :
                      used_up ? u_pair.weight[t][behind] : u_pair.begun[t] - 8'(u_pair.u_semantics.cost);
    assign moves_as_decided[t] = load_i | ((u_pair.u_semantics.cur[t] == behind) &
                                           (u_pair.u_semantics.remaining[t] == rest));
  end

  // 2. The high table waits for the low one.
  logic               open, open_next, low_turn_unbounded, low_turn_begun_bounded, low_turn_next_bounded;
  logic [1:0]         ready;
  logic [Entries-1:0] covers_entry, turn_covered;
  logic [7:0]         longest_weight;
  logic               is_longest, low_turn_too_long;
  bytes_t             low_turn_left, low_turn_left_next, longest_low_turn, low_turn_waited;

  function automatic logic is_open(logic [19:0] hi_bytes);
    return u_pair.limit == 8'd255 || (u_pair.limit == '0 && hi_bytes == '0) || bytes_t'(hi_bytes) < limit;
  endfunction

  assign open      = is_open(u_pair.hi_bytes);
  assign open_next = is_open(u_pair.u_semantics.hi_bytes);
  assign ready     = u_pair.ready | {2{~u_pair.request}};

  // Any one of the low table's entries that have the longest turn, chosen with the table.
  assign longest_weight   = u_pair.weight[1][longest_entry];
  assign is_longest       = covers_entry == '1;
  assign longest_low_turn = u_pair.low_turn_packet ? longest : turn(longest_weight);

  for (genvar e = 0; e < Entries; e++) begin : g_covers
    assign covers_entry[e] = u_pair.low_turn_packet | ~u_pair.used[1][e] | (u_pair.weight[1][e] == '0) |
                             (u_pair.weight[1][e] <= longest_weight);
    assign turn_covered[e] = ~is_longest | u_pair.low_turn_packet | ~u_pair.used[1][e] | (u_pair.weight[1][e] == '0) |
                             (turn(u_pair.weight[1][e]) <= longest_low_turn);
  end

  always_comb begin
    low_turn_left = open ? '0 : longest_low_turn;
    if (u_pair.expected_in_low_turn) low_turn_left = turn(u_pair.expected_remaining[1]);
    low_turn_left_next = open_next ? '0 : longest_low_turn;
    if (u_pair.u_semantics.in_low_turn) low_turn_left_next = turn(u_pair.u_semantics.remaining[1]);
  end

  waiting #(
    .Width(BytesWidth)
  ) u_high_waits (
    .clk_i,
    .rst_ni     (u_pair.rst_n),
    .waits_i    (ready[0] & ~load_i),
    .served_i   (sends[0]),
    .sent_i     (sends[1] ? packet : '0),
    .ahead_i    (low_turn_left),
    .highest_i  (longest_low_turn),
    .unbounded_o(low_turn_unbounded),
    .too_long_o (low_turn_too_long),
    .waited_o   (low_turn_waited)
  );

  assign low_turn_too_long_o = is_longest & low_turn_too_long;

  // Why it is so: a turn that begins or goes on is within what is left; and so is what it leaves.
  assign low_turn_begun_bounded = ~is_longest | ~u_pair.sends | ~u_pair.sends_low | u_pair.low_turn_packet |
                                  ((u_pair.begun[1] != '0) &
                                   (turn(u_pair.begun[1]) <= (u_pair.low_turn ? low_turn_left : longest_low_turn)));
  assign low_turn_next_bounded  = ~is_longest | ~ready[0] | load_i | sends[0] |
                                  ({1'b0, low_turn_waited} + {1'b0, sends[1] ? packet : '0} +
                                   {1'b0, low_turn_left_next} <= {1'b0, longest_low_turn});

  // 3. The low table waits for the high one.
  logic   high_unbounded;
  bytes_t high_left, high_most, high_waited;

  assign high_most = longest + ((u_pair.limit == '0) ? '0 : limit - 1);

  always_comb begin
    high_left = '0;
    if (u_pair.expected_in_low_turn) high_left = high_most;
    else if (open)                   high_left = high_most - bytes_t'(u_pair.hi_bytes);
  end

  waiting #(
    .Width(BytesWidth)
  ) u_low_waits (
    .clk_i,
    .rst_ni     (u_pair.rst_n),
    .waits_i    (ready[1] & (u_pair.limit != 8'd255) & ~load_i),
    .served_i   (sends[1]),
    .sent_i     (sends[0] ? packet : '0),
    .ahead_i    (high_left),
    .highest_i  (high_most),
    .unbounded_o(high_unbounded),
    .too_long_o (high_too_long_o),
    .waited_o   (high_waited)
  );

  // 4. What the high table has sent since a low turn began, if it could send all the time.
  logic   begins, begun_q, begun_early;
  bytes_t least, sent_q;

  assign begins = sends[1] & ~u_pair.u_engine.low_turn_goes_on & u_pair.ready[0];
  assign least  = (u_pair.limit == '0) ? bytes_t'(1) : limit;

  always_ff @(posedge clk_i or negedge u_pair.rst_n) begin
    if (!u_pair.rst_n) begin
      begun_q <= 1'b0;
      sent_q  <= '0;
    end else begin
      if (load_i || !ready[0]) begun_q <= 1'b0;
      else if (begins)         begun_q <= 1'b1;
      if (begins)                                 sent_q <= '0;
      else if (sends[0] && !sent_q[BytesWidth-1]) sent_q <= sent_q + packet;
    end
  end

  // Meanwhile it counts what it sends.
  assign begun_early = begun_q & ~u_pair.expected_in_low_turn & (sent_q < bytes_t'(u_pair.hi_bytes));

  assign low_turn_too_early_o = u_pair.rst_n & begins & ((u_pair.limit == 8'd255) | (begun_q & (sent_q < least)));

  // To be seen: that the bounds are met.
  assign cover_longest_wait_o      = u_pair.rst_n & good & is_next & (highest != '0) & (waited == highest);
  assign cover_longest_low_turn_o  = u_pair.rst_n & is_longest & ~u_pair.low_turn_packet & (longest_weight > 8'd1) &
                                     (low_turn_waited == longest_low_turn);
  assign cover_limit_exceeded_o    = u_pair.rst_n & (limit != '0) & (high_waited > limit);
  assign cover_low_turn_on_limit_o = u_pair.rst_n & begins & begun_q & (limit != '0) & (sent_q == least);

  by_parts #(
    .Parts(Parts)
  ) u_parts (
    .clk_i,
    .rst_n        (u_pair.rst_n),
    .holds        ({~begun_early, ~high_unbounded | (u_pair.limit == 8'd255),
                    low_turn_next_bounded, low_turn_begun_bounded, ~(is_longest & low_turn_unbounded), turn_covered,
                    next_bounded, ahead_falls, turn_pays, cost_covers, packet_equal, stays_next, moves_as_decided,
                    begun_bounded, not_passed, ~passed_over, ~(good & is_next & unbounded), u_pair.u_parts.holds}),
    .fails        (differs | waits_too_long_o | passed_over_o | low_turn_too_long_o | high_too_long_o |
                   low_turn_too_early_o),
    .not_coupled_o(not_bounded_o),
    .parts_o
  );

endmodule
