// sbt: simple bandwidth table. Weights count packets, and each service level has one entry.
//
// Paper: Cano-Cano et al., "Providing quality of service in Omni-Path networks", 2022, Algorithm 1,
// with its errata corrected (docs/policies/sbt.md).
//
// State: the entry that won last, the weight left to each entry, and of each SL's round robin the
// place.
// Algorithm, all entries side by side:
//   1. An entry can send when a queue of its SL is active: its head is valid and it is not stopped.
//   2. The first entry that can send and has weight left wins, from the one that won last on,
//      circularly. So an entry goes on while it can.
//   3. If there is none but some queue is active, the weights of all entries are restored, and the
//      first entry that can send wins, from the one behind the last winner on. The searches of 2
//      and 3 run side by side.
//   4. The winner pays one packet and sends from the next active queue of its SL, round robin.
// Whether an entry has weight left is a flag in a register. The weights follow one cycle behind: a
// grant only notes who pays and whether all are restored; the next cycle subtracts.
//
// With IdleAfterLoad the queues of each entry stand in registers. In the cycle after a load they are still those of
// the old table, after a reset of none; a port that decides by the cycle before requests nothing in it.
//
// Bound: an SL that can send waits for at most twice the sum of the other weights, in packets: the
// rest of this round and the next one up to its entry. One decision a cycle, every cycle.
// The table in force has weights of at least 1, and no two entries of one SL.

