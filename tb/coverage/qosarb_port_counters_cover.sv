// Cover points of qosarb_port_counters: counting, the sweep, snapshots, clearing.

module qosarb_port_counters_cover #(
  parameter int unsigned Queues = 8,
  parameter int unsigned Others = 2
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               clear_i,
  input  logic                               snapshot_i,
  input  logic                               busy_o,
  input  logic [4*Queues+Others-1:0]         visited,
  input  logic [Others-1:0]                  others_q,
  input  logic [Others-1:0]                  late_others_i,
  input  logic [Queues-1:0]                  granted_q,
  input  logic [Queues-1:0]                  is_blocked_q,
  input  logic [Queues-1:0]                  is_waiting_q
);

  counts_a_grant_at_its_visit: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |(granted_q & visited[Queues-1:0]));
  counts_flits_at_their_visit: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |(granted_q & visited[2*Queues-1:Queues]));
  counts_blocked: cover property (@(posedge clk_i) disable iff (!rst_ni) is_blocked_q != '0);
  counts_another_at_its_visit: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |((others_q | late_others_i) & visited[4*Queues +: Others]));
  counts_waiting: cover property (@(posedge clk_i) disable iff (!rst_ni) is_waiting_q != '0);
  snapshot_with_grant: cover property (@(posedge clk_i) disable iff (!rst_ni)
    snapshot_i && granted_q != '0);
  grant_while_a_snapshot_is_taken: cover property (@(posedge clk_i) disable iff (!rst_ni)
    busy_o && granted_q != '0);
  clear_with_grant: cover property (@(posedge clk_i) disable iff (!rst_ni)
    clear_i && granted_q != '0);
  clear_with_waiting: cover property (@(posedge clk_i) disable iff (!rst_ni)
    clear_i && is_waiting_q != '0);

endmodule

bind qosarb_port_counters qosarb_port_counters_cover #(
  .Queues(Queues), .Others(Others)
) u_cover (.*);
