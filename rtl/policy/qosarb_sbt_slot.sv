// sbt in a port: an entry of the table is an SL with a weight in packets.
//
// A commit is refused by a weight of 0 and by an SL that has an entry already. An entry serves the
// queues of its SL.
// State words: CURRENT is the entry that won last, DEFICIT[e] the packets that entry e may still
// send; own word 0: the queues that come behind the one that their SL served last.

module qosarb_sbt_slot #(
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

  localparam int unsigned Own = qosarb_pkg::state_own(Entries);

  // The check.
  always_comb begin
    verdict_o = '0;
    if (check_i.policy == PolicySbt) begin
      verdict_o.needed  = 1'b1;
      verdict_o.is_last = check_i.is_last_entry;
      verdict_o.marks   = 32'd1 << check_i.entry_queue[4:0];
      verdict_o.of_sls  = 1'b1;
      if (check_i.seen[check_i.entry_queue[4:0]]) verdict_o.fault = StatusReasonRepeatedSl;
      if (check_i.entry_quantum == '0)            verdict_o.fault = StatusReasonZeroWeight;
    end
  end

  // The engine: at most one entry for each SL, and no more SLs than queues.
  logic                                asked;
  logic [QueueWidth-1:0]               grant_queue;
  logic [7:0]                          current;
  logic [Queues-1:0][QuantumWidth-1:0] left;
  logic [Queues-1:0]                   behind;

  assign asked = policy_i == PolicySbt;

  qosarb_sbt #(
    .Queues        (Queues),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(Build.max_packet_flits)
  ) u_sbt (
    .clk_i,
    .rst_ni,
    .load_i,
    .entry_used_i  (entry_used_i[Queues-1:0]),
    .entry_sl_i    (entry_queue_i[Queues-1:0]),
    .entry_weight_i(entry_quantum_i[Queues-1:0]),
    .queue_sl_i,
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i     (request_i & asked),
    .grant_valid_o,
    .grant_o,
    .grant_queue_o (grant_queue),
    .current_o     (current),
    .left_o        (left),
    .behind_o      (behind)
  );

  assign grant_queue_o = grant_queue & {QueueWidth{asked}};

  always_comb begin
    state_o = '0;
    if (asked) begin
      state_o[qosarb_port_pkg::StateCurrent] = 32'(current);
      for (int unsigned e = 0; e < Queues; e++) begin
        state_o[qosarb_port_pkg::StateEntry+e] = 32'(left[e]);
      end
      state_o[Own] = 32'(behind);
    end
  end

  assign register_o = '0;
  assign chip_o     = '0;

  logic unused_inputs;
  assign unused_inputs = ^{register_i, counter_clear_i, check_i, max_packet_flits_i, entry_used_i,
                           entry_queue_i, entry_quantum_i, age_field_i, age_in_epoch_i, chip_i};

endmodule
