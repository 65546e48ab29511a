// infiniband: a high and a low VL arbitration table, and LimitOfHighPriority. A queue is a VL.
//
// Paper: Cano-Cano et al., "A methodology to enable QoS provision on InfiniBand hardware", 2021,
// Sect. 2. What a low turn is, is told in docs/policies/infiniband.md.
//
// State: of each table the current entry and what is left of its weight (qosarb_vl_table); the
// bytes that count of the high table since the last low turn; whether the last packet was low.
// Algorithm:
//   1. Both tables find what they would send, side by side.
//   2. A low entry that is part-way through its turn sends, as long as its VL is active; unless
//      `low_turn_packet_i` ends each low turn after one packet.
//   3. Else the high table sends if it is ready and open, and the bytes count. It is open when the
//      limit is 255; when it is 0 and no byte was counted; when the bytes are less than 4096 times
//      the limit; and whenever a low turn has just ended, which sets the bytes to 0.
//   4. Else the low table sends if it is ready.
//   5. Else the high table sends, if it is ready, and the bytes do not count.
//   6. A grant only notes the queue. In the next cycle, while the next searches run, the table that
//      sent the packet pays for it, and what counts is added up. It is compared with the room that
//      the limit had left, which is kept in flits beside the bytes, so that one carry chain for each
//      queue tells whether the table is open, whichever was granted. A limit is a whole number of
//      flits. That the room is more than any packet needs shows a cycle before, in all but its last
//      flits, so a chain is no longer than a length. The units that each head costs are made in its
//      own cycle, beside the searches.
// A low turn that its VL cuts short, being inactive, ends at the next arbitration before all else.
// A head of 0 flits counts as one of 1.
// With IdleAfterLoad what each table needs of its entries stands in registers. In the cycle after a load that is still
// of the old tables, after a reset of none; a port that decides by the cycle before requests nothing in it.
//
// Bound: between two turns of the low table, while that is ready, the high one sends at most 4096 times the limit
// and what its last packet overdraws: one packet with a limit of 0, without bound with 255. Within its table an entry
// waits for the sum of the other weights, each rounded up to whole packets. One decision a cycle, every cycle.
// Width: 20 bits of bytes hold more than the greatest limit that closes the high table.

