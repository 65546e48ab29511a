// Cover points of qosarb_dtable_lookahead: turns of service levels, deficits, and what the cycle between
// request and answer brings.

module qosarb_dtable_lookahead_cover #(
  parameter int unsigned Queues = 8,
  parameter int unsigned Entries = 128,
  parameter int unsigned QuantumWidth = 16,
  parameter int unsigned RemainingWidth = 17,
  parameter int unsigned DeficitWidth = 10
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                load_i,
  input  logic [Entries-1:0]                  entry_used_i,
  input  logic [Queues-1:0]                   valid_i,
  input  logic [Queues-1:0]                   stopped_i,
  input  logic                                request_i,
  input  logic                                request_q,
  input  logic                                grant_valid_o,
  input  logic [Queues-1:0]                   grant_o,
  input  logic [Queues-1:0]                   next_valid_i,
  input  logic [Queues-1:0]                   after_grant,
  input  logic [Queues-1:0]                   turn_queues_q,
  input  logic [Queues-1:0]                   turn_grant,
  input  logic [Queues-1:0]                   found_queues,
  input  logic [Queues-1:0]                   found_grant,
  input  logic [Queues-1:0][DeficitWidth-1:0] deficit,
  input  logic [Entries-1:0]                  behind_q,
  input  logic [Entries-1:0]                  behind_d,
  input  logic [RemainingWidth-1:0]           remaining,
  input  logic                                plenty_q,
  input  logic                                goes_on,
  input  logic                                begins,
  input  logic                                ends,
  input  logic                                overdrawn,
  input  logic                                saves
);

  logic [Queues-1:0]       last_granted_q;  // by the last cycle's answer
  logic [DeficitWidth-1:0] extra;           // the deficit of the SL that begins
  logic                    turn_ends;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_granted_q <= '0;
    else         last_granted_q <= grant_o;
  end

  always_comb begin
    extra = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      extra |= deficit[q] & {DeficitWidth{found_grant[q] & begins}};
    end
  end

  assign turn_ends = ends && turn_queues_q != '0;

  turn_goes_on: cover property (@(posedge clk_i) disable iff (!rst_ni) grant_valid_o && goes_on);
  turn_with_plenty: cover property (@(posedge clk_i) disable iff (!rst_ni) goes_on && plenty_q);
  // Two queues of one SL, one after the other within a turn.
  turn_over_two_queues: cover property (@(posedge clk_i) disable iff (!rst_ni)
    goes_on && last_granted_q != '0 && (grant_o & last_granted_q) == '0);
  depletes_exactly: cover property (@(posedge clk_i) disable iff (!rst_ni)
    last_granted_q != '0 && remaining == '0 && !overdrawn);
  // A too long head takes more than a turn has.
  turn_overdrawn: cover property (@(posedge clk_i) disable iff (!rst_ni)
    last_granted_q != '0 && overdrawn);
  deficit_saved: cover property (@(posedge clk_i) disable iff (!rst_ni)
    turn_ends && saves && remaining != '0);
  // The SL has no active queue any more, or its head is too long.
  deficit_lost: cover property (@(posedge clk_i) disable iff (!rst_ni)
    turn_ends && turn_grant == '0 && remaining != '0);
  too_long_saves_nothing: cover property (@(posedge clk_i) disable iff (!rst_ni)
    turn_ends && turn_grant != '0 && !saves && remaining != '0);
  deficit_granted: cover property (@(posedge clk_i) disable iff (!rst_ni) begins && extra != '0);
  ends_without_successor: cover property (@(posedge clk_i) disable iff (!rst_ni)
    turn_ends && !grant_valid_o);
  same_sl_again: cover property (@(posedge clk_i) disable iff (!rst_ni)
    turn_ends && begins && found_queues == turn_queues_q);
  wraps_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins && behind_q != '0 && |(behind_d & ~behind_q));
  above_a_weight: cover property (@(posedge clk_i) disable iff (!rst_ni)
    (remaining >> QuantumWidth) != '0);
  // The packet behind the head that is granted is the next candidate.
  second_follows: cover property (@(posedge clk_i) disable iff (!rst_ni) |(grant_o & next_valid_i & after_grant));
  // The grant leaves nobody of its SL active.
  turn_empties_its_sl: cover property (@(posedge clk_i) disable iff (!rst_ni)
    goes_on && (turn_queues_q & after_grant) == '0);
  begin_empties_its_sl: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins && (found_queues & after_grant) == '0);
  granted_twice_running: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |(last_granted_q & grant_o));
  // The stop comes between request and answer.
  stop_on_granted: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |(grant_o & valid_i & stopped_i));
  nobody_active: cover property (@(posedge clk_i) disable iff (!rst_ni)
    request_q && !grant_valid_o);
  one_entry: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && entry_used_i == Entries'(1));
  whole_table: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && (&entry_used_i));
  commit_with_grant: cover property (@(posedge clk_i) disable iff (!rst_ni)
    load_i && grant_valid_o);
  commit_with_request: cover property (@(posedge clk_i) disable iff (!rst_ni)
    load_i && request_i && |(valid_i & ~stopped_i));

endmodule

bind qosarb_dtable_lookahead qosarb_dtable_lookahead_cover #(
  .Queues(Queues), .Entries(Entries), .QuantumWidth(QuantumWidth),
  .RemainingWidth(RemainingWidth), .DeficitWidth(DeficitWidth)
) u_cover (.found_queues(found.served.queues), .found_grant(found.grant), .*);
