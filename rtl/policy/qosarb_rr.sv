// rr: round robin over all queues, the baseline.
//
// Algorithm:
//   1. A queue is active when its head is valid and the queue is not stopped.
//   2. The first active queue behind the one that won last wins, circularly.
//   3. The winner becomes the one that won last. After reset and load that is the highest queue.
// Bound: an active queue wins after at most Queues - 1 others. One decision a cycle, every cycle.
// State: the place of the last winner as a thermometer code, so that the search starts at once.
// The table inputs and the lengths are not used: rr has them to be driven like an engine with a table.

module qosarb_rr #(
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

  // The candidates: the head of each queue, its length in flits, and its PFC stop.
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,

  // The link can take a packet; the answer comes in the same cycle.
  input  logic                                 request_i,
  output logic                                 grant_valid_o,
  output logic [Queues-1:0]                    grant_o,
  output logic [QueueWidth-1:0]                grant_queue_o,

  // State, for reading.
  output logic [7:0]                           current_o,     // the queue that won last
  output logic [RemainingWidth-1:0]            remaining_o,
  output logic [Entries-1:0][DeficitWidth-1:0] deficit_o
);

  if (Queues < 1 || Queues > 256) begin : g_check_queues
    $error("qosarb_rr: Queues must be within 1..256");
  end
  if (Entries < 1 || Entries > 256) begin : g_check_entries
    $error("qosarb_rr: Entries must be within 1..256");
  end
  if (QuantumWidth < 1 || QuantumWidth > 24) begin : g_check_quantum
    $error("qosarb_rr: QuantumWidth must be within 1..24");
  end
  if (MaxPacketFlits < 1) begin : g_check_flits
    $error("qosarb_rr: MaxPacketFlits must be at least 1");
  end

  // Nothing is granted in a reset, which needs no edge of the clock.
  logic request;

  assign request = request_i & rst_ni;

  logic [Queues-1:0] behind_d, behind_q;  // the queues after the one that won last
  logic [Queues-1:0] winner, behind_winner, unused_passed;
  logic              any_active;

  logic [Queues-1:0][QueueWidth-1:0] index;

  for (genvar q = 0; q < Queues; q++) begin : g_index
    assign index[q] = QueueWidth'(unsigned'(q));
  end

  qosarb_rotating_priority #(
    .Width       (Queues),
    .PayloadWidth(QueueWidth)
  ) u_search (
    .request_i(valid_i & ~stopped_i),
    .behind_i (behind_q),
    .payload_i(index),
    .any_o    (any_active),
    .grant_o  (winner),
    .payload_o(grant_queue_o),
    .behind_o (behind_winner),
    .passed_o (unused_passed)
  );

  assign grant_valid_o = request & any_active;
  assign grant_o       = winner & {Queues{grant_valid_o}};

  always_comb begin
    behind_d = behind_q;
    if (load_i)             behind_d = '0;
    else if (grant_valid_o) behind_d = behind_winner;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) behind_q <= '0;
    else         behind_q <= behind_d;
  end

  // The last winner is the highest queue that is not in `behind_q`.
  logic [Queues-1:0]     last;
  logic [QueueWidth-1:0] last_queue;

  assign last = ~behind_q & ~(~behind_q >> 1);

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_last_index (
    .onehot_i(last),
    .index_o (last_queue)
  );

  assign current_o   = 8'(last_queue);
  assign remaining_o = '0;
  assign deficit_o   = '0;

  logic unused_inputs;
  assign unused_inputs = ^{entry_used_i, entry_queue_i, entry_quantum_i, flits_i};

endmodule
