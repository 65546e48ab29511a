// seastar-age in a port: a queue is the staging buffer of input port q / Vcs and virtual channel
// q mod Vcs. The last input port may have fewer channels than the others. Any configuration is good.
//
// Registers: AGE_RR_SELECT; AGE_CLOCK_PERIOD and AGE_BIAS[i], which are outputs of the port; for its
// state AGE_STATE; counters VC_BLOCKED, VC_PACKETS, VC_FLITS, AGE_GROUP, AGE_STALLED. The period in
// force is 0 until the first commit: the age clock stands.
// State words: CURRENT is the queue that won last by round robin; own word 0: the queue that won
// last by age; own word 1: the grants, modulo 64.

module qosarb_seastar_age_slot #(
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

  localparam int unsigned Vcs          = Build.vcs;
  localparam int unsigned CounterWidth = Build.counter_width;
  localparam int unsigned Inputs       = qosarb_pkg::inputs(Queues, Vcs);
  localparam int unsigned Buffers      = Inputs * Vcs;  // of the queues and of channels not there
  localparam int unsigned InputWidth   = qosarb_pkg::index_width(Inputs);
  localparam int unsigned VcWidth      = qosarb_pkg::index_width(Vcs);
  localparam int unsigned Own          = qosarb_pkg::state_own(Entries);

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

  config_t                          shadow_q, in_force_q;
  logic                             in_select, in_bias, in_blocked, in_packets, in_flits, in_group;
  logic                             input_exists, vc_exists;
  logic [InputWidth-1:0]            input_port;
  logic [VcWidth-1:0]               vc;
  age_bias_reg_t                    bias_value;
  logic [Vcs-1:0][CounterWidth-1:0] vc_blocked, vc_packets, vc_flits;
  logic [3:0][CounterWidth-1:0]     age_group;
  logic [CounterWidth-1:0]          stalled;
  logic [QueueWidth-1:0]            last_rr, last_age;
  logic [5:0]                       grants;

  assign input_exists = 32'(register_i.addr[6:2]) < Inputs;
  assign vc_exists    = 32'(register_i.addr[5:2]) < Vcs;
  assign input_port   = register_i.addr[2 +: InputWidth];
  assign vc           = register_i.addr[2 +: VcWidth];
  assign bias_value   = register_i.wdata;
  assign in_select    = (register_i.addr == AgeRrSelectOffset) |
                        (register_i.addr == AgeRrSelectOffset + 12'd4);
  assign in_bias      = input_exists & (register_i.addr[11:7] == AgeBiasOffset[11:7]);
  assign in_blocked   = vc_exists & (register_i.addr[11:6] == VcBlockedOffset[11:6]);
  assign in_packets   = vc_exists & (register_i.addr[11:6] == VcPacketsOffset[11:6]);
  assign in_flits     = vc_exists & (register_i.addr[11:6] == VcFlitsOffset[11:6]);
  assign in_group     = register_i.addr[11:4] == AgeGroupOffset[11:4];

  always_comb begin
    register_o           = '0;
    register_o.read_good = 1'b1;
    if (in_select) begin  // the lower word stands at the odd one of the two addresses
      register_o.value      = register_i.addr[2] ? shadow_q.rr_select[31:0]
                                                 : shadow_q.rr_select[63:32];
      register_o.write_good = 1'b1;
    end else if (in_bias) begin
      register_o.value      = {25'd0, shadow_q.bias[input_port][5:3], 1'b0,
                               shadow_q.bias[input_port][2:0]};
      register_o.write_good = (bias_value.reserved_31_7 == '0) && (bias_value.reserved_3_3 == '0);
    end else if (in_blocked) begin
      register_o.value = 32'(vc_blocked[vc]);
    end else if (in_packets) begin
      register_o.value = 32'(vc_packets[vc]);
    end else if (in_flits) begin
      register_o.value = 32'(vc_flits[vc]);
    end else if (in_group) begin
      register_o.value = 32'(age_group[register_i.addr[3:2]]);
    end else begin
      unique case (register_i.addr)
        AgeClockPeriodOffset: begin
          register_o.value      = shadow_q.clock_period;
          register_o.write_good = register_i.wdata != '0;
        end
        AgeStateOffset:   register_o.value = {18'd0, grants, 8'(last_age)};
        AgeStalledOffset: register_o.value = 32'(stalled);
        default:          register_o.read_good = 1'b0;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shadow_q   <= '{rr_select: '1, clock_period: 32'd1, bias: '0};
      in_force_q <= '{rr_select: '1, clock_period: '0, bias: '0};
    end else begin
      if (register_i.write) begin
        if (in_select && register_i.addr[2])         shadow_q.rr_select[31:0]  <= register_i.wdata;
        if (in_select && !register_i.addr[2])        shadow_q.rr_select[63:32] <= register_i.wdata;
        if (register_i.addr == AgeClockPeriodOffset) shadow_q.clock_period     <= register_i.wdata;
        if (in_bias) shadow_q.bias[input_port] <= {bias_value.response, bias_value.request};
      end
      if (load_i) in_force_q <= shadow_q;
    end
  end

  assign verdict_o = '0;

  // The engine.
  logic                  asked, left, left_epoch;
  logic [QueueWidth-1:0] grant_queue;
  logic [7:0]            left_age;

  assign asked = policy_i == PolicySeastarAge;

  qosarb_seastar_age #(
    .Queues   (Queues),
    .GroupSize((Queues > PairsUpTo) ? Grouped : Queues)
  ) u_age (
    .clk_i,
    .rst_ni,
    .load_i,
    .age_rr_select_i(in_force_q.rr_select),
    .timestamp_i    (chip_i.timestamp),
    .epoch_i        (chip_i.epoch),
    .inhibit_i      (chip_i.inhibit),
    .valid_i,
    .stopped_i,
    .field_i        (age_field_i),
    .in_epoch_i     (age_in_epoch_i),
    .request_i      (request_i & asked),
    .grant_valid_o,
    .grant_o,
    .grant_queue_o  (grant_queue),
    .left_o         (left),
    .left_epoch_o   (left_epoch),
    .left_age_o     (left_age),
    .last_rr_o      (last_rr),
    .last_age_o     (last_age),
    .grants_o       (grants)
  );

  assign grant_queue_o = grant_queue & {QueueWidth{asked}};

  always_comb begin
    chip_o = '{left: left, left_epoch: left_epoch, left_age: left_age,
               age_clock_period: in_force_q.clock_period, age_bias: '0};
    chip_o.age_bias[Inputs-1:0] = in_force_q.bias;
  end

  qosarb_age_counters #(
    .Inputs        (Inputs),
    .Vcs           (Vcs),
    .MaxPacketFlits(Build.max_packet_flits),
    .CounterWidth  (CounterWidth)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .clear_i         (counter_clear_i),
    .enable_i        (asked),
    .valid_i         (Buffers'(valid_i)),
    .stopped_i       (Buffers'(stopped_i)),
    .flits_i         ((Buffers * FlitsWidth)'(flits_i)),
    .grant_i         (Buffers'(grant_o)),
    .left_age_group_i(left_age[7:6]),
    .blocked_o       (vc_blocked),
    .stalled_o       (stalled),
    .packets_o       (vc_packets),
    .flits_o         (vc_flits),
    .age_group_o     (age_group)
  );

  always_comb begin
    state_o = '0;
    if (asked) begin
      state_o[qosarb_port_pkg::StateCurrent] = 32'(last_rr);
      state_o[Own]                           = 32'(last_age);
      state_o[Own+1]                         = 32'(grants);
    end
  end

  logic unused_inputs;
  assign unused_inputs = ^{check_i, max_packet_flits_i, entry_used_i, entry_queue_i,
                           entry_quantum_i, queue_sl_i};

endmodule
