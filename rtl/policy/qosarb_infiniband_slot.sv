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

  config_t     shadow_q, in_force_q;
  logic [7:0]  low_current, low_remaining;
  logic        in_low_turn;
  logic [19:0] high_bytes;

  always_comb begin
    register_o           = '0;
    register_o.read_good = 1'b1;
    unique case (register_i.addr)
      VlArbHighCapOffset:   register_o.value = HighEntries;
      VlArbLowCapOffset:    register_o.value = LowEntries;
      VlLowCurrentOffset:   register_o.value = {23'd0, in_low_turn, low_current};
      VlLowRemainingOffset: register_o.value = 32'(low_remaining);
      VlHighBytesOffset:    register_o.value = 32'(high_bytes);
      VlHighLimitOffset: begin
        register_o.value      = 32'(shadow_q.high_limit);
        register_o.write_good = register_i.wdata[31:8] == '0;
      end
      VlLowTurnOffset: begin
        register_o.value      = 32'(shadow_q.low_turn_packet);
        register_o.write_good = register_i.wdata[31:1] == '0;
      end
      FlitBytesOffset: begin
        register_o.value      = 32'(shadow_q.flit_bytes_log2);
        register_o.write_good = register_i.wdata[31:3] == '0;
      end
      default: register_o.read_good = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shadow_q   <= FirstConfig;
      in_force_q <= FirstConfig;
    end else begin
      if (register_i.write) begin
        unique case (register_i.addr)
          VlHighLimitOffset: shadow_q.high_limit      <= register_i.wdata[7:0];
          VlLowTurnOffset:   shadow_q.low_turn_packet <= register_i.wdata[0];
          FlitBytesOffset:   shadow_q.flit_bytes_log2 <= register_i.wdata[2:0];
          default: ;
        endcase
      end
      if (load_i) in_force_q <= shadow_q;
    end
  end

  // The check.
  logic has_weight;

  assign has_weight = check_i.entry_quantum != '0;

  always_comb begin
    verdict_o = '0;
    if (check_i.policy == PolicyInfiniband) begin
      verdict_o.needed  = 1'b1;
      verdict_o.is_last = 32'(check_i.index) == HighEntries + LowEntries - 1;
      verdict_o.marks   = 32'(has_weight) << check_i.entry_queue[4:0];
      if (check_i.entry_quantum[23:8] != '0)                  verdict_o.fault = StatusReasonLargeWeight;
      if (has_weight && 32'(check_i.entry_queue) >= MostVls)  verdict_o.fault = StatusReasonLargeVl;
    end
  end

  // The engine. An entry that is not used has no weight.
  localparam int unsigned LowBuilt = HighEntries;  // the engine's tables are alike

  logic                                 asked;
  logic [HighEntries-1:0][VlWidth-1:0]  high_vl;
  logic [HighEntries-1:0][7:0]          high_weight;
  logic [LowBuilt-1:0][VlWidth-1:0]     low_vl;
  logic [LowBuilt-1:0][7:0]             low_weight;
  logic [Vls-1:0]                       grant;
  logic [VlWidth-1:0]                   grant_vl;
  logic [7:0]                           high_current, high_remaining;

  assign asked = policy_i == PolicyInfiniband;

  for (genvar e = 0; e < HighEntries; e++) begin : g_high
    assign high_vl[e]     = entry_queue_i[e][VlWidth-1:0];
    assign high_weight[e] = 8'(entry_quantum_i[e]);
  end

  for (genvar e = 0; e < LowBuilt; e++) begin : g_low
    if (e < LowEntries) begin : g_entry
      assign low_vl[e]     = entry_queue_i[LowEntries+e][VlWidth-1:0];
      assign low_weight[e] = 8'(entry_quantum_i[LowEntries+e]);
    end else begin : g_none
      assign low_vl[e]     = '0;
      assign low_weight[e] = '0;
    end
  end

  qosarb_infiniband #(
    .Queues        (Vls),
    .Entries       (HighEntries),
    .MaxPacketFlits(Build.max_packet_flits)
  ) u_infiniband (
    .clk_i,
    .rst_ni,
    .load_i,
    .high_used_i      ('1),
    .high_vl_i        (high_vl),
    .high_weight_i    (high_weight),
    .low_used_i       ('1),
    .low_vl_i         (low_vl),
    .low_weight_i     (low_weight),
    .limit_i          (in_force_q.high_limit),
    .low_turn_packet_i(in_force_q.low_turn_packet),
    .flit_bytes_log2_i(in_force_q.flit_bytes_log2),
    .valid_i          (valid_i[Vls-1:0]),
    .stopped_i        (stopped_i[Vls-1:0]),
    .flits_i          (flits_i[Vls-1:0]),
    .request_i        (request_i & asked),
    .grant_valid_o,
    .grant_o          (grant),
    .grant_queue_o    (grant_vl),
    .current_o        (high_current),
    .remaining_o      (high_remaining),
    .low_current_o    (low_current),
    .low_remaining_o  (low_remaining),
    .high_bytes_o     (high_bytes),
    .in_low_turn_o    (in_low_turn)
  );

  assign grant_o       = Queues'(grant);
  assign grant_queue_o = QueueWidth'(grant_vl) & {QueueWidth{asked}};

  always_comb begin
    state_o = '0;
    if (asked) begin
      state_o[qosarb_port_pkg::StateCurrent]   = 32'(high_current);
      state_o[qosarb_port_pkg::StateRemaining] = 32'(high_remaining);
      state_o[Own]                             = 32'(low_current);
      state_o[Own+1]                           = 32'(low_remaining);
      state_o[Own+2]                           = 32'(high_bytes);
      state_o[Own+3]                           = 32'(in_low_turn);
    end
  end

  assign chip_o = '0;

  logic unused_inputs;
  assign unused_inputs = ^{counter_clear_i, check_i, max_packet_flits_i, entry_used_i, entry_queue_i,
                           entry_quantum_i, queue_sl_i, valid_i, stopped_i, flits_i, age_field_i,
                           age_in_epoch_i, chip_i};

endmodule
