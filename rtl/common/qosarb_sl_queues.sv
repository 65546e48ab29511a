// The queues of each service level, served round robin: the next queue of each SL.
//
// Algorithm, all SLs side by side:
//   1. The candidate of an SL is its first active queue behind the one that it served last,
//      circularly; after reset and load that is the lowest active one.
//   2. Whoever chooses an SL marks its queues in `served_i`. Its candidate is then the one that it
//      served last.
// With IdleAfterLoad the comparison of the SLs stands in registers. In the cycle after a load it is still that of the
// old ones, after a reset of none; so nothing may be served in that cycle.
// SLs share no queue, so one bit a queue is all the state: whether it comes behind the queue that
// its SL served last. It is updated in the cycle after the grant, from registers, since who wins is
// known late and the round robin has time.
// Bound: an active queue waits for at most one packet of each other queue of its SL, among those.

module qosarb_sl_queues #(
  parameter  int unsigned Queues        = 8,
  parameter  bit          IdleAfterLoad = 1'b0,  // nothing is served in the cycle after a load or a reset
  localparam int unsigned SlWidth       = qosarb_pkg::index_width(Queues)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  // A cycle with `load_i` is the last one of the SLs that stand in it; at its end the state starts
  // over.
  input  logic                           load_i,
  input  logic [Queues-1:0][SlWidth-1:0] queue_sl_i,

  input  logic [Queues-1:0]              active_i,
  // The candidates of all SLs, one of each SL that has an active queue.
  output logic [Queues-1:0]              candidate_o,
  // All queues of the SL whose candidate wins in this cycle; none when nobody wins.
  input  logic [Queues-1:0]              served_i,

  // For reading: the queues that come behind the one that their SL served last.
  output logic [Queues-1:0]              behind_o
);

  if (Queues < 1 || Queues > 256) begin : g_check_queues
    $error("qosarb_sl_queues: Queues must be within 1..256");
  end

  localparam logic [Queues-1:0] AllQueues = '1;

  logic [Queues-1:0][Queues-1:0] same_sl;
  logic [Queues-1:0]             behind, behind_q;  // the queue that its SL served last
  logic [Queues-1:0]             active_behind, after;

  // The last cycle's `served_i` and `after`. behind_q does not count them.
  logic [Queues-1:0]             served_q, after_q;

  qosarb_sl_members #(
    .Items     (Queues),
    .Queues    (Queues),
    .SlWidth   (SlWidth),
    .Registered(IdleAfterLoad)
  ) u_same_sl (
    .clk_i,
    .rst_ni,
    .used_i    ('1),
    .sl_i      (queue_sl_i),
    .queue_sl_i(queue_sl_i),
    .members_o (same_sl)
  );

  assign active_behind = active_i & behind;

  for (genvar q = 0; q < Queues; q++) begin : g_queue
    localparam logic [Queues-1:0] Lower = ~(AllQueues << q);
    logic any_behind;

    assign any_behind     = |(same_sl[q] & active_behind);
    // Whether the queue comes behind the candidate of its SL.
    assign after[q]       = any_behind ? |(same_sl[q] & active_behind & Lower)
                                       : |(same_sl[q] & active_i & Lower);
    assign candidate_o[q] = active_i[q] & (behind[q] | ~any_behind) & ~after[q];
  end

  assign behind   = (behind_q & ~served_q) | (after_q & served_q);
  assign behind_o = behind;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      behind_q <= '0;
      served_q <= '0;
      after_q  <= '0;
    end else begin
      behind_q <= load_i ? '0 : behind;
      served_q <= load_i ? '0 : served_i;
      after_q  <= after;
    end
  end

endmodule
