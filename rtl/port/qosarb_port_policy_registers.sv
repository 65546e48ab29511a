// The registers that only some policies have: their shadow configuration, their state, their counters.
//
// A part of qosarb_port_registers, which speaks APB. The register map is qosarb_port.rdl.
// Algorithm: the address selects one register or one element of a window. In the setup phase of a
// transfer this module says whether `wdata_i` may be written there and what a read gives; a write
// that was found good comes back in the access phase as `write_i`.
// The registers of a policy that is not built in do not exist; what they would configure is constant.

module qosarb_port_policy_registers #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned CounterWidth   = 32,
  parameter  int unsigned Policies       = 32'hff,
  parameter  int unsigned Vcs            = 4,
  parameter  int unsigned BurstWidth     = 16,
  localparam int unsigned Inputs         = qosarb_pkg::inputs(Queues, Vcs),
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  input  logic [11:0]                       addr_i,   // of a word
  input  logic [31:0]                       wdata_i,
  input  logic                              write_i,  // a good write takes effect now
  output logic                              write_good_o,
  output logic                              read_good_o,
  output logic [31:0]                       read_value_o,  // zero unless the read is good

  // The shadow configuration.
  output logic [Queues-1:0][QueueWidth-1:0] queue_sl_o,
  output logic [Queues-1:0][FlitsWidth-1:0] sl_mtu_o,
  output logic [7:0]                        vl_high_limit_o,
  output logic                              vl_low_turn_packet_o,
  output logic [2:0]                        flit_bytes_log2_o,
  output logic [63:0]                       age_rr_select_o,
  output logic [31:0]                       age_clock_period_o,
  output logic [Inputs-1:0][5:0]            age_bias_o,        // {response, request}
  output logic [Queues-1:0][QueueWidth-1:0] class_priority_o,
  output logic [Queues-1:0][16:0]           assured_rate_o,
  output logic [Queues-1:0][16:0]           peak_rate_o,
  output logic [Queues-1:0][BurstWidth-1:0] assured_burst_o,
  output logic [Queues-1:0][BurstWidth-1:0] peak_burst_o,

  // State and counters.
  input  logic [7:0]                           vl_low_current_i,
  input  logic                                 vl_low_in_turn_i,
  input  logic [7:0]                           vl_low_remaining_i,
  input  logic [19:0]                          vl_high_bytes_i,
  input  logic [QueueWidth-1:0]                age_last_i,
  input  logic [5:0]                           age_grants_i,
  input  logic [Vcs-1:0][CounterWidth-1:0]     vc_blocked_i,
  input  logic [Vcs-1:0][CounterWidth-1:0]     vc_packets_i,
  input  logic [Vcs-1:0][CounterWidth-1:0]     vc_flits_i,
  input  logic [3:0][CounterWidth-1:0]         age_group_i,
  input  logic [CounterWidth-1:0]              age_stalled_i,
  input  logic [Queues-1:0][CounterWidth-1:0]  green_stalls_i,
  input  logic [Queues-1:0][CounterWidth-1:0]  yellow_stalls_i,
  input  logic [Queues-1:0][CounterWidth-1:0]  red_stalls_i,
  input  logic [Queues-1:0][BurstWidth+15:0]   assured_tokens_i,
  input  logic [Queues-1:0][BurstWidth+15:0]   peak_tokens_i
);

  import qosarb_port_reg_pkg::*;

  localparam logic [15:0] Included      = 16'(Policies);
  localparam bit          HasSl         = Included[PolicySbt] | Included[PolicyDtable];
  localparam bit          HasMtu        = Included[PolicyDtable];
  localparam bit          HasInfiniband = Included[PolicyInfiniband];
  localparam bit          HasAge        = Included[PolicySeastarAge];
  localparam bit          HasClass      = Included[PolicyTrtcm];

  localparam int unsigned InputWidth = qosarb_pkg::index_width(Inputs);
  localparam int unsigned VcWidth    = qosarb_pkg::index_width(Vcs);

  typedef logic [16:0] rate_t;
  localparam rate_t OneFlitACycle = 17'h10000;

  // Each family answers for its own registers; the others give nothing.
  typedef struct packed {
    logic        write_good;
    logic        read_good;
    logic [31:0] value;
  } answer_t;

  answer_t sl, mtu, infiniband, age, trtcm;

  assign write_good_o = sl.write_good | mtu.write_good | infiniband.write_good | age.write_good |
                        trtcm.write_good;
  assign read_good_o  = sl.read_good | mtu.read_good | infiniband.read_good | age.read_good |
                        trtcm.read_good;
  assign read_value_o = sl.value | mtu.value | infiniband.value | age.value | trtcm.value;

  logic                  queue_exists, input_exists, vc_exists;
  logic [QueueWidth-1:0] queue;
  logic [InputWidth-1:0] input_port;
  logic [VcWidth-1:0]    vc;

  assign queue_exists = 32'(addr_i[6:2]) < Queues;
  assign input_exists = 32'(addr_i[6:2]) < Inputs;
  assign vc_exists    = 32'(addr_i[5:2]) < Vcs;
  assign queue        = addr_i[2 +: QueueWidth];
  assign input_port   = addr_i[2 +: InputWidth];
  assign vc           = addr_i[2 +: VcWidth];

  // A build without these policies looks at nothing.
  logic unused_inputs;
  assign unused_inputs = ^{clk_i, rst_ni, addr_i, wdata_i, write_i, queue_exists, queue};

  // sbt, dtable: the SL of each queue.
  if (HasSl) begin : g_sl
    logic                              here;
    logic [Queues-1:0][QueueWidth-1:0] queue_sl_q;

    assign here = queue_exists & (addr_i[11:7] == QueueSlOffset[11:7]);

    always_comb begin
      sl = '0;
      if (here) sl = '{write_good: wdata_i < Queues, read_good: 1'b1,
                       value: 32'(queue_sl_q[queue])};
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        for (int unsigned q = 0; q < Queues; q++) queue_sl_q[q] <= QueueWidth'(q);
      end else if (write_i && here) begin
        queue_sl_q[queue] <= wdata_i[QueueWidth-1:0];
      end
    end

    assign queue_sl_o = queue_sl_q;
  end else begin : g_no_sl
    assign sl         = '0;
    assign queue_sl_o = '0;
  end

  // dtable: the MTU of each SL.
  if (HasMtu) begin : g_mtu
    logic                              here;
    logic [Queues-1:0][FlitsWidth-1:0] sl_mtu_q;

    assign here = queue_exists & (addr_i[11:7] == SlMtuOffset[11:7]);

    always_comb begin
      mtu = '0;
      if (here) mtu = '{write_good: (wdata_i != '0) && (wdata_i <= MaxPacketFlits),
                        read_good: 1'b1, value: 32'(sl_mtu_q[queue])};
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)              sl_mtu_q        <= {Queues{FlitsWidth'(MaxPacketFlits)}};
      else if (write_i && here) sl_mtu_q[queue] <= wdata_i[FlitsWidth-1:0];
    end

    assign sl_mtu_o = sl_mtu_q;
  end else begin : g_no_mtu
    assign mtu      = '0;
    assign sl_mtu_o = '0;
  end

  // infiniband: two tables, a limit, a rule.
  if (HasInfiniband) begin : g_infiniband
    logic [7:0] high_limit_q;
    logic       low_turn_packet_q;
    logic [2:0] flit_bytes_log2_q;

    always_comb begin
      infiniband           = '0;
      infiniband.read_good = 1'b1;
      unique case (addr_i)
        VlArbHighCapOffset:   infiniband.value = 32'(Entries / 2);
        VlArbLowCapOffset:    infiniband.value = 32'(Entries / 2);
        VlLowCurrentOffset:   infiniband.value = {23'd0, vl_low_in_turn_i, vl_low_current_i};
        VlLowRemainingOffset: infiniband.value = 32'(vl_low_remaining_i);
        VlHighBytesOffset:    infiniband.value = 32'(vl_high_bytes_i);
        VlHighLimitOffset: begin
          infiniband.value      = 32'(high_limit_q);
          infiniband.write_good = wdata_i[31:8] == '0;
        end
        VlLowTurnOffset: begin
          infiniband.value      = 32'(low_turn_packet_q);
          infiniband.write_good = wdata_i[31:1] == '0;
        end
        FlitBytesOffset: begin
          infiniband.value      = 32'(flit_bytes_log2_q);
          infiniband.write_good = wdata_i[31:3] == '0;
        end
        default: infiniband.read_good = 1'b0;
      endcase
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        high_limit_q      <= '0;
        low_turn_packet_q <= 1'b0;
        flit_bytes_log2_q <= 3'd6;
      end else if (write_i) begin
        unique case (addr_i)
          VlHighLimitOffset: high_limit_q      <= wdata_i[7:0];
          VlLowTurnOffset:   low_turn_packet_q <= wdata_i[0];
          FlitBytesOffset:   flit_bytes_log2_q <= wdata_i[2:0];
          default: ;
        endcase
      end
    end

    assign vl_high_limit_o      = high_limit_q;
    assign vl_low_turn_packet_o = low_turn_packet_q;
    assign flit_bytes_log2_o    = flit_bytes_log2_q;
  end else begin : g_no_infiniband
    logic unused_infiniband;
    assign unused_infiniband    = ^{vl_low_current_i, vl_low_in_turn_i, vl_low_remaining_i,
                                    vl_high_bytes_i};
    assign infiniband           = '0;
    assign vl_high_limit_o      = '0;
    assign vl_low_turn_packet_o = 1'b0;
    assign flit_bytes_log2_o    = '0;
  end

  // seastar-age: the selection, what goes to input sides and age clock, the counters.
  if (HasAge) begin : g_age
    logic                   in_select, in_bias, in_blocked, in_packets, in_flits, in_group;
    logic [63:0]            rr_select_q;
    logic [31:0]            clock_period_q;
    logic [Inputs-1:0][5:0] bias_q;
    age_bias_reg_t          bias_value;

    assign bias_value = wdata_i;
    assign in_select  = (addr_i == AgeRrSelectOffset) | (addr_i == AgeRrSelectOffset + 12'd4);
    assign in_bias    = input_exists & (addr_i[11:7] == AgeBiasOffset[11:7]);
    assign in_blocked = vc_exists & (addr_i[11:6] == VcBlockedOffset[11:6]);
    assign in_packets = vc_exists & (addr_i[11:6] == VcPacketsOffset[11:6]);
    assign in_flits   = vc_exists & (addr_i[11:6] == VcFlitsOffset[11:6]);
    assign in_group   = addr_i[11:4] == AgeGroupOffset[11:4];

    always_comb begin
      age           = '0;
      age.read_good = 1'b1;
      if (in_select) begin  // the lower word stands at the odd one of the two addresses
        age.value      = addr_i[2] ? rr_select_q[31:0] : rr_select_q[63:32];
        age.write_good = 1'b1;
      end else if (in_bias) begin
        age.value      = {25'd0, bias_q[input_port][5:3], 1'b0, bias_q[input_port][2:0]};
        age.write_good = (bias_value.reserved_31_7 == '0) && (bias_value.reserved_3_3 == '0);
      end else if (in_blocked) begin
        age.value = 32'(vc_blocked_i[vc]);
      end else if (in_packets) begin
        age.value = 32'(vc_packets_i[vc]);
      end else if (in_flits) begin
        age.value = 32'(vc_flits_i[vc]);
      end else if (in_group) begin
        age.value = 32'(age_group_i[addr_i[3:2]]);
      end else begin
        unique case (addr_i)
          AgeClockPeriodOffset: begin
            age.value      = clock_period_q;
            age.write_good = 1'b1;
          end
          AgeStateOffset:   age.value = {18'd0, age_grants_i, 8'(age_last_i)};
          AgeStalledOffset: age.value = 32'(age_stalled_i);
          default:          age.read_good = 1'b0;
        endcase
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        rr_select_q    <= '1;
        clock_period_q <= 32'd1;
        bias_q         <= '0;
      end else if (write_i) begin
        if (in_select && addr_i[2])         rr_select_q[31:0]  <= wdata_i;
        if (in_select && !addr_i[2])        rr_select_q[63:32] <= wdata_i;
        if (addr_i == AgeClockPeriodOffset) clock_period_q     <= wdata_i;
        if (in_bias) bias_q[input_port] <= {bias_value.response, bias_value.request};
      end
    end

    assign age_rr_select_o    = rr_select_q;
    assign age_clock_period_o = clock_period_q;
    assign age_bias_o         = bias_q;
  end else begin : g_no_age
    logic unused_age;
    assign unused_age         = ^{age_last_i, age_grants_i, vc_blocked_i, vc_packets_i, vc_flits_i,
                                  age_group_i, age_stalled_i, input_exists, vc_exists, input_port,
                                  vc};
    assign age                = '0;
    assign age_rr_select_o    = '0;
    assign age_clock_period_o = '0;
    assign age_bias_o         = '0;
  end

  // trtcm: the classes.
  if (HasClass) begin : g_class
    logic                              in_priority, in_assured_rate, in_peak_rate;
    logic                              in_assured_burst, in_peak_burst, in_green, in_yellow, in_red;
    logic                              in_assured_tokens, in_peak_tokens, rate_good, burst_good;
    logic [Queues-1:0][QueueWidth-1:0] priority_q;
    logic [Queues-1:0][16:0]           assured_rate_q, peak_rate_q;
    logic [Queues-1:0][BurstWidth-1:0] assured_burst_q, peak_burst_q;

    assign in_priority       = queue_exists & (addr_i[11:7] == ClassPriorityOffset[11:7]);
    assign in_assured_rate   = queue_exists & (addr_i[11:7] == AssuredRateOffset[11:7]);
    assign in_peak_rate      = queue_exists & (addr_i[11:7] == PeakRateOffset[11:7]);
    assign in_assured_burst  = queue_exists & (addr_i[11:7] == AssuredBurstOffset[11:7]);
    assign in_peak_burst     = queue_exists & (addr_i[11:7] == PeakBurstOffset[11:7]);
    assign in_green          = queue_exists & (addr_i[11:7] == GreenStallsOffset[11:7]);
    assign in_yellow         = queue_exists & (addr_i[11:7] == YellowStallsOffset[11:7]);
    assign in_red            = queue_exists & (addr_i[11:7] == RedStallsOffset[11:7]);
    assign in_assured_tokens = queue_exists & (addr_i[11:7] == AssuredTokensOffset[11:7]);
    assign in_peak_tokens    = queue_exists & (addr_i[11:7] == PeakTokensOffset[11:7]);

    assign rate_good  = wdata_i <= 32'(OneFlitACycle);
    assign burst_good = (wdata_i >> BurstWidth) == '0;

    always_comb begin
      trtcm            = '0;
      trtcm.read_good  = in_priority | in_assured_rate | in_peak_rate | in_assured_burst |
                         in_peak_burst | in_green | in_yellow | in_red | in_assured_tokens |
                         in_peak_tokens;
      trtcm.write_good = (in_priority & (wdata_i < Queues)) |
                         ((in_assured_rate | in_peak_rate) & rate_good) |
                         ((in_assured_burst | in_peak_burst) & burst_good);
      if (in_priority)       trtcm.value = 32'(priority_q[queue]);
      if (in_assured_rate)   trtcm.value = 32'(assured_rate_q[queue]);
      if (in_peak_rate)      trtcm.value = 32'(peak_rate_q[queue]);
      if (in_assured_burst)  trtcm.value = 32'(assured_burst_q[queue]);
      if (in_peak_burst)     trtcm.value = 32'(peak_burst_q[queue]);
      if (in_green)          trtcm.value = 32'(green_stalls_i[queue]);
      if (in_yellow)         trtcm.value = 32'(yellow_stalls_i[queue]);
      if (in_red)            trtcm.value = 32'(red_stalls_i[queue]);
      if (in_assured_tokens) trtcm.value = 32'(assured_tokens_i[queue]);
      if (in_peak_tokens)    trtcm.value = 32'(peak_tokens_i[queue]);
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        for (int unsigned q = 0; q < Queues; q++) priority_q[q] <= QueueWidth'(q);
        assured_rate_q  <= '0;
        peak_rate_q     <= '0;
        assured_burst_q <= '0;
        peak_burst_q    <= '0;
      end else if (write_i) begin
        if (in_priority)      priority_q[queue]      <= wdata_i[QueueWidth-1:0];
        if (in_assured_rate)  assured_rate_q[queue]  <= wdata_i[16:0];
        if (in_peak_rate)     peak_rate_q[queue]     <= wdata_i[16:0];
        if (in_assured_burst) assured_burst_q[queue] <= wdata_i[BurstWidth-1:0];
        if (in_peak_burst)    peak_burst_q[queue]    <= wdata_i[BurstWidth-1:0];
      end
    end

    assign class_priority_o = priority_q;
    assign assured_rate_o   = assured_rate_q;
    assign peak_rate_o      = peak_rate_q;
    assign assured_burst_o  = assured_burst_q;
    assign peak_burst_o     = peak_burst_q;
  end else begin : g_no_class
    logic unused_class;
    assign unused_class     = ^{green_stalls_i, yellow_stalls_i, red_stalls_i, assured_tokens_i,
                                peak_tokens_i};
    assign trtcm            = '0;
    assign class_priority_o = '0;
    assign assured_rate_o   = '0;
    assign peak_rate_o      = '0;
    assign assured_burst_o  = '0;
    assign peak_burst_o     = '0;
  end

endmodule
