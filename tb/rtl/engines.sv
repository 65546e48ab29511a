// Every engine by itself over one set of candidates, so that a test can reset them all.

module engines #(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned Entries        = 8,
  parameter  int unsigned MaxPacketFlits = 15,
  localparam int unsigned Engines        = 12,
  localparam int unsigned QuantumWidth   = 5,
  localparam int unsigned QueueWidth     = 2,
  localparam int unsigned FlitsWidth     = 4
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              load_i,

  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0]                 stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,
  input  logic [Queues-1:0][8:0]            age_field_i,
  input  logic [Queues-1:0]                 age_in_epoch_i,
  input  logic [7:0]                        age_timestamp_i,
  input  logic                              request_i,

  // Of rr, bxi_table, ets, sbt, dtable, infiniband, seastar_age, trtcm, and of those that answer in
  // the next cycle: bxi_lookahead without deficits and with them, dtable_lookahead, ets.
  output logic [Engines-1:0]                grant_valid_o,
  output logic [Engines-1:0][Queues-1:0]    grant_o
);

  localparam logic [Entries-1:0][QueueWidth-1:0] EntryQueue = {
    2'd3, 2'd1, 2'd2, 2'd1, 2'd3, 2'd2, 2'd1, 2'd0
  };
  localparam logic [Entries-1:0][QuantumWidth-1:0] EntryQuantum = {
    5'd20, 5'd17, 5'd31, 5'd15, 5'd16, 5'd23, 5'd15, 5'd30
  };
  localparam logic [Queues-1:0][QueueWidth-1:0]    QueueSl      = {2'd1, 2'd2, 2'd0, 2'd1};
  localparam logic [Queues-1:0][QueueWidth-1:0]    EntrySl      = {2'd3, 2'd2, 2'd1, 2'd0};
  localparam logic [Queues-1:0][QuantumWidth-1:0]  EntryWeight  = {5'd1, 5'd3, 5'd2, 5'd5};
  localparam logic [Entries-1:0][7:0] HighWeight = {
    8'd0, 8'd9, 8'd0, 8'd3, 8'd0, 8'd0, 8'd30, 8'd4
  };
  localparam logic [Entries-1:0][7:0] LowWeight = {
    8'd5, 8'd0, 8'd1, 8'd0, 8'd9, 8'd40, 8'd2, 8'd0
  };
  localparam logic [Queues-1:0][FlitsWidth-1:0]    Mtu          = {4'd15, 4'd15, 4'd15, 4'd15};
  localparam logic [Queues-1:0][QueueWidth-1:0]    Priority     = {2'd2, 2'd0, 2'd3, 2'd1};
  localparam logic [Queues-1:0][16:0] Rate = {
    17'h03000, 17'h02000, 17'h04000, 17'h05000
  };
  localparam logic [Queues-1:0][16:0] PeakRate = {
    17'h04000, 17'h08000, 17'h05000, 17'h09000
  };
  localparam logic [Queues-1:0][5:0]               Burst        = {6'd20, 6'd31, 6'd15, 6'd40};

  logic [Engines-1:0][QueueWidth-1:0] grant_queue;

  // The packets behind the heads are the heads once more.
  logic [Queues-1:0]                 next_valid;
  logic [Queues-1:0][FlitsWidth-1:0] next_flits;

  assign next_valid = valid_i;
  assign next_flits = flits_i;

  qosarb_rr #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_rr (
    .clk_i,
    .rst_ni,
    .load_i,
    .entry_used_i   ('1),
    .entry_queue_i  (EntryQueue),
    .entry_quantum_i(EntryQuantum),
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i,
    .grant_valid_o  (grant_valid_o[0]),
    .grant_o        (grant_o[0]),
    .grant_queue_o  (grant_queue[0]),
    .current_o      (),
    .remaining_o    (),
    .deficit_o      ()
  );

  qosarb_bxi_table #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_bxi_table (
    .clk_i,
    .rst_ni,
    .load_i,
    .entry_used_i      ('1),
    .entry_queue_i     (EntryQueue),
    .entry_quantum_i   (EntryQuantum),
    .deficits_on_i     (1'b1),
    .max_packet_flits_i(FlitsWidth'(MaxPacketFlits)),
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i,
    .grant_valid_o     (grant_valid_o[1]),
    .grant_o           (grant_o[1]),
    .grant_queue_o     (grant_queue[1]),
    .current_o         (),
    .had_turn_o        (),
    .remaining_o       (),
    .deficit_o         ()
  );

  qosarb_ets #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_ets (
    .clk_i,
    .rst_ni,
    .load_i,
    .strict_i          (4'b0001),
    .entry_used_i      ('1),
    .entry_queue_i     (EntryQueue),
    .entry_quantum_i   (EntryQuantum),
    .max_packet_flits_i(FlitsWidth'(MaxPacketFlits)),
    .valid_i,
    .stopped_i,
    .flits_i,
    .next_valid_i      ('0),
    .next_flits_i      ('0),
    .request_i,
    .grant_valid_o     (grant_valid_o[2]),
    .grant_o           (grant_o[2]),
    .grant_queue_o     (grant_queue[2]),
    .current_o         (),
    .had_turn_o        (),
    .remaining_o       (),
    .deficit_o         ()
  );

  qosarb_sbt #(
    .Queues        (Queues),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_sbt (
    .clk_i,
    .rst_ni,
    .load_i,
    .entry_used_i  ('1),
    .entry_sl_i    (EntrySl),
    .entry_weight_i(EntryWeight),
    .queue_sl_i    (QueueSl),
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i,
    .grant_valid_o (grant_valid_o[3]),
    .grant_o       (grant_o[3]),
    .grant_queue_o (grant_queue[3]),
    .current_o     (),
    .left_o        (),
    .behind_o      ()
  );

  qosarb_dtable #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_dtable (
    .clk_i,
    .rst_ni,
    .load_i,
    .entry_used_i  ('1),
    .entry_sl_i    (EntryQueue),
    .entry_weight_i(EntryQuantum),
    .queue_sl_i    (QueueSl),
    .queue_mtu_i   (Mtu),
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i,
    .grant_valid_o (grant_valid_o[4]),
    .grant_o       (grant_o[4]),
    .grant_queue_o (grant_queue[4]),
    .current_o     (),
    .selected_o    (),
    .selected_sl_o (),
    .remaining_o   (),
    .deficit_o     (),
    .behind_o      ()
  );

  qosarb_infiniband #(
    .Queues        (Queues),
    .Entries       (Entries),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_infiniband (
    .clk_i,
    .rst_ni,
    .load_i,
    .high_used_i      ('1),
    .high_vl_i        (EntryQueue),
    .high_weight_i    (HighWeight),
    .low_used_i       ('1),
    .low_vl_i         (EntryQueue),
    .low_weight_i     (LowWeight),
    .limit_i          (8'd1),
    .low_turn_packet_i(1'b0),
    .flit_bytes_log2_i(3'd7),
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i,
    .grant_valid_o    (grant_valid_o[5]),
    .grant_o          (grant_o[5]),
    .grant_queue_o    (grant_queue[5]),
    .current_o        (),
    .remaining_o      (),
    .low_current_o    (),
    .low_remaining_o  (),
    .high_bytes_o     (),
    .in_low_turn_o    ()
  );

  qosarb_seastar_age #(
    .Queues(Queues)
  ) u_seastar_age (
    .clk_i,
    .rst_ni,
    .load_i,
    .age_rr_select_i(64'h5555_3333_0f0f_00ff),
    .timestamp_i    (age_timestamp_i),
    .epoch_i        (1'b0),
    .inhibit_i      (1'b0),
    .valid_i,
    .stopped_i,
    .field_i        (age_field_i),
    .in_epoch_i     (age_in_epoch_i),
    .request_i,
    .grant_valid_o  (grant_valid_o[6]),
    .grant_o        (grant_o[6]),
    .grant_queue_o  (grant_queue[6]),
    .last_rr_o      (),
    .last_age_o     (),
    .grants_o       ()
  );

  qosarb_trtcm #(
    .Queues        (Queues),
    .BurstWidth    (6),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_trtcm (
    .clk_i,
    .rst_ni,
    .load_i,
    .priority_i      (Priority),
    .assured_rate_i  (Rate),
    .peak_rate_i     (PeakRate),
    .assured_burst_i (Burst),
    .peak_burst_i    (Burst),
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i,
    .grant_valid_o   (grant_valid_o[7]),
    .grant_o         (grant_o[7]),
    .grant_queue_o   (grant_queue[7]),
    .green_o         (),
    .yellow_o        (),
    .full_o          (),
    .last_red_o      (),
    .assured_tokens_o(),
    .peak_tokens_o   ()
  );

  qosarb_bxi_lookahead #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Deficits      (1'b0)
  ) u_bxi_basic (
    .clk_i,
    .rst_ni,
    .load_i,
    .entry_used_i      ('1),
    .entry_queue_i     (EntryQueue),
    .entry_quantum_i   (EntryQuantum),
    .deficits_on_i     (1'b0),
    .max_packet_flits_i(FlitsWidth'(MaxPacketFlits)),
    .valid_i,
    .stopped_i,
    .flits_i,
    .next_valid_i      (next_valid),
    .next_flits_i      (next_flits),
    .request_i,
    .grant_valid_o     (grant_valid_o[8]),
    .grant_o           (grant_o[8]),
    .grant_queue_o     (grant_queue[8]),
    .current_o         (),
    .had_turn_o        (),
    .remaining_o       (),
    .deficit_o         ()
  );

  qosarb_bxi_lookahead #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Deficits      (1'b1)
  ) u_bxi_deficit (
    .clk_i,
    .rst_ni,
    .load_i,
    .entry_used_i      ('1),
    .entry_queue_i     (EntryQueue),
    .entry_quantum_i   (EntryQuantum),
    .deficits_on_i     (1'b1),
    .max_packet_flits_i(FlitsWidth'(MaxPacketFlits)),
    .valid_i,
    .stopped_i,
    .flits_i,
    .next_valid_i      (next_valid),
    .next_flits_i      (next_flits),
    .request_i,
    .grant_valid_o     (grant_valid_o[9]),
    .grant_o           (grant_o[9]),
    .grant_queue_o     (grant_queue[9]),
    .current_o         (),
    .had_turn_o        (),
    .remaining_o       (),
    .deficit_o         ()
  );

  qosarb_dtable_lookahead #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_dtable_lookahead (
    .clk_i,
    .rst_ni,
    .load_i,
    .entry_used_i  ('1),
    .entry_sl_i    (EntryQueue),
    .entry_weight_i(EntryQuantum),
    .queue_sl_i    (QueueSl),
    .queue_mtu_i   (Mtu),
    .valid_i,
    .stopped_i,
    .flits_i,
    .next_valid_i  (next_valid),
    .next_flits_i  (next_flits),
    .request_i,
    .grant_valid_o (grant_valid_o[10]),
    .grant_o       (grant_o[10]),
    .grant_queue_o (grant_queue[10]),
    .current_o     (),
    .selected_o    (),
    .selected_sl_o (),
    .remaining_o   (),
    .deficit_o     (),
    .behind_o      ()
  );

  qosarb_ets #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Latency       (1)
  ) u_ets_next_cycle (
    .clk_i,
    .rst_ni,
    .load_i,
    .strict_i          (4'b0001),
    .entry_used_i      ('1),
    .entry_queue_i     (EntryQueue),
    .entry_quantum_i   (EntryQuantum),
    .max_packet_flits_i(FlitsWidth'(MaxPacketFlits)),
    .valid_i,
    .stopped_i,
    .flits_i,
    .next_valid_i      (next_valid),
    .next_flits_i      (next_flits),
    .request_i,
    .grant_valid_o     (grant_valid_o[11]),
    .grant_o           (grant_o[11]),
    .grant_queue_o     (grant_queue[11]),
    .current_o         (),
    .had_turn_o        (),
    .remaining_o       (),
    .deficit_o         ()
  );

  // What an integrator would bind to each. Heads stay for those that answer in the next cycle.
  localparam int unsigned AnswerAtOnce = 8;

  for (genvar e = 0; e < Engines; e++) begin : g_checks
    qosarb_engine_checks #(
      .Queues        (Queues),
      .MaxPacketFlits(MaxPacketFlits),
      .Latency       ((e < AnswerAtOnce) ? 0 : 1)
    ) u_checks (
      .clk_i,
      .rst_ni,
      .load_i,
      .valid_i,
      .stopped_i,
      .flits_i,
      .next_valid_i (next_valid),
      .next_flits_i (next_flits),
      .request_i,
      .grant_valid_o(grant_valid_o[e]),
      .grant_o      (grant_o[e]),
      .grant_queue_o(grant_queue[e]),
      .served_i     ('1)
    );
  end

endmodule
