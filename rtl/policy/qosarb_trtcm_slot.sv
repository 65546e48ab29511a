// trtcm in a port: a queue is a class.
//
// A commit is refused by a class whose assured rate is above its peak rate, by one with a burst
// shorter than the longest packet where the rate is not 0, and by a priority that a class has
// already. A class serves its own queue.
// Registers: CLASS_PRIORITY, ASSURED_RATE, PEAK_RATE, ASSURED_BURST, PEAK_BURST; for its state
// ASSURED_TOKENS, PEAK_TOKENS; counters GREEN_STALLS, YELLOW_STALLS, RED_STALLS.
// State words: CURRENT is the queue that won last when red; own word 2q: the tokens of class q's
// assured bucket, own word 2q + 1: those of its peak bucket.

module qosarb_trtcm_slot #(
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

  localparam int unsigned BurstWidth   = Build.burst_width;
  localparam int unsigned CounterWidth = Build.counter_width;
  localparam int unsigned LevelWidth   = BurstWidth + 16;
  localparam int unsigned Own          = qosarb_pkg::state_own(Entries);

  typedef logic [16:0] rate_t;
  localparam rate_t OneFlitACycle = 17'h10000;

  // The registers, and what is in force of them.
  typedef struct packed {
    logic [Queues-1:0][QueueWidth-1:0] level;  // of priority
    rate_t [Queues-1:0]                assured_rate;
    rate_t [Queues-1:0]                peak_rate;
    logic [Queues-1:0][BurstWidth-1:0] assured_burst;
    logic [Queues-1:0][BurstWidth-1:0] peak_burst;
  } config_t;

  config_t                             first_config, shadow_q, in_force_q;
  logic                                queue_exists, in_priority, in_assured_rate, in_peak_rate;
  logic                                in_assured_burst, in_peak_burst, in_green, in_yellow, in_red;
  logic                                in_assured_tokens, in_peak_tokens, rate_good, burst_good;
  logic [QueueWidth-1:0]               queue;
  logic [Queues-1:0][CounterWidth-1:0] green_stalls, yellow_stalls, red_stalls;
  logic [Queues-1:0][LevelWidth-1:0]   assured_tokens, peak_tokens;

  assign queue_exists      = 32'(register_i.addr[6:2]) < Queues;
  assign queue             = register_i.addr[2 +: QueueWidth];
  assign in_priority       = queue_exists & (register_i.addr[11:7] == ClassPriorityOffset[11:7]);
  assign in_assured_rate   = queue_exists & (register_i.addr[11:7] == AssuredRateOffset[11:7]);
  assign in_peak_rate      = queue_exists & (register_i.addr[11:7] == PeakRateOffset[11:7]);
  assign in_assured_burst  = queue_exists & (register_i.addr[11:7] == AssuredBurstOffset[11:7]);
  assign in_peak_burst     = queue_exists & (register_i.addr[11:7] == PeakBurstOffset[11:7]);
  assign in_green          = queue_exists & (register_i.addr[11:7] == GreenStallsOffset[11:7]);
  assign in_yellow         = queue_exists & (register_i.addr[11:7] == YellowStallsOffset[11:7]);
  assign in_red            = queue_exists & (register_i.addr[11:7] == RedStallsOffset[11:7]);
  assign in_assured_tokens = queue_exists & (register_i.addr[11:7] == AssuredTokensOffset[11:7]);
  assign in_peak_tokens    = queue_exists & (register_i.addr[11:7] == PeakTokensOffset[11:7]);

  assign rate_good  = register_i.wdata <= 32'(OneFlitACycle);
  assign burst_good = (register_i.wdata >> BurstWidth) == '0;

  always_comb begin
    register_o            = '0;
    register_o.read_good  = in_priority | in_assured_rate | in_peak_rate | in_assured_burst |
                            in_peak_burst | in_green | in_yellow | in_red | in_assured_tokens |
                            in_peak_tokens;
    register_o.write_good = (in_priority & (register_i.wdata < Queues)) |
                            ((in_assured_rate | in_peak_rate) & rate_good) |
                            ((in_assured_burst | in_peak_burst) & burst_good);
    if (in_priority)       register_o.value = 32'(shadow_q.level[queue]);
    if (in_assured_rate)   register_o.value = 32'(shadow_q.assured_rate[queue]);
    if (in_peak_rate)      register_o.value = 32'(shadow_q.peak_rate[queue]);
    if (in_assured_burst)  register_o.value = 32'(shadow_q.assured_burst[queue]);
    if (in_peak_burst)     register_o.value = 32'(shadow_q.peak_burst[queue]);
    if (in_green)          register_o.value = 32'(green_stalls[queue]);
    if (in_yellow)         register_o.value = 32'(yellow_stalls[queue]);
    if (in_red)            register_o.value = 32'(red_stalls[queue]);
    if (in_assured_tokens) register_o.value = 32'(assured_tokens[queue]);
    if (in_peak_tokens)    register_o.value = 32'(peak_tokens[queue]);
  end

  always_comb begin
    first_config = '0;
    for (int unsigned q = 0; q < Queues; q++) first_config.level[q] = QueueWidth'(q);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shadow_q   <= first_config;
      in_force_q <= first_config;
    end else begin
      if (register_i.write) begin
        if (in_priority)      shadow_q.level[queue]         <= register_i.wdata[QueueWidth-1:0];
        if (in_assured_rate)  shadow_q.assured_rate[queue]  <= register_i.wdata[16:0];
        if (in_peak_rate)     shadow_q.peak_rate[queue]     <= register_i.wdata[16:0];
        if (in_assured_burst) shadow_q.assured_burst[queue] <= register_i.wdata[BurstWidth-1:0];
        if (in_peak_burst)    shadow_q.peak_burst[queue]    <= register_i.wdata[BurstWidth-1:0];
      end
      if (load_i) in_force_q <= shadow_q;
    end
  end

  // The check.
  logic [QueueWidth-1:0] looked_at, level;
  rate_t                 assured_rate, peak_rate;
  logic [BurstWidth-1:0] assured_burst, peak_burst;
  logic                  burst_is_short;

  assign looked_at     = check_i.index[QueueWidth-1:0];
  assign level         = shadow_q.level[looked_at];
  assign assured_rate  = shadow_q.assured_rate[looked_at];
  assign peak_rate     = shadow_q.peak_rate[looked_at];
  assign assured_burst = shadow_q.assured_burst[looked_at];
  assign peak_burst    = shadow_q.peak_burst[looked_at];

  assign burst_is_short =
      ((assured_rate != '0) & (24'(assured_burst) < check_i.max_packet_flits)) |
      ((peak_rate != '0) & (24'(peak_burst) < check_i.max_packet_flits));

  always_comb begin
    verdict_o = '0;
    if (check_i.policy == PolicyTrtcm) begin
      verdict_o.needed  = 1'b1;
      verdict_o.is_last = 32'(check_i.index) == Queues - 1;
      verdict_o.marks   = 32'd1 << level;
      verdict_o.serves  = '1;
      if (check_i.seen[5'(level)])  verdict_o.fault = StatusReasonRepeatedPriority;
      if (burst_is_short)           verdict_o.fault = StatusReasonShortBurst;
      if (assured_rate > peak_rate) verdict_o.fault = StatusReasonRates;
    end
  end

  // The engine.
  logic                  asked;
  logic [QueueWidth-1:0] grant_queue, last_red;
  logic [Queues-1:0]     green, yellow;

  assign asked = policy_i == PolicyTrtcm;

  qosarb_trtcm #(
    .Queues        (Queues),
    .BurstWidth    (BurstWidth),
    .MaxPacketFlits(Build.max_packet_flits)
  ) u_trtcm (
    .clk_i,
    .rst_ni,
    .load_i,
    .priority_i      (in_force_q.level),
    .assured_rate_i  (in_force_q.assured_rate),
    .peak_rate_i     (in_force_q.peak_rate),
    .assured_burst_i (in_force_q.assured_burst),
    .peak_burst_i    (in_force_q.peak_burst),
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i       (request_i & asked),
    .grant_valid_o,
    .grant_o,
    .grant_queue_o   (grant_queue),
    .green_o         (green),
    .yellow_o        (yellow),
    .last_red_o      (last_red),
    .assured_tokens_o(assured_tokens),
    .peak_tokens_o   (peak_tokens)
  );

  assign grant_queue_o = grant_queue & {QueueWidth{asked}};

  qosarb_trtcm_counters #(
    .Queues      (Queues),
    .CounterWidth(CounterWidth)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .clear_i  (counter_clear_i),
    .enable_i (asked),
    .valid_i,
    .stopped_i,
    .grant_i  (grant_o),
    .green_i  (green),
    .yellow_i (yellow),
    .green_o  (green_stalls),
    .yellow_o (yellow_stalls),
    .red_o    (red_stalls)
  );

  always_comb begin
    state_o = '0;
    if (asked) begin
      state_o[qosarb_port_pkg::StateCurrent] = 32'(last_red);
      for (int unsigned q = 0; q < Queues; q++) begin
        state_o[Own+2*q]   = 32'(assured_tokens[q]);
        state_o[Own+2*q+1] = 32'(peak_tokens[q]);
      end
    end
  end

  assign chip_o = '0;

  logic unused_inputs;
  assign unused_inputs = ^{check_i, max_packet_flits_i, entry_used_i, entry_queue_i,
                           entry_quantum_i, queue_sl_i, age_field_i, age_in_epoch_i, chip_i};

endmodule
