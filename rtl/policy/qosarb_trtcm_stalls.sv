// trtcm: who stalls in a cycle, by colour, for the port's counters (dragonfly paper, Sect. IV-E).
//
// Algorithm: a class stalls in a cycle in which its head is active and does not win; the head's colour in
// that cycle is that of the stall.

module qosarb_trtcm_stalls #(
  parameter int unsigned Queues = 8
) (
  // trtcm is in force, be there a request or not.
  input  logic              enable_i,
  input  logic [Queues-1:0] valid_i,
  input  logic [Queues-1:0] stopped_i,
  input  logic [Queues-1:0] grant_i,
  input  logic [Queues-1:0] green_i,
  input  logic [Queues-1:0] yellow_i,

  output logic [Queues-1:0] green_o,
  output logic [Queues-1:0] yellow_o,
  output logic [Queues-1:0] red_o
);

  if (Queues < 1 || Queues > 256) begin : g_check_queues
    $error("qosarb_trtcm_stalls: Queues must be within 1..256");
  end

  logic [Queues-1:0] stalls;

  assign stalls   = valid_i & ~stopped_i & ~grant_i & {Queues{enable_i}};
  assign green_o  = stalls & green_i;
  assign yellow_o = stalls & yellow_i;
  assign red_o    = stalls & ~green_i & ~yellow_i;

endmodule
