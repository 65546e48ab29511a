// seastar-age: the oldest packet first, at an output port (Cray XT paper, Procedure 2).
//
// A candidate's stamp is (age - timestamp) mod 512 as it arrived, and the epoch of its arrival; see
// qosarb_age_input. Its new age is that field plus the timestamp, plus 256 if the epoch has changed
// since, at most 255. qosarb_age_clock lets no packet see a second change.
// Algorithm:
//   1. The order among new ages is that of the fields, taken as signed, with 256 added to those
//      of the other epoch: all candidates age alike. Which are as old as an age can be is found
//      beside it: 255 less the timestamp is the timestamp inverted. So there is no sum before the
//      search.
//   2. The clock is inhibited: round robin among the active candidates of the other epoch, or among
//      all active ones when there is none of those.
//   3. Else bit g of `age_rr_select_i` says, for a grant after g others (modulo 64): by age, ties
//      to the first behind the last one chosen by age; or round robin.
//   4. The searches for all three run side by side: by age, round robin among those of the other
//      epoch, round robin among all. Which of them counts selects among their winners only. Each of
//      the two positions moves when it was the one used.
// The winner's new age is summed up behind the port's grant, in qosarb_age_output.
// Bound: one decision a cycle, every cycle. By age, a head of age 255 loses to each other queue once at most; see
// docs/policies/seastar-age.md. State: two positions of one bit a queue, a counter of six bits, two bits ahead of it.
// Paper: D. Abts, D. Weisser, "Age-based packet arbitration in large-radix k-ary n-cubes", SC 2007.

