// What is claimed of every engine's grants: they are the specification's; at most one is made; none to an empty or
// a stopped queue; one whenever a queue that is served is active. Each output is 1 where the claim does not hold.

module grant_properties #(
  parameter  int unsigned Queues     = 4,
  localparam int unsigned QueueWidth = qosarb_pkg::index_width(Queues)
) (
  input  logic                  rst_n,
  input  logic                  asked,
  input  logic [Queues-1:0]     active,
  input  logic [Queues-1:0]     served,
  input  logic                  grant_valid,
  input  logic [Queues-1:0]     grant,
  input  logic [QueueWidth-1:0] grant_queue,
  input  logic                  expected_valid,
  input  logic [QueueWidth-1:0] expected_queue,

  output logic                  differs_o,
  output logic                  two_grants_o,
  output logic                  grant_to_inactive_o,
  output logic                  idle_with_active_o
);

  logic [Queues-1:0] expected;

  assign expected            = Queues'(expected_valid) << expected_queue;
  assign differs_o           = rst_n & ((grant_valid != expected_valid) | (grant != expected) |
                                        (expected_valid & (grant_queue != expected_queue)));
  assign two_grants_o        = rst_n & ((grant & (grant - 1'b1)) != '0);
  assign grant_to_inactive_o = rst_n & ((grant & ~active) != '0);
  assign idle_with_active_o  = rst_n & asked & ((active & served) != '0) & (grant == '0);

endmodule
