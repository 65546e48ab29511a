// The fairness of two entries a and b of an arbitration table with deficits, whoever has the table: while the queues
// of both stay backlogged, over any interval,
//
//   |S_a / Q_a - S_b / Q_b| <= 1 + (M_a - 1) / Q_a + (M_b - 1) / Q_b
//
// S being the flits that were sent on an entry, Q its quantum and M the longest packet of its queues. Why: an entry's
// credit c is what remains of its turn, or else its deficit. While its queue is active a credit changes in two ways
// only, by the quantum when a turn begins and by the flits that are sent: S = Q * begins - (c(end) - c(begin)). Turns
// begin in turn, so the begins of a and b differ by at most one; which of the two begins next says by how many. A
// deficit is at most M - 1, what remains of a turn at most Q + M - 1.

module fairness #(
  parameter  int unsigned Width = 8,
  localparam type         service_t = logic signed [Width-1:0]
) (
  input  logic     clk_i,
  input  logic     rst_ni,
  input  logic     begin_i,   // an interval begins with this cycle
  input  logic     good_i,    // a and b are two entries that can be compared
  input  logic     stays_i,   // the interval does not end with this cycle
  input  logic     a_next_i,  // of the two, a begins a turn next
  input  service_t quantum_a_i,
  input  service_t quantum_b_i,
  input  service_t most_a_i,  // M - 1
  input  service_t most_b_i,
  input  service_t credit_a_i,
  input  service_t credit_b_i,
  input  service_t sent_a_i,  // in this cycle, in flits
  input  service_t sent_b_i,

  output logic     unbalanced_o,
  output logic     unfair_o,
  output logic     bound_met_o
);

  // What was granted to the two in the interval, as S_a * Q_b - S_b * Q_a.
  logic     observed_q, observed, a_next_q, a_was_next;
  service_t ahead_q, ahead, begin_a_q, begin_b_q, begin_a, begin_b, expected;

  always_comb begin
    observed   = (observed_q | begin_i) & good_i & rst_ni;
    ahead      = begin_i ? '0 : ahead_q;
    begin_a    = begin_i ? credit_a_i : begin_a_q;
    begin_b    = begin_i ? credit_b_i : begin_b_q;
    a_was_next = begin_i ? a_next_i : a_next_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) observed_q <= 1'b0;
    else         observed_q <= observed & stays_i;
  end

  always_ff @(posedge clk_i) begin
    ahead_q   <= ahead + sent_a_i * quantum_b_i - sent_b_i * quantum_a_i;
    begin_a_q <= begin_a;
    begin_b_q <= begin_b;
    a_next_q  <= a_was_next;
  end

  // The balance.
  always_comb begin
    expected = (begin_a - credit_a_i) * quantum_b_i - (begin_b - credit_b_i) * quantum_a_i;
    if (a_was_next && !a_next_i) expected = expected + quantum_a_i * quantum_b_i;
    if (!a_was_next && a_next_i) expected = expected - quantum_a_i * quantum_b_i;
  end

  logic     recorded;  // a credit at the beginning of the interval is one that an entry can have
  service_t bound;

  assign recorded = (begin_a >= 0) & (begin_b >= 0) & (begin_a <= most_a_i + (a_was_next ? '0 : quantum_a_i)) &
                    (begin_b <= most_b_i + (a_was_next ? quantum_b_i : '0));
  assign bound    = quantum_a_i * quantum_b_i + most_a_i * quantum_b_i + most_b_i * quantum_a_i;

  assign unbalanced_o = observed & ((ahead != expected) | ~recorded);
  assign unfair_o     = observed & ((ahead > bound) | (ahead < -bound));
  assign bound_met_o  = observed & (ahead == bound) & (most_a_i != 0) & (most_b_i != 0);

endmodule
