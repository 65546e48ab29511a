// The textbook bxi-deficit, to measure qosarb_bxi_deficit against. It is not part of the chip.
//
// Paper: Algorithm 2 of the BXIv3 paper with the errata corrected, as one would write it down:
//   1. Each entry has an adder, which makes its credit, quantum plus deficit, and a comparator,
//      which says whether its queue's head fits.
//   2. If the current entry's head fits into what remains, it wins. Else a ripple search visits the
//      entries one after the other, from the one behind the current entry on around to itself.
//   3. Each visited entry that has a packet keeps its credit as deficit, others lose theirs.
//   4. A winner whose credit is used up hands the turn to the next entry.
// Deficits have the quantum's width, as in the paper's Table 4.
// Ports are those of qosarb_bxi_deficit.

module qosarb_baseline_deficit #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = QuantumWidth + 1,
  localparam int unsigned DeficitWidth   = QuantumWidth
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  input  logic                                 load_i,
  input  logic [Entries-1:0]                   entry_used_i,
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,

  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,

  input  logic                                 request_i,
  output logic                                 grant_valid_o,
  output logic [Queues-1:0]                    grant_o,
  output logic [QueueWidth-1:0]                grant_queue_o,

  output logic [7:0]                           current_o,
  output logic [RemainingWidth-1:0]            remaining_o,
  output logic [Entries-1:0][DeficitWidth-1:0] deficit_o
);

  localparam int unsigned EntryWidth = qosarb_pkg::index_width(Entries);

  logic [EntryWidth-1:0]                current_d, current_q;
  logic [RemainingWidth-1:0]            remaining_d, remaining_q;
  logic [Entries-1:0][DeficitWidth-1:0] deficit_d, deficit_q;
  logic                                 started_d, started_q;

  // 1. Each entry's head, credit and comparison. The first turn's credit is the first quantum; it
  // is known from the cycle after the load on.
  logic [Entries-1:0]                     active, fits;
  logic [Entries-1:0][FlitsWidth-1:0]     head;
  logic [Entries-1:0][RemainingWidth-1:0] fresh;
  logic [RemainingWidth-1:0]              remaining;

  always_comb begin
    for (int unsigned e = 0; e < Entries; e++) begin
      head[e]   = flits_i[entry_queue_i[e]];
      active[e] = entry_used_i[e] & valid_i[entry_queue_i[e]] & ~stopped_i[entry_queue_i[e]];
      fresh[e]  = RemainingWidth'(entry_quantum_i[e]) + RemainingWidth'(deficit_q[e]);
      fits[e]   = active[e] & (RemainingWidth'(head[e]) <= fresh[e]);
    end
  end
  assign remaining = started_q ? remaining_q : RemainingWidth'(entry_quantum_i[0]);

  // 2. and 3. The search and what it leaves behind. Coming around, the current entry has a fresh
  // credit to which what remains of its old one has been added as its deficit.
  logic                                 goes_on, found;
  logic [EntryWidth-1:0]                winner;
  logic [RemainingWidth-1:0]            credit, again;
  logic [Entries-1:0][DeficitWidth-1:0] deficit_after;

  assign goes_on = active[current_q] & (RemainingWidth'(head[current_q]) <= remaining);
  assign again   = RemainingWidth'(entry_quantum_i[current_q]) + remaining;

  always_comb begin
    found         = goes_on;
    winner        = current_q;
    credit        = remaining;
    deficit_after = deficit_q;
    if (!goes_on) begin
      deficit_after[current_q] = active[current_q] ? remaining[DeficitWidth-1:0] : '0;
    end
    for (int unsigned i = 0; i < 2 * Entries; i++) begin
      automatic logic [EntryWidth-1:0] e = EntryWidth'(i % Entries);
      // The first pass takes the entries behind the current one, the second those up to it.
      if (!found && (i < Entries) == (e > current_q)) begin
        if (e == current_q && active[e] && RemainingWidth'(head[e]) <= again) begin
          found            = 1'b1;
          winner           = e;
          credit           = again;
          deficit_after[e] = '0;
        end else if (e != current_q && fits[e]) begin
          found            = 1'b1;
          winner           = e;
          credit           = fresh[e];
          deficit_after[e] = '0;
        end else if (e != current_q) begin
          deficit_after[e] = active[e] ? fresh[e][DeficitWidth-1:0] : '0;
        end
      end
    end
  end

  assign grant_valid_o = request_i & found;
  assign grant_queue_o = entry_queue_i[winner];
  always_comb begin
    grant_o                = '0;
    grant_o[grant_queue_o] = grant_valid_o;
  end

  // 4. Pay, and step on when nothing is left.
  logic [RemainingWidth-1:0] left;
  logic [EntryWidth-1:0]     above, next;

  assign left  = credit - RemainingWidth'(head[winner]);
  assign above = winner + 1'b1;
  assign next  = (winner == EntryWidth'(Entries - 1) || !entry_used_i[above]) ? '0 : above;

  always_comb begin
    current_d   = current_q;
    remaining_d = remaining;
    deficit_d   = deficit_q;
    started_d   = 1'b1;
    if (grant_valid_o) begin
      current_d   = winner;
      remaining_d = left;
      deficit_d   = deficit_after;
      if (left == '0) begin
        current_d       = next;
        remaining_d     = RemainingWidth'(entry_quantum_i[next]) +
                          RemainingWidth'(deficit_after[next]);
        deficit_d[next] = '0;
      end
    end
    if (load_i) begin
      current_d = '0;
      deficit_d = '0;
      started_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      current_q   <= '0;
      remaining_q <= '0;
      deficit_q   <= '0;
      started_q   <= 1'b0;
    end else begin
      current_q   <= current_d;
      remaining_q <= remaining_d;
      deficit_q   <= deficit_d;
      started_q   <= started_d;
    end
  end

  assign current_o   = 8'(current_q);
  assign remaining_o = remaining;
  assign deficit_o   = deficit_q;

endmodule
