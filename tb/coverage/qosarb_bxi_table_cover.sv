// Cover points of qosarb_bxi_table: turns and deficits.

module qosarb_bxi_table_cover #(
  parameter int unsigned Queues = 8,
  parameter int unsigned Entries = 64,
  parameter int unsigned QuantumWidth = 16,
  parameter int unsigned MaxPacketFlits = 1023,
  parameter int unsigned RemainingWidth = 17,
  parameter int unsigned DeficitWidth = 10
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      load_i,
  input  logic [Queues-1:0]         valid_i,
  input  logic [Queues-1:0]         stopped_i,
  input  logic                      grant_valid_o,
  input  logic [Entries-1:0]        entry_used_i,
  input  logic [Queues-1:0]         granted_q,
  input  logic [Queues-1:0]         queue_q,
  input  logic [Entries-1:0]        current_q,
  input  logic [Entries-1:0]        behind_q,
  input  logic [Entries-1:0]        found,
  input  logic [Entries-1:0]        passed,
  input  logic [Entries-1:0]        saved_q,
  input  logic [RemainingWidth-1:0] remaining,
  input  logic [DeficitWidth-1:0]   found_deficit,
  input  logic [DeficitWidth-1:0]   extra_q,
  input  logic                      goes_on,
  input  logic                      begins,
  input  logic                      saves,
  input  logic                      returns,
  input  logic                      plenty,
  input  logic                      current_active,
  input  logic                      deficits_on
);

  turn_goes_on: cover property (@(posedge clk_i) disable iff (!rst_ni) grant_valid_o && goes_on);
  // The quantum is beyond two packets, so that no head is compared with it.
  turn_with_plenty: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && goes_on && plenty);
  // Past the last entry, to one before the current.
  wraps_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins && behind_q != '0 && |(found & ~behind_q & ~current_q));
  // A turn is used up to the last flit.
  depletes_exactly: cover property (@(posedge clk_i) disable iff (!rst_ni)
    granted_q != '0 && remaining == '0);
  depleted_and_others: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins && remaining == '0 && current_active && !returns);
  deficit_saved: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins && saves && remaining != '0 && !returns);
  deficit_of_zero: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins && saves && remaining == '0 && !returns);
  deficit_granted: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins && found_deficit != '0);
  // An entry with a deficit is passed over while it is inactive.
  deficit_dropped: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins && |(saved_q & passed));
  // Nobody else is active: the entry follows itself, with what remained.
  returns_with_deficit: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins && returns && saves && remaining != '0);
  returns_without_deficits: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins && returns && current_active && !deficits_on);
  // bxi-basic: what remains is lost.
  no_deficits: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins && current_active && remaining != '0 && !deficits_on);
  // The turn ends because its queue is stopped.
  turn_lost_by_stop: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins && remaining != '0 && |(queue_q & valid_i & stopped_i));
  turn_lost_by_empty: cover property (@(posedge clk_i) disable iff (!rst_ni)
    begins && remaining != '0 && current_q != '0 && (queue_q & valid_i) == '0);
  // Quantum and deficit need one bit more than a quantum.
  above_a_quantum: cover property (@(posedge clk_i) disable iff (!rst_ni)
    (remaining >> QuantumWidth) != '0);
  // The deficit is added while the next packet of the turn wins.
  extra_and_grant: cover property (@(posedge clk_i) disable iff (!rst_ni)
    extra_q != '0 && grant_valid_o && goes_on);
  first_turn: cover property (@(posedge clk_i) disable iff (!rst_ni) begins && current_q == '0);
  one_entry: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && entry_used_i == Entries'(1));
  whole_table: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && (&entry_used_i));
  commit_within_turn: cover property (@(posedge clk_i) disable iff (!rst_ni)
    load_i && remaining != '0 && current_active);

endmodule

bind qosarb_bxi_table qosarb_bxi_table_cover #(
  .Queues(Queues), .Entries(Entries), .QuantumWidth(QuantumWidth),
  .MaxPacketFlits(MaxPacketFlits), .RemainingWidth(RemainingWidth), .DeficitWidth(DeficitWidth)
) u_cover (.*);

bind qosarb_bxi_table qosarb_candidates_cover #(
  .Queues(Queues)
) u_candidates_cover (.*);
