// trtcm: saturating counters of the stalls of each class and colour (dragonfly paper, Sect. IV-E).
//
// Algorithm: a class stalls in a cycle in which its head is active and does not win. The event is
// registered, with the head's colour in that cycle, and counted in the next one.
// Clearing wins over counting: the events of the cycle before a clear are in no counter.

module qosarb_trtcm_counters #(
  parameter int unsigned Queues       = 8,
  parameter int unsigned CounterWidth = 32
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,

  input  logic                                clear_i,

  // trtcm decides in this cycle.
  input  logic                                enable_i,
  input  logic [Queues-1:0]                   valid_i,
  input  logic [Queues-1:0]                   stopped_i,
  input  logic [Queues-1:0]                   grant_i,
  input  logic [Queues-1:0]                   green_i,
  input  logic [Queues-1:0]                   yellow_i,

  output logic [Queues-1:0][CounterWidth-1:0] green_o,
  output logic [Queues-1:0][CounterWidth-1:0] yellow_o,
  output logic [Queues-1:0][CounterWidth-1:0] red_o
);

  localparam logic [CounterWidth-1:0] Highest = '1;

  logic [Queues-1:0] stalls;
  logic [Queues-1:0] green_stalls_q, yellow_stalls_q, red_stalls_q;
  logic [Queues-1:0][CounterWidth-1:0] green_q, yellow_q, red_q;

  assign stalls = valid_i & ~stopped_i & ~grant_i & {Queues{enable_i}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      green_stalls_q  <= '0;
      yellow_stalls_q <= '0;
      red_stalls_q    <= '0;
    end else begin
      green_stalls_q  <= stalls & green_i;
      yellow_stalls_q <= stalls & yellow_i;
      red_stalls_q    <= stalls & ~green_i & ~yellow_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      green_q  <= '0;
      yellow_q <= '0;
      red_q    <= '0;
    end else if (clear_i) begin
      green_q  <= '0;
      yellow_q <= '0;
      red_q    <= '0;
    end else begin
      for (int unsigned q = 0; q < Queues; q++) begin
        if (green_stalls_q[q] && green_q[q] != Highest)   green_q[q]  <= green_q[q] + 1'b1;
        if (yellow_stalls_q[q] && yellow_q[q] != Highest) yellow_q[q] <= yellow_q[q] + 1'b1;
        if (red_stalls_q[q] && red_q[q] != Highest)       red_q[q]    <= red_q[q] + 1'b1;
      end
    end
  end

  assign green_o  = green_q;
  assign yellow_o = yellow_q;
  assign red_o    = red_q;

endmodule
