// What the output ports of a SeaStar chip share, put together for co-simulation: the age clock, and
// one input side, which stamps the packets of all input ports one after the other.

module age_chip #(
  parameter  int unsigned MaxPackets   = 32'hffffff,
  parameter  int unsigned MaxArrivals  = 32'hfffff,
  parameter  int unsigned Outputs      = 64,
  localparam int unsigned CountWidth   = $clog2(MaxPackets + 1),
  localparam int unsigned ArrivalWidth = $clog2(MaxArrivals + 1)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic [31:0]                period_i,
  input  logic [ArrivalWidth-1:0]    arrived_i,
  input  logic [Outputs-1:0]         left_i,
  input  logic [Outputs-1:0]         left_epoch_i,

  input  logic                       response_i,
  input  logic [2:0]                 req_age_bias_i,
  input  logic [2:0]                 rsp_age_bias_i,
  input  logic [7:0]                 age_i,
  output logic [8:0]                 field_o,
  output logic                       in_epoch_o,

  output logic [7:0]                 timestamp_o,
  output logic                       epoch_o,
  output logic                       inhibit_o,
  output logic [31:0]                countdown_o,
  output logic [1:0][CountWidth-1:0] packet_count_o
);

  // The counts are true here, and the cycles in which the clock stands inhibited are leapt over.
  logic unused_resync;

  qosarb_age_clock #(
    .MaxPackets (MaxPackets),
    .MaxArrivals(MaxArrivals),
    .Outputs    (Outputs)
  ) u_clock (
    .clk_i,
    .rst_ni,
    .period_i,
    .arrived_i,
    .left_i,
    .left_epoch_i,
    .others_wait_i('1),
    .timestamp_o,
    .epoch_o,
    .inhibit_o,
    .resync_o     (unused_resync),
    .countdown_o,
    .packet_count_o
  );

  // With two virtual channels the upper one is the responses'.
  qosarb_age_input #(
    .Vcs(2)
  ) u_input (
    .req_age_bias_i,
    .rsp_age_bias_i,
    .timestamp_i(timestamp_o),
    .epoch_i    (epoch_o),
    .vc_i       (response_i),
    .age_i,
    .field_o,
    .in_epoch_o
  );

endmodule
