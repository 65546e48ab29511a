// How long a queue waits for a turn in an arbitration table, whatever the others do, while it can be served: they are
// granted at most the quanta of the entries between two of its own, and with deficits MaxPacketFlits - 1 flits more for
// each of these. Why: what can still be sent before its next turn is what remains of the present one, and quantum
// and deficit of each entry between; that and what has been sent is never more, and a new turn holds any packet.

module turn_waiting #(
  parameter  int unsigned Entries        = 4,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned RemainingWidth = 4,
  parameter  int unsigned FlitsWidth     = 2,
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned SumWidth       = RemainingWidth + EntryWidth + 1
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic                                   waits_i,    // as in waiting.sv
  input  logic                                   served_i,
  input  logic [FlitsWidth-1:0]                  sent_i,
  input  logic [FlitsWidth-1:0]                  most_deficit_i,
  input  logic [EntryWidth-1:0]                  last_entry_i,
  input  logic [Entries-1:0]                     own_i,      // the entries of the queue, one at least while it waits
  input  logic [Entries-1:0][QuantumWidth-1:0]   quantum_i,

  // The specification's state before this cycle.
  input  logic [EntryWidth-1:0]                  cur_i,
  input  logic [RemainingWidth-1:0]              rem_i,
  input  logic                                   fresh_i,
  input  logic [Entries-1:0][RemainingWidth-1:0] deficit_i,

  output logic                                   unbounded_o,
  output logic                                   too_long_o,
  output logic                                   met_o,      // by the turns of more than one entry
  output logic                                   waits_o     // others have been granted something in this wait
);

  typedef logic [SumWidth-1:0] sum_t;

  // Between the last entry of the queue and its next one: those behind the current entry, and those before it with
  // itself, if it is not the queue's own. A turn of its own from which nothing was sent yet is the next one.
  sum_t ahead, highest, waited;
  logic is_own, is_next, unlikely, unbounded;

  always_comb begin
    logic                  open;
    logic [EntryWidth-1:0] entry;

    is_own  = own_i[cur_i];
    is_next = is_own & fresh_i;
    ahead   = is_own ? '0 : sum_t'(rem_i);
    highest = is_own ? '0 : sum_t'(quantum_i[cur_i]) + sum_t'(most_deficit_i);

    open  = ~is_next;
    entry = cur_i;
    for (int unsigned i = 0; i < Entries; i++) begin
      entry = (entry == last_entry_i) ? '0 : entry + 1'b1;
      open &= ~own_i[entry] & (entry != cur_i);
      if (open) begin
        ahead   = ahead + sum_t'(quantum_i[entry]) + sum_t'(deficit_i[entry]);
        highest = highest + sum_t'(quantum_i[entry]) + sum_t'(most_deficit_i);
      end
    end

    open  = ~is_own | is_next;
    entry = cur_i;
    for (int unsigned i = 0; i < Entries; i++) begin
      entry = (entry == '0) ? last_entry_i : entry - 1'b1;
      open &= ~own_i[entry] & (entry != cur_i);
      if (open) highest = highest + sum_t'(quantum_i[entry]) + sum_t'(most_deficit_i);
    end
  end

  // A new turn has its quantum, and nothing has more than that and a deficit.
  always_comb begin
    unlikely = (fresh_i & (sum_t'(rem_i) < sum_t'(quantum_i[cur_i]))) |
               (sum_t'(rem_i) > sum_t'(quantum_i[cur_i]) + sum_t'(most_deficit_i));
    for (int unsigned e = 0; e < Entries; e++) begin
      if (e <= 32'(last_entry_i)) unlikely |= sum_t'(deficit_i[e]) > sum_t'(most_deficit_i);
    end
  end

  waiting #(
    .Width(SumWidth)
  ) u_waiting (
    .clk_i,
    .rst_ni,
    .waits_i    (waits_i & (own_i != '0)),
    .served_i,
    .sent_i     (sum_t'(sent_i)),
    .ahead_i    (ahead),
    .highest_i  (highest),
    .unbounded_o(unbounded),
    .too_long_o,
    .waited_o   (waited)
  );

  assign unbounded_o = unbounded | (rst_ni & unlikely);
  assign waits_o     = waited != '0;
  assign met_o       = rst_ni & waits_i & (own_i != '0) & (waited == highest) &
                       (waited > sum_t'(2 ** QuantumWidth - 1) + sum_t'(most_deficit_i));

endmodule
