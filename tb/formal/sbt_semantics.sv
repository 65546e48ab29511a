// sbt, as it is specified: the corrected rule over one entry for each SL, weights in packets.
//
// A transcription, not a design: loops that read like the text. The proofs hold qosarb_sbt against it.

module sbt_semantics #(
  parameter  int unsigned Queues       = 4,
  parameter  int unsigned QuantumWidth = 2,
  localparam int unsigned Entries      = Queues,
  localparam int unsigned QueueWidth   = qosarb_pkg::index_width(Queues)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 load_i,
  input  logic [QueueWidth-1:0]                last_entry_i,  // entries of the table, less one
  input  logic [Entries-1:0][QueueWidth-1:0]   sl_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] weight_i,
  input  logic [Queues-1:0][QueueWidth-1:0]    queue_sl_i,
  input  logic [Queues-1:0]                    active_i,
  input  logic                                 request_i,
  output logic                                 grant_valid_o,
  output logic [QueueWidth-1:0]                grant_queue_o,

  // State before the arbitration of this cycle.
  output logic [QueueWidth-1:0]                cur_o,
  output logic [Entries-1:0][QuantumWidth-1:0] left_o,
  output logic [Queues-1:0][QueueWidth-1:0]    last_o  // of each SL: the queue that it served last
);

  typedef logic [QueueWidth-1:0] index_t;

  localparam index_t LastQueue = index_t'(Queues - 1);

  // From reset and load until the first arbitration the weights left are the table's.
  logic                                 start, start_q;
  index_t                               cur, cur_q;
  logic [Entries-1:0][QuantumWidth-1:0] left, left_q;
  logic [Queues-1:0][QueueWidth-1:0]    last, last_q;

  index_t            e, winner, q;
  logic              found;
  logic [Queues-1:0] sl_active;

  assign cur_o  = cur_q;
  assign left_o = start_q ? weight_i : left_q;
  assign last_o = last_q;

  function automatic index_t next(index_t i, index_t highest);
    return (i == highest) ? '0 : i + 1'b1;
  endfunction

  always_comb begin
    start         = start_q;
    cur           = cur_q;
    left          = left_o;
    last          = last_q;
    grant_valid_o = 1'b0;
    grant_queue_o = '0;
    found         = 1'b0;
    winner        = '0;
    e             = '0;
    q             = '0;

    sl_active = '0;
    for (int unsigned i = 0; i < Queues; i++) begin
      if (active_i[i]) sl_active[queue_sl_i[i]] = 1'b1;
    end

    if (request_i && active_i != '0) begin
      start = 1'b0;
      e = cur_q;
      for (int unsigned i = 0; i < Entries; i++) begin  // cur, cur+1, ... cur+N-1
        if (i <= 32'(last_entry_i) && !found && left[e] != '0 && sl_active[sl_i[e]]) begin
          found  = 1'b1;
          winner = e;
        end
        e = next(e, last_entry_i);
      end
      if (!found) begin
        left = weight_i;
        e = cur_q;
        for (int unsigned i = 0; i < Entries; i++) begin  // cur+1, ... cur+N
          e = next(e, last_entry_i);
          if (i <= 32'(last_entry_i) && !found && sl_active[sl_i[e]]) begin
            found  = 1'b1;
            winner = e;
          end
        end
      end
      if (found) begin
        left[winner] = left[winner] - 1'b1;
        cur          = winner;
        q            = last_q[sl_i[winner]];
        for (int unsigned i = 0; i < Queues; i++) begin
          q = next(q, LastQueue);
          if (!grant_valid_o && active_i[q] && queue_sl_i[q] == sl_i[winner]) begin
            grant_valid_o = 1'b1;
            grant_queue_o = q;
          end
        end
        last[sl_i[winner]] = grant_queue_o;
      end
    end

    if (load_i) begin
      start = 1'b1;
      cur   = '0;
      last  = {Queues{LastQueue}};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q <= 1'b1;
      cur_q   <= '0;
      left_q  <= '0;
      last_q  <= {Queues{LastQueue}};
    end else begin
      start_q <= start;
      cur_q   <= cur;
      left_q  <= left;
      last_q  <= last;
    end
  end

endmodule
