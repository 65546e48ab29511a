// The longest wait of a head of each queue: cycles in which one head stood, was not stopped, and did not
// win.
//
// A head's wait begins with 0 when the one before it is granted or dropped, or when the queue was empty. As
// with the other counters (see qosarb_port_counters) a few bits stand in registers and the whole in a
// memory, which a sweep visits queue by queue.
// Algorithm:
//   1. A queue's word holds what its head had waited at the last visit, and the longest wait so far.
//   2. Between two visits the registers count: how much `more` that head has waited, up to its end;
//      whether it has `ended`; then what the head in its place has waited (`head`), and the longest
//      wait of those that came behind it (`other`).
//   3. At the visit the wait of the first head is the sum of the word and `more`; it, `other` and the
//      longest so far make the longest one. The head that stands then is the first one of what comes. A
//      wait stays at its highest value. The cycle behind the visit makes the sum and, beside it, the longer
//      of `other` and the longest so far; the one behind that chooses between the two.
//   4. `snapshot_i` copies what the longest wait follows from, as it was before that cycle; at the next visit
//      it is worked out of the copy and the word, and goes into a second memory. From the snapshot on the longest wait starts over:
//      heads that had ended by then (`past`, and what `other` held) are out of it. A head that stands
//      then counts with all of its wait.
//   5. A visit has two turns, a cycle each, through the same steps: first of what the registers hold, then
//      of the copy.
//   6. `clear_i` lets the longest wait, and that of each head, start over with 0 before what comes in its cycle.
//      It is high in the first cycle behind a reset, so that what is only counted, copied or summed needs no
//      reset of its own.
// Exact, whatever comes: between two visits of a queue lie as many cycles as a round has, which is what the
// registers can hold.
// Bound: a snapshot takes the two turns of each queue, and three cycles.

