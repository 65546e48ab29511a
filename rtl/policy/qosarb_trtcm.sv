// trtcm: two rates, three colours, strict priorities (RFC 2698, colour-blind). Paper: K. A. Brown et al., "A tunable
// implementation of quality-of-service classes for dragonfly networks", Sect. III-A.
//
// A queue is a class with two token buckets, one of the assured and one of the peak rate.
// Algorithm:
//   1. An active head is red when the peak bucket does not hold its flits, else yellow when the
//      assured bucket does not, else green. See qosarb_token_bucket.
//   2. The green head of the highest priority wins; without green ones the yellow head of the
//      highest priority; without those the first red one behind the queue that last won as red,
//      circularly. Whose priority is above whose depends on registers only, so that behind the
//      colours there is an AND over the classes above. When nobody is green all heads that fit the
//      peak bucket are yellow, and when none fits it all are red: the three searches run side by
//      side, and the latter two need not know who is green.
//   3. Green pays from both buckets, yellow from the peak bucket, red pays nothing and moves the
//      position. After that all buckets are filled, every cycle.
// Bound: one decision a cycle, every cycle. A class whose packets are green waits for green ones
// of higher priority only; one without an assured rate may starve. See docs/policies/trtcm.md.
// State: two buckets of BurstWidth + 17 bits for each class, one position.

module qosarb_trtcm #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned BurstWidth     = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned LevelWidth     = BurstWidth + 16
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  // The configuration in force. A cycle with `load_i` is the last one of what stands in it; at its
  // end the state starts over, with full buckets, as it does by a reset.
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

  // State, for reading. With `full_o` all buckets are full: the state stays as it is until a grant.
  output logic                              full_o,
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

  // Nothing is granted in a reset, which needs no edge of the clock.
  logic request;

  assign request = request_i & rst_ni;

  // 1. Colours and buckets.
  logic [Queues-1:0] active, in_assured, in_peak;
  logic [Queues-1:0] pays_both, pays_peak;  // the winner, if it is green; if it is yellow

  logic [Queues-1:0] assured_full, peak_full;

  assign active   = valid_i & ~stopped_i;
  assign full_o   = &{assured_full, peak_full};
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
      .pay_i  (pays_both[q]),
      .full_o (assured_full[q]),
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
      .pay_i  (pays_both[q] | pays_peak[q]),
      .full_o (peak_full[q]),
      .level_o(peak_tokens_o[q])
    );
  end

  // 2. The searches.
  logic [Queues-1:0] green, in_peak_active;
  logic [Queues-1:0] first_green, first_in_peak, first_red, winner;
  logic [Queues-1:0] behind_d, behind_q;  // the queues after the one that last won as red
  logic [Queues-1:0] behind_first_red, unused_passed;
  logic              any_green, any_in_peak, any_active, unused_payload;

  assign green          = active & in_peak & in_assured;
  assign in_peak_active = active & in_peak;
  assign any_green      = |green;
  assign any_in_peak    = |in_peak_active;

  if (Queues == 1) begin : g_alone
    logic unused_priority;
    assign unused_priority = ^priority_i;
  end

  for (genvar q = 0; q < Queues; q++) begin : g_first
    logic [Queues-1:0] above;  // the classes of higher priority

    // One comparison serves two classes.
    for (genvar other = 0; other < Queues; other++) begin : g_other
      if (other == q) begin : g_self
        assign above[other] = 1'b0;
      end else if (other < q) begin : g_known
        assign above[other] = ~g_first[other].above[q];
      end else begin : g_compare
        assign above[other] = priority_i[other] < priority_i[q];
      end
    end
    assign first_green[q]   = green[q] & ((green & above) == '0);
    assign first_in_peak[q] = in_peak_active[q] & ((in_peak_active & above) == '0);
  end

  qosarb_rotating_priority #(
    .Width(Queues)
  ) u_red (
    .request_i(active),
    .behind_i (behind_q),
    .payload_i('0),
    .any_o    (any_active),
    .grant_o  (first_red),
    .payload_o(unused_payload),
    .behind_o (behind_first_red),
    .passed_o (unused_passed)
  );

  assign winner = any_green ? first_green : any_in_peak ? first_in_peak : first_red;

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_winner_index (
    .onehot_i(winner),
    .index_o (grant_queue_o)
  );

  assign grant_valid_o = request & any_active;
  assign grant_o       = winner & {Queues{grant_valid_o}};

  // 3. Who pays, which need not wait for the winner of all colours.
  assign pays_both = first_green & {Queues{request}};
  assign pays_peak = first_in_peak & {Queues{request & ~any_green}};

  // The position of the red ones.
  always_comb begin
    behind_d = behind_q;
    if (load_i)                             behind_d = '0;
    else if (grant_valid_o && !any_in_peak) behind_d = behind_first_red;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) behind_q <= '0;
    else         behind_q <= behind_d;
  end

  // The last red winner is the highest queue that is not in `behind_q`.
  logic [Queues-1:0] last_red;

  assign last_red = ~behind_q & ~(~behind_q >> 1);

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_last_red_index (
    .onehot_i(last_red),
    .index_o (last_red_o)
  );

endmodule
