// Circular priority selection: what the first request behind a position carries, as a tree.
//
// Algorithm: the requests after the position come before the others, and of two alike the lower one
// comes first. Each node of a binary tree takes what its lower half carries if that has a request
// after the position, or if it has any and the upper half has none after the position; else what the
// upper half carries. Who that is shows in ORs of the requests, which are ahead of the data.
// Bound: log2(Width) levels of a two-way select; the selects come no later than the data.
//
// qosarb_rotating_blocks makes the same choice one-hot. That is a little later, but its winner can
// choose any amount of data; here each bit costs Width - 1 selects.

module qosarb_rotating_select #(
  parameter int unsigned Width        = 8,
  parameter int unsigned PayloadWidth = 1
) (
  input  logic [Width-1:0]                   request_i,
  // Those of them that are after the position.
  input  logic [Width-1:0]                   request_behind_i,
  input  logic [Width-1:0][PayloadWidth-1:0] payload_i,
  // Means nothing when nobody requests.
  output logic [PayloadWidth-1:0]            payload_o
);

  if (Width == 0 || PayloadWidth == 0) begin : g_check_width
    $error("qosarb_rotating_select: Width and PayloadWidth must be at least 1");
  end

  localparam int unsigned Levels = (Width > 1) ? $clog2(Width) : 0;

  // Level 0 is the candidates, padded to a power of two; node 0 of the last level is the root.
  for (genvar l = 0; l <= Levels; l++) begin : g_level
    localparam int unsigned Nodes = 1 << (Levels - l);
    logic [Nodes-1:0]                   any, behind;
    logic [Nodes-1:0][PayloadWidth-1:0] payload;

    if (l == 0) begin : g_leaf
      assign any     = Nodes'(request_i);
      assign behind  = Nodes'(request_behind_i);
      assign payload = (Nodes * PayloadWidth)'(payload_i);
    end else begin : g_join
      for (genvar n = 0; n < Nodes; n++) begin : g_node
        logic lower;
        assign any[n]     = |g_level[l-1].any[2*n +: 2];
        assign behind[n]  = |g_level[l-1].behind[2*n +: 2];
        assign lower      = g_level[l-1].behind[2*n] |
                            (g_level[l-1].any[2*n] & ~g_level[l-1].behind[2*n+1]);
        assign payload[n] = lower ? g_level[l-1].payload[2*n] : g_level[l-1].payload[2*n+1];
      end
    end
  end

  assign payload_o = g_level[Levels].payload[0];

  logic unused_root;
  assign unused_root = g_level[Levels].any[0] ^ g_level[Levels].behind[0];

endmodule
