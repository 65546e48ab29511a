// trtcm, as it is specified: two token buckets for each class, three colours, strict priorities, round robin
// among red, with the rules for heads that are longer than max_packet_flits or of 0 flits.
//
// A transcription, not a design: loops that read like the text. The proofs hold qosarb_trtcm against it.

module trtcm_semantics #(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned BurstWidth     = 2,
  parameter  int unsigned MaxPacketFlits = 3,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned LevelWidth     = BurstWidth + 16
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              load_i,
  input  logic [Queues-1:0][QueueWidth-1:0] priority_i,
  input  logic [Queues-1:0][16:0]           assured_rate_i,
  input  logic [Queues-1:0][16:0]           peak_rate_i,
  input  logic [Queues-1:0][BurstWidth-1:0] assured_burst_i,
  input  logic [Queues-1:0][BurstWidth-1:0] peak_burst_i,
  input  logic [FlitsWidth-1:0]             max_packet_flits_i,
  input  logic [Queues-1:0]                 active_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,
  input  logic                              request_i,
  output logic                              grant_valid_o,
  output logic [QueueWidth-1:0]             grant_queue_o,
  output logic [Queues-1:0]                 green_o,
  output logic [Queues-1:0]                 yellow_o,

  // State before the arbitration of this cycle.
  output logic [QueueWidth-1:0]             last_red_o,
  output logic [Queues-1:0][LevelWidth-1:0] assured_o,      // 1/65536 flits
  output logic [Queues-1:0][LevelWidth-1:0] peak_o,
  output logic [Queues-1:0][LevelWidth-1:0] assured_size_o,
  output logic [Queues-1:0][LevelWidth-1:0] peak_size_o
);

  typedef logic [QueueWidth-1:0] index_t;
  typedef logic [LevelWidth-1:0] level_t;
  typedef logic [LevelWidth+1:0] sum_t;

  localparam index_t LastQueue = index_t'(Queues - 1);

  // From reset and load on the buckets are as full as the configuration in force makes them.
  logic                              start_q;
  index_t                            last_red, last_red_q, q;
  logic [Queues-1:0][LevelWidth-1:0] assured, assured_q, peak, peak_q, length;
  logic [Queues-1:0]                 too_long;
  logic                              taken;

  // With a rate of 0 the bucket's size is 0, whatever burst is given.
  for (genvar c = 0; c < Queues; c++) begin : g_class
    assign assured_size_o[c] = (assured_rate_i[c] == '0) ? '0 : level_t'(assured_burst_i[c]) << 16;
    assign peak_size_o[c]    = (peak_rate_i[c] == '0) ? '0 : level_t'(peak_burst_i[c]) << 16;
    assign assured_o[c]      = start_q ? assured_size_o[c] : assured_q[c];
    assign peak_o[c]         = start_q ? peak_size_o[c] : peak_q[c];
  end
  assign last_red_o = last_red_q;

  // A bucket is full when its level equals its size, the size being above 0. A head fits when the bucket
  // holds its flits, or when it is too long and the bucket is full.
  function automatic logic fits(level_t tokens, level_t size, level_t flits, logic is_too_long);
    return tokens >= flits || (is_too_long && size != '0 && tokens == size);
  endfunction

  // Paying never takes a level below zero.
  function automatic level_t paid(level_t tokens, level_t flits);
    return (tokens < flits) ? '0 : tokens - flits;
  endfunction

  function automatic level_t filled(level_t tokens, logic [16:0] rate, level_t size);
    return (sum_t'(tokens) + sum_t'(rate) > sum_t'(size)) ? size : tokens + level_t'(rate);
  endfunction

  always_comb begin
    last_red      = last_red_q;
    assured       = assured_o;
    peak          = peak_o;
    grant_valid_o = 1'b0;
    grant_queue_o = '0;
    q             = '0;
    taken         = 1'b0;

    for (int unsigned c = 0; c < Queues; c++) begin
      length[c]   = level_t'((flits_i[c] == '0) ? FlitsWidth'(1) : flits_i[c]) << 16;
      too_long[c] = flits_i[c] > max_packet_flits_i;
      if (!fits(peak_o[c], peak_size_o[c], length[c], too_long[c])) begin  // red
        green_o[c]  = 1'b0;
        yellow_o[c] = 1'b0;
      end else if (!fits(assured_o[c], assured_size_o[c], length[c], too_long[c])) begin
        green_o[c]  = 1'b0;
        yellow_o[c] = 1'b1;
      end else begin
        green_o[c]  = 1'b1;
        yellow_o[c] = 1'b0;
      end
    end

    if (request_i) begin
      for (int unsigned p = 0; p < Queues; p++) begin  // the highest priority first
        for (int unsigned c = 0; c < Queues; c++) begin
          if (!taken && 32'(priority_i[c]) == p && active_i[c] && green_o[c]) begin
            taken         = 1'b1;
            grant_queue_o = index_t'(c);
            assured[c]    = paid(assured[c], length[c]);
            peak[c]       = paid(peak[c], length[c]);
          end
        end
      end
      for (int unsigned p = 0; p < Queues; p++) begin
        for (int unsigned c = 0; c < Queues; c++) begin
          if (!taken && 32'(priority_i[c]) == p && active_i[c] && yellow_o[c]) begin
            taken         = 1'b1;
            grant_queue_o = index_t'(c);
            peak[c]       = paid(peak[c], length[c]);
          end
        end
      end
      q = last_red_q;
      for (int unsigned i = 0; i < Queues; i++) begin
        q = (q == LastQueue) ? '0 : q + 1'b1;
        if (!taken && active_i[q]) begin  // nobody is green or yellow
          taken         = 1'b1;
          grant_queue_o = q;
          last_red      = q;
        end
      end
      grant_valid_o = taken;
    end

    for (int unsigned c = 0; c < Queues; c++) begin
      assured[c] = filled(assured[c], assured_rate_i[c], assured_size_o[c]);
      peak[c]    = filled(peak[c], peak_rate_i[c], peak_size_o[c]);
    end
    if (load_i) last_red = LastQueue;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q    <= 1'b1;
      last_red_q <= LastQueue;
      assured_q  <= '0;
      peak_q     <= '0;
    end else begin
      start_q    <= load_i;
      last_red_q <= last_red;
      assured_q  <= assured;
      peak_q     <= peak;
    end
  end

endmodule
