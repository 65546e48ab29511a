// rr in a port: round robin over all queues. Any configuration is good.
//
// State words: CURRENT is the queue that won last.

module qosarb_rr_slot #(
  parameter qosarb_port_pkg::build_t Build = '0,
  parameter type                     request_t = logic,  // the structs of qosarb_port
  parameter type                     answer_t  = logic
) (
  input  logic     clk_i,
  input  logic     rst_ni,

  input  request_t slot_i,
  output answer_t  slot_o
);

  import qosarb_port_reg_pkg::*;

  localparam int unsigned Queues         = Build.queues;
  localparam int unsigned Entries        = Build.entries;
  localparam int unsigned QuantumWidth   = Build.quantum_width;
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues);
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + Build.max_packet_flits - 1);
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(Build.max_packet_flits);

  logic                                 asked;
  logic [QueueWidth-1:0]                grant_queue;
  logic [7:0]                           current;
  logic [RemainingWidth-1:0]            unused_remaining;
  logic [Entries-1:0][DeficitWidth-1:0] unused_deficit;

  assign asked = slot_i.policy == PolicyRr;

  qosarb_rr #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(Build.max_packet_flits)
  ) u_rr (
    .clk_i,
    .rst_ni,
    .load_i         (slot_i.restart),
    .entry_used_i   (slot_i.entry_used),
    .entry_queue_i  (slot_i.entry_queue),
    .entry_quantum_i(slot_i.entry_quantum),
    .valid_i        (slot_i.valid),
    .stopped_i      (slot_i.stopped),
    .flits_i        (slot_i.flits),
    .request_i      (slot_i.request & asked),
    .grant_valid_o  (slot_o.grant_valid),
    .grant_o        (slot_o.grant),
    .grant_queue_o  (grant_queue),
    .current_o      (current),
    .remaining_o    (unused_remaining),
    .deficit_o      (unused_deficit)
  );

  assign slot_o.grant_queue = grant_queue & {QueueWidth{asked}};

  always_comb begin
    slot_o.state = '0;
    if (asked) slot_o.state[qosarb_port_pkg::StateCurrent] = 32'(current);
  end

  assign slot_o.access      = '0;
  assign slot_o.verdict     = '0;
  assign slot_o.chip        = '0;
  assign slot_o.longest     = '0;
  assign slot_o.busy        = 1'b0;
  assign slot_o.events      = '0;
  assign slot_o.late_events = '0;

  logic unused_inputs;  // each slot sees all of them
  assign unused_inputs = ^slot_i;

endmodule
