// trtcm with its stalls counted, for the test bench.

module trtcm_classes #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned BurstWidth     = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned CounterWidth   = 8,
  localparam int unsigned QueueWidth     = $clog2(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic                                load_i,
  input  logic                                clear_i,
  input  logic [Queues-1:0][QueueWidth-1:0]   priority_i,
  input  logic [Queues-1:0][16:0]             assured_rate_i,
  input  logic [Queues-1:0][16:0]             peak_rate_i,
  input  logic [Queues-1:0][BurstWidth-1:0]   assured_burst_i,
  input  logic [Queues-1:0][BurstWidth-1:0]   peak_burst_i,

  input  logic [Queues-1:0]                   valid_i,
  input  logic [Queues-1:0]                   stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]   flits_i,
  input  logic                                request_i,
  output logic                                grant_valid_o,
  output logic [Queues-1:0]                   grant_o,
  output logic [QueueWidth-1:0]               grant_queue_o,

  output logic [QueueWidth-1:0]               last_red_o,
  output logic [Queues-1:0][BurstWidth+15:0]  assured_tokens_o,
  output logic [Queues-1:0][BurstWidth+15:0]  peak_tokens_o,
  output logic [Queues-1:0][CounterWidth-1:0] green_stalls_o,
  output logic [Queues-1:0][CounterWidth-1:0] yellow_stalls_o,
  output logic [Queues-1:0][CounterWidth-1:0] red_stalls_o
);

  logic [Queues-1:0] green, yellow;
  logic              unused_full;
  logic [2:0][Queues-1:0] stalls, stalls_q;  // red, yellow, green

  qosarb_trtcm #(
    .Queues        (Queues),
    .BurstWidth    (BurstWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_trtcm (
    .clk_i,
    .rst_ni,
    .load_i,
    .priority_i,
    .assured_rate_i,
    .peak_rate_i,
    .assured_burst_i,
    .peak_burst_i,
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i,
    .grant_valid_o,
    .grant_o,
    .grant_queue_o,
    .green_o         (green),
    .yellow_o        (yellow),
    .full_o          (unused_full),
    .last_red_o,
    .assured_tokens_o,
    .peak_tokens_o
  );

  qosarb_trtcm_stalls #(
    .Queues(Queues)
  ) u_stalls (
    .enable_i(1'b1),
    .valid_i,
    .stopped_i,
    .grant_i (grant_o),
    .green_i (green),
    .yellow_i(yellow),
    .green_o (stalls[0]),
    .yellow_o(stalls[1]),
    .red_o   (stalls[2])
  );

  // As the port counts: a cycle later, and a clear wins.
  logic [2:0][Queues-1:0][CounterWidth-1:0] counters_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stalls_q   <= '0;
      counters_q <= '0;
    end else begin
      stalls_q <= stalls;
      for (int unsigned c = 0; c < 3; c++) begin
        for (int unsigned q = 0; q < Queues; q++) begin
          if (clear_i)             counters_q[c][q] <= '0;
          else if (stalls_q[c][q]) counters_q[c][q] <= counters_q[c][q] + 1'b1;
        end
      end
    end
  end

  assign {red_stalls_o, yellow_stalls_o, green_stalls_o} = counters_q;

endmodule
