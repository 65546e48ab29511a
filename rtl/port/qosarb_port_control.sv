// Taking a port out of service: draining, flushing, its own reset; and when its clock may stand still.
//
// Algorithm:
//   1. DRAIN of CONTROL asks, by `drain_o`, that no more packets are brought to the port's queues.
//      What waits is sent by the policy, as ever. QUEUE_STATUS tells when nothing waits any longer.
//   2. While FLUSH stands nothing is granted. From the second cycle on one head a cycle is dropped, stopped
//      or not: that of the lowest-numbered queue that shows one (`drop_o`, one-hot). It leaves its
//      queue at the end of that cycle, as a granted one does. The first cycle, in which with Latency 1 the
//      last request is answered, has no drop; the one behind the last takes no request.
//   3. SOFT_RESET: nothing is granted or dropped for three cycles, in which all that the last grant left on
//      its way is told and counted; in the third one `soft_reset_o` asks for a reset of this port (see
//      qosarb_port_reset). With Latency 1 the first one answers the last request.
//   4. `idle_o`: without a new input nothing that anybody can see changes at the end of this cycle, so
//      that the port's clock may be gated off in it. It depends on the inputs of the same cycle: a head
//      or an APB transfer ends it at once.
//   5. With Protect each bit of control stands three times, and what two of them say holds: a flipped one is an upset
//      that nobody else sees, and is written anew at the end of the cycle. `hold_o` stands twice, and is on when one
//      copy says so, so that nothing is granted beside a drop.
// Nothing of it lies on the path of a grant, but the mask of the request by one register.

module qosarb_port_control #(
  parameter  qosarb_port_pkg::build_t Build = '0,
  localparam int unsigned Queues = Build.queues
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,

  input  logic                               psel_i,
  input  qosarb_port_pkg::register_request_t register_i,
  output qosarb_port_pkg::register_answer_t  register_o,

  input  logic [Queues-1:0]                  valid_i,
  input  logic                               busy_i,  // another part of the port has to be clocked

  output logic                               hold_o,  // nothing is to be granted
  output logic                               drain_o,
  output logic [Queues-1:0]                  drop_o,
  output logic                               soft_reset_o,
  output logic                               idle_o,
  output logic                               soft_error_o
);

  import qosarb_port_reg_pkg::*;

  localparam int unsigned HoldCycles = 3;  // before a reset

  typedef struct packed {
    logic [HoldCycles-1:0] reset;    // one for each cycle
    logic                  flushed;  // FLUSH stood in the last cycle
    logic                  flush;
    logic                  drain;
  } control_t;

  control_t     control_d, control_q, control;
  control_reg_t value;
  logic         write, had_head_q;
  logic         hold_d, hold_q;  // of the cycle that begins with it

  // The registers.
  assign value = register_i.wdata;
  assign write = register_i.write & (register_i.addr == ControlOffset);

  always_comb begin
    register_o           = '0;
    register_o.read_good = 1'b1;
    unique case (register_i.addr)
      ControlOffset: begin
        register_o.value      = {29'd0, control.flush, control.drain, 1'b0};
        register_o.write_good = value.reserved_31_3 == '0;
      end
      QueueStatusOffset: register_o.value = {31'd0, ~had_head_q};
      DroppedHeadsOffset: begin
        register_o.counted = 1'b1;
        register_o.counter = 8'(qosarb_port_pkg::CounterDropped);
      end
      default: register_o.read_good = 1'b0;
    endcase
  end

  always_comb begin
    control_d         = control;
    control_d.reset   = {control.reset[HoldCycles-2:0], write & value.soft_reset[0]};
    control_d.flushed = control.flush;
    if (write) begin
      control_d.flush = value.flush[0];
      control_d.drain = value.drain[0];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      control_q  <= '0;
      hold_q     <= 1'b0;
      had_head_q <= 1'b0;
    end else begin
      control_q  <= control_d;
      hold_q     <= hold_d;
      had_head_q <= valid_i != '0;
    end
  end

  // 5. All copies.
  if (Build.protect != '0) begin : g_protect
    control_t second_control, third_control;
    logic     second_hold;

    (* keep_hierarchy *)
    qosarb_inverted_copy #(
      .Width($bits(control_t) + 1)
    ) u_second (
      .clk_i,
      .rst_ni,
      .d_i({control_d, hold_d}),
      .q_o({second_control, second_hold})
    );

    (* keep_hierarchy *)
    qosarb_inverted_copy #(
      .Width($bits(control_t))
    ) u_third (
      .clk_i,
      .rst_ni,
      .d_i(control_d),
      .q_o(third_control)
    );

    assign control      = (control_q & second_control) | (third_control & (control_q | second_control));
    assign hold_o       = hold_q | second_hold;
    assign soft_error_o = (control_q != second_control) | (control_q != third_control) | (hold_q != second_hold);
  end else begin : g_unprotected
    assign control      = control_q;
    assign hold_o       = hold_q;
    assign soft_error_o = 1'b0;
  end

  // 1. to 3. What it does.
  logic dropping;

  assign hold_d       = control_d.flush | control_d.flushed | (control_d.reset != '0);
  assign dropping     = control.flush & control.flushed & (control.reset == '0);
  assign drain_o      = control.drain;
  assign drop_o       = valid_i & (~valid_i + 1'b1) & {Queues{dropping}};
  assign soft_reset_o = control.reset[HoldCycles-1];

  // 4. A head that came, stood or went in the last cycle is still on its way into the counters.
  logic changes;

  assign changes = (control.flush != control.flushed) | (control.reset != '0) | soft_error_o;
  assign idle_o  = rst_ni & ~(psel_i | (valid_i != '0) | had_head_q | busy_i | changes);

endmodule
