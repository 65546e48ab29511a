// A token bucket of 1/65536 flits that is filled every cycle and at most once a cycle paid from.
//
// Algorithm:
//   1. A head fits when the whole flits in the bucket are at least as many as its own: one
//      comparison beside a register.
//   2. At the end of a cycle the winner's flits are taken out, if it pays, and the rate is added,
//      up to the size. Both outcomes are computed before it is known which one holds.
//   3. `load_i` fills the bucket to the size that is in force from the next cycle on.
// A rate is at most one flit a cycle, so that a bucket that was paid from cannot overflow. With a
// rate of 0 the bucket has no size and nothing fits; else the burst holds the longest packet.

module qosarb_token_bucket #(
  parameter  int unsigned BurstWidth = 16,
  parameter  int unsigned FlitsWidth = 10,
  localparam int unsigned LevelWidth = BurstWidth + 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // A cycle with `load_i` is the last one of the rate and burst that stand in it.
  input  logic                  load_i,
  input  logic [16:0]           rate_i,   // 1/65536 flits a cycle, at most 65536
  input  logic [BurstWidth-1:0] burst_i,  // flits

  input  logic [FlitsWidth-1:0] flits_i,  // of the head
  output logic                  fits_o,
  input  logic                  pay_i,    // only when the head fits

  output logic [LevelWidth-1:0] level_o   // 1/65536 flits
);

  if (BurstWidth < FlitsWidth) begin : g_check_burst
    $error("qosarb_token_bucket: BurstWidth must be at least FlitsWidth");
  end

  typedef logic [LevelWidth-1:0] level_t;

  logic   full_q;  // just loaded
  logic   has_rate;
  level_t level_d, level_q, size, level, highest_to_fill, filled;
  level_t cost;

  assign has_rate = rate_i != '0;
  assign size     = has_rate ? {burst_i, 16'b0} : '0;
  assign level    = full_q ? size : level_q;
  assign cost     = level_t'(flits_i) << 16;

  // 1. A bucket that was just loaded holds any packet.
  assign fits_o = has_rate & (full_q | (level_q[LevelWidth-1:16] >= BurstWidth'(flits_i)));

  // 2. The end of the cycle.
  assign filled          = level + level_t'(rate_i);
  assign highest_to_fill = size - level_t'(rate_i);

  always_comb begin
    if (pay_i)                        level_d = filled - cost;
    else if (level > highest_to_fill) level_d = size;
    else                              level_d = filled;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_q <= '0;
      full_q  <= 1'b0;
    end else begin
      level_q <= level_d;
      full_q  <= load_i;
    end
  end

  assign level_o = level;

endmodule
