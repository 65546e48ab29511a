// ets in a port: strict priority above a table with deficits.
//
// The engine keeps its candidates itself where it looks ahead; so it is shown what the queues show. With
// Latency 0 that is what it decides by.
// A commit is refused by a quantum that is shorter than the longest packet, by an entry of a queue
// with strict priority, and by an entry whose queue is not above that of the entry before it. A queue
// in use with strict priority is served; an entry serves its queue. Where every queue in use has
// strict priority there is no table: none of its entries is looked at.
// Registers: STRICT_PRIORITY.
// State words: CURRENT is the entry whose turn it is, REMAINING its flits, DEFICIT[e] what entry e
// saved; own word 0: 1 once an entry has had a turn.

module qosarb_ets_slot #(
  parameter  qosarb_port_pkg::build_t Build = '0,
  parameter  type                     request_t      = logic,  // the structs of qosarb_ports
  parameter  type                     answer_t       = logic,
  parameter  type                     port_request_t = logic,
  parameter  type                     port_answer_t  = logic,
  localparam int unsigned             Ports = Build.ports
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [Ports-1:0]          port_rst_ni,

  input  request_t                  slot_i,
  output answer_t                   slot_o,
  input  port_request_t [Ports-1:0] ports_i,
  output port_answer_t [Ports-1:0]  ports_o
);

  import qosarb_port_reg_pkg::*;

  localparam int unsigned Queues         = Build.queues;
  localparam int unsigned Entries        = (Build.entries < Queues) ? Build.entries : Queues;
  localparam int unsigned QuantumWidth   = Build.quantum_width;
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues);
  localparam int unsigned MaxPacketFlits = Build.max_packet_flits;
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1);
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits);
  localparam int unsigned Own            = qosarb_pkg::state_own(Build.entries);

  // The register, and what is in force of it.
  logic              here, no_table, has_table_q;
  logic [Queues-1:0] shadow_q, in_force_q;

  assign here = slot_i.access.addr == StrictPriorityOffset;

  always_comb begin
    slot_o.access = '0;
    if (here) begin
      slot_o.access = '{counted: 1'b0, counter: '0,
                        write_good: (64'(slot_i.access.wdata) >> Queues) == '0, read_good: 1'b1,
                        value: 32'(shadow_q)};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shadow_q    <= '0;
      in_force_q  <= '0;
      has_table_q <= 1'b1;
    end else begin
      if (slot_i.access.write && here) shadow_q <= slot_i.access.wdata[Queues-1:0];
      if (slot_i.load) begin
        in_force_q  <= shadow_q;
        has_table_q <= ~no_table;
      end
    end
  end

  // The check.
  logic        is_strict, out_of_order;
  logic [31:0] strict;

  assign strict       = 32'(shadow_q);
  assign no_table     = (slot_i.check.queues_in_use & ~strict) == '0;
  assign is_strict    = strict[slot_i.check.entry_queue[4:0]];
  assign out_of_order = (slot_i.check.seen >> slot_i.check.entry_queue[4:0]) != '0;

  always_comb begin
    slot_o.verdict = '0;
    if (slot_i.check.policy == PolicyEts) begin
      slot_o.verdict.needed  = 1'b1;
      slot_o.verdict.is_last = slot_i.check.is_last_entry | no_table;
      slot_o.verdict.serves  = strict;
      if (!no_table) begin
        slot_o.verdict.marks = 32'd1 << slot_i.check.entry_queue[4:0];
        if (slot_i.check.entry_quantum < slot_i.check.max_packet_flits) begin
          slot_o.verdict.fault = StatusReasonShortQuantum;
        end
        if (out_of_order) slot_o.verdict.fault = StatusReasonQueueOrder;
        if (is_strict)    slot_o.verdict.fault = StatusReasonStrictEntry;
      end
    end
  end

  // The engines.
  logic               asked;
  logic [Entries-1:0] entry_used;

  assign asked      = slot_i.policy == PolicyEts;
  assign entry_used = slot_i.entry_used[Entries-1:0] & {Entries{has_table_q}};

  for (genvar p = 0; p < Ports; p++) begin : g_port
    logic                                 had_turn;
    logic [QueueWidth-1:0]                grant_queue;
    logic [7:0]                           current;
    logic [RemainingWidth-1:0]            remaining;
    logic [Entries-1:0][DeficitWidth-1:0] deficit;

    qosarb_ets #(
      .Queues        (Queues),
      .Entries       (Entries),
      .QuantumWidth  (QuantumWidth),
      .MaxPacketFlits(MaxPacketFlits),
      .Latency       (Build.latency)
    ) u_ets (
      .clk_i,
      .rst_ni            (port_rst_ni[p]),
      .load_i            (ports_i[p].restart),
      .strict_i          (in_force_q),
      .entry_used_i      (entry_used),
      .entry_queue_i     (slot_i.entry_queue[Entries-1:0]),
      .entry_quantum_i   (slot_i.entry_quantum[Entries-1:0]),
      .max_packet_flits_i(slot_i.max_packet_flits),
      .valid_i           (ports_i[p].shown.valid),
      .stopped_i         (ports_i[p].shown.stopped),
      .flits_i           (ports_i[p].shown.flits),
      .next_valid_i      (ports_i[p].shown.next_valid),
      .next_flits_i      (ports_i[p].shown.next_flits),
      .request_i         (ports_i[p].shown.request & asked),
      .grant_valid_o     (ports_o[p].grant_valid),
      .grant_o           (ports_o[p].grant),
      .grant_queue_o     (grant_queue),
      .current_o         (current),
      .had_turn_o        (had_turn),
      .remaining_o       (remaining),
      .deficit_o         (deficit)
    );

    assign ports_o[p].grant_queue = grant_queue & {QueueWidth{asked}};

    always_comb begin
      ports_o[p].state = '0;
      if (asked) begin
        ports_o[p].state[qosarb_port_pkg::StateCurrent]   = 32'(current);
        ports_o[p].state[qosarb_port_pkg::StateRemaining] = 32'(remaining);
        for (int unsigned e = 0; e < Entries; e++) begin
          ports_o[p].state[qosarb_port_pkg::StateEntry+e] = 32'(deficit[e]);
        end
        ports_o[p].state[Own] = 32'(had_turn);
      end
    end

    assign ports_o[p].longest     = '0;
    assign ports_o[p].busy        = 1'b0;
    assign ports_o[p].events      = '0;
    assign ports_o[p].late_events = '0;
  end

  assign slot_o.chip = '0;

  logic unused_inputs;  // each slot sees all of them
  assign unused_inputs = ^{slot_i, ports_i};

endmodule
