// seastar-age: what the performance counters of an output port count (Cray XT paper, Table 4).
//
// Queue q is the staging buffer of input port q / Vcs and virtual channel q mod Vcs.
// Algorithm:
//   1. Of each virtual channel, in a cycle: whether a packet of it stands at the head of a stopped queue
//      (blocked), and whether one wins; whether packets wait and all of them are stopped (stalled).
//   2. In the cycle after a grant, when the age with which the winner leaves is known: in which of four
//      groups of ages it is, 0..63, 64..127, 128..191 or 192..255.

module qosarb_age_events #(
  parameter  int unsigned Inputs = 7,
  parameter  int unsigned Vcs    = 4,
  localparam int unsigned Queues = Inputs * Vcs
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  // seastar-age is in force, be there a request or not.
  input  logic              enable_i,
  input  logic [Queues-1:0] valid_i,
  input  logic [Queues-1:0] stopped_i,
  input  logic [Queues-1:0] grant_i,
  // The upper bits of the age with which the winner of the last cycle leaves.
  input  logic [1:0]        left_age_group_i,

  output logic [Vcs-1:0]    blocked_o,
  output logic [Vcs-1:0]    granted_o,
  output logic              stalled_o,
  output logic [3:0]        age_group_o  // of the last cycle's winner
);

  if (Inputs < 1 || Vcs < 1) begin : g_check_queues
    $error("qosarb_age_events: Inputs and Vcs must be at least 1");
  end

  logic granted_q;

  always_comb begin
    blocked_o = '0;
    granted_o = '0;
    for (int unsigned p = 0; p < Inputs; p++) begin
      blocked_o |= valid_i[p * Vcs +: Vcs] & stopped_i[p * Vcs +: Vcs] & {Vcs{enable_i}};
      granted_o |= grant_i[p * Vcs +: Vcs] & {Vcs{enable_i}};
    end
  end

  assign stalled_o = enable_i & (valid_i != '0) & ((valid_i & ~stopped_i) == '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) granted_q <= 1'b0;
    else         granted_q <= enable_i & (grant_i != '0);
  end

  always_comb begin
    age_group_o                   = '0;
    age_group_o[left_age_group_i] = granted_q;
  end

endmodule
