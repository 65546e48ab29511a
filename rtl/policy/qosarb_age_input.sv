// seastar-age, at an input port: the stamp of a packet that arrives (Cray XT paper, Procedure 1).
//
// Algorithm:
//   1. Virtual channels below Vcs / 2 carry requests, the others responses. The bias of the
//      packet's kind at this input port is added to the age that it came with, up to 255.
//   2. The stamp is what remains when the timestamp is taken off, modulo 512, and the epoch. The
//      timestamp is added again where the packet is a candidate, so that the age grows by itself.
// Without state; the packet counts are those of qosarb_age_clock.

module qosarb_age_input #(
  parameter  int unsigned Vcs     = 4,
  localparam int unsigned VcWidth = qosarb_pkg::index_width(Vcs)
) (
  // The registers of this input port.
  input  logic [2:0]         req_age_bias_i,
  input  logic [2:0]         rsp_age_bias_i,

  // The age clock, in the cycle of the arrival.
  input  logic [7:0]         timestamp_i,
  input  logic               epoch_i,

  // The packet.
  input  logic [VcWidth-1:0] vc_i,
  input  logic [7:0]         age_i,

  // Its stamp.
  output logic [8:0]         field_o,
  output logic               in_epoch_o
);

  if (Vcs < 2 || Vcs % 2 != 0) begin : g_check_vcs
    $error("qosarb_age_input: Vcs must be even and at least 2");
  end

  localparam int unsigned FirstResponse = Vcs / 2;

  logic [2:0] bias;
  logic [8:0] biased;
  logic [7:0] age;

  assign bias       = (32'(vc_i) >= FirstResponse) ? rsp_age_bias_i : req_age_bias_i;
  assign biased     = 9'(age_i) + 9'(bias);
  assign age        = biased[8] ? 8'hff : biased[7:0];
  assign field_o    = {1'b0, age} - {1'b0, timestamp_i};
  assign in_epoch_o = epoch_i;

endmodule
