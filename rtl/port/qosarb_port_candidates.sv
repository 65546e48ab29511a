// The candidates of a policy's decisions: what the queues show in a cycle, or with Latency 1 what they
// showed in the cycle before.
//
// Algorithm, with Latency 1:
//   1. What the queues show in a cycle stands in registers and is decided by in the next one, in which
//      the queues show what comes then. So a decision takes two cycles, and one is made in each.
//   2. The queue that is granted in a cycle still shows the packet that leaves; the one behind it takes
//      its place in the registers. With LateLengths both lengths stand in registers, and which one counts
//      is chosen as the next cycle begins.
//   3. A request in a cycle at whose end the arbiter starts over asks for nothing.
//   4. The chip's age clock that counts in a decision is that of the candidates' cycle.
// Bound: from the grant to a register one two-way select; with LateLengths one in each cycle.
// Stopped queues are no candidates: with Latency 1, `stopped` says no more of them.

module qosarb_port_candidates #(
  parameter  qosarb_port_pkg::build_t Build = '0,
  parameter  type                     request_t   = logic,  // the struct of a port in qosarb_ports
  parameter  bit                      LateLengths = 1'b0,   // where a length is needed late in a decision
  localparam int unsigned             Queues = Build.queues
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  request_t          port_i,
  input  logic [Queues-1:0] grant_i,  // of this cycle
  output request_t          port_o   // with candidates
);

  if (Build.latency == '0) begin : g_at_once
    always_comb begin
      port_o              = port_i;
      port_o.valid        = port_i.shown.valid;
      port_o.stopped      = port_i.shown.stopped;
      port_o.flits        = port_i.shown.flits;
      port_o.age_field    = port_i.shown.age_field;
      port_o.age_in_epoch = port_i.shown.age_in_epoch;
      port_o.chip         = port_i.shown.chip;
      port_o.request      = port_i.shown.request;
    end

    logic unused_cycle;
    assign unused_cycle = ^{clk_i, rst_ni, grant_i};
  end else begin : g_next_cycle
    localparam int unsigned FlitsWidth = $clog2(Build.max_packet_flits + 1);

    logic [Queues-1:0]                 active_q, in_epoch_q;
    logic [Queues-1:0][FlitsWidth-1:0] flits;
    logic [Queues-1:0][8:0]            field_q;
    qosarb_port_pkg::chip_view_t       chip_q;
    logic                              request_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        active_q   <= '0;
        field_q    <= '0;
        in_epoch_q <= '0;
        chip_q     <= '0;
        request_q  <= 1'b0;
      end else begin
        for (int unsigned q = 0; q < Queues; q++) begin
          active_q[q]   <= (grant_i[q] ? port_i.shown.next_valid[q] : port_i.shown.valid[q]) &
                           ~port_i.shown.stopped[q];
          field_q[q]    <= grant_i[q] ? port_i.shown.next_age_field[q] : port_i.shown.age_field[q];
          in_epoch_q[q] <= grant_i[q] ? port_i.shown.next_age_in_epoch[q]
                                      : port_i.shown.age_in_epoch[q];
        end
        chip_q    <= port_i.shown.chip;
        request_q <= port_i.shown.request & ~port_i.restart;
      end
    end

    if (LateLengths) begin : g_late_lengths
      logic [Queues-1:0]                 granted_q;
      logic [Queues-1:0][FlitsWidth-1:0] head_flits_q, next_flits_q;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          granted_q    <= '0;
          head_flits_q <= '0;
          next_flits_q <= '0;
        end else begin
          granted_q    <= grant_i;
          head_flits_q <= port_i.shown.flits;
          next_flits_q <= port_i.shown.next_flits;
        end
      end

      for (genvar q = 0; q < Queues; q++) begin : g_queue
        assign flits[q] = granted_q[q] ? next_flits_q[q] : head_flits_q[q];
      end
    end else begin : g_lengths
      logic [Queues-1:0][FlitsWidth-1:0] flits_q;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          flits_q <= '0;
        end else begin
          for (int unsigned q = 0; q < Queues; q++) begin
            flits_q[q] <= grant_i[q] ? port_i.shown.next_flits[q] : port_i.shown.flits[q];
          end
        end
      end

      assign flits = flits_q;
    end

    always_comb begin
      port_o              = port_i;
      port_o.valid        = active_q;
      port_o.stopped      = '0;
      port_o.flits        = flits;
      port_o.age_field    = field_q;
      port_o.age_in_epoch = in_epoch_q;
      port_o.chip         = chip_q;
      port_o.request      = request_q;
    end
  end

endmodule
