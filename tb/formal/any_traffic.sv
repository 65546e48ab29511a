// Any traffic for an engine beside its specification: what the queues show in a cycle, and the candidates of the
// decision that is answered in it. Without LIES a packet is of 1 to `longest` flits.
//
// With Latency 1 the candidates are those of the cycle before: the heads, or the packet behind one that was
// granted. A head stays until the end of the cycle in which it is granted; any other may come and go.

module any_traffic
  import clamp_pkg::clamped;
#(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  int unsigned Latency        = 0,
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                              clk_i,
  input  logic                              rst_n,
  input  logic                              load_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] longest,
  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0]                 stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,
  input  logic [Queues-1:0]                 next_valid_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] next_flits_i,
  input  logic                              request_i,
  input  logic [Queues-1:0]                 grant,

  output logic [Queues-1:0]                 valid,
  output logic [Queues-1:0][FlitsWidth-1:0] flits,
  output logic [Queues-1:0][FlitsWidth-1:0] next_flits,

  output logic                              asked,
  output logic [Queues-1:0]                 active,
  output logic [Queues-1:0][FlitsWidth-1:0] active_flits
);

  function automatic logic [FlitsWidth-1:0] packet(logic [FlitsWidth-1:0] any, logic [FlitsWidth-1:0] most);
`ifdef LIES
    return any;
`else
    return FlitsWidth'(clamped(32'(any), 1, 32'(most)));
`endif
  endfunction

  for (genvar q = 0; q < Queues; q++) begin : g_next
    assign next_flits[q] = packet(next_flits_i[q], longest[q]);
  end

  if (Latency == 0) begin : g_at_once
    for (genvar q = 0; q < Queues; q++) begin : g_head
      assign flits[q] = packet(flits_i[q], longest[q]);
    end
    assign valid        = valid_i;
    assign asked        = request_i;
    assign active       = valid & ~stopped_i;
    assign active_flits = flits;
  end else begin : g_next_cycle
    for (genvar q = 0; q < Queues; q++) begin : g_head
      assign flits[q] = grant[q] ? active_flits[q] : packet(flits_i[q], longest[q]);
      assign valid[q] = grant[q] | valid_i[q];
    end

    always_ff @(posedge clk_i or negedge rst_n) begin
      if (!rst_n) begin
        asked        <= 1'b0;
        active       <= '0;
        active_flits <= '0;
      end else begin
        asked <= request_i & ~load_i;
        for (int unsigned q = 0; q < Queues; q++) begin
          active[q]       <= valid[q] & ~stopped_i[q] & (~grant[q] | next_valid_i[q]) & request_i & ~load_i;
          active_flits[q] <= grant[q] ? next_flits[q] : flits[q];
        end
      end
    end
  end

endmodule
