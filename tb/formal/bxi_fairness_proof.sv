// The fairness of bxi-deficit: two queues that stand in one entry each, a and b, and stay backlogged over an
// interval, get flits S_a and S_b in it with
//
//   |S_a / Q_a - S_b / Q_b| <= 1 + (M - 1) / Q_a + (M - 1) / Q_b
//
// Q being the quanta and M max_packet_flits, whatever the other queues do. Why: an entry's credit c is what
// remains of its turn, or else its deficit. While its queue is active a credit changes in two ways only, by the
// quantum when a turn begins and by the flits that are sent: S = Q * begins - (c(end) - c(begin)). Turns begin in
// turn, so the begins of a and b differ by at most one; which of the two begins next says by how many. A deficit is
// at most M - 1, what remains of a turn at most Q + M - 1.
//
// bxi_proof couples the engine and its specification; the interval is observed here.

module bxi_fairness_proof #(
  parameter  int unsigned Queues         = 3,
  parameter  int unsigned Entries        = 3,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1),
  localparam int unsigned ServiceWidth   = 2 * RemainingWidth + 4
) (
  input  logic                                 clk_i,
  input  logic                                 reset_i,
  input  logic                                 load_i,
  input  logic [EntryWidth-1:0]                last_entry_i,
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,
  input  logic                                 request_i,
  input  logic [EntryWidth-1:0]                a_i,      // the two entries
  input  logic [EntryWidth-1:0]                b_i,
  input  logic                                 begin_i,  // an interval begins with this cycle

  output logic                                 not_balanced_o,
  output logic                                 unfair_o,
  output logic                                 cover_bound_met_o
);

  typedef logic signed [ServiceWidth-1:0] service_t;

  logic not_coupled, differs, unused_two, unused_inactive, unused_idle, unused_overflows, unused_added, unused_exact;

  bxi_proof #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_pair (
    .clk_i,
    .reset_i,
    .load_i,
    .last_entry_i,
    .entry_queue_i,
    .entry_quantum_i,
    .max_packet_flits_i,
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i,
    .not_coupled_o          (not_coupled),
    .differs_o              (differs),
    .two_grants_o           (unused_two),
    .grant_to_inactive_o    (unused_inactive),
    .idle_with_active_o     (unused_idle),
    .overflows_o            (unused_overflows),
    .cover_deficit_added_o  (unused_added),
    .cover_exact_depletion_o(unused_exact)
  );

  // The two entries, chosen with the table: in use, and alone in having their queues.
  logic [EntryWidth-1:0] a_q, b_q;
  logic [QueueWidth-1:0] queue_a, queue_b;
  logic                  good;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      a_q <= a_i;
      b_q <= b_i;
    end
  end

  assign queue_a = u_pair.entry_queue[a_q];
  assign queue_b = u_pair.entry_queue[b_q];

  always_comb begin
    good = a_q != b_q && a_q <= u_pair.last_entry && b_q <= u_pair.last_entry;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (u_pair.entry_used[e] && e != 32'(a_q) && u_pair.entry_queue[e] == queue_a) good = 1'b0;
      if (u_pair.entry_used[e] && e != 32'(b_q) && u_pair.entry_queue[e] == queue_b) good = 1'b0;
    end
  end

  // Credits, and which of the two begins a turn next: a, if it comes first behind the current entry.
  service_t quantum_a, quantum_b, credit_a, credit_b, most;
  logic     a_next;

  assign quantum_a = service_t'({1'b0, u_pair.entry_quantum[a_q]});
  assign quantum_b = service_t'({1'b0, u_pair.entry_quantum[b_q]});
  assign credit_a  = service_t'({1'b0, (u_pair.cur == a_q) ? u_pair.rem : u_pair.expected_deficit[a_q]});
  assign credit_b  = service_t'({1'b0, (u_pair.cur == b_q) ? u_pair.rem : u_pair.expected_deficit[b_q]});
  assign most      = service_t'({1'b0, u_pair.max_packet_flits}) - 1;

  always_comb begin
    if (u_pair.cur == a_q)                             a_next = 1'b0;
    else if (u_pair.cur == b_q)                        a_next = 1'b1;
    else if ((u_pair.cur < a_q) == (u_pair.cur < b_q)) a_next = a_q < b_q;
    else                                               a_next = u_pair.cur < a_q;
  end

  // The interval: what the engine has granted to the two in it, as S_a * Q_b - S_b * Q_a. It ends when one of the two
  // is not active at an arbitration, or by a load.
  logic     observed_q, observed, stays, a_next_q, a_was_next;
  service_t ahead_q, ahead, begin_a_q, begin_b_q, begin_a, begin_b, expected;

  assign stays = good & ~load_i & (~request_i | (u_pair.active[queue_a] & u_pair.active[queue_b]));

  always_comb begin
    observed   = (observed_q | begin_i) & good & u_pair.rst_n;
    ahead      = begin_i ? '0 : ahead_q;
    begin_a    = begin_i ? credit_a : begin_a_q;
    begin_b    = begin_i ? credit_b : begin_b_q;
    a_was_next = begin_i ? a_next : a_next_q;
  end

  always_ff @(posedge clk_i or negedge u_pair.rst_n) begin
    if (!u_pair.rst_n) observed_q <= 1'b0;
    else               observed_q <= observed & stays;
  end

  always_ff @(posedge clk_i) begin
    ahead_q   <= ahead + (u_pair.grant[queue_a] ? service_t'({1'b0, u_pair.flits[queue_a]}) * quantum_b : '0) -
                         (u_pair.grant[queue_b] ? service_t'({1'b0, u_pair.flits[queue_b]}) * quantum_a : '0);
    begin_a_q <= begin_a;
    begin_b_q <= begin_b;
    a_next_q  <= a_was_next;
  end

  // The balance.
  always_comb begin
    expected = (begin_a - credit_a) * quantum_b - (begin_b - credit_b) * quantum_a;
    if (a_was_next && !a_next) expected = expected + quantum_a * quantum_b;
    if (!a_was_next && a_next) expected = expected - quantum_a * quantum_b;
  end

  logic     recorded;  // a credit at the beginning of the interval is one that an entry can have
  service_t bound;

  assign recorded = (begin_a >= 0) & (begin_b >= 0) & (begin_a <= most + (a_was_next ? '0 : quantum_a)) &
                    (begin_b <= most + (a_was_next ? quantum_b : '0));
  assign bound    = quantum_a * quantum_b + most * (quantum_a + quantum_b);

  assign not_balanced_o = not_coupled | differs | (observed & ((ahead != expected) | ~recorded));
  assign unfair_o       = observed & ((ahead > bound) | (ahead < -bound));

  // To be seen: the bound is met, with packets of more than one flit.
  assign cover_bound_met_o = observed & (ahead == bound) & (most != 0);

endmodule
