// qosarb_port_waits beside waits as they are meant: each head's, cycle by cycle, and the longest one of each queue since
// the last snapshot. Any waits and ends, clears and snapshots as far apart as the module asks for, any reads, and a reset
// at any time.

module port_waits_proof #(
  parameter  int unsigned Queues     = 2,
  parameter  int unsigned WaitWidth  = 4,
  localparam int unsigned Words      = (Queues > 2) ? Queues : 2,
  localparam int unsigned LowWidth   = $clog2(2 * Words + 1),
  localparam int unsigned QueueWidth = qosarb_pkg::index_width(Queues)
) (
  input  logic                  clk_i,
  input  logic                  reset_i,
  input  logic                  clear_i,
  input  logic                  snapshot_i,
  input  logic [Queues-1:0]     waits_i,
  input  logic [Queues-1:0]     ends_i,
  input  logic                  read_i,
  input  logic [QueueWidth-1:0] read_queue_i,

  output logic                  not_coupled_o,
  output logic                  reads_otherwise_o,
  output logic                  cover_stays_at_its_highest_o,
  output logic                  cover_reads_a_later_head_o
);

  localparam int unsigned SnapshotCycles = 2 * Words + 3;

  typedef logic [WaitWidth-1:0] wait_t;
  typedef logic [LowWidth-1:0]  low_t;

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  // A clear comes behind a reset, and neither comes while a snapshot is taken.
  logic        begun_q, visited_q, clear, snapshot, busy;  // visited: the first visit is over
  logic [31:0] left_q;  // cycles of the snapshot

  assign busy     = left_q != '0;
  assign clear    = ~begun_q | (clear_i & ~busy);
  assign snapshot = snapshot_i & begun_q & ~clear_i & ~busy;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      begun_q   <= 1'b0;
      visited_q <= 1'b0;
      left_q    <= '0;
    end else begin
      begun_q   <= 1'b1;
      visited_q <= begun_q;
      if (snapshot)  left_q <= SnapshotCycles;
      else if (busy) left_q <= left_q - 32'd1;
    end
  end

  wait_t read_value;

  qosarb_port_waits #(
    .Queues   (Queues),
    .WaitWidth(WaitWidth)
  ) u_engine (
    .clk_i,
    .rst_ni      (rst_n),
    .clear_i     (clear),
    .snapshot_i  (snapshot),
    .waits_i,
    .ends_i,
    .read_i,
    .read_queue_i,
    .read_value_o(read_value)
  );

  function automatic wait_t longer(wait_t a, wait_t b);
    return (a > b) ? a : b;
  endfunction

  function automatic wait_t later(wait_t a, low_t b);
    logic [WaitWidth:0] sum;
    sum = {1'b0, a} + (WaitWidth + 1)'(b);
    return sum[WaitWidth] ? '1 : sum[WaitWidth-1:0];
  endfunction

  // As they are meant. A snapshot tells what was before its cycle; from then on the longest wait is that of the heads
  // that stand.
  wait_t [Queues-1:0] waited_q, longest_q, taken_q, wait_d;

  always_comb begin
    for (int unsigned q = 0; q < Queues; q++) begin
      wait_d[q] = clear ? '0 : waited_q[q];
      if (waits_i[q] && wait_d[q] != '1) wait_d[q] = wait_d[q] + 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      waited_q  <= '0;
      longest_q <= '0;
      taken_q   <= '0;
    end else begin
      for (int unsigned q = 0; q < Queues; q++) begin
        waited_q[q]  <= ends_i[q] ? '0 : wait_d[q];
        longest_q[q] <= longer(clear ? '0 : snapshot ? waited_q[q] : longest_q[q], wait_d[q]);
        if (snapshot) taken_q[q] <= longest_q[q];
      end
    end
  end

  logic  read_q;
  wait_t expected_q;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      read_q     <= 1'b0;
      expected_q <= '0;
    end else begin
      read_q     <= read_i & ~busy & ~snapshot & (32'(read_queue_i) < Queues);
      expected_q <= taken_q[read_queue_i];
    end
  end

  // Coupling. What a queue's word will be, with what is on its way there, and the registers behind its last visit make
  // the waits; so do the words of a snapshot, with the copies. What the first visit behind a reset takes counts for
  // nothing, and for which word does not matter. Visits before a queue's next one:
  logic [31:0]             next;
  logic [Queues-1:0][31:0] distance;

  assign next = (32'(u_engine.visit_q) + (u_engine.of_copy_q ? 1 : 0)) % Words;

  for (genvar q = 0; q < Queues; q++) begin : g_distance
    assign distance[q] = ((next <= q) ? 32'(q) : 32'(q) + Words) - next;
  end

  logic        coupled;
  logic [31:0] visits_left;  // of a snapshot

  assign visits_left = 32'(u_engine.snapshot_left_q);

  always_comb begin
    coupled = (32'(u_engine.visit_q) < Words) &
              (u_engine.visited_q == (visited_q ? Queues'(1) << u_engine.visit_q : Queues'(1))) &
              (visits_left <= Words) & (32'(u_engine.clear_left_q) <= Words) & (u_engine.sums_q == begun_q);
    if (!visited_q) coupled &= (u_engine.of_copy_q == begun_q) & ~busy;
    if (!begun_q) coupled &= ~visited_q;
    else if (!visited_q) coupled &= 32'(u_engine.clear_left_q) == Words;
    if (u_engine.sums_q && (!u_engine.of_copy_q || u_engine.writes_copy_q)) begin
      coupled &= 32'(u_engine.written_q) == (32'(u_engine.visit_q) + Words - 1) % Words;
    end

    // The way of a snapshot, which may have begun in either turn: visits that are left, then the steps behind the last.
    if (visits_left != 0) begin
      coupled &= (left_q - 2 * visits_left - (u_engine.of_copy_q ? 3 : 2) <= 1) &
                 (u_engine.copies_q == (visits_left < Words)) & (u_engine.writes_copy_q == (visits_left + 1 < Words));
      if (!u_engine.has_snapshot_q) coupled &= visits_left + (u_engine.of_copy_q ? 2 : 1) >= Words;
    end else if (u_engine.copies_q) begin
      coupled &= (left_q - (u_engine.of_copy_q ? 3 : 2) <= 1) & u_engine.writes_copy_q;
      if (!u_engine.has_snapshot_q) coupled &= u_engine.of_copy_q & (Words == 2);
    end else if (busy) begin
      coupled &= u_engine.has_snapshot_q & u_engine.writes_copy_q & (left_q - (u_engine.of_copy_q ? 1 : 0) <= 1);
    end else begin
      coupled &= ~u_engine.writes_copy_q | ~u_engine.of_copy_q;
    end

    for (int unsigned q = 0; q < Queues; q++) begin
      automatic logic        read    = u_engine.of_copy_q && 32'(u_engine.visit_q) == q;
      automatic logic        summed  = ~u_engine.of_copy_q && u_engine.sums_q && 32'(u_engine.written_q) == q;
      automatic logic        copied  = u_engine.of_copy_q && u_engine.writes_copy_q && 32'(u_engine.written_q) == q;
      automatic logic        cleared = distance[q] < 32'(u_engine.clear_left_q);
      automatic wait_t       longest, waited, first, so_far, told;
      automatic logic [31:0] cycles;

      // The word, once what is on its way is there.
      {longest, waited} = u_engine.u_waits.words_q[q];
      if (read) begin
        {longest, waited} = u_engine.word & {(2 * WaitWidth){~u_engine.cleared_q}};
        first   = later(waited, u_engine.taken_q.more);
        waited  = u_engine.ended_taken_q ? wait_t'(u_engine.head_taken_q) : first;
        longest = longer(longer(u_engine.copies_q ? '0 : longest, wait_t'(u_engine.taken_q.other)),
                         u_engine.taken_q.past ? '0 : first);
      end else if (summed) begin
        waited  = u_engine.first_ended_q ? wait_t'(u_engine.first_head_q) : u_engine.first_q;
        longest = longer(u_engine.longer_q, u_engine.first_past_q ? '0 : u_engine.first_q);
      end
      if (cleared) {longest, waited} = '0;

      // The waits.
      first  = later(waited, u_engine.more_q[q]);
      so_far = longer(longer((distance[q] < visits_left) ? '0 : longest,
                             wait_t'(u_engine.other_q[q])),
                      u_engine.past_q[q] ? '0 : first);
      if (begun_q) begin
        coupled &= waited_q[q] == (u_engine.ended_q[q] ? wait_t'(u_engine.head_q[q]) : first);
        coupled &= longest_q[q] == so_far;
        coupled &= (~u_engine.past_q[q] | u_engine.ended_q[q]) & (u_engine.head_q[q] <= u_engine.other_q[q]) &
                   (u_engine.ended_q[q] | (u_engine.head_q[q] == '0));
        // Cycles since the visit, which the registers can hold.
        cycles = 2 * (Words - distance[q]) - (u_engine.of_copy_q ? 1 : 0);
        coupled &= (32'(u_engine.more_q[q]) <= cycles) & (32'(u_engine.head_q[q]) < cycles) &
                   (32'(u_engine.other_q[q]) < cycles);
      end else begin
        coupled &= (waited_q[q] == '0) & (longest_q[q] == '0);
      end

      // The snapshot.
      told = u_engine.has_snapshot_q ? u_engine.u_snapshot.words_q[q] : '0;
      if (distance[q] < visits_left) begin
        told = longer(longer(longest, wait_t'(u_engine.copy_other_q[q])),
                      u_engine.copy_past_q[q] ? '0 : later(waited, u_engine.copy_more_q[q]));
      end else if (read && u_engine.copies_q) begin
        {longest, waited} = u_engine.word & {(2 * WaitWidth){~u_engine.cleared_q}};
        told = longer(longer(longest, wait_t'(u_engine.copy_other_q[q])),
                      u_engine.copy_past_q[q] ? '0 : later(waited, u_engine.copy_more_q[q]));
      end else if (summed && u_engine.copies_q) begin
        {longest, waited} = u_engine.word & {(2 * WaitWidth){~u_engine.cleared_q}};
        told = longer(longer(longest, wait_t'(u_engine.taken_q.other)),
                      u_engine.taken_q.past ? '0 : later(waited, u_engine.taken_q.more));
      end else if (copied) begin
        told = u_engine.total;
      end
      coupled &= taken_q[q] == told;
    end
    if (read_q) coupled &= read_value == expected_q;
  end

  // A visit takes less than a round of a head that came behind it. So it is in a reset, in which queue 0 is visited.
  // These registers have no reset: they are right when values of after the first cycle have come to them.
  logic [1:0] cycles_q;  // at most 3
  logic       short;

  initial cycles_q = '0;
  always_ff @(posedge clk_i) cycles_q <= (cycles_q == 2'd3) ? 2'd3 : cycles_q + 1'b1;

  assign short = ((cycles_q < 2'd1) | (rst_n & begun_q) | (32'(u_engine.head_q[0]) < 2 * Words)) &
                 ((cycles_q < 2'd2) | (32'(u_engine.head_taken_q) < 2 * Words)) &
                 ((cycles_q < 2'd3) | (32'(u_engine.first_head_q) < 2 * Words));

  assign not_coupled_o = (rst_n & ~coupled) | ~short;

  assign reads_otherwise_o = rst_n & read_q & (read_value != expected_q);

  // To be seen: a wait at its highest value that goes on; a snapshot of a head that came and went between two visits.
  assign cover_stays_at_its_highest_o = rst_n & waits_i[0] & ~clear & (waited_q[0] == '1);
  assign cover_reads_a_later_head_o   = rst_n & read_q & (read_value == wait_t'(2)) & u_engine.shows_q;

endmodule
