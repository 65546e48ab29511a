// Three ports of one configuration, with every policy and a reset of each, for a bench that has one reference for
// each of them. What a port has for itself is an element of an unpacked array.

module ports_bench #(
  parameter  int unsigned Policies       = 0,  // all of them
  parameter  int unsigned Protect        = 0,
  parameter  int unsigned Latency        = 0,
  localparam int unsigned Ports          = 3,
  localparam int unsigned Queues         = 6,
  localparam int unsigned Entries        = 10,
  localparam int unsigned MaxPacketFlits = 21,
  localparam int unsigned Vcs            = 2,
  localparam int unsigned Inputs         = Queues / Vcs,
  localparam int unsigned AddressWidth   = qosarb_port_reg_pkg::OffsetWidth + $clog2(Ports),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  input  logic                              psel_i,
  input  logic                              penable_i,
  input  logic                              pwrite_i,
  input  logic [AddressWidth-1:0]           paddr_i,
  input  logic [31:0]                       pwdata_i,
  output logic [31:0]                       prdata_o,
  output logic                              pslverr_o,

  input  logic [Queues-1:0]                 valid_i             [Ports],
  input  logic [Queues-1:0]                 pfc_stop_i          [Ports],
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i             [Ports],
  input  logic [Queues-1:0]                 next_valid_i        [Ports],
  input  logic [Queues-1:0][FlitsWidth-1:0] next_flits_i        [Ports],
  input  logic [Queues-1:0][8:0]            age_field_i         [Ports],
  input  logic [Queues-1:0]                 age_in_epoch_i      [Ports],
  input  logic [Queues-1:0][8:0]            next_age_field_i    [Ports],
  input  logic [Queues-1:0]                 next_age_in_epoch_i [Ports],
  input  logic [7:0]                        age_timestamp_i,
  input  logic                              age_epoch_i,
  input  logic                              age_inhibit_i,

  input  logic [Ports-1:0]                  request_i,
  output logic [Ports-1:0]                  grant_valid_o,
  output logic [Queues-1:0]                 grant_o             [Ports],
  output logic [2:0]                        grant_queue_o       [Ports],
  output logic [Ports-1:0]                  left_o,
  output logic [Ports-1:0]                  left_epoch_o,
  output logic [7:0]                        left_age_o          [Ports],
  output logic [Ports-1:0]                  age_others_wait_o,
  output logic [31:0]                       age_clock_period_o,
  output logic [Inputs-1:0][2:0]            req_age_bias_o,
  output logic [Inputs-1:0][2:0]            rsp_age_bias_o,
  output logic                              table_applied_o,
  output logic [Ports-1:0]                  interrupt_o,
  output logic [Ports-1:0]                  drain_o,
  output logic [Queues-1:0]                 drop_o              [Ports],
  output logic                              idle_o
);

  logic [Ports-1:0]                             port_rst_n, soft_reset;
  logic [Ports-1:0][Queues-1:0]                 valid, pfc_stop, in_epoch, grant, drop;
  logic [Ports-1:0][Queues-1:0]                 next_valid, next_in_epoch;
  logic [Ports-1:0][Queues-1:0][FlitsWidth-1:0] flits, next_flits;
  logic [Ports-1:0][Queues-1:0][8:0]            field, next_field;
  logic [Ports-1:0][2:0]                        grant_queue;
  logic [Ports-1:0][7:0]                        left_age;

  // Assertions sample what they look at; of unpacked pins Verilator 5.006 could not.
  always_comb begin
    for (int unsigned p = 0; p < Ports; p++) begin
      valid[p]      = valid_i[p];
      pfc_stop[p]   = pfc_stop_i[p];
      flits[p]      = flits_i[p];
      next_valid[p] = next_valid_i[p];
      next_flits[p] = next_flits_i[p];
    end
  end

  for (genvar p = 0; p < Ports; p++) begin : g_port
    assign field[p]         = age_field_i[p];
    assign in_epoch[p]      = age_in_epoch_i[p];
    assign next_field[p]    = next_age_field_i[p];
    assign next_in_epoch[p] = next_age_in_epoch_i[p];
    assign grant_o[p]       = grant[p];
    assign grant_queue_o[p] = grant_queue[p];
    assign left_age_o[p]    = left_age[p];
    assign drop_o[p]        = drop[p];

    qosarb_port_reset u_reset (
      .clk_i,
      .rst_ni,
      .soft_reset_i(soft_reset[p]),
      .rst_no      (port_rst_n[p])
    );
  end

  qosarb_ports #(
    .Ports         (Ports),
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (6),
    .MaxPacketFlits(MaxPacketFlits),
    .Policies      (Policies),
    .Vcs           (Vcs),
    .BurstWidth    (7),
    .Protect       (Protect),
    .Latency       (Latency)
  ) u_ports (
    .clk_i,
    .rst_ni,
    .port_rst_ni        (port_rst_n),
    .psel_i,
    .penable_i,
    .pwrite_i,
    .paddr_i,
    .pwdata_i,
    .pstrb_i            ({4{pwrite_i}}),
    .pready_o           (),
    .prdata_o,
    .pslverr_o,
    .valid_i            (valid),
    .pfc_stop_i         (pfc_stop),
    .flits_i            (flits),
    .next_valid_i       (next_valid),
    .next_flits_i       (next_flits),
    .age_field_i        (field),
    .age_in_epoch_i     (in_epoch),
    .next_age_field_i   (next_field),
    .next_age_in_epoch_i(next_in_epoch),
    .age_timestamp_i,
    .age_epoch_i,
    .age_inhibit_i,
    .request_i,
    .grant_valid_o,
    .grant_o            (grant),
    .grant_queue_o      (grant_queue),
    .left_o,
    .left_epoch_o,
    .left_age_o         (left_age),
    .age_others_wait_o,
    .age_clock_period_o,
    .req_age_bias_o,
    .rsp_age_bias_o,
    .table_applied_o,
    .interrupt_o,
    .drain_o,
    .drop_o             (drop),
    .soft_reset_o       (soft_reset),
    .idle_o
  );

endmodule
