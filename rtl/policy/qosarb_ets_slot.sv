// ets in a port: strict priority above a table with deficits.
//
// A commit is refused by a quantum that is shorter than the longest packet, by an entry of a queue
// with strict priority, and by an entry whose queue is not above that of the entry before it. A queue
// in use with strict priority is served; an entry serves its queue. Where every queue in use has
// strict priority there is no table: none of its entries is looked at.
// Registers: STRICT_PRIORITY.
// State words: CURRENT is the entry whose turn it is, REMAINING its flits, DEFICIT[e] what entry e
// saved; own word 0: 1 once an entry has had a turn.

module qosarb_ets_slot #(
  parameter  qosarb_port_pkg::build_t Build = '0,
  localparam int unsigned Queues       = Build.queues,
  localparam int unsigned Entries      = Build.entries,
  localparam int unsigned QuantumWidth = Build.quantum_width,
  localparam int unsigned QueueWidth   = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth   = $clog2(Build.max_packet_flits + 1),
  localparam int unsigned StateWords   = qosarb_pkg::state_words(Queues, Entries)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  // Registers of its own, and the clearing of counters.
  input  qosarb_port_pkg::register_request_t   register_i,
  output qosarb_port_pkg::register_answer_t    register_o,
  input  logic                                 counter_clear_i,

  // The check of a shadow configuration.
  input  qosarb_port_pkg::check_t              check_i,
  output qosarb_port_pkg::verdict_t            verdict_o,

  // The configuration in force. A cycle with `load_i` is the last of what stands in it; at its end
  // the shadow comes into force and the state starts over.
  input  logic                                 load_i,
  input  qosarb_port_reg_pkg::policy_e         policy_i,
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,
  input  logic [Entries-1:0]                   entry_used_i,     // ones up to the last entry
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,
  input  logic [Queues-1:0][QueueWidth-1:0]    queue_sl_i,

  // The candidates: the head of each queue, its length in flits, its stop, its stamp of age; and
  // the chip's age clock.
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,
  input  logic [Queues-1:0][8:0]               age_field_i,
  input  logic [Queues-1:0]                    age_in_epoch_i,
  input  qosarb_port_pkg::chip_view_t          chip_i,
  output qosarb_port_pkg::chip_report_t        chip_o,

  // The link can take a packet; the answer comes in the same cycle, zero unless the policy in force
  // is this slot's.
  input  logic                                 request_i,
  output logic                                 grant_valid_o,
  output logic [Queues-1:0]                    grant_o,
  output logic [QueueWidth-1:0]                grant_queue_o,

  // State for reading, zero unless the policy in force is this slot's.
  output logic [StateWords-1:0][31:0]          state_o
);

  import qosarb_port_reg_pkg::*;

  localparam int unsigned MaxPacketFlits = Build.max_packet_flits;
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1);
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits);
  localparam int unsigned Own            = qosarb_pkg::state_own(Entries);

  // The register, and what is in force of it.
  logic              here, no_table, has_table_q;
  logic [Queues-1:0] shadow_q, in_force_q;

  assign here = register_i.addr == StrictPriorityOffset;

  always_comb begin
    register_o = '0;
    if (here) begin
      register_o = '{write_good: (64'(register_i.wdata) >> Queues) == '0, read_good: 1'b1,
                     value: 32'(shadow_q)};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shadow_q    <= '0;
      in_force_q  <= '0;
      has_table_q <= 1'b1;
    end else begin
      if (register_i.write && here) shadow_q <= register_i.wdata[Queues-1:0];
      if (load_i) begin
        in_force_q  <= shadow_q;
        has_table_q <= ~no_table;
      end
    end
  end

  // The check.
  logic        is_strict, out_of_order;
  logic [31:0] strict;

  assign strict       = 32'(shadow_q);
  assign no_table     = (check_i.queues_in_use & ~strict) == '0;
  assign is_strict    = strict[check_i.entry_queue[4:0]];
  assign out_of_order = (check_i.seen >> check_i.entry_queue[4:0]) != '0;

  always_comb begin
    verdict_o = '0;
    if (check_i.policy == PolicyEts) begin
      verdict_o.needed  = 1'b1;
      verdict_o.is_last = check_i.is_last_entry | no_table;
      verdict_o.serves  = strict;
      if (!no_table) begin
        verdict_o.marks = 32'd1 << check_i.entry_queue[4:0];
        if (check_i.entry_quantum < check_i.max_packet_flits) begin
          verdict_o.fault = StatusReasonShortQuantum;
        end
        if (out_of_order) verdict_o.fault = StatusReasonQueueOrder;
        if (is_strict)    verdict_o.fault = StatusReasonStrictEntry;
      end
    end
  end

  // The engine.
  logic                                 asked, had_turn;
  logic [QueueWidth-1:0]                grant_queue;
  logic [7:0]                           current;
  logic [RemainingWidth-1:0]            remaining;
  logic [Entries-1:0][DeficitWidth-1:0] deficit;

  assign asked = policy_i == PolicyEts;

  qosarb_ets #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_ets (
    .clk_i,
    .rst_ni,
    .load_i,
    .strict_i     (in_force_q),
    .entry_used_i (entry_used_i & {Entries{has_table_q}}),
    .entry_queue_i,
    .entry_quantum_i,
    .max_packet_flits_i,
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i    (request_i & asked),
    .grant_valid_o,
    .grant_o,
    .grant_queue_o(grant_queue),
    .current_o    (current),
    .had_turn_o   (had_turn),
    .remaining_o  (remaining),
    .deficit_o    (deficit)
  );

  assign grant_queue_o = grant_queue & {QueueWidth{asked}};

  always_comb begin
    state_o = '0;
    if (asked) begin
      state_o[qosarb_port_pkg::StateCurrent]   = 32'(current);
      state_o[qosarb_port_pkg::StateRemaining] = 32'(remaining);
      for (int unsigned e = 0; e < Entries; e++) begin
        state_o[qosarb_port_pkg::StateEntry+e] = 32'(deficit[e]);
      end
      state_o[Own] = 32'(had_turn);
    end
  end

  assign chip_o = '0;

  logic unused_inputs;
  assign unused_inputs = ^{counter_clear_i, check_i, queue_sl_i, age_field_i, age_in_epoch_i,
                           chip_i};

endmodule
