// qosarb_bxi beside its specification, which with Latency 1 is asked a cycle later: any strict table, which changes
// by loads only, any traffic and stops, and a reset at any time.

`ifndef SEMANTICS
`define SEMANTICS bxi_semantics
`endif

module bxi_proof #(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned Entries        = 4,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  bit          Deficits       = 1'b1,
  parameter  int unsigned Latency        = 0,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1),
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits)
) (
  input  logic                                 clk_i,
  input  logic                                 reset_i,
  input  logic                                 load_i,
  input  logic [EntryWidth-1:0]                last_entry_i,
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,
  input  logic [Queues-1:0]                    next_valid_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    next_flits_i,
  input  logic                                 request_i,

  output logic                                 not_coupled_o,
  output logic [Entries+15:0]                  parts_o,
  output logic                                 differs_o,
  output logic                                 two_grants_o,
  output logic                                 grant_to_inactive_o,
  output logic                                 idle_with_active_o,
  output logic                                 overflows_o,
  output logic                                 cover_deficit_added_o,
  output logic                                 cover_exact_depletion_o,
  output logic                                 cover_back_to_back_o
);

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  // The table in force.
  logic [EntryWidth-1:0]                last_entry;
  logic [Entries-1:0]                   entry_used;
  logic [Entries-1:0][QueueWidth-1:0]   entry_queue;
  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum;
  logic [FlitsWidth-1:0]                max_packet_flits;

  any_strict_table #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_table (.*, .empty_i(1'b0), .empty());

  logic                                   grant_valid, expected_valid, had_turn, asked, fresh;
  logic [Queues-1:0]                      grant, valid, active, table_active, served;
  logic [Queues-1:0][FlitsWidth-1:0]      flits, next_flits, active_flits;
  logic [QueueWidth-1:0]                  grant_queue, expected_queue;
  logic [7:0]                             current;
  logic [RemainingWidth-1:0]              remaining, rem;
  logic [Entries-1:0][DeficitWidth-1:0]   deficit;
  logic [EntryWidth-1:0]                  cur;
  logic [Entries-1:0][RemainingWidth-1:0] expected_deficit;

  any_traffic #(
    .Queues        (Queues),
    .MaxPacketFlits(MaxPacketFlits),
    .Latency       (Latency)
  ) u_traffic (.*, .longest({Queues{max_packet_flits}}));

  qosarb_bxi #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Deficits      (Deficits),
    .Latency       (Latency)
  ) u_engine (
    .clk_i,
    .rst_ni            (rst_n),
    .load_i,
    .entry_used_i      (entry_used),
    .entry_queue_i     (entry_queue),
    .entry_quantum_i   (entry_quantum),
    .deficits_on_i     (Deficits),
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

  `SEMANTICS #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_semantics (
    .clk_i,
    .rst_ni            (rst_n),
    .load_i,
    .last_entry_i      (last_entry),
    .queue_i           (entry_queue),
    .quantum_i         (entry_quantum),
    .deficits_on_i     (Deficits),
    .max_packet_flits_i(max_packet_flits),
    .active_i          (active),
    .flits_i           (active_flits),
    .request_i         (asked),
    .grant_valid_o     (expected_valid),
    .grant_queue_o     (expected_queue),
    .cur_o             (cur),
    .rem_o             (rem),
    .fresh_o           (fresh),
    .deficit_o         (expected_deficit)
  );

  // Coupling.
  assign table_active = active;

  localparam bit DeficitsOn = Deficits;

`define TABLE u_engine
`include "bxi_coupled.svh"
`undef TABLE

  by_parts #(
    .Parts(Entries + 15)
  ) u_parts (
    .*,
    .holds({decided, coupled, table_valid}),
    .fails(differs_o | two_grants_o | grant_to_inactive_o | idle_with_active_o)
  );

  // Properties of the engine's outputs.
  always_comb begin
    served = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (entry_used[e]) served[entry_queue[e]] = 1'b1;
    end
  end

  grant_properties #(
    .Queues(Queues)
  ) u_properties (.*);

  // Nothing overflows: the flits granted in a turn are never more than what the turn began with, which is
  // seen from outside as a remainder above the largest one that the table allows.
  logic [RemainingWidth:0] most;
  always_comb begin
    most = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (entry_used[e] && (RemainingWidth + 1)'(entry_quantum[e]) > most) most = (RemainingWidth + 1)'(entry_quantum[e]);
    end
  end
  assign overflows_o = rst_n & ({1'b0, remaining} > most + (RemainingWidth + 1)'(max_packet_flits) - 1'b1);

  // To be seen: a turn that begins with a deficit; a turn that ends with nothing left; with Latency 1 two packets of
  // a queue in two cycles, of which the second was behind the first.
  assign cover_deficit_added_o   = rst_n & grant_valid & (expected_deficit != '0);
  assign cover_exact_depletion_o = rst_n & ~nobody & depleted;

  logic [Queues-1:0] granted_q;
  always_ff @(posedge clk_i) granted_q <= grant;
  assign cover_back_to_back_o = rst_n & ((grant & granted_q) != '0);

endmodule
