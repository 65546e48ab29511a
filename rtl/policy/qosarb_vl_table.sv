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
// Whoever chooses between the tables tells by `send_i` that this one's packet is sent.
// Bound: a table that is chosen in every cycle serves an entry after at most the sum of the other
// weights, each of them rounded up to whole packets.

module qosarb_vl_table #(
  parameter  int unsigned Queues     = 8,
  parameter  int unsigned Entries    = 64,
  parameter  int unsigned SpentWidth = 11,
  localparam int unsigned QueueWidth = qosarb_pkg::index_width(Queues)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,

  // The table in force. A cycle with `load_i` is the last of the table that stands in it; at its
  // end the state starts over.
  input  logic                               load_i,
  input  logic [Entries-1:0]                 entry_used_i,
  input  logic [Entries-1:0][QueueWidth-1:0] entry_vl_i,
  input  logic [Entries-1:0][7:0]            entry_weight_i,  // units of 64 bytes

  // What the table sent in the last cycle: whole units, and whether it began another one.
  input  logic [SpentWidth-1:0]              spent_i,
  input  logic                               spent_part_i,

  input  logic [Queues-1:0]                  active_i,
  output logic                               ready_o,
  output logic                               goes_on_o,  // with the current entry
  output logic [Queues-1:0]                  vl_o,       // one-hot, what the table sends from

  // What becomes of it: this table sends, or the current entry's turn is over before its weight is.
  input  logic                               send_i,
  input  logic                               end_turn_i,

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
  localparam int unsigned LeftWidth  = ((SpentWidth > 8) ? SpentWidth : 8) + 2;

  logic [Entries-1:0] behind_d, behind_q;  // the entries after the current one
  logic [Queues-1:0]  vl_d, vl_q;          // its VL, one-hot
  logic [7:0]         weight_d, weight_q;  // at first its weight, then what remained of it

  // 1. Which entries can send.
  logic [Entries-1:0][Queues-1:0] entry_vl;  // one-hot; zero for an entry that counts for nothing
  logic [Entries-1:0]             entry_active;

  for (genvar e = 0; e < Entries; e++) begin : g_entry
    logic counts;
    assign counts          = entry_used_i[e] & (entry_weight_i[e] != '0);
    assign entry_vl[e]     = Queues'(counts) << entry_vl_i[e];
    assign entry_active[e] = |(entry_vl[e] & active_i);
  end

  // 2. and 4. What is left to the current entry, and the sign of one unit less than that.
  logic [LeftWidth-1:0] less_one;  // two's complement
  logic [7:0]           left, remaining;

  assign left       = weight_q - 8'(spent_i) - 8'(spent_part_i);
  assign less_one   = LeftWidth'(weight_q) - LeftWidth'(spent_i) - LeftWidth'(spent_part_i) - 1'b1;
  assign has_left_o = ~less_one[LeftWidth-1];
  assign remaining  = left & {8{has_left_o}};
  assign goes_on_o  = has_left_o & |(vl_q & active_i);

  // 3. Who sends otherwise.
  localparam int unsigned PayloadWidth = Queues + 8;

  logic [Entries-1:0][PayloadWidth-1:0] payload;
  logic [Entries-1:0]                   unused_found, behind_found, unused_passed;
  logic [Queues-1:0]                    found_vl;
  logic [7:0]                           found_weight;

  for (genvar e = 0; e < Entries; e++) begin : g_payload
    assign payload[e] = {entry_vl[e], entry_weight_i[e]};
  end

  qosarb_rotating_priority #(
    .Width       (Entries),
    .PayloadWidth(PayloadWidth)
  ) u_search (
    .request_i(entry_active),
    .behind_i (behind_q),
    .payload_i(payload),
    .any_o    (ready_o),
    .grant_o  (unused_found),
    .payload_o({found_vl, found_weight}),
    .behind_o (behind_found),
    .passed_o (unused_passed)
  );

  assign vl_o = goes_on_o ? vl_q : found_vl;

  // The state after this cycle.
  always_comb begin
    behind_d = behind_q;
    vl_d     = vl_q;
    weight_d = end_turn_i ? '0 : remaining;
    if (send_i && !goes_on_o) begin
      behind_d = behind_found;
      vl_d     = found_vl;
      weight_d = found_weight;
    end
    if (load_i) begin
      behind_d = '0;
      weight_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      behind_q <= '0;
      vl_q     <= '0;
      weight_q <= '0;
    end else begin
      behind_q <= behind_d;
      vl_q     <= vl_d;
      weight_q <= weight_d;
    end
  end

  // For reading. The current entry is the highest that is not behind itself.
  logic [Entries-1:0]    current;
  logic [EntryWidth-1:0] current_entry;

  assign current = ~behind_q & ~(~behind_q >> 1);

  qosarb_onehot_to_index #(
    .Width(Entries)
  ) u_current_index (
    .onehot_i(current),
    .index_o (current_entry)
  );

  assign current_o   = 8'(current_entry);
  assign remaining_o = remaining;

endmodule
