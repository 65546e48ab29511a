// sbt in a port: an entry of the table is an SL with a weight in packets.
//
// A commit is refused by a weight of 0 and by an SL that has an entry already. An entry serves the
// queues of its SL.
// State words: CURRENT is the entry that won last, DEFICIT[e] the packets that entry e may still
// send; own word 0: the queues that come behind the one that their SL served last.

module qosarb_sbt_slot #(
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

  // The engine: at most one entry for each SL, and no more SLs than queues.
  logic                                asked;
  logic [QueueWidth-1:0]               grant_queue;
  logic [7:0]                          current;
  logic [Queues-1:0][QuantumWidth-1:0] left;
  logic [Queues-1:0]                   behind;

  assign asked = slot_i.policy == PolicySbt;

  qosarb_sbt #(
    .Queues        (Queues),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(Build.max_packet_flits)
  ) u_sbt (
    .clk_i,
    .rst_ni,
    .load_i        (slot_i.restart),
    .entry_used_i  (slot_i.entry_used[Queues-1:0]),
    .entry_sl_i    (slot_i.entry_queue[Queues-1:0]),
    .entry_weight_i(slot_i.entry_quantum[Queues-1:0]),
    .queue_sl_i    (slot_i.queue_sl),
    .valid_i       (slot_i.valid),
    .stopped_i     (slot_i.stopped),
    .flits_i       (slot_i.flits),
    .request_i     (slot_i.request & asked),
    .grant_valid_o (slot_o.grant_valid),
    .grant_o       (slot_o.grant),
    .grant_queue_o (grant_queue),
    .current_o     (current),
    .left_o        (left),
    .behind_o      (behind)
  );

  assign slot_o.grant_queue = grant_queue & {QueueWidth{asked}};

  always_comb begin
    slot_o.state = '0;
    if (asked) begin
      slot_o.state[qosarb_port_pkg::StateCurrent] = 32'(current);
      for (int unsigned e = 0; e < Queues; e++) begin
        slot_o.state[qosarb_port_pkg::StateEntry+e] = 32'(left[e]);
      end
      slot_o.state[Own] = 32'(behind);
    end
  end

  assign slot_o.access      = '0;
  assign slot_o.chip        = '0;
  assign slot_o.longest     = '0;
  assign slot_o.busy        = 1'b0;
  assign slot_o.events      = '0;
  assign slot_o.late_events = '0;

  logic unused_inputs;  // each slot sees all of them
  assign unused_inputs = ^slot_i;

endmodule
