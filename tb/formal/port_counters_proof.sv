// qosarb_port_counters beside counters as they are meant: each adds what happens to it when it happens, a clear sets all
// of them to 0, a snapshot copies all of them. Any events, clears and snapshots while none is busy, any reads, and a reset
// at any time.

module port_counters_proof #(
  parameter  int unsigned Queues         = 1,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  int unsigned CountWidth     = 8,
  parameter  int unsigned Others         = 2,
  localparam int unsigned Counters       = 4 * Queues + Others,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned IndexWidth     = $clog2(Counters)
) (
  input  logic                              clk_i,
  input  logic                              reset_i,
  input  logic                              clear_i,
  input  logic                              snapshot_i,
  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0]                 stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,
  input  logic                              grant_valid_i,
  input  logic [QueueWidth-1:0]             grant_queue_i,
  input  logic [Queues-1:0]                 drop_i,
  input  logic [Others-1:0]                 others_i,
  input  logic [Others-1:0]                 late_others_i,
  input  logic                              read_i,
  input  logic [IndexWidth-1:0]             read_index_i,

  output logic                              not_coupled_o,
  output logic                              reads_otherwise_o,
  output logic                              busy_too_long_o,
  output logic                              busy_unasked_o,
  output logic                              cover_wraps_o,
  output logic                              cover_reads_o
);

  localparam int unsigned FlitsFrom = Others - 1;  // the last one counts the winner's flits

  typedef logic [CountWidth-1:0] count_t;
  typedef logic [IndexWidth:0]   distance_t;

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  logic              clear, snapshot, busy, cycled_q, swept_q;
  logic [Others-1:0] late_others;
  logic [Queues-1:0] grant;
  count_t            read_value;
  logic [31:0]       unused_wait;

  assign clear    = clear_i & ~busy;
  assign snapshot = snapshot_i & ~busy & ~clear_i;

  // Before the first cycle behind a reset there is none of which something could be known late. In the third one the
  // first visit has come to its write.
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      cycled_q <= 1'b0;
      swept_q  <= 1'b0;
    end else begin
      cycled_q <= 1'b1;
      swept_q  <= cycled_q;
    end
  end

  assign late_others = late_others_i & {Others{cycled_q}};
  assign grant       = (Queues'(grant_valid_i) << grant_queue_i);

  qosarb_port_counters #(
    .Queues        (Queues),
    .MaxPacketFlits(MaxPacketFlits),
    .CountWidth    (CountWidth),
    .Others        (Others),
    .FlitsFrom     (FlitsFrom),
    .FlitsCount    (1)
  ) u_engine (
    .clk_i,
    .rst_ni           (rst_n),
    .clear_i          (clear),
    .snapshot_i       (snapshot),
    .busy_o           (busy),
    .valid_i,
    .stopped_i,
    .flits_i,
    .grant_i          (grant),
    .drop_i,
    .others_i,
    .late_others_i    (late_others),
    .read_i,
    .read_index_i,
    .read_value_o     (read_value),
    .read_wait_i      (1'b0),
    .read_wait_queue_i('0),
    .read_wait_o      (unused_wait)
  );

  // What happened in the last cycle, and how much each counter adds for it.
  logic [Queues-1:0]                 granted_q, blocked_q, waiting_q;
  logic [Queues-1:0][FlitsWidth-1:0] length_q;
  logic [Others-1:0]                 others_q;
  logic [FlitsWidth-1:0]             sent;
  count_t [Counters-1:0]             amount, count_q, count, taken_q;  // taken: by the last snapshot

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      granted_q <= '0;
      blocked_q <= '0;
      waiting_q <= '0;
      length_q  <= '0;
      others_q  <= '0;
    end else begin
      granted_q <= grant;
      blocked_q <= valid_i & stopped_i;
      waiting_q <= valid_i & ~stopped_i & ~grant;
      others_q  <= others_i;
      for (int unsigned q = 0; q < Queues; q++) begin
        length_q[q] <= (flits_i[q] == '0) ? FlitsWidth'(1) : flits_i[q];
      end
    end
  end

  always_comb begin
    sent = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      amount[q]              = count_t'(granted_q[q]);
      amount[Queues + q]     = granted_q[q] ? count_t'(length_q[q]) : '0;
      amount[2 * Queues + q] = count_t'(blocked_q[q]);
      amount[3 * Queues + q] = count_t'(waiting_q[q]);
      if (granted_q[q]) sent = length_q[q];
    end
    for (int unsigned o = 0; o < Others; o++) begin
      amount[4 * Queues + o] = (others_q[o] | late_others[o]) ? (o == FlitsFrom) ? count_t'(sent) : count_t'(1) : '0;
    end
    for (int unsigned c = 0; c < Counters; c++) count[c] = clear ? '0 : count_q[c] + amount[c];
  end

  count_t expected_q;
  logic   read_q;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      count_q    <= '0;
      taken_q    <= '0;
      read_q     <= 1'b0;
      expected_q <= '0;
    end else begin
      count_q <= count;
      if (snapshot) taken_q <= count;
      read_q <= read_i & ~busy & (32'(read_index_i) < Counters);
      if (32'(read_index_i) < Counters) expected_q <= taken_q[read_index_i];
    end
  end

  logic [31:0] busy_q;   // for so many cycles
  logic        asked_q;  // for what it is busy with

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      busy_q  <= '0;
      asked_q <= 1'b0;
    end else begin
      busy_q  <= busy ? busy_q + 32'd1 : '0;
      asked_q <= snapshot | (asked_q & busy);
    end
  end

  // Coupling. A counter is what its word in the memory will be, with what is on its way there, and what its registers
  // hold; and so is a snapshot, with the copy of the registers, until the sweep has come by. What is summed and written
  // behind a reset before the first visit has come so far, if anything is, goes to words that are still to be cleared.
  // Cycles until the sweep comes by:
  distance_t [Counters-1:0] distance;
  count_t    [Counters-1:0] word, copied;
  count_t                   on_its_way, copied_on_its_way;
  logic                     coupled;

  for (genvar c = 0; c < Counters; c++) begin : g_counter
    assign distance[c] = (distance_t'(c) >= distance_t'(u_engine.visit_q))
                             ? distance_t'(c) - distance_t'(u_engine.visit_q)
                             : distance_t'(c) + distance_t'(Counters) - distance_t'(u_engine.visit_q);
    assign word[c]     = u_engine.u_counters.words_q[c];
    assign copied[c]   = u_engine.u_snapshot.words_q[c];
  end

  assign on_its_way        = u_engine.so_far + count_t'(u_engine.taken_q);
  assign copied_on_its_way = u_engine.so_far + count_t'(u_engine.copied_q);

  always_comb begin
    coupled = (32'(u_engine.visit_q) < Counters) & (u_engine.visited_q == (Counters'(1) << u_engine.visit_q)) &
              (32'(u_engine.clear_left_q) <= Counters) & (32'(u_engine.snapshot_left_q) <= Counters) &
              (u_engine.sums_q | ~cycled_q) & (u_engine.writes_q | ~swept_q);
    if (!swept_q) begin
      coupled &= (32'(u_engine.clear_left_q) == Counters) & (u_engine.snapshot_left_q == '0) & ~u_engine.copies_q &
                 ~u_engine.writes_copy_q;
    end
    coupled &= (u_engine.granted_q == granted_q) & (u_engine.is_blocked_q == blocked_q) &
               (u_engine.is_waiting_q == waiting_q) & (u_engine.others_q == others_q) &
               ((granted_q & (granted_q - 1'b1)) == '0);
    coupled &= cycled_q ? u_engine.flits_q == length_q : (granted_q == '0) & ~u_engine.stays_q & ~swept_q;
    // The way of a snapshot: its beginning, its copies, a cycle behind the visits, and the writes behind them.
    if (u_engine.snaps_q) begin
      coupled &= u_engine.stays_q & (u_engine.snapshot_left_q == '0) & ~u_engine.copies_q & ~u_engine.writes_copy_q &
                 (busy_q == '0);
    end else if (u_engine.snapshot_left_q != '0) begin
      coupled &= u_engine.stays_q;
      coupled &= u_engine.copies_q == (32'(u_engine.snapshot_left_q) < Counters);
      coupled &= u_engine.writes_copy_q == (32'(u_engine.snapshot_left_q) < Counters - 1);
      coupled &= busy_q + 32'(u_engine.snapshot_left_q) == Counters + 1;
    end else if (u_engine.copies_q) begin
      coupled &= u_engine.stays_q & u_engine.writes_copy_q & (busy_q == Counters + 1);
    end else if (u_engine.writes_copy_q) begin
      coupled &= u_engine.stays_q & (busy_q == Counters + 2);
    end
    if (!u_engine.has_snapshot_q && busy && !u_engine.snaps_q) coupled &= 32'(u_engine.snapshot_left_q) >= Counters - 2;
    for (int unsigned c = 0; c < Counters; c++) begin
      automatic logic     is_flits = (c >= Queues && c < 2 * Queues) || c == Counters - 1;
      automatic logic     summed   = u_engine.sums_q && 32'(u_engine.summed_q) == c;
      automatic logic     written  = u_engine.writes_q && 32'(u_engine.written_q) == c;
      automatic count_t   base     = word[c];
      automatic logic [31:0] cycles;  // since the last visit

      if (cycled_q) coupled &= summed == (distance[c] == distance_t'(Counters - 1));
      if (swept_q) coupled &= written == (distance[c] == distance_t'(Counters - 2));

      if (distance[c] < distance_t'(u_engine.clear_left_q)) base = '0;
      else if (summed)                                      base = on_its_way;
      else if (written)                                     base = u_engine.total;
      cycles = (distance[c] == '0) ? Counters : Counters - 32'(distance[c]);
      if (u_engine.stays_q) begin
        coupled &= count_q[c] == base + count_t'(u_engine.low[c]);
        coupled &= 32'(u_engine.low[c]) <= cycles * (is_flits ? (2 ** FlitsWidth) - 1 : 1);
      end else begin
        coupled &= count_q[c] == '0;
      end

      if (u_engine.snaps_q) begin
        coupled &= taken_q[c] == count_q[c];
      end else if (distance[c] < distance_t'(u_engine.snapshot_left_q)) begin
        coupled &= taken_q[c] == base + count_t'(u_engine.copy[c]);
      end else if (summed && u_engine.copies_q) begin
        coupled &= taken_q[c] == copied_on_its_way;
      end else if (written && u_engine.writes_copy_q) begin
        coupled &= taken_q[c] == u_engine.copied_total;
      end else begin
        coupled &= taken_q[c] == (u_engine.has_snapshot_q ? copied[c] : '0);
      end
    end
    if (read_q) coupled &= read_value == expected_q;
  end

  assign not_coupled_o = rst_n & ~coupled;

  // A snapshot that is over reads as all counters were in its cycle; it is over in time.
  assign reads_otherwise_o = rst_n & read_q & (read_value != expected_q);
  assign busy_too_long_o   = rst_n & busy & (busy_q + 32'(u_engine.snapshot_left_q) > Counters + 2);

  // None is taken that nobody asked for: a busy port refuses clears and snapshots.
  assign busy_unasked_o = rst_n & busy & ~asked_q;

  // To be seen: a counter wraps; a snapshot is read that is not 0.
  assign cover_wraps_o = rst_n & ~clear & (count[Queues] < count_q[Queues]);
  assign cover_reads_o = rst_n & read_q & (read_value != '0);

endmodule
