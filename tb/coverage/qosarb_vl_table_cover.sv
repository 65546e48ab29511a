// Cover points of qosarb_vl_table: weights of the two tables.

module qosarb_vl_table_cover #(
  parameter int unsigned Queues = 8,
  parameter int unsigned Entries = 64,
  parameter int unsigned SpentWidth = 11,
  parameter int unsigned LeftWidth = 12
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  load_i,
  input  logic [Entries-1:0]    entry_used_i,
  input  logic [Entries-1:0]    behind,
  input  logic                  begins_q,
  input  logic [LeftWidth-1:0]  less_one,
  input  logic [SpentWidth-1:0] spent_i,
  input  logic                  has_left_o,
  input  logic                  goes_on_o,
  input  logic                  send_i,
  input  logic                  end_turn_i,
  input  logic                  ready_o,
  input  logic [7:0]            remaining
);

  logic [Entries-1:0] last_behind_q;  // before the last cycle's search

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_behind_q <= '0;
    else         last_behind_q <= behind;
  end

  goes_on: cover property (@(posedge clk_i) disable iff (!rst_ni) send_i && goes_on_o);
  wraps_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins_q && last_behind_q != '0 && |(behind & ~last_behind_q));
  // The weight is used up by exactly what it allows.
  depletes_exactly: cover property (@(posedge clk_i) disable iff (!rst_ni)
    spent_i != '0 && less_one == '1);
  // The last packet is larger than what was left: rounded up to a whole packet.
  overdrawn: cover property (@(posedge clk_i) disable iff (!rst_ni)
    spent_i != '0 && less_one[LeftWidth-1] && less_one != '1);
  turn_passed_on_inactive: cover property (@(posedge clk_i) disable iff (!rst_ni)
    send_i && ready_o && !goes_on_o && has_left_o);
  turn_ended_early: cover property (@(posedge clk_i) disable iff (!rst_ni)
    end_turn_i && remaining != '0);
  idle_table: cover property (@(posedge clk_i) disable iff (!rst_ni)
    !ready_o && entry_used_i != '0);
  whole_table: cover property (@(posedge clk_i) disable iff (!rst_ni) send_i && ready_o && (&entry_used_i));
  commit_within_turn: cover property (@(posedge clk_i) disable iff (!rst_ni) load_i && has_left_o);

endmodule

bind qosarb_vl_table qosarb_vl_table_cover #(
  .Queues(Queues), .Entries(Entries), .SpentWidth(SpentWidth), .LeftWidth(LeftWidth)
) u_cover (.*);
