// The parts of a SeaStar chip that qosarb has, put together for the test bench: input sides, one age
// clock, output ports. The queues between them are the test bench's.

module seastar_chip #(
  parameter  int unsigned Inputs         = 7,
  parameter  int unsigned Vcs            = 4,
  parameter  int unsigned Outputs        = 3,
  parameter  int unsigned MaxPacketFlits = 9,
  parameter  int unsigned CounterWidth   = 12,
  parameter  int unsigned MaxPackets     = 4095,
  parameter  int unsigned ResyncCycles   = 8,
  localparam int unsigned Queues         = Inputs * Vcs,
  localparam int unsigned QueueWidth     = $clog2(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned CountWidth     = $clog2(MaxPackets + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [31:0]                  period_i,
  input  logic [$clog2(Inputs+1)-1:0]  arrived_i,
  input  logic [Inputs-1:0][2:0]       req_age_bias_i,
  input  logic [Inputs-1:0][2:0]       rsp_age_bias_i,
  input  logic [Inputs-1:0][1:0]       vc_i,
  input  logic [Inputs-1:0][7:0]       age_i,
  output logic [Inputs-1:0][8:0]       field_o,
  output logic [Inputs-1:0]            in_epoch_o,

  output logic [7:0]                   timestamp_o,
  output logic                         epoch_o,
  output logic                         inhibit_o,
  output logic                         resync_o,
  output logic [31:0]                  countdown_o,
  output logic [1:0][CountWidth-1:0]   packet_count_o,

  input  logic [Outputs-1:0]                              load_i,
  input  logic [Outputs-1:0]                              clear_i,
  input  logic [Outputs-1:0][63:0]                        age_rr_select_i,
  input  logic [Outputs-1:0][Queues-1:0]                  valid_i,
  input  logic [Outputs-1:0][Queues-1:0]                  stopped_i,
  input  logic [Outputs-1:0][Queues-1:0][FlitsWidth-1:0]  flits_i,
  input  logic [Outputs-1:0][Queues-1:0][8:0]             head_field_i,
  input  logic [Outputs-1:0][Queues-1:0]                  head_in_epoch_i,
  input  logic [Outputs-1:0]                              request_i,
  output logic [Outputs-1:0]                              grant_valid_o,
  output logic [Outputs-1:0][Queues-1:0]                  grant_o,
  output logic [Outputs-1:0][QueueWidth-1:0]              grant_queue_o,
  output logic [Outputs-1:0]                              left_o,
  output logic [Outputs-1:0][7:0]                         left_age_o,
  output logic [Outputs-1:0][QueueWidth-1:0]              last_rr_o,
  output logic [Outputs-1:0][QueueWidth-1:0]              last_age_o,
  output logic [Outputs-1:0][5:0]                         grants_o,
  // Of each output: blocked, packets and flits of each virtual channel; stalled; groups of age.
  output logic [Outputs-1:0][4*Vcs:0][CounterWidth-1:0]   counters_o
);

  logic [Outputs-1:0] left_epoch, others_wait;

  qosarb_age_clock #(
    .MaxPackets  (MaxPackets),
    .MaxArrivals (Inputs),
    .Outputs     (Outputs),
    .ResyncCycles(ResyncCycles)
  ) u_clock (
    .clk_i,
    .rst_ni,
    .period_i,
    .arrived_i,
    .left_i       (left_o),
    .left_epoch_i (left_epoch),
    .others_wait_i(others_wait),
    .timestamp_o,
    .epoch_o,
    .inhibit_o,
    .resync_o,
    .countdown_o,
    .packet_count_o
  );

  for (genvar i = 0; i < Inputs; i++) begin : g_input
    qosarb_age_input #(
      .Vcs(Vcs)
    ) u_input (
      .req_age_bias_i(req_age_bias_i[i]),
      .rsp_age_bias_i(rsp_age_bias_i[i]),
      .timestamp_i   (timestamp_o),
      .epoch_i       (epoch_o),
      .vc_i          (vc_i[i]),
      .age_i         (age_i[i]),
      .field_o       (field_o[i]),
      .in_epoch_o    (in_epoch_o[i])
    );
  end

  for (genvar o = 0; o < Outputs; o++) begin : g_output
    // The search in its three shapes: all pairs at once, even groups, a last group that is smaller.
    localparam int unsigned GroupSize = (o == 0) ? Queues : Vcs + o - 1;

    qosarb_seastar_age #(
      .Queues   (Queues),
      .GroupSize(GroupSize)
    ) u_arbiter (
      .clk_i,
      .rst_ni,
      .load_i         (load_i[o]),
      .age_rr_select_i(age_rr_select_i[o]),
      .timestamp_i    (timestamp_o),
      .epoch_i        (epoch_o),
      .inhibit_i      (inhibit_o),
      .valid_i        (valid_i[o]),
      .stopped_i      (stopped_i[o]),
      .field_i        (head_field_i[o]),
      .in_epoch_i     (head_in_epoch_i[o]),
      .request_i      (request_i[o]),
      .grant_valid_o  (grant_valid_o[o]),
      .grant_o        (grant_o[o]),
      .grant_queue_o  (grant_queue_o[o]),
      .last_rr_o      (last_rr_o[o]),
      .last_age_o     (last_age_o[o]),
      .grants_o       (grants_o[o])
    );

    qosarb_age_output #(
      .Queues(Queues)
    ) u_output (
      .clk_i,
      .rst_ni,
      .timestamp_i  (timestamp_o),
      .epoch_i      (epoch_o),
      .now_epoch_i  (epoch_o),
      .valid_i      (valid_i[o]),
      .field_i      (head_field_i[o]),
      .in_epoch_i   (head_in_epoch_i[o]),
      .grant_valid_i(grant_valid_o[o]),
      .grant_i      (grant_o[o]),
      .left_o       (left_o[o]),
      .left_epoch_o (left_epoch[o]),
      .left_age_o   (left_age_o[o]),
      .others_wait_o(others_wait[o])
    );

    // As the port counts: a cycle later, and a clear wins.
    logic [Vcs-1:0]                   blocked, granted;
    logic [3:0]                       age_group;
    logic                             stalled;
    logic [4*Vcs:0]                   happens_q, happens;
    logic [FlitsWidth-1:0]            winner_flits_q;
    logic [4*Vcs:0][CounterWidth-1:0] counters_q;

    qosarb_age_events #(
      .Inputs(Inputs),
      .Vcs   (Vcs)
    ) u_events (
      .clk_i,
      .rst_ni,
      .enable_i        (1'b1),
      .valid_i         (valid_i[o]),
      .stopped_i       (stopped_i[o]),
      .grant_i         (grant_o[o]),
      .left_age_group_i(left_age_o[o][7:6]),
      .blocked_o       (blocked),
      .granted_o       (granted),
      .stalled_o       (stalled),
      .age_group_o     (age_group)
    );

    assign happens = happens_q | {age_group, {(3 * Vcs + 1){1'b0}}};

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        happens_q      <= '0;
        winner_flits_q <= '0;
        counters_q     <= '0;
      end else begin
        happens_q      <= {4'd0, stalled, granted, granted, blocked};
        winner_flits_q <= flits_i[o][grant_queue_o[o]] |
                          FlitsWidth'(flits_i[o][grant_queue_o[o]] == '0);
        for (int unsigned c = 0; c < 4 * Vcs + 1; c++) begin
          if (clear_i[o]) begin
            counters_q[c] <= '0;
          end else if (happens[c]) begin
            counters_q[c] <= counters_q[c] + ((c >= 2 * Vcs && c < 3 * Vcs) ?
                                              CounterWidth'(winner_flits_q) : CounterWidth'(1));
          end
        end
      end
    end

    assign counters_o[o] = counters_q;
  end

endmodule
