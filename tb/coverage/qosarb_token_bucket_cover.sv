// Cover points of qosarb_token_bucket: filling, paying, exact depletion.

module qosarb_token_bucket_cover #(
  parameter int unsigned BurstWidth = 16,
  parameter int unsigned FlitsWidth = 10
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  load_i,
  input  logic                  pay_i,
  input  logic                  fits_o,
  input  logic                  full_q,
  input  logic                  has_rate,
  input  logic [16:0]           rate_i,
  input  logic [FlitsWidth-1:0] flits_i,
  input  logic                  fills_up,
  input  logic [BurstWidth-1:0] whole
);

  logic just_loaded_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) just_loaded_q <= 1'b0;
    else         just_loaded_q <= load_i;
  end

  // No whole token is left behind.
  pays_exactly_all: cover property (@(posedge clk_i) disable iff (!rst_ni)
    pay_i && whole == BurstWidth'(flits_i));
  one_token_short: cover property (@(posedge clk_i) disable iff (!rst_ni)
    has_rate && !fits_o && flits_i != '0 && whole + 1'b1 == BurstWidth'(flits_i));
  pays_when_full: cover property (@(posedge clk_i) disable iff (!rst_ni) pay_i && full_q);
  pays_when_just_loaded: cover property (@(posedge clk_i) disable iff (!rst_ni)
    pay_i && just_loaded_q);
  overflow_clamped: cover property (@(posedge clk_i) disable iff (!rst_ni)
    !pay_i && has_rate && fills_up && !full_q);
  stays_full: cover property (@(posedge clk_i) disable iff (!rst_ni)
    !pay_i && has_rate && full_q);
  no_rate: cover property (@(posedge clk_i) disable iff (!rst_ni) !has_rate && flits_i != '0);
  highest_rate: cover property (@(posedge clk_i) disable iff (!rst_ni)
    rate_i == 17'h10000 && !full_q);
  load_while_paying: cover property (@(posedge clk_i) disable iff (!rst_ni) load_i && pay_i);

endmodule

bind qosarb_token_bucket qosarb_token_bucket_cover #(
  .BurstWidth(BurstWidth), .FlitsWidth(FlitsWidth)
) u_cover (.*);
