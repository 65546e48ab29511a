// qosarb_seastar_age and, behind its grant, qosarb_age_output beside their specification: any selection bits,
// which change by loads only, any traffic and stops, any state of the age clock, and a reset at any time.

module seastar_age_proof #(
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

  output logic                   order_differs_o,
  output logic                   not_coupled_o,
  output logic [Queues+5:0]      parts_o,
  output logic                   differs_o,
  output logic                   two_grants_o,
  output logic                   grant_to_inactive_o,
  output logic                   idle_with_active_o,
  output logic                   leaves_with_another_age_o,
  output logic                   older_passed_o,
  output logic                   cover_saturated_o,
  output logic                   cover_others_first_o
);

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  logic [63:0] age_rr_select_q;
  always_ff @(posedge clk_i) begin
    if (load_i) age_rr_select_q <= age_rr_select_i;
  end

  // The stamps. A field is the age with which the packet arrived, its bias included, less the timestamp then,
  // thus within -255..255. In its own epoch no packet has arrived later than now, so that it is not below
  // -timestamp; of the other epoch it may have arrived at any time. That the epoch changes once at most while a
  // packet waits is the age clock's part.
  logic [Queues-1:0]      active;
  logic [Queues-1:0][8:0] field;

  assign active = valid_i & ~stopped_i;
  for (genvar q = 0; q < Queues; q++) begin : g_head
    logic [8:0] negated;
    assign negated  = -field_i[q];
    assign field[q] = (field_i[q][8] && negated > ((in_epoch_i[q] == epoch_i) ? {1'b0, timestamp_i} : 9'd255))
                          ? '0 : field_i[q];
  end

  logic                   grant_valid, expected_valid, by_age;
  logic [Queues-1:0]      grant;
  logic [QueueWidth-1:0]  grant_queue, expected_queue, last_rr, last_age, rr_pointer, age_pointer;
  logic [5:0]             grants, expected_grants;
  logic [Queues-1:0][7:0] new_age;
  logic                   left, left_epoch, others_wait;
  logic [7:0]             left_age;

  seastar_age_port #(
    .Queues   (Queues),
    .GroupSize(GroupSize)
  ) u_engine (
    .clk_i,
    .rst_ni         (rst_n),
    .load_i,
    .age_rr_select_i(age_rr_select_q),
    .timestamp_i,
    .epoch_i,
    .inhibit_i,
    .valid_i,
    .stopped_i,
    .field_i        (field),
    .in_epoch_i,
    .request_i,
    .grant_valid_o  (grant_valid),
    .grant_o        (grant),
    .grant_queue_o  (grant_queue),
    .last_rr_o      (last_rr),
    .last_age_o     (last_age),
    .grants_o       (grants),
    .left_o         (left),
    .left_epoch_o   (left_epoch),
    .left_age_o     (left_age),
    .others_wait_o  (others_wait)
  );

  seastar_age_semantics #(
    .Queues(Queues)
  ) u_semantics (
    .clk_i,
    .rst_ni         (rst_n),
    .load_i,
    .age_rr_select_i(age_rr_select_q),
    .timestamp_i,
    .epoch_i,
    .inhibit_i,
    .active_i       (active),
    .field_i        (field),
    .in_epoch_i,
    .request_i,
    .grant_valid_o  (expected_valid),
    .grant_queue_o  (expected_queue),
    .by_age_o       (by_age),
    .new_age_o      (new_age),
    .rr_pointer_o   (rr_pointer),
    .age_pointer_o  (age_pointer),
    .grants_o       (expected_grants)
  );

  // What has left, as specified, a cycle later.
  logic       left_q, left_epoch_q, others_wait_q;
  logic [7:0] left_age_q;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      left_q        <= 1'b0;
      others_wait_q <= 1'b0;
    end else begin
      left_q        <= expected_valid;
      others_wait_q <= (valid_i & (in_epoch_i ^ {Queues{epoch_i}})) != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    left_epoch_q <= in_epoch_i[expected_queue];
    left_age_q   <= new_age[expected_queue];
  end

  // Lemma, of any two heads: the order of the engine's keys is that of the new ages, which are sums, and so are those
  // that are alike; and of two of one epoch the older one, by the age that it arrived with and the time since, has the
  // greater new age, unless both are as old as an age can be. The order is one: of any two one is greater, or they are
  // alike, and who is not less than one is not less than those that that one is not less than. It is proved by itself;
  // the other claims are made of runs in which it has held so far, which are all then.
  logic order_differs, lemma_held_q, lemma_holds;

  always_comb begin
    order_differs = 1'b0;
    for (int unsigned i = 0; i < Queues; i++) begin
      for (int unsigned j = 0; j < Queues; j++) begin
        automatic logic top_i = u_engine.u_arbiter.oldest[i];
        automatic logic top_j = u_engine.u_arbiter.oldest[j];
        automatic logic greater = u_engine.u_arbiter.key[i] > u_engine.u_arbiter.key[j];
        automatic logic equal   = u_engine.u_arbiter.key[i] == u_engine.u_arbiter.key[j];
        order_differs |= (new_age[i] > new_age[j]) != ((top_i & ~top_j) | (~top_i & ~top_j & greater));
        order_differs |= (new_age[i] == new_age[j]) != ((top_i & top_j) | (~top_i & ~top_j & equal));
        if (in_epoch_i[i] == in_epoch_i[j] && $signed(field[i]) > $signed(field[j]) && new_age[j] != 8'd255) begin
          order_differs |= new_age[i] <= new_age[j];
        end
        order_differs |= (new_age[i] == new_age[j]) != (~(new_age[i] > new_age[j]) & ~(new_age[j] > new_age[i]));
        for (int unsigned k = 0; k < Queues; k++) begin
          order_differs |= ~(new_age[j] > new_age[i]) & ~(new_age[k] > new_age[j]) & (new_age[k] > new_age[i]);
        end
      end
    end
  end
  assign order_differs_o = rst_n & order_differs;

  initial lemma_held_q = 1'b1;
  always_ff @(posedge clk_i) lemma_held_q <= lemma_holds;
  assign lemma_holds = lemma_held_q & ~order_differs_o;

  // Coupling. The pointers and the counter are the specification's; the bit looked up ahead is the next one.
  logic [Queues-1:0] behind;
  logic              state_equal;

  for (genvar q = 0; q < Queues; q++) begin : g_behind
    assign behind[q] = q > 32'(rr_pointer);
  end

  assign state_equal = (u_engine.u_arbiter.behind_rr_q == behind) & (last_rr == rr_pointer) &
                       (u_engine.u_arbiter.last_age_q == (Queues'(1) << age_pointer)) & (last_age == age_pointer) &
                       (grants == expected_grants) & (32'(rr_pointer) < Queues) & (32'(age_pointer) < Queues) &
                       (u_engine.u_arbiter.fresh_q ? (grants == '0) : (u_engine.u_arbiter.by_age_q == age_rr_select_q[grants]));

  assign leaves_with_another_age_o = rst_n & lemma_holds & ((left != left_q) | (others_wait != others_wait_q) |
                                              (left_q & ((left_age != left_age_q) | (left_epoch != left_epoch_q))));

  // What is decided now follows from the state, and the next state from that: whom each of the three searches finds,
  // and with it whom the specification's loops do.
  logic [QueueWidth-1:0]  first_oldest, first_other, first_of_all, first;
  logic                   any_oldest, any_other, any_active;
  logic [Queues-1:0]      other_epoch, oldest_equal, unused_passed_oldest, unused_passed_other, unused_passed_of_all;
  logic                   others_equal, all_equal, some_oldest, winner_equal;

  assign other_epoch = in_epoch_i ^ {Queues{epoch_i}};

  circular_search #(
    .Width(Queues)
  ) u_first_oldest (
    .request_i (u_semantics.greatest),
    .position_i(age_pointer),
    .any_o     (any_oldest),
    .index_o   (first_oldest),
    .passed_o  (unused_passed_oldest)
  );

  circular_search #(
    .Width(Queues)
  ) u_first_other (
    .request_i (active & other_epoch),
    .position_i(rr_pointer),
    .any_o     (any_other),
    .index_o   (first_other),
    .passed_o  (unused_passed_other)
  );

  circular_search #(
    .Width(Queues)
  ) u_first_of_all (
    .request_i (active),
    .position_i(rr_pointer),
    .any_o     (any_active),
    .index_o   (first_of_all),
    .passed_o  (unused_passed_of_all)
  );

  for (genvar q = 0; q < Queues; q++) begin : g_oldest
    assign oldest_equal[q] = u_engine.u_arbiter.oldest_first[q] == (any_oldest & (32'(first_oldest) == q));
  end

  assign others_equal = u_engine.u_arbiter.others_first == (Queues'(any_other) << first_other);
  assign all_equal    = u_engine.u_arbiter.all_first == (Queues'(any_active) << first_of_all);
  assign some_oldest  = any_oldest == any_active;
  assign first        = by_age ? first_oldest : (inhibit_i & any_other) ? first_other : first_of_all;
  assign winner_equal = (expected_valid == (request_i & any_active)) & (~expected_valid | (expected_queue == first));

  by_parts #(
    .Parts(Queues + 5)
  ) u_parts (
    .clk_i,
    .rst_n,
    .holds        ({winner_equal, some_oldest, oldest_equal, all_equal, others_equal, state_equal} |
                   {(Queues + 5){~lemma_holds}}),
    .fails        (lemma_holds & (differs_o | two_grants_o | grant_to_inactive_o | idle_with_active_o |
                                   leaves_with_another_age_o | older_passed_o)),
    .not_coupled_o,
    .parts_o
  );

  // Properties of the engine's outputs.
  logic grants_differ;

  grant_properties #(
    .Queues(Queues)
  ) u_properties (.*, .asked(request_i), .served('1), .differs_o(grants_differ));

  assign differs_o = grants_differ & lemma_holds;

  // Age-based, no packet passes an older one of its epoch, older meaning the age that it arrived with plus the
  // time since, which is the field plus what all of the epoch have in common. Those that are as old as an age can
  // be, 255, are alike.
  always_comb begin
    older_passed_o = 1'b0;
    for (int unsigned winner = 0; winner < Queues; winner++) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        if (grant[winner] && by_age && active[q] && in_epoch_i[q] == in_epoch_i[winner] &&
            $signed(field[q]) > $signed(field[winner]) && new_age[winner] != 8'd255) begin
          older_passed_o = rst_n & lemma_holds;
        end
      end
    end
  end

  // To be seen: by age the oldest age wins; inhibited, the other epoch goes first although others are active.
  assign cover_saturated_o    = rst_n & grant_valid & by_age & (new_age[expected_queue] == 8'd255);
  assign cover_others_first_o = rst_n & grant_valid & inhibit_i & (in_epoch_i[expected_queue] != epoch_i) &
                                ((active & ~(in_epoch_i ^ {Queues{epoch_i}})) != '0);

endmodule
