// Assertions for whoever integrates qosarb_port: what the port needs of its surroundings, and what they may
// rely on. For simulation and formal tools; no file list of the synthesizable sources has it.
//
//   bind qosarb_port qosarb_port_checks #(
//     .Queues(Queues), .MaxPacketFlits(MaxPacketFlits), .Latency(Latency), .MaxWait(10000)
//   ) u_checks (.*, .hold(u_ports.hold), .upset(u_ports.upset), .served_i('1));
//
// Of the surroundings:
//   flits_are_possible   a head, and with Latency 1 the packet behind it, has 1 to MaxPacketFlits flits; off
//                        with HeadsMayLie
//   head_stays, length_stays   a head stays as it is until it is granted or dropped; off with HeadsMayGo,
//                        which only Latency 0 allows
//   second_follows       Latency 1: a head that is granted is followed by a packet as long as what was shown
//                        behind it
//   request_when_free    no request while, in the cycle of its answer, the link still has to send more than
//                        Ahead flits of the last packet; off with Ahead < 0
//   apb_*                APB4: a setup phase of one cycle, an access phase until ready, and everything
//                        the same in both
// Of the port:
//   grant_is_one_hot, grant_forms_agree
//   grant_is_asked_for   no grant without a request, nor to a queue that was empty or stopped then
//   grant_if_possible    a request is granted when a queue of `served_i` could go: those that the
//                        configuration in force serves, all where it is strict; but not while the
//                        port is flushed or about to be reset (`hold`), nor with Latency 1 when it starts over; one
//                        with Protect may withhold it, and finds the reason in the next cycle (`upset`)
//   nothing_while_held   no request is granted that comes then
//   drop_is_right        one head at most is dropped in a cycle, and only while nothing is granted
//   wait_is_bounded      no head that could go, of a queue of `served_i`, is passed over by more than MaxWait
//                        grants in a row of one configuration, and of an arbiter that did not start over by an
//                        upset; 0: any
// Each is disabled in reset; a check that has seen nothing since says nothing.

