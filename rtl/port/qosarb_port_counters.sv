// Counters of each queue, exact and wrapping: packets, flits, cycles blocked by PFC, cycles waiting.
//
// The lowest bits of a counter stand in registers, where events are added as they come; the whole
// stands in a memory, to which a sweep adds the registers, one counter in each cycle.
// Algorithm:
//   1. A cycle's events are registered, so that no counter lies on the path of a grant: the winner
//      and its flits; which queues had a head that was stopped (blocked); which had one that was not
//      stopped and did not win (waiting).
//   2. In the next cycle they are added to the registers.
//   3. The sweep visits one counter after the other. In the cycle of its visit a counter's word is
//      read, and what its registers hold is taken out of them, to begin with the events of that
//      cycle alone. In the next cycle the sum is written back.
//   4. `snapshot_i` copies all registers at once. In the next round of the sweep each word that is
//      read, with the copy of its registers added, is the counter as it stood then: nothing has been
//      added to that word since. It goes into a second memory, from which counters are read. So all
//      counters of a snapshot are of the end of the same cycle. `busy_o` is high meanwhile.
//   5. After a reset, and after `clear_i`, the words of the next round are taken for 0. Clearing
//      wins over counting: the events of the cycle before a clear are in no counter. A snapshot that
//      has not been taken since the reset reads as 0.
// Exact, whatever comes: between two visits of a counter lie as many cycles as there are counters. In
// each of them its registers get one packet or cycle at most, or the flits of one head, and they are
// wide enough for that sum.
// Bound: a snapshot takes Counters + 1 cycles. 48 bits of flits, one in each 0.3 ns, last for a day; of
// cycles of 1 ns, for three.

