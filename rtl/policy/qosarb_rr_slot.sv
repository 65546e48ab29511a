// rr in a port: round robin over all queues. Any configuration is good.
//
// State words: CURRENT is the queue that won last.

module qosarb_rr_slot #(
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
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + Build.max_packet_flits - 1);
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(Build.max_packet_flits);

  logic asked;

  assign asked = slot_i.policy == PolicyRr;

  for (genvar p = 0; p < Ports; p++) begin : g_port
    logic [QueueWidth-1:0]                grant_queue;
    logic [7:0]                           current;
    logic [RemainingWidth-1:0]            unused_remaining;
    logic [Entries-1:0][DeficitWidth-1:0] unused_deficit;

    qosarb_rr #(
      .Queues        (Queues),
      .Entries       (Entries),
      .QuantumWidth  (QuantumWidth),
      .MaxPacketFlits(Build.max_packet_flits)
    ) u_rr (
      .clk_i,
      .rst_ni         (port_rst_ni[p]),
      .load_i         (ports_i[p].restart),
      .entry_used_i   (slot_i.entry_used),
      .entry_queue_i  (slot_i.entry_queue),
      .entry_quantum_i(slot_i.entry_quantum),
      .valid_i        (ports_i[p].valid),
      .stopped_i      (ports_i[p].stopped),
      .flits_i        (ports_i[p].flits),
      .request_i      (ports_i[p].request & asked),
      .grant_valid_o  (ports_o[p].grant_valid),
      .grant_o        (ports_o[p].grant),
      .grant_queue_o  (grant_queue),
      .current_o      (current),
      .remaining_o    (unused_remaining),
      .deficit_o      (unused_deficit)
    );

    assign ports_o[p].grant_queue = grant_queue & {QueueWidth{asked}};

    always_comb begin
      ports_o[p].state = '0;
      if (asked) ports_o[p].state[qosarb_port_pkg::StateCurrent] = 32'(current);
    end

    assign ports_o[p].longest     = '0;
    assign ports_o[p].busy        = 1'b0;
    assign ports_o[p].events      = '0;
    assign ports_o[p].late_events = '0;
  end

  assign slot_o.access  = '0;
  assign slot_o.verdict = '0;
  assign slot_o.chip    = '0;

  logic unused_inputs;  // each slot sees all of them
  assign unused_inputs = ^{slot_i, ports_i, rst_ni};

endmodule
