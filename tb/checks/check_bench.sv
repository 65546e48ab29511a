// Two ports with credits, and their checks bound as an integrator would do it: one that can reset itself, and one that
// answers in the next cycle. And checks without anything that they look at: a test shows those what no port does.

// The late port has bxi, too, under which a head is passed over by the packets of whole turns.
bind qosarb_port qosarb_port_checks #(
  .Queues(Queues), .MaxPacketFlits(MaxPacketFlits), .Latency(Latency), .MaxWait(8 + 12 * Latency), .Ahead(1)
) u_checks (.*, .hold(u_ports.hold), .upset(u_ports.upset), .served_i({Queues{1'b1}}));

module check_bench #(
  localparam int unsigned AddressWidth = qosarb_port_reg_pkg::OffsetWidth
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    psel_i,
  input  logic                    penable_i,
  input  logic                    pwrite_i,
  input  logic [AddressWidth-1:0] paddr_i,
  input  logic [31:0]             pwdata_i,
  input  logic [3:0]              pstrb_i,
  output logic                    pready_o,
  output logic [31:0]             prdata_o,
  output logic                    pslverr_o,
  input  logic [2:0]              valid_i,
  input  logic [2:0]              pfc_stop_i,
  input  logic [2:0][2:0]         flits_i,
  input  logic                    request_i,
  output logic [2:0]              grant_o,
  output logic [2:0]              drop_o,
  input  logic                    load_i,
  input  logic [2:0][3:0]         room_i,
  input  logic [2:0][1:0]         return_i,
  output logic [2:0]              credit_stop_o,

  // The port that answers in the next cycle; the transfers of APB go to both.
  input  logic [2:0]              late_valid_i,
  input  logic [2:0][2:0]         late_flits_i,
  input  logic [2:0]              late_next_valid_i,
  input  logic [2:0][2:0]         late_next_flits_i,
  input  logic                    late_request_i,
  output logic [2:0]              late_grant_o,
  input  logic                    late_load_i,
  input  logic [2:0][3:0]         late_room_i,
  input  logic [2:0][1:0]         late_return_i,
  output logic [2:0]              late_stop_o,
  output logic                    late_pslverr_o,

  // What the checks by themselves see.
  input  logic                    alone_port_rst_ni,
  input  logic                    alone_psel_i,
  input  logic                    alone_penable_i,
  input  logic                    alone_pwrite_i,
  input  logic [AddressWidth-1:0] alone_paddr_i,
  input  logic [31:0]             alone_pwdata_i,
  input  logic [3:0]              alone_pstrb_i,
  input  logic                    alone_pready_i,
  input  logic [2:0]              alone_valid_i,
  input  logic [2:0]              alone_pfc_stop_i,
  input  logic [2:0][2:0]         alone_flits_i,
  input  logic                    alone_request_i,
  input  logic                    alone_grant_valid_i,
  input  logic [2:0]              alone_grant_i,
  input  logic [1:0]              alone_grant_queue_i,
  input  logic [2:0]              alone_drop_i,
  input  logic                    alone_table_applied_i,
  input  logic                    alone_hold_i,
  input  logic                    alone_upset_i,
  input  logic                    alone_load_i,
  input  logic [2:0][3:0]         alone_room_i,
  input  logic [2:0]              alone_stop_i,
  input  logic [2:0][3:0]         alone_credit_i,
  input  logic [2:0]              alone_overflow_i,
  input  logic [2:0]              alone_underflow_i,
  input  logic [2:0]              alone_next_valid_i,
  input  logic [2:0][2:0]         alone_next_flits_i,
  input  logic [1:0]              alone_arrived_i,
  input  logic [1:0]              alone_left_i,
  input  logic [1:0]              alone_left_epoch_i,
  input  logic [7:0]              alone_timestamp_i,
  input  logic                    alone_epoch_i,
  input  logic                    alone_resync_i,
  input  logic [1:0][2:0]         alone_packet_count_i
);

  logic soft_reset, port_rst_n;

  qosarb_port_reset u_reset (
    .clk_i,
    .rst_ni,
    .soft_reset_i(soft_reset),
    .rst_no      (port_rst_n)
  );

  // A port whose queues wait for credit.
  qosarb_port #(
    .Queues        (3),
    .Entries       (3),
    .QuantumWidth  (4),
    .MaxPacketFlits(6),
    .Policies      (1)
  ) u_port (
    .clk_i,
    .rst_ni            (port_rst_n),
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
    .pfc_stop_i        (pfc_stop_i | credit_stop_o),
    .flits_i,
    .next_valid_i      ('0),
    .next_flits_i      ('0),
    .age_field_i       ('0),
    .age_in_epoch_i    ('0),
    .next_age_field_i  ('0),
    .next_age_in_epoch_i('0),
    .age_timestamp_i   ('0),
    .age_epoch_i       ('0),
    .age_inhibit_i     ('0),
    .request_i,
    .grant_valid_o     (),
    .grant_o,
    .grant_queue_o     (),
    .left_o            (),
    .left_epoch_o      (),
    .left_age_o        (),
    .age_others_wait_o (),
    .age_clock_period_o(),
    .req_age_bias_o    (),
    .rsp_age_bias_o    (),
    .table_applied_o   (),
    .interrupt_o       (),
    .drain_o           (),
    .drop_o,
    .soft_reset_o      (soft_reset),
    .idle_o            ()
  );

  qosarb_credit #(
    .Queues        (3),
    .MaxPacketFlits(6),
    .CreditWidth   (4),
    .ReturnWidth   (2)
  ) u_credit (
    .clk_i,
    .rst_ni,
    .load_i,
    .room_i,
    .flits_i,
    .next_valid_i('0),
    .next_flits_i('0),
    .stop_o      (credit_stop_o),
    .grant_i     (grant_o),
    .return_i,
    .credit_o    (),
    .overflow_o  (),
    .underflow_o ()
  );

  qosarb_port #(
    .Queues        (3),
    .Entries       (3),
    .QuantumWidth  (4),
    .MaxPacketFlits(6),
    .Policies      (7),
    .Latency       (1)
  ) u_late_port (
    .clk_i,
    .rst_ni,
    .psel_i,
    .penable_i,
    .pwrite_i,
    .paddr_i,
    .pwdata_i,
    .pstrb_i,
    .pready_o          (),
    .prdata_o          (),
    .pslverr_o         (late_pslverr_o),
    .valid_i           (late_valid_i),
    .pfc_stop_i        (late_stop_o),
    .flits_i           (late_flits_i),
    .next_valid_i      (late_next_valid_i),
    .next_flits_i      (late_next_flits_i),
    .age_field_i       ('0),
    .age_in_epoch_i    ('0),
    .next_age_field_i  ('0),
    .next_age_in_epoch_i('0),
    .age_timestamp_i   ('0),
    .age_epoch_i       ('0),
    .age_inhibit_i     ('0),
    .request_i         (late_request_i),
    .grant_valid_o     (),
    .grant_o           (late_grant_o),
    .grant_queue_o     (),
    .left_o            (),
    .left_epoch_o      (),
    .left_age_o        (),
    .age_others_wait_o (),
    .age_clock_period_o(),
    .req_age_bias_o    (),
    .rsp_age_bias_o    (),
    .table_applied_o   (),
    .interrupt_o       (),
    .drain_o           (),
    .drop_o            (),
    .soft_reset_o      (),
    .idle_o            ()
  );

  qosarb_credit #(
    .Queues        (3),
    .MaxPacketFlits(6),
    .CreditWidth   (4),
    .ReturnWidth   (2),
    .Latency       (1)
  ) u_late_credit (
    .clk_i,
    .rst_ni,
    .load_i      (late_load_i),
    .room_i      (late_room_i),
    .flits_i     (late_flits_i),
    .next_valid_i(late_next_valid_i),
    .next_flits_i(late_next_flits_i),
    .stop_o      (late_stop_o),
    .grant_i     (late_grant_o),
    .return_i    (late_return_i),
    .credit_o    (),
    .overflow_o  (),
    .underflow_o ()
  );

  // Of a port that answers at once, and of one that answers in the next cycle.
  for (genvar late = 0; late < 2; late++) begin : g_port_alone
    qosarb_port_checks #(
      .Queues        (3),
      .MaxPacketFlits(6),
      .Latency       (late),
      .MaxWait       (8),
      .Ahead         (1)
    ) u_alone (
      .clk_i,
      .rst_ni,
      .psel_i         (alone_psel_i),
      .penable_i      (alone_penable_i),
      .pwrite_i       (alone_pwrite_i),
      .paddr_i        (alone_paddr_i),
      .pwdata_i       (alone_pwdata_i),
      .pstrb_i        (alone_pstrb_i),
      .pready_o       (alone_pready_i),
      .valid_i        (alone_valid_i),
      .pfc_stop_i     (alone_pfc_stop_i),
      .flits_i        (alone_flits_i),
      .next_valid_i   (alone_next_valid_i),
      .next_flits_i   (alone_next_flits_i),
      .request_i      (alone_request_i),
      .grant_valid_o  (alone_grant_valid_i),
      .grant_o        (alone_grant_i),
      .grant_queue_o  (alone_grant_queue_i),
      .drop_o         (alone_drop_i),
      .table_applied_o(alone_table_applied_i),
      .hold           (alone_hold_i),
      .upset          (alone_upset_i),
      .served_i       ('1)
    );
  end

  qosarb_ports_checks #(
    .Ports         (1),
    .Queues        (3),
    .MaxPacketFlits(6),
    .MaxWait       (8),
    .Ahead         (1)
  ) u_ports_alone (
    .clk_i,
    .rst_ni,
    .port_rst_ni    (alone_port_rst_ni),
    .psel_i         (alone_psel_i),
    .penable_i      (alone_penable_i),
    .pwrite_i       (alone_pwrite_i),
    .paddr_i        (alone_paddr_i),
    .pwdata_i       (alone_pwdata_i),
    .pstrb_i        (alone_pstrb_i),
    .pready_o       (alone_pready_i),
    .valid_i        (alone_valid_i),
    .pfc_stop_i     (alone_pfc_stop_i),
    .flits_i        (alone_flits_i),
    .next_valid_i   (alone_next_valid_i),
    .next_flits_i   (alone_next_flits_i),
    .request_i      (alone_request_i),
    .grant_valid_o  (alone_grant_valid_i),
    .grant_o        (alone_grant_i),
    .grant_queue_o  (alone_grant_queue_i),
    .drop_o         (alone_drop_i),
    .table_applied_o(alone_table_applied_i),
    .hold           (alone_hold_i),
    .begun          (1'b1),
    .upset          (alone_upset_i),
    .reload         (1'b0),
    .fall_back      (1'b0),
    .served_i       ('1)
  );

  for (genvar late = 0; late < 2; late++) begin : g_credit_alone
    qosarb_credit_checks #(
      .Queues     (3),
      .CreditWidth(4),
      .Latency    (late)
    ) u_alone (
      .clk_i,
      .rst_ni,
      .load_i     (alone_load_i),
      .room_i     (alone_room_i),
      .stop_o     (alone_stop_i),
      .grant_i    (alone_grant_i),
      .credit_o   (alone_credit_i),
      .overflow_o (alone_overflow_i),
      .underflow_o(alone_underflow_i)
    );
  end

  // Of an engine that answers in the next cycle.
  qosarb_engine_checks #(
    .Queues        (3),
    .MaxPacketFlits(6),
    .Latency       (1),
    .MaxWait       (8)
  ) u_engine_alone (
    .clk_i,
    .rst_ni,
    .load_i       (alone_load_i),
    .valid_i      (alone_valid_i),
    .stopped_i    (alone_pfc_stop_i),
    .flits_i      (alone_flits_i),
    .next_valid_i (alone_next_valid_i),
    .next_flits_i (alone_next_flits_i),
    .request_i    (alone_request_i),
    .grant_valid_o(alone_grant_valid_i),
    .grant_o      (alone_grant_i),
    .grant_queue_o(alone_grant_queue_i),
    .served_i     ('1)
  );

  qosarb_age_clock_checks #(
    .MaxPackets (7),
    .MaxArrivals(2),
    .Outputs    (2)
  ) u_age_clock_alone (
    .clk_i,
    .rst_ni,
    .arrived_i     (alone_arrived_i),
    .left_i        (alone_left_i),
    .left_epoch_i  (alone_left_epoch_i),
    .timestamp_o   (alone_timestamp_i),
    .epoch_o       (alone_epoch_i),
    .resync_o      (alone_resync_i),
    .packet_count_o(alone_packet_count_i)
  );

endmodule
