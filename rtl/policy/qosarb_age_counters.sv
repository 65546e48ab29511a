// seastar-age: saturating performance counters of an output port (Cray XT paper, Table 4).
//
// Queue q is the staging buffer of input port q / Vcs and virtual channel q mod Vcs.
// Algorithm:
//   1. A cycle's events are registered: of each virtual channel whether a packet of it stands at
//      the head of a stopped queue (blocked); whether packets wait and all of them are stopped
//      (stalled); the winner's virtual channel and flits. The winner's age comes a cycle later.
//   2. In the next cycle they are counted: also the packets in four groups of age, 0..63, 64..127,
//      128..191 and 192..255. A counter that stands at its highest value stays there.
// Clearing wins over counting: the events of the cycle before a clear are in no counter.

module qosarb_age_counters #(
  parameter  int unsigned Inputs         = 7,
  parameter  int unsigned Vcs            = 4,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned CounterWidth   = 32,
  localparam int unsigned Queues         = Inputs * Vcs,
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  input  logic                              clear_i,

  // seastar-age decides in this cycle.
  input  logic                              enable_i,
  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0]                 stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,
  input  logic [Queues-1:0]                 grant_i,
  // The upper bits of the age with which the winner of the last cycle leaves.
  input  logic [1:0]                        left_age_group_i,

  output logic [Vcs-1:0][CounterWidth-1:0]  blocked_o,
  output logic [CounterWidth-1:0]           stalled_o,
  output logic [Vcs-1:0][CounterWidth-1:0]  packets_o,
  output logic [Vcs-1:0][CounterWidth-1:0]  flits_o,
  output logic [3:0][CounterWidth-1:0]      age_group_o
);

  if (Inputs < 1 || Vcs < 1) begin : g_check_queues
    $error("qosarb_age_counters: Inputs and Vcs must be at least 1");
  end
  if (MaxPacketFlits < 1 || CounterWidth < FlitsWidth || CounterWidth > 32) begin : g_check_width
    $error("qosarb_age_counters: CounterWidth must hold MaxPacketFlits >= 1 and be at most 32");
  end

  typedef logic [CounterWidth-1:0] counter_t;
  localparam counter_t Highest = '1;

  // 1. The events of a cycle.
  logic [Vcs-1:0]        vc_blocked, vc_granted, is_blocked_q, granted_q;
  logic                  is_stalled_q;
  logic [FlitsWidth-1:0] winner_flits, winner_flits_q;

  always_comb begin
    vc_blocked   = '0;
    vc_granted   = '0;
    winner_flits = '0;
    for (int unsigned p = 0; p < Inputs; p++) begin
      vc_blocked |= valid_i[p * Vcs +: Vcs] & stopped_i[p * Vcs +: Vcs];
      vc_granted |= grant_i[p * Vcs +: Vcs];
    end
    for (int unsigned q = 0; q < Queues; q++) begin
      // A head of 0 flits counts as one of 1.
      winner_flits |= (flits_i[q] | FlitsWidth'(flits_i[q] == '0)) & {FlitsWidth{grant_i[q]}};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_blocked_q   <= '0;
      is_stalled_q   <= 1'b0;
      granted_q      <= '0;
      winner_flits_q <= '0;
    end else begin
      is_blocked_q   <= vc_blocked & {Vcs{enable_i}};
      is_stalled_q   <= enable_i & (valid_i != '0) & ((valid_i & ~stopped_i) == '0);
      granted_q      <= vc_granted & {Vcs{enable_i}};
      winner_flits_q <= winner_flits;
    end
  end

  // 2. The counters.
  logic [Vcs-1:0][CounterWidth-1:0] blocked_q, packets_q, flits_q;
  logic [3:0][CounterWidth-1:0]     age_group_q;
  counter_t                         stalled_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      blocked_q   <= '0;
      packets_q   <= '0;
      flits_q     <= '0;
      age_group_q <= '0;
      stalled_q   <= '0;
    end else if (clear_i) begin
      blocked_q   <= '0;
      packets_q   <= '0;
      flits_q     <= '0;
      age_group_q <= '0;
      stalled_q   <= '0;
    end else begin
      for (int unsigned v = 0; v < Vcs; v++) begin
        if (is_blocked_q[v] && blocked_q[v] != Highest) blocked_q[v] <= blocked_q[v] + 1'b1;
        if (granted_q[v]) begin
          if (packets_q[v] != Highest) packets_q[v] <= packets_q[v] + 1'b1;
          flits_q[v] <= (counter_t'(winner_flits_q) > Highest - flits_q[v])
                        ? Highest : flits_q[v] + counter_t'(winner_flits_q);
        end
      end
      for (int unsigned g = 0; g < 4; g++) begin
        if (granted_q != '0 && left_age_group_i == 2'(g) && age_group_q[g] != Highest) begin
          age_group_q[g] <= age_group_q[g] + 1'b1;
        end
      end
      if (is_stalled_q && stalled_q != Highest) stalled_q <= stalled_q + 1'b1;
    end
  end

  assign blocked_o   = blocked_q;
  assign stalled_o   = stalled_q;
  assign packets_o   = packets_q;
  assign flits_o     = flits_q;
  assign age_group_o = age_group_q;

endmodule
