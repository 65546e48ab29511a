// The look-ahead engine of bxi serves the queues of its table, each in every round: a turn has one grant for each flit of
// its quantum and of what was saved at most.
module bxi_lookahead_checks #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input logic                               clk_i,
  input logic                               rst_ni,
  input logic                               load_i,
  input logic [Entries-1:0]                 entry_used_i,
  input logic [Entries-1:0][QueueWidth-1:0] entry_queue_i,
  input logic [Queues-1:0]                  valid_i,
  input logic [Queues-1:0]                  stopped_i,
  input logic [Queues-1:0][FlitsWidth-1:0]  flits_i,
  input logic [Queues-1:0]                  next_valid_i,
  input logic [Queues-1:0][FlitsWidth-1:0]  next_flits_i,
  input logic                               request_i,
  input logic                               grant_valid_o,
  input logic [Queues-1:0]                  grant_o,
  input logic [QueueWidth-1:0]              grant_queue_o
);

  logic [Queues-1:0] served;

  always_comb begin
    served = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (entry_used_i[e]) served[entry_queue_i[e]] = 1'b1;
    end
  end

  qosarb_engine_checks #(
    .Queues(Queues), .MaxPacketFlits(MaxPacketFlits), .Latency(1), .MaxWait(Entries << (QuantumWidth + 1)),
    .HeadsMayLie(1'b1)
  ) u_checks (.*, .served_i(served));

endmodule
