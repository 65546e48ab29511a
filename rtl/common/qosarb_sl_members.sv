// The queues of service levels: which of them have the SL that an entry, or another queue, names.
//
// Algorithm: an equality comparison for each item and queue, bit by bit of the SL number and for
// all queues side by side. An item that is not used has no queues.
// Bound: one XNOR and an AND over the bits of an SL number.
// With Registered the answer stands in registers: for whoever can do without it in the first cycle of other SLs,
// as a port that answers in the next cycle can, which requests nothing in the cycle after a load or a reset.

module qosarb_sl_members #(
  parameter int unsigned Items      = 8,
  parameter int unsigned Queues     = 8,
  parameter int unsigned SlWidth    = 3,
  parameter bit          Registered = 1'b0
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic [Items-1:0]               used_i,
  input  logic [Items-1:0][SlWidth-1:0]  sl_i,
  input  logic [Queues-1:0][SlWidth-1:0] queue_sl_i,
  output logic [Items-1:0][Queues-1:0]   members_o
);

  if (Items == 0 || Queues == 0 || SlWidth == 0) begin : g_check_sizes
    $error("qosarb_sl_members: Items, Queues and SlWidth must be at least 1");
  end

  logic [SlWidth-1:0][Queues-1:0] queue_bit;  // of all SL numbers
  logic [Items-1:0][Queues-1:0]   members;

  for (genvar b = 0; b < SlWidth; b++) begin : g_bit
    for (genvar q = 0; q < Queues; q++) begin : g_queue
      assign queue_bit[b][q] = queue_sl_i[q][b];
    end
  end

  for (genvar i = 0; i < Items; i++) begin : g_item
    always_comb begin
      members[i] = {Queues{used_i[i]}};
      for (int unsigned b = 0; b < SlWidth; b++) begin
        members[i] &= ~(queue_bit[b] ^ {Queues{sl_i[i][b]}});
      end
    end
  end

  if (Registered) begin : g_registered
    logic [Items-1:0][Queues-1:0] members_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) members_q <= '0;
      else         members_q <= members;
    end

    assign members_o = members_q;
  end else begin : g_at_once
    logic unused_clock;
    assign unused_clock = ^{clk_i, rst_ni};
    assign members_o    = members;
  end

endmodule
