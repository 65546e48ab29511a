// qosarb_seastar_age and, behind its grant, qosarb_age_output, as in a port.

module seastar_age_port #(
  parameter  int unsigned Queues     = 4,
  parameter  int unsigned GroupSize  = Queues,
  localparam int unsigned QueueWidth = qosarb_pkg::index_width(Queues)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   load_i,
  input  logic [63:0]            age_rr_select_i,
  input  logic [7:0]             timestamp_i,
  input  logic                   epoch_i,
  input  logic                   inhibit_i,
  input  logic [Queues-1:0]      valid_i,
  input  logic [Queues-1:0]      stopped_i,
  input  logic [Queues-1:0][8:0] field_i,
  input  logic [Queues-1:0]      in_epoch_i,
  input  logic                   request_i,

  output logic                   grant_valid_o,
  output logic [Queues-1:0]      grant_o,
  output logic [QueueWidth-1:0]  grant_queue_o,
  output logic [QueueWidth-1:0]  last_rr_o,
  output logic [QueueWidth-1:0]  last_age_o,
  output logic [5:0]             grants_o,
  output logic                   left_o,
  output logic                   left_epoch_o,
  output logic [7:0]             left_age_o,
  output logic                   others_wait_o
);

  qosarb_seastar_age #(
    .Queues   (Queues),
    .GroupSize(GroupSize)
  ) u_arbiter (.*);

  qosarb_age_output #(
    .Queues(Queues)
  ) u_output (
    .*,
    .now_epoch_i  (epoch_i),
    .grant_valid_i(grant_valid_o),
    .grant_i      (grant_o)
  );

endmodule
