// qosarb_trtcm beside its specification: any classes that a strict commit lets through, which change by loads
// only, any traffic and stops, and a reset at any time.

module trtcm_proof
  import clamp_pkg::clamped;
#(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned BurstWidth     = 2,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  int unsigned ZeroBits       = 0,  // so many low bits of all rates are 0
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned LevelWidth     = BurstWidth + 16,
  localparam int unsigned MostBurst      = 2 ** BurstWidth - 1
) (
  input  logic                              clk_i,
  input  logic                              reset_i,
  input  logic                              load_i,
  input  logic [Queues-1:0][QueueWidth-1:0] priority_i,
  input  logic [Queues-1:0][16:0]           assured_rate_i,
  input  logic [Queues-1:0][16:0]           peak_rate_i,
  input  logic [Queues-1:0][BurstWidth-1:0] assured_burst_i,
  input  logic [Queues-1:0][BurstWidth-1:0] peak_burst_i,
  input  logic [FlitsWidth-1:0]             max_packet_flits_i,
  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0]                 stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,
  input  logic                              request_i,

  output logic                              not_coupled_o,
  output logic [2*Queues+3:0]               parts_o,
  output logic                              differs_o,
  output logic                              two_grants_o,
  output logic                              grant_to_inactive_o,
  output logic                              idle_with_active_o,
  output logic                              overflows_o,
  output logic                              shows_otherwise_o,
  output logic                              not_rfc_2698_o,
  output logic                              passes_green_o,
  output logic                              loses_green_o,
  output logic                              full_differs_o,
  output logic                              cover_yellow_wins_o,
  output logic                              cover_red_wins_o,
  output logic                              cover_green_waits_o
);

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  // The classes in force, any from the first reset on. What was written is clamped to what a strict commit lets
  // through: rates of at most a flit a cycle, the assured one not above the peak one, bursts that hold the longest
  // packet, priorities of which no two are alike.
  logic [Queues-1:0][QueueWidth-1:0] priority_q, level;
  logic [Queues-1:0][16:0]           assured_rate_q, peak_rate_q, assured_rate, peak_rate;
  logic [Queues-1:0][BurstWidth-1:0] assured_burst_q, peak_burst_q, assured_burst, peak_burst;
  logic [FlitsWidth-1:0]             max_packet_flits_q, max_packet_flits;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      priority_q         <= priority_i;
      assured_rate_q     <= assured_rate_i;
      peak_rate_q        <= peak_rate_i;
      assured_burst_q    <= assured_burst_i;
      peak_burst_q       <= peak_burst_i;
      max_packet_flits_q <= max_packet_flits_i;
    end
  end

  assign max_packet_flits = FlitsWidth'(clamped(32'(max_packet_flits_q), 1, MaxPacketFlits));
  for (genvar q = 0; q < Queues; q++) begin : g_class
    // The rank among what was written, the lower queue first where two are alike.
    always_comb begin
      level[q] = '0;
      for (int unsigned other = 0; other < Queues; other++) begin
        if (priority_q[other] < priority_q[q] || (priority_q[other] == priority_q[q] && other < q)) begin
          level[q] = level[q] + 1'b1;
        end
      end
    end
    assign peak_rate[q]     = 17'(clamped(32'(peak_rate_q[q]), 0, 32'h10000)) & ~17'(2 ** ZeroBits - 1);
    assign assured_rate[q]  = 17'(clamped(32'(assured_rate_q[q]), 0, 32'(peak_rate[q]))) & ~17'(2 ** ZeroBits - 1);
    assign assured_burst[q] = BurstWidth'(clamped(32'(assured_burst_q[q]),
                                                  (assured_rate[q] != '0) ? 32'(max_packet_flits) : 0, MostBurst));
    assign peak_burst[q]    = BurstWidth'(clamped(32'(peak_burst_q[q]),
                                                  (peak_rate[q] != '0) ? 32'(max_packet_flits) : 0, MostBurst));
  end

  // The heads, of any length.
  logic [Queues-1:0] active;
  assign active = valid_i & ~stopped_i;

  logic                              grant_valid, expected_valid, full;
  logic [Queues-1:0]                 grant, green, yellow, expected_green, expected_yellow;
  logic [QueueWidth-1:0]             grant_queue, expected_queue, last_red, expected_last_red;
  logic [Queues-1:0][LevelWidth-1:0] assured, peak, expected_assured, expected_peak, assured_size, peak_size;

  qosarb_trtcm #(
    .Queues        (Queues),
    .BurstWidth    (BurstWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_engine (
    .clk_i,
    .rst_ni          (rst_n),
    .load_i,
    .priority_i      (level),
    .assured_rate_i  (assured_rate),
    .peak_rate_i     (peak_rate),
    .assured_burst_i (assured_burst),
    .peak_burst_i    (peak_burst),
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i,
    .grant_valid_o   (grant_valid),
    .grant_o         (grant),
    .grant_queue_o   (grant_queue),
    .green_o         (green),
    .yellow_o        (yellow),
    .full_o          (full),
    .last_red_o      (last_red),
    .assured_tokens_o(assured),
    .peak_tokens_o   (peak)
  );

  trtcm_semantics #(
    .Queues        (Queues),
    .BurstWidth    (BurstWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_semantics (
    .clk_i,
    .rst_ni            (rst_n),
    .load_i,
    .priority_i        (level),
    .assured_rate_i    (assured_rate),
    .peak_rate_i       (peak_rate),
    .assured_burst_i   (assured_burst),
    .peak_burst_i      (peak_burst),
    .max_packet_flits_i(max_packet_flits),
    .active_i          (active),
    .flits_i,
    .request_i,
    .grant_valid_o     (expected_valid),
    .grant_queue_o     (expected_queue),
    .green_o           (expected_green),
    .yellow_o          (expected_yellow),
    .last_red_o        (expected_last_red),
    .assured_o         (expected_assured),
    .peak_o            (expected_peak),
    .assured_size_o    (assured_size),
    .peak_size_o       (peak_size)
  );

  // Coupling. The buckets show the specification's levels; one is marked full where the level is the size, and above
  // its size it never is.
  logic [Queues-1:0] assured_full, peak_full, assured_equal, peak_equal, behind;
  logic              last_equal;

  for (genvar q = 0; q < Queues; q++) begin : g_bucket
    assign assured_full[q]  = u_engine.g_class[q].u_assured.full_q;
    assign peak_full[q]     = u_engine.g_class[q].u_peak.full_q;
    assign assured_equal[q] = (assured[q] == expected_assured[q]) & (assured[q] <= assured_size[q]) &
                              (assured_full[q] == (assured[q] == assured_size[q]));
    assign peak_equal[q]    = (peak[q] == expected_peak[q]) & (peak[q] <= peak_size[q]) &
                              (peak_full[q] == (peak[q] == peak_size[q]));
    assign behind[q]        = q > 32'(expected_last_red);
  end

  assign last_equal = (last_red == expected_last_red) & (u_engine.behind_q == behind);

  // From the state follow the colours, from these the grant, from that the next state.
  logic grants_differ, colours_differ;

  assign colours_differ = (green != expected_green) | (yellow != expected_yellow);

  by_parts #(
    .Parts(2 * Queues + 3)
  ) u_parts (
    .*,
    .holds({~grants_differ, ~colours_differ, peak_equal, assured_equal, last_equal}),
    .fails(differs_o | two_grants_o | grant_to_inactive_o | idle_with_active_o | overflows_o | shows_otherwise_o |
           full_differs_o | not_rfc_2698_o | passes_green_o | loses_green_o)
  );

  // Properties of the engine's outputs.
  grant_properties #(
    .Queues(Queues)
  ) u_properties (.*, .asked(request_i), .served('1), .differs_o(grants_differ));

  assign differs_o = grants_differ | (rst_n & colours_differ);

  // RFC 2698, colour-blind, of heads within 1..max_packet_flits, by the levels that the engine shows: red if
  // Tp < B, else yellow if Tc < B, else green. And no level is above its size.
  always_comb begin
    not_rfc_2698_o = 1'b0;
    overflows_o    = 1'b0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (rst_n && flits_i[q] != '0 && flits_i[q] <= max_packet_flits) begin
        if (peak[q] < LevelWidth'(flits_i[q]) << 16) begin
          not_rfc_2698_o |= green[q] | yellow[q];
        end else if (assured[q] < LevelWidth'(flits_i[q]) << 16) begin
          not_rfc_2698_o |= green[q] | ~yellow[q];
        end else begin
          not_rfc_2698_o |= ~green[q] | yellow[q];
        end
      end
      overflows_o |= rst_n & ((assured[q] > assured_size[q]) | (peak[q] > peak_size[q]));
    end
  end

  // All buckets are at their sizes: what the port's clock may stand by.
  assign full_differs_o = rst_n & (full != ((expected_assured == assured_size) & (expected_peak == peak_size)));

  // The state for reading is the specification's.
  assign shows_otherwise_o = rst_n & ((last_red != expected_last_red) | (assured != expected_assured) |
                                      (peak != expected_peak));

  // What the bound on waiting is made of: a green head waits for green ones of higher priority only, and while it
  // waits it stays green.
  logic [Queues-1:0]                 waits_green, waits_green_q;
  logic [Queues-1:0][FlitsWidth-1:0] flits_q;
  initial waits_green_q = '0;

  assign waits_green = active & green & ~grant;
  always_ff @(posedge clk_i) begin
    waits_green_q <= waits_green & {Queues{rst_n & ~load_i}};
    flits_q       <= flits_i;
  end

  always_comb begin
    passes_green_o = 1'b0;
    loses_green_o  = 1'b0;
    for (int unsigned q = 0; q < Queues; q++) begin
      for (int unsigned other = 0; other < Queues; other++) begin
        passes_green_o |= rst_n & waits_green[q] & grant[other] & ~(green[other] & (level[other] < level[q]));
      end
      loses_green_o |= rst_n & waits_green_q[q] & (flits_i[q] == flits_q[q]) & ~green[q];
    end
  end

  // To be seen: a grant to yellow, one to red after one to green, and a green head that waits for the second cycle.
  logic was_green_q;
  initial was_green_q = 1'b0;
  always_ff @(posedge clk_i) was_green_q <= rst_n & ~load_i & (was_green_q | ((grant & green) != '0));
  assign cover_yellow_wins_o = rst_n & ((grant & yellow) != '0);
  assign cover_red_wins_o    = rst_n & was_green_q & ((grant & ~green & ~yellow) != '0);
  assign cover_green_waits_o = rst_n & request_i & ((waits_green & waits_green_q) != '0);

endmodule
