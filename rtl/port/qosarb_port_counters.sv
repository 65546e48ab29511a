// The counters of a port, exact and wrapping: of each queue packets, flits, cycles blocked by PFC, cycles
// waiting; others, whose events come from elsewhere (see qosarb_port_pkg); and the longest wait of a head
// (see qosarb_port_waits), which is taken with the same snapshots.
//
// The lowest bits of a counter stand in registers, where events are added as they come; the whole
// stands in a memory, to which a sweep adds the registers, one counter in each cycle.
// Algorithm:
//   1. A cycle's events are registered, so that no counter lies on the path of a grant: the winner; which
//      queues had a head that was stopped (blocked); which had one that was not stopped and did not win
//      (waiting); the others; and the length of each head, of which the registered winner selects.
//   2. In the next cycle they are added to the registers.
//   3. The sweep visits one counter after the other. In the cycle of its visit a counter's word is
//      read, and what its registers hold is taken out of them, to begin with the events of that
//      cycle alone. The next cycle makes the lower half of the sum, and tells which bits of the upper half
//      flip with a carry; the one behind it flips them, and writes the sum back.
//   4. The cycle behind `snapshot_i` copies all registers at once, but for what it takes out of them itself.
//      In the next round of the sweep each word that is read, with the copy of its registers added, is the
//      counter as it stood then: nothing has been added to that word since. It goes into a second
//      memory, from which counters are read. So all counters of a snapshot are of the end of the same
//      cycle. `busy_o` is high meanwhile.
//   5. The cycle behind `clear_i` takes all registers for 0, and so the words of the next round: the events
//      of the cycle before a clear are in no counter. So does the first cycle behind a reset, so that what
//      is only counted, copied or summed needs no reset of its own. A snapshot that has not been taken since
//      the reset reads as 0.
// Exact, whatever comes: between two visits of a counter lie as many cycles as there are counters. In
// each of them its registers get one packet or cycle at most, or the flits of one head, and they are
// wide enough for that sum.
// Bound: a snapshot takes Counters + 3 cycles. 48 bits of flits, one in each 0.3 ns, last for a day; of
// cycles of 1 ns, for three.

