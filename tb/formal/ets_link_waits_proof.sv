// How long a queue with a weight waits under ets at a link that never idles, if in any t + 1 cycles at most b + r t
// flits of strict priority arrive and none of them is stopped: (W + b + r L) / (1 - r) cycles, W being the wait without
// strict priority, L + G + n (L - 1) as under bxi-deficit. r is in quarters of a flit a cycle here.
//
// ets_proof couples the engine and its specification, turn_waiting.sv bounds what other weights are granted; link,
// strict arrivals and wait are observed here, the wait as 4 t (1 - r). Why: what goes before the head is the rest of
// the packet that is on the link, the turns before its own, and flits of strict priority, those that wait and those
// for which there are tokens. In each cycle a flit of these is sent and r is added to the tokens. Strict flits
// that wait came while one packet was on the link, so with their tokens they are at most b + r L.

module ets_link_waits_proof
  import clamp_pkg::clamped;
#(
  parameter  int unsigned Queues         = 3,
  parameter  int unsigned QuantumWidth   = 2,
  parameter  int unsigned MaxPacketFlits = 2,
  parameter  int unsigned BurstWidth     = 2,
  localparam int unsigned Entries        = Queues,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1),
  localparam int unsigned TurnsWidth     = RemainingWidth + QueueWidth + 1,
  localparam int unsigned StrictWidth    = BurstWidth + FlitsWidth + 1,
  localparam int unsigned SumWidth       = 4 + ((TurnsWidth > StrictWidth) ? TurnsWidth : StrictWidth)
) (
  input  logic                                clk_i,
  input  logic                                reset_i,
  input  logic                                load_i,
  input  logic [Queues-1:0]                   strict_i,
  input  logic [Queues-1:0]                   weighted_i,
  input  logic [Queues-1:0][QuantumWidth-1:0] quantum_i,
  input  logic [FlitsWidth-1:0]               max_packet_flits_i,
  input  logic [Queues-1:0]                   valid_i,
  input  logic [Queues-1:0]                   stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]   flits_i,
  input  logic [QueueWidth-1:0]               watched_i,       // the entry that waits
  input  logic [1:0]                          rate_i,          // of strict priority, in quarters
  input  logic [BurstWidth-1:0]               burst_i,         // flits
  input  logic [BurstWidth-1:0]               arrive_i,        // flits that come in this cycle
  input  logic [QueueWidth-1:0]               strict_queue_i,  // where strict ones show themselves

  output logic                                not_bounded_o,
  output logic                                waits_too_long_o,
  output logic                                cover_outlasts_the_turns_o
);

  typedef logic [SumWidth-1:0] sum_t;  // quarters of a flit

  logic not_coupled, differs, link_is_free, unused_two, unused_inactive, unused_idle, unused_overflows, unused_before,
        unused_moves, unused_added, unused_amid, unused_back;
  logic [Entries+15:0]               unused_parts;
  logic [Queues-1:0]                 valid, stopped;
  logic [Queues-1:0][FlitsWidth-1:0] flits;

  ets_proof #(
    .Queues        (Queues),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_pair (
    .*,
    .valid_i                    (valid),
    .stopped_i                  (stopped),
    .flits_i                    (flits),
    .request_i                  (link_is_free),
    .next_valid_i               ('0),
    .next_flits_i               ('0),
    .not_coupled_o              (not_coupled),
    .parts_o                    (unused_parts),
    .differs_o                  (differs),
    .two_grants_o               (unused_two),
    .grant_to_inactive_o        (unused_inactive),
    .idle_with_active_o         (unused_idle),
    .overflows_o                (unused_overflows),
    .table_before_strict_o      (unused_before),
    .strict_moves_the_table_o   (unused_moves),
    .cover_deficit_added_o      (unused_added),
    .cover_strict_amid_turn_o   (unused_amid),
    .cover_strict_back_to_back_o(unused_back)
  );

  // A packet of the classes before a load may be longer than any after it: strict ones come, and waits are counted,
  // from when it has left.
  logic [FlitsWidth-1:0] on_link;
  logic                  is_of_before;

  busy_link #(
    .FlitsWidth(FlitsWidth)
  ) u_link (
    .clk_i,
    .rst_ni        (u_pair.rst_n),
    .load_i,
    .grant_valid_i (u_pair.grant_valid),
    .flits_i       (u_pair.flits[u_pair.grant_queue]),
    .is_free_o     (link_is_free),
    .left_o        (on_link),
    .is_of_before_o(is_of_before)
  );

  // Strict priority: so many flits wait, of packets of any length, in any of its queues, one of which shows its head.
  // As many more come as there are tokens.
  logic [QueueWidth-1:0]  watched_q, watched, strict_queue;
  logic [1:0]             rate_q;
  logic [BurstWidth-1:0]  burst_q, come;
  logic [StrictWidth-1:0] backlog_q, backlog;
  logic [BurstWidth+1:0]  tokens_q;
  sum_t                   tokens;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      watched_q <= watched_i;
      rate_q    <= rate_i;
      burst_q   <= burst_i;
    end
  end

  assign watched = (32'(watched_q) < Entries) ? watched_q : '0;

  assign come    = (is_of_before | (u_pair.strict_q == '0))
                 ? '0 : BurstWidth'(clamped(32'(arrive_i), 0, 32'(tokens_q[BurstWidth+1:2])));
  assign backlog = backlog_q + StrictWidth'(come);
  assign tokens  = sum_t'(tokens_q) - (sum_t'(come) << 2) + sum_t'(rate_q);

  always_comb begin
    strict_queue = strict_queue_i;
    if ((32'(strict_queue_i) >= Queues) || !u_pair.strict_q[strict_queue_i]) begin
      for (int q = Queues - 1; q >= 0; q--) if (u_pair.strict_q[q]) strict_queue = QueueWidth'(unsigned'(q));
    end
  end

  for (genvar q = 0; q < Queues; q++) begin : g_head
    assign valid[q]   = u_pair.strict_q[q] ? (backlog != '0) & (strict_queue == QueueWidth'(q)) : valid_i[q];
    assign stopped[q] = stopped_i[q] & ~u_pair.strict_q[q];
    assign flits[q]   = (u_pair.strict_q[q] & (StrictWidth'(flits_i[q]) > backlog)) ? FlitsWidth'(backlog) : flits_i[q];
  end

  logic                  is_strict;
  logic [FlitsWidth-1:0] sent;

  assign is_strict = (u_pair.grant & u_pair.strict_q) != '0;
  assign sent      = u_pair.grant_valid ? u_pair.flits[u_pair.grant_queue] : '0;

  always_ff @(posedge clk_i or negedge u_pair.rst_n) begin
    if (!u_pair.rst_n) begin
      backlog_q <= '0;
      tokens_q  <= '0;
    end else if (load_i) begin
      backlog_q <= '0;
      tokens_q  <= {burst_i, 2'd0};
    end else begin
      backlog_q <= is_strict ? backlog - StrictWidth'(sent) : backlog;
      tokens_q  <= (tokens > (sum_t'(burst_q) << 2)) ? {burst_q, 2'd0} : (BurstWidth + 2)'(tokens);
    end
  end

  // The turns before that of the watched entry.
  logic [QueueWidth-1:0] queue;
  logic                  can_send, waits, turns_unbounded, unused_too_long, unused_met, unused_waits;

  assign queue    = u_pair.entry_queue[watched];
  assign can_send = u_pair.entry_used[watched] & ~load_i & u_pair.active[queue];
  assign waits    = can_send & ~is_of_before;

  turn_waiting #(
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .RemainingWidth(RemainingWidth),
    .FlitsWidth    (FlitsWidth)
  ) u_turns (
    .clk_i,
    .rst_ni        (u_pair.rst_n),
    .waits_i       (can_send),
    .served_i      (u_pair.grant[queue]),
    .sent_i        (is_strict ? '0 : sent),
    .most_deficit_i(u_pair.max_packet_flits - 1'b1),
    .last_entry_i  (u_pair.last_entry),
    .own_i         (u_pair.entry_used & (Entries'(1) << watched)),
    .quantum_i     (u_pair.entry_quantum),
    .cur_i         (u_pair.cur),
    .rem_i         (u_pair.rem),
    .fresh_i       (u_pair.fresh),
    .deficit_i     (u_pair.expected_deficit),
    .unbounded_o   (turns_unbounded),
    .too_long_o    (unused_too_long),
    .met_o         (unused_met),
    .waits_o       (unused_waits)
  );

  // The wait.
  sum_t left_on_link, strict_ahead, strict_most, turns_most, waited;
  logic unbounded, too_many_strict;

  assign left_on_link = is_of_before ? '0 : sum_t'(on_link);
  assign strict_ahead = (sum_t'(backlog_q) << 2) + sum_t'(tokens_q);
  assign strict_most  = (sum_t'(burst_q) << 2) + sum_t'(rate_q) * sum_t'(u_pair.max_packet_flits);
  assign turns_most   = (sum_t'(u_pair.max_packet_flits) + sum_t'(u_turns.highest)) << 2;

  waiting #(
    .Width(SumWidth)
  ) u_waiting (
    .clk_i,
    .rst_ni     (u_pair.rst_n),
    .waits_i    (waits),
    .served_i   (u_pair.grant[queue]),
    .sent_i     (sum_t'(4) - sum_t'(rate_q)),
    .ahead_i    (((left_on_link + sum_t'(u_turns.ahead)) << 2) + strict_ahead),
    .highest_i  (turns_most + strict_most),
    .unbounded_o(unbounded),
    .too_long_o (waits_too_long_o),
    .waited_o   (waited)
  );

  // No more strict flits wait than came while the packet was on the link of which this is left.
  assign too_many_strict = u_pair.rst_n &
    ((sum_t'(tokens_q) > (sum_t'(burst_q) << 2)) |
     ((backlog_q != '0) & (is_of_before | (u_pair.strict_q == '0))) |
     (strict_ahead + sum_t'(rate_q) * left_on_link > strict_most));

  assign cover_outlasts_the_turns_o = u_pair.rst_n & (waited > turns_most) & (rate_q == 2'd1);
  assign not_bounded_o              = not_coupled | differs | (u_pair.has_table & (turns_unbounded | unbounded)) |
                                      too_many_strict |
                                      (u_pair.rst_n & ~is_of_before & (on_link >= u_pair.max_packet_flits));

endmodule