module qosarb_port_counters #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned CountWidth     = 48,     // Bits of a counter
  localparam int unsigned Counters       = 4 * Queues,
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

  // The candidates of a cycle, and who won it.
  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0]                 stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,
  input  logic [Queues-1:0]                 grant_i,
  input  logic [QueueWidth-1:0]             grant_queue_i,

  // The snapshot: kind 0 packets, 1 flits, 2 blocked, 3 waiting. The answer comes a cycle later.
  input  logic                              read_i,
  input  logic [1:0]                        read_kind_i,
  input  logic [QueueWidth-1:0]             read_queue_i,
  output logic [CountWidth-1:0]             read_value_o
);

  // What may come between two visits.
  localparam int unsigned LowWidth      = $clog2(Counters + 1);
  localparam int unsigned LowFlitsWidth = $clog2(Counters * ((2 ** FlitsWidth) - 1) + 1);

  if (CountWidth < LowFlitsWidth) begin : g_check_width
    $error("qosarb_port_counters: CountWidth must hold what comes in a round of the sweep");
  end

  typedef logic [LowWidth-1:0]      low_t;
  typedef logic [LowFlitsWidth-1:0] low_flits_t;
  typedef logic [IndexWidth-1:0]    index_t;
  typedef logic [IndexWidth:0]      left_t;  // of a round of the sweep

  // 1. The events of the last cycle.
  logic [Queues-1:0]     granted_q, is_blocked_q, is_waiting_q;
  logic [FlitsWidth-1:0] winner_flits_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      granted_q      <= '0;
      winner_flits_q <= '0;
      is_blocked_q   <= '0;
      is_waiting_q   <= '0;
    end else begin
      granted_q      <= grant_i;
      // A head of 0 flits counts as one of 1.
      winner_flits_q <= flits_i[grant_queue_i] | FlitsWidth'(flits_i[grant_queue_i] == '0);
      is_blocked_q   <= valid_i & stopped_i;
      is_waiting_q   <= valid_i & ~stopped_i & ~grant_i;
    end
  end

  // 2. The registers, those of counter c = kind * Queues + queue at place c, and their copies.
  logic [Counters-1:0]                    visited;
  logic [Counters-1:0][LowFlitsWidth-1:0] low, copy;

  for (genvar q = 0; q < Queues; q++) begin : g_queue
    logic [2:0] event_of;  // packets, blocked, waiting

    assign event_of = {is_waiting_q[q], is_blocked_q[q], granted_q[q]};

    for (genvar k = 0; k < 3; k++) begin : g_kind
      localparam int unsigned Counter = ((k == 0) ? 0 : k + 1) * Queues + q;
      low_t low_d, low_q, copy_q;

      assign low_d = clear_i ? '0 : (visited[Counter] ? '0 : low_q) + low_t'(event_of[k]);

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          low_q  <= '0;
          copy_q <= '0;
        end else begin
          low_q <= low_d;
          if (snapshot_i) copy_q <= low_d;
        end
      end

      assign low[Counter]  = low_flits_t'(low_q);
      assign copy[Counter] = low_flits_t'(copy_q);
    end
  end

  // One adder for the flits, as one queue wins.
  low_flits_t flits_sum;

  always_comb begin
    flits_sum = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      flits_sum |= low[Queues+q] & {LowFlitsWidth{granted_q[q] & ~visited[Queues+q]}};
    end
    flits_sum += low_flits_t'(winner_flits_q);
  end

  for (genvar q = 0; q < Queues; q++) begin : g_flits
    localparam int unsigned Counter = Queues + q;
    low_flits_t low_d, low_q, copy_q;

    always_comb begin
      low_d = low_q;
      if (visited[Counter]) low_d = '0;
      if (granted_q[q])     low_d = flits_sum;
      if (clear_i)          low_d = '0;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        low_q  <= '0;
        copy_q <= '0;
      end else begin
        low_q <= low_d;
        if (snapshot_i) copy_q <= low_d;
      end
    end

    assign low[Counter]  = low_q;
    assign copy[Counter] = copy_q;
  end

  // 3. The visit: what it takes, and whether it belongs to the round of a clear or a snapshot.
  index_t     visit_q;
  left_t      clear_left_q, snapshot_left_q;
  low_flits_t taken, taken_q, copied, copied_q;
  index_t     summed_q;  // the counter that was visited in the last cycle
  logic       sums_q, cleared_q, copies_q;

  for (genvar c = 0; c < Counters; c++) begin : g_visited
    assign visited[c] = visit_q == index_t'(unsigned'(c));
  end

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
      taken_q         <= '0;
      copied_q        <= '0;
      summed_q        <= '0;
      sums_q          <= 1'b0;
      cleared_q       <= 1'b0;
      copies_q        <= 1'b0;
    end else begin
      visit_q   <= (visit_q == index_t'(Counters - 1)) ? '0 : visit_q + 1'b1;
      taken_q   <= taken;
      copied_q  <= copied;
      summed_q  <= visit_q;
      sums_q    <= 1'b1;
      cleared_q <= clear_left_q != '0;
      copies_q  <= snapshot_left_q != '0;
      if (clear_i)                    clear_left_q <= left_t'(Counters);
      else if (clear_left_q != '0)    clear_left_q <= clear_left_q - 1'b1;
      if (snapshot_i)                 snapshot_left_q <= left_t'(Counters);
      else if (snapshot_left_q != '0) snapshot_left_q <= snapshot_left_q - 1'b1;
    end
  end

  // 3. and 4. The sums.
  logic [CountWidth-1:0] word, so_far, read_word;
  logic             has_snapshot_q;
  index_t           read_index;

  assign so_far = word & {CountWidth{~cleared_q}};

  qosarb_counter_memory #(
    .Words(Counters),
    .Width(CountWidth)
  ) u_counters (
    .clk_i,
    .write_i      (sums_q),
    .write_index_i(summed_q),
    .write_data_i (so_far + CountWidth'(taken_q)),
    .read_i       (1'b1),
    .read_index_i (visit_q),
    .read_data_o  (word)
  );

  always_comb begin
    read_index = index_t'(read_queue_i);
    for (int unsigned k = 1; k < 4; k++) begin
      if (read_kind_i == 2'(k)) read_index = index_t'(read_queue_i) + index_t'(k * Queues);
    end
  end

  qosarb_counter_memory #(
    .Words(Counters),
    .Width(CountWidth)
  ) u_snapshot (
    .clk_i,
    .write_i      (copies_q),
    .write_index_i(summed_q),
    .write_data_i (so_far + CountWidth'(copied_q)),
    .read_i,
    .read_index_i (read_index),
    .read_data_o  (read_word)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)       has_snapshot_q <= 1'b0;
    else if (copies_q) has_snapshot_q <= 1'b1;
  end

  assign read_value_o = read_word & {CountWidth{has_snapshot_q}};
  assign busy_o       = (snapshot_left_q != '0) | copies_q;

endmodule
