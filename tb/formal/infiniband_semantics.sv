// infiniband, as it is specified: two tables and LimitOfHighPriority. A head of 0 flits counts as one of 1.
//
// A transcription, not a design: loops that read like the text. The proofs hold qosarb_infiniband against it.

module infiniband_semantics #(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned Entries        = 4,  // of each table
  parameter  int unsigned MaxPacketFlits = 3,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  input  logic                                    load_i,
  // [0] is the high table, [1] the low one.
  input  logic [1:0][EntryWidth-1:0]              last_entry_i,  // entries of the table, less one
  input  logic [1:0][Entries-1:0][QueueWidth-1:0] vl_i,
  input  logic [1:0][Entries-1:0][7:0]            weight_i,
  input  logic [7:0]                              limit_i,
  input  logic                                    low_turn_packet_i,
  input  logic [2:0]                              flit_bytes_log2_i,
  input  logic [Queues-1:0]                       active_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]       flits_i,
  input  logic                                    request_i,
  output logic                                    grant_valid_o,
  output logic [QueueWidth-1:0]                   grant_queue_o,

  // State before the arbitration of this cycle.
  output logic [1:0][EntryWidth-1:0]              cur_o,
  output logic [1:0][7:0]                         remaining_o,
  output logic [19:0]                             hi_bytes_o,
  output logic                                    in_low_turn_o
);

  typedef logic [EntryWidth-1:0] entry_t;

  // From reset and load until something is decided the weights that remain are those of entries 0.
  logic                start, start_q;
  logic [1:0][EntryWidth-1:0] cur, cur_q;
  logic [1:0][7:0]     remaining, remaining_q;
  logic [19:0]         hi_bytes, hi_bytes_q;
  logic                in_low_turn, in_low_turn_q;

  logic [1:0]            ready;
  logic                  high_open, sends, table_sent, counts;
  logic [FlitsWidth-1:0] flits;
  logic [FlitsWidth+6:0] bytes;
  logic [FlitsWidth+6:0] cost;
  logic [QueueWidth-1:0] vl;

  assign cur_o         = cur_q;
  assign remaining_o   = start_q ? {weight_i[1][0], weight_i[0][0]} : remaining_q;
  assign hi_bytes_o    = hi_bytes_q;
  assign in_low_turn_o = in_low_turn_q;

  always_comb begin
    start         = start_q;
    cur           = cur_q;
    remaining     = remaining_o;
    hi_bytes      = hi_bytes_q;
    in_low_turn   = in_low_turn_q;
    grant_valid_o = 1'b0;
    grant_queue_o = '0;
    sends         = 1'b0;
    table_sent    = 1'b0;
    counts        = 1'b0;
    flits         = '0;
    bytes         = '0;
    cost          = '0;
    vl            = '0;

    ready = '0;
    for (int unsigned t = 0; t < 2; t++) begin
      for (int unsigned e = 0; e < Entries; e++) begin
        if (e <= 32'(last_entry_i[t]) && weight_i[t][e] != '0 && active_i[vl_i[t][e]]) ready[t] = 1'b1;
      end
    end

    if (request_i) begin
      start = 1'b0;
      // A turn cut short by an inactive VL ends before anything else is decided.
      if (in_low_turn && !active_i[vl_i[1][cur[1]]]) begin
        in_low_turn  = 1'b0;
        hi_bytes     = '0;
        cur[1]       = (cur[1] == last_entry_i[1]) ? '0 : cur[1] + 1'b1;
        remaining[1] = weight_i[1][cur[1]];
      end

      high_open = (limit_i == 8'd255) || (limit_i == '0 && hi_bytes == '0) || (hi_bytes < {limit_i, 12'b0});
      if (in_low_turn) begin
        sends      = 1'b1;
        table_sent = 1'b1;
      end else if (ready[0] && high_open) begin
        sends  = 1'b1;
        counts = 1'b1;
      end else if (ready[1]) begin
        sends      = 1'b1;
        table_sent = 1'b1;
      end else if (ready[0]) begin
        sends = 1'b1;
      end

      if (sends) begin
        for (int unsigned visit = 0; visit < Entries; visit++) begin
          if (weight_i[table_sent][cur[table_sent]] == '0 || remaining[table_sent] == '0 ||
              !active_i[vl_i[table_sent][cur[table_sent]]]) begin
            cur[table_sent]       = (cur[table_sent] == last_entry_i[table_sent]) ? '0 : cur[table_sent] + 1'b1;
            remaining[table_sent] = weight_i[table_sent][cur[table_sent]];
          end
        end
        vl            = vl_i[table_sent][cur[table_sent]];
        grant_valid_o = 1'b1;
        grant_queue_o = vl;
        flits         = (flits_i[vl] == '0) ? FlitsWidth'(1) : flits_i[vl];
        bytes         = (FlitsWidth + 7)'(flits) << flit_bytes_log2_i;
        cost          = (bytes >> 6) + (FlitsWidth + 7)'(bytes[5:0] != '0);
        if (table_sent) in_low_turn = 1'b1;
        if (32'(cost) >= 32'(remaining[table_sent])) begin  // used up
          if (table_sent) in_low_turn = 1'b0;
          cur[table_sent]       = (cur[table_sent] == last_entry_i[table_sent]) ? '0 : cur[table_sent] + 1'b1;
          remaining[table_sent] = weight_i[table_sent][cur[table_sent]];
        end else begin
          remaining[table_sent] = remaining[table_sent] - 8'(cost);
        end
        if (low_turn_packet_i) in_low_turn = 1'b0;
        if (table_sent && !in_low_turn) hi_bytes = '0;
        if (counts) hi_bytes = ((21'(hi_bytes) + 21'(bytes)) >> 20 != '0) ? '1 : hi_bytes + 20'(bytes);
      end
    end else begin
      high_open = 1'b0;
    end

    if (load_i) begin
      start       = 1'b1;
      cur         = '0;
      hi_bytes    = '0;
      in_low_turn = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q       <= 1'b1;
      cur_q         <= '0;
      remaining_q   <= '0;
      hi_bytes_q    <= '0;
      in_low_turn_q <= 1'b0;
    end else begin
      start_q       <= start;
      cur_q         <= cur;
      remaining_q   <= remaining;
      hi_bytes_q    <= hi_bytes;
      in_low_turn_q <= in_low_turn;
    end
  end

endmodule
