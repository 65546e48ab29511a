// dtable, as it is specified: the corrected rule over a table of SLs, with the rules for heads that are longer
// than the MTU of their SL or of 0 flits.
//
// A transcription, not a design: loops that read like the text. The proofs hold qosarb_dtable against it.

module dtable_semantics #(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned Entries        = 4,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1)
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,
  input  logic                                  load_i,
  input  logic [EntryWidth-1:0]                 last_entry_i,  // entries of the table, less one
  input  logic [Entries-1:0][QueueWidth-1:0]    sl_i,
  input  logic [Entries-1:0][QuantumWidth-1:0]  weight_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]     sl_mtu_i,
  input  logic [Queues-1:0][QueueWidth-1:0]     queue_sl_i,
  input  logic [Queues-1:0]                     active_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]     flits_i,
  input  logic                                  request_i,
  output logic                                  grant_valid_o,
  output logic [QueueWidth-1:0]                 grant_queue_o,

  // State before the arbitration of this cycle.
  output logic                                  selected_o,
  output logic [QueueWidth-1:0]                 sl_o,
  output logic [EntryWidth-1:0]                 entry_o,
  output logic [RemainingWidth-1:0]             acc_o,
  output logic [Queues-1:0][RemainingWidth-1:0] deficit_o,  // of each SL
  output logic [Queues-1:0][QueueWidth-1:0]     last_o      // of each SL: the queue that it served last
);

  typedef logic [QueueWidth-1:0]     index_t;
  typedef logic [RemainingWidth-1:0] remaining_t;

  localparam index_t LastQueue = index_t'(Queues - 1);

  // From reset and load until the first grant the current entry is the table's last one.
  logic                                  start, start_q;
  logic                                  selected, selected_q;
  index_t                                s, sl_q;
  logic [EntryWidth-1:0]                 e, entry, entry_q;
  remaining_t                            acc, acc_q;
  logic [Queues-1:0][RemainingWidth-1:0] deficit, deficit_q;
  logic [Queues-1:0][QueueWidth-1:0]     last, last_q;

  logic [Queues-1:0]                     sl_active;
  logic [Queues-1:0][QueueWidth-1:0]     candidate;  // of each SL
  logic [Queues-1:0][FlitsWidth-1:0]     cost;       // of each SL's candidate
  logic                                  taken;
  index_t                                q;

  assign selected_o = selected_q;
  assign sl_o       = sl_q;
  assign entry_o    = start_q ? last_entry_i : entry_q;
  assign acc_o      = acc_q;
  assign deficit_o  = deficit_q;
  assign last_o     = last_q;

  always_comb begin
    start         = start_q;
    selected      = selected_q;
    s             = sl_q;
    entry         = entry_o;
    acc           = acc_q;
    deficit       = deficit_q;
    last          = last_q;
    grant_valid_o = 1'b0;
    grant_queue_o = '0;
    e             = '0;
    q             = '0;
    taken         = 1'b0;

    // The next active queue of each SL, in its round robin.
    for (int unsigned sl = 0; sl < Queues; sl++) begin
      sl_active[sl] = 1'b0;
      candidate[sl] = '0;
      cost[sl]      = '0;
      q             = last_q[sl];
      for (int unsigned i = 0; i < Queues; i++) begin
        q = (q == LastQueue) ? '0 : q + 1'b1;
        if (!sl_active[sl] && active_i[q] && 32'(queue_sl_i[q]) == sl) begin
          sl_active[sl] = 1'b1;
          candidate[sl] = q;
          cost[sl]      = (flits_i[q] == '0) ? FlitsWidth'(1) : flits_i[q];
        end
      end
    end

    if (request_i) begin
      if (selected) begin
        if (!sl_active[s]) begin
          acc        = '0;
          deficit[s] = '0;
          selected   = 1'b0;
        end else if (remaining_t'(cost[s]) > acc) begin
          deficit[s] = (cost[s] > sl_mtu_i[s]) ? '0 : acc;
          selected   = 1'b0;
        end
      end
      if (!selected) begin
        e = entry;
        for (int unsigned i = 0; i < Entries; i++) begin  // entry+1, ... entry+N
          e = (e == last_entry_i) ? '0 : e + 1'b1;
          if (i <= 32'(last_entry_i) && !taken && sl_active[sl_i[e]]) begin
            taken = 1'b1;
            entry = e;
          end
        end
        if (taken) begin
          selected = 1'b1;
          start    = 1'b0;
          s        = sl_i[entry];
          acc      = deficit[s] + remaining_t'(weight_i[entry]);
        end
      end
      if (selected) begin
        acc           = (acc < remaining_t'(cost[s])) ? '0 : acc - remaining_t'(cost[s]);
        grant_valid_o = 1'b1;
        grant_queue_o = candidate[s];
        last[s]       = candidate[s];
      end
    end

    if (load_i) begin
      start    = 1'b1;
      selected = 1'b0;
      acc      = '0;
      deficit  = '0;
      last     = {Queues{LastQueue}};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q    <= 1'b1;
      selected_q <= 1'b0;
      sl_q       <= '0;
      entry_q    <= '0;
      acc_q      <= '0;
      deficit_q  <= '0;
      last_q     <= {Queues{LastQueue}};
    end else begin
      start_q    <= start;
      selected_q <= selected;
      sl_q       <= s;
      entry_q    <= entry;
      acc_q      <= acc;
      deficit_q  <= deficit;
      last_q     <= last;
    end
  end

endmodule
