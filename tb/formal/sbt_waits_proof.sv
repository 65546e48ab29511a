// How long an SL waits under sbt that can send all the time, whatever the others do: others get at most twice the sum
// of their weights, in packets, before it.
//
// sbt_proof couples the engine and its specification; the wait is observed here. Why: what others can still send before
// the SL of an entry is what is left of their weights, and if nothing is left of the entry's own, once more their
// weights, as all are restored once before. That and what they have sent is at most twice their weights.

module sbt_waits_proof #(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned QuantumWidth   = 2,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  bit          IdleAfterLoad  = 1'b0,
  localparam int unsigned Entries        = Queues,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned SumWidth       = QuantumWidth + QueueWidth + 2
) (
  input  logic                                 clk_i,
  input  logic                                 reset_i,
  input  logic                                 load_i,
  input  logic [QueueWidth-1:0]                last_entry_i,
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_sl_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_weight_i,
  input  logic [Queues-1:0][QueueWidth-1:0]    queue_sl_i,
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,
  input  logic                                 request_i,
  input  logic [QueueWidth-1:0]                watched_i,  // the entry whose SL waits

  output logic                                 not_bounded_o,
  output logic                                 waits_too_long_o,
  output logic                                 cover_outlasts_a_round_o
);

  typedef logic [SumWidth-1:0] sum_t;

  logic not_coupled, differs, unused_two, unused_inactive, unused_idle, unused_overflows, unused_shows,
        unused_restored;
  logic [3*Queues+7:0] unused_parts;

  sbt_proof #(
    .Queues        (Queues),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .IdleAfterLoad (IdleAfterLoad)
  ) u_pair (
    .*,
    .not_coupled_o      (not_coupled),
    .parts_o            (unused_parts),
    .differs_o          (differs),
    .two_grants_o       (unused_two),
    .grant_to_inactive_o(unused_inactive),
    .idle_with_active_o (unused_idle),
    .overflows_o        (unused_overflows),
    .shows_otherwise_o  (unused_shows),
    .cover_restored_o   (unused_restored)
  );

  // The entry, chosen with the table.
  logic [QueueWidth-1:0] watched_q, watched;
  logic                  waits, is_served;

  always_ff @(posedge clk_i) begin
    if (load_i) watched_q <= watched_i;
  end

  assign watched = (32'(watched_q) < Entries) ? watched_q : '0;

  assign waits     = u_pair.entry_used[watched] & u_pair.entry_active[watched];
  assign is_served = u_pair.grant_valid &
                     (u_pair.queue_sl[u_pair.grant_queue] == u_pair.entry_sl[watched]);

  sum_t others, ahead, waited;
  logic unbounded;

  always_comb begin
    others = '0;
    ahead  = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (u_pair.entry_used[e] && e != 32'(watched)) begin
        others = others + sum_t'(u_pair.entry_weight[e]);
        ahead  = ahead + sum_t'(u_pair.left[e]);
      end
    end
    if (u_pair.left[watched] == '0) ahead = ahead + others;
  end

  waiting #(
    .Width(SumWidth)
  ) u_waiting (
    .clk_i,
    .rst_ni     (u_pair.rst_n),
    .waits_i    (waits & ~load_i),
    .served_i   (is_served),
    .sent_i     (sum_t'(u_pair.grant_valid)),
    .ahead_i    (ahead),
    .highest_i  (others << 1),
    .unbounded_o(unbounded),
    .too_long_o (waits_too_long_o),
    .waited_o   (waited)
  );

  assign cover_outlasts_a_round_o = u_pair.rst_n & (waited > others);
  assign not_bounded_o            = not_coupled | differs | unbounded;

endmodule
