// The coupling invariant of the arbitration table: the engine's registers as functions of the specification's
// state, and what holds of the registers by themselves.
//
// The engine steps lazily: an exactly depleted turn stays the current one with nothing remaining, where the
// specification has gone to the next entry and added that one's deficit. So from `current`, its remaining
// flits and its deficits follow the specification's.

module bxi_coupling #(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned Entries        = 4,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1),
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits)
) (
  // The table in force.
  input  logic [EntryWidth-1:0]                  last_entry_i,
  input  logic [Entries-1:0]                     entry_used_i,
  input  logic [Entries-1:0][QueueWidth-1:0]     entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0]   entry_quantum_i,
  input  logic [FlitsWidth-1:0]                  max_packet_flits_i,

  // The specification's state.
  input  logic [EntryWidth-1:0]                  cur_i,
  input  logic [RemainingWidth-1:0]              rem_i,
  input  logic                                   fresh_i,
  input  logic [Entries-1:0][RemainingWidth-1:0] deficit_i,

  // The engine's: registers, and what it shows for reading.
  input  logic [Entries-1:0]                     engine_current_i,  // one-hot
  input  logic [Queues-1:0]                      engine_queue_i,
  input  logic [RemainingWidth-1:0]              engine_quantum_i,
  input  logic [DeficitWidth-1:0]                engine_extra_i,
  input  logic [FlitsWidth-1:0]                  engine_spent_i,
  input  logic [Entries-1:0]                     engine_saved_i,
  input  logic [EntryWidth-1:0]                  current_i,
  input  logic [RemainingWidth-1:0]              remaining_i,
  input  logic [Entries-1:0][DeficitWidth-1:0]   engine_deficit_i,

  output logic                                   nobody_o,    // no entry has had a turn
  output logic                                   depleted_o,  // nothing remains
  output logic [Entries-1:0]                     behind_o,    // the entries after the current one
  output logic [6:0]                             coupled_o    // the invariant's parts, as by_parts asks for them
);

  logic [Entries-1:0]                   current_onehot;
  logic [EntryWidth-1:0]                lazy_next, lazy_cur;
  logic [RemainingWidth-1:0]            lazy_rem;
  logic [Entries-1:0][DeficitWidth-1:0] lazy_deficit;
  logic [RemainingWidth:0]              summands;
  logic                                 summands_valid, bounded;
  logic                                 engine_valid, remaining_equal, turn_equal, begun_equal, deficits_equal;

  assign nobody_o   = engine_current_i == '0;
  assign depleted_o = remaining_i == '0;
  assign lazy_next  = (current_i == last_entry_i) ? '0 : current_i + 1'b1;

  always_comb begin
    lazy_cur     = current_i;
    lazy_rem     = remaining_i;
    lazy_deficit = engine_deficit_i;
    if (nobody_o) begin
      lazy_cur = '0;
      lazy_rem = RemainingWidth'(entry_quantum_i[0]);
    end else if (depleted_o) begin
      lazy_cur                = lazy_next;
      lazy_rem                = RemainingWidth'(entry_quantum_i[lazy_next]) +
                                RemainingWidth'(engine_deficit_i[lazy_next]);
      lazy_deficit[lazy_next] = '0;
    end
  end

  // What remains of a turn, first: that the turn is used up, so that another one begins, follows from it.
  assign remaining_equal = fresh_i ? (remaining_i == '0) : (remaining_i == rem_i) & (rem_i != '0);
  assign turn_equal      = (cur_i == lazy_cur) & (fresh_i == (nobody_o | depleted_o));
  assign begun_equal     = rem_i == lazy_rem;

  always_comb begin
    deficits_equal = 1'b1;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (deficit_i[e] != RemainingWidth'(lazy_deficit[e])) deficits_equal = 1'b0;
    end
  end

  // What holds of the engine's registers by themselves.
  assign current_onehot = Entries'(!nobody_o) << current_i;
  for (genvar e = 0; e < Entries; e++) begin : g_behind
    assign behind_o[e] = nobody_o | (e > 32'(current_i));
  end

  always_comb begin
    engine_valid = (engine_current_i == current_onehot) &
                   ((engine_saved_i & engine_current_i) == '0) &
                   ((engine_saved_i & ~entry_used_i) == '0) &
                   ((engine_current_i & ~entry_used_i) == '0);
    if (nobody_o) begin
      engine_valid &= (remaining_i == '0) & (engine_quantum_i == '0) & (engine_extra_i == '0) &
                      (engine_spent_i == '0) & (engine_saved_i == '0);
    end else begin
      engine_valid &= engine_queue_i == (Queues'(1) << entry_queue_i[current_i]);
    end
  end

  // The two summands are no more than an entry's, and what was spent was there. A too long head of a fresh turn
  // spends more.
  assign summands = {1'b0, engine_quantum_i} + (RemainingWidth + 1)'(engine_extra_i);

  always_comb begin
    summands_valid = summands <= (RemainingWidth + 1)'(2 ** QuantumWidth + MaxPacketFlits - 2);
`ifndef LIES
    summands_valid &= summands >= (RemainingWidth + 1)'(engine_spent_i);
`endif
  end

  always_comb begin
    bounded = 1'b1;
    for (int unsigned e = 0; e < Entries; e++) begin
      bounded &= RemainingWidth'(engine_deficit_i[e]) < RemainingWidth'(max_packet_flits_i);
    end
  end

  assign coupled_o = {bounded, deficits_equal, begun_equal, turn_equal, remaining_equal, summands_valid, engine_valid};

endmodule
