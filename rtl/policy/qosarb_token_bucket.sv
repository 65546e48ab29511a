// A token bucket of 1/65536 flits that is filled every cycle and at most once a cycle paid from.
//
// Algorithm:
//   1. A head fits when the bucket is full or the whole flits in it are at least as many as its own,
//      and not none: two comparisons side by side with a register.
//   2. At the end of a cycle the winner's flits are taken out, if it pays, and the rate is added,
//      up to the size. Both outcomes are computed before it is known which one holds, and they
//      differ in the whole flits only.
//   3. A bucket filled to its size is marked full. Its size then counts, and not the register: so
//      nothing has to be clamped, and `load_i` fills it to the size that is in force from the next
//      cycle on. A reset leaves it full, too.
// A rate is at most one flit a cycle and a packet has at least one, so that a bucket that was paid
// from cannot overflow. With a rate of 0 the bucket has no size and nothing fits; else the burst
// holds the longest packet.
// Lengths that lie: a head longer than that fits a full bucket like any other and leaves nothing in
// it; in one that is not full it fits if it fits. A head of 0 flits counts as one of 1: it does not
// fit where nothing whole is left, and withholds the carry into the subtractions.

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

  output logic                  full_o,   // it stays as it is until it is paid from
  output logic [LevelWidth-1:0] level_o   // 1/65536 flits
);

  if (FlitsWidth == 0 || BurstWidth < FlitsWidth) begin : g_check_burst
    $error("qosarb_token_bucket: FlitsWidth must be within 1..BurstWidth");
  end

  typedef logic [BurstWidth-1:0] flits_t;
  typedef logic [15:0]           part_t;   // of a flit
  typedef logic [FlitsWidth-1:0] packet_t;
  typedef logic [FlitsWidth:0]   rest_t;   // the top bit is its sign

  logic   full_d, full_q;  // whole_q and part_q do not count
  flits_t whole_d, whole_q, whole, size;
  part_t  part_q, part;
  logic   has_rate;

  assign has_rate = rate_i != '0;
  assign size     = has_rate ? burst_i : '0;
  assign whole    = full_q ? size : whole_q;
  assign part     = full_q ? '0 : part_q;

  // 1. A full bucket holds any packet. Whether a head counts as more than 0 flits would come late as
  //    a carry, and tells nothing where something whole is left.
  logic [BurstWidth:0] after;  // whole flits without the head's, and the carry: not negative

  assign after  = {1'b0, whole_q} + {1'b0, ~flits_t'(flits_i)} + (BurstWidth + 1)'(1);
  assign fits_o = has_rate & (full_q | (after[BurstWidth] & (whole_q != '0)));

  // 2. The rate is less than a flit, or just one: it adds at most one to the whole flits.
  logic [16:0] part_and_rate;
  logic        one_more, fills_up;
  part_t       part_filled;
  flits_t      whole_and_one, filled;

  assign part_and_rate = {1'b0, part_q} + {1'b0, rate_i[15:0]};
  assign part_filled   = full_q ? rate_i[15:0] : part_and_rate[15:0];
  assign one_more      = (part_and_rate[16] & ~full_q) | rate_i[16];
  assign whole_and_one = whole + 1'b1;
  assign filled        = one_more ? whole_and_one : whole;
  // A level is never above the size, and one at the size is marked full: equality tells when the next
  // one gets there.
  assign fills_up = full_q | (one_more & (whole_and_one == burst_i));

  // The packet is taken off the lower bits; the upper ones lose at most one. One flit less comes
  // off when the rate adds one. A head that is longer than the size leaves nothing.
  logic    counts;  // as more than 0 flits
  packet_t flits_but_one;
  rest_t   rest, taken_off;
  flits_t  upper;
  logic    overdrawn;

  assign counts        = flits_i != '0;
  assign flits_but_one = flits_i - packet_t'(counts);
  assign upper         = whole >> FlitsWidth;
  assign taken_off     = {1'b0, whole[FlitsWidth-1:0]} + ~{1'b0, flits_i} + rest_t'(counts);
  assign overdrawn     = (upper == '0) & taken_off[FlitsWidth];

  always_comb begin
    rest    = '0;
    whole_d = filled;
    if (pay_i) begin
      rest    = one_more ? {1'b0, whole[FlitsWidth-1:0]} - {1'b0, flits_but_one} : taken_off;
      whole_d = ((rest[FlitsWidth] ? upper - 1'b1 : upper) << FlitsWidth) |
                flits_t'(rest[FlitsWidth-1:0]);
      if (overdrawn) whole_d = flits_t'(one_more);
    end
  end

  // 3. Full. One flit may be paid and filled up again in the same cycle: of a head of one flit, or out
  //    of a bucket of one.
  logic refills;

  assign refills = full_q & rate_i[16] & ((flits_but_one == '0) | (size == flits_t'(1)));
  assign full_d  = load_i | (pay_i ? refills : fills_up);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      whole_q <= '0;
      part_q  <= '0;
      full_q  <= 1'b1;
    end else begin
      whole_q <= whole_d;
      part_q  <= part_filled;
      full_q  <= full_d;
    end
  end

  assign full_o  = full_q;
  assign level_o = {whole, part};

endmodule