module qosarb_infiniband #(
  parameter  int unsigned Queues         = 8,   // VLs, without VL15
  parameter  int unsigned Entries        = 64,  // of each table
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  bit          IdleAfterLoad  = 1'b0,  // no request comes in the cycle after a load or a reset
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,

  // The tables in force. A cycle with `load_i` is the last of the tables that stand in it; at its
  // end the state starts over.
  input  logic                               load_i,
  input  logic [Entries-1:0]                 high_used_i,        // ones up to the last entry
  input  logic [Entries-1:0][QueueWidth-1:0] high_vl_i,
  input  logic [Entries-1:0][7:0]            high_weight_i,      // units of 64 bytes
  input  logic [Entries-1:0]                 low_used_i,
  input  logic [Entries-1:0][QueueWidth-1:0] low_vl_i,
  input  logic [Entries-1:0][7:0]            low_weight_i,
  input  logic [7:0]                         limit_i,            // units of 4096 bytes
  input  logic                               low_turn_packet_i,
  input  logic [2:0]                         flit_bytes_log2_i,  // 1 to 128 bytes

  // The candidates: the head of each queue, its length in flits, and whether it is stopped.
  input  logic [Queues-1:0]                  valid_i,
  input  logic [Queues-1:0]                  stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]  flits_i,

  // The link can take a packet; the answer comes in the same cycle.
  input  logic                               request_i,
  output logic                               grant_valid_o,
  output logic [Queues-1:0]                  grant_o,
  output logic [QueueWidth-1:0]              grant_queue_o,

  // State, for reading. A table with nothing remaining is at the entry behind its current one.
  output logic [7:0]                         current_o,          // of the high table
  output logic [7:0]                         remaining_o,
  output logic [7:0]                         low_current_o,
  output logic [7:0]                         low_remaining_o,
  output logic [19:0]                        high_bytes_o,
  output logic                               in_low_turn_o
);

  if (Queues < 1 || Queues > 15) begin : g_check_queues
    $error("qosarb_infiniband: Queues must be within 1..15, without VL15");
  end
  if (Entries < 1 || Entries > 64) begin : g_check_entries
    $error("qosarb_infiniband: Entries must be within 1..64");
  end
  if (MaxPacketFlits < 1 || MaxPacketFlits > 65535) begin : g_check_flits
    $error("qosarb_infiniband: MaxPacketFlits must be within 1..65535");
  end

  // Nothing is granted in a reset, which needs no edge of the clock.
  logic request;

  assign request = request_i & rst_ni;

  localparam int unsigned BytesWidth = FlitsWidth + 7;
  localparam int unsigned SpentWidth = BytesWidth - 6;
  localparam int unsigned SumWidth   = ((BytesWidth > 20) ? BytesWidth : 20) + 1;
  localparam int unsigned RoomWidth  = ((FlitsWidth > 20) ? FlitsWidth : 20) + 2;

  // The last cycle's grant if it was of the high table and counted, of the high, and of the low
  // one; the heads that it chose from, and what they cost in units of weight.
  logic [Queues-1:0]                 counted_q, sent_high_q, sent_low_q;
  logic [Queues-1:0][FlitsWidth-1:0] flits_q;
  logic [Queues-1:0][SpentWidth-1:0] units_d, units_q;

  logic        last_low_d, last_low_q;  // the last packet was low, and its turn not cut short

  // The bytes of the high table without the last cycle's grant, whether that is as many as can be
  // (then bytes_q does not count), whether there are none, and the flits from them up to the limit,
  // in two's complement. In the first cycle of tables only the former three count.
  logic [19:0]          bytes_d, bytes_q;
  logic                 full, full_d, full_q;
  logic                 no_bytes_d, no_bytes_q;
  logic [RoomWidth-1:0] room_d, room_q;
  logic                 plenty_d, plenty_q;  // more than any packet needs

  // 6. What each head costs, in whole units, and what the last cycle's grant costs.
  logic [FlitsWidth-1:0] counted_flits;
  logic [BytesWidth-1:0] counted_bytes;
  logic [SpentWidth-1:0] spent_high, spent_low;
  logic [Queues-1:0]     part_of_units;  // beside the whole ones

  logic [Queues-1:0][FlitsWidth-1:0] head_flits;  // as they count

  for (genvar q = 0; q < Queues; q++) begin : g_cost
    logic [BytesWidth-1:0] head_bytes;
    assign head_flits[q]    = flits_i[q] | FlitsWidth'(flits_i[q] == '0);
    assign head_bytes       = BytesWidth'(head_flits[q]) << flit_bytes_log2_i;
    assign part_of_units[q] = head_bytes[5:0] != '0;
    assign units_d[q]       = head_bytes[BytesWidth-1:6] + SpentWidth'(part_of_units[q]);
  end

  always_comb begin
    counted_flits = '0;
    spent_high    = '0;
    spent_low     = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      counted_flits |= flits_q[q] & {FlitsWidth{counted_q[q]}};
      spent_high    |= units_q[q] & {SpentWidth{sent_high_q[q]}};
      spent_low     |= units_q[q] & {SpentWidth{sent_low_q[q]}};
    end
  end

  assign counted_bytes = BytesWidth'(counted_flits) << flit_bytes_log2_i;

  // 1. The tables.
  logic [Queues-1:0]     active, high_vl, low_vl;
  logic [QueueWidth-1:0] high_vl_index, low_vl_index;

  logic              high_ready, low_ready, low_goes_on, low_has_left, sends_high, sends_low;
  logic              may_send_high, may_send_low;
  logic              in_low_turn, cut_short, unused_high_goes_on, unused_high_has_left;

  assign active = valid_i & ~stopped_i;

  qosarb_vl_table #(
    .Queues       (Queues),
    .Entries      (Entries),
    .SpentWidth   (SpentWidth),
    .IdleAfterLoad(IdleAfterLoad)
  ) u_high (
    .clk_i,
    .rst_ni,
    .load_i,
    .entry_used_i  (high_used_i),
    .entry_vl_i    (high_vl_i),
    .entry_weight_i(high_weight_i),
    .spent_i       (spent_high),
    .active_i      (active),
    .ready_o       (high_ready),
    .goes_on_o     (unused_high_goes_on),
    .send_i        (may_send_high),
    .end_turn_i    (1'b0),
    .vl_o          (high_vl),
    .vl_index_o    (high_vl_index),
    .has_left_o    (unused_high_has_left),
    .current_o     (current_o),
    .remaining_o   (remaining_o)
  );

  qosarb_vl_table #(
    .Queues       (Queues),
    .Entries      (Entries),
    .SpentWidth   (SpentWidth),
    .IdleAfterLoad(IdleAfterLoad)
  ) u_low (
    .clk_i,
    .rst_ni,
    .load_i,
    .entry_used_i  (low_used_i),
    .entry_vl_i    (low_vl_i),
    .entry_weight_i(low_weight_i),
    .spent_i       (spent_low),
    .active_i      (active),
    .ready_o       (low_ready),
    .goes_on_o     (low_goes_on),
    .send_i        (may_send_low),
    .end_turn_i    (cut_short),
    .vl_o          (low_vl),
    .vl_index_o    (low_vl_index),
    .has_left_o    (low_has_left),
    .current_o     (low_current_o),
    .remaining_o   (low_remaining_o)
  );

  // 2. The low turn.
  assign in_low_turn = last_low_q & ~low_turn_packet_i & low_has_left;
  assign cut_short   = request & in_low_turn & ~low_goes_on;

  // 3. Whether the high table is open. Without a low turn that goes on, a low packet has just ended
  //    one. With no byte it is open by any limit.
  //    But with a limit of 255, the room is never below one packet less than none: what is no plenty is short.
  localparam int unsigned ShortWidth = FlitsWidth + 2;

  logic [SumWidth-1:0]   sum;
  logic [RoomWidth-1:0]  limit_flits;
  logic [ShortWidth-1:0] short_room;  // two's complement
  logic [Queues-1:0]     leaves_room;  // if that queue's packet counts
  logic                  no_bytes, has_room, high_open;

  assign sum           = SumWidth'(bytes_q) + SumWidth'(counted_bytes);
  assign limit_flits   = RoomWidth'({limit_i, 12'b0}) >> flit_bytes_log2_i;
  assign short_room    = room_q[ShortWidth-1:0];
  assign has_room      = (counted_q == '0) ? ~short_room[ShortWidth-1] & (short_room != '0)
                                           : |(counted_q & leaves_room);
  assign no_bytes      = no_bytes_q & (counted_q == '0);
  assign high_open     = last_low_q | (limit_i == 8'd255) | no_bytes | plenty_q | has_room;

  for (genvar q = 0; q < Queues; q++) begin : g_room
    logic [ShortWidth-1:0] room_less_one;  // two's complement
    assign room_less_one  = short_room + ~ShortWidth'(flits_q[q]);
    assign leaves_room[q] = ~room_less_one[ShortWidth-1];
  end

  // 2. to 5. The choice. Each table may send unless the other one goes first; if it is not ready
  // itself, it sends nothing.
  logic low_turn_goes_on;

  assign low_turn_goes_on = last_low_q & ~low_turn_packet_i & low_goes_on;
  assign may_send_high    = request & ~low_turn_goes_on & (high_open | ~low_ready);
  assign may_send_low     = request & (low_turn_goes_on | ~(high_ready & high_open));
  assign grant_valid_o    = request & (high_ready | low_ready);
  assign grant_o          = high_vl | low_vl;
  assign grant_queue_o    = high_vl_index | low_vl_index;
  assign sends_high       = may_send_high & high_ready;
  assign sends_low        = may_send_low & low_ready;

  // The bytes, as they stand after the last cycle's grant.
  logic low_turn_over;

  assign low_turn_over = last_low_q & ~in_low_turn;
  assign full          = full_q | ((sum >> 20) != '0);

  // The state after this cycle.
  always_comb begin
    last_low_d  = last_low_q;
    bytes_d     = sum[19:0];
    full_d      = full;
    no_bytes_d  = no_bytes | low_turn_over | cut_short;
    room_d      = no_bytes_d ? limit_flits : room_q - RoomWidth'(counted_flits);
    plenty_d    = no_bytes_d ? (limit_flits >> (FlitsWidth + 1)) != '0
                             : (room_q[RoomWidth-2:FlitsWidth+1] != '0) & ~room_q[RoomWidth-1];
    if (sends_low)                    last_low_d = 1'b1;
    else if (sends_high || cut_short) last_low_d = 1'b0;
    if (low_turn_over || cut_short || load_i) begin
      bytes_d     = '0;
      full_d      = 1'b0;
    end
    if (load_i) begin
      last_low_d  = 1'b0;
      no_bytes_d  = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_low_q  <= 1'b0;
      sent_high_q <= '0;
      sent_low_q  <= '0;
      counted_q   <= '0;
      bytes_q     <= '0;
      full_q      <= 1'b0;
      no_bytes_q  <= 1'b1;
      room_q      <= '0;
      plenty_q    <= 1'b0;
      units_q     <= '0;
      flits_q     <= '0;
    end else begin
      last_low_q  <= last_low_d;
      bytes_q     <= bytes_d;
      full_q      <= full_d;
      no_bytes_q  <= no_bytes_d;
      room_q      <= room_d;
      plenty_q    <= plenty_d;
      units_q     <= units_d;
      counted_q   <= high_vl & {Queues{high_open & ~load_i}};
      sent_high_q <= high_vl & {Queues{~load_i}};
      sent_low_q  <= low_vl & {Queues{~load_i}};
      flits_q     <= head_flits;
    end
  end

  assign high_bytes_o  = (sum[19:0] | {20{full}}) & {20{~low_turn_over}};
  assign in_low_turn_o = in_low_turn;

endmodule
