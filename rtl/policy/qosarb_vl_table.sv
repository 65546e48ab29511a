// One VL arbitration table of qosarb_infiniband, high or low.
//
// Algorithm, all entries side by side:
//   1. An entry can send when its weight is not 0 and its VL is active. The table is ready when one
//      of them can.
//   2. If weight is left to the current entry and its VL is active, it sends again.
//   3. Else the first entry behind it that can send begins a turn with its weight, circularly, the
//      current one being the last in that order.
//   4. A packet is paid for in the cycle after its grant, while the next search runs. So an entry
//      whose weight is used up needs no step of its own: 3 goes on with the next one.
// Whoever chooses between the tables tells by `send_i` that this one's packet is sent, if it has
// one. That is known hardly before the search has its winner, so it only lets pass what the
// current entry or the search would send. What the search found is noted whatever comes of it, and
// whether a turn began with it; the next cycle takes it into account.
// With IdleAfterLoad the VL of each entry, one-hot, stands in a register. In the cycle after a load it is still that
// of the old table, after a reset of none, and nothing may be sent.
// Bound: a table that is chosen in every cycle serves an entry after at most the sum of the other
// weights, each of them rounded up to whole packets.

module qosarb_vl_table #(
  parameter  int unsigned Queues        = 8,
  parameter  int unsigned Entries       = 64,
  parameter  int unsigned SpentWidth    = 11,
  parameter  bit          IdleAfterLoad = 1'b0,  // nothing is sent in the cycle after a load or a reset
  localparam int unsigned QueueWidth    = qosarb_pkg::index_width(Queues)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,

  // The table in force. A cycle with `load_i` is the last of the table that stands in it; at its
  // end the state starts over.
  input  logic                               load_i,
  input  logic [Entries-1:0]                 entry_used_i,
  input  logic [Entries-1:0][QueueWidth-1:0] entry_vl_i,
  input  logic [Entries-1:0][7:0]            entry_weight_i,  // units of 64 bytes

  // What the table sent in the last cycle, in units.
  input  logic [SpentWidth-1:0]              spent_i,

  input  logic [Queues-1:0]                  active_i,
  output logic                               ready_o,
  output logic                               goes_on_o,  // with the current entry

  // What becomes of it: this table sends if it is ready, or the current entry's turn is over before
  // its weight is.
  input  logic                               send_i,
  input  logic                               end_turn_i,
  output logic [Queues-1:0]                  vl_o,        // what it sends from, one-hot or none
  output logic [QueueWidth-1:0]              vl_index_o,  // the same as a number, or 0

  // State, for reading. With nothing left, it is the turn of the entry behind the current one.
  output logic                               has_left_o,
  output logic [7:0]                         current_o,
  output logic [7:0]                         remaining_o
);

  if (Queues < 1 || Entries < 1 || Entries > 256) begin : g_check_sizes
    $error("qosarb_vl_table: Queues must be at least 1, Entries within 1..256");
  end
  if (SpentWidth < 1) begin : g_check_spent
    $error("qosarb_vl_table: SpentWidth must be at least 1");
  end

  localparam int unsigned EntryWidth = qosarb_pkg::index_width(Entries);
  localparam int unsigned LeftWidth  = ((SpentWidth > 8) ? SpentWidth : 8) + 1;
  localparam int unsigned BlockWidth = 8;
  localparam int unsigned Blocks     = (Entries + BlockWidth - 1) / BlockWidth;

  // The current entry's position in the search.
  logic [Blocks-1:0]     block_d, block_q, blocks_behind_d, blocks_behind_q;
  logic [BlockWidth-1:0] behind_d, behind_q;

  logic [Queues-1:0]     vl, vl_q;              // its VL, one-hot
  logic [QueueWidth-1:0] vl_index, vl_index_q;  // the same as a number
  logic [7:0]            weight, weight_q;      // at first its weight, then what remained of it

  // What the search of the last cycle found, and whether a turn began with it. vl_q, vl_index_q and
  // weight_q do not count it.
  logic                  begins, begins_q;
  logic [Queues-1:0]     found_vl, found_vl_q;
  logic [QueueWidth-1:0] found_index, found_index_q;
  logic [7:0]            found_weight, found_weight_q;

  // 1. Which entries can send.
  logic [Entries-1:0][Queues-1:0] entry_vl_d, entry_vl;  // one-hot; zero for an entry that counts for nothing
  logic [Queues-1:0]              served_d, served;      // VLs that have an entry

  for (genvar e = 0; e < Entries; e++) begin : g_entry
    logic counts;
    assign counts        = entry_used_i[e] & (entry_weight_i[e] != '0);
    assign entry_vl_d[e] = Queues'(counts) << entry_vl_i[e];
  end

  always_comb begin
    served_d = '0;
    for (int unsigned e = 0; e < Entries; e++) served_d |= entry_vl_d[e];
  end

  if (!IdleAfterLoad) begin : g_at_once
    assign entry_vl = entry_vl_d;
    assign served   = served_d;
  end else begin : g_registered
    logic [Entries-1:0][Queues-1:0] entry_vl_q;
    logic [Queues-1:0]              served_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        entry_vl_q <= '0;
        served_q   <= '0;
      end else begin
        entry_vl_q <= entry_vl_d;
        served_q   <= served_d;
      end
    end

    assign entry_vl = entry_vl_q;
    assign served   = served_q;
  end

  // 2. and 4. What is left to the current entry, and the sign of one unit less than that.
  logic [LeftWidth-1:0] less_one;  // two's complement
  logic [7:0]           left, remaining;

  assign vl         = begins_q ? found_vl_q : vl_q;
  assign vl_index   = begins_q ? found_index_q : vl_index_q;
  assign weight     = begins_q ? found_weight_q : weight_q;
  assign left       = weight - 8'(spent_i);
  assign less_one   = LeftWidth'(weight) + ~LeftWidth'(spent_i);
  assign has_left_o = ~less_one[LeftWidth-1];
  assign remaining  = left & {8{has_left_o}};
  assign goes_on_o  = has_left_o & (begins_q ? |(found_vl_q & active_i) : |(vl_q & active_i));

  // 3. Who sends otherwise.
  localparam int unsigned PayloadWidth = Queues + QueueWidth + 8;

  logic [Entries-1:0][PayloadWidth-1:0] payload;
  logic [Blocks-1:0]                    winner, blocks_behind_found;
  logic [BlockWidth-1:0]                behind_found;
  logic [Blocks-1:0][PayloadWidth-1:0]  block_payload;

  for (genvar e = 0; e < Entries; e++) begin : g_payload
    // In slices, which simulate faster than one wide concatenation.
    always_comb begin
      payload[e][7:0]                    = entry_weight_i[e];
      payload[e][8 +: QueueWidth]        = entry_vl_i[e];
      payload[e][QueueWidth+8 +: Queues] = entry_vl[e];
    end
  end

  // Whether an entry can send is told sooner by the VLs that have one.
  logic unused_any;

  assign ready_o = |(served & active_i);

  qosarb_grouped_priority #(
    .Width       (Entries),
    .Groups      (Queues),
    .PayloadWidth(PayloadWidth),
    .BlockWidth  (BlockWidth)
  ) u_search (
    .active_i       (active_i),
    .groups_i       (entry_vl),
    .block_i        (block_q),
    .blocks_behind_i(blocks_behind_q),
    .behind_i       (behind_q),
    .payload_i      (payload),
    .any_o          (unused_any),
    .winner_o       (winner),
    .blocks_behind_o(blocks_behind_found),
    .behind_o       (behind_found),
    .block_payload_o(block_payload)
  );

  logic stays, moves;

  always_comb begin
    found_vl     = '0;
    found_index  = '0;
    found_weight = '0;
    for (int unsigned b = 0; b < Blocks; b++) begin
      found_vl     |= block_payload[b][QueueWidth+8+:Queues] & {Queues{winner[b]}};
      found_index  |= block_payload[b][8+:QueueWidth] & {QueueWidth{winner[b]}};
      found_weight |= block_payload[b][7:0] & {8{winner[b]}};
    end
  end

  assign stays      = send_i & goes_on_o;
  assign moves      = send_i & ~goes_on_o;  // to what was found, if anything was
  assign begins     = moves & ready_o;
  assign vl_o       = (vl & {Queues{stays}}) | (found_vl & {Queues{moves}});
  assign vl_index_o = (vl_index & {QueueWidth{stays}}) | (found_index & {QueueWidth{moves}});

  // The state after this cycle.
  assign block_d         = begins ? winner : block_q;
  assign blocks_behind_d = begins ? blocks_behind_found : blocks_behind_q;
  assign behind_d        = begins ? behind_found : behind_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      block_q         <= '0;
      blocks_behind_q <= '0;
      behind_q        <= '0;
      vl_q            <= '0;
      vl_index_q      <= '0;
      weight_q        <= '0;
      begins_q        <= 1'b0;
      found_vl_q      <= '0;
      found_index_q   <= '0;
      found_weight_q  <= '0;
    end else begin
      block_q         <= load_i ? '0 : block_d;
      blocks_behind_q <= load_i ? '0 : blocks_behind_d;
      behind_q        <= behind_d;
      vl_q            <= vl;
      vl_index_q      <= vl_index;
      weight_q        <= (load_i | end_turn_i) ? '0 : remaining;
      begins_q        <= begins & ~load_i;
      found_vl_q      <= found_vl;
      found_index_q   <= found_index;
      found_weight_q  <= found_weight;
    end
  end

  // For reading. The current entry is the highest that is not in `behind`.
  logic [Entries-1:0]    behind, current;
  logic [EntryWidth-1:0] current_entry;

  for (genvar e = 0; e < Entries; e++) begin : g_behind
    assign behind[e] = blocks_behind_q[e/BlockWidth] |
                       (block_q[e/BlockWidth] & behind_q[e%BlockWidth]);
  end

  assign current = ~behind & ~(~behind >> 1);

  qosarb_onehot_to_index #(
    .Width(Entries)
  ) u_current_index (
    .onehot_i(current),
    .index_o (current_entry)
  );

  assign current_o   = 8'(current_entry);
  assign remaining_o = remaining;

endmodule
