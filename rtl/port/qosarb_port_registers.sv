// The registers of the output port behind an APB4 slave, and the shadow configuration.
//
// The register map is qosarb_port.rdl; docs/registers.md is its page.
// Algorithm:
//   1. In the setup phase of a transfer (PSEL without PENABLE) the address is decoded, a write's
//      value is judged, and a read's value is fetched. Answer and value are registered.
//   2. The access phase follows at once, without wait states. PRDATA and PSLVERR come from
//      registers; a write that was found good takes effect at the end of it.
// A commit can only begin in an access phase, so that what was judged in a setup phase still holds
// in the access phase behind it.
// Every refused access leaves all registers as they were.
// Bound: two cycles for each transfer, as APB has it.

module qosarb_port_registers #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned CounterWidth   = 32,
  parameter  int unsigned Policies       = 32'h7,
  parameter  int unsigned Vcs            = 4,
  parameter  int unsigned BurstWidth     = 16,
  localparam int unsigned Inputs         = qosarb_pkg::inputs(Queues, Vcs),
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned CountWidth     = $clog2(Entries + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1),
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  // APB4.
  input  logic                                 psel_i,
  input  logic                                 penable_i,
  input  logic                                 pwrite_i,
  input  logic [11:0]                          paddr_i,
  input  logic [31:0]                          pwdata_i,
  input  logic [3:0]                           pstrb_i,
  output logic                                 pready_o,
  output logic [31:0]                          prdata_o,
  output logic                                 pslverr_o,

  // The shadow configuration. It stands still from `commit_o` on while `progress_i` is not idle.
  output logic                                 commit_o,
  output qosarb_pkg::policy_e                  policy_o,
  output logic [CountWidth-1:0]                table_entries_o,
  output logic [FlitsWidth-1:0]                max_packet_flits_o,
  output logic [Queues-1:0]                    queues_in_use_o,
  output logic [Entries-1:0][QueueWidth-1:0]   entry_queue_o,
  output logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_o,
  output logic [Queues-1:0][QueueWidth-1:0]    queue_sl_o,
  output logic [Queues-1:0][FlitsWidth-1:0]    sl_mtu_o,
  output logic [7:0]                           vl_high_limit_o,
  output logic                                 vl_low_turn_packet_o,
  output logic [2:0]                           flit_bytes_log2_o,
  output logic [63:0]                          age_rr_select_o,
  output logic [31:0]                          age_clock_period_o,
  output logic [Inputs-1:0][5:0]               age_bias_o,
  output logic [Queues-1:0][QueueWidth-1:0]    class_priority_o,
  output logic [Queues-1:0][16:0]              assured_rate_o,
  output logic [Queues-1:0][16:0]              peak_rate_o,
  output logic [Queues-1:0][BurstWidth-1:0]    assured_burst_o,
  output logic [Queues-1:0][BurstWidth-1:0]    peak_burst_o,

  // The commit.
  input  qosarb_port_reg_pkg::status_progress_e progress_i,
  input  qosarb_port_reg_pkg::status_outcome_e  outcome_i,
  input  qosarb_port_reg_pkg::status_reason_e   reason_i,
  input  logic [7:0]                            where_i,

  // The configuration in force.
  input  qosarb_pkg::policy_e                  policy_in_force_i,
  input  logic [CountWidth-1:0]                table_entries_in_force_i,
  input  logic [FlitsWidth-1:0]                max_packet_flits_in_force_i,
  input  logic [Queues-1:0]                    queues_in_use_in_force_i,
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_in_force_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_in_force_i,

  // The arbiter's state.
  input  logic [7:0]                           current_i,
  input  logic [RemainingWidth-1:0]            remaining_i,
  input  logic [Entries-1:0][DeficitWidth-1:0] deficit_i,
  input  logic [Queues-1:0][QuantumWidth-1:0]  weight_left_i,
  input  logic [7:0]                           vl_low_current_i,
  input  logic                                 vl_low_in_turn_i,
  input  logic [7:0]                           vl_low_remaining_i,
  input  logic [19:0]                          vl_high_bytes_i,
  input  logic [QueueWidth-1:0]                age_last_i,
  input  logic [5:0]                           age_grants_i,
  input  logic [Queues-1:0][BurstWidth+15:0]   assured_tokens_i,
  input  logic [Queues-1:0][BurstWidth+15:0]   peak_tokens_i,

  // The counters.
  output logic                                 counter_clear_o,
  input  logic [Queues-1:0][CounterWidth-1:0]  packets_i,
  input  logic [Queues-1:0][CounterWidth-1:0]  flits_i,
  input  logic [Queues-1:0][CounterWidth-1:0]  blocked_i,
  input  logic [Queues-1:0][CounterWidth-1:0]  waiting_i,
  input  logic [Vcs-1:0][CounterWidth-1:0]     vc_blocked_i,
  input  logic [Vcs-1:0][CounterWidth-1:0]     vc_packets_i,
  input  logic [Vcs-1:0][CounterWidth-1:0]     vc_flits_i,
  input  logic [3:0][CounterWidth-1:0]         age_group_i,
  input  logic [CounterWidth-1:0]              age_stalled_i,
  input  logic [Queues-1:0][CounterWidth-1:0]  green_stalls_i,
  input  logic [Queues-1:0][CounterWidth-1:0]  yellow_stalls_i,
  input  logic [Queues-1:0][CounterWidth-1:0]  red_stalls_i
);

  import qosarb_port_reg_pkg::*;

  if (32'(qosarb_pkg::PolicyRr) != 32'(PolicyRr) ||
      32'(qosarb_pkg::PolicyBxiBasic) != 32'(PolicyBxiBasic) ||
      32'(qosarb_pkg::PolicyBxiDeficit) != 32'(PolicyBxiDeficit) ||
      32'(qosarb_pkg::PolicySbt) != 32'(PolicySbt) ||
      32'(qosarb_pkg::PolicyDtable) != 32'(PolicyDtable) ||
      32'(qosarb_pkg::PolicyInfiniband) != 32'(PolicyInfiniband) ||
      32'(qosarb_pkg::PolicySeastarAge) != 32'(PolicySeastarAge) ||
      32'(qosarb_pkg::PolicyTrtcm) != 32'(PolicyTrtcm)) begin : g_check_policy
    $error("qosarb_port_registers: policy codes of qosarb_pkg and of the register map differ");
  end

  localparam int unsigned EntryWidth = qosarb_pkg::index_width(Entries);
  localparam logic [15:0] Included   = 16'(Policies);

  // The address: a single register, or element `entry` or `queue` of a window.
  logic                  setup, access;
  logic                  in_table, in_table_in_force, in_deficit;
  logic                  in_packets, in_flits, in_blocked, in_waiting;
  logic                  entry_exists, queue_exists;
  logic [EntryWidth-1:0] entry;
  logic [QueueWidth-1:0] queue;

  assign setup  = psel_i & ~penable_i;
  assign access = psel_i & penable_i;

  assign entry_exists = 32'(paddr_i[8:2]) < Entries;
  assign queue_exists = 32'(paddr_i[6:2]) < Queues;
  assign entry        = paddr_i[2 +: EntryWidth];
  assign queue        = paddr_i[2 +: QueueWidth];

  assign in_table          = entry_exists & (paddr_i[11:9] == TableOffset[11:9]);
  assign in_table_in_force = entry_exists & (paddr_i[11:9] == TableInForceOffset[11:9]);
  assign in_deficit        = entry_exists & (paddr_i[11:9] == DeficitOffset[11:9]);
  assign in_packets        = queue_exists & (paddr_i[11:7] == PacketsOffset[11:7]);
  assign in_flits          = queue_exists & (paddr_i[11:7] == FlitsOffset[11:7]);
  assign in_blocked        = queue_exists & (paddr_i[11:7] == BlockedOffset[11:7]);
  assign in_waiting        = queue_exists & (paddr_i[11:7] == WaitingOffset[11:7]);

  // What only some policies have.
  logic        write;
  logic        policy_write_good, policy_read_good;
  logic [31:0] policy_read_value;

  qosarb_port_policy_registers #(
    .Queues        (Queues),
    .Entries       (Entries),
    .MaxPacketFlits(MaxPacketFlits),
    .CounterWidth  (CounterWidth),
    .Policies      (Policies),
    .Vcs           (Vcs),
    .BurstWidth    (BurstWidth)
  ) u_policies (
    .clk_i,
    .rst_ni,
    .addr_i      (paddr_i),
    .wdata_i     (pwdata_i),
    .write_i     (write),
    .write_good_o(policy_write_good),
    .read_good_o (policy_read_good),
    .read_value_o(policy_read_value),
    .queue_sl_o,
    .sl_mtu_o,
    .vl_high_limit_o,
    .vl_low_turn_packet_o,
    .flit_bytes_log2_o,
    .age_rr_select_o,
    .age_clock_period_o,
    .age_bias_o,
    .class_priority_o,
    .assured_rate_o,
    .peak_rate_o,
    .assured_burst_o,
    .peak_burst_o,
    .vl_low_current_i,
    .vl_low_in_turn_i,
    .vl_low_remaining_i,
    .vl_high_bytes_i,
    .age_last_i,
    .age_grants_i,
    .vc_blocked_i,
    .vc_packets_i,
    .vc_flits_i,
    .age_group_i,
    .age_stalled_i,
    .green_stalls_i,
    .yellow_stalls_i,
    .red_stalls_i,
    .assured_tokens_i,
    .peak_tokens_i
  );

  // 1. Setup: may this write be done?
  logic                  write_good, value_good, is_configuration;
  policy_reg_t           policy_value;
  table_entries_reg_t    table_entries_value;
  max_packet_flits_reg_t max_packet_flits_value;
  table_reg_t            table_value;

  assign policy_value           = pwdata_i;
  assign table_entries_value    = pwdata_i;
  assign max_packet_flits_value = pwdata_i;
  assign table_value            = pwdata_i;

  always_comb begin
    value_good       = 1'b0;
    is_configuration = 1'b1;
    if (in_table) begin
      value_good = (32'(table_value.queue_id) < Queues) &&
                   ((table_value.quantum >> QuantumWidth) == '0);
    end else begin
      unique case (paddr_i)
        PolicyOffset:         value_good = (policy_value.reserved_31_4 == '0) &&
                                           Included[policy_value.policy];
        TableEntriesOffset:   value_good = (table_entries_value.reserved_31_8 == '0) &&
                                           (table_entries_value.entries != '0) &&
                                           (32'(table_entries_value.entries) <= Entries);
        MaxPacketFlitsOffset: value_good = (max_packet_flits_value.reserved_31_24 == '0) &&
                                           (max_packet_flits_value.flits != '0) &&
                                           (32'(max_packet_flits_value.flits) <= MaxPacketFlits);
        QueuesInUseOffset:    value_good = ((64'(pwdata_i) >> Queues) == '0);
        CommitOffset:         value_good = (pwdata_i[31:1] == '0);
        CounterClearOffset: begin
          value_good       = (pwdata_i[31:1] == '0);
          is_configuration = 1'b0;
        end
        default:              value_good = policy_write_good;
      endcase
    end
  end

  assign write_good = value_good && (pstrb_i == '1) && (paddr_i[1:0] == '0) &&
                      !(is_configuration && (progress_i != StatusProgressIdle));

  // 1. Setup: what does this read give?
  logic        read_good;
  logic [31:0] read_value;

  always_comb begin
    read_good  = setup && (paddr_i[1:0] == '0);
    read_value = '0;
    if (read_good) begin
      if (in_table) begin
        read_value = {24'(entry_quantum_o[entry]), 8'(entry_queue_o[entry])};
      end else if (in_table_in_force) begin
        read_value = {24'(entry_quantum_in_force_i[entry]), 8'(entry_queue_in_force_i[entry])};
      end else if (in_deficit) begin
        // A policy has one of the two; the other is zero.
        read_value = 32'(deficit_i[entry]) |
                     ((32'(entry) < Queues) ? 32'(weight_left_i[QueueWidth'(entry)]) : '0);
      end else if (in_packets) begin
        read_value = 32'(packets_i[queue]);
      end else if (in_flits) begin
        read_value = 32'(flits_i[queue]);
      end else if (in_blocked) begin
        read_value = 32'(blocked_i[queue]);
      end else if (in_waiting) begin
        read_value = 32'(waiting_i[queue]);
      end else begin
        unique case (paddr_i)
          IdOffset:          read_value = IdValue;
          SizesOffset:       read_value = {8'(CounterWidth), 8'(QuantumWidth),
                                           8'(Entries), 8'(Queues)};
          PacketLimitOffset: read_value = 32'(MaxPacketFlits);
          PoliciesOffset:    read_value = 32'(Included);

          PolicyOffset:         read_value = 32'(policy_o);
          TableEntriesOffset:   read_value = 32'(table_entries_o);
          MaxPacketFlitsOffset: read_value = 32'(max_packet_flits_o);
          QueuesInUseOffset:    read_value = 32'(queues_in_use_o);

          CommitOffset:       read_value = '0;
          CounterClearOffset: read_value = '0;
          StatusOffset:       read_value = {8'd0, where_i, 4'd0, reason_i, 2'd0, outcome_i,
                                            2'd0, progress_i};

          PolicyInForceOffset:         read_value = 32'(policy_in_force_i);
          TableEntriesInForceOffset:   read_value = 32'(table_entries_in_force_i);
          MaxPacketFlitsInForceOffset: read_value = 32'(max_packet_flits_in_force_i);
          QueuesInUseInForceOffset:    read_value = 32'(queues_in_use_in_force_i);

          CurrentOffset:   read_value = 32'(current_i);
          RemainingOffset: read_value = 32'(remaining_i);

          default: begin
            read_good  = policy_read_good;
            read_value = policy_read_value;
          end
        endcase
      end
    end
  end

  logic        error_q;
  logic [31:0] read_value_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_q      <= 1'b0;
      read_value_q <= '0;
    end else if (setup) begin
      error_q      <= pwrite_i ? !write_good : !read_good;
      read_value_q <= pwrite_i ? '0 : read_value;
    end
  end

  assign pready_o  = 1'b1;
  assign prdata_o  = read_value_q;
  assign pslverr_o = access & error_q;

  // 2. Access: the write.
  qosarb_pkg::policy_e                  policy_q;
  logic [CountWidth-1:0]                table_entries_q;
  logic [FlitsWidth-1:0]                max_packet_flits_q;
  logic [Queues-1:0]                    queues_in_use_q;
  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_q;
  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_q;

  assign write           = access & pwrite_i & ~error_q;
  assign commit_o        = write & (paddr_i == CommitOffset) & pwdata_i[0];
  assign counter_clear_o = write & (paddr_i == CounterClearOffset) & pwdata_i[0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      policy_q           <= qosarb_pkg::PolicyRr;
      table_entries_q    <= CountWidth'(Queues);
      max_packet_flits_q <= FlitsWidth'(MaxPacketFlits);
      queues_in_use_q    <= '1;
    end else if (write) begin
      unique case (paddr_i)
        PolicyOffset:         policy_q           <= qosarb_pkg::policy_e'(policy_value.policy);
        TableEntriesOffset:   table_entries_q    <= table_entries_value.entries[CountWidth-1:0];
        MaxPacketFlitsOffset: max_packet_flits_q <= max_packet_flits_value.flits[FlitsWidth-1:0];
        QueuesInUseOffset:    queues_in_use_q    <= pwdata_i[Queues-1:0];
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      entry_quantum_q <= {Entries{QuantumWidth'(MaxPacketFlits)}};
      for (int unsigned e = 0; e < Entries; e++) entry_queue_q[e] <= QueueWidth'(e % Queues);
    end else if (write && in_table) begin
      entry_quantum_q[entry] <= table_value.quantum[QuantumWidth-1:0];
      entry_queue_q[entry]   <= table_value.queue_id[QueueWidth-1:0];
    end
  end

  assign policy_o           = policy_q;
  assign table_entries_o    = table_entries_q;
  assign max_packet_flits_o = max_packet_flits_q;
  assign queues_in_use_o    = queues_in_use_q;
  assign entry_queue_o      = entry_queue_q;
  assign entry_quantum_o    = entry_quantum_q;

endmodule
