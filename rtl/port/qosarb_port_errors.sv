// What goes wrong around a port: noted, counted, and told by one interrupt line.
//
// Algorithm:
//   1. A granted head that lies (longer than the longest packet in force, dtable: than the MTU of its
//      SL; or of 0 flits) is found in the cycle behind its grant, noted and counted with the port's other
//      counters, under every policy.
//   2. Watchdog: PFC_WATCHDOG cycles make an interval, one after the other. A queue that shows a head
//      and is stopped in every cycle of a whole interval is noted in PAUSED_QUEUES. So a head that is
//      stopped for two intervals on end is found for certain, and one for less than an interval
//      never. A new value begins an interval; with 0 there are none.
//   3. With Protect: an upset, and a configuration that is lost by one, are noted, and upsets counted in
//      SOFT_ERRORS, which stays at its highest value (see qosarb_port_guard).
//   4. An error's bit in ERROR_STATUS stays until ERROR_CLEAR clears it, with PAUSED_QUEUES where it
//      is that one's. An error in the cycle of its clearing stays. `interrupt_o` is high while a bit
//      of ERROR_STATUS stands that ERROR_ENABLE has, too; it comes from registers.
// Nothing of it lies on the path of a grant.

module qosarb_port_errors #(
  parameter  qosarb_port_pkg::build_t Build = '0,
  localparam int unsigned Queues       = Build.queues,
  localparam int unsigned FlitsWidth   = $clog2(Build.max_packet_flits + 1)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,

  input  qosarb_port_pkg::register_request_t register_i,
  output qosarb_port_pkg::register_answer_t  register_o,
  input  logic                               counter_clear_i,

  // The candidates of a cycle, who won it, and the longest packet that each queue may have.
  input  logic [Queues-1:0]                  valid_i,
  input  logic [Queues-1:0]                  stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]  flits_i,
  input  logic [Queues-1:0]                  grant_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]  longest_i,

  // Upsets.
  input  logic                               soft_error_i,
  input  logic                               lost_i,

  output logic                               lies_o,  // the winner of the last cycle, for the counters

  output logic                               interrupt_o
);

  import qosarb_port_reg_pkg::*;

  typedef struct packed {
    logic configuration_lost;
    logic soft_error;
    logic paused_queue;
    logic lying_head;
  } errors_t;

  errors_t           found, status_d, status_q, enable_q, clear;
  logic [31:0]       soft_errors_q, interval_q, left_q, less_one;
  logic [Queues-1:0] stopped_so_far_q, paused_d, paused_q;
  logic              lies, interval_ends, writes_interval;

  // The registers.
  logic write_enable, write_clear;

  always_comb begin
    register_o           = '0;
    register_o.read_good = 1'b1;
    unique case (register_i.addr)
      SoftErrorsOffset:   register_o.value = soft_errors_q;
      ErrorStatusOffset:  register_o.value = 32'(status_q);
      PausedQueuesOffset: register_o.value = 32'(paused_q);
      LyingHeadsOffset: begin
        register_o.counted = 1'b1;
        register_o.counter = 8'(qosarb_port_pkg::CounterLying);
      end
      ErrorEnableOffset: begin
        register_o.value      = 32'(enable_q);
        register_o.write_good = register_i.wdata[31:$bits(errors_t)] == '0;
      end
      ErrorClearOffset:   register_o.write_good = register_i.wdata[31:$bits(errors_t)] == '0;
      PfcWatchdogOffset: begin
        register_o.value      = interval_q;
        register_o.write_good = 1'b1;
      end
      default:            register_o.read_good = 1'b0;
    endcase
  end

  assign write_enable    = register_i.write & (register_i.addr == ErrorEnableOffset);
  assign write_clear     = register_i.write & (register_i.addr == ErrorClearOffset);
  assign writes_interval = register_i.write & (register_i.addr == PfcWatchdogOffset);
  assign clear           = register_i.wdata[$bits(errors_t)-1:0] & {$bits(errors_t){write_clear}};

  // 1. The winner of the last cycle, and whose heads lied in it.
  logic [Queues-1:0] granted_q, lies_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      granted_q <= '0;
      lies_q    <= '0;
    end else begin
      granted_q <= grant_i;
      for (int unsigned q = 0; q < Queues; q++) begin
        lies_q[q] <= (flits_i[q] > longest_i[q]) | (flits_i[q] == '0);
      end
    end
  end

  assign lies = |(granted_q & lies_q);

  assign lies_o = lies;

  // 2. The watchdog. What is left of an interval, this cycle included; 0 while there is none.
  assign interval_ends = left_q == 32'd1;
  assign paused_d      = valid_i & stopped_i & stopped_so_far_q & {Queues{interval_ends}};

  // With one less, a bit flips if those below it are all zero, in its byte and in the bytes below.
  logic [3:0][7:0] left_byte;
  logic [3:0]      left_nonzero;

  assign left_byte = left_q;

  for (genvar b = 0; b < 4; b++) begin : g_byte
    localparam logic [3:0] Below = ~(4'hf << b);
    logic borrows;
    assign left_nonzero[b] = left_byte[b] != '0;
    assign borrows         = (left_nonzero & Below) == '0;
    for (genvar i = 0; i < 8; i++) begin : g_less_one
      localparam logic [7:0] Lower = ~(8'hff << i);
      assign less_one[8*b+i] = left_byte[b][i] ^ (borrows & ((left_byte[b] & Lower) == '0));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      interval_q       <= '0;
      left_q           <= '0;
      stopped_so_far_q <= '0;
    end else if (writes_interval) begin
      interval_q       <= register_i.wdata;
      left_q           <= register_i.wdata;
      stopped_so_far_q <= '1;
    end else if (left_q != '0) begin
      left_q           <= interval_ends ? interval_q : less_one;
      stopped_so_far_q <= interval_ends ? '1 : stopped_so_far_q & valid_i & stopped_i;
    end
  end

  // 3. Upsets.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                                  soft_errors_q <= '0;
    else if (counter_clear_i)                     soft_errors_q <= 32'(soft_error_i);
    else if (soft_error_i && soft_errors_q != '1) soft_errors_q <= soft_errors_q + 1'b1;
  end

  // 4. What stays.
  assign found    = '{configuration_lost: lost_i, soft_error: soft_error_i,
                      paused_queue: |paused_d, lying_head: lies};
  assign status_d = (status_q & ~clear) | found;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      status_q <= '0;
      paused_q <= '0;
      enable_q <= '0;
    end else begin
      status_q <= status_d;
      paused_q <= (paused_q & ~{Queues{clear.paused_queue}}) | paused_d;
      if (write_enable) enable_q <= register_i.wdata[$bits(errors_t)-1:0];
    end
  end

  assign interrupt_o = |(status_q & enable_q);

endmodule
