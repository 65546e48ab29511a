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
  typedef logic [BurstWidth-1:0] flits_t;
  typedef logic [15:0]           part_t;  // of a flit

  logic   full_q;  // just loaded: level_q does not count yet
  logic   has_rate;
  level_t level_d, level_q, size, highest_to_fill;
  flits_t whole, flits;
  part_t  part;

  assign has_rate      = rate_i != '0;
  assign size          = has_rate ? {burst_i, 16'b0} : '0;
  assign {whole, part} = level_q;
  assign flits         = flits_t'(flits_i);

  // 1. A bucket that was just loaded holds any packet.
  assign fits_o = has_rate & (full_q | (whole >= flits));

  // 2. The end of the cycle. The rate is less than a flit, or just one: it adds at most one to the
  //    whole flits, beside which those of the packet are taken off.
  part_t  part_filled;
  logic   carry, one_more;
  flits_t whole_paid, burst_paid;
  level_t filled, paid, filled_if_full, paid_if_full;

  assign {carry, part_filled} = {1'b0, part} + {1'b0, rate_i[15:0]};
  assign one_more             = carry | rate_i[16];
  assign whole_paid           = whole - flits;
  assign burst_paid           = burst_i - flits;
  assign filled               = {one_more ? whole + 1'b1 : whole, part_filled};
  assign paid                 = {one_more ? whole_paid + 1'b1 : whole_paid, part_filled};
  assign filled_if_full       = size;
  assign paid_if_full         = {rate_i[16] ? burst_paid + 1'b1 : burst_paid, rate_i[15:0]};
  assign highest_to_fill      = size - level_t'(rate_i);

  always_comb begin
    if (full_q)                         level_d = pay_i ? paid_if_full : filled_if_full;
    else if (pay_i)                     level_d = paid;
    else if (level_q > highest_to_fill) level_d = size;
    else                                level_d = filled;
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

  assign level_o = full_q ? size : level_q;

endmodule
