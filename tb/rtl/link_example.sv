// A link with a port of its own: a flit a cycle, packets back to back for as long as a queue has one.
module link_example #(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned MaxPacketFlits = 63,
  localparam int unsigned AddressWidth   = qosarb_port_reg_pkg::OffsetWidth,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  // The first packet of each queue, the one behind it, and the neighbour's PFC.
  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,
  input  logic [Queues-1:0]                 next_valid_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] next_flits_i,
  input  logic [Queues-1:0]                 pfc_stop_i,

  // A packet leaves its queue at the end of this cycle. With `starts_o` its first flit is on the wire now;
  // without, software flushes the port.
  output logic [Queues-1:0]                 pop_o,
  output logic                              starts_o,
  output logic [QueueWidth-1:0]             queue_o,

  // Firmware: APB, and the interrupt.
  input  logic                              psel_i,
  input  logic                              penable_i,
  input  logic                              pwrite_i,
  input  logic [AddressWidth-1:0]           paddr_i,
  input  logic [31:0]                       pwdata_i,
  input  logic [3:0]                        pstrb_i,
  output logic                              pready_o,
  output logic [31:0]                       prdata_o,
  output logic                              pslverr_o,
  output logic                              interrupt_o
);

  // The wire: flits that are still to come of the packet on it, but for one that starts in this cycle.
  logic [FlitsWidth-1:0] left_d, left_q, started;
  logic [Queues-1:0]     grant, drop;

  always_comb begin
    started = '0;
    for (int unsigned q = 0; q < Queues; q++) started |= flits_i[q] & {FlitsWidth{grant[q]}};
    left_d = '0;
    if (starts_o)         left_d = started - FlitsWidth'(started != 0);  // a head of 0 flits is one of 1
    else if (left_q != 0) left_d = left_q - 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else         left_q <= left_d;
  end

  assign pop_o = grant | drop;

  // The port answers in the next cycle, so it is asked in the last one of each packet.
  logic port_rst_n, soft_reset;

  qosarb_port_reset u_reset (
    .clk_i,
    .rst_ni,
    .soft_reset_i(soft_reset),
    .rst_no      (port_rst_n)
  );

  qosarb_port #(
    .Queues        (Queues),
    .Entries       (2 * Queues),
    .MaxPacketFlits(MaxPacketFlits),
    .Policies      (32'h7),  // rr, bxi-basic, bxi-deficit
    .Latency       (1)
  ) u_port (
    .clk_i,
    .rst_ni             (port_rst_n),
    .psel_i,
    .penable_i,
    .pwrite_i,
    .paddr_i,
    .pwdata_i,
    .pstrb_i,
    .pready_o,
    .prdata_o,
    .pslverr_o,
    .valid_i,
    .pfc_stop_i,
    .flits_i,
    .next_valid_i,
    .next_flits_i,
    .request_i          (left_d == 0),
    .grant_valid_o      (starts_o),
    .grant_o            (grant),
    .grant_queue_o      (queue_o),
    .drop_o             (drop),
    .soft_reset_o       (soft_reset),
    .interrupt_o,
    // seastar-age is not built in.
    .age_field_i        ('0),
    .age_in_epoch_i     ('0),
    .next_age_field_i   ('0),
    .next_age_in_epoch_i('0),
    .age_timestamp_i    ('0),
    .age_epoch_i        ('0),
    .age_inhibit_i      ('0),
    .left_o             (),
    .left_epoch_o       (),
    .left_age_o         (),
    .age_others_wait_o  (),
    .age_clock_period_o (),
    .req_age_bias_o     (),
    .rsp_age_bias_o     (),
    // Of use to a switch that drains ports, follows commits, or gates their clocks.
    .drain_o            (),
    .table_applied_o    (),
    .idle_o             ()
  );

endmodule