module qosarb_port_counters #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned CountWidth     = 48,     // Bits of a counter
  parameter  int unsigned WaitWidth      = 32,     // Bits of the longest wait
  parameter  int unsigned Others         = 2,      // Counters behind those of each queue
  parameter  int unsigned FlitsFrom      = 0,      // Of these, the first that counts flits
  parameter  int unsigned FlitsCount     = 0,      // and how many do
  localparam int unsigned Counters       = 4 * Queues + Others,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned IndexWidth     = $clog2(Counters)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  // Not while `busy_o` is high, and not both.
  input  logic                              clear_i,
  input  logic                              snapshot_i,
  output logic                              busy_o,

  // The candidates of a cycle, who won it, and whose head was dropped.
  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0]                 stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,
  input  logic [Queues-1:0]                 grant_i,
  input  logic [Queues-1:0]                 drop_i,

  // What happens to the others: in this cycle, and what is known of the last one only now. Of those that
  // count flits one at most, if the winner's flits are its.
  input  logic [Others-1:0]                 others_i,
  input  logic [Others-1:0]                 late_others_i,

  // The snapshot: packets of each queue, flits, blocked, waiting, then the others. The answer comes a
  // cycle later. So does the longest wait of a queue, which stays until the next answer.
  input  logic                              read_i,
  input  logic [IndexWidth-1:0]             read_index_i,
  output logic [CountWidth-1:0]             read_value_o,
  input  logic                              read_wait_i,
  input  logic [QueueWidth-1:0]             read_wait_queue_i,
  output logic [WaitWidth-1:0]              read_wait_o
);

  // What may come between two visits.
  localparam int unsigned LowWidth      = $clog2(Counters + 1);
  localparam int unsigned LowFlitsWidth = $clog2(Counters * ((2 ** FlitsWidth) - 1) + 1);

  if (CountWidth < LowFlitsWidth) begin : g_check_width
    $error("qosarb_port_counters: CountWidth must hold what comes in a round of the sweep");
  end
  if (Others < 1) begin : g_check_others
    $error("qosarb_port_counters: Others must be at least 1, or a round of the waits' sweep is longer");
  end

  typedef logic [LowFlitsWidth-1:0] low_flits_t;
  typedef logic [IndexWidth-1:0]    index_t;
  typedef logic [IndexWidth:0]      left_t;  // of a round of the sweep

  function automatic bit is_queue_flits(int unsigned counter);
    return counter >= Queues && counter < 2 * Queues;
  endfunction

  function automatic bit is_other_flits(int unsigned counter);
    return counter >= 4 * Queues + FlitsFrom && counter < 4 * Queues + FlitsFrom + FlitsCount;
  endfunction

  // 1. The events of the last cycle. Packets and flits of a queue are the same event.
  logic [Queues-1:0]                 granted_q, is_blocked_q, is_waiting_q, head_ends_q;
  logic [Others-1:0]                 others_q;
  logic [Queues-1:0][FlitsWidth-1:0] flits_q;
  logic [FlitsWidth-1:0]             winner_flits;
  logic [Counters-1:0]               happens;
  logic                              clears, stays_q, snaps_q;  // what has been counted stays

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stays_q <= 1'b0;
      snaps_q <= 1'b0;
    end else begin
      stays_q <= ~clear_i;
      snaps_q <= snapshot_i;
    end
  end

  assign clears = ~stays_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      granted_q    <= '0;
      is_blocked_q <= '0;
      is_waiting_q <= '0;
      head_ends_q  <= '0;
      others_q     <= '0;
    end else begin
      granted_q    <= grant_i;
      is_blocked_q <= valid_i & stopped_i;
      is_waiting_q <= valid_i & ~stopped_i & ~grant_i;
      head_ends_q  <= ~valid_i | grant_i | drop_i;
      others_q     <= others_i;
    end
  end

  // A head of 0 flits counts as one of 1.
  always_ff @(posedge clk_i) begin
    for (int unsigned q = 0; q < Queues; q++) begin
      flits_q[q] <= flits_i[q] | FlitsWidth'(flits_i[q] == '0);
    end
  end

  always_comb begin
    winner_flits = '0;
    for (int unsigned q = 0; q < Queues; q++) winner_flits |= flits_q[q] & {FlitsWidth{granted_q[q]}};
  end

  assign happens = {others_q | late_others_i, is_waiting_q, is_blocked_q, granted_q, granted_q};

  // 2. The registers, and their copies.
  logic [Counters-1:0]                    visited;
  logic [Counters-1:0][LowFlitsWidth-1:0] low, copy;

  for (genvar c = 0; c < Counters; c++) begin : g_counter
    localparam int unsigned Width =
        (is_queue_flits(c) || is_other_flits(c)) ? LowFlitsWidth : LowWidth;
    logic [Width-1:0] added, kept, low_d, low_q, copy_q;

    if (is_queue_flits(c)) begin : g_queue_flits
      assign added = Width'(flits_q[c-Queues]);
    end else if (is_other_flits(c)) begin : g_other_flits
      assign added = Width'(winner_flits);
    end else begin : g_events
      assign added = Width'(1);
    end

    assign kept  = low_q & {Width{~(visited[c] | clears)}};
    assign low_d = kept + (added & {Width{happens[c]}});

    always_ff @(posedge clk_i) begin
      low_q <= low_d;
      if (snaps_q) copy_q <= kept;
    end

    assign low[c]  = low_flits_t'(low_q);
    assign copy[c] = low_flits_t'(copy_q);
  end

  // 3. The visit: what it takes, and whether it belongs to the round of a clear or a snapshot.
  index_t     visit_q;
  left_t      clear_left_q, snapshot_left_q;
  low_flits_t taken, taken_q, copied, copied_q;
  index_t     summed_q;  // the counter that was visited in the last cycle
  logic       sums_q, cleared_q, copies_q;

  // `visited_q` is the index one-hot.
  index_t visit_d;

  assign visit_d = (visit_q == index_t'(Counters - 1)) ? '0 : visit_q + 1'b1;

  logic [Counters-1:0] visited_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) visited_q <= Counters'(1);
    else         visited_q <= Counters'(1) << visit_d;
  end

  assign visited = visited_q;

  always_comb begin
    taken  = '0;
    copied = '0;
    for (int unsigned c = 0; c < Counters; c++) begin
      taken  |= low[c] & {LowFlitsWidth{visited[c]}};
      copied |= copy[c] & {LowFlitsWidth{visited[c]}};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      visit_q         <= '0;
      clear_left_q    <= left_t'(Counters);
      snapshot_left_q <= '0;
      sums_q          <= 1'b0;
      cleared_q       <= 1'b0;
      copies_q        <= 1'b0;
    end else begin
      visit_q   <= visit_d;
      sums_q    <= 1'b1;
      cleared_q <= clear_left_q != '0;
      copies_q  <= snapshot_left_q != '0;
      if (clears)                     clear_left_q <= left_t'(Counters);
      else if (clear_left_q != '0)    clear_left_q <= clear_left_q - 1'b1;
      if (snaps_q)                    snapshot_left_q <= left_t'(Counters);
      else if (snapshot_left_q != '0) snapshot_left_q <= snapshot_left_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    taken_q  <= taken;
    copied_q <= copied;
    summed_q <= visit_q;
  end

  // 3. and 4. The sums, in two halves, of which the lower one holds what a visit takes.
  localparam int unsigned LowerWidth = (CountWidth / 2 > LowFlitsWidth) ? CountWidth / 2 : LowFlitsWidth;
  localparam int unsigned UpperWidth = CountWidth - LowerWidth + 1;  // a bit more, which is dropped

  typedef logic [LowerWidth:0]   lower_t;  // with a carry
  typedef logic [UpperWidth-1:0] upper_t;

  logic [CountWidth-1:0] word, so_far, read_word, total, copied_total;
  lower_t                lower_q, copied_lower_q;
  upper_t                upper, upper_q, flips, flips_q;
  index_t                written_q;
  logic                  writes_q, writes_copy_q, has_snapshot_q;

  assign so_far = word & {CountWidth{~cleared_q}};
  assign upper  = upper_t'(so_far >> LowerWidth);

  // A carry flips the ones at the lower end of the upper half, and the zero above them: a bit below which all are
  // ones, in its group of eight and in the groups below.
  localparam int unsigned Groups = (UpperWidth + 7) / 8;

  logic [Groups-1:0][7:0] upper_group;
  logic [Groups-1:0]      has_zero;

  assign upper_group = (8 * Groups)'(upper);

  for (genvar g = 0; g < Groups; g++) begin : g_group
    localparam logic [Groups-1:0] Below = ~({Groups{1'b1}} << g);
    logic carries;
    assign has_zero[g] = upper_group[g] != '1;
    assign carries     = (has_zero & Below) == '0;
    for (genvar i = 0; i < 8; i++) begin : g_flips
      localparam logic [7:0] Lower = ~(8'hff << i);
      if (8 * g + i < UpperWidth) begin : g_bit
        assign flips[8*g+i] = carries & ((upper_group[g] & Lower) == Lower);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writes_q      <= 1'b0;
      writes_copy_q <= 1'b0;
    end else begin
      writes_q      <= sums_q;
      writes_copy_q <= copies_q;
    end
  end

  always_ff @(posedge clk_i) begin
    lower_q        <= lower_t'(so_far[LowerWidth-1:0]) + lower_t'(taken_q);
    copied_lower_q <= lower_t'(so_far[LowerWidth-1:0]) + lower_t'(copied_q);
    upper_q        <= upper;
    flips_q        <= flips;
    written_q      <= summed_q;
  end

  assign total        = CountWidth'({upper_q ^ (flips_q & {UpperWidth{lower_q[LowerWidth]}}),
                                     lower_q[LowerWidth-1:0]});
  assign copied_total = CountWidth'({upper_q ^ (flips_q & {UpperWidth{copied_lower_q[LowerWidth]}}),
                                     copied_lower_q[LowerWidth-1:0]});

  qosarb_counter_memory #(
    .Words(Counters),
    .Width(CountWidth)
  ) u_counters (
    .clk_i,
    .write_i      (writes_q),
    .write_index_i(written_q),
    .write_data_i (total),
    .read_i       (1'b1),
    .read_index_i (visit_q),
    .read_data_o  (word)
  );

  qosarb_counter_memory #(
    .Words(Counters),
    .Width(CountWidth)
  ) u_snapshot (
    .clk_i,
    .write_i      (writes_copy_q),
    .write_index_i(written_q),
    .write_data_i (copied_total),
    .read_i,
    .read_index_i,
    .read_data_o  (read_word)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)            has_snapshot_q <= 1'b0;
    else if (writes_copy_q) has_snapshot_q <= 1'b1;
  end

  assign read_value_o = read_word & {CountWidth{has_snapshot_q}};
  assign busy_o       = snaps_q | (snapshot_left_q != '0) | copies_q | writes_copy_q;

  qosarb_port_waits #(
    .Queues   (Queues),
    .WaitWidth(WaitWidth)
  ) u_waits (
    .clk_i,
    .rst_ni,
    .clear_i     (clears),
    .snapshot_i  (snaps_q),
    .waits_i     (is_waiting_q),
    .ends_i      (head_ends_q),
    .read_i      (read_wait_i),
    .read_queue_i(read_wait_queue_i),
    .read_value_o(read_wait_o)
  );

endmodule
