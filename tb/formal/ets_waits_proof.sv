// How long a head with a weight waits under ets, whatever the others do: of other queues with weights at most their
// quanta, and MaxPacketFlits - 1 flits for each of them, are granted before it, as under bxi-deficit, however often
// strict priority comes in between. Why: what can still be sent by weights before the turn of its entry is what remains
// of the present turn, and quantum and deficit of each entry between; that and what has been sent is never more.
//
// ets_proof couples the engine and its specification; the wait is observed here.

module ets_waits_proof #(
  parameter  int unsigned Queues         = 3,
  parameter  int unsigned QuantumWidth   = 2,
  parameter  int unsigned MaxPacketFlits = 2,
  localparam int unsigned Entries        = Queues,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1),
  localparam int unsigned SumWidth       = RemainingWidth + QueueWidth + 1
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
  input  logic                                request_i,
  input  logic [QueueWidth-1:0]               watched_i,  // the entry that waits

  output logic                                not_bounded_o,
  output logic                                waits_too_long_o,
  output logic                                cover_longest_wait_o
);

  typedef logic [SumWidth-1:0] sum_t;

  logic not_coupled, differs, unused_two, unused_inactive, unused_idle, unused_overflows, unused_before, unused_moves,
        unused_added, unused_amid, unused_back;
  logic [Entries+15:0] unused_parts;

  ets_proof #(
    .Queues        (Queues),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_pair (
    .*,
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

  // The entry, chosen with the table; each queue with a weight has one.
  logic [QueueWidth-1:0] watched_q, queue;

  always_ff @(posedge clk_i) begin
    if (load_i) watched_q <= watched_i;
  end

  assign queue = u_pair.entry_queue[watched_q];

  // What the others can still send before its turn, and have at most.
  sum_t ahead, highest, most, waited;
  logic is_between, unlikely, unbounded;

  assign most = sum_t'(u_pair.max_packet_flits) - 1'b1;

  always_comb begin
    highest  = '0;
    ahead    = '0;
    unlikely = (u_pair.fresh & (u_pair.rem < u_pair.entry_quantum[u_pair.cur])) |
               (sum_t'(u_pair.rem) > sum_t'(u_pair.entry_quantum[u_pair.cur]) + most);
    for (int unsigned e = 0; e < Entries; e++) begin
      is_between = (u_pair.cur < watched_q) ? e > 32'(u_pair.cur) && e < 32'(watched_q)
                                            : e > 32'(u_pair.cur) || e < 32'(watched_q);
      if (u_pair.entry_used[e]) begin
        unlikely |= sum_t'(u_pair.expected_deficit[e]) > most;
        if (e != 32'(watched_q)) begin
          highest = highest + sum_t'(u_pair.entry_quantum[e]) + most;
          if (is_between) begin
            ahead = ahead + sum_t'(u_pair.entry_quantum[e]) + sum_t'(u_pair.expected_deficit[e]);
          end
        end
      end
    end
    if (u_pair.cur != watched_q) ahead = ahead + sum_t'(u_pair.rem);
    else if (u_pair.fresh)       ahead = '0;  // its turn has begun, and any head fits
  end

  waiting #(
    .Width(SumWidth)
  ) u_waiting (
    .clk_i,
    .rst_ni     (u_pair.rst_n),
    .waits_i    (u_pair.entry_used[watched_q] & ~load_i & u_pair.active[queue]),
    .served_i   (u_pair.grant[queue]),
    .sent_i     (((u_pair.grant & u_pair.weighted) != '0) ? sum_t'(u_pair.flits[u_pair.grant_queue]) : '0),
    .ahead_i    (ahead),
    .highest_i  (highest),
    .unbounded_o(unbounded),
    .too_long_o (waits_too_long_o),
    .waited_o   (waited)
  );

  // To be seen: all of that, and strict priority within the same wait.
  logic amid_q;

  always_ff @(posedge clk_i) begin
    amid_q <= u_pair.entry_used[watched_q] & ~load_i & u_pair.active[queue] & ~u_pair.grant[queue] &
              (amid_q | ((u_pair.grant & u_pair.strict_q) != '0)) & u_pair.rst_n;
  end

  initial amid_q = 1'b0;

  assign cover_longest_wait_o = u_pair.rst_n & amid_q & (waited == highest) & (most != '0) & (highest != '0);
  assign not_bounded_o        = not_coupled | differs | unbounded |
                                (u_pair.rst_n & u_pair.has_table & unlikely);

endmodule