module qosarb_seastar_age #(
  parameter  int unsigned Queues     = 28,
  parameter  int unsigned GroupSize  = Queues,  // of the search by age; see qosarb_rotating_max
  localparam int unsigned QueueWidth = qosarb_pkg::index_width(Queues)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // The configuration in force. A cycle with `load_i` is the last one of what stands in it; at its
  // end the state starts over.
  input  logic                   load_i,
  input  logic [63:0]            age_rr_select_i,

  // The chip's age clock.
  input  logic [7:0]             timestamp_i,
  input  logic                   epoch_i,
  input  logic                   inhibit_i,

  // The candidates: the head of each queue, its stop, its stamp.
  input  logic [Queues-1:0]      valid_i,
  input  logic [Queues-1:0]      stopped_i,
  input  logic [Queues-1:0][8:0] field_i,
  input  logic [Queues-1:0]      in_epoch_i,

  // The link can take a packet; the answer comes in the same cycle.
  input  logic                   request_i,
  output logic                   grant_valid_o,
  output logic [Queues-1:0]      grant_o,
  output logic [QueueWidth-1:0]  grant_queue_o,

  // State, for reading.
  output logic [QueueWidth-1:0]  last_rr_o,
  output logic [QueueWidth-1:0]  last_age_o,
  output logic [5:0]             grants_o
);

  if (Queues < 1 || Queues > 256) begin : g_check_queues
    $error("qosarb_seastar_age: Queues must be within 1..256");
  end

  // Nothing is granted in a reset, which needs no edge of the clock.
  logic request;

  assign request = request_i & rst_ni;

  localparam logic [Queues-1:0] AllQueues    = '1;
  localparam logic [Queues-1:0] HighestQueue = ~(AllQueues >> 1);

  // 3. Whether the next grant goes by age. The bit is looked up a cycle ahead, but for the first
  // cycle of a configuration.
  logic [5:0] grants_d, grants_q;
  logic       fresh_q, by_age_d, by_age_q, by_age;

  assign by_age   = ~inhibit_i & (fresh_q ? age_rr_select_i[0] : by_age_q);
  assign by_age_d = grant_valid_o ? age_rr_select_i[grants_q + 1'b1] : age_rr_select_i[grants_q];

  // 1. The new ages, as far as their order goes.
  logic [Queues-1:0]      active, other_epoch, oldest;
  logic [Queues-1:0][8:0] key;

  assign active      = valid_i & ~stopped_i;
  assign other_epoch = in_epoch_i ^ {Queues{epoch_i}};
  for (genvar q = 0; q < Queues; q++) begin : g_candidate
    // The field plus 256, plus 256 in the other epoch; the top bit, left out, means age 255.
    assign key[q]    = {other_epoch[q] ^ ~field_i[q][8], field_i[q][7:0]};
    assign oldest[q] = (other_epoch[q] & ~field_i[q][8]) |
                       (key[q][8] & (key[q][7:0] >= ~timestamp_i));
  end

  // 4. The searches. The position of the round robin is kept as the queues behind it.
  logic [Queues-1:0] last_age_d, last_age_q;  // one-hot
  logic [Queues-1:0] behind_rr_d, behind_rr_q, behind_age;
  logic [Queues-1:0] oldest_first, others_first, all_first, behind_others, behind_all, winner;
  logic              any_other, any_active, others_go_first;

  qosarb_onehot_to_behind #(
    .Width(Queues)
  ) u_behind_age (
    .onehot_i(last_age_q),
    .behind_o(behind_age)
  );

  qosarb_rotating_max #(
    .Width    (Queues),
    .KeyWidth (9),
    .GroupSize(GroupSize)
  ) u_oldest (
    .request_i(active),
    .top_i    (oldest),
    .key_i    (key),
    .behind_i (behind_age),
    .any_o    (any_active),
    .grant_o  (oldest_first)
  );

  logic              unused_any_active, unused_others_payload, unused_all_payload;
  logic [Queues-1:0] unused_others_passed, unused_all_passed;

  qosarb_rotating_priority #(
    .Width(Queues)
  ) u_others (
    .request_i(active & other_epoch),
    .behind_i (behind_rr_q),
    .payload_i('0),
    .any_o    (any_other),
    .grant_o  (others_first),
    .payload_o(unused_others_payload),
    .behind_o (behind_others),
    .passed_o (unused_others_passed)
  );

  qosarb_rotating_priority #(
    .Width(Queues)
  ) u_all (
    .request_i(active),
    .behind_i (behind_rr_q),
    .payload_i('0),
    .any_o    (unused_any_active),
    .grant_o  (all_first),
    .payload_o(unused_all_payload),
    .behind_o (behind_all),
    .passed_o (unused_all_passed)
  );

  assign others_go_first = inhibit_i & any_other;
  assign winner          = by_age ? oldest_first : others_go_first ? others_first : all_first;

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_winner_index (
    .onehot_i(winner),
    .index_o (grant_queue_o)
  );

  assign grant_valid_o = request & any_active;
  assign grant_o       = winner & {Queues{grant_valid_o}};

  always_comb begin
    behind_rr_d = behind_rr_q;
    last_age_d  = last_age_q;
    grants_d    = grants_q;
    if (load_i) begin
      behind_rr_d = '0;
      last_age_d  = HighestQueue;
      grants_d    = '0;
    end else if (grant_valid_o) begin
      if (by_age) last_age_d  = oldest_first;
      else        behind_rr_d = others_go_first ? behind_others : behind_all;
      grants_d = grants_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      behind_rr_q <= '0;
      last_age_q  <= HighestQueue;
      grants_q    <= '0;
      fresh_q     <= 1'b1;
      by_age_q    <= 1'b0;
    end else begin
      behind_rr_q <= behind_rr_d;
      last_age_q  <= last_age_d;
      grants_q    <= grants_d;
      fresh_q     <= load_i;
      by_age_q    <= by_age_d;
    end
  end

  // For reading. The last winner by round robin is the highest queue that is not in `behind_rr_q`.
  logic [Queues-1:0] last_rr;

  assign last_rr = ~behind_rr_q & ~(~behind_rr_q >> 1);

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_last_rr_index (
    .onehot_i(last_rr),
    .index_o (last_rr_o)
  );

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_last_age_index (
    .onehot_i(last_age_q),
    .index_o (last_age_o)
  );

  assign grants_o = grants_q;

endmodule
