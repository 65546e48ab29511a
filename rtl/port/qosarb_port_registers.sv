// The registers of the output ports behind an APB4 slave.
//
// The register map is qosarb_port.rdl; docs/registers.md is its page.
// Algorithm:
//   1. In the setup phase of a transfer (PSEL without PENABLE) the address is decoded, a write's
//      value is judged, and a read's value is fetched: here for what identifies the build, for the
//      commit, the arbiter's state and the counters of each queue; by `register_i`, which joins what
//      all other parts answer to `register_o`, for the rest. Answer and value are registered.
//   2. The access phase follows at once, without wait states. PRDATA comes from a register or the
//      memory of the counters, PSLVERR from a register; a write that was found good takes effect at
//      the end of it.
// A commit can only begin in an access phase, so that what was judged in a setup phase still holds
// in the access phase behind it.
// Each port has a window, by the bits of the address above; `window_o` is that of a transfer. What is
// of one port, its state, counters, errors and control, is in its own; what all share is in each the same.
// Every refused access leaves all registers as they were.
// Bound: two cycles for each transfer, as APB has it.

module qosarb_port_registers #(
  parameter  qosarb_port_pkg::build_t Build = '0,
  localparam int unsigned Ports        = Build.ports,
  localparam int unsigned Queues       = Build.queues,
  localparam int unsigned AddressWidth = qosarb_port_reg_pkg::OffsetWidth + $clog2(Ports),
  localparam int unsigned WindowWidth  = qosarb_pkg::index_width(Ports),
  localparam int unsigned QueueWidth   = qosarb_pkg::index_width(Queues),
  localparam int unsigned Counters     =
      4 * Queues + qosarb_pkg::other_counters(qosarb_port_pkg::CounterStalls,
                                              Build.policies[5'(qosarb_port_reg_pkg::PolicyTrtcm)],
                                              Build.policies[5'(qosarb_port_reg_pkg::PolicySeastarAge)],
                                              Queues, Build.vcs),
  localparam int unsigned IndexWidth   = $clog2(Counters),
  localparam int unsigned StateWords   = qosarb_pkg::state_words(Queues, Build.entries)
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,

  // APB4.
  input  logic                                  psel_i,
  input  logic                                  penable_i,
  input  logic                                  pwrite_i,
  input  logic [AddressWidth-1:0]               paddr_i,
  input  logic [31:0]                           pwdata_i,
  input  logic [3:0]                            pstrb_i,
  output logic                                  pready_o,
  output logic [31:0]                           prdata_o,
  output logic                                  pslverr_o,

  // The registers of the other parts.
  output logic [WindowWidth-1:0]                window_o,
  output qosarb_port_pkg::register_request_t    register_o,
  input  qosarb_port_pkg::register_answer_t     register_i,

  // The commit. The configuration stands still from `commit_o` on while `progress_i` is not idle.
  output logic                                  commit_o,
  output logic                                  configuration_write_o,
  input  qosarb_port_reg_pkg::status_progress_e progress_i,
  input  qosarb_port_reg_pkg::status_outcome_e  outcome_i,
  input  qosarb_port_reg_pkg::status_reason_e   reason_i,
  input  logic [7:0]                            where_i,

  // The state of the window's arbiter.
  input  logic [StateWords-1:0][31:0]           state_i,

  // The counters of the window's port: their clearing; their snapshot, from which a counter that is asked
  // for in one cycle comes in the next one, with one of a queue its longest wait.
  output logic                                  counter_clear_o,
  output logic                                  snapshot_o,
  input  logic                                  snapshot_busy_i,
  output logic                                  counter_read_o,
  output logic [IndexWidth-1:0]                 counter_index_o,
  input  logic [Ports-1:0][47:0]                counter_i,
  output logic                                  wait_read_o,
  output logic [QueueWidth-1:0]                 wait_queue_o,
  input  logic [31:0]                           longest_wait_i
);

  import qosarb_port_reg_pkg::*;

  localparam int unsigned Entries    = Build.entries;
  localparam int unsigned EntryWidth = qosarb_pkg::index_width(Entries);

  // The address: a single register, or element `entry` or `queue` of a window.
  logic                   setup, access, write, window_exists;
  logic [OffsetWidth-1:0] address;  // within the window
  logic                   in_deficit, in_packets, in_flits, in_blocked, in_waiting, in_counters;
  logic                   reads_counters;
  logic                   entry_exists, queue_exists;
  logic [EntryWidth-1:0]  entry;
  logic [QueueWidth-1:0]  queue;

  assign setup  = psel_i & ~penable_i;
  assign access = psel_i & penable_i;

  assign address       = paddr_i[OffsetWidth-1:0];
  assign window_exists = 32'(window_o) < Ports;

  if (Ports > 1) begin : g_windows
    assign window_o = paddr_i[AddressWidth-1:OffsetWidth];
  end else begin : g_window
    assign window_o = '0;
  end

  assign entry_exists = 32'(address[8:2]) < Entries;
  assign queue_exists = 32'(address[6:2]) < Queues;
  assign entry        = address[2 +: EntryWidth];
  assign queue        = address[2 +: QueueWidth];

  assign in_deficit = entry_exists & (address[OffsetWidth-1:9] == DeficitOffset[OffsetWidth-1:9]);
  assign in_packets = queue_exists & (address[OffsetWidth-1:7] == PacketsOffset[OffsetWidth-1:7]);
  assign in_flits   = queue_exists & (address[OffsetWidth-1:7] == FlitsOffset[OffsetWidth-1:7]);
  assign in_blocked = queue_exists & (address[OffsetWidth-1:7] == BlockedOffset[OffsetWidth-1:7]);
  assign in_waiting = queue_exists & (address[OffsetWidth-1:7] == WaitingOffset[OffsetWidth-1:7]);

  assign in_counters    = in_packets | in_flits | in_blocked | in_waiting;
  assign reads_counters = setup & ~pwrite_i & (address[1:0] == '0) & window_exists & ~snapshot_busy_i;
  assign counter_read_o = reads_counters & (in_counters | register_i.counted);
  assign wait_read_o    = reads_counters & in_counters;
  assign wait_queue_o   = queue;

  always_comb begin
    counter_index_o = IndexWidth'(4 * Queues) + IndexWidth'(register_i.counter);
    if (in_packets) counter_index_o = IndexWidth'(queue);
    if (in_flits)   counter_index_o = IndexWidth'(Queues) + IndexWidth'(queue);
    if (in_blocked) counter_index_o = IndexWidth'(2 * Queues) + IndexWidth'(queue);
    if (in_waiting) counter_index_o = IndexWidth'(3 * Queues) + IndexWidth'(queue);
  end

  // What a policy keeps of its entries.
  logic [Entries-1:0][31:0] entry_state;

  assign entry_state = state_i[qosarb_port_pkg::StateEntry +: Entries];

  // The words of its own that a policy has are read through registers of its own, where it has any.
  logic unused_state;
  assign unused_state = ^state_i[StateWords-1:qosarb_pkg::state_own(Entries)];

  // 1. Setup: may this write be done?
  logic write_good, value_good, is_configuration;

  always_comb begin
    is_configuration = 1'b1;
    unique case (address)
      CommitOffset: value_good = (pwdata_i[31:1] == '0);
      CounterClearOffset: begin
        value_good       = (pwdata_i[31:1] == '0) & ~snapshot_busy_i;
        is_configuration = 1'b0;
      end
      SnapshotOffset: begin
        value_good       = (pwdata_i[31:1] == '0) & ~snapshot_busy_i;
        is_configuration = 1'b0;
      end
      ErrorEnableOffset, ErrorClearOffset, PfcWatchdogOffset, ControlOffset: begin
        value_good       = register_i.write_good;
        is_configuration = 1'b0;
      end
      default:      value_good = register_i.write_good;
    endcase
  end

  assign write_good = value_good && window_exists && (pstrb_i == '1) && (address[1:0] == '0) &&
                      !(is_configuration && (progress_i != StatusProgressIdle));

  // 1. Setup: what does this read give? A counter comes with the access phase.
  logic [15:0] high_q;  // of the counter that was read last
  logic        read_good;
  logic [31:0] read_value;

  always_comb begin
    read_good  = setup && window_exists && (address[1:0] == '0);
    read_value = '0;
    if (read_good) begin
      if (in_deficit) begin
        read_value = entry_state[entry];
      end else if (in_counters || register_i.counted) begin
        read_good = ~snapshot_busy_i;  // the value comes with the access phase
      end else begin
        unique case (address)
          IdOffset:           read_value = IdValue;
          SizesOffset:        read_value = {8'd0, 8'(Build.quantum_width), 8'(Entries), 8'(Queues)};
          PacketLimitOffset:  read_value = 32'(Build.max_packet_flits);
          PoliciesOffset:     read_value = 32'(16'(Build.policies));
          CommitOffset:       read_value = '0;
          CounterClearOffset: read_value = '0;
          CounterHighOffset:  read_value = 32'(high_q);
          SnapshotOffset:     read_value = {30'd0, snapshot_busy_i, 1'b0};
          LongestWaitOffset:  read_value = longest_wait_i;
          StatusOffset:       read_value = {8'd0, where_i, 4'd0, reason_i, 2'd0, outcome_i,
                                            2'd0, progress_i};
          CurrentOffset:      read_value = state_i[qosarb_port_pkg::StateCurrent];
          RemainingOffset:    read_value = state_i[qosarb_port_pkg::StateRemaining];
          default: begin
            read_good  = register_i.read_good;
            read_value = register_i.value;
          end
        endcase
      end
    end
  end

  logic                   error, error_q, reads_counter_q;
  logic [31:0]            read_value_q;
  logic [WindowWidth-1:0] window_q;  // of the counter that is read
  logic [47:0]            counter;

  assign counter = counter_i[window_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_q         <= 1'b1;  // a reset that ends inside a transfer: nobody has seen its setup
      read_value_q    <= '0;
      reads_counter_q <= 1'b0;
      window_q        <= '0;
      high_q          <= '0;
    end else if (setup) begin
      error_q         <= pwrite_i ? !write_good : !read_good;
      read_value_q    <= pwrite_i ? '0 : read_value;
      reads_counter_q <= counter_read_o;
      if (window_exists) window_q <= window_o;
    end else if (access && reads_counter_q) begin
      high_q          <= counter[47:32];
    end
  end

  // With Protect a flipped bit lets no refused write through.
  if (Build.protect != '0) begin : g_protect
    logic good, second_good;

    assign good = pwrite_i ? write_good : read_good;

    (* keep_hierarchy *)
    qosarb_inverted_copy u_second (
      .clk_i,
      .rst_ni,
      .d_i(setup ? good : second_good),
      .q_o(second_good)
    );

    assign error = error_q | ~second_good;
  end else begin : g_unprotected
    assign error = error_q;
  end

  assign pready_o  = 1'b1;
  assign prdata_o  = reads_counter_q ? counter[31:0] : read_value_q;
  assign pslverr_o = access & error;

  // 2. Access: the write.
  assign write           = access & pwrite_i & ~error;
  assign register_o      = '{addr: address, wdata: pwdata_i, write: write};
  assign commit_o        = write & (address == CommitOffset) & pwdata_i[0];
  assign counter_clear_o = write & (address == CounterClearOffset) & pwdata_i[0];
  assign snapshot_o      = write & (address == SnapshotOffset) & pwdata_i[0];

  assign configuration_write_o = write & is_configuration & (address != CommitOffset);

endmodule
