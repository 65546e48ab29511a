// ets: strict priority above bandwidth shares (IEEE 802.1Q, enhanced transmission selection).
//
// State: that of qosarb_bxi_table with deficits.
// Algorithm:
//   1. If a queue with strict priority is active, the highest-numbered active one wins, and nothing
//      else changes: neither whose turn it is in the table nor what remains of that turn.
//   2. Else the table decides: bxi-deficit, over one entry for each queue with a weight, in order of
//      queue number.
// Both are found side by side; a strict winner only takes the request from the table.
// The table holds no queue with strict priority; qosarb_port refuses others, and quanta that are
// shorter than the longest packet.
//
// Bound: a queue with strict priority waits for the higher ones without limit, and for no other. As
// long as none of them is active, the others wait as under bxi-deficit. One decision a cycle, every
// cycle.

module qosarb_ets #(
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
  // the state starts over.
  input  logic                                 load_i,
  input  logic [Queues-1:0]                    strict_i,         // queues with strict priority
  input  logic [Entries-1:0]                   entry_used_i,     // ones up to the last entry
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,

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
  output logic [7:0]                           current_o,     // the entry whose turn it is
  output logic                                 had_turn_o,    // some entry has had a turn
  output logic [RemainingWidth-1:0]            remaining_o,
  output logic [Entries-1:0][DeficitWidth-1:0] deficit_o
);

  if (Queues < 1 || Queues > 256) begin : g_check_queues
    $error("qosarb_ets: Queues must be within 1..256");
  end

  // Nothing is granted in a reset, which needs no edge of the clock.
  logic request;

  assign request = request_i & rst_ni;

  // 1. The highest-numbered active queue with strict priority.
  logic [Queues-1:0]     strict_active, above, strict_winner;
  logic                  any_strict;
  logic [QueueWidth-1:0] strict_queue;

  assign strict_active = valid_i & ~stopped_i & strict_i;
  assign any_strict    = |strict_active;

  for (genvar q = 0; q < Queues; q++) begin : g_above
    assign above[q] = (strict_active >> q) != Queues'(1);  // or it is not active itself
  end

  assign strict_winner = strict_active & ~above & {Queues{request}};

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

  qosarb_bxi_table #(
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
    .request_i    (request & ~any_strict),
    .grant_valid_o(table_valid),
    .grant_o      (table_grant),
    .grant_queue_o(table_queue),
    .current_o,
    .had_turn_o,
    .remaining_o,
    .deficit_o
  );

  assign grant_valid_o = (request & any_strict) | table_valid;
  assign grant_o       = strict_winner | table_grant;
  assign grant_queue_o = strict_queue | table_queue;

endmodule
