// How long a head waits under seastar-age at a link that never idles, every grant by age and no inhibition in between:
// (255 - a) P + Q L cycles, a its age when it comes to the head of its queue, P the period of the age clock and L the
// longest packet. Why: before it is 255 old it has waited for as many periods as it is older, and for the cycles of
// the present one; from then on, for the rest of the packet that is on the link and one packet of each queue between
// the last winner by age and it, which are one less after each decision.
//
// seastar_age_proof couples the engine and its specification and has the lemma of the keys; age clock, link and wait
// are observed here. The head came with an age of 0 or more, and the epoch does not change while a packet of the other
// one waits, as the age clock's own proof has it.

module seastar_age_link_waits_proof
  import clamp_pkg::clamped;
#(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned GroupSize      = Queues,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  int unsigned MostPeriod     = 3,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned PeriodWidth    = $clog2(MostPeriod + 1),
  localparam int unsigned WaitWidth      = $clog2(256 * MostPeriod + Queues * MaxPacketFlits) + 1
) (
  input  logic                              clk_i,
  input  logic                              reset_i,
  input  logic                              load_i,
  input  logic                              inhibit_i,
  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0]                 stopped_i,
  input  logic [Queues-1:0][8:0]            field_i,
  input  logic [Queues-1:0]                 in_epoch_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,
  input  logic [QueueWidth-1:0]             watched_i,  // the queue that waits
  input  logic [PeriodWidth-1:0]            period_i,

  output logic                              not_bounded_o,
  output logic                              waits_too_long_o,
  output logic                              cover_longest_wait_o,
  output logic                              cover_ages_first_o
);

  typedef logic [WaitWidth-1:0] cycles_t;

  logic not_coupled, differs, link_is_free, unused_order, unused_two, unused_inactive, unused_idle, unused_left,
        unused_older, unused_saturated, unused_first;
  logic [Queues+5:0] unused_parts;

  // The age clock.
  logic [7:0]             timestamp_q;
  logic                   epoch_q, ticks;
  logic [PeriodWidth-1:0] period_q, period, phase_q;

  assign period = PeriodWidth'(clamped(32'(period_q), 1, MostPeriod));
  assign ticks  = phase_q + 1'b1 >= period;

  always_ff @(posedge clk_i) begin
    if (load_i) period_q <= period_i;
  end

  always_ff @(posedge clk_i or negedge u_pair.rst_n) begin
    if (!u_pair.rst_n) begin
      timestamp_q <= '0;
      epoch_q     <= 1'b0;
      phase_q     <= '0;
    end else begin
      phase_q <= (ticks | load_i) ? '0 : phase_q + 1'b1;
      if (ticks) {epoch_q, timestamp_q} <= {epoch_q, timestamp_q} + 1'b1;
    end
  end

  seastar_age_proof #(
    .Queues   (Queues),
    .GroupSize(GroupSize)
  ) u_pair (
    .*,
    .age_rr_select_i          ('1),
    .timestamp_i              (timestamp_q),
    .epoch_i                  (epoch_q),
    .request_i                (link_is_free),
    .order_differs_o          (unused_order),
    .not_coupled_o            (not_coupled),
    .parts_o                  (unused_parts),
    .differs_o                (differs),
    .two_grants_o             (unused_two),
    .grant_to_inactive_o      (unused_inactive),
    .idle_with_active_o       (unused_idle),
    .leaves_with_another_age_o(unused_left),
    .older_passed_o           (unused_older),
    .cover_saturated_o        (unused_saturated),
    .cover_others_first_o     (unused_first)
  );

  logic [FlitsWidth-1:0] on_link, flits;
  logic                  unused_of_before;

  assign flits = FlitsWidth'(clamped(32'(flits_i[u_pair.grant_queue]), 1, MaxPacketFlits));

  busy_link #(
    .FlitsWidth(FlitsWidth)
  ) u_link (
    .clk_i,
    .rst_ni        (u_pair.rst_n),
    .load_i,
    .grant_valid_i (u_pair.grant_valid),
    .flits_i       (flits),
    .is_free_o     (link_is_free),
    .left_o        (on_link),
    .is_of_before_o(unused_of_before)
  );

  // The head, and its age now, if it is the one of the last cycle.
  logic [QueueWidth-1:0] watched_q, watched;
  logic [8:0]            field_q;
  logic                  in_epoch_q, is_selected_q;

  always_ff @(posedge clk_i) begin
    if (load_i) watched_q <= watched_i;
    field_q    <= u_pair.field[watched];
    in_epoch_q <= in_epoch_i[watched];
  end

  assign watched = (32'(watched_q) < Queues) ? watched_q : '0;

  function automatic logic [9:0] sum_of(logic [8:0] field, logic in_epoch, logic epoch, logic [7:0] timestamp);
    return 10'(field) + {1'b0, in_epoch != epoch, timestamp};
  endfunction

  function automatic logic [7:0] age_of(logic [9:0] sum, logic [8:0] field);
    return (sum[8] | (sum[9] & ~field[8])) ? 8'd255 : sum[7:0];
  endfunction

  logic [9:0] sum, held_sum;
  logic [7:0] age, held_age, first_age, first_age_q;
  logic       waits, waits_q, goes_on, is_served;

  assign sum       = sum_of(u_pair.field[watched], in_epoch_i[watched], epoch_q, timestamp_q);
  assign age       = age_of(sum, u_pair.field[watched]);
  assign held_sum  = sum_of(field_q, in_epoch_q, epoch_q, timestamp_q);
  assign held_age  = age_of(held_sum, field_q);
  assign goes_on   = waits_q & (u_pair.field[watched] == field_q) & (in_epoch_i[watched] == in_epoch_q);
  assign first_age = goes_on ? first_age_q : age;
  assign is_served = u_pair.grant[watched];
  assign waits     = u_pair.active[watched] & ~load_i & ~inhibit_i & is_selected_q &
                     (~u_pair.field[watched][8] | sum[9]) &                      // it came with 0 or more
                     ~(ticks & (timestamp_q == '1) & (in_epoch_i[watched] != epoch_q));

  // `is_selected_q`: the selection bits, all ones, are in force.
  always_ff @(posedge clk_i or negedge u_pair.rst_n) begin
    if (!u_pair.rst_n) is_selected_q <= 1'b0;
    else if (load_i)   is_selected_q <= 1'b1;
  end

  cycles_t waited, waited_q, bound, between;

  assign waited = goes_on ? waited_q : '0;

  always_ff @(posedge clk_i or negedge u_pair.rst_n) begin
    if (!u_pair.rst_n) begin
      waits_q  <= 1'b0;
      waited_q <= '0;
    end else begin
      waits_q  <= waits & ~is_served;
      waited_q <= waited + 1'b1;
    end
  end

  always_ff @(posedge clk_i) first_age_q <= first_age;

  assign bound = cycles_t'(8'd255 - first_age_q) * cycles_t'(period) + cycles_t'(Queues * MaxPacketFlits);

  // How many queues there are between the last winner by age and it.
  assign between = (watched > u_pair.age_pointer) ? cycles_t'(watched) - cycles_t'(u_pair.age_pointer) - 1'b1
                 : cycles_t'(watched) + cycles_t'(Queues - 1) - cycles_t'(u_pair.age_pointer);

  logic is_young_too_long, is_old_too_long, is_impossible;

  assign is_young_too_long = (held_age != 8'd255) &
    ((held_age < first_age_q) |
     (waited_q > cycles_t'(held_age - first_age_q) * cycles_t'(period) + cycles_t'(phase_q)));
  assign is_old_too_long   = (held_age == 8'd255) &
    (waited_q + cycles_t'(on_link) + between * cycles_t'(MaxPacketFlits) >= bound);
  assign is_impossible     = (field_q[8] & ~held_sum[9]) | ~is_selected_q | (u_pair.age_rr_select_q != '1);

  assign waits_too_long_o     = u_pair.lemma_holds & u_pair.rst_n & waits_q & (waited_q > bound);
  assign not_bounded_o        = not_coupled | differs | (u_pair.rst_n & ((phase_q >= period) |
                                (32'(on_link) >= MaxPacketFlits))) |
                                (u_pair.lemma_holds & u_pair.rst_n & waits_q &
                                 (is_young_too_long | is_old_too_long | is_impossible));
  // To be seen: the bound is met; by a head that was younger but for one packet, as its queue was not the last winner.
  assign cover_longest_wait_o = u_pair.rst_n & waits_q & (waited_q + 1'b1 == bound);
  assign cover_ages_first_o   = u_pair.rst_n & waits_q & (waited_q + cycles_t'(MaxPacketFlits) + 1'b1 == bound) &
                                (first_age_q != 8'd255) & (32'(period) == MostPeriod);

endmodule
