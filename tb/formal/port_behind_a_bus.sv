// qosarb_port behind a bus that makes any transfers, without packets, and with a reset at any time: for proofs of what
// software brings into force. They look into `u_port`.

module port_behind_a_bus #(
  parameter  int unsigned Queues         = 2,
  parameter  int unsigned Entries        = 3,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  int unsigned Policies       = 1,
  parameter  int unsigned Vcs            = 1,
  parameter  int unsigned Protect        = 0
) (
  input  logic        clk_i,
  input  logic        reset_i,
  input  logic        start_i,  // a transfer follows, if the bus is free
  input  logic        write_i,
  input  logic [11:0] address_i,
  input  logic [31:0] data_i,
  input  logic [3:0]  strobes_i,

  output logic        rst_no,
  output logic        writing_o,  // the access phase of a write
  output logic        done_o,     // it ends without an error
  output logic        commits_o,  // and asks for a commit
  output logic [11:0] address_o,
  output logic [31:0] data_o,
  output logic        applied_o
);

  import qosarb_port_reg_pkg::*;

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  logic        psel, penable, pwrite, pslverr;
  logic [31:0] prdata;
  logic [11:0] paddr;
  logic [31:0] pwdata;
  logic [3:0]  pstrb;

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
    .valid_i            ('0),
    .pfc_stop_i         ('0),
    .flits_i            ('0),
    .next_valid_i       ('0),
    .next_flits_i       ('0),
    .age_field_i        ('0),
    .age_in_epoch_i     ('0),
    .next_age_field_i   ('0),
    .next_age_in_epoch_i('0),
    .age_timestamp_i    ('0),
    .age_epoch_i        (1'b0),
    .age_inhibit_i      (1'b0),
    .request_i          (1'b0),
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
