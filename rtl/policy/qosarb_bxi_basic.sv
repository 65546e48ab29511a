// bxi-basic: one arbitration table; what a skipped entry leaves over is lost.
//
// Algorithm, bound and paper: see qosarb_bxi_lookahead, of which this is the build without deficit
// registers (Algorithm 1 of the BXIv3 paper). It answers in the cycle after the request, and its
// queues show the packet behind their head, too. qosarb_bxi_table makes the same decisions in the cycle
// of the request, at a longer period and without second packets; qosarb_port has that one.

module qosarb_bxi_basic #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1),
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  // The table in force. A cycle with `load_i` is the last of the table that stands in it; at its
  // end the state starts over.
  input  logic                                 load_i,
  input  logic [Entries-1:0]                   entry_used_i,     // ones up to the last entry
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,

  // The candidates: the head of each queue, its length in flits, the packet behind it, and the
  // queue's PFC stop. A head stays until the end of the cycle in which it is granted.
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,
  input  logic [Queues-1:0]                    next_valid_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    next_flits_i,

  // The link can take a packet in the next cycle; the answer comes in that cycle.
  input  logic                                 request_i,
  output logic                                 grant_valid_o,
  output logic [Queues-1:0]                    grant_o,
  output logic [QueueWidth-1:0]                grant_queue_o,

  // State, for reading.
  output logic [7:0]                           current_o,     // the entry whose turn it is
  output logic [RemainingWidth-1:0]            remaining_o,
  output logic [Entries-1:0][DeficitWidth-1:0] deficit_o
);

  qosarb_bxi_lookahead #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Deficits      (1'b0)
  ) u_lookahead (
    .clk_i,
    .rst_ni,
    .load_i,
    .entry_used_i,
    .entry_queue_i,
    .entry_quantum_i,
    .deficits_on_i(1'b0),
    .max_packet_flits_i,
    .valid_i,
    .stopped_i,
    .flits_i,
    .next_valid_i,
    .next_flits_i,
    .request_i,
    .grant_valid_o,
    .grant_o,
    .grant_queue_o,
    .current_o,
    .remaining_o,
    .deficit_o
  );

endmodule