module qosarb_sbt #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned QuantumWidth   = 16,  // bits of a weight
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  bit          IdleAfterLoad  = 1'b0,  // no request comes in the cycle after a load or a reset
  localparam int unsigned Entries        = Queues,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  // The table in force. A cycle with `load_i` is the last of the table that stands in it; at its
  // end the state starts over.
  input  logic                                 load_i,
  input  logic [Entries-1:0]                   entry_used_i,    // ones up to the last entry
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_sl_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_weight_i,  // packets
  input  logic [Queues-1:0][QueueWidth-1:0]    queue_sl_i,

  // The candidates: the head of each queue, its length in flits, and its PFC stop.
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,

  // The link can take a packet; the answer comes in the same cycle.
  input  logic                                 request_i,
  output logic                                 grant_valid_o,
  output logic [Queues-1:0]                    grant_o,
  output logic [QueueWidth-1:0]                grant_queue_o,

  // State, for reading.
  output logic [7:0]                           current_o,  // the entry that won last
  output logic [Entries-1:0][QuantumWidth-1:0] left_o,     // packets
  output logic [Queues-1:0]                    behind_o    // the one that their SL served last
);

  if (Queues < 1 || Queues > 256) begin : g_check_queues
    $error("qosarb_sbt: Queues must be within 1..256");
  end
  if (QuantumWidth < 1 || QuantumWidth > 24) begin : g_check_quantum
    $error("qosarb_sbt: QuantumWidth must be within 1..24");
  end
  if (MaxPacketFlits < 1) begin : g_check_flits
    $error("qosarb_sbt: MaxPacketFlits must be at least 1");
  end

  // Nothing is granted in a reset, which needs no edge of the clock.
  logic request;

  assign request = request_i & rst_ni;

  localparam logic [Entries-1:0] AllEntries   = '1;
  localparam logic [Entries-1:0] HighestEntry = ~(AllEntries >> 1);
  localparam logic [Entries-1:0] BehindFirst  = AllEntries << 1;

  // 1. Which entries can send, and from which queue.
  logic [Queues-1:0]              active, candidate, winner_queues;
  logic [Entries-1:0][Queues-1:0] entry_queues;
  logic [Entries-1:0]             entry_active;

  assign active = valid_i & ~stopped_i;

  qosarb_sl_members #(
    .Items     (Entries),
    .Queues    (Queues),
    .SlWidth   (QueueWidth),
    .Registered(IdleAfterLoad)
  ) u_entry_queues (
    .clk_i,
    .rst_ni,
    .used_i    (entry_used_i),
    .sl_i      (entry_sl_i),
    .queue_sl_i(queue_sl_i),
    .members_o (entry_queues)
  );

  for (genvar e = 0; e < Entries; e++) begin : g_entry
    assign entry_active[e] = |(entry_queues[e] & active);
  end

  qosarb_sl_queues #(
    .Queues       (Queues),
    .IdleAfterLoad(IdleAfterLoad)
  ) u_sl_queues (
    .clk_i,
    .rst_ni,
    .load_i,
    .queue_sl_i,
    .active_i   (active),
    .candidate_o(candidate),
    .served_i   (winner_queues & {Queues{grant_valid_o}}),
    .behind_o
  );

  // 2. The first entry with weight left, the last winner before all others.
  logic [Entries-1:0] behind_d, behind_q;      // the entries after the one that won last
  logic [Entries-1:0] has_left_d, has_left_q;  // weight
  logic               any_left;
  logic [Entries-1:0] found_left, behind_found_left, unused_passed_left;
  logic [Queues-1:0]  found_left_queues;

  qosarb_rotating_priority #(
    .Width       (Entries),
    .PayloadWidth(Queues)
  ) u_search_left (
    .request_i(entry_active & has_left_q),
    .behind_i ((behind_q >> 1) | HighestEntry),
    .payload_i(entry_queues),
    .any_o    (any_left),
    .grant_o  (found_left),
    .payload_o(found_left_queues),
    .behind_o (behind_found_left),
    .passed_o (unused_passed_left)
  );

  // 3. The first entry after all are restored, the last winner behind all others.
  logic               any_restored;
  logic [Entries-1:0] found_restored, behind_found_restored, unused_passed_restored;
  logic [Queues-1:0]  found_restored_queues;

  qosarb_rotating_priority #(
    .Width       (Entries),
    .PayloadWidth(Queues)
  ) u_search_restored (
    .request_i(entry_active),
    .behind_i (behind_q),
    .payload_i(entry_queues),
    .any_o    (any_restored),
    .grant_o  (found_restored),
    .payload_o(found_restored_queues),
    .behind_o (behind_found_restored),
    .passed_o (unused_passed_restored)
  );

  // Queues that no entry serves restore the weights, too, as long as one is active.
  logic restores;

  assign restores      = request & (active != '0) & ~any_left;
  assign winner_queues = any_left ? found_left_queues : found_restored_queues;

  assign grant_valid_o = request & any_restored;
  assign grant_o       = candidate & winner_queues & {Queues{grant_valid_o}};

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_grant_index (
    .onehot_i(grant_o),
    .index_o (grant_queue_o)
  );

  // 4. The weights. A register of each entry tells what the last cycle left of it: its weight, restored; that and the
  // winner, which pays one packet; or the winner without that. Else it keeps what it had.
  logic [Entries-1:0]                   restored_d, restored_q, restored_pays_d, restored_pays_q, pays_d, pays_q;
  logic [Entries-1:0][QuantumWidth-1:0] left, left_q;

  // Whether an entry spends its last packet if it wins now, and if it wins after a restoration.
  logic [Entries-1:0] last_left, last_restored;

  for (genvar e = 0; e < Entries; e++) begin : g_left
    logic [QuantumWidth-1:0] weight;
    assign weight = entry_weight_i[e];

    always_comb begin
      left[e]      = left_q[e];
      last_left[e] = left_q[e] == QuantumWidth'(1);
      if (pays_q[e]) begin
        left[e]      = left_q[e] - 1'b1;
        last_left[e] = left_q[e] == QuantumWidth'(2);
      end
      if (restored_q[e]) begin
        left[e]      = weight;
        last_left[e] = last_restored[e];
      end
      if (restored_pays_q[e]) begin
        left[e]      = weight - 1'b1;
        last_left[e] = weight == QuantumWidth'(2);
      end
    end

    assign last_restored[e] = weight == QuantumWidth'(1);
  end

  always_comb begin
    behind_d        = behind_q;
    has_left_d      = has_left_q;
    pays_d          = found_left & {Entries{request & any_left}};
    restored_d      = ~found_restored & {Entries{restores}};
    restored_pays_d = found_restored & {Entries{restores}};
    if (grant_valid_o) behind_d = any_left ? behind_found_left : behind_found_restored;
    if (restores)      has_left_d = ~(found_restored & last_restored);
    else if (request)  has_left_d = has_left_q & ~(found_left & last_left);
    if (load_i) begin
      behind_d        = BehindFirst;
      has_left_d      = '1;
      pays_d          = '0;
      restored_d      = '1;
      restored_pays_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      behind_q        <= BehindFirst;
      has_left_q      <= '1;
      pays_q          <= '0;
      restored_q      <= '1;
      restored_pays_q <= '0;
      left_q          <= '0;
    end else begin
      behind_q        <= behind_d;
      has_left_q      <= has_left_d;
      pays_q          <= pays_d;
      restored_q      <= restored_d;
      restored_pays_q <= restored_pays_d;
      left_q          <= left;
    end
  end

  // For reading. The last winner is the highest entry that is not in `behind_q`.
  logic [Entries-1:0]    last;
  logic [QueueWidth-1:0] last_entry;

  assign last = ~behind_q & ~(~behind_q >> 1);

  qosarb_onehot_to_index #(
    .Width(Entries)
  ) u_last_index (
    .onehot_i(last),
    .index_o (last_entry)
  );

  assign current_o = 8'(last_entry);
  assign left_o    = left;

  logic unused_flits;
  assign unused_flits = ^flits_i;

endmodule
