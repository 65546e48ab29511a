// Cover points of qosarb_port_counters: counting, saturation, clearing.

module qosarb_port_counters_cover #(
  parameter int unsigned Queues = 8,
  parameter int unsigned CounterWidth = 32,
  parameter int unsigned FlitsWidth = 10
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                clear_i,
  input  logic [Queues-1:0][CounterWidth-1:0] packets_q,
  input  logic [Queues-1:0][CounterWidth-1:0] flits_q,
  input  logic [Queues-1:0][CounterWidth-1:0] blocked_q,
  input  logic [Queues-1:0][CounterWidth-1:0] waiting_q,
  input  logic [Queues-1:0]                   is_blocked_q,
  input  logic [Queues-1:0]                   is_waiting_q,
  input  logic                                granted_q,
  input  logic [CounterWidth-1:0]             winner_packets,
  input  logic [CounterWidth-1:0]             room,
  input  logic [FlitsWidth-1:0]               winner_flits_q
);

  logic [Queues-1:0] blocked_is_full, waiting_is_full;

  always_comb begin
    for (int unsigned q = 0; q < Queues; q++) begin
      blocked_is_full[q] = &blocked_q[q];
      waiting_is_full[q] = &waiting_q[q];
    end
  end

  counts_a_grant: cover property (@(posedge clk_i) disable iff (!rst_ni)
    granted_q && !(&winner_packets));
  packets_saturate: cover property (@(posedge clk_i) disable iff (!rst_ni)
    granted_q && (&winner_packets));
  flits_saturate: cover property (@(posedge clk_i) disable iff (!rst_ni)
    granted_q && room != '0 && CounterWidth'(winner_flits_q) > room);
  flits_reach_highest: cover property (@(posedge clk_i) disable iff (!rst_ni)
    granted_q && room != '0 && CounterWidth'(winner_flits_q) == room);
  blocked_saturates: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |(is_blocked_q & blocked_is_full));
  waiting_saturates: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |(is_waiting_q & waiting_is_full));
  clear_with_grant: cover property (@(posedge clk_i) disable iff (!rst_ni) clear_i && granted_q);
  clear_with_waiting: cover property (@(posedge clk_i) disable iff (!rst_ni)
    clear_i && is_waiting_q != '0);

endmodule

bind qosarb_port_counters qosarb_port_counters_cover #(
  .Queues(Queues), .CounterWidth(CounterWidth), .FlitsWidth(FlitsWidth)
) u_cover (.*);
