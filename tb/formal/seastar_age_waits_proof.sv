// How long a head waits under seastar-age once it is as old as an age can be: each other queue goes before it at most
// once by age. Why: nobody is older, and of those that are as old the first one behind the last winner goes; so it
// waits for the queues between the two, which are one less after each decision.
//
// seastar_age_proof couples the engine and its specification and has the lemma of the keys; the wait is observed here.

module seastar_age_waits_proof #(
  parameter  int unsigned Queues     = 4,
  parameter  int unsigned GroupSize  = Queues,
  localparam int unsigned QueueWidth = qosarb_pkg::index_width(Queues)
) (
  input  logic                   clk_i,
  input  logic                   reset_i,
  input  logic                   load_i,
  input  logic [63:0]            age_rr_select_i,
  input  logic [7:0]             timestamp_i,
  input  logic                   epoch_i,
  input  logic                   inhibit_i,
  input  logic [Queues-1:0]      valid_i,
  input  logic [Queues-1:0]      stopped_i,
  input  logic [Queues-1:0][8:0] field_i,
  input  logic [Queues-1:0]      in_epoch_i,
  input  logic                   request_i,
  input  logic [QueueWidth-1:0]  watched_i,  // the queue that waits

  output logic                   not_bounded_o,
  output logic                   waits_too_long_o,
  output logic                   cover_last_of_all_o
);

  typedef logic [QueueWidth:0] turns_t;

  localparam turns_t Others = turns_t'(Queues - 1);

  logic not_coupled, differs, unused_order, unused_two, unused_inactive, unused_idle, unused_left, unused_older,
        unused_saturated, unused_first;
  logic [Queues+5:0] unused_parts;

  seastar_age_proof #(
    .Queues   (Queues),
    .GroupSize(GroupSize)
  ) u_pair (
    .*,
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

  // The queue, chosen with the selection bits, and how many there are between the last winner by age and it.
  logic [QueueWidth-1:0] watched_q, watched, last;
  turns_t                between, waited;
  logic                  unbounded, too_long;

  always_ff @(posedge clk_i) begin
    if (load_i) watched_q <= watched_i;
  end

  assign watched = (32'(watched_q) < Queues) ? watched_q : '0;
  assign last    = u_pair.age_pointer;
  assign between = (watched > last) ? turns_t'(watched) - turns_t'(last) - 1'b1
                                    : turns_t'(watched) + Others - turns_t'(last);

  waiting #(
    .Width(QueueWidth + 1)
  ) u_waiting (
    .clk_i,
    .rst_ni     (u_pair.rst_n),
    .waits_i    (u_pair.active[watched] & (u_pair.new_age[watched] == 8'd255) & ~load_i),
    .served_i   (u_pair.grant[watched]),
    .sent_i     (turns_t'(u_pair.grant_valid & u_pair.by_age)),
    .ahead_i    (between),
    .highest_i  (Others),
    .unbounded_o(unbounded),
    .too_long_o (too_long),
    .waited_o   (waited)
  );

  // As all else, of runs in which the lemma has held.
  assign waits_too_long_o    = u_pair.lemma_holds & too_long;
  assign not_bounded_o       = not_coupled | differs | (u_pair.lemma_holds & unbounded);
  assign cover_last_of_all_o = u_pair.rst_n & (waited == Others);

endmodule
