// qosarb_port behind a bus that makes any transfers, with any packets, and with a reset at any time: for proofs of what
// software brings into force, whatever goes on beside it. They look into `u_port`. With Protect there are no packets:
// that the two copies of an engine stay alike no invariant says here.

module port_behind_a_bus #(
  parameter  int unsigned Queues         = 2,
  parameter  int unsigned Entries        = 3,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  int unsigned Policies       = 1,
  parameter  int unsigned Vcs            = 1,
  parameter  int unsigned Protect        = 0,
  localparam int unsigned AddressWidth   = qosarb_port_reg_pkg::OffsetWidth,
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned TrafficWidth   = 32 * ((Queues * (23 + 2 * FlitsWidth) + 11 + 31) / 32)
) (
  input  logic                    clk_i,
  input  logic                    reset_i,
  input  logic                    start_i,  // a transfer follows, if the bus is free
  input  logic                    write_i,
  input  logic [AddressWidth-1:0] address_i,
  input  logic [31:0]             data_i,
  input  logic [3:0]              strobes_i,
  input  logic [TrafficWidth-1:0] traffic_i,  // what the port's other inputs show, and some bits more

  output logic                    rst_no,
  output logic                    writing_o,  // the access phase of a write
  output logic                    done_o,     // it ends without an error
  output logic                    commits_o,  // and asks for a commit
  output logic [AddressWidth-1:0] address_o,
  output logic [31:0]             data_o,
  output logic                    applied_o
);

  import qosarb_port_reg_pkg::*;

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  logic                    psel, penable, pwrite, pslverr;
  logic [31:0]             prdata;
  logic [AddressWidth-1:0] paddr;
  logic [31:0]             pwdata;
  logic [3:0]              pstrb;

  any_transfers u_bus (
    .clk_i,
    .start_i,
    .write_i,
    .address_i,
    .data_i,
    .strobes_i,
    .psel_o   (psel),
    .penable_o(penable),
    .pwrite_o (pwrite),
    .paddr_o  (paddr),
    .pwdata_o (pwdata),
    .pstrb_o  (pstrb)
  );

  typedef struct packed {
    logic [Queues-1:0]                 valid, pfc_stop, next_valid, age_in_epoch, next_age_in_epoch;
    logic [Queues-1:0][FlitsWidth-1:0] flits, next_flits;
    logic [Queues-1:0][8:0]            age_field, next_age_field;
    logic [7:0]                        timestamp;
    logic                              epoch, inhibit, request;
  } traffic_t;

  traffic_t traffic;
  assign traffic = (Protect == 0) ? traffic_i[$bits(traffic_t)-1:0] : '0;

  qosarb_port #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Policies      (Policies),
    .Vcs           (Vcs),
    .BurstWidth    ($clog2(MaxPacketFlits + 1)),
    .Protect       (Protect)
  ) u_port (
    .clk_i,
    .rst_ni             (rst_n),
    .psel_i             (psel),
    .penable_i          (penable),
    .pwrite_i           (pwrite),
    .paddr_i            (paddr),
    .pwdata_i           (pwdata),
    .pstrb_i            (pstrb),
    .pready_o           (),
    .prdata_o           (prdata),
    .pslverr_o          (pslverr),
    .valid_i            (traffic.valid),
    .pfc_stop_i         (traffic.pfc_stop),
    .flits_i            (traffic.flits),
    .next_valid_i       (traffic.next_valid),
    .next_flits_i       (traffic.next_flits),
    .age_field_i        (traffic.age_field),
    .age_in_epoch_i     (traffic.age_in_epoch),
    .next_age_field_i   (traffic.next_age_field),
    .next_age_in_epoch_i(traffic.next_age_in_epoch),
    .age_timestamp_i    (traffic.timestamp),
    .age_epoch_i        (traffic.epoch),
    .age_inhibit_i      (traffic.inhibit),
    .request_i          (traffic.request),
    .grant_valid_o      (),
    .grant_o            (),
    .grant_queue_o      (),
    .left_o             (),
    .left_epoch_o       (),
    .left_age_o         (),
    .age_others_wait_o  (),
    .age_clock_period_o (),
    .req_age_bias_o     (),
    .rsp_age_bias_o     (),
    .table_applied_o    (applied_o),
    .interrupt_o        (),
    .drain_o            (),
    .drop_o             (),
    .soft_reset_o       (),
    .idle_o             ()
  );

  assign rst_no    = rst_n;
  assign writing_o = psel & penable & pwrite;
  assign done_o    = writing_o & ~pslverr;
  assign commits_o = done_o & (paddr == CommitOffset) & pwdata[0];
  assign address_o = paddr;
  assign data_o    = pwdata;

endmodule
