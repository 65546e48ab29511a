// How long a green head waits under trtcm at a link that never idles: W <= (L + sum B) / (1 - sum A) cycles, A and B
// the assured rates and bursts of the classes of higher priority and L the longest packet, if sum A < 1.
//
// trtcm_proof couples the engine and its specification; the link and the wait are observed here, the wait as
// W (1 - sum A), so that nothing is multiplied. Why: what goes before the head is the rest of the packet that is on the
// link and what higher classes have tokens for. In each cycle a flit of the two is sent and sum A is added to
// the tokens, so W (1 - sum A), what is left on the link and these tokens are never more together than L + sum B.
//
// Sums of several classes of any rates are beyond the provers. So with several the rates are multiples of a fraction of
// a flit a cycle, for which ZeroBits stands; and of one class among more with any rate the summand is proved: in any
// stretch of t cycles of the wait a higher class is granted at most B + A t flits, as what it was granted, less A t,
// and its tokens are never more together than B.

module trtcm_waits_proof
  import clamp_pkg::clamped;
#(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned BurstWidth     = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  int unsigned ZeroBits       = 0,  // so many low bits of all rates are 0
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned LevelWidth     = BurstWidth + 16,
  localparam int unsigned SumWidth       = LevelWidth + QueueWidth + 1
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
  input  logic [QueueWidth-1:0]             watched_i,  // the class whose head waits
  input  logic [QueueWidth-1:0]             other_i,    // one before which it waits

  output logic                              not_bounded_o,
  output logic                              waits_too_long_o,
  output logic                              cover_outlasts_bursts_o,
  output logic                              not_in_tokens_o,
  output logic                              beyond_tokens_o,
  output logic                              cover_spends_its_burst_o
);

  typedef logic [SumWidth-1:0] sum_t;  // 1/65536 flits

  logic [Queues-1:0][FlitsWidth-1:0] flits;
  logic                              link_is_free;
  logic not_coupled, differs, unused_two, unused_inactive, unused_idle, unused_overflows, unused_shows,
        unused_rfc, unused_passes, unused_loses, unused_full, unused_yellow, unused_red, unused_green;
  logic [2*Queues+3:0] unused_parts;

  for (genvar q = 0; q < Queues; q++) begin : g_head
    assign flits[q] = FlitsWidth'(clamped(32'(flits_i[q]), 1, 32'(u_pair.max_packet_flits)));
  end

  trtcm_proof #(
    .Queues        (Queues),
    .BurstWidth    (BurstWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .ZeroBits      (ZeroBits)
  ) u_pair (
    .*,
    .flits_i            (flits),
    .request_i          (link_is_free),
    .not_coupled_o      (not_coupled),
    .parts_o            (unused_parts),
    .differs_o          (differs),
    .two_grants_o       (unused_two),
    .grant_to_inactive_o(unused_inactive),
    .idle_with_active_o (unused_idle),
    .overflows_o        (unused_overflows),
    .shows_otherwise_o  (unused_shows),
    .not_rfc_2698_o     (unused_rfc),
    .passes_green_o     (unused_passes),
    .loses_green_o      (unused_loses),
    .full_differs_o     (unused_full),
    .cover_yellow_wins_o(unused_yellow),
    .cover_red_wins_o   (unused_red),
    .cover_green_waits_o(unused_green)
  );

  // A packet of the classes before a load may be longer than any after it: waits are counted from when it has left.
  logic [FlitsWidth-1:0] on_link;
  logic                  is_of_before;

  busy_link #(
    .FlitsWidth(FlitsWidth)
  ) u_link (
    .clk_i,
    .rst_ni        (u_pair.rst_n),
    .load_i,
    .grant_valid_i (u_pair.grant_valid),
    .flits_i       (flits[u_pair.grant_queue]),
    .is_free_o     (link_is_free),
    .left_o        (on_link),
    .is_of_before_o(is_of_before)
  );

  // The head: green when its wait begins. It then waits until it is granted, as long as it is there and not stopped,
  // whatever its colour.
  logic [QueueWidth-1:0] watched_q, watched, other_q;
  logic [FlitsWidth-1:0] head_q;
  logic                  waits, waits_q, is_served;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      watched_q <= watched_i;
      other_q   <= other_i;
    end
    head_q <= flits[watched];
  end

  assign watched = (32'(watched_q) < Queues) ? watched_q : '0;

  always_ff @(posedge clk_i or negedge u_pair.rst_n) begin
    if (!u_pair.rst_n) waits_q <= 1'b0;
    else               waits_q <= waits & ~is_served;
  end

  // Of the classes of higher priority, added up: 1/65536 flits a cycle, and 1/65536 flits.
  sum_t higher_rates, higher_bursts, higher_tokens;

  always_comb begin
    higher_rates  = '0;
    higher_bursts = '0;
    higher_tokens = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (u_pair.level[q] < u_pair.level[watched]) begin
        higher_rates  = higher_rates + sum_t'(u_pair.assured_rate[q]);
        higher_bursts = higher_bursts + sum_t'(u_pair.assured_size[q]);
        higher_tokens = higher_tokens + sum_t'(u_pair.assured[q]);
      end
    end
  end

  localparam sum_t Flit = sum_t'(65536);

  assign waits     = u_pair.active[watched] & ~load_i & ~is_of_before & (higher_rates < Flit) &
                     (u_pair.green[watched] | (waits_q & (flits[watched] == head_q)));
  assign is_served = u_pair.grant[watched];

  sum_t waited;
  logic unbounded;

  waiting #(
    .Width(SumWidth)
  ) u_waiting (
    .clk_i,
    .rst_ni     (u_pair.rst_n),
    .waits_i    (waits),
    .served_i   (is_served),
    .sent_i     (Flit - higher_rates),
    .ahead_i    ((is_of_before ? '0 : sum_t'(on_link) << 16) + higher_tokens),
    .highest_i  ((sum_t'(u_pair.max_packet_flits) << 16) + higher_bursts),
    .unbounded_o(unbounded),
    .too_long_o (waits_too_long_o),
    .waited_o   (waited)
  );

  // What the other class was granted within the wait, less its rate for the cycles since; not below zero, so that each
  // stretch of the wait counts.
  sum_t spent, spent_q, rate, burst;

  assign rate  = sum_t'(u_pair.assured_rate[other_q]);
  assign burst = sum_t'(u_pair.assured_size[other_q]);
  assign spent = spent_q + (u_pair.grant[other_q] ? sum_t'(flits[other_q]) << 16 : '0);

  always_ff @(posedge clk_i or negedge u_pair.rst_n) begin
    if (!u_pair.rst_n)              spent_q <= '0;
    else if (!waits || is_served)   spent_q <= '0;
    else                            spent_q <= (spent < rate) ? '0 : spent - rate;
  end

  assign beyond_tokens_o          = u_pair.rst_n & waits & ~is_served & (spent > burst);
  assign cover_spends_its_burst_o = u_pair.rst_n & waits & ~is_served & (burst != '0) & (spent == burst);

  // A head that waits stays green: both buckets hold it.
  sum_t needed;
  logic not_green, is_finer;

  always_comb begin
    is_finer = 1'b0;
    for (int unsigned q = 0; q < Queues; q++) begin
      for (int unsigned b = 0; b < ZeroBits; b++) is_finer |= u_pair.assured[q][b] | u_pair.peak[q][b];
    end
  end

  assign needed    = sum_t'(head_q) << 16;
  assign not_green = u_pair.rst_n & waits_q & ((sum_t'(u_pair.assured[watched]) < needed) |
                                               (sum_t'(u_pair.peak[watched]) < needed));

  assign cover_outlasts_bursts_o = u_pair.rst_n & (higher_bursts != '0) & (waited > higher_bursts);
  assign not_bounded_o           = not_coupled | differs | not_green | unbounded | (u_pair.rst_n & is_finer) |
                                   (u_pair.rst_n & ~is_of_before & (on_link >= u_pair.max_packet_flits));
  assign not_in_tokens_o         = not_coupled | differs | not_green |
                                   (u_pair.rst_n & (spent_q + sum_t'(u_pair.assured[other_q]) > burst));

endmodule
