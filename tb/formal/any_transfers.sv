// The bus of a proof: any transfers of APB, in their phases, setup and access; then the next one or nothing.
//
// It goes on in a reset of what stands behind it. Nobody waits: the access phase is one cycle.

module any_transfers #(
  parameter int unsigned AddressWidth = qosarb_port_reg_pkg::OffsetWidth
) (
  input  logic                    clk_i,
  input  logic                    start_i,  // a transfer follows, if the bus is free
  input  logic                    write_i,
  input  logic [AddressWidth-1:0] address_i,
  input  logic [31:0]             data_i,
  input  logic [3:0]              strobes_i,

  output logic                    psel_o,
  output logic                    penable_o,
  output logic                    pwrite_o,
  output logic [AddressWidth-1:0] paddr_o,
  output logic [31:0]             pwdata_o,
  output logic [3:0]              pstrb_o
);

  initial begin
    psel_o    = 1'b0;
    penable_o = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (psel_o && !penable_o) begin
      penable_o <= 1'b1;
    end else begin
      psel_o    <= start_i;
      penable_o <= 1'b0;
      pwrite_o  <= write_i;
      paddr_o   <= address_i;
      pwdata_o  <= data_i;
      pstrb_o   <= strobes_i;
    end
  end

endmodule
