// Cover points of qosarb_ets: strict priority beside the table. The table's are qosarb_bxi_table's.

module qosarb_ets_cover #(
  parameter int unsigned Queues = 8
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              load_i,
  input  logic [Queues-1:0] strict_i,
  input  logic [Queues-1:0] valid_i,
  input  logic [Queues-1:0] stopped_i,
  input  logic              request_i,
  input  logic              grant_valid_o,
  input  logic              had_turn_o,
  input  logic [Queues-1:0] strict_active,
  input  logic              any_strict,
  input  logic              table_valid
);

  logic was_table_q;  // the last grant was the table's

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)            was_table_q <= 1'b0;
    else if (grant_valid_o) was_table_q <= table_valid;
  end

  strict_over_table: cover property (@(posedge clk_i) disable iff (!rst_ni)
    request_i && any_strict && |(valid_i & ~stopped_i & ~strict_i));
  strict_over_strict: cover property (@(posedge clk_i) disable iff (!rst_ni)
    request_i && (strict_active & (strict_active - 1'b1)) != '0);
  // A strict packet comes between two of the table's.
  turn_interrupted: cover property (@(posedge clk_i) disable iff (!rst_ni)
    request_i && any_strict && was_table_q);
  turn_resumed: cover property (@(posedge clk_i) disable iff (!rst_ni)
    table_valid && had_turn_o && !was_table_q);
  strict_before_first_turn: cover property (@(posedge clk_i) disable iff (!rst_ni)
    request_i && any_strict && !had_turn_o);
  strict_stopped: cover property (@(posedge clk_i) disable iff (!rst_ni)
    table_valid && |(valid_i & stopped_i & strict_i));
  no_strict_queue: cover property (@(posedge clk_i) disable iff (!rst_ni)
    table_valid && strict_i == '0);
  every_queue_strict: cover property (@(posedge clk_i) disable iff (!rst_ni)
    request_i && any_strict && (&strict_i));
  commit_with_strict_grant: cover property (@(posedge clk_i) disable iff (!rst_ni)
    load_i && request_i && any_strict);

endmodule

bind qosarb_ets qosarb_ets_cover #(
  .Queues(Queues)
) u_cover (.*);

bind qosarb_ets qosarb_candidates_cover #(
  .Queues(Queues)
) u_candidates_cover (.*);
