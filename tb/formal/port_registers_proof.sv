// qosarb_port_registers beside the register map: any transfers, whatever the other parts answer and tell, and a reset at
// any time.
//
// A part answers only where this module has no register, and only a part's counter is told by its number.

module port_registers_proof #(
  parameter  int unsigned Ports        = 3,
  parameter  int unsigned Queues       = 3,
  parameter  int unsigned Entries      = 5,
  localparam int unsigned AddressWidth = qosarb_port_reg_pkg::OffsetWidth + $clog2(Ports),
  localparam int unsigned WindowWidth  = qosarb_pkg::index_width(Ports),
  localparam int unsigned QueueWidth   = qosarb_pkg::index_width(Queues),
  localparam int unsigned Vcs          = 2,
  localparam int unsigned Others       = qosarb_pkg::other_counters(qosarb_port_pkg::CounterStalls, 1'b1, 1'b1,
                                                                    Queues, Vcs),
  localparam int unsigned IndexWidth   = $clog2(4 * Queues + Others),
  localparam int unsigned StateWords   = qosarb_pkg::state_words(Queues, Entries)
) (
  input  logic                                  clk_i,
  input  logic                                  reset_i,
  input  logic                                  start_i,  // a transfer follows, if the bus is free
  input  logic                                  write_i,
  input  logic [AddressWidth-1:0]               address_i,
  input  logic [31:0]                           data_i,
  input  logic [3:0]                            strobes_i,
  input  qosarb_port_pkg::register_answer_t     answer_i,
  input  qosarb_port_reg_pkg::status_progress_e progress_i,
  input  qosarb_port_reg_pkg::status_outcome_e  outcome_i,
  input  qosarb_port_reg_pkg::status_reason_e   reason_i,
  input  logic [7:0]                            where_i,
  input  logic [StateWords-1:0][31:0]           state_i,
  input  logic                                  snapshot_busy_i,
  input  logic [Ports-1:0][47:0]                counter_i,
  input  logic [31:0]                           longest_wait_i,

  output logic                                  not_coupled_o,
  output logic                                  answers_otherwise_o,
  output logic                                  writes_otherwise_o,
  output logic                                  counts_otherwise_o,
  output logic                                  cover_reads_upper_bits_o,
  output logic                                  cover_refused_amid_a_commit_o
);

  import qosarb_port_reg_pkg::*;

  localparam logic [31:0] Policies = 32'd1 << PolicyRr | 32'd1 << PolicyTrtcm | 32'd1 << PolicySeastarAge;

  localparam qosarb_port_pkg::build_t Build = '{
    ports: Ports, queues: Queues, entries: Entries, quantum_width: 9, max_packet_flits: 300, policies: Policies,
    vcs: Vcs, burst_width: 9, protect: 0, latency: 0
  };

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  logic                    psel, penable, pwrite;
  logic [AddressWidth-1:0] paddr;
  logic [31:0]             pwdata;
  logic [3:0]              pstrb;

  any_transfers #(
    .AddressWidth(AddressWidth)
  ) u_bus (
    .clk_i,
    .start_i,
    .write_i,
    .address_i,
    .data_i,
    .strobes_i,
    .psel_o   (psel),
    .penable_o(penable),
    .pwrite_o (pwrite),
    .paddr_o  (paddr),
    .pwdata_o (pwdata),
    .pstrb_o  (pstrb)
  );

  logic                               pready, pslverr, commit, configuration_write, counter_clear, snapshot;
  logic                               counter_read, wait_read, owned;
  logic [31:0]                        prdata;
  logic [WindowWidth-1:0]             window;
  logic [IndexWidth-1:0]              counter_index;
  logic [QueueWidth-1:0]              wait_queue;
  qosarb_port_pkg::register_request_t request;
  qosarb_port_pkg::register_answer_t  answer;

  always_comb begin
    answer = owned ? '0 : answer_i;
    if (answer.counted) answer.counter = 8'(32'(answer_i.counter) % Others);
  end

  qosarb_port_registers #(
    .Build(Build)
  ) u_engine (
    .clk_i,
    .rst_ni               (rst_n),
    .psel_i               (psel),
    .penable_i            (penable),
    .pwrite_i             (pwrite),
    .paddr_i              (paddr),
    .pwdata_i             (pwdata),
    .pstrb_i              (pstrb),
    .pready_o             (pready),
    .prdata_o             (prdata),
    .pslverr_o            (pslverr),
    .window_o             (window),
    .register_o           (request),
    .register_i           (answer),
    .commit_o             (commit),
    .configuration_write_o(configuration_write),
    .progress_i,
    .outcome_i,
    .reason_i,
    .where_i,
    .state_i,
    .counter_clear_o      (counter_clear),
    .snapshot_o           (snapshot),
    .snapshot_busy_i,
    .counter_read_o       (counter_read),
    .counter_index_o      (counter_index),
    .counter_i,
    .wait_read_o          (wait_read),
    .wait_queue_o         (wait_queue),
    .longest_wait_i
  );

  // The register map: what a read of the address gives now, which counter that is, which values may be written. An
  // address that has nothing here is the parts'.
  logic [OffsetWidth-1:0] address;
  logic [31:0]            place, value, number;
  logic                   readable, writable, configures, is_counter;
  status_reg_t            status;
  sizes_reg_t             sizes;
  logic [15:0]            upper_q;  // of the counter that was read last
  logic [47:0]            counter;  // of the port whose place that is

  assign address = paddr[OffsetWidth-1:0];
  assign place   = (Ports > 1) ? 32'(paddr) >> OffsetWidth : 32'd0;
  assign counter = (place < Ports) ? counter_i[place] : '0;

  always_comb begin
    status               = '0;
    status.where         = where_i;
    status.reason        = reason_i;
    status.outcome       = outcome_i;
    status.progress      = progress_i;
    sizes                = '0;
    sizes.quantum_width  = 8'(Build.quantum_width);
    sizes.entries        = 8'(Entries);
    sizes.queues         = 8'(Queues);
  end

  always_comb begin
    owned      = 1'b1;
    readable   = 1'b1;
    value      = '0;
    writable   = 1'b0;
    configures = 1'b1;
    is_counter = 1'b0;
    number     = '0;
    case (address)
      IdOffset:           value = IdValue;
      SizesOffset:        value = sizes;
      PacketLimitOffset:  value = Build.max_packet_flits;
      PoliciesOffset:     value = Policies;
      CommitOffset:       writable = pwdata <= 32'd1;
      StatusOffset:       value = status;
      CounterHighOffset:  value = 32'(upper_q);
      CurrentOffset:      value = state_i[0];
      RemainingOffset:    value = state_i[1];
      LongestWaitOffset:  value = longest_wait_i;
      CounterClearOffset: begin
        writable   = (pwdata <= 32'd1) & ~snapshot_busy_i;
        configures = 1'b0;
      end
      SnapshotOffset: begin
        value      = snapshot_busy_i ? 32'd2 : 32'd0;
        writable   = (pwdata <= 32'd1) & ~snapshot_busy_i;
        configures = 1'b0;
      end
      default: begin
        owned      = 1'b0;
        readable   = answer_i.read_good;
        value      = answer_i.value;
        writable   = answer_i.write_good;
        is_counter = answer_i.counted;
        number     = 32'(4 * Queues) + 32'(answer.counter);
        configures = (address != ErrorEnableOffset) & (address != ErrorClearOffset) &
                     (address != PfcWatchdogOffset) & (address != ControlOffset);
      end
    endcase
    if (address >= DeficitOffset && address < ClassPriorityOffset) begin
      owned      = 1'b1;
      readable   = 1'b0;
      writable   = 1'b0;
      is_counter = 1'b0;
      for (int unsigned e = 0; e < Entries; e++) begin
        if (address == DeficitOffset + OffsetWidth'(4 * e)) begin
          readable = 1'b1;
          value    = state_i[2 + e];
        end
      end
      for (int unsigned kind = 0; kind < 4; kind++) begin
        for (int unsigned q = 0; q < Queues; q++) begin
          if (address == PacketsOffset + OffsetWidth'(128 * kind + 4 * q)) begin
            is_counter = 1'b1;
            number     = 32'(kind * Queues + q);
          end
        end
      end
    end
    if (is_counter) readable = ~snapshot_busy_i;
    readable &= (address[1:0] == '0) & (place < Ports);
    writable &= (address[1:0] == '0) & (place < Ports) & (pstrb == '1) &
                ~(configures & (progress_i != StatusProgressIdle));
  end

  // What a setup phase leaves to the access phase; nothing, if a reset came between the two.
  logic        setup, access, good_q, is_counter_q, configures_q;
  logic [31:0] value_q;

  assign setup  = psel & ~penable;
  assign access = psel & penable;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      good_q       <= 1'b0;
      is_counter_q <= 1'b0;
      configures_q <= 1'b0;
      value_q      <= '0;
      upper_q      <= '0;
    end else if (setup) begin
      good_q       <= pwrite ? writable : readable;
      is_counter_q <= is_counter & readable & ~pwrite;
      configures_q <= configures;
      value_q      <= value;
    end else if (access && is_counter_q) begin
      upper_q      <= counter[47:32];
    end
  end

  // The answer to the bus. What a refused transfer gives does not matter.
  logic [31:0] expected;
  assign expected            = is_counter_q ? counter[31:0] : value_q;
  assign answers_otherwise_o = rst_n & (~pready | (pslverr != (access & ~good_q)) |
                                        (access & good_q & ~pwrite & (prdata != expected)));

  // What is written, and what that does.
  logic writes, does;
  assign writes = access & pwrite & good_q;
  assign does   = writes & pwdata[0];
  assign writes_otherwise_o = rst_n &
      ((request.write != writes) | (psel & ((request.addr != address) | (request.wdata != pwdata))) |
       (psel & (32'(window) != place)) | (commit != (does & (address == CommitOffset))) |
       (counter_clear != (does & (address == CounterClearOffset))) | (snapshot != (does & (address == SnapshotOffset))) |
       (configuration_write != (writes & configures_q & (address != CommitOffset))));

  // What is fetched from the counters, only by a read of one that is not refused: a queue's with its longest wait.
  logic counts;
  assign counts = setup & ~pwrite & readable & is_counter;
  assign counts_otherwise_o = rst_n &
      (((counter_read | wait_read) & ~counts) |
       (counts &
        (~counter_read | (32'(counter_index) != number) | (wait_read != owned) |
         (wait_read & (number != 32'(wait_queue)) & (number != 32'(Queues) + 32'(wait_queue)) &
          (number != 32'(2 * Queues) + 32'(wait_queue)) & (number != 32'(3 * Queues) + 32'(wait_queue))))));

  // Coupling: what the setup phase has left, and the upper bits.
  assign not_coupled_o = rst_n &
      ((penable & ~psel) | (u_engine.high_q != upper_q) | (32'(u_engine.window_q) >= Ports) |
       (access & ((u_engine.error_q == good_q) | (u_engine.reads_counter_q != is_counter_q) |
                  (is_counter_q & ((32'(u_engine.window_q) != place) | ~good_q)) |
                  (good_q & ~pwrite & ~is_counter_q & (u_engine.read_value_q != value_q)))));

  // To be seen: a read of upper bits that are not 0; a write that is refused only because a commit is in progress.
  assign cover_reads_upper_bits_o = rst_n & access & ~pslverr & ~pwrite & (address == CounterHighOffset) &
                                    (prdata != '0);
  logic amid_a_commit_q;
  initial amid_a_commit_q = 1'b0;
  always_ff @(posedge clk_i) begin
    amid_a_commit_q <= rst_n & setup & pwrite & owned & (address == CommitOffset) & ~writable & (pstrb == '1) &
                       (pwdata == 32'd1) & (place < Ports);
  end
  assign cover_refused_amid_a_commit_o = rst_n & access & amid_a_commit_q & pslverr;

endmodule
