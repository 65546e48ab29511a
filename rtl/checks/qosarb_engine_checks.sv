// Assertions for whoever binds an engine of rtl/policy by itself, without a port; see qosarb_port_checks.
//
//   bind qosarb_bxi_lookahead qosarb_engine_checks #(
//     .Queues(Queues), .MaxPacketFlits(MaxPacketFlits), .Latency(1)
//   ) u_checks (.*, .served_i('1));
//
// With Latency = 0, of the engines that answer in the cycle of the request, tie the next packets to 0.
//
// Of the surroundings:
//   flits_are_possible   a head, and the packet behind it, have 1 to MaxPacketFlits flits; off with HeadsMayLie
//   head_stays           a head stays as it is until it is granted, and is followed by the packet that was
//                        shown behind it; off with HeadsMayGo, which only an engine of Latency 0 allows
// Of the engine:
//   grant_is_one_hot, grant_forms_agree
//   grant_is_asked_for   no grant without a request, nor to a queue that was empty or stopped then
//   grant_if_possible    a request is granted when a queue of `served_i` had a candidate, as by a strict table
//   wait_is_bounded      no head that could go, of a queue of `served_i`, is passed over by more than MaxWait
//                        grants in a row of one table; 0: any
// Each is disabled in reset.

module qosarb_engine_checks #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned Latency        = 0,     // cycles from a request to its answer, 0 or 1
  parameter  int unsigned MaxWait        = 0,     // grants
  parameter  bit          HeadsMayGo     = 1'b0,
  parameter  bit          HeadsMayLie    = 1'b0,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              load_i,
  input logic [Queues-1:0]                 valid_i,
  input logic [Queues-1:0]                 stopped_i,
  input logic [Queues-1:0][FlitsWidth-1:0] flits_i,
  input logic [Queues-1:0]                 next_valid_i,
  input logic [Queues-1:0][FlitsWidth-1:0] next_flits_i,
  input logic                              request_i,
  input logic                              grant_valid_o,
  input logic [Queues-1:0]                 grant_o,
  input logic [QueueWidth-1:0]             grant_queue_o,
  input logic [Queues-1:0]                 served_i
);

  // Since the clock edge behind a reset, which needs none itself: what looks back sees nothing before.
  logic runs_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) runs_q <= 1'b0;
    else         runs_q <= 1'b1;
  end

  // What an answer in this cycle goes by: the candidates and the request of this cycle or the last one.
  // A queue that is granted in the cycle of a request has the packet behind its head for a candidate.
  logic              asked;
  logic [Queues-1:0] could_go, servable, runs_late;

  if (Latency == 0) begin : g_now
    assign asked     = request_i;
    assign could_go  = valid_i & ~stopped_i;
    assign servable  = served_i;
    assign runs_late = '0;
  end else begin : g_later
    logic              asked_q;
    logic [Queues-1:0] could_go_q, servable_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        asked_q    <= 1'b0;
        could_go_q <= '0;
        servable_q <= '0;
      end else begin
        asked_q    <= request_i & ~load_i;
        could_go_q <= ((grant_o & next_valid_i) | (~grant_o & valid_i)) & ~stopped_i;
        servable_q <= served_i;
      end
    end

    assign asked     = asked_q;
    assign could_go  = could_go_q;
    assign servable  = servable_q;
    assign runs_late = grant_o & ~valid_i;  // its head did not stay
  end

  for (genvar q = 0; q < Queues; q++) begin : g_queue
    if (!HeadsMayLie) begin : g_true
      flits_are_possible: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (!valid_i[q] || (flits_i[q] != '0 && 32'(flits_i[q]) <= MaxPacketFlits)) &&
        (!next_valid_i[q] || (next_flits_i[q] != '0 && 32'(next_flits_i[q]) <= MaxPacketFlits)))
        else $error("qosarb_engine_checks: flits_are_possible: queue %0d shows %0d and %0d", q, flits_i[q],
                    next_flits_i[q]);
    end

    if (!HeadsMayGo) begin : g_heads_stay
      head_stays: assert property (@(posedge clk_i) disable iff (!runs_q)
        valid_i[q] && (!grant_o[q] || next_valid_i[q]) |=>
        valid_i[q] && flits_i[q] == $past(grant_o[q] ? next_flits_i[q] : flits_i[q]))
        else $error("qosarb_engine_checks: head_stays: that of queue %0d went or changed", q);
    end

    if (MaxWait != 0) begin : g_wait
      int unsigned passed_q;  // grants of others since the head could go
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni)                                        passed_q <= 0;
        else if (!valid_i[q] || stopped_i[q] || grant_o[q]) passed_q <= 0;
        else if (!served_i[q] || load_i)                    passed_q <= 0;  // its wait begins anew
        else if (grant_valid_o)                             passed_q <= passed_q + 1;
      end
      wait_is_bounded: assert property (@(posedge clk_i) disable iff (!rst_ni)
        passed_q <= MaxWait)
        else $error("qosarb_engine_checks: wait_is_bounded: queue %0d was passed over %0d times", q, passed_q);
    end
  end

  grant_is_one_hot: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (grant_o & (grant_o - 1'b1)) == '0)
    else $error("qosarb_engine_checks: grant_is_one_hot: %b", grant_o);
  grant_forms_agree: assert property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o == (grant_o != '0) && (!grant_valid_o || grant_o[grant_queue_o]))
    else $error("qosarb_engine_checks: grant_forms_agree: %b, %b, %0d", grant_valid_o, grant_o, grant_queue_o);
  grant_is_asked_for: assert property (@(posedge clk_i) disable iff (!rst_ni)
    grant_o != '0 |-> asked && (grant_o & ~could_go) == '0 && runs_late == '0)
    else $error("qosarb_engine_checks: grant_is_asked_for: %b, candidates were %b", grant_o, could_go);
  grant_if_possible: assert property (@(posedge clk_i) disable iff (!rst_ni)
    asked && (could_go & servable) != '0 |-> grant_valid_o)
    else $error("qosarb_engine_checks: grant_if_possible: %b could go", could_go & servable);

endmodule
