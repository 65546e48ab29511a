// Saturating counters of each queue: packets, flits, cycles blocked by PFC, cycles waiting.
//
// Algorithm, in two stages, so that no counter lies on the path of a grant:
//   1. A cycle's events are registered: the winner and its flits; which queues had a head that was
//      stopped (blocked); which had one that was not stopped and did not win (waiting).
//   2. In the next cycle they are counted. A counter that stands at its highest value stays there.
// Clearing wins over counting: the events of the cycle before a clear are in no counter.
// State: 4 * Queues counters of CounterWidth bits.

module qosarb_port_counters #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned CounterWidth   = 32,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,

  input  logic                                clear_i,

  // The candidates of a cycle, and who won it.
  input  logic [Queues-1:0]                   valid_i,
  input  logic [Queues-1:0]                   stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]   flits_i,
  input  logic                                grant_valid_i,
  input  logic [Queues-1:0]                   grant_i,
  input  logic [QueueWidth-1:0]               grant_queue_i,

  output logic [Queues-1:0][CounterWidth-1:0] packets_o,
  output logic [Queues-1:0][CounterWidth-1:0] flits_o,
  output logic [Queues-1:0][CounterWidth-1:0] blocked_o,
  output logic [Queues-1:0][CounterWidth-1:0] waiting_o
);

  if (CounterWidth < FlitsWidth || CounterWidth > 32) begin : g_check_width
    $error("qosarb_port_counters: CounterWidth must hold MaxPacketFlits and be at most 32");
  end

  typedef logic [CounterWidth-1:0] counter_t;
  localparam counter_t Highest = '1;

  // 1. The events of the last cycle.
  logic                  granted_q;
  logic [QueueWidth-1:0] winner_q;
  logic [FlitsWidth-1:0] winner_flits_q;
  logic [Queues-1:0]     is_blocked_q;
  logic [Queues-1:0]     is_waiting_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      granted_q      <= 1'b0;
      winner_q       <= '0;
      winner_flits_q <= '0;
      is_blocked_q   <= '0;
      is_waiting_q   <= '0;
    end else begin
      granted_q      <= grant_valid_i;
      winner_q       <= grant_queue_i;
      // A head of 0 flits counts as one of 1.
      winner_flits_q <= flits_i[grant_queue_i] | FlitsWidth'(flits_i[grant_queue_i] == '0);
      is_blocked_q   <= valid_i & stopped_i;
      is_waiting_q   <= valid_i & ~stopped_i & ~grant_i;
    end
  end

  // 2. The counters.
  logic [Queues-1:0][CounterWidth-1:0] packets_q, flits_q, blocked_q, waiting_q;

  counter_t winner_packets, winner_flits, room;

  assign winner_packets = packets_q[winner_q];
  assign winner_flits   = flits_q[winner_q];
  assign room           = Highest - winner_flits;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      packets_q <= '0;
      flits_q   <= '0;
    end else if (clear_i) begin
      packets_q <= '0;
      flits_q   <= '0;
    end else if (granted_q) begin
      if (winner_packets != Highest) packets_q[winner_q] <= winner_packets + 1'b1;
      flits_q[winner_q] <= (counter_t'(winner_flits_q) > room)
                           ? Highest : winner_flits + counter_t'(winner_flits_q);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      blocked_q <= '0;
      waiting_q <= '0;
    end else if (clear_i) begin
      blocked_q <= '0;
      waiting_q <= '0;
    end else begin
      for (int unsigned q = 0; q < Queues; q++) begin
        if (is_blocked_q[q] && blocked_q[q] != Highest) blocked_q[q] <= blocked_q[q] + 1'b1;
        if (is_waiting_q[q] && waiting_q[q] != Highest) waiting_q[q] <= waiting_q[q] + 1'b1;
      end
    end
  end

  assign packets_o = packets_q;
  assign flits_o   = flits_q;
  assign blocked_o = blocked_q;
  assign waiting_o = waiting_q;

endmodule
