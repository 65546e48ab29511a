// rr, as it is specified: scan the queues behind the last winner, circularly.
//
// A transcription, not a design: one loop that reads like the text. The proofs hold qosarb_rr against it.

module rr_semantics #(
  parameter  int unsigned Queues     = 4,
  localparam int unsigned QueueWidth = qosarb_pkg::index_width(Queues)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  load_i,
  input  logic [Queues-1:0]     active_i,
  input  logic                  request_i,
  output logic                  grant_valid_o,
  output logic [QueueWidth-1:0] grant_queue_o,

  // State before the arbitration of this cycle.
  output logic [QueueWidth-1:0] last_o
);

  typedef logic [QueueWidth-1:0] queue_t;

  localparam queue_t LastQueue = queue_t'(Queues - 1);

  function automatic queue_t next(queue_t q);
    return (q == LastQueue) ? '0 : q + 1'b1;
  endfunction

  queue_t last_q, last_d, q;

  always_comb begin
    last_d        = last_q;
    grant_valid_o = 1'b0;
    grant_queue_o = '0;
    q             = last_q;
    if (request_i) begin
      for (int unsigned i = 0; i < Queues; i++) begin
        q = next(q);
        if (active_i[q] && !grant_valid_o) begin
          grant_valid_o = 1'b1;
          grant_queue_o = q;
          last_d        = q;
        end
      end
    end
    if (load_i) last_d = LastQueue;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_q <= LastQueue;
    else         last_q <= last_d;
  end

  assign last_o = last_q;

endmodule
