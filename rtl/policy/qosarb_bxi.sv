// bxi-basic and bxi-deficit at either latency: the engine that answers in the cycle of the request,
// qosarb_bxi_table, or the one that answers in the next cycle, qosarb_bxi_lookahead. Algorithm, bound
// and paper stand there.

module qosarb_bxi #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  bit          Deficits       = 1'b1,  // 0: bxi-basic only, and no registers for them
  parameter  int unsigned Latency        = 0,     // cycles from a request to its answer, 0 or 1
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
  input  logic                                 deficits_on_i,    // bxi-deficit, else bxi-basic
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,

  // The candidates: the head of each queue, its length in flits, and its PFC stop; with Latency 1 the
  // packet behind it, too.
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,
  input  logic [Queues-1:0]                    next_valid_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    next_flits_i,

  // The link can take a packet in the cycle of the answer.
  input  logic                                 request_i,
  output logic                                 grant_valid_o,
  output logic [Queues-1:0]                    grant_o,
  output logic [QueueWidth-1:0]                grant_queue_o,

  // State before the answer of this cycle, for reading.
  output logic [7:0]                           current_o,     // the entry whose turn it is
  output logic                                 had_turn_o,    // some entry has had a turn
  output logic [RemainingWidth-1:0]            remaining_o,
  output logic [Entries-1:0][DeficitWidth-1:0] deficit_o
);

  if (Latency > 1) begin : g_check_latency
    $error("qosarb_bxi: Latency must be 0 or 1");
  end

  if (Latency == 0) begin : g_at_once
    qosarb_bxi_table #(
      .Queues        (Queues),
      .Entries       (Entries),
      .QuantumWidth  (QuantumWidth),
      .MaxPacketFlits(MaxPacketFlits),
      .Deficits      (Deficits)
    ) u_engine (
      .clk_i,
      .rst_ni,
      .load_i,
      .entry_used_i,
      .entry_queue_i,
      .entry_quantum_i,
      .deficits_on_i,
      .max_packet_flits_i,
      .valid_i,
      .stopped_i,
      .flits_i,
      .request_i,
      .grant_valid_o,
      .grant_o,
      .grant_queue_o,
      .current_o,
      .had_turn_o,
      .remaining_o,
      .deficit_o
    );

    logic unused_next;
    assign unused_next = ^{next_valid_i, next_flits_i};
  end else begin : g_next_cycle
    qosarb_bxi_lookahead #(
      .Queues        (Queues),
      .Entries       (Entries),
      .QuantumWidth  (QuantumWidth),
      .MaxPacketFlits(MaxPacketFlits),
      .Deficits      (Deficits)
    ) u_engine (
      .clk_i,
      .rst_ni,
      .load_i,
      .entry_used_i,
      .entry_queue_i,
      .entry_quantum_i,
      .deficits_on_i,
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
      .had_turn_o,
      .remaining_o,
      .deficit_o
    );
  end

endmodule
