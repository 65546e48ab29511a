// dtable in a port: an entry of the table is an SL with a weight in flits.
//
// With Latency 1 the engine is one that looks ahead and keeps its candidates itself.
// A commit is refused by an entry whose SL has an MTU above the longest packet, or one that its weight
// does not hold. An entry serves the queues of its SL.
// Registers: SL_MTU[s], against which a commit checks.
// State words: CURRENT is the entry that was selected last, REMAINING the accumulated weight of the
// selected SL, DEFICIT[s] that of SL s; own word 0: 1 + the selected SL, 0 when none is; own word 1:
// the queues that come behind the one that their SL served last.

module qosarb_dtable_slot #(
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
  localparam int unsigned FlitsWidth     = $clog2(Build.max_packet_flits + 1);
  localparam int unsigned MaxPacketFlits = Build.max_packet_flits;
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1);
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits);
  localparam int unsigned Own            = qosarb_pkg::state_own(Entries);

  // The registers.
  logic                              here;
  logic [QueueWidth-1:0]             sl;
  logic [Queues-1:0][FlitsWidth-1:0] shadow_sl_mtu_q, sl_mtu_q, queue_mtu;

  assign sl   = slot_i.access.addr[2 +: QueueWidth];
  assign here = (32'(slot_i.access.addr[6:2]) < Queues) &
                (slot_i.access.addr[OffsetWidth-1:7] == SlMtuOffset[OffsetWidth-1:7]);

  always_comb begin
    slot_o.access = '0;
    if (here) begin
      slot_o.access.write_good = (slot_i.access.wdata != '0) &&
                                 (slot_i.access.wdata <= MaxPacketFlits);
      slot_o.access.read_good  = 1'b1;
      slot_o.access.value      = 32'(shadow_sl_mtu_q[sl]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shadow_sl_mtu_q <= {Queues{FlitsWidth'(MaxPacketFlits)}};
    end else if (slot_i.access.write && here) begin
      shadow_sl_mtu_q[sl] <= slot_i.access.wdata[FlitsWidth-1:0];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)          sl_mtu_q <= {Queues{FlitsWidth'(MaxPacketFlits)}};
    else if (slot_i.load) sl_mtu_q <= shadow_sl_mtu_q;
  end

  for (genvar q = 0; q < Queues; q++) begin : g_mtu
    assign queue_mtu[q] = sl_mtu_q[slot_i.queue_sl[q]];
  end

  // The check.
  logic [FlitsWidth-1:0] check_mtu;
  logic                  is_short, is_long;

  assign check_mtu = shadow_sl_mtu_q[slot_i.check.entry_queue[QueueWidth-1:0]];
  assign is_short  = slot_i.check.entry_quantum < 24'(check_mtu);
  assign is_long   = 24'(check_mtu) > slot_i.check.max_packet_flits;

  always_comb begin
    slot_o.verdict = '0;
    if (slot_i.check.policy == PolicyDtable) begin
      slot_o.verdict.needed  = 1'b1;
      slot_o.verdict.is_last = slot_i.check.is_last_entry;
      if (is_short) slot_o.verdict.fault = StatusReasonShortQuantum;
      if (is_long)  slot_o.verdict.fault = StatusReasonLongMtu;
      slot_o.verdict.marks   = 32'd1 << slot_i.check.entry_queue[4:0];
      slot_o.verdict.of_sls  = 1'b1;
    end
  end

  // The engines.
  logic asked;

  assign asked = slot_i.policy == PolicyDtable;

  for (genvar p = 0; p < Ports; p++) begin : g_port
    logic                                selected;
    logic [QueueWidth-1:0]               grant_queue, selected_sl;
    logic [7:0]                          current;
    logic [RemainingWidth-1:0]           remaining;
    logic [Queues-1:0][DeficitWidth-1:0] deficit;
    logic [Queues-1:0]                   behind;

    if (Build.latency == '0) begin : g_at_once
      qosarb_dtable #(
        .Queues        (Queues),
        .Entries       (Entries),
        .QuantumWidth  (QuantumWidth),
        .MaxPacketFlits(MaxPacketFlits)
      ) u_dtable (
        .clk_i,
        .rst_ni        (port_rst_ni[p]),
        .load_i        (ports_i[p].restart),
        .entry_used_i  (slot_i.entry_used),
        .entry_sl_i    (slot_i.entry_queue),
        .entry_weight_i(slot_i.entry_quantum),
        .queue_sl_i    (slot_i.queue_sl),
        .queue_mtu_i   (queue_mtu),
        .valid_i       (ports_i[p].valid),
        .stopped_i     (ports_i[p].stopped),
        .flits_i       (ports_i[p].flits),
        .request_i     (ports_i[p].request & asked),
        .grant_valid_o (ports_o[p].grant_valid),
        .grant_o       (ports_o[p].grant),
        .grant_queue_o (grant_queue),
        .current_o     (current),
        .selected_o    (selected),
        .selected_sl_o (selected_sl),
        .remaining_o   (remaining),
        .deficit_o     (deficit),
        .behind_o      (behind)
      );
    end else begin : g_next_cycle
      qosarb_dtable_lookahead #(
        .Queues        (Queues),
        .Entries       (Entries),
        .QuantumWidth  (QuantumWidth),
        .MaxPacketFlits(MaxPacketFlits)
      ) u_dtable (
        .clk_i,
        .rst_ni        (port_rst_ni[p]),
        .load_i        (ports_i[p].restart),
        .entry_used_i  (slot_i.entry_used),
        .entry_sl_i    (slot_i.entry_queue),
        .entry_weight_i(slot_i.entry_quantum),
        .queue_sl_i    (slot_i.queue_sl),
        .queue_mtu_i   (queue_mtu),
        .valid_i       (ports_i[p].shown.valid),
        .stopped_i     (ports_i[p].shown.stopped),
        .flits_i       (ports_i[p].shown.flits),
        .next_valid_i  (ports_i[p].shown.next_valid),
        .next_flits_i  (ports_i[p].shown.next_flits),
        .request_i     (ports_i[p].shown.request & asked),
        .grant_valid_o (ports_o[p].grant_valid),
        .grant_o       (ports_o[p].grant),
        .grant_queue_o (grant_queue),
        .current_o     (current),
        .selected_o    (selected),
        .selected_sl_o (selected_sl),
        .remaining_o   (remaining),
        .deficit_o     (deficit),
        .behind_o      (behind)
      );
    end

    assign ports_o[p].grant_queue = grant_queue & {QueueWidth{asked}};
    assign ports_o[p].longest     = queue_mtu & {(Queues * FlitsWidth){asked}};
    assign ports_o[p].busy        =  // a turn may end
        (ports_i[p].request | ports_i[p].shown.request) & asked & selected;
    assign ports_o[p].events      = '0;
    assign ports_o[p].late_events = '0;

    always_comb begin
      ports_o[p].state = '0;
      if (asked) begin
        ports_o[p].state[qosarb_port_pkg::StateCurrent]   = 32'(current);
        ports_o[p].state[qosarb_port_pkg::StateRemaining] = 32'(remaining);
        for (int unsigned s = 0; s < Queues; s++) begin
          ports_o[p].state[qosarb_port_pkg::StateEntry+s] = 32'(deficit[s]);
        end
        ports_o[p].state[Own]   = selected ? 32'(selected_sl) + 32'd1 : '0;
        ports_o[p].state[Own+1] = 32'(behind);
      end
    end
  end

  assign slot_o.chip = '0;

  logic unused_inputs;  // each slot sees all of them
  assign unused_inputs = ^{slot_i, ports_i};

endmodule
