// Cover points of qosarb_infiniband: limit of high priority, low turns.

module qosarb_infiniband_cover #(
  parameter int unsigned Queues = 8
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              load_i,
  input  logic              grant_valid_o,
  input  logic [Queues-1:0] grant_o,
  input  logic [7:0]        limit_i,
  input  logic              low_turn_packet_i,
  input  logic [19:0]       bytes_q,
  input  logic              full,
  input  logic              full_q,
  input  logic              last_low_q,
  input  logic              in_low_turn,
  input  logic              cut_short,
  input  logic              high_ready,
  input  logic              high_open,
  input  logic              low_turn_goes_on,
  input  logic              no_bytes,
  input  logic              sends_high,
  input  logic              sends_low,
  input  logic [Queues-1:0] counted_q,
  input  logic [Queues-1:0] part_of_units,
  input  logic              beyond_limit
);

  limit_closes: cover property (@(posedge clk_i) disable iff (!rst_ni)
    sends_low && high_ready && !high_open && !low_turn_goes_on);
  // The low table has nothing: the bytes are not counted.
  high_although_closed: cover property (@(posedge clk_i) disable iff (!rst_ni)
    sends_high && !high_open);
  // Limit 255, past what it would allow as a number.
  unlimited: cover property (@(posedge clk_i) disable iff (!rst_ni)
    sends_high && limit_i == 8'd255 && beyond_limit);
  limit_0_first_packet: cover property (@(posedge clk_i) disable iff (!rst_ni)
    sends_high && limit_i == '0 && no_bytes);
  limit_0_closes: cover property (@(posedge clk_i) disable iff (!rst_ni)
    sends_low && limit_i == '0 && high_ready && !no_bytes && !low_turn_goes_on);
  part_of_a_unit: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |(grant_o & part_of_units));
  low_turn_before_high: cover property (@(posedge clk_i) disable iff (!rst_ni)
    sends_low && low_turn_goes_on && high_ready);
  low_turn_cut_short: cover property (@(posedge clk_i) disable iff (!rst_ni) cut_short);
  low_turn_cut_short_high: cover property (@(posedge clk_i) disable iff (!rst_ni)
    cut_short && sends_high);
  low_turn_cut_short_low: cover property (@(posedge clk_i) disable iff (!rst_ni)
    cut_short && sends_low);
  low_turn_cut_short_idle: cover property (@(posedge clk_i) disable iff (!rst_ni)
    cut_short && !grant_valid_o);
  low_turn_ends: cover property (@(posedge clk_i) disable iff (!rst_ni)
    last_low_q && !in_low_turn && !low_turn_packet_i && bytes_q != '0);
  low_packet_ends: cover property (@(posedge clk_i) disable iff (!rst_ni)
    last_low_q && low_turn_packet_i && bytes_q != '0);
  low_without_high: cover property (@(posedge clk_i) disable iff (!rst_ni)
    sends_low && !high_ready);
  bytes_counted_within_limit: cover property (@(posedge clk_i) disable iff (!rst_ni)
    counted_q != '0 && high_open && sends_high);
  bytes_saturate: cover property (@(posedge clk_i) disable iff (!rst_ni) full && !full_q);
  commit_within_low_turn: cover property (@(posedge clk_i) disable iff (!rst_ni)
    load_i && in_low_turn);

endmodule

bind qosarb_infiniband qosarb_infiniband_cover #(
  .Queues(Queues)
) u_cover (
  .beyond_limit($signed(room_q) <= $signed(RoomWidth'(counted_flits))),
  .*
);

bind qosarb_infiniband qosarb_candidates_cover #(
  .Queues(Queues)
) u_candidates_cover (.*);
