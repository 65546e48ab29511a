// dtable in a port: an entry of the table is an SL with a weight in flits.
//
// A commit is refused by a weight that is shorter than its SL's MTU. An entry serves the queues of
// its SL.
// Registers: SL_MTU[s], against which a commit checks.
// State words: CURRENT is the entry that was selected last, REMAINING the accumulated weight of the
// selected SL, DEFICIT[s] that of SL s; own word 0: 1 + the selected SL, 0 when none is; own word 1:
// the queues that come behind the one that their SL served last.

module qosarb_dtable_slot #(
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

  // The registers.
  logic                              here;
  logic [QueueWidth-1:0]             sl;
  logic [Queues-1:0][FlitsWidth-1:0] shadow_sl_mtu_q, sl_mtu_q, queue_mtu;

  assign sl   = register_i.addr[2 +: QueueWidth];
  assign here = (32'(register_i.addr[6:2]) < Queues) &
                (register_i.addr[11:7] == SlMtuOffset[11:7]);

  always_comb begin
    register_o = '0;
    if (here) begin
      register_o = '{write_good: (register_i.wdata != '0) && (register_i.wdata <= MaxPacketFlits),
                     read_good: 1'b1, value: 32'(shadow_sl_mtu_q[sl])};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shadow_sl_mtu_q <= {Queues{FlitsWidth'(MaxPacketFlits)}};
    end else if (register_i.write && here) begin
      shadow_sl_mtu_q[sl] <= register_i.wdata[FlitsWidth-1:0];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)     sl_mtu_q <= {Queues{FlitsWidth'(MaxPacketFlits)}};
    else if (load_i) sl_mtu_q <= shadow_sl_mtu_q;
  end

  for (genvar q = 0; q < Queues; q++) begin : g_mtu
    assign queue_mtu[q] = sl_mtu_q[queue_sl_i[q]];
  end

  // The check.
  logic [FlitsWidth-1:0] check_mtu;
  logic                  is_short;

  assign check_mtu = shadow_sl_mtu_q[check_i.entry_queue[QueueWidth-1:0]];
  assign is_short  = check_i.entry_quantum < 24'(check_mtu);

  always_comb begin
    verdict_o = '0;
    if (check_i.policy == PolicyDtable) begin
      verdict_o.needed  = 1'b1;
      verdict_o.is_last = check_i.is_last_entry;
      verdict_o.fault   = is_short ? StatusReasonShortQuantum : StatusReasonNone;
      verdict_o.marks   = 32'd1 << check_i.entry_queue[4:0];
      verdict_o.of_sls  = 1'b1;
    end
  end

  // The engine.
  logic                                asked, selected;
  logic [QueueWidth-1:0]               grant_queue, selected_sl;
  logic [7:0]                          current;
  logic [RemainingWidth-1:0]           remaining;
  logic [Queues-1:0][DeficitWidth-1:0] deficit;
  logic [Queues-1:0]                   behind;

  assign asked = policy_i == PolicyDtable;

  qosarb_dtable #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_dtable (
    .clk_i,
    .rst_ni,
    .load_i,
    .entry_used_i,
    .entry_sl_i    (entry_queue_i),
    .entry_weight_i(entry_quantum_i),
    .queue_sl_i,
    .queue_mtu_i   (queue_mtu),
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i     (request_i & asked),
    .grant_valid_o,
    .grant_o,
    .grant_queue_o (grant_queue),
    .current_o     (current),
    .selected_o    (selected),
    .selected_sl_o (selected_sl),
    .remaining_o   (remaining),
    .deficit_o     (deficit),
    .behind_o      (behind)
  );

  assign grant_queue_o = grant_queue & {QueueWidth{asked}};

  always_comb begin
    state_o = '0;
    if (asked) begin
      state_o[qosarb_port_pkg::StateCurrent]   = 32'(current);
      state_o[qosarb_port_pkg::StateRemaining] = 32'(remaining);
      for (int unsigned s = 0; s < Queues; s++) begin
        state_o[qosarb_port_pkg::StateEntry+s] = 32'(deficit[s]);
      end
      state_o[Own]   = selected ? 32'(selected_sl) + 32'd1 : '0;
      state_o[Own+1] = 32'(behind);
    end
  end

  assign chip_o = '0;

  logic unused_inputs;
  assign unused_inputs = ^{register_i, counter_clear_i, check_i, max_packet_flits_i, age_field_i,
                           age_in_epoch_i, chip_i};

endmodule
