// What a flipped bit does to ports of one configuration, kept away from their grants: found, and repaired.
//
// The slots of the policies stand twice, with the same inputs, and so does the commit; the
// configuration in force has parity (see qosarb_port_configuration).
// Algorithm:
//   1. A queue is granted that both copies grant. While one bit is wrong one copy is right, so what is
//      granted is at most the one queue that the policy grants. In a cycle in which the parity of the
//      configuration is wrong, which both copies see, nothing is granted.
//   2. An upset is found by wrong parity, in the same cycle, or because the copies granted different
//      queues or told the chip something different, in the next one. In the cycle in which it is found
//      nothing is granted by the port that has it, and at its end the state of that port's arbiter starts
//      over. If the shadow is what was committed, it comes into force once more with that, and the state of
//      every port starts over. What the copies said in a cycle at whose end they start over is forgotten: a
//      bit in what the ports share may have misled several of them, one cycle after the other.
//   3. An upset that comes back within CalmCycles cycles, or wrong parity when the shadow has been
//      written since, cannot be repaired so: the configuration of a reset comes into force, round robin.
//   4. Copies of the commit that differ both stop (see qosarb_port_commit); what is in force stays.
// Bound: a flipped bit costs at most the grants of two cycles, with Latency 1 of three, and what a turn had left and
// saved.
// Compared to a port without it, a grant passes one AND and is encoded once more.

module qosarb_port_guard #(
  parameter  int unsigned Ports      = 1,
  parameter  int unsigned Queues     = 8,
  localparam int unsigned QueueWidth = qosarb_pkg::index_width(Queues)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  // What each copy grants, and whether they tell the chip something different.
  input  logic [Ports-1:0][Queues-1:0]      first_grant_i,
  input  logic [Ports-1:0][Queues-1:0]      second_grant_i,
  input  logic [Ports-1:0]                  reports_differ_i,

  // The configuration: wrong parity of what is in force, from registers; the shadow is what was
  // committed; a commit takes effect at the end of this cycle.
  input  logic                              parity_error_i,
  input  logic                              shadow_is_in_force_i,
  input  logic                              load_i,

  output logic [Ports-1:0]                  grant_valid_o,
  output logic [Ports-1:0][Queues-1:0]      grant_o,
  output logic [Ports-1:0][QueueWidth-1:0]  grant_queue_o,

  // An upset, at whose cycle's end the port's arbiter starts over; what is in force comes from the
  // shadow once more; or it becomes that of a reset.
  output logic [Ports-1:0]                  restart_o,
  output logic                              reload_o,
  output logic                              fall_back_o
);

  localparam int unsigned CalmCycles = 255;
  localparam int unsigned CalmWidth  = $clog2(CalmCycles + 1);

  logic [CalmWidth-1:0] calm_q;
  logic                 is_calm, can_reload, any_restart;
  logic                 repaired_q;  // at the end of the last cycle every one of several ports started over

  for (genvar p = 0; p < Ports; p++) begin : g_port
    // 1. The grant.
    assign grant_o[p]       = first_grant_i[p] & second_grant_i[p] & {Queues{~restart_o[p]}};
    assign grant_valid_o[p] = |grant_o[p];

    qosarb_onehot_to_index #(
      .Width(Queues)
    ) u_grant_queue (
      .onehot_i(grant_o[p]),
      .index_o (grant_queue_o[p])
    );

    // 2. What the copies said in the last cycle; what they say in one with an upset is forgotten.
    logic [Queues-1:0] first_q, second_q;
    logic              reports_differ_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        first_q          <= '0;
        second_q         <= '0;
        reports_differ_q <= 1'b0;
      end else begin
        first_q          <= first_grant_i[p] & {Queues{~restart_o[p]}};
        second_q         <= second_grant_i[p] & {Queues{~restart_o[p]}};
        reports_differ_q <= reports_differ_i[p] & ~restart_o[p];
      end
    end

    assign restart_o[p] = parity_error_i | ((reports_differ_q | (first_q != second_q)) & ~repaired_q);
  end

  // What the copies of the others said in a cycle with a repair is forgotten, too.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) repaired_q <= 1'b0;
    else         repaired_q <= (reload_o | fall_back_o) & (Ports > 1);
  end

  // 2. and 3. The repair. A commit that takes effect does it as well.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)           calm_q <= '1;
    else if (any_restart)  calm_q <= '0;
    else if (calm_q != '1) calm_q <= calm_q + 1'b1;
  end

  assign any_restart = |restart_o;
  assign is_calm     = calm_q == '1;
  assign can_reload  = is_calm & shadow_is_in_force_i;
  assign reload_o    = any_restart & can_reload;
  assign fall_back_o = any_restart & ~load_i & ~can_reload & (parity_error_i | ~is_calm);

endmodule
