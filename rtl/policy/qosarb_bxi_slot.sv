// bxi-basic and bxi-deficit in a port: one table, whose deficits are kept or not.
//
// The engine keeps its candidates itself where it looks ahead; so it is shown what the queues show. With
// Latency 0 that is what it decides by.
// A commit is refused by a quantum that is shorter than the longest packet. An entry serves its
// queue.
// State words: CURRENT is the entry whose turn it is, REMAINING its flits, DEFICIT[e] what entry e
// saved; own word 0: 1 once an entry has had a turn.

module qosarb_bxi_slot #(
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
  localparam int unsigned Entries        = Build.entries;
  localparam int unsigned QuantumWidth   = Build.quantum_width;
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues);
  localparam int unsigned MaxPacketFlits = Build.max_packet_flits;
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1);
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits);
  localparam logic [15:0] Included       = 16'(Build.policies);
  localparam int unsigned Own            = qosarb_pkg::state_own(Entries);

  // The check.
  logic to_come, is_short;

  assign to_come  = (slot_i.check.policy == PolicyBxiBasic) |
                    (slot_i.check.policy == PolicyBxiDeficit);
  assign is_short = slot_i.check.entry_quantum < slot_i.check.max_packet_flits;

  always_comb begin
    slot_o.verdict = '0;
    if (to_come) begin
      slot_o.verdict.needed  = 1'b1;
      slot_o.verdict.is_last = slot_i.check.is_last_entry;
      slot_o.verdict.fault   = is_short ? StatusReasonShortQuantum : StatusReasonNone;
      slot_o.verdict.marks   = 32'd1 << slot_i.check.entry_queue[4:0];
    end
  end

  // The engines.
  logic asked;

  assign asked = (slot_i.policy == PolicyBxiBasic) | (slot_i.policy == PolicyBxiDeficit);

  for (genvar p = 0; p < Ports; p++) begin : g_port
    logic                                 had_turn;
    logic [QueueWidth-1:0]                grant_queue;
    logic [7:0]                           current;
    logic [RemainingWidth-1:0]            remaining;
    logic [Entries-1:0][DeficitWidth-1:0] deficit;

    qosarb_bxi #(
      .Queues        (Queues),
      .Entries       (Entries),
      .QuantumWidth  (QuantumWidth),
      .MaxPacketFlits(MaxPacketFlits),
      .Deficits      (Included[PolicyBxiDeficit]),
      .Latency       (Build.latency)
    ) u_bxi (
      .clk_i,
      .rst_ni            (port_rst_ni[p]),
      .load_i            (ports_i[p].restart),
      .entry_used_i      (slot_i.entry_used),
      .entry_queue_i     (slot_i.entry_queue),
      .entry_quantum_i   (slot_i.entry_quantum),
      .deficits_on_i     (slot_i.policy == PolicyBxiDeficit),
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

  assign slot_o.access = '0;
  assign slot_o.chip   = '0;

  logic unused_inputs;  // each slot sees all of them
  assign unused_inputs = ^{slot_i, ports_i, rst_ni};

endmodule
