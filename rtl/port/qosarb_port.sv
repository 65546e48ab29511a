// The output port's arbiter: policies, table memory, registers and counters. It is qosarb_ports with one port.
//
// It chooses, whenever the link can take a packet, which queue's head goes next.
//   1. Candidates: `valid_i[q]` says that queue q has a packet, `flits_i[q]` (at least 1) how long
//      it is, `pfc_stop_i[q]` that the neighbour paused the queue's class (or that credit for a
//      whole packet is missing). A queue with a packet and without a stop is active.
//   2. `request_i` asks for a decision. `grant_valid_o`, `grant_o` (one-hot) and `grant_queue_o`
//      answer Latency cycles later; some queue wins whenever one that the policy serves is active
//      in the cycle of the request. In the cycle after the grant the winner's following packet, if
//      any, must stand at its place.
//      With Latency 1 the request says that the link can take a packet in the next cycle, and a
//      queue shows the packet behind its head, too: when the head is granted in a cycle, that packet
//      is the queue's candidate of the same cycle. A request in a cycle with `table_applied_o` has
//      no answer. The period is that of the search; see docs/area-and-timing.md.
//   3. Which policy decides, and by which table, is written through the registers into a shadow
//      and takes effect as a whole by a commit, between two decisions (see qosarb_port_commit).
//      `table_applied_o` is high in the cycle at whose end that happens.
//   4. seastar-age: a queue is the staging buffer of input port q / Vcs and virtual channel q mod Vcs.
//      Its head has the stamp that qosarb_age_input gave it with its bias (`req_age_bias_o` or `rsp_age_bias_o`
//      of one port of the chip); the port sees the chip's one qosarb_age_clock, and tells it a cycle after a grant
//      or a drop that a packet has left, whichever policy granted it, and the next chip with which age.
//      `age_clock_period_o` of one port of the chip goes to the clock.
//   5. Counters of each queue say what was sent and what it waited for (see qosarb_port_counters);
//      errors are noted, and raise `interrupt_o` (see qosarb_port_errors).
//   6. With Protect, a bit that flips in a register leads to no wrong grant (see qosarb_port_guard).
//   7. Software drains, flushes or resets a port by itself, and `idle_o` says when its clock may stand
//      still (see qosarb_port_control).
// Reset (asynchronous assertion; release it in step with the clock) leaves round robin over all
// queues, and a table by which a commit of POLICY alone gives each queue equal quanta (none of infiniband's two).
// Bound: one decision a cycle, every cycle. The bound on waiting is the policy's.
// docs/integration.md says how to bind the port, docs/registers.md lists the registers.

module qosarb_port #(
  parameter  int unsigned Queues         = 8,      // Queues of the port, 1 to 32
  parameter  int unsigned Entries        = 64,     // Table entries, Queues to 128
  parameter  int unsigned QuantumWidth   = 16,     // Bits of a quantum, up to 24
  parameter  int unsigned MaxPacketFlits = 1023,   // Longest packet in flits, up to 65535
  parameter  int unsigned Policies       = 32'h7,  // One bit for each code of POLICY; bit 0 always
  parameter  int unsigned Vcs            = 4,      // Virtual channels of an input port, up to 16
  parameter  int unsigned BurstWidth     = 16,     // Bits of a token bucket's size in flits, up to 16
  parameter  int unsigned Protect        = 0,      // 1: against soft errors
  parameter  int unsigned Latency        = 0,      // Cycles from a request to its answer, 0 or 1
  localparam int unsigned AddressWidth   = qosarb_port_reg_pkg::OffsetWidth,
  localparam int unsigned Inputs         = qosarb_pkg::inputs(Queues, Vcs),
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  // APB4 slave, whole words, no wait states.
  input  logic                              psel_i,
  input  logic                              penable_i,
  input  logic                              pwrite_i,
  input  logic [AddressWidth-1:0]           paddr_i,
  input  logic [31:0]                       pwdata_i,
  input  logic [3:0]                        pstrb_i,
  output logic                              pready_o,
  output logic [31:0]                       prdata_o,
  output logic                              pslverr_o,

  // Candidates.
  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0]                 pfc_stop_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,

  // Latency 1 only: the packets behind the heads.
  input  logic [Queues-1:0]                 next_valid_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] next_flits_i,

  // seastar-age only: the stamps of the heads and of the packets behind them, and the chip's age clock.
  input  logic [Queues-1:0][8:0]            age_field_i,
  input  logic [Queues-1:0]                 age_in_epoch_i,
  input  logic [Queues-1:0][8:0]            next_age_field_i,
  input  logic [Queues-1:0]                 next_age_in_epoch_i,
  input  logic [7:0]                        age_timestamp_i,
  input  logic                              age_epoch_i,
  input  logic                              age_inhibit_i,

  // The link can take a packet in the cycle of the answer.
  input  logic                              request_i,
  output logic                              grant_valid_o,
  output logic [Queues-1:0]                 grant_o,
  output logic [QueueWidth-1:0]             grant_queue_o,  // meaningful with grant_valid_o

  // With seastar-age built in: in the cycle after a grant, by whichever policy, or a drop, the epoch of the
  // packet's stamp, and after a grant its age; some head was of the other epoch; and what is programmed for the age
  // clock and the input side of each input port.
  output logic                              left_o,
  output logic                              left_epoch_o,
  output logic [7:0]                        left_age_o,
  output logic                              age_others_wait_o,
  output logic [31:0]                       age_clock_period_o,
  output logic [Inputs-1:0][2:0]            req_age_bias_o,
  output logic [Inputs-1:0][2:0]            rsp_age_bias_o,

  // At the end of this cycle a committed configuration takes effect.
  output logic                              table_applied_o,

  // An error stands that ERROR_ENABLE has.
  output logic                              interrupt_o,

  // No more packets are to be brought to the queues; the head of this queue (one-hot) is dropped, and
  // the one behind it stands in its place in the next cycle; this port is to be reset, for
  // qosarb_port_reset; the clock may be gated off in this cycle.
  output logic                              drain_o,
  output logic [Queues-1:0]                 drop_o,
  output logic                              soft_reset_o,
  output logic                              idle_o
);

  qosarb_ports #(
    .Ports         (1),
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Policies      (Policies),
    .Vcs           (Vcs),
    .BurstWidth    (BurstWidth),
    .Protect       (Protect),
    .Latency       (Latency)
  ) u_ports (
    .clk_i,
    .rst_ni,
    .port_rst_ni(rst_ni),
    .psel_i,
    .penable_i,
    .pwrite_i,
    .paddr_i,
    .pwdata_i,
    .pstrb_i,
    .pready_o,
    .prdata_o,
    .pslverr_o,
    .valid_i,
    .pfc_stop_i,
    .flits_i,
    .next_valid_i,
    .next_flits_i,
    .age_field_i,
    .age_in_epoch_i,
    .next_age_field_i,
    .next_age_in_epoch_i,
    .age_timestamp_i,
    .age_epoch_i,
    .age_inhibit_i,
    .request_i,
    .grant_valid_o,
    .grant_o,
    .grant_queue_o,
    .left_o,
    .left_epoch_o,
    .left_age_o,
    .age_others_wait_o,
    .age_clock_period_o,
    .req_age_bias_o,
    .rsp_age_bias_o,
    .table_applied_o,
    .interrupt_o,
    .drain_o,
    .drop_o,
    .soft_reset_o,
    .idle_o
  );

endmodule
