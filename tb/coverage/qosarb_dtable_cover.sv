// Cover points of qosarb_dtable: turns of service levels, and deficits.

module qosarb_dtable_cover #(
  parameter int unsigned Queues = 8,
  parameter int unsigned Entries = 128,
  parameter int unsigned QuantumWidth = 16,
  parameter int unsigned RemainingWidth = 17,
  parameter int unsigned DeficitWidth = 10
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                load_i,
  input  logic [Queues-1:0]                   valid_i,
  input  logic [Queues-1:0]                   stopped_i,
  input  logic                                grant_valid_o,
  input  logic [Queues-1:0]                   grant_o,
  input  logic [Entries-1:0]                  entry_used_i,
  input  logic [Entries-1:0]                  behind,
  input  logic [Queues-1:0]                   turn_queues_q,
  input  logic [Queues-1:0]                   served_queues,
  input  logic [RemainingWidth-1:0]           remaining,
  input  logic [Queues-1:0][DeficitWidth-1:0] deficit,
  input  logic                                begins_q,
  input  logic                                plenty,
  input  logic                                goes_on,
  input  logic                                ends
);

  logic [Queues-1:0]       last_granted_q;  // by the last cycle's grant
  logic [Entries-1:0]      last_behind_q;   // before it
  logic [DeficitWidth-1:0] extra;           // the deficit of the queue granted
  logic                    turn_ends, turn_active;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_granted_q <= '0;
      last_behind_q  <= '0;
    end else begin
      last_granted_q <= grant_o;
      last_behind_q  <= behind;
    end
  end

  always_comb begin
    extra = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      extra |= deficit[q] & {DeficitWidth{last_granted_q[q]}};
    end
  end

  assign turn_ends   = ends && turn_queues_q != '0;
  assign turn_active = |(turn_queues_q & valid_i & ~stopped_i);

  turn_goes_on: cover property (@(posedge clk_i) disable iff (!rst_ni) grant_valid_o && goes_on);
  turn_with_plenty: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && goes_on && plenty);
  // Two queues of one SL, one after the other within a turn.
  turn_over_two_queues: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && goes_on && last_granted_q != '0 && (grant_o & last_granted_q) == '0);
  depletes_exactly: cover property (@(posedge clk_i) disable iff (!rst_ni)
    last_granted_q != '0 && remaining == '0);
  deficit_saved: cover property (@(posedge clk_i) disable iff (!rst_ni)
    turn_ends && turn_active && remaining != '0);
  deficit_of_zero: cover property (@(posedge clk_i) disable iff (!rst_ni)
    turn_ends && turn_active && remaining == '0);
  // The SL has no active queue any more.
  deficit_lost: cover property (@(posedge clk_i) disable iff (!rst_ni)
    turn_ends && !turn_active && remaining != '0);
  deficit_granted: cover property (@(posedge clk_i) disable iff (!rst_ni) begins_q && extra != '0);
  ends_without_successor: cover property (@(posedge clk_i) disable iff (!rst_ni)
    turn_ends && !grant_valid_o);
  same_sl_again: cover property (@(posedge clk_i) disable iff (!rst_ni)
    turn_ends && grant_valid_o && served_queues == turn_queues_q);
  wraps_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins_q && last_behind_q != '0 && |(behind & ~last_behind_q));
  above_a_weight: cover property (@(posedge clk_i) disable iff (!rst_ni)
    (remaining >> QuantumWidth) != '0);
  one_entry: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && entry_used_i == Entries'(1));
  whole_table: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && (&entry_used_i));
  commit_within_turn: cover property (@(posedge clk_i) disable iff (!rst_ni)
    load_i && remaining != '0 && turn_queues_q != '0);

endmodule

bind qosarb_dtable qosarb_dtable_cover #(
  .Queues(Queues), .Entries(Entries), .QuantumWidth(QuantumWidth),
  .RemainingWidth(RemainingWidth), .DeficitWidth(DeficitWidth)
) u_cover (.*);

bind qosarb_dtable qosarb_candidates_cover #(
  .Queues(Queues)
) u_candidates_cover (.*);
