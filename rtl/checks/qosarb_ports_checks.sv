// Assertions for whoever integrates qosarb_ports: those of qosarb_port_checks for each port, those of APB once, and
//
//   resets_all           a reset of the configuration is one of every port
//
//   bind qosarb_ports qosarb_ports_checks #(
//     .Ports(Ports), .Queues(Queues), .MaxPacketFlits(MaxPacketFlits), .Latency(Latency), .MaxWait(10000)
//   ) u_checks (.*, .served_i('1));
//
// A port takes no request in the first cycle behind a reset of its own (`begun`), as while it is flushed. With Protect it
// starts over by an upset of its own, and by one at another port that brings the configuration into force once more.
// Its checks are disabled in its reset.

module qosarb_ports_checks #(
  parameter  int unsigned Ports          = 4,
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned Latency        = 0,     // cycles from a request to its answer, 0 or 1
  parameter  int unsigned MaxWait        = 0,     // grants
  parameter  int          Ahead          = -1,    // flits
  parameter  bit          HeadsMayGo     = 1'b0,
  parameter  bit          HeadsMayLie    = 1'b0,
  localparam int unsigned AddressWidth   = 13 + $clog2(Ports),
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input logic                                         clk_i,
  input logic                                         rst_ni,
  input logic [Ports-1:0]                             port_rst_ni,
  input logic                                         psel_i,
  input logic                                         penable_i,
  input logic                                         pwrite_i,
  input logic [AddressWidth-1:0]                      paddr_i,
  input logic [31:0]                                  pwdata_i,
  input logic [3:0]                                   pstrb_i,
  input logic                                         pready_o,
  input logic [Ports-1:0][Queues-1:0]                 valid_i,
  input logic [Ports-1:0][Queues-1:0]                 pfc_stop_i,
  input logic [Ports-1:0][Queues-1:0][FlitsWidth-1:0] flits_i,
  input logic [Ports-1:0][Queues-1:0]                 next_valid_i,
  input logic [Ports-1:0][Queues-1:0][FlitsWidth-1:0] next_flits_i,
  input logic [Ports-1:0]                             request_i,
  input logic [Ports-1:0]                             grant_valid_o,
  input logic [Ports-1:0][Queues-1:0]                 grant_o,
  input logic [Ports-1:0][QueueWidth-1:0]             grant_queue_o,
  input logic [Ports-1:0][Queues-1:0]                 drop_o,
  input logic                                         table_applied_o,
  input logic [Ports-1:0]                             hold,
  input logic [Ports-1:0]                             begun,
  input logic [Ports-1:0]                             upset,
  input logic                                         reload,
  input logic                                         fall_back,
  input logic [Queues-1:0]                            served_i
);

  resets_all: assert property (@(posedge clk_i) rst_ni || port_rst_ni == '0)
    else $error("qosarb_ports_checks: resets_all: a port goes on while the configuration is reset");

  for (genvar p = 0; p < Ports; p++) begin : g_port
    // The bus is that of all ports; its checks, in the reset of the first one, are its alone.
    localparam logic Bus = p == 0;

    qosarb_port_checks #(
      .Queues        (Queues),
      .MaxPacketFlits(MaxPacketFlits),
      .Latency       (Latency),
      .AddressWidth  (AddressWidth),
      .MaxWait       (MaxWait),
      .Ahead         (Ahead),
      .HeadsMayGo    (HeadsMayGo),
      .HeadsMayLie   (HeadsMayLie)
    ) u_checks (
      .clk_i,
      .rst_ni       (port_rst_ni[p]),
      .psel_i       (psel_i & Bus),
      .penable_i,
      .pwrite_i,
      .paddr_i,
      .pwdata_i,
      .pstrb_i,
      .pready_o,
      .valid_i      (valid_i[p]),
      .pfc_stop_i   (pfc_stop_i[p]),
      .flits_i      (flits_i[p]),
      .next_valid_i (next_valid_i[p]),
      .next_flits_i (next_flits_i[p]),
      .request_i    (request_i[p]),
      .grant_valid_o(grant_valid_o[p]),
      .grant_o      (grant_o[p]),
      .grant_queue_o(grant_queue_o[p]),
      .drop_o       (drop_o[p]),
      .table_applied_o,
      .hold         (hold[p] | ~begun[p]),
      .upset        (upset[p] | reload | fall_back),
      .served_i
    );
  end

endmodule
