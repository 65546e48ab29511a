// infiniband in a port: the lower half of the table is the high table, the upper half the low one.
//
// A queue is a VL, of which there are 15 (VL15 is not arbitrated): queues above are never served. An
// entry's quantum is its weight in units of 64 bytes; one of weight 0 is skipped, so that each table
// has as many entries as it needs. With one entry there is a high table only.
// A commit is refused by a weight above 255, and by a VL above 14 with a weight. An entry with a
// weight serves its queue. Both halves are looked at as a whole.
// Registers: VL_ARB_HIGH_CAP, VL_ARB_LOW_CAP, VL_HIGH_LIMIT, VL_LOW_TURN, FLIT_BYTES; for its state
// VL_LOW_CURRENT, VL_LOW_REMAINING, VL_HIGH_BYTES.
// State words: CURRENT is the entry of the high table, REMAINING its weight left; own words 0 and 1:
// the same of the low table; 2: the bytes of the high table; 3: 1 within a low turn.

module qosarb_infiniband_slot #(
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

  localparam int unsigned Queues      = Build.queues;
  localparam int unsigned Entries     = Build.entries;
  localparam int unsigned QueueWidth  = qosarb_pkg::index_width(Queues);
  localparam int unsigned LowEntries  = Entries / 2;
  localparam int unsigned HighEntries = (LowEntries != 0) ? LowEntries : 1;
  localparam int unsigned MostVls     = 15;
  localparam int unsigned Vls         = (Queues < MostVls) ? Queues : MostVls;
  localparam int unsigned VlWidth     = qosarb_pkg::index_width(Vls);
  localparam int unsigned Own         = qosarb_pkg::state_own(Entries);

  // The registers, and what is in force of them.
  typedef struct packed {
    logic [7:0] high_limit;
    logic       low_turn_packet;
    logic [2:0] flit_bytes_log2;
  } config_t;

  localparam config_t FirstConfig = '{high_limit: '0, low_turn_packet: 1'b0, flit_bytes_log2: 3'd6};

  // What is read of a port's state.
  typedef struct packed {
    logic        in_low_turn;
    logic [7:0]  low_current;
    logic [7:0]  low_remaining;
    logic [19:0] high_bytes;
  } low_state_t;

  config_t                shadow_q, in_force_q;
  low_state_t [Ports-1:0] low;
  low_state_t             low_read;

  assign low_read = low[slot_i.window];

  always_comb begin
    slot_o.access           = '0;
    slot_o.access.read_good = 1'b1;
    unique case (slot_i.access.addr)
      VlArbHighCapOffset:   slot_o.access.value = HighEntries;
      VlArbLowCapOffset:    slot_o.access.value = LowEntries;
      VlLowCurrentOffset:   slot_o.access.value = {23'd0, low_read.in_low_turn, low_read.low_current};
      VlLowRemainingOffset: slot_o.access.value = 32'(low_read.low_remaining);
      VlHighBytesOffset:    slot_o.access.value = 32'(low_read.high_bytes);
      VlHighLimitOffset: begin
        slot_o.access.value      = 32'(shadow_q.high_limit);
        slot_o.access.write_good = slot_i.access.wdata[31:8] == '0;
      end
      VlLowTurnOffset: begin
        slot_o.access.value      = 32'(shadow_q.low_turn_packet);
        slot_o.access.write_good = slot_i.access.wdata[31:1] == '0;
      end
      FlitBytesOffset: begin
        slot_o.access.value      = 32'(shadow_q.flit_bytes_log2);
        slot_o.access.write_good = slot_i.access.wdata[31:3] == '0;
      end
      default: slot_o.access.read_good = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shadow_q   <= FirstConfig;
      in_force_q <= FirstConfig;
    end else begin
      if (slot_i.access.write) begin
        unique case (slot_i.access.addr)
          VlHighLimitOffset: shadow_q.high_limit      <= slot_i.access.wdata[7:0];
          VlLowTurnOffset:   shadow_q.low_turn_packet <= slot_i.access.wdata[0];
          FlitBytesOffset:   shadow_q.flit_bytes_log2 <= slot_i.access.wdata[2:0];
          default: ;
        endcase
      end
      if (slot_i.load) in_force_q <= shadow_q;
    end
  end

  // The check.
  logic has_weight;

  assign has_weight = slot_i.check.entry_quantum != '0;

  always_comb begin
    slot_o.verdict = '0;
    if (slot_i.check.policy == PolicyInfiniband) begin
      slot_o.verdict.needed  = 1'b1;
      slot_o.verdict.is_last = 32'(slot_i.check.index) == HighEntries + LowEntries - 1;
      slot_o.verdict.marks   = 32'(has_weight) << slot_i.check.entry_queue[4:0];
      if (slot_i.check.entry_quantum[23:8] != '0) begin
        slot_o.verdict.fault = StatusReasonLargeWeight;
      end
      if (has_weight && 32'(slot_i.check.entry_queue) >= MostVls) begin
        slot_o.verdict.fault = StatusReasonLargeVl;
      end
    end
  end

  // The engines. An entry that is not used has no weight.
  localparam int unsigned LowBuilt = HighEntries;  // an engine's tables are alike

  logic                                 asked;
  logic [HighEntries-1:0][VlWidth-1:0]  high_vl;
  logic [HighEntries-1:0][7:0]          high_weight;
  logic [LowBuilt-1:0][VlWidth-1:0]     low_vl;
  logic [LowBuilt-1:0][7:0]             low_weight;

  assign asked = slot_i.policy == PolicyInfiniband;

  for (genvar e = 0; e < HighEntries; e++) begin : g_high
    assign high_vl[e]     = slot_i.entry_queue[e][VlWidth-1:0];
    assign high_weight[e] = 8'(slot_i.entry_quantum[e]);
  end

  for (genvar e = 0; e < LowBuilt; e++) begin : g_low
    if (e < LowEntries) begin : g_entry
      assign low_vl[e]     = slot_i.entry_queue[LowEntries+e][VlWidth-1:0];
      assign low_weight[e] = 8'(slot_i.entry_quantum[LowEntries+e]);
    end else begin : g_none
      assign low_vl[e]     = '0;
      assign low_weight[e] = '0;
    end
  end

  for (genvar p = 0; p < Ports; p++) begin : g_port
    logic [Vls-1:0]     grant;
    logic [VlWidth-1:0] grant_vl;
    logic [7:0]         high_current, high_remaining;

    qosarb_infiniband #(
      .Queues        (Vls),
      .Entries       (HighEntries),
      .MaxPacketFlits(Build.max_packet_flits),
      .IdleAfterLoad (Build.latency != '0)
    ) u_infiniband (
      .clk_i,
      .rst_ni           (port_rst_ni[p]),
      .load_i           (ports_i[p].restart),
      .high_used_i      ('1),
      .high_vl_i        (high_vl),
      .high_weight_i    (high_weight),
      .low_used_i       ('1),
      .low_vl_i         (low_vl),
      .low_weight_i     (low_weight),
      .limit_i          (in_force_q.high_limit),
      .low_turn_packet_i(in_force_q.low_turn_packet),
      .flit_bytes_log2_i(in_force_q.flit_bytes_log2),
      .valid_i          (ports_i[p].valid[Vls-1:0]),
      .stopped_i        (ports_i[p].stopped[Vls-1:0]),
      .flits_i          (ports_i[p].flits[Vls-1:0]),
      .request_i        (ports_i[p].request & asked),
      .grant_valid_o    (ports_o[p].grant_valid),
      .grant_o          (grant),
      .grant_queue_o    (grant_vl),
      .current_o        (high_current),
      .remaining_o      (high_remaining),
      .low_current_o    (low[p].low_current),
      .low_remaining_o  (low[p].low_remaining),
      .high_bytes_o     (low[p].high_bytes),
      .in_low_turn_o    (low[p].in_low_turn)
    );

    assign ports_o[p].grant       = Queues'(grant);
    assign ports_o[p].grant_queue = QueueWidth'(grant_vl) & {QueueWidth{asked}};

    always_comb begin
      ports_o[p].state = '0;
      if (asked) begin
        ports_o[p].state[qosarb_port_pkg::StateCurrent]   = 32'(high_current);
        ports_o[p].state[qosarb_port_pkg::StateRemaining] = 32'(high_remaining);
        ports_o[p].state[Own]                             = 32'(low[p].low_current);
        ports_o[p].state[Own+1]                           = 32'(low[p].low_remaining);
        ports_o[p].state[Own+2]                           = 32'(low[p].high_bytes);
        ports_o[p].state[Own+3]                           = 32'(low[p].in_low_turn);
      end
    end

    assign ports_o[p].longest     = '0;
    assign ports_o[p].busy        =  // a turn may end
        (ports_i[p].request | ports_i[p].shown.request) & asked & low[p].in_low_turn;
    assign ports_o[p].events      = '0;
    assign ports_o[p].late_events = '0;
  end

  assign slot_o.chip = '0;

  logic unused_inputs;  // each slot sees all of them
  assign unused_inputs = ^{slot_i, ports_i};

endmodule
