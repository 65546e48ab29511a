// How long a head waits under bxi-basic, whatever the others do: others are granted at most the quanta of the entries
// between two of its queue. Why: what can still be sent before the next turn of its queue is what remains of the
// present turn and the quanta of the entries between; that and what has been sent is never more, and a new turn
// holds any packet.
//
// bxi_proof couples the engine and its specification; the wait is observed here.

module bxi_waits_proof #(
  parameter  int unsigned Queues         = 3,
  parameter  int unsigned Entries        = 4,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned SumWidth       = QuantumWidth + EntryWidth + 1
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
  input  logic [QueueWidth-1:0]                watched_i,  // the queue that waits

  output logic                                 not_bounded_o,
  output logic                                 waits_too_long_o,
  output logic                                 cover_longest_wait_o
);

  typedef logic [SumWidth-1:0] sum_t;

  logic not_coupled, differs, unused_two, unused_inactive, unused_idle, unused_overflows, unused_added, unused_exact,
        unused_back;
  logic [Entries+15:0] unused_parts;

  bxi_proof #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Deficits      (1'b0)
  ) u_pair (
    .*,
    .next_valid_i           ('0),
    .next_flits_i           ('0),
    .not_coupled_o          (not_coupled),
    .parts_o                (unused_parts),
    .differs_o              (differs),
    .two_grants_o           (unused_two),
    .grant_to_inactive_o    (unused_inactive),
    .idle_with_active_o     (unused_idle),
    .overflows_o            (unused_overflows),
    .cover_deficit_added_o  (unused_added),
    .cover_exact_depletion_o(unused_exact),
    .cover_back_to_back_o   (unused_back)
  );

  // The queue, chosen with the table: one that has an entry.
  logic [QueueWidth-1:0] watched_q;
  logic [Entries-1:0]    own;

  always_ff @(posedge clk_i) begin
    if (load_i) watched_q <= watched_i;
  end

  for (genvar e = 0; e < Entries; e++) begin : g_own
    assign own[e] = u_pair.entry_used[e] & (u_pair.entry_queue[e] == watched_q);
  end

  // The entries between the last one of the queue and its next: those behind the current one, and those before it with
  // itself, if it is not the queue's own. A turn of its own from which nothing was sent yet is the next one.
  sum_t to_next, since_last;
  logic is_own, is_next;

  always_comb begin
    logic                  open;
    logic [EntryWidth-1:0] entry;

    is_own  = own[u_pair.cur];
    is_next = is_own & u_pair.fresh;
    to_next = '0;
    open    = ~is_next;
    entry   = u_pair.cur;
    for (int unsigned i = 0; i < Entries; i++) begin
      entry = (entry == u_pair.last_entry) ? '0 : entry + 1'b1;
      open &= ~own[entry] & (entry != u_pair.cur);
      if (open) to_next = to_next + sum_t'(u_pair.entry_quantum[entry]);
    end

    since_last = is_own ? '0 : sum_t'(u_pair.entry_quantum[u_pair.cur]);
    open       = ~is_own | is_next;
    entry      = u_pair.cur;
    for (int unsigned i = 0; i < Entries; i++) begin
      entry = (entry == '0) ? u_pair.last_entry : entry - 1'b1;
      open &= ~own[entry] & (entry != u_pair.cur);
      if (open) since_last = since_last + sum_t'(u_pair.entry_quantum[entry]);
    end
  end

  sum_t ahead, waited;
  logic unbounded, too_much;

  // A new turn holds any head: nothing goes before it.
  assign ahead    = (is_own ? '0 : sum_t'(u_pair.rem)) + to_next;
  assign too_much = (sum_t'(u_pair.rem) > sum_t'(u_pair.entry_quantum[u_pair.cur])) |
                    (u_pair.fresh & (sum_t'(u_pair.rem) < sum_t'(u_pair.entry_quantum[u_pair.cur])));

  waiting #(
    .Width(SumWidth)
  ) u_waiting (
    .clk_i,
    .rst_ni     (u_pair.rst_n),
    .waits_i    ((own != '0) & ~load_i & u_pair.active[watched_q]),
    .served_i   (u_pair.grant[watched_q]),
    .sent_i     (u_pair.grant_valid ? sum_t'(u_pair.flits[u_pair.grant_queue]) : '0),
    .ahead_i    (ahead),
    .highest_i  (since_last + to_next),
    .unbounded_o(unbounded),
    .too_long_o (waits_too_long_o),
    .waited_o   (waited)
  );

  // To be seen: all of that is sent, by two entries at least, between two different ones of the queue.
  logic two_own;

  assign two_own              = (own & (own - 1'b1)) != '0;
  assign cover_longest_wait_o = u_pair.rst_n & two_own & ~load_i & u_pair.active[watched_q] &
                                (waited == since_last + to_next) & (since_last + to_next > sum_t'(2 ** QuantumWidth - 1));
  assign not_bounded_o        = not_coupled | differs | unbounded | (u_pair.rst_n & too_much);

endmodule
