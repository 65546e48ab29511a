// The service level of each queue: the shadow, and what is in force. For policies that serve SLs.
//
// Algorithm: QUEUE_SL[q] writes the shadow, which comes into force with `load_i`. For the check of a
// commit, a queue of the shadow is served when its SL is.

module qosarb_port_queue_sl #(
  parameter  int unsigned Queues     = 8,
  localparam int unsigned QueueWidth = qosarb_pkg::index_width(Queues)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,

  input  qosarb_port_pkg::register_request_t register_i,
  output qosarb_port_pkg::register_answer_t  register_o,

  // The shadow: SLs that are served, and the queues that are served by that.
  input  logic [Queues-1:0]                  check_sls_i,
  output logic [Queues-1:0]                  check_queues_o,

  input  logic                               load_i,
  output logic [Queues-1:0][QueueWidth-1:0]  queue_sl_o
);

  import qosarb_port_reg_pkg::*;

  logic                              here;
  logic [QueueWidth-1:0]             queue;
  logic [Queues-1:0][QueueWidth-1:0] shadow_queue_sl_q, queue_sl_q;

  assign queue = register_i.addr[2 +: QueueWidth];
  assign here  = (32'(register_i.addr[6:2]) < Queues) &
                 (register_i.addr[OffsetWidth-1:7] == QueueSlOffset[OffsetWidth-1:7]);

  always_comb begin
    register_o = '0;
    if (here) begin
      register_o = '{counted: 1'b0, counter: '0, write_good: register_i.wdata < Queues, read_good: 1'b1,
                     value: 32'(shadow_queue_sl_q[queue])};
    end
  end

  for (genvar q = 0; q < Queues; q++) begin : g_check
    assign check_queues_o[q] = check_sls_i[shadow_queue_sl_q[q]];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        shadow_queue_sl_q[q] <= QueueWidth'(q);
        queue_sl_q[q]        <= QueueWidth'(q);
      end
    end else begin
      if (register_i.write && here) begin
        shadow_queue_sl_q[queue] <= register_i.wdata[QueueWidth-1:0];
      end
      if (load_i) queue_sl_q <= shadow_queue_sl_q;
    end
  end

  assign queue_sl_o = queue_sl_q;

endmodule
