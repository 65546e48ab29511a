// trtcm: two rates, three colours, strict priorities (dragonfly paper, Sect. III-A; RFC 2698,
// colour-blind).
//
// A queue is a class with two token buckets, one of the assured and one of the peak rate.
// Algorithm:
//   1. An active head is red when the peak bucket does not hold its flits, else yellow when the
//      assured bucket does not, else green. See qosarb_token_bucket.
//   2. The green head of the highest priority wins; without green ones the yellow head of the
//      highest priority; without those the first red one behind the queue that last won as red,
//      circularly. One search does it: the key is the colour and the priority, and a red head's key
//      has no priority, so that the position decides.
//   3. Green pays from both buckets, yellow from the peak bucket, red pays nothing and moves the
//      position. After that all buckets are filled, every cycle.
// Bound: one decision a cycle, every cycle. A class whose packets are green waits for those of
// higher priority only; one without an assured rate may starve. See docs/policies/trtcm.md.
// State: two buckets of BurstWidth + 16 bits for each class, one one-hot position.

module qosarb_trtcm #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned BurstWidth     = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned GroupSize      = Queues,  // of the search; see qosarb_rotating_max
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned LevelWidth     = BurstWidth + 16
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  // The configuration in force. A cycle with `load_i` is the last one of what stands in it; at its
  // end the state starts over, with full buckets.
  input  logic                              load_i,
  input  logic [Queues-1:0][QueueWidth-1:0] priority_i,       // 0 is the highest; no two alike
  input  logic [Queues-1:0][16:0]           assured_rate_i,   // 1/65536 flits a cycle, up to 65536
  input  logic [Queues-1:0][16:0]           peak_rate_i,
  input  logic [Queues-1:0][BurstWidth-1:0] assured_burst_i,  // flits
  input  logic [Queues-1:0][BurstWidth-1:0] peak_burst_i,

  // The candidates: the head of each queue, its length in flits, and its stop.
  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0]                 stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,

  // The link can take a packet; the answer comes in the same cycle.
  input  logic                              request_i,
  output logic                              grant_valid_o,
  output logic [Queues-1:0]                 grant_o,
  output logic [QueueWidth-1:0]             grant_queue_o,

  // The colours of the heads in this cycle; red is neither.
  output logic [Queues-1:0]                 green_o,
  output logic [Queues-1:0]                 yellow_o,

  // State, for reading.
  output logic [QueueWidth-1:0]             last_red_o,
  output logic [Queues-1:0][LevelWidth-1:0] assured_tokens_o,  // 1/65536 flits
  output logic [Queues-1:0][LevelWidth-1:0] peak_tokens_o
);

  if (Queues < 1 || Queues > 256) begin : g_check_queues
    $error("qosarb_trtcm: Queues must be within 1..256");
  end
  if (MaxPacketFlits < 1 || BurstWidth < FlitsWidth) begin : g_check_burst
    $error("qosarb_trtcm: a burst of BurstWidth bits must hold MaxPacketFlits >= 1");
  end

  localparam logic [Queues-1:0] AllQueues    = '1;
  localparam logic [Queues-1:0] HighestQueue = ~(AllQueues >> 1);
  localparam int unsigned       KeyWidth     = 2 + QueueWidth;

  // 1. Colours and buckets.
  logic [Queues-1:0]               active, in_assured, in_peak;
  logic [Queues-1:0][KeyWidth-1:0] key;

  assign active   = valid_i & ~stopped_i;
  assign green_o  = in_peak & in_assured;
  assign yellow_o = in_peak & ~in_assured;

  for (genvar q = 0; q < Queues; q++) begin : g_class
    qosarb_token_bucket #(
      .BurstWidth(BurstWidth),
      .FlitsWidth(FlitsWidth)
    ) u_assured (
      .clk_i,
      .rst_ni,
      .load_i,
      .rate_i (assured_rate_i[q]),
      .burst_i(assured_burst_i[q]),
      .flits_i(flits_i[q]),
      .fits_o (in_assured[q]),
      .pay_i  (grant_o[q] & green_o[q]),
      .level_o(assured_tokens_o[q])
    );

    qosarb_token_bucket #(
      .BurstWidth(BurstWidth),
      .FlitsWidth(FlitsWidth)
    ) u_peak (
      .clk_i,
      .rst_ni,
      .load_i,
      .rate_i (peak_rate_i[q]),
      .burst_i(peak_burst_i[q]),
      .flits_i(flits_i[q]),
      .fits_o (in_peak[q]),
      .pay_i  (grant_o[q] & in_peak[q]),
      .level_o(peak_tokens_o[q])
    );

    assign key[q] = {green_o[q], in_peak[q], ~priority_i[q] & {QueueWidth{in_peak[q]}}};
  end

  // 2. The search.
  logic [Queues-1:0] last_red_d, last_red_q;  // one-hot
  logic [Queues-1:0] behind, winner;
  logic              any_active;

  qosarb_onehot_to_behind #(
    .Width(Queues)
  ) u_behind (
    .onehot_i(last_red_q),
    .behind_o(behind)
  );

  qosarb_rotating_max #(
    .Width    (Queues),
    .KeyWidth (KeyWidth),
    .GroupSize(GroupSize)
  ) u_search (
    .request_i(active),
    .by_key_i (1'b1),
    .top_i    ('0),
    .key_i    (key),
    .behind_i (behind),
    .any_o    (any_active),
    .grant_o  (winner)
  );

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_winner_index (
    .onehot_i(winner),
    .index_o (grant_queue_o)
  );

  assign grant_valid_o = request_i & any_active;
  assign grant_o       = winner & {Queues{grant_valid_o}};

  // 3. The position of the red ones.
  always_comb begin
    last_red_d = last_red_q;
    if (load_i)                                           last_red_d = HighestQueue;
    else if (grant_valid_o && ((winner & in_peak) == '0))   last_red_d = winner;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_red_q <= HighestQueue;
    else         last_red_q <= last_red_d;
  end

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_last_red_index (
    .onehot_i(last_red_q),
    .index_o (last_red_o)
  );

endmodule
