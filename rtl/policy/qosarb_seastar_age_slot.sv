// seastar-age in a port: a queue is the staging buffer of input port q / Vcs and virtual channel
// q mod Vcs. The last input port may have fewer channels than the others. Any configuration is good.
//
// Registers: AGE_RR_SELECT; AGE_CLOCK_PERIOD and AGE_BIAS[i], which are outputs of the port; for its
// state AGE_STATE; counters VC_BLOCKED, VC_PACKETS, VC_FLITS, AGE_GROUP, AGE_STALLED. The period in
// force is 0 until the first commit: the age clock stands. Copies that tell the chip something different are found to
// differ under every policy, so that what is told goes back to that of a reset, too, when the configuration does.
// State words: CURRENT is the queue that won last by round robin; own word 0: the queue that won
// last by age; own word 1: the grants, modulo 64.

module qosarb_seastar_age_slot #(
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
  localparam int unsigned QueueWidth   = qosarb_pkg::index_width(Queues);
  localparam int unsigned Vcs          = Build.vcs;
  localparam int unsigned Inputs       = qosarb_pkg::inputs(Queues, Vcs);
  localparam int unsigned Buffers      = Inputs * Vcs;  // of the queues and of channels not there
  localparam int unsigned InputWidth   = qosarb_pkg::index_width(Inputs);
  localparam int unsigned VcWidth      = qosarb_pkg::index_width(Vcs);
  localparam int unsigned Own          = qosarb_pkg::state_own(Entries);
  localparam int unsigned FirstCounter =
      qosarb_pkg::counter_vcs(qosarb_port_pkg::CounterStalls, Build.policies[5'(PolicyTrtcm)], Queues);

  // Up to this many candidates are compared pair by pair; more are compared in groups.
  localparam int unsigned PairsUpTo = 8;
  localparam int unsigned Grouped   = (Queues > Vcs) ? Vcs : Queues;

  if (Vcs < 2 || Vcs % 2 != 0) begin : g_check_vcs
    $error("qosarb_seastar_age_slot: Vcs must be even");
  end

  // The registers, and what is in force of them.
  typedef struct packed {
    logic [63:0]            rr_select;
    logic [31:0]            clock_period;
    logic [Inputs-1:0][5:0] bias;
  } config_t;

  localparam config_t FirstInForce = '{rr_select: '1, clock_period: '0, bias: '0};

  config_t                          shadow_q, in_force_q;
  logic                             in_select, in_bias, in_blocked, in_packets, in_flits, in_group;
  logic                             input_exists, vc_exists;
  logic [InputWidth-1:0]            input_port;
  logic [VcWidth-1:0]               vc;
  age_bias_reg_t                    bias_value;
  logic [Ports-1:0][QueueWidth-1:0] last_age;
  logic [Ports-1:0][5:0]            grants;

  assign input_exists = 32'(slot_i.access.addr[6:2]) < Inputs;
  assign vc_exists    = 32'(slot_i.access.addr[5:2]) < Vcs;
  assign input_port   = slot_i.access.addr[2 +: InputWidth];
  assign vc           = slot_i.access.addr[2 +: VcWidth];
  assign bias_value   = slot_i.access.wdata;
  assign in_select    = (slot_i.access.addr == AgeRrSelectOffset) |
                        (slot_i.access.addr == AgeRrSelectOffset + OffsetWidth'(4));
  assign in_bias      = input_exists & (slot_i.access.addr[OffsetWidth-1:7] == AgeBiasOffset[OffsetWidth-1:7]);
  assign in_blocked   = vc_exists & (slot_i.access.addr[OffsetWidth-1:6] == VcBlockedOffset[OffsetWidth-1:6]);
  assign in_packets   = vc_exists & (slot_i.access.addr[OffsetWidth-1:6] == VcPacketsOffset[OffsetWidth-1:6]);
  assign in_flits     = vc_exists & (slot_i.access.addr[OffsetWidth-1:6] == VcFlitsOffset[OffsetWidth-1:6]);
  assign in_group     = slot_i.access.addr[OffsetWidth-1:4] == AgeGroupOffset[OffsetWidth-1:4];

  always_comb begin
    slot_o.access           = '0;
    slot_o.access.read_good = 1'b1;
    if (in_select) begin  // the lower word stands at the odd one of the two addresses
      slot_o.access.value      = slot_i.access.addr[2] ? shadow_q.rr_select[31:0]
                                                       : shadow_q.rr_select[63:32];
      slot_o.access.write_good = 1'b1;
    end else if (in_bias) begin
      slot_o.access.value      = {25'd0, shadow_q.bias[input_port][5:3], 1'b0,
                                  shadow_q.bias[input_port][2:0]};
      slot_o.access.write_good = (bias_value.reserved_31_7 == '0) &
                                 (bias_value.reserved_3_3 == '0);
    end else if (in_blocked || in_packets || in_flits) begin
      slot_o.access.counted = 1'b1;
      slot_o.access.counter = 8'(FirstCounter) + 8'(vc);
      if (in_packets) slot_o.access.counter = 8'(FirstCounter + Vcs) + 8'(vc);
      if (in_flits)   slot_o.access.counter = 8'(FirstCounter + 2 * Vcs) + 8'(vc);
    end else if (in_group) begin
      slot_o.access.counted = 1'b1;
      slot_o.access.counter = 8'(FirstCounter + 3 * Vcs) + 8'(slot_i.access.addr[3:2]);
    end else begin
      unique case (slot_i.access.addr)
        AgeClockPeriodOffset: begin
          slot_o.access.value      = shadow_q.clock_period;
          slot_o.access.write_good = slot_i.access.wdata != '0;
        end
        AgeStateOffset:   slot_o.access.value = {18'd0, grants[slot_i.window], 8'(last_age[slot_i.window])};
        AgeStalledOffset: begin
          slot_o.access.counted = 1'b1;
          slot_o.access.counter = 8'(FirstCounter + 3 * Vcs + 4);
        end
        default:          slot_o.access.read_good = 1'b0;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shadow_q   <= '{rr_select: '1, clock_period: 32'd1, bias: '0};
      in_force_q <= FirstInForce;
    end else begin
      if (slot_i.access.write) begin
        if (in_select && slot_i.access.addr[2])  shadow_q.rr_select[31:0]  <= slot_i.access.wdata;
        if (in_select && !slot_i.access.addr[2]) shadow_q.rr_select[63:32] <= slot_i.access.wdata;
        if (slot_i.access.addr == AgeClockPeriodOffset) begin
          shadow_q.clock_period <= slot_i.access.wdata;
        end
        if (in_bias) shadow_q.bias[input_port] <= {bias_value.response, bias_value.request};
      end
      if (slot_i.fall_back) in_force_q <= FirstInForce;
      else if (slot_i.load) in_force_q <= shadow_q;
    end
  end

  assign slot_o.verdict = '0;

  // The engines, and what is counted.
  logic asked;

  assign asked = slot_i.policy == PolicySeastarAge;

  for (genvar p = 0; p < Ports; p++) begin : g_port
    logic [Queues-1:0]     grant;
    logic [QueueWidth-1:0] grant_queue, last_rr;

    qosarb_seastar_age #(
      .Queues   (Queues),
      .GroupSize((Queues > PairsUpTo) ? Grouped : Queues)
    ) u_age (
      .clk_i,
      .rst_ni         (port_rst_ni[p]),
      .load_i         (ports_i[p].restart),
      .age_rr_select_i(in_force_q.rr_select),
      .timestamp_i    (ports_i[p].chip.timestamp),
      .epoch_i        (ports_i[p].chip.epoch),
      .inhibit_i      (ports_i[p].chip.inhibit),
      .valid_i        (ports_i[p].valid),
      .stopped_i      (ports_i[p].stopped),
      .field_i        (ports_i[p].age_field),
      .in_epoch_i     (ports_i[p].age_in_epoch),
      .request_i      (ports_i[p].request & asked),
      .grant_valid_o  (ports_o[p].grant_valid),
      .grant_o        (grant),
      .grant_queue_o  (grant_queue),
      .last_rr_o      (last_rr),
      .last_age_o     (last_age[p]),
      .grants_o       (grants[p])
    );

    assign ports_o[p].grant       = grant;
    assign ports_o[p].grant_queue = grant_queue & {QueueWidth{asked}};

    logic [Vcs-1:0] blocked, granted;
    logic [3:0]     age_group;
    logic           stalled;

    qosarb_age_events #(
      .Inputs(Inputs),
      .Vcs   (Vcs)
    ) u_events (
      .clk_i,
      .rst_ni          (port_rst_ni[p]),
      .enable_i        (asked),
      .valid_i         (Buffers'(ports_i[p].shown.valid)),
      .stopped_i       (Buffers'(ports_i[p].shown.stopped)),
      .grant_i         (Buffers'(grant)),
      .left_age_group_i(ports_i[p].left_age[7:6]),
      .blocked_o       (blocked),
      .granted_o       (granted),
      .stalled_o       (stalled),
      .age_group_o     (age_group)
    );

    always_comb begin
      ports_o[p].events                               = '0;
      ports_o[p].events[FirstCounter +: 3*Vcs]        = {granted, granted, blocked};
      ports_o[p].events[FirstCounter+3*Vcs+4]         = stalled;
      ports_o[p].late_events                          = '0;
      ports_o[p].late_events[FirstCounter+3*Vcs +: 4] = age_group;
    end

    always_comb begin
      ports_o[p].state = '0;
      if (asked) begin
        ports_o[p].state[qosarb_port_pkg::StateCurrent] = 32'(last_rr);
        ports_o[p].state[Own]                           = 32'(last_age[p]);
        ports_o[p].state[Own+1]                         = 32'(grants[p]);
      end
    end

    assign ports_o[p].longest = '0;
    assign ports_o[p].busy    = 1'b0;
  end

  always_comb begin
    slot_o.chip                      = '0;
    slot_o.chip.age_clock_period     = in_force_q.clock_period;
    slot_o.chip.age_bias[Inputs-1:0] = in_force_q.bias;
  end

  logic unused_inputs;  // each slot sees all of them
  assign unused_inputs = ^{slot_i, ports_i};

endmodule