module qosarb_port_checks #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned Latency        = 0,     // cycles from a request to its answer, 0 or 1
  parameter  int unsigned AddressWidth   = 13,    // of paddr_i
  parameter  int unsigned MaxWait        = 0,     // grants
  parameter  int          Ahead          = -1,    // flits
  parameter  bit          HeadsMayGo     = 1'b0,
  parameter  bit          HeadsMayLie    = 1'b0,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              psel_i,
  input logic                              penable_i,
  input logic                              pwrite_i,
  input logic [AddressWidth-1:0]           paddr_i,
  input logic [31:0]                       pwdata_i,
  input logic [3:0]                        pstrb_i,
  input logic                              pready_o,
  input logic [Queues-1:0]                 valid_i,
  input logic [Queues-1:0]                 pfc_stop_i,
  input logic [Queues-1:0][FlitsWidth-1:0] flits_i,
  input logic [Queues-1:0]                 next_valid_i,
  input logic [Queues-1:0][FlitsWidth-1:0] next_flits_i,
  input logic                              request_i,
  input logic                              grant_valid_o,
  input logic [Queues-1:0]                 grant_o,
  input logic [QueueWidth-1:0]             grant_queue_o,
  input logic [Queues-1:0]                 drop_o,
  input logic                              table_applied_o,
  input logic                              hold,
  input logic                              upset,
  input logic [Queues-1:0]                 served_i
);

  if (HeadsMayGo && Latency != 0) begin : g_check_heads
    $error("qosarb_port_checks: HeadsMayGo needs Latency 0");
  end

  // Since the clock edge behind a reset, which needs none itself: what looks back sees nothing before.
  logic runs_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) runs_q <= 1'b0;
    else         runs_q <= 1'b1;
  end

  // What an answer in this cycle goes by: the request and the candidates of this cycle or the last one. A
  // queue that is granted in the cycle of a request has the packet behind its head for a candidate.
  logic              asked, held;
  logic [Queues-1:0] could_go, servable;

  if (Latency == 0) begin : g_now
    assign asked    = request_i;
    assign held     = hold;
    assign could_go = valid_i & ~pfc_stop_i;
    assign servable = served_i;

    logic unused_later;
    assign unused_later = ^{next_valid_i, next_flits_i};
  end else begin : g_later
    logic              asked_q, held_q;
    logic [Queues-1:0] could_go_q, servable_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        asked_q    <= 1'b0;
        held_q     <= 1'b0;
        could_go_q <= '0;
        servable_q <= '0;
      end else begin
        asked_q    <= request_i & ~table_applied_o & ~upset;
        held_q     <= hold;
        could_go_q <= ((grant_o & next_valid_i) | (~grant_o & valid_i)) & ~pfc_stop_i;
        servable_q <= served_i;
      end
    end

    assign asked    = asked_q;
    assign held     = held_q;
    assign could_go = could_go_q & valid_i;  // what was shown behind a head stands in its place
    assign servable = servable_q;
  end

  for (genvar q = 0; q < Queues; q++) begin : g_queue
    if (!HeadsMayLie) begin : g_true
      flits_are_possible: assert property (@(posedge clk_i) disable iff (!rst_ni)
        valid_i[q] |-> flits_i[q] != '0 && 32'(flits_i[q]) <= MaxPacketFlits)
        else $error("qosarb_port_checks: flits_are_possible: queue %0d shows %0d", q, flits_i[q]);
    end
    if (!HeadsMayLie && Latency != 0) begin : g_second_is_true
      flits_are_possible: assert property (@(posedge clk_i) disable iff (!rst_ni)
        next_valid_i[q] |-> next_flits_i[q] != '0 && 32'(next_flits_i[q]) <= MaxPacketFlits)
        else $error("qosarb_port_checks: flits_are_possible: queue %0d shows %0d behind its head", q,
                    next_flits_i[q]);
    end

    if (!HeadsMayGo) begin : g_heads_stay
      head_stays: assert property (@(posedge clk_i) disable iff (!runs_q)
        valid_i[q] && !grant_o[q] && !drop_o[q] |=> valid_i[q])
        else $error("qosarb_port_checks: head_stays: that of queue %0d went without a grant", q);
      length_stays: assert property (@(posedge clk_i) disable iff (!runs_q)
        valid_i[q] && !grant_o[q] && !drop_o[q] |=> !valid_i[q] || $stable(flits_i[q]))
        else $error("qosarb_port_checks: length_stays: that of queue %0d's head changed", q);
    end

    if (Latency != 0) begin : g_second
      second_follows: assert property (@(posedge clk_i) disable iff (!runs_q)
        grant_o[q] && next_valid_i[q] |=> valid_i[q] && flits_i[q] == $past(next_flits_i[q]))
        else $error("qosarb_port_checks: second_follows: another packet than queue %0d showed behind its head", q);
    end

    if (MaxWait != 0) begin : g_wait
      int unsigned passed_q;  // grants of others since the head could go
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni)                                       passed_q <= 0;
        else if (!could_go[q] || grant_o[q])               passed_q <= 0;
        else if (!served_i[q] || table_applied_o || upset) passed_q <= 0;  // its wait begins anew
        else if (grant_valid_o)                            passed_q <= passed_q + 1;
      end
      wait_is_bounded: assert property (@(posedge clk_i) disable iff (!rst_ni)
        passed_q <= MaxWait)
        else $error("qosarb_port_checks: wait_is_bounded: queue %0d was passed over %0d times", q, passed_q);
    end
  end

  if (Ahead >= 0) begin : g_link
    int unsigned sending_q;  // flits of granted packets that the link has not sent
    int unsigned granted;
    always_comb begin
      granted = 0;
      for (int unsigned q = 0; q < Queues; q++) begin
        if (grant_o[q]) granted = flits_i[q] == '0 ? 1 : 32'(flits_i[q]);
      end
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) sending_q <= 0;
      else         sending_q <= sending_q + granted - ((sending_q + granted != 0) ? 1 : 0);
    end
    // With Latency 1 one flit more is sent before the answer, and a packet that is granted now stands in the way.
    request_when_free: assert property (@(posedge clk_i) disable iff (!rst_ni)
      request_i |-> sending_q + ((Latency != 0) ? granted : 0) <= Ahead + Latency)
      else $error("qosarb_port_checks: request_when_free: the link has %0d flits to send", sending_q);
  end

  grant_is_one_hot: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (grant_o & (grant_o - 1'b1)) == '0)
    else $error("qosarb_port_checks: grant_is_one_hot: %b", grant_o);
  grant_forms_agree: assert property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o == (grant_o != '0) && (!grant_valid_o || grant_o[grant_queue_o]))
    else $error("qosarb_port_checks: grant_forms_agree: %b, %b, %0d", grant_valid_o, grant_o, grant_queue_o);
  grant_is_asked_for: assert property (@(posedge clk_i) disable iff (!rst_ni)
    grant_o != '0 |-> asked && (grant_o & ~could_go) == '0)
    else $error("qosarb_port_checks: grant_is_asked_for: %b, candidates were %b", grant_o, could_go);
  grant_if_possible: assert property (@(posedge clk_i) disable iff (!runs_q)
    asked && !held && (could_go & servable) != '0 && !grant_valid_o && !upset |=> upset)
    else $error("qosarb_port_checks: grant_if_possible: %b could go", $past(could_go & servable));
  nothing_while_held: assert property (@(posedge clk_i) disable iff (!rst_ni)
    held |-> grant_o == '0)
    else $error("qosarb_port_checks: nothing_while_held: %b is granted", grant_o);
  drop_is_right: assert property (@(posedge clk_i) disable iff (!rst_ni)
    drop_o != '0 |-> hold && grant_o == '0 && (drop_o & ~valid_i) == '0 && (drop_o & (drop_o - 1'b1)) == '0)
    else $error("qosarb_port_checks: drop_is_right: %b, heads are %b", drop_o, valid_i);

  apb_setup_comes_first: assert property (@(posedge clk_i) disable iff (!runs_q)
    psel_i && penable_i |-> $past(psel_i) && (!$past(penable_i) || !$past(pready_o)))
    else $error("qosarb_port_checks: apb_setup_comes_first: an access without a setup");
  apb_setup_lasts_one_cycle: assert property (@(posedge clk_i) disable iff (!runs_q)
    psel_i && !penable_i |=> psel_i && penable_i)
    else $error("qosarb_port_checks: apb_setup_lasts_one_cycle: no access behind a setup");
  apb_access_lasts_until_ready: assert property (@(posedge clk_i) disable iff (!runs_q)
    psel_i && penable_i && !pready_o |=> psel_i && penable_i)
    else $error("qosarb_port_checks: apb_access_lasts_until_ready: it was given up");
  apb_transfer_is_stable: assert property (@(posedge clk_i) disable iff (!runs_q)
    psel_i && (!penable_i || !pready_o) |=>
    $stable({pwrite_i, paddr_i, pstrb_i}) && (!pwrite_i || $stable(pwdata_i)))
    else $error("qosarb_port_checks: apb_transfer_is_stable: it changed before its end");
  apb_reads_have_no_strobes: assert property (@(posedge clk_i) disable iff (!rst_ni)
    psel_i && !pwrite_i |-> pstrb_i == '0)
    else $error("qosarb_port_checks: apb_reads_have_no_strobes: %b", pstrb_i);

endmodule
