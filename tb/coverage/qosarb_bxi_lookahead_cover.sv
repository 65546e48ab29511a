// Cover points of qosarb_bxi_lookahead: turns, deficits, and what the cycle between request and answer
// brings.

module qosarb_bxi_lookahead_cover #(
  parameter int unsigned Queues = 8,
  parameter int unsigned Entries = 64,
  parameter int unsigned QuantumWidth = 16,
  parameter int unsigned RemainingWidth = 17,
  parameter int unsigned DeficitWidth = 10,
  parameter int unsigned FlitsWidth = 10
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      load_i,
  input  logic [Entries-1:0]        entry_used_i,
  input  logic [Queues-1:0]         valid_i,
  input  logic [Queues-1:0]         stopped_i,
  input  logic [Queues-1:0]         next_valid_i,
  input  logic                      request_i,
  input  logic                      grant_valid_o,
  input  logic [Queues-1:0]         grant_o,
  input  logic [Queues-1:0]         second,
  input  logic [Entries-1:0]        current_q,
  input  logic [Entries-1:0]        behind_q,
  input  logic                      current_active_q,
  input  logic                      current_saves_q,
  input  logic [RemainingWidth-1:0] remaining,
  input  logic [DeficitWidth-1:0]   found_extra,
  input  logic [DeficitWidth-1:0]   extra_q,
  input  logic [FlitsWidth-1:0]     spent_q,
  input  logic                      any_behind,
  input  logic                      goes_on,
  input  logic                      idle,
  input  logic                      moved_d,
  input  logic                      saves,
  input  logic                      returns,
  input  logic                      plenty,
  input  logic                      deficits_on
);

  logic [Queues-1:0] last_granted_q;  // by the last cycle's answer
  logic              requested_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_granted_q <= '0;
      requested_q    <= 1'b0;
    end else begin
      last_granted_q <= grant_o;
      requested_q    <= request_i & ~load_i;
    end
  end

  turn_goes_on: cover property (@(posedge clk_i) disable iff (!rst_ni) grant_valid_o && goes_on);
  turn_with_plenty: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && goes_on && plenty);
  first_turn: cover property (@(posedge clk_i) disable iff (!rst_ni) moved_d && current_q == '0);
  wraps_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
    moved_d && behind_q != '0 && !any_behind);
  depletes_exactly: cover property (@(posedge clk_i) disable iff (!rst_ni)
    spent_q != '0 && remaining == '0);
  deficit_saved: cover property (@(posedge clk_i) disable iff (!rst_ni)
    moved_d && saves && remaining != '0 && !returns);
  deficit_granted: cover property (@(posedge clk_i) disable iff (!rst_ni)
    moved_d && found_extra != '0);
  // Nobody else has a candidate: the entry follows itself, with what remained.
  returns_with_deficit: cover property (@(posedge clk_i) disable iff (!rst_ni)
    returns && remaining != '0);
  // bxi-basic: what remains is lost.
  no_deficits: cover property (@(posedge clk_i) disable iff (!rst_ni)
    moved_d && current_active_q && remaining != '0 && !deficits_on);
  turn_lost: cover property (@(posedge clk_i) disable iff (!rst_ni)
    moved_d && !current_active_q && remaining != '0);
  too_long_saves_nothing: cover property (@(posedge clk_i) disable iff (!rst_ni)
    moved_d && deficits_on && current_active_q && !current_saves_q && remaining != '0);
  // Quantum and deficit need one bit more than a quantum.
  above_a_quantum: cover property (@(posedge clk_i) disable iff (!rst_ni)
    (remaining >> QuantumWidth) != '0);
  // The deficit is added while the next packet of the turn wins.
  extra_and_grant: cover property (@(posedge clk_i) disable iff (!rst_ni)
    extra_q != '0 && grant_valid_o && goes_on);
  // The packet behind the head that is granted is the next candidate, or there is none.
  second_follows: cover property (@(posedge clk_i) disable iff (!rst_ni) |(grant_o & second));
  queue_empties: cover property (@(posedge clk_i) disable iff (!rst_ni)
    request_i && |(grant_o & valid_i & ~stopped_i & ~next_valid_i));
  granted_twice_running: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |(last_granted_q & grant_o));
  // The stop comes between request and answer.
  stop_on_granted: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |(grant_o & valid_i & stopped_i));
  nobody_active: cover property (@(posedge clk_i) disable iff (!rst_ni) requested_q && idle);
  one_entry: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && entry_used_i == Entries'(1));
  whole_table: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && (&entry_used_i));
  commit_with_grant: cover property (@(posedge clk_i) disable iff (!rst_ni)
    load_i && grant_valid_o);
  commit_with_request: cover property (@(posedge clk_i) disable iff (!rst_ni)
    load_i && request_i && |(valid_i & ~stopped_i));

endmodule

bind qosarb_bxi_lookahead qosarb_bxi_lookahead_cover #(
  .Queues(Queues), .Entries(Entries), .QuantumWidth(QuantumWidth),
  .RemainingWidth(RemainingWidth), .DeficitWidth(DeficitWidth), .FlitsWidth(FlitsWidth)
) u_cover (.*);
