// Assertions for whoever integrates qosarb_credit; see qosarb_port_checks.
//
//   bind qosarb_credit qosarb_credit_checks #(
//     .Queues(Queues), .CreditWidth(CreditWidth), .Latency(Latency)
//   ) u_checks (.*);
//
//   room_stands_still       `room_i` changes in a cycle of `load_i` only
//   grant_has_credit        no grant to a queue that is stopped, with Latency 1 to one that was in the cycle before
//   room_is_not_overrun     no more is granted than there was credit for
//   nothing_comes_from_nowhere   no more credit comes back than was taken
//   credit_within_room      a count is never above the room

module qosarb_credit_checks #(
  parameter int unsigned Queues      = 8,
  parameter int unsigned CreditWidth = 16,
  parameter int unsigned Latency     = 0
) (
  input logic                               clk_i,
  input logic                               rst_ni,
  input logic                               load_i,
  input logic [Queues-1:0][CreditWidth-1:0] room_i,
  input logic [Queues-1:0]                  stop_o,
  input logic [Queues-1:0]                  grant_i,
  input logic [Queues-1:0][CreditWidth-1:0] credit_o,
  input logic [Queues-1:0]                  overflow_o,
  input logic [Queues-1:0]                  underflow_o
);

  logic loaded_q;  // since the reset
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) loaded_q <= 1'b0;
    else         loaded_q <= loaded_q | load_i;
  end

  room_stands_still: assert property (@(posedge clk_i) disable iff (!rst_ni)
    loaded_q && !load_i |-> $stable(room_i))
    else $error("qosarb_credit_checks: room_stands_still: it changed without a load");
  // The stops that a grant of this cycle was asked by.
  logic [Queues-1:0] stop_q, stop;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stop_q <= '1;
    else         stop_q <= stop_o;
  end

  assign stop = (Latency != 0) ? stop_q : stop_o;

  grant_has_credit: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (grant_i & stop) == '0)
    else $error("qosarb_credit_checks: grant_has_credit: %b is granted without", grant_i & stop);
  room_is_not_overrun: assert property (@(posedge clk_i) disable iff (!rst_ni)
    underflow_o == '0)
    else $error("qosarb_credit_checks: room_is_not_overrun: %b", underflow_o);
  nothing_comes_from_nowhere: assert property (@(posedge clk_i) disable iff (!rst_ni)
    overflow_o == '0)
    else $error("qosarb_credit_checks: nothing_comes_from_nowhere: %b", overflow_o);
  for (genvar q = 0; q < Queues; q++) begin : g_queue
    credit_within_room: assert property (@(posedge clk_i) disable iff (!rst_ni)
      credit_o[q] <= (loaded_q ? $past(room_i[q]) : '0))
      else $error("qosarb_credit_checks: credit_within_room: queue %0d", q);
  end

endmodule
