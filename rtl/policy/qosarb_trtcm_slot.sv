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
  localparam int unsigned BurstWidth   = Build.burst_width;
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

  // Of each port and queue, for reading.
  logic [Ports-1:0][Queues-1:0][LevelWidth-1:0] assured_tokens, peak_tokens;

  config_t                first_config, shadow_q, in_force_q;
  logic                   queue_exists, in_priority, in_assured_rate, in_peak_rate;
  logic                   in_assured_burst, in_peak_burst, in_green, in_yellow, in_red;
  logic                   in_assured_tokens, in_peak_tokens, rate_good, burst_good;
  logic [QueueWidth-1:0]  queue;
  logic [OffsetWidth-1:7] array;  // of 32 words, which the address is in

  assign array             = slot_i.access.addr[OffsetWidth-1:7];
  assign queue_exists      = 32'(slot_i.access.addr[6:2]) < Queues;
  assign queue             = slot_i.access.addr[2 +: QueueWidth];
  assign in_priority       = queue_exists & (array == ClassPriorityOffset[OffsetWidth-1:7]);
  assign in_assured_rate   = queue_exists & (array == AssuredRateOffset[OffsetWidth-1:7]);
  assign in_peak_rate      = queue_exists & (array == PeakRateOffset[OffsetWidth-1:7]);
  assign in_assured_burst  = queue_exists & (array == AssuredBurstOffset[OffsetWidth-1:7]);
  assign in_peak_burst     = queue_exists & (array == PeakBurstOffset[OffsetWidth-1:7]);
  assign in_green          = queue_exists & (array == GreenStallsOffset[OffsetWidth-1:7]);
  assign in_yellow         = queue_exists & (array == YellowStallsOffset[OffsetWidth-1:7]);
  assign in_red            = queue_exists & (array == RedStallsOffset[OffsetWidth-1:7]);
  assign in_assured_tokens = queue_exists & (array == AssuredTokensOffset[OffsetWidth-1:7]);
  assign in_peak_tokens    = queue_exists & (array == PeakTokensOffset[OffsetWidth-1:7]);

  assign rate_good  = slot_i.access.wdata <= 32'(OneFlitACycle);
  assign burst_good = (slot_i.access.wdata >> BurstWidth) == '0;

  always_comb begin
    slot_o.access            = '0;
    slot_o.access.read_good  = in_priority | in_assured_rate | in_peak_rate | in_assured_burst |
                            in_peak_burst | in_green | in_yellow | in_red | in_assured_tokens |
                            in_peak_tokens;
    slot_o.access.write_good = (in_priority & (slot_i.access.wdata < Queues)) |
                            ((in_assured_rate | in_peak_rate) & rate_good) |
                            ((in_assured_burst | in_peak_burst) & burst_good);
    if (in_priority)       slot_o.access.value = 32'(shadow_q.level[queue]);
    if (in_assured_rate)   slot_o.access.value = 32'(shadow_q.assured_rate[queue]);
    if (in_peak_rate)      slot_o.access.value = 32'(shadow_q.peak_rate[queue]);
    if (in_assured_burst)  slot_o.access.value = 32'(shadow_q.assured_burst[queue]);
    if (in_peak_burst)     slot_o.access.value = 32'(shadow_q.peak_burst[queue]);
    if (in_assured_tokens) slot_o.access.value = 32'(assured_tokens[slot_i.window][queue]);
    if (in_peak_tokens)    slot_o.access.value = 32'(peak_tokens[slot_i.window][queue]);
    if (in_green)  slot_o.access.counter = 8'(qosarb_port_pkg::CounterStalls) + 8'(queue);
    if (in_yellow) slot_o.access.counter = 8'(qosarb_port_pkg::CounterStalls + Queues) + 8'(queue);
    if (in_red)    slot_o.access.counter = 8'(qosarb_port_pkg::CounterStalls + 2 * Queues) + 8'(queue);
    slot_o.access.counted = in_green | in_yellow | in_red;
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
      if (slot_i.access.write) begin
        if (in_priority)      shadow_q.level[queue]         <= slot_i.access.wdata[QueueWidth-1:0];
        if (in_assured_rate)  shadow_q.assured_rate[queue]  <= slot_i.access.wdata[16:0];
        if (in_peak_rate)     shadow_q.peak_rate[queue]     <= slot_i.access.wdata[16:0];
        if (in_assured_burst) shadow_q.assured_burst[queue] <= slot_i.access.wdata[BurstWidth-1:0];
        if (in_peak_burst)    shadow_q.peak_burst[queue]    <= slot_i.access.wdata[BurstWidth-1:0];
      end
      if (slot_i.load) in_force_q <= shadow_q;
    end
  end

  // The check, of a class that was fetched in the cycle before.
  typedef struct packed {
    logic [QueueWidth-1:0] level;
    rate_t                 assured_rate;
    rate_t                 peak_rate;
    logic [BurstWidth-1:0] assured_burst;
    logic [BurstWidth-1:0] peak_burst;
  } class_t;

  class_t fetched, class_q;
  logic   burst_is_short;

  always_comb begin
    fetched = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      fetched |= {shadow_q.level[q], shadow_q.assured_rate[q], shadow_q.peak_rate[q],
                  shadow_q.assured_burst[q], shadow_q.peak_burst[q]} &
                 {$bits(class_t){slot_i.check.next[q]}};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) class_q <= '0;
    else         class_q <= fetched;
  end

  assign burst_is_short =
      ((class_q.assured_rate != '0) &
       (24'(class_q.assured_burst) < slot_i.check.max_packet_flits)) |
      ((class_q.peak_rate != '0) & (24'(class_q.peak_burst) < slot_i.check.max_packet_flits));

  always_comb begin
    slot_o.verdict = '0;
    if (slot_i.check.policy == PolicyTrtcm) begin
      slot_o.verdict.needed  = 1'b1;
      slot_o.verdict.is_last = 32'(slot_i.check.index) == Queues - 1;
      slot_o.verdict.marks   = 32'd1 << class_q.level;
      slot_o.verdict.serves  = '1;
      if (slot_i.check.seen[5'(class_q.level)]) begin
        slot_o.verdict.fault = StatusReasonRepeatedPriority;
      end
      if (burst_is_short)                             slot_o.verdict.fault = StatusReasonShortBurst;
      if (class_q.assured_rate > class_q.peak_rate)   slot_o.verdict.fault = StatusReasonRates;
    end
  end

  // The engines, and what is counted.
  logic asked;

  assign asked = slot_i.policy == PolicyTrtcm;

  for (genvar p = 0; p < Ports; p++) begin : g_port
    logic [QueueWidth-1:0] grant_queue, last_red;
    logic [Queues-1:0]     grant, green, yellow;
    logic                  full;

    qosarb_trtcm #(
      .Queues        (Queues),
      .BurstWidth    (BurstWidth),
      .MaxPacketFlits(Build.max_packet_flits)
    ) u_trtcm (
      .clk_i,
      .rst_ni          (port_rst_ni[p]),
      .load_i          (ports_i[p].restart),
      .priority_i      (in_force_q.level),
      .assured_rate_i  (in_force_q.assured_rate),
      .peak_rate_i     (in_force_q.peak_rate),
      .assured_burst_i (in_force_q.assured_burst),
      .peak_burst_i    (in_force_q.peak_burst),
      .valid_i         (ports_i[p].valid),
      .stopped_i       (ports_i[p].stopped),
      .flits_i         (ports_i[p].flits),
      .request_i       (ports_i[p].request & asked),
      .grant_valid_o   (ports_o[p].grant_valid),
      .grant_o         (grant),
      .grant_queue_o   (grant_queue),
      .green_o         (green),
      .yellow_o        (yellow),
      .full_o          (full),
      .last_red_o      (last_red),
      .assured_tokens_o(assured_tokens[p]),
      .peak_tokens_o   (peak_tokens[p])
    );

    assign ports_o[p].grant       = grant;
    assign ports_o[p].grant_queue = grant_queue & {QueueWidth{asked}};

    logic [Queues-1:0] green_stalls, yellow_stalls, red_stalls;

    qosarb_trtcm_stalls #(
      .Queues(Queues)
    ) u_stalls (
      .enable_i (asked),
      .valid_i  (ports_i[p].valid),
      .stopped_i(ports_i[p].stopped),
      .grant_i  (grant),
      .green_i  (green),
      .yellow_i (yellow),
      .green_o  (green_stalls),
      .yellow_o (yellow_stalls),
      .red_o    (red_stalls)
    );

    always_comb begin
      ports_o[p].events = '0;
      ports_o[p].events[qosarb_port_pkg::CounterStalls +: 3*Queues] =
          {red_stalls, yellow_stalls, green_stalls};
    end

    assign ports_o[p].late_events = '0;

    always_comb begin
      ports_o[p].state = '0;
      if (asked) begin
        ports_o[p].state[qosarb_port_pkg::StateCurrent] = 32'(last_red);
        for (int unsigned q = 0; q < Queues; q++) begin
          ports_o[p].state[Own+2*q]   = 32'(assured_tokens[p][q]);
          ports_o[p].state[Own+2*q+1] = 32'(peak_tokens[p][q]);
        end
      end
    end

    assign ports_o[p].longest = '0;
    assign ports_o[p].busy    = asked & ~full;  // the buckets fill
  end

  assign slot_o.chip = '0;

  logic unused_inputs;  // each slot sees all of them
  assign unused_inputs = ^{slot_i, ports_i};

endmodule
