// sbt in a port: an entry of the table is an SL with a weight in packets.
//
// A commit is refused by a weight of 0 and by an SL that has an entry already. An entry serves the
// queues of its SL.
// State words: CURRENT is the entry that won last, DEFICIT[e] the packets that entry e may still
// send; own word 0: the queues that come behind the one that their SL served last.

module qosarb_sbt_slot #(
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

  localparam int unsigned Queues       = Build.queues;
  localparam int unsigned Entries      = Build.entries;
  localparam int unsigned QuantumWidth = Build.quantum_width;
  localparam int unsigned QueueWidth   = qosarb_pkg::index_width(Queues);
  localparam int unsigned Own          = qosarb_pkg::state_own(Entries);

  // The check.
  always_comb begin
    slot_o.verdict = '0;
    if (slot_i.check.policy == PolicySbt) begin
      slot_o.verdict.needed  = 1'b1;
      slot_o.verdict.is_last = slot_i.check.is_last_entry;
      slot_o.verdict.marks   = 32'd1 << slot_i.check.entry_queue[4:0];
      slot_o.verdict.of_sls  = 1'b1;
      if (slot_i.check.seen[slot_i.check.entry_queue[4:0]]) begin
        slot_o.verdict.fault = StatusReasonRepeatedSl;
      end
      if (slot_i.check.entry_quantum == '0) slot_o.verdict.fault = StatusReasonZeroWeight;
    end
  end

  // The engines: at most one entry for each SL, and no more SLs than queues.
  logic asked;

  assign asked = slot_i.policy == PolicySbt;

  for (genvar p = 0; p < Ports; p++) begin : g_port
    logic [QueueWidth-1:0]               grant_queue;
    logic [7:0]                          current;
    logic [Queues-1:0][QuantumWidth-1:0] left;
    logic [Queues-1:0]                   behind;

    qosarb_sbt #(
      .Queues        (Queues),
      .QuantumWidth  (QuantumWidth),
      .MaxPacketFlits(Build.max_packet_flits),
      .IdleAfterLoad (Build.latency != '0)
    ) u_sbt (
      .clk_i,
      .rst_ni        (port_rst_ni[p]),
      .load_i        (ports_i[p].restart),
      .entry_used_i  (slot_i.entry_used[Queues-1:0]),
      .entry_sl_i    (slot_i.entry_queue[Queues-1:0]),
      .entry_weight_i(slot_i.entry_quantum[Queues-1:0]),
      .queue_sl_i    (slot_i.queue_sl),
      .valid_i       (ports_i[p].valid),
      .stopped_i     (ports_i[p].stopped),
      .flits_i       (ports_i[p].flits),
      .request_i     (ports_i[p].request & asked),
      .grant_valid_o (ports_o[p].grant_valid),
      .grant_o       (ports_o[p].grant),
      .grant_queue_o (grant_queue),
      .current_o     (current),
      .left_o        (left),
      .behind_o      (behind)
    );

    assign ports_o[p].grant_queue = grant_queue & {QueueWidth{asked}};

    always_comb begin
      ports_o[p].state = '0;
      if (asked) begin
        ports_o[p].state[qosarb_port_pkg::StateCurrent] = 32'(current);
        for (int unsigned e = 0; e < Queues; e++) begin
          ports_o[p].state[qosarb_port_pkg::StateEntry+e] = 32'(left[e]);
        end
        ports_o[p].state[Own] = 32'(behind);
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
