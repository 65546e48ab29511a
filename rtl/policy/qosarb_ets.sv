// ets: strict priority above bandwidth shares (IEEE 802.1Q, enhanced transmission selection).
//
// State: that of qosarb_bxi with deficits; with Latency 1, which queues with strict priority are
// candidates.
// Algorithm:
//   1. If a queue with strict priority is active, the highest-numbered active one wins, and nothing
//      else changes: neither whose turn it is in the table nor what remains of that turn.
//   2. Else the table decides: bxi-deficit, over one entry for each queue with a weight, in order of
//      queue number.
// Both are found side by side; a strict winner only takes the request from the table.
// With Latency 1 the answer comes a cycle later. The candidates with strict priority stand in
// registers. Which of them wins does not depend on the table; so it is known early who is one in the
// next cycle. Only if nobody is, is the table asked, which otherwise has no candidate in the cycle of
// the answer.
// The table holds no queue with strict priority; qosarb_port refuses others, and quanta that are
// shorter than the longest packet.
//
// Bound: a queue with strict priority waits for the higher ones without limit, and for no other. As
// long as none of them is active, the others wait as under bxi-deficit. One decision a cycle, every
// cycle. With Latency 1, what arrives in cycle c, or a stop, counts in the grants from cycle c + 1 on.

module qosarb_ets #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned Latency        = 0,  // cycles from a request to its answer, 0 or 1
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1),
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  // The configuration in force. A cycle with `load_i` is the last of what stands in it; at its end
  // the state starts over.
  input  logic                                 load_i,
  input  logic [Queues-1:0]                    strict_i,         // queues with strict priority
  input  logic [Entries-1:0]                   entry_used_i,     // ones up to the last entry
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,

  // The candidates: the head of each queue, its length in flits, and its PFC stop. With Latency 1 the
  // packet behind it, too; a head then stays until the end of the cycle in which it is granted.
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

  if (Queues < 1 || Queues > 256) begin : g_check_queues
    $error("qosarb_ets: Queues must be within 1..256");
  end

  // 1. The highest-numbered active queue with strict priority.
  logic [Queues-1:0]     strict_active, strict_winner;
  logic                  any_strict;
  logic [QueueWidth-1:0] strict_queue;

  // What is answered in this cycle, and what the table is asked.
  logic answers, table_request;

  assign any_strict = |strict_active;

  for (genvar q = 0; q < Queues; q++) begin : g_winner
    assign strict_winner[q] = ((strict_active >> q) == Queues'(1)) & answers;
  end

  if (Latency == 0) begin : g_at_once
    assign answers       = request_i & rst_ni;  // nothing is granted in a reset, even without a clock
    assign strict_active = valid_i & ~stopped_i & strict_i;
    assign table_request = answers & ~any_strict;
  end else begin : g_next_cycle
    logic [Queues-1:0] strict_d, strict_q;

    for (genvar q = 0; q < Queues; q++) begin : g_candidate
      assign strict_d[q] = (strict_winner[q] ? next_valid_i[q] : valid_i[q]) & ~stopped_i[q] &
                           strict_i[q] & request_i & ~load_i;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) strict_q <= '0;
      else         strict_q <= strict_d;
    end

    assign answers       = 1'b1;  // who was not asked for is no candidate
    assign strict_active = strict_q;
    assign table_request = request_i & (strict_d == '0);
  end

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_strict_queue (
    .onehot_i(strict_winner),
    .index_o (strict_queue)
  );

  // 2. The table.
  logic                  table_valid;
  logic [Queues-1:0]     table_grant;
  logic [QueueWidth-1:0] table_queue;

  qosarb_bxi #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Latency       (Latency)
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
    .request_i    (table_request),
    .grant_valid_o(table_valid),
    .grant_o      (table_grant),
    .grant_queue_o(table_queue),
    .current_o,
    .had_turn_o,
    .remaining_o,
    .deficit_o
  );

  assign grant_valid_o = (answers & any_strict) | table_valid;
  assign grant_o       = strict_winner | table_grant;
  assign grant_queue_o = strict_queue | table_queue;

endmodule
