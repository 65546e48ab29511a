// seastar-age: the output side of a port, which tells the age clock and the next chip of each packet
// that leaves by a grant or a drop (Cray XT paper, Procedure 2); after a drop the age means nothing.
//
// Algorithm:
//   1. The winner's stamp is selected within each share of the queues in the cycle of the grant, and
//      among the shares in the next one.
//   2. In that cycle its new age is summed up: the stamp's field, plus the timestamp, plus 256 if the
//      epoch has changed since its arrival; at most 255.
//   3. Beside it: whether some head of the last cycle was of the other epoch. Packets of a queue are
//      in the order of their stamps, so those of the other epoch stand first; where no head is of it,
//      no packet is (see qosarb_age_clock).

module qosarb_age_output #(
  parameter int unsigned Queues = 28
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // The chip's age clock by which the port decided, and its epoch now.
  input  logic [7:0]             timestamp_i,
  input  logic                   epoch_i,
  input  logic                   now_epoch_i,

  // The head of each queue, its stamp, and the one that leaves by a grant or a drop.
  input  logic [Queues-1:0]      valid_i,
  input  logic [Queues-1:0][8:0] field_i,
  input  logic [Queues-1:0]      in_epoch_i,
  input  logic                   grant_valid_i,
  input  logic [Queues-1:0]      grant_i,

  // The cycle after.
  output logic                   left_o,
  output logic                   left_epoch_o,
  output logic [7:0]             left_age_o,
  output logic                   others_wait_o
);

  if (Queues < 1 || Queues > 256) begin : g_check_queues
    $error("qosarb_age_output: Queues must be within 1..256");
  end

  localparam int unsigned ShareQueues = 2;
  localparam int unsigned Shares      = (Queues + ShareQueues - 1) / ShareQueues;

  logic [Shares-1:0][8:0] share_field_d, share_field_q;
  logic                   left_q, left_epoch_q, left_now_epoch_q, others_wait_q;
  logic [7:0]             left_timestamp_q;

  always_comb begin
    share_field_d = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      share_field_d[q / ShareQueues] |= field_i[q] & {9{grant_i[q]}};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q           <= 1'b0;
      left_epoch_q     <= 1'b0;
      left_now_epoch_q <= 1'b0;
      share_field_q    <= '0;
      left_timestamp_q <= '0;
      others_wait_q    <= 1'b0;
    end else begin
      left_q           <= grant_valid_i;
      left_epoch_q     <= |(in_epoch_i & grant_i);
      left_now_epoch_q <= epoch_i;
      share_field_q    <= share_field_d;
      left_timestamp_q <= timestamp_i;
      others_wait_q    <= |(valid_i & (in_epoch_i ^ {Queues{now_epoch_i}}));
    end
  end

  logic [8:0] left_field;
  logic [9:0] sum;
  logic       overflow;

  always_comb begin
    left_field = '0;
    for (int unsigned s = 0; s < Shares; s++) left_field |= share_field_q[s];
  end

  assign sum      = 10'(left_field) + {1'b0, left_epoch_q ^ left_now_epoch_q, left_timestamp_q};
  assign overflow = sum[8] | (sum[9] & ~left_field[8]);

  assign left_o        = left_q;
  assign left_epoch_o  = left_epoch_q;
  assign left_age_o    = overflow ? 8'hff : sum[7:0];
  assign others_wait_o = others_wait_q;

endmodule
