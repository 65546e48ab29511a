// Cover points of every engine that answers in the cycle of the request: its candidates, stops and
// commits. The file of an engine binds it there.

module qosarb_candidates_cover #(
  parameter int unsigned Queues = 8
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              load_i,
  input  logic [Queues-1:0] valid_i,
  input  logic [Queues-1:0] stopped_i,
  input  logic              request_i,
  input  logic              grant_valid_o,
  input  logic [Queues-1:0] grant_o
);

  logic [Queues-1:0] last_granted_q;  // by the last cycle's grant

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_granted_q <= '0;
    else         last_granted_q <= grant_o;
  end

  granted_while_all_active: cover property (@(posedge clk_i) disable iff (!rst_ni)
    grant_valid_o && (&valid_i) && stopped_i == '0);
  nobody_active: cover property (@(posedge clk_i) disable iff (!rst_ni)
    request_i && valid_i == '0);
  all_stopped: cover property (@(posedge clk_i) disable iff (!rst_ni)
    request_i && valid_i != '0 && (valid_i & ~stopped_i) == '0);
  // The queue that won the last cycle is stopped with a packet.
  stop_on_granted: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |(last_granted_q & valid_i & stopped_i));
  granted_twice_running: cover property (@(posedge clk_i) disable iff (!rst_ni)
    |(last_granted_q & grant_o));
  // A commit takes effect at the end of a cycle with a decision.
  commit_with_grant: cover property (@(posedge clk_i) disable iff (!rst_ni)
    load_i && grant_valid_o);

endmodule
