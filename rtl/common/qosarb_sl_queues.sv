// The queues of each service level, served round robin: the next queue of each SL.
//
// Algorithm, all SLs side by side:
//   1. The candidate of an SL is its first active queue behind the one that it served last,
//      circularly; after reset and load that is the lowest active one.
//   2. Whoever chooses an SL marks its queues in `served_i`. Its candidate is then the one that it
//      served last.
// SLs share no queue, so one bit a queue is all the state: whether it comes behind the queue that
// its SL served last.
// Bound: an active queue waits for at most one packet of each other queue of its SL, among those.

module qosarb_sl_queues #(
  parameter  int unsigned Queues  = 8,
  localparam int unsigned SlWidth = qosarb_pkg::index_width(Queues)
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
  input  logic [Queues-1:0]              served_i
);

  if (Queues < 1 || Queues > 256) begin : g_check_queues
    $error("qosarb_sl_queues: Queues must be within 1..256");
  end

  localparam logic [Queues-1:0] AllQueues = '1;

  logic [Queues-1:0][Queues-1:0] same_sl;
  logic [Queues-1:0]             behind_d, behind_q;  // the queue that its SL served last
  logic [Queues-1:0]             active_behind, after;

  qosarb_sl_members #(
    .Items  (Queues),
    .Queues (Queues),
    .SlWidth(SlWidth)
  ) u_same_sl (
    .used_i    ('1),
    .sl_i      (queue_sl_i),
    .queue_sl_i(queue_sl_i),
    .members_o (same_sl)
  );

  assign active_behind = active_i & behind_q;

  for (genvar q = 0; q < Queues; q++) begin : g_queue
    localparam logic [Queues-1:0] Lower = ~(AllQueues << q);
    logic any_behind;

    assign any_behind     = |(same_sl[q] & active_behind);
    // Whether the queue comes behind the candidate of its SL.
    assign after[q]       = any_behind ? |(same_sl[q] & active_behind & Lower)
                                       : |(same_sl[q] & active_i & Lower);
    assign candidate_o[q] = active_i[q] & (behind_q[q] | ~any_behind) & ~after[q];
  end

  assign behind_d = load_i ? '0 : (behind_q & ~served_i) | (after & served_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) behind_q <= '0;
    else         behind_q <= behind_d;
  end

endmodule
