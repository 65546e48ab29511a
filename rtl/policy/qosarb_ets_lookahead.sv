// ets, a decision in two cycles and one decision a cycle: what qosarb_ets decides, one cycle later.
//
// State: that of qosarb_bxi_lookahead, and which queues with strict priority are candidates.
// Algorithm:
//   1. The candidates with strict priority stand in registers; the highest-numbered one wins. Which
//      it is does not depend on the table. So it is known early who is a candidate in the next cycle,
//      and whether one of those has strict priority.
//   2. Only if none has is the table asked, which then has no candidate in the cycle of the answer.
//      Its turn and what remains of it stay.
// The table holds no queue with strict priority; qosarb_port refuses others, and quanta that are
// shorter than the longest packet.
//
// Bound: as qosarb_ets; what arrives in cycle c, or a stop, counts in the grants from cycle c + 1 on.

module qosarb_ets_lookahead #(
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

  // The configuration in force. A cycle with `load_i` is the last of what stands in it; at its end
  // the state starts over, and its request has no answer.
  input  logic                                 load_i,
  input  logic [Queues-1:0]                    strict_i,         // queues with strict priority
  input  logic [Entries-1:0]                   entry_used_i,     // ones up to the last entry
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,

  // The candidates: the head of each queue, its length in flits, the packet behind it, and the
  // queue's PFC stop. A head stays until the end of the cycle in which it is granted; then the
  // packet behind it is the head.
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

  // State before the answer of this cycle, for reading.
  output logic [7:0]                           current_o,     // the entry whose turn it is
  output logic                                 had_turn_o,    // some entry has had a turn
  output logic [RemainingWidth-1:0]            remaining_o,
  output logic [Entries-1:0][DeficitWidth-1:0] deficit_o
);

  // 1. The candidates with strict priority.
  logic [Queues-1:0]     strict_d, strict_q, winner;
  logic [QueueWidth-1:0] winner_queue;

  for (genvar q = 0; q < Queues; q++) begin : g_queue
    assign winner[q]   = (strict_q >> q) == Queues'(1);
    assign strict_d[q] = (winner[q] ? next_valid_i[q] : valid_i[q]) & ~stopped_i[q] & strict_i[q] &
                         request_i & ~load_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) strict_q <= '0;
    else         strict_q <= strict_d;
  end

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_winner_queue (
    .onehot_i(winner),
    .index_o (winner_queue)
  );

  // 2. The table.
  logic                  table_valid;
  logic [Queues-1:0]     table_grant;
  logic [QueueWidth-1:0] table_queue;

  qosarb_bxi_lookahead #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_table (
    .clk_i,
    .rst_ni,
    .load_i,
    .entry_used_i,
    .entry_queue_i,
    .entry_quantum_i,
    .deficits_on_i(1'b1),
    .max_packet_flits_i,
    .valid_i,
    .stopped_i,
    .flits_i,
    .next_valid_i,
    .next_flits_i,
    .request_i    (request_i & (strict_d == '0)),
    .grant_valid_o(table_valid),
    .grant_o      (table_grant),
    .grant_queue_o(table_queue),
    .current_o,
    .had_turn_o,
    .remaining_o,
    .deficit_o
  );

  assign grant_valid_o = (strict_q != '0) | table_valid;
  assign grant_o       = winner | table_grant;
  assign grant_queue_o = winner_queue | table_queue;

endmodule
