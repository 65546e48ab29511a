// A qosarb_port for co-simulation.
//
// What C++ puts at the pins is shown to the port at a rising edge of show_i, reset included, and stays
// so until the next one. Where clk_i rises with it, a cycle ends and the inputs of the next one come at
// once, and Verilator works out what follows from both one time; with inputs that change by themselves
// it would do so behind the edge, for the inputs, and, as it cannot know that they stay, before the next
// edge once more.
//
// A rising edge of leap_i makes up for cycles that were leapt over, in which nothing changed but counters and
// waits: those in which queues were blocked, waited, and in which the others counted, of each counter so many.
// It comes behind the clock edge of the cycle after them: what was before them has come to the registers of
// the counters by then, and what that cycle did has not. The words of those that grow are visited out of
// turn, together with what stands beside them or is on its way to them. A wait's word that has just
// been read, or summed, is written by the RTL: what is put in its place counts as of a head that has ended
// before the last snapshot, so that no longest wait follows from it.

`define COUNTERS qosarb_port.u_ports.g_port[0].u_counters
`define WAITS    qosarb_port.u_ports.g_port[0].u_counters.u_waits

// Waveforms begin with the port itself.
// verilator tracing_off
module port_pins #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned Policies       = 32'h7,
  parameter  int unsigned Vcs            = 4,
  parameter  int unsigned BurstWidth     = 16,
  parameter  int unsigned Protect        = 0,
  parameter  int unsigned Latency        = 0,
  localparam int unsigned Others         =
      qosarb_pkg::other_counters(qosarb_port_pkg::CounterStalls,
                                 Policies[5'(qosarb_port_reg_pkg::PolicyTrtcm)],
                                 Policies[5'(qosarb_port_reg_pkg::PolicySeastarAge)], Queues, Vcs),
  localparam int unsigned Counters       = 4 * Queues + Others,
  localparam int unsigned Leapt          = Counters - 2 * Queues,  // blocked and waiting of each queue, others
  localparam int unsigned AddressWidth   = qosarb_port_reg_pkg::OffsetWidth,
  localparam int unsigned Inputs         = qosarb_pkg::inputs(Queues, Vcs),
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                              clk_i,
  input  logic                              show_i,
  input  logic                              leap_i,
  input  logic [63:0]                       leap_cycles_i [Leapt],

  // Behind this cycle no counters are being cleared, no snapshot is taken, and no head is dropped: the next
  // cycles may be leapt over.
  output logic                              settled_o,
  output logic [Others-1:0]                 counted_o,   // which of the others count this cycle
  output logic [31:0]                       counters_o,  // how many there are

  input  logic                              rst_ni,
  input  logic                              psel_i,
  input  logic                              penable_i,
  input  logic                              pwrite_i,
  input  logic [AddressWidth-1:0]           paddr_i,
  input  logic [31:0]                       pwdata_i,
  input  logic [3:0]                        pstrb_i,
  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0]                 pfc_stop_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,
  input  logic [Queues-1:0]                 next_valid_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] next_flits_i,
  input  logic [Queues-1:0][8:0]            age_field_i,
  input  logic [Queues-1:0]                 age_in_epoch_i,
  input  logic [Queues-1:0][8:0]            next_age_field_i,
  input  logic [Queues-1:0]                 next_age_in_epoch_i,
  input  logic [7:0]                        age_timestamp_i,
  input  logic                              age_epoch_i,
  input  logic                              age_inhibit_i,
  input  logic                              request_i,

  output logic                              pready_o,
  output logic [31:0]                       prdata_o,
  output logic                              pslverr_o,
  output logic                              grant_valid_o,
  output logic [Queues-1:0]                 grant_o,
  output logic [QueueWidth-1:0]             grant_queue_o,
  output logic                              left_o,
  output logic                              left_epoch_o,
  output logic [7:0]                        left_age_o,
  output logic                              age_others_wait_o,
  output logic [31:0]                       age_clock_period_o,
  output logic [Inputs-1:0][2:0]            req_age_bias_o,
  output logic [Inputs-1:0][2:0]            rsp_age_bias_o,
  output logic                              table_applied_o,
  output logic                              interrupt_o,
  output logic                              drain_o,
  output logic [Queues-1:0]                 drop_o,
  output logic                              soft_reset_o,
  output logic                              idle_o
);

  logic                              rst_q;
  logic                              psel_q;
  logic                              penable_q;
  logic                              pwrite_q;
  logic [AddressWidth-1:0]           paddr_q;
  logic [31:0]                       pwdata_q;
  logic [3:0]                        pstrb_q;
  logic [Queues-1:0]                 valid_q;
  logic [Queues-1:0]                 pfc_stop_q;
  logic [Queues-1:0][FlitsWidth-1:0] flits_q;
  logic [Queues-1:0]                 next_valid_q;
  logic [Queues-1:0][FlitsWidth-1:0] next_flits_q;
  logic [Queues-1:0][8:0]            age_field_q;
  logic [Queues-1:0]                 age_in_epoch_q;
  logic [Queues-1:0][8:0]            next_age_field_q;
  logic [Queues-1:0]                 next_age_in_epoch_q;
  logic [7:0]                        age_timestamp_q;
  logic                              age_epoch_q;
  logic                              age_inhibit_q;
  logic                              request_q;

  always_ff @(posedge show_i) begin
    rst_q               <= rst_ni;
    psel_q              <= psel_i;
    penable_q           <= penable_i;
    pwrite_q            <= pwrite_i;
    paddr_q             <= paddr_i;
    pwdata_q            <= pwdata_i;
    pstrb_q             <= pstrb_i;
    valid_q             <= valid_i;
    pfc_stop_q          <= pfc_stop_i;
    flits_q             <= flits_i;
    next_valid_q        <= next_valid_i;
    next_flits_q        <= next_flits_i;
    age_field_q         <= age_field_i;
    age_in_epoch_q      <= age_in_epoch_i;
    next_age_field_q    <= next_age_field_i;
    next_age_in_epoch_q <= next_age_in_epoch_i;
    age_timestamp_q     <= age_timestamp_i;
    age_epoch_q         <= age_epoch_i;
    age_inhibit_q       <= age_inhibit_i;
    request_q           <= request_i;
  end

  // verilator tracing_on
  qosarb_port #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Policies      (Policies),
    .Vcs           (Vcs),
    .BurstWidth    (BurstWidth),
    .Protect       (Protect),
    .Latency       (Latency)
  ) qosarb_port (
    .clk_i,
    .rst_ni             (rst_q),
    .psel_i             (psel_q),
    .penable_i          (penable_q),
    .pwrite_i           (pwrite_q),
    .paddr_i            (paddr_q),
    .pwdata_i           (pwdata_q),
    .pstrb_i            (pstrb_q),
    .valid_i            (valid_q),
    .pfc_stop_i         (pfc_stop_q),
    .flits_i            (flits_q),
    .next_valid_i       (next_valid_q),
    .next_flits_i       (next_flits_q),
    .age_field_i        (age_field_q),
    .age_in_epoch_i     (age_in_epoch_q),
    .next_age_field_i   (next_age_field_q),
    .next_age_in_epoch_i(next_age_in_epoch_q),
    .age_timestamp_i    (age_timestamp_q),
    .age_epoch_i        (age_epoch_q),
    .age_inhibit_i      (age_inhibit_q),
    .request_i          (request_q),
    .pready_o,
    .prdata_o,
    .pslverr_o,
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
  // verilator tracing_off

  // The counters.
  assign counted_o  = `COUNTERS.others_i;
  assign counters_o = Counters;
  assign settled_o  = `COUNTERS.stays_q & ~`COUNTERS.snaps_q &
                      ~`COUNTERS.clear_i & ~`COUNTERS.snapshot_i &
                      (`COUNTERS.clear_left_q == '0) &
                      ~`COUNTERS.cleared_q &
                      (`COUNTERS.snapshot_left_q == '0) &
                      ~`COUNTERS.copies_q &
                      ~`COUNTERS.writes_copy_q &
                      ~qosarb_port.u_ports.hold[0];

  for (genvar c = 2 * Queues; c < Counters; c++) begin : g_counter
    always_ff @(posedge leap_i) begin
      if (leap_cycles_i[c-2*Queues] != '0) begin
        automatic logic [47:0] word = `COUNTERS.u_counters.words_q[c];
        if (`COUNTERS.sums_q && 32'(`COUNTERS.summed_q) == c) begin
          word = `COUNTERS.word + 48'(`COUNTERS.taken_q);
          `COUNTERS.sums_q <= 1'b0;
        end else if (`COUNTERS.writes_q && 32'(`COUNTERS.written_q) == c) begin
          word = `COUNTERS.total;
          `COUNTERS.writes_q <= 1'b0;
        end
        `COUNTERS.u_counters.words_q[c] <= word + 48'(leap_cycles_i[c-2*Queues]);
      end
    end
  end

  // The waits.
  typedef logic [31:0] wait_t;

  typedef struct packed {
    wait_t longest;
    wait_t waited;
  } word_t;

  function automatic wait_t later(wait_t waited, logic [63:0] cycles);
    logic [64:0] sum;
    sum = 65'(waited) + 65'(cycles);
    return (sum >> 32) == '0 ? wait_t'(sum) : '1;
  endfunction

  function automatic wait_t longer(wait_t a, wait_t b);
    return a > b ? a : b;
  endfunction

  // The word behind a visit that finds this of the heads behind the one whose wait stands in it.
  function automatic word_t visited(word_t word, logic past, logic ended, wait_t more, wait_t other, wait_t head);
    wait_t first;
    first = later(word.waited, 64'(more));
    return '{longest: longer(longer(word.longest, other), past ? '0 : first), waited: ended ? head : first};
  endfunction

  for (genvar q = 0; q < Queues; q++) begin : g_wait
    always_ff @(posedge leap_i) begin
      if (leap_cycles_i[Queues+q] != '0) begin
        automatic logic  is_read   = `WAITS.sums_q && `WAITS.of_copy_q && 32'(`WAITS.visit_q) == q;
        automatic logic  is_summed = `WAITS.sums_q && !`WAITS.of_copy_q && 32'(`WAITS.written_q) == q;
        automatic word_t word      = `WAITS.u_waits.words_q[q];
        if (is_read) begin
          word = visited(word_t'(`WAITS.word), `WAITS.taken_q.past,
                         `WAITS.ended_taken_q, wait_t'(`WAITS.taken_q.more),
                         wait_t'(`WAITS.taken_q.other), wait_t'(`WAITS.head_taken_q));
        end else if (is_summed) begin
          word = visited('{longest: `WAITS.longer_q, waited: `WAITS.first_q},
                         `WAITS.first_past_q, `WAITS.first_ended_q, '0, '0,
                         wait_t'(`WAITS.first_head_q));
        end
        word = visited(word, `WAITS.past_q[q], `WAITS.ended_q[q],
                       wait_t'(`WAITS.more_q[q]), wait_t'(`WAITS.other_q[q]),
                       wait_t'(`WAITS.head_q[q]));
        word.waited = later(word.waited, leap_cycles_i[Queues+q]);
        if (is_read) begin
          `WAITS.u_waits.read_data_q <= word;
          `WAITS.taken_q             <= '{past: 1'b1, default: '0};
          `WAITS.ended_taken_q       <= 1'b0;
        end else if (is_summed) begin
          `WAITS.longer_q      <= word.longest;
          `WAITS.first_q       <= word.waited;
          `WAITS.first_past_q  <= 1'b1;
          `WAITS.first_ended_q <= 1'b0;
        end else begin
          `WAITS.u_waits.words_q[q] <= word;
        end
        `WAITS.past_q[q]  <= 1'b0;
        `WAITS.ended_q[q] <= 1'b0;
        `WAITS.more_q[q]  <= '0;
        `WAITS.other_q[q] <= '0;
        `WAITS.head_q[q]  <= '0;
      end
    end
  end

endmodule
