// The fairness of dtable between two SLs that stand in one entry each, a and b, and stay backlogged, each by any of its
// queues, whatever the other SLs do (see fairness.sv); the longest packet of an SL is its MTU.
//
// And how long a, whose SL is in no other entry, waits for its turn while the SL stays active: the others send at most
// their weights, and an MTU less a flit for each of them. Why: what can still be sent before the turn of a is what
// remains of the present turn, the weight of each entry between it and a, and the deficit of each SL that has one of
// these; that and what has been sent is never more.
//
// dtable_proof couples the engine and its specification; interval and wait are observed here.

module dtable_fairness_proof #(
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
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_sl_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_weight_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    sl_mtu_i,
  input  logic [Queues-1:0][QueueWidth-1:0]    queue_sl_i,
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,
  input  logic                                 request_i,
  input  logic [EntryWidth-1:0]                a_i,      // the two entries
  input  logic [EntryWidth-1:0]                b_i,
  input  logic                                 begin_i,  // an interval begins with this cycle

  output logic                                 not_balanced_o,
  output logic                                 unfair_o,
  output logic                                 waits_too_long_o,
  output logic                                 cover_bound_met_o,
  output logic                                 cover_longest_wait_o
);

  typedef logic signed [ServiceWidth-1:0] service_t;

  logic not_coupled, differs, unused_two, unused_inactive, unused_idle, unused_overflows, unused_added, unused_goes_on,
        unused_back_to_back;
  logic [6*Queues+2*Entries+19:0] unused_parts;

  dtable_proof #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_pair (
    .clk_i,
    .reset_i,
    .load_i,
    .last_entry_i,
    .entry_sl_i,
    .entry_weight_i,
    .sl_mtu_i,
    .queue_sl_i,
    .valid_i,
    .stopped_i,
    .flits_i,
    .next_valid_i         ('0),
    .next_flits_i         ('0),
    .request_i,
    .not_coupled_o        (not_coupled),
    .parts_o              (unused_parts),
    .differs_o            (differs),
    .two_grants_o         (unused_two),
    .grant_to_inactive_o  (unused_inactive),
    .idle_with_active_o   (unused_idle),
    .overflows_o          (unused_overflows),
    .cover_deficit_added_o(unused_added),
    .cover_turn_goes_on_o (unused_goes_on),
    .cover_back_to_back_o (unused_back_to_back)
  );

  // The two entries, chosen with the table: in use, and alone in having their SLs.
  logic [EntryWidth-1:0] a_q, b_q, a, b;
  logic [QueueWidth-1:0] sl_a, sl_b;
  logic                  good;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      a_q <= a_i;
      b_q <= b_i;
    end
  end

  assign a    = (32'(a_q) < Entries) ? a_q : '0;
  assign b    = (32'(b_q) < Entries) ? b_q : '0;
  assign sl_a = u_pair.entry_sl[a];
  assign sl_b = u_pair.entry_sl[b];

  always_comb begin
    good = a != b && a <= u_pair.last_entry && b <= u_pair.last_entry;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (u_pair.entry_used[e] && e != 32'(a) && u_pair.entry_sl[e] == sl_a) good = 1'b0;
      if (u_pair.entry_used[e] && e != 32'(b) && u_pair.entry_sl[e] == sl_b) good = 1'b0;
    end
  end

  // Credits, and which of the two begins a turn next: a, if it comes first behind the current entry.
  service_t weight_a, weight_b, credit_a, credit_b;
  logic     a_has_turn, b_has_turn, a_next, stays, unbalanced;

  assign a_has_turn = u_pair.expected_selected & (u_pair.sl == sl_a);
  assign b_has_turn = u_pair.expected_selected & (u_pair.sl == sl_b);
  assign weight_a   = service_t'({1'b0, u_pair.entry_weight[a]});
  assign weight_b   = service_t'({1'b0, u_pair.entry_weight[b]});
  assign credit_a   = service_t'({1'b0, a_has_turn ? u_pair.acc : u_pair.expected_deficit[sl_a]});
  assign credit_b   = service_t'({1'b0, b_has_turn ? u_pair.acc : u_pair.expected_deficit[sl_b]});

  always_comb begin
    if (u_pair.entry == a)                             a_next = 1'b0;
    else if (u_pair.entry == b)                        a_next = 1'b1;
    else if ((u_pair.entry < a) == (u_pair.entry < b)) a_next = a < b;
    else                                               a_next = u_pair.entry < a;
  end

  // What is active, and what is granted. The interval ends when one of the two is not active at an arbitration, or by
  // a load.
  logic     a_active, b_active;
  service_t sent_a, sent_b;

  always_comb begin
    a_active = 1'b0;
    b_active = 1'b0;
    sent_a   = '0;
    sent_b   = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (u_pair.queue_sl[q] == sl_a) begin
        a_active |= u_pair.active[q];
        if (u_pair.grant[q]) sent_a = service_t'({1'b0, u_pair.flits[q]});
      end
      if (u_pair.queue_sl[q] == sl_b) begin
        b_active |= u_pair.active[q];
        if (u_pair.grant[q]) sent_b = service_t'({1'b0, u_pair.flits[q]});
      end
    end
  end

  assign stays = good & ~load_i & (~request_i | (a_active & b_active));

  fairness #(
    .Width(ServiceWidth)
  ) u_fairness (
    .clk_i,
    .rst_ni      (u_pair.rst_n),
    .begin_i,
    .good_i      (good),
    .stays_i     (stays),
    .a_next_i    (a_next),
    .quantum_a_i (weight_a),
    .quantum_b_i (weight_b),
    .most_a_i    (service_t'({1'b0, u_pair.sl_mtu[sl_a]}) - 1),
    .most_b_i    (service_t'({1'b0, u_pair.sl_mtu[sl_b]}) - 1),
    .credit_a_i  (credit_a),
    .credit_b_i  (credit_b),
    .sent_a_i    (sent_a),
    .sent_b_i    (sent_b),
    .unbalanced_o(unbalanced),
    .unfair_o,
    .bound_met_o (cover_bound_met_o)
  );

  // The wait of a, if no other entry has its SL: what the others can still send before its turn, and have at most.
  service_t          ahead, highest, waited;
  logic              alone, is_between, unbounded;
  logic [Queues-1:0] has_one;  // of the SLs

  always_comb begin
    alone   = u_pair.entry_used[a];
    has_one = '0;
    highest = '0;
    ahead   = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      is_between = (u_pair.entry < a) ? e > 32'(u_pair.entry) && e < 32'(a) :
                                        e > 32'(u_pair.entry) || e < 32'(a);
      if (u_pair.entry_used[e] && e != 32'(a)) begin
        alone  &= u_pair.entry_sl[e] != sl_a;
        highest = highest + service_t'({1'b0, u_pair.entry_weight[e]}) +
                  service_t'({1'b0, u_pair.sl_mtu[u_pair.entry_sl[e]]}) - 1;
        if (is_between) begin
          ahead = ahead + service_t'({1'b0, u_pair.entry_weight[e]});
          has_one[u_pair.entry_sl[e]] = 1'b1;
        end
      end
    end
    for (int unsigned s = 0; s < Queues; s++) begin
      if (has_one[s] && !(u_pair.expected_selected && 32'(u_pair.sl) == s)) begin
        ahead = ahead + service_t'({1'b0, u_pair.expected_deficit[s]});
      end
    end
    if (u_pair.expected_selected && !a_has_turn) ahead = ahead + service_t'({1'b0, u_pair.acc});
  end

  waiting #(
    .Width(ServiceWidth)
  ) u_waiting (
    .clk_i,
    .rst_ni     (u_pair.rst_n),
    .waits_i    (alone & ~load_i & a_active),
    .served_i   (sent_a != '0),
    .sent_i     (u_pair.grant_valid ? service_t'({1'b0, u_pair.flits[u_pair.grant_queue]}) : '0),
    .ahead_i    (ahead),
    .highest_i  (highest),
    .unbounded_o(unbounded),
    .too_long_o (waits_too_long_o),
    .waited_o   (waited)
  );

  assign cover_longest_wait_o = u_pair.rst_n & good & (waited == highest) &
                                (u_pair.sl_mtu[u_pair.entry_sl[b]] != FlitsWidth'(1));

  assign not_balanced_o = not_coupled | differs | unbalanced | unbounded;

endmodule
