// qosarb_ets beside its specification, which with Latency 1 is asked a cycle later: any classes and strict table,
// which change by loads only, any traffic and stops, and a reset at any time.

module ets_proof
  import clamp_pkg::clamped;
#(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  int unsigned Latency        = 0,
  localparam int unsigned Entries        = Queues,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = QueueWidth,
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1),
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits)
) (
  input  logic                                clk_i,
  input  logic                                reset_i,
  input  logic                                load_i,
  input  logic [Queues-1:0]                   strict_i,
  input  logic [Queues-1:0]                   weighted_i,
  input  logic [Queues-1:0][QuantumWidth-1:0] quantum_i,
  input  logic [FlitsWidth-1:0]               max_packet_flits_i,
  input  logic [Queues-1:0]                   valid_i,
  input  logic [Queues-1:0]                   stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]   flits_i,
  input  logic [Queues-1:0]                   next_valid_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]   next_flits_i,
  input  logic                                request_i,

  output logic                                not_coupled_o,
  output logic [Entries+15:0]                 parts_o,
  output logic                                differs_o,
  output logic                                two_grants_o,
  output logic                                grant_to_inactive_o,
  output logic                                idle_with_active_o,
  output logic                                overflows_o,
  output logic                                table_before_strict_o,
  output logic                                strict_moves_the_table_o,
  output logic                                cover_deficit_added_o,
  output logic                                cover_strict_amid_turn_o,
  output logic                                cover_strict_back_to_back_o
);

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  // The classes in force, clamped to what a strict commit lets through: a longest packet within
  // 1..MaxPacketFlits, no queue with both strict priority and a weight, quanta that hold the longest packet.
  logic [Queues-1:0]                   strict_q, weighted_q, weighted;
  logic [Queues-1:0][QuantumWidth-1:0] quantum_q, quantum;
  logic [FlitsWidth-1:0]               max_packet_flits_q, max_packet_flits;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      strict_q           <= strict_i;
      weighted_q         <= weighted_i;
      quantum_q          <= quantum_i;
      max_packet_flits_q <= max_packet_flits_i;
    end
  end

  assign weighted         = weighted_q & ~strict_q;
  assign max_packet_flits = FlitsWidth'(clamped(32'(max_packet_flits_q), 1, MaxPacketFlits));
  for (genvar q = 0; q < Queues; q++) begin : g_queue
    assign quantum[q] = QuantumWidth'(clamped(32'(quantum_q[q]), 32'(max_packet_flits), 2 ** QuantumWidth - 1));
  end

  logic                                  grant_valid, expected_valid, has_table, had_turn, asked, fresh;
  logic [Queues-1:0]                     grant, entry_used, valid, active, strict_active, table_active, served;
  logic [Queues-1:0][FlitsWidth-1:0]     flits, next_flits, active_flits;
  logic [QueueWidth-1:0]                 grant_queue, expected_queue, last_entry, cur;
  logic [Queues-1:0][QueueWidth-1:0]     entry_queue;
  logic [Queues-1:0][QuantumWidth-1:0]   entry_quantum;
  logic [7:0]                            current;
  logic [RemainingWidth-1:0]             remaining, rem;
  logic [Queues-1:0][DeficitWidth-1:0]   deficit;
  logic [Queues-1:0][RemainingWidth-1:0] expected_deficit;

  any_traffic #(
    .Queues        (Queues),
    .MaxPacketFlits(MaxPacketFlits),
    .Latency       (Latency)
  ) u_traffic (.*, .longest({Queues{max_packet_flits}}));

  for (genvar e = 0; e < Queues; e++) begin : g_entry
    assign entry_used[e] = has_table & (e <= 32'(last_entry));
  end

  qosarb_ets #(
    .Queues        (Queues),
    .Entries       (Queues),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Latency       (Latency)
  ) u_engine (
    .clk_i,
    .rst_ni            (rst_n),
    .load_i,
    .strict_i          (strict_q),
    .entry_used_i      (entry_used),
    .entry_queue_i     (entry_queue),
    .entry_quantum_i   (entry_quantum),
    .max_packet_flits_i(max_packet_flits),
    .valid_i           (valid),
    .stopped_i,
    .flits_i           (flits),
    .next_valid_i,
    .next_flits_i      (next_flits),
    .request_i,
    .grant_valid_o     (grant_valid),
    .grant_o           (grant),
    .grant_queue_o     (grant_queue),
    .current_o         (current),
    .had_turn_o        (had_turn),
    .remaining_o       (remaining),
    .deficit_o         (deficit)
  );

  ets_semantics #(
    .Queues        (Queues),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_semantics (
    .clk_i,
    .rst_ni            (rst_n),
    .load_i,
    .strict_i          (strict_q),
    .weighted_i        (weighted),
    .quantum_i         (quantum),
    .max_packet_flits_i(max_packet_flits),
    .active_i          (active),
    .flits_i           (active_flits),
    .request_i         (asked),
    .grant_valid_o     (expected_valid),
    .grant_queue_o     (expected_queue),
    .has_table_o       (has_table),
    .last_entry_o      (last_entry),
    .entry_queue_o     (entry_queue),
    .entry_quantum_o   (entry_quantum),
    .cur_o             (cur),
    .rem_o             (rem),
    .fresh_o           (fresh),
    .deficit_o         (expected_deficit)
  );

  // Coupling. The table is asked while no queue with strict priority is active; with Latency 1 those that are stand
  // in registers.
  logic [Entries+2:0] engine_valid;

  assign strict_active = active & strict_q;
  assign table_active  = (strict_active == '0) ? active : '0;

  localparam bit DeficitsOn = 1'b1;

`define TABLE u_engine.u_table
`include "bxi_coupled.svh"
`undef TABLE

  if (Latency == 0) begin : g_at_once
    assign engine_valid = table_valid;
  end else begin : g_next_cycle
    assign engine_valid = {table_valid[Entries+2:1],
                           table_valid[0] & (u_engine.g_next_cycle.strict_q == strict_active)};
  end

  by_parts #(
    .Parts(Entries + 15)
  ) u_parts (
    .*,
    .holds({decided, coupled, engine_valid}),
    .fails(differs_o | two_grants_o | grant_to_inactive_o | idle_with_active_o |
           table_before_strict_o | strict_moves_the_table_o)
  );

  // Properties of the engine's outputs.
  assign served = strict_q | weighted;

  grant_properties #(
    .Queues(Queues)
  ) u_properties (.*);

  // Strict priority: nobody is granted while a higher queue with strict priority is active, and no queue
  // with a weight while any is.
  always_comb begin
    table_before_strict_o = 1'b0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (grant[q] && (strict_q[q] ? (strict_active >> q) != Queues'(1) : strict_active != '0)) begin
        table_before_strict_o = rst_n;
      end
    end
  end

  // A grant to strict priority changes nothing of the table's state: seen from outside, before and after it.
  logic                                strict_won_q, had_turn_q;
  logic [7:0]                          current_q;
  logic [RemainingWidth-1:0]           remaining_q;
  logic [Queues-1:0][DeficitWidth-1:0] deficit_q;

  initial strict_won_q = 1'b0;
  always_ff @(posedge clk_i) begin
    strict_won_q <= rst_n & ~load_i & ((grant & strict_q) != '0);
    had_turn_q   <= had_turn;
    current_q    <= current;
    remaining_q  <= remaining;
    deficit_q    <= deficit;
  end

  assign strict_moves_the_table_o =
      rst_n & strict_won_q & ((had_turn != had_turn_q) | (current != current_q) |
                              (remaining != remaining_q) | (deficit != deficit_q));

  // Nothing overflows: what remains is never above the greatest quantum and deficit that the table allows.
  logic [RemainingWidth:0] most;
  always_comb begin
    most = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (weighted[q] && (RemainingWidth + 1)'(quantum[q]) > most) most = (RemainingWidth + 1)'(quantum[q]);
    end
  end
  assign overflows_o = rst_n & ({1'b0, remaining} > most + (RemainingWidth + 1)'(max_packet_flits) - 1'b1);

  // To be seen: a turn that begins with a deficit; strict priority in the midst of a turn; with Latency 1 two packets
  // of a queue with strict priority in two cycles, of which the second was behind the first.
  assign cover_deficit_added_o    = rst_n & ((grant & weighted) != '0) & (expected_deficit != '0);
  assign cover_strict_amid_turn_o = rst_n & ((grant & strict_q) != '0) & ~nobody & ~depleted;

  logic [Queues-1:0] granted_q;
  always_ff @(posedge clk_i) granted_q <= grant;
  assign cover_strict_back_to_back_o = rst_n & ((grant & granted_q & strict_q) != '0);

endmodule