module qosarb_port_waits #(
  parameter  int unsigned Queues     = 8,
  parameter  int unsigned WaitWidth  = 32,  // Bits of a wait in cycles
  localparam int unsigned QueueWidth = qosarb_pkg::index_width(Queues)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // As in qosarb_port_counters, whose snapshots take no less time.
  input  logic                  clear_i,
  input  logic                  snapshot_i,

  // Of the last cycle: a head stood, was not stopped and did not win; at its end no head stood, or not
  // for longer.
  input  logic [Queues-1:0]     waits_i,
  input  logic [Queues-1:0]     ends_i,

  // The snapshot. The answer comes a cycle later and stays until the next one.
  input  logic                  read_i,
  input  logic [QueueWidth-1:0] read_queue_i,
  output logic [WaitWidth-1:0]  read_value_o
);

  // No word is read while it is written, so that a round has two visits at least.
  localparam int unsigned Words    = (Queues > 2) ? Queues : 2;
  localparam int unsigned LowWidth = $clog2(2 * Words + 1);

  if (WaitWidth < LowWidth) begin : g_check_width
    $error("qosarb_port_waits: WaitWidth must hold a round of the sweep");
  end

  typedef logic [LowWidth-1:0]       low_t;
  typedef logic [WaitWidth-1:0]      wait_t;
  typedef logic [$clog2(Words)-1:0]  index_t;
  typedef logic [$clog2(Words):0]    left_t;  // of a round

  typedef struct packed {
    logic past;
    low_t more;
    low_t other;
  } taken_t;

  function automatic low_t low_max(low_t a, low_t b);
    return (a > b) ? a : b;
  endfunction

  function automatic wait_t wait_max(wait_t a, wait_t b);
    return (a > b) ? a : b;
  endfunction

  function automatic wait_t saturating_sum(wait_t a, low_t b);
    logic [WaitWidth:0] sum;
    sum = {1'b0, a} + (WaitWidth + 1)'(b);
    return sum[WaitWidth] ? '1 : sum[WaitWidth-1:0];
  endfunction

  // 2. The registers of each queue.
  logic [Queues-1:0]               visited, restarts;
  logic [Queues-1:0]               is_past, past_q, is_ended, ended_d, ended_q, copy_past_q;
  logic [Queues-1:0][LowWidth-1:0] more_d, more_q, head_d, head_q, other, other_d, other_q;
  logic [Queues-1:0][LowWidth-1:0] copy_more_q, copy_other_q;

  assign restarts = visited | {Queues{clear_i}};

  for (genvar q = 0; q < Queues; q++) begin : g_queue
    low_t goes_on;  // what the head that stands has waited, if nothing starts over
    low_t longer;   // of it if it came behind another one, and the others

    assign is_past[q]  = past_q[q] & ~restarts[q];
    assign is_ended[q] = ended_q[q] & ~restarts[q];
    assign ended_d[q]  = is_ended[q] | ends_i[q];
    assign goes_on     = (ended_q[q] ? head_q[q] : more_q[q]) + low_t'(waits_i[q]);
    assign longer      = low_max(other_q[q] & {LowWidth{~snapshot_i}}, goes_on & {LowWidth{ended_q[q]}});
    assign more_d[q]   = restarts[q] ? low_t'(waits_i[q]) : ended_q[q] ? more_q[q] : goes_on;
    assign head_d[q]   = goes_on & {LowWidth{is_ended[q] & ~ends_i[q]}};
    assign other[q]    = other_q[q] & {LowWidth{~restarts[q]}};
    assign other_d[q]  = longer & {LowWidth{~restarts[q]}};
  end

  always_ff @(posedge clk_i) begin
    past_q  <= snapshot_i ? is_ended : is_past;
    ended_q <= ended_d;
    more_q  <= more_d;
    head_q  <= head_d;
    other_q <= other_d;
    if (snapshot_i) begin
      copy_past_q <= is_past;
      for (int unsigned q = 0; q < Queues; q++) copy_more_q[q] <= more_q[q] & {LowWidth{~restarts[q]}};
      copy_other_q <= other;
    end
  end

  // 3. and 5. The visits, whose turn it is, and whether a visit belongs to the round of a clear or a snapshot.
  index_t visit_q, visit_d;
  left_t  clear_left_q, snapshot_left_q;
  logic   of_copy_q, sums_q, cleared_q, copies_q;

  assign visit_d = (visit_q == index_t'(Words - 1)) ? '0 : visit_q + 1'b1;

  // `visited_q` is the index one-hot.
  logic [Queues-1:0] visited_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      of_copy_q       <= 1'b0;
      visit_q         <= '0;
      visited_q       <= Queues'(1);
      clear_left_q    <= left_t'(Words);
      snapshot_left_q <= '0;
      sums_q          <= 1'b0;
      cleared_q       <= 1'b0;
      copies_q        <= 1'b0;
    end else begin
      of_copy_q <= ~of_copy_q;
      if (of_copy_q) begin
        visit_q   <= visit_d;
        visited_q <= Queues'(1) << visit_d;
      end else begin
        sums_q    <= 1'b1;
        cleared_q <= clear_left_q != '0;
        copies_q  <= snapshot_left_q != '0;
      end
      if (clear_i)                                  clear_left_q <= left_t'(Words);
      else if (clear_left_q != '0 && !of_copy_q)    clear_left_q <= clear_left_q - 1'b1;
      if (snapshot_i)                               snapshot_left_q <= left_t'(Words);
      else if (snapshot_left_q != '0 && !of_copy_q) snapshot_left_q <= snapshot_left_q - 1'b1;
    end
  end

  logic [Queues-1:0] visited_copy;

  assign visited      = visited_q & {Queues{~of_copy_q}};
  assign visited_copy = visited_q & {Queues{of_copy_q}};

  // What a turn takes, and of the first one the head that stands.
  taken_t taken, taken_q;
  low_t   head, head_taken_q;
  logic   ended, ended_taken_q;

  always_comb begin
    taken = '0;
    head  = '0;
    ended = 1'b0;
    for (int unsigned q = 0; q < Queues; q++) begin
      taken |= {past_q[q], more_q[q], other_q[q]} & {$bits(taken_t){visited[q]}};
      taken |= {copy_past_q[q], copy_more_q[q], copy_other_q[q]} & {$bits(taken_t){visited_copy[q]}};
      head  |= head_q[q] & {LowWidth{visited_q[q]}};
      ended |= ended_q[q] & visited_q[q];
    end
  end

  // 3. and 4. The sums of the turn before, and to which word they belong. A word from before a clear counts for
  // nothing, and of a copy its longest wait neither.
  logic                   starts_over;
  logic [2*WaitWidth-1:0] word;
  wait_t                  longest, waited, longer_q, first_q, total;
  index_t                 written_q;
  low_t                   first_head_q;
  logic                   first_past_q, first_ended_q, writes_copy_q;

  assign {longest, waited} = word;
  assign starts_over       = cleared_q | (of_copy_q & copies_q);

  always_ff @(posedge clk_i) begin
    taken_q       <= taken;
    longer_q      <= starts_over ? wait_t'(taken_q.other) : wait_max(longest, wait_t'(taken_q.other));
    first_q       <= cleared_q ? wait_t'(taken_q.more) : saturating_sum(waited, taken_q.more);
    first_past_q  <= taken_q.past;
    head_taken_q  <= head;
    first_head_q  <= head_taken_q;
    ended_taken_q <= ended;
    first_ended_q <= ended_taken_q;
    if (of_copy_q) written_q <= visit_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)         writes_copy_q <= 1'b0;
    else if (!of_copy_q) writes_copy_q <= copies_q;
  end

  assign total = (first_q > longer_q && !first_past_q) ? first_q : longer_q;

  qosarb_counter_memory #(
    .Words(Words),
    .Width(2 * WaitWidth)
  ) u_waits (
    .clk_i,
    .write_i      (sums_q & ~of_copy_q),
    .write_index_i(written_q),
    .write_data_i ({total, first_ended_q ? wait_t'(first_head_q) : first_q}),
    .read_i       (~of_copy_q),
    .read_index_i (visit_q),
    .read_data_o  (word)
  );

  logic  writes_copy, has_snapshot_q, shows_q;
  wait_t read_data;

  assign writes_copy = writes_copy_q & of_copy_q;

  qosarb_counter_memory #(
    .Words(Words),
    .Width(WaitWidth)
  ) u_snapshot (
    .clk_i,
    .write_i      (writes_copy),
    .write_index_i(written_q),
    .write_data_i (total),
    .read_i,
    .read_index_i (index_t'(read_queue_i)),
    .read_data_o  (read_data)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      has_snapshot_q <= 1'b0;
      shows_q        <= 1'b0;
    end else begin
      if (writes_copy) has_snapshot_q <= 1'b1;
      if (read_i)      shows_q <= has_snapshot_q;
    end
  end

  assign read_value_o = read_data & {WaitWidth{shows_q}};
endmodule
