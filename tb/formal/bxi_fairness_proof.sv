// The fairness of bxi-deficit between two queues that stand in one entry each, a and b, and stay backlogged, whatever
// the other queues do (see fairness.sv).
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
  logic     a_next, stays, unbalanced;

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

  // The interval ends when one of the two is not active at an arbitration, or by a load.
  assign stays = good & ~load_i & (~request_i | (u_pair.active[queue_a] & u_pair.active[queue_b]));

  fairness #(
    .Width(ServiceWidth)
  ) u_fairness (
    .clk_i,
    .rst_ni      (u_pair.rst_n),
    .begin_i,
    .good_i      (good),
    .stays_i     (stays),
    .a_next_i    (a_next),
    .quantum_a_i (quantum_a),
    .quantum_b_i (quantum_b),
    .most_a_i    (most),
    .most_b_i    (most),
    .credit_a_i  (credit_a),
    .credit_b_i  (credit_b),
    .sent_a_i    (u_pair.grant[queue_a] ? service_t'({1'b0, u_pair.flits[queue_a]}) : '0),
    .sent_b_i    (u_pair.grant[queue_b] ? service_t'({1'b0, u_pair.flits[queue_b]}) : '0),
    .unbalanced_o(unbalanced),
    .unfair_o,
    .bound_met_o (cover_bound_met_o)
  );

  // What remains of a turn is at most its quantum and a deficit.
  logic too_much;

  assign too_much = u_pair.rst_n & (service_t'({1'b0, u_pair.rem}) >
                                    service_t'({1'b0, u_pair.entry_quantum[u_pair.cur]}) + most);

  assign not_balanced_o = not_coupled | differs | too_much | unbalanced;

endmodule
