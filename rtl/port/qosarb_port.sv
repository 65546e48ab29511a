// The output port's arbiter: policies, table memory, registers and counters.
//
// It chooses, whenever the link can take a packet, which queue's head goes next.
//   1. Candidates: `valid_i[q]` says that queue q has a packet, `flits_i[q]` (at least 1) how long
//      it is, `pfc_stop_i[q]` that the neighbour paused the queue's class (or that credit for a
//      whole packet is missing). A queue with a packet and without a stop is active.
//   2. `request_i` asks for a decision. `grant_valid_o`, `grant_o` (one-hot) and `grant_queue_o`
//      answer in the same cycle; some queue wins whenever one that the policy serves is active.
//      In the next cycle the winner's following packet, if any, must stand at its place.
//   3. Which policy decides, and by which table, is written through the registers into a shadow
//      and takes effect as a whole by a commit, between two decisions (see qosarb_port_commit).
//      `table_applied_o` is high in the cycle at whose end that happens.
//   4. seastar-age: a queue is the staging buffer of input port q / Vcs and virtual channel q mod Vcs.
//      Its head has the stamp that qosarb_age_input gave it with `age_bias_o`; the port sees the
//      chip's one qosarb_age_clock, and tells it a cycle after a grant that a packet has left, and
//      with which age. `age_clock_period_o` of one port of the chip goes to the clock.
//   5. Counters of each queue say what was sent and what it waited for (see qosarb_port_counters).
// Reset (asynchronous assertion; release it in step with the clock) leaves round robin over all
// queues, and a table by which a commit of POLICY alone gives each queue equal quanta.
// Bound: one decision a cycle, every cycle. The bound on waiting is the policy's.
// docs/integration.md says how to bind the port, docs/registers.md lists the registers.

module qosarb_port #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,        // at least Queues
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned CounterWidth   = 32,
  // One bit for each qosarb_pkg::policy_e that the build includes; rr (bit 0) always.
  parameter  int unsigned Policies       = 32'h7,
  parameter  int unsigned Vcs            = 4,         // seastar-age
  parameter  int unsigned BurstWidth     = 16,        // trtcm, flits
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
  input  logic [11:0]                       paddr_i,
  input  logic [31:0]                       pwdata_i,
  input  logic [3:0]                        pstrb_i,
  output logic                              pready_o,
  output logic [31:0]                       prdata_o,
  output logic                              pslverr_o,

  // Candidates.
  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0]                 pfc_stop_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,

  // seastar-age only: the stamps of the heads, and the chip's age clock.
  input  logic [Queues-1:0][8:0]            age_field_i,
  input  logic [Queues-1:0]                 age_in_epoch_i,
  input  logic [7:0]                        age_timestamp_i,
  input  logic                              age_epoch_i,
  input  logic                              age_inhibit_i,

  // The link can take a packet; the answer comes in the same cycle.
  input  logic                              request_i,
  output logic                              grant_valid_o,
  output logic [Queues-1:0]                 grant_o,
  output logic [QueueWidth-1:0]             grant_queue_o,  // meaningful with grant_valid_o

  // seastar-age only: in the cycle after a grant, the epoch of the packet's stamp and its age; and
  // what is programmed for the age clock and the input side of each input port.
  output logic                              left_o,
  output logic                              left_epoch_o,
  output logic [7:0]                        left_age_o,
  output logic [31:0]                       age_clock_period_o,
  output logic [Inputs-1:0][2:0]            req_age_bias_o,
  output logic [Inputs-1:0][2:0]            rsp_age_bias_o,

  // At the end of this cycle a committed configuration takes effect.
  output logic                              table_applied_o
);

  if (Queues < 1 || Queues > 32) begin : g_check_queues
    $error("qosarb_port: Queues must be within 1..32");
  end
  if (Entries < Queues || Entries > 128) begin : g_check_entries
    $error("qosarb_port: Entries must be within Queues..128");
  end
  if (MaxPacketFlits < 1 || MaxPacketFlits > 65535) begin : g_check_flits
    $error("qosarb_port: MaxPacketFlits must be within 1..65535");
  end
  if (QuantumWidth < FlitsWidth || QuantumWidth > 24) begin : g_check_quantum
    $error("qosarb_port: QuantumWidth must hold MaxPacketFlits and be at most 24");
  end
  if (CounterWidth < FlitsWidth || CounterWidth > 32) begin : g_check_counter
    $error("qosarb_port: CounterWidth must hold MaxPacketFlits and be at most 32");
  end

  if (BurstWidth < FlitsWidth || BurstWidth > 16) begin : g_check_burst
    $error("qosarb_port: BurstWidth must hold MaxPacketFlits and be at most 16");
  end
  if (Vcs < 1 || Vcs > 16) begin : g_check_vcs
    $error("qosarb_port: Vcs must be within 1..16");
  end

  localparam int unsigned CountWidth     = $clog2(Entries + 1);
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1);
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits);

  // The shadow configuration, and the commit of it.
  logic                                  commit;
  qosarb_pkg::policy_e                   shadow_policy;
  logic [CountWidth-1:0]                 shadow_table_entries;
  logic [FlitsWidth-1:0]                 shadow_max_packet_flits;
  logic [Queues-1:0]                     shadow_queues_in_use;
  logic [Entries-1:0][QueueWidth-1:0]    shadow_entry_queue;
  logic [Entries-1:0][QuantumWidth-1:0]  shadow_entry_quantum;
  logic [Queues-1:0][QueueWidth-1:0]     shadow_queue_sl;
  logic [Queues-1:0][FlitsWidth-1:0]     shadow_sl_mtu;
  logic [7:0]                            shadow_vl_high_limit;
  logic                                  shadow_vl_low_turn_packet;
  logic [2:0]                            shadow_flit_bytes_log2;
  logic [63:0]                           shadow_age_rr_select;
  logic [31:0]                           shadow_age_clock_period;
  logic [Inputs-1:0][5:0]                shadow_age_bias;
  logic [Queues-1:0][QueueWidth-1:0]     shadow_class_priority;
  logic [Queues-1:0][16:0]               shadow_assured_rate, shadow_peak_rate;
  logic [Queues-1:0][BurstWidth-1:0]     shadow_assured_burst, shadow_peak_burst;
  qosarb_port_reg_pkg::status_progress_e progress;
  qosarb_port_reg_pkg::status_outcome_e  outcome;
  qosarb_port_reg_pkg::status_reason_e   reason;
  logic [7:0]                            where;

  // The configuration in force.
  logic                                  load;
  qosarb_pkg::policy_e                   policy;
  logic [CountWidth-1:0]                 table_entries;
  logic [FlitsWidth-1:0]                 max_packet_flits;
  logic [Queues-1:0]                     queues_in_use;
  logic [Entries-1:0]                    entry_used;
  logic [Entries-1:0][QueueWidth-1:0]    entry_queue;
  logic [Entries-1:0][QuantumWidth-1:0]  entry_quantum;
  logic [Queues-1:0][QueueWidth-1:0]     queue_sl;
  logic [7:0]                            vl_high_limit;
  logic                                  vl_low_turn_packet;
  logic [2:0]                            flit_bytes_log2;
  logic [63:0]                           age_rr_select;
  logic [Inputs-1:0][5:0]                age_bias;
  logic [Queues-1:0][QueueWidth-1:0]     class_priority;
  logic [Queues-1:0][16:0]               assured_rate, peak_rate;
  logic [Queues-1:0][BurstWidth-1:0]     assured_burst, peak_burst;

  // The arbiter's state, and the counters.
  logic [7:0]                            current;
  logic [RemainingWidth-1:0]             remaining;
  logic [Entries-1:0][DeficitWidth-1:0]  deficit;
  logic                                  counter_clear;
  logic [Queues-1:0][CounterWidth-1:0]   packets, flits, blocked, waiting;
  logic [Queues-1:0][QuantumWidth-1:0]   weight_left;
  logic [7:0]                            vl_low_current;
  logic                                  vl_low_in_turn;
  logic [7:0]                            vl_low_remaining;
  logic [19:0]                           vl_high_bytes;
  logic [QueueWidth-1:0]                 age_last;
  logic [5:0]                            age_grants;
  logic [Queues-1:0][BurstWidth+15:0]    assured_tokens, peak_tokens;
  logic [Vcs-1:0][CounterWidth-1:0]      vc_blocked, vc_packets, vc_flits;
  logic [3:0][CounterWidth-1:0]          age_group;
  logic [CounterWidth-1:0]               age_stalled;
  logic [Queues-1:0][CounterWidth-1:0]   green_stalls, yellow_stalls, red_stalls;

  qosarb_port_registers #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .CounterWidth  (CounterWidth),
    .Policies      (Policies),
    .Vcs           (Vcs),
    .BurstWidth    (BurstWidth)
  ) u_registers (
    .clk_i,
    .rst_ni,
    .psel_i,
    .penable_i,
    .pwrite_i,
    .paddr_i,
    .pwdata_i,
    .pstrb_i,
    .pready_o,
    .prdata_o,
    .pslverr_o,
    .commit_o                   (commit),
    .policy_o                   (shadow_policy),
    .table_entries_o            (shadow_table_entries),
    .max_packet_flits_o         (shadow_max_packet_flits),
    .queues_in_use_o            (shadow_queues_in_use),
    .entry_queue_o              (shadow_entry_queue),
    .entry_quantum_o            (shadow_entry_quantum),
    .queue_sl_o                 (shadow_queue_sl),
    .sl_mtu_o                   (shadow_sl_mtu),
    .vl_high_limit_o            (shadow_vl_high_limit),
    .vl_low_turn_packet_o       (shadow_vl_low_turn_packet),
    .flit_bytes_log2_o          (shadow_flit_bytes_log2),
    .age_rr_select_o            (shadow_age_rr_select),
    .age_clock_period_o         (shadow_age_clock_period),
    .age_bias_o                 (shadow_age_bias),
    .class_priority_o           (shadow_class_priority),
    .assured_rate_o             (shadow_assured_rate),
    .peak_rate_o                (shadow_peak_rate),
    .assured_burst_o            (shadow_assured_burst),
    .peak_burst_o               (shadow_peak_burst),
    .progress_i                 (progress),
    .outcome_i                  (outcome),
    .reason_i                   (reason),
    .where_i                    (where),
    .policy_in_force_i          (policy),
    .table_entries_in_force_i   (table_entries),
    .max_packet_flits_in_force_i(max_packet_flits),
    .queues_in_use_in_force_i   (queues_in_use),
    .entry_queue_in_force_i     (entry_queue),
    .entry_quantum_in_force_i   (entry_quantum),
    .current_i                  (current),
    .remaining_i                (remaining),
    .deficit_i                  (deficit),
    .weight_left_i              (weight_left),
    .vl_low_current_i           (vl_low_current),
    .vl_low_in_turn_i           (vl_low_in_turn),
    .vl_low_remaining_i         (vl_low_remaining),
    .vl_high_bytes_i            (vl_high_bytes),
    .age_last_i                 (age_last),
    .age_grants_i               (age_grants),
    .assured_tokens_i           (assured_tokens),
    .peak_tokens_i              (peak_tokens),
    .counter_clear_o            (counter_clear),
    .packets_i                  (packets),
    .flits_i                    (flits),
    .blocked_i                  (blocked),
    .waiting_i                  (waiting),
    .vc_blocked_i               (vc_blocked),
    .vc_packets_i               (vc_packets),
    .vc_flits_i                 (vc_flits),
    .age_group_i                (age_group),
    .age_stalled_i              (age_stalled),
    .green_stalls_i             (green_stalls),
    .yellow_stalls_i            (yellow_stalls),
    .red_stalls_i               (red_stalls)
  );

  qosarb_port_commit #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Policies      (Policies),
    .Vcs           (Vcs),
    .BurstWidth    (BurstWidth)
  ) u_commit (
    .clk_i,
    .rst_ni,
    .start_i             (commit),
    .policy_i            (shadow_policy),
    .table_entries_i     (shadow_table_entries),
    .max_packet_flits_i  (shadow_max_packet_flits),
    .queues_in_use_i     (shadow_queues_in_use),
    .entry_queue_i       (shadow_entry_queue),
    .entry_quantum_i     (shadow_entry_quantum),
    .queue_sl_i          (shadow_queue_sl),
    .sl_mtu_i            (shadow_sl_mtu),
    .vl_high_limit_i     (shadow_vl_high_limit),
    .vl_low_turn_packet_i(shadow_vl_low_turn_packet),
    .flit_bytes_log2_i   (shadow_flit_bytes_log2),
    .age_rr_select_i     (shadow_age_rr_select),
    .age_clock_period_i  (shadow_age_clock_period),
    .age_bias_i          (shadow_age_bias),
    .class_priority_i    (shadow_class_priority),
    .assured_rate_i      (shadow_assured_rate),
    .peak_rate_i         (shadow_peak_rate),
    .assured_burst_i     (shadow_assured_burst),
    .peak_burst_i        (shadow_peak_burst),
    .progress_o          (progress),
    .outcome_o           (outcome),
    .reason_o            (reason),
    .where_o             (where),
    .load_o              (load),
    .policy_o            (policy),
    .table_entries_o     (table_entries),
    .max_packet_flits_o  (max_packet_flits),
    .queues_in_use_o     (queues_in_use),
    .entry_used_o        (entry_used),
    .entry_queue_o       (entry_queue),
    .entry_quantum_o     (entry_quantum),
    .queue_sl_o          (queue_sl),
    .vl_high_limit_o     (vl_high_limit),
    .vl_low_turn_packet_o(vl_low_turn_packet),
    .flit_bytes_log2_o   (flit_bytes_log2),
    .age_rr_select_o     (age_rr_select),
    .age_clock_period_o  (age_clock_period_o),
    .age_bias_o          (age_bias),
    .class_priority_o    (class_priority),
    .assured_rate_o      (assured_rate),
    .peak_rate_o         (peak_rate),
    .assured_burst_o     (assured_burst),
    .peak_burst_o        (peak_burst)
  );

  qosarb_port_policies #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .CounterWidth  (CounterWidth),
    .Policies      (Policies),
    .Vcs           (Vcs),
    .BurstWidth    (BurstWidth)
  ) u_policies (
    .clk_i,
    .rst_ni,
    .policy_i            (policy),
    .load_i              (load),
    .entry_used_i        (entry_used),
    .entry_queue_i       (entry_queue),
    .entry_quantum_i     (entry_quantum),
    .queue_sl_i          (queue_sl),
    .vl_high_limit_i     (vl_high_limit),
    .vl_low_turn_packet_i(vl_low_turn_packet),
    .flit_bytes_log2_i   (flit_bytes_log2),
    .age_rr_select_i     (age_rr_select),
    .class_priority_i    (class_priority),
    .assured_rate_i      (assured_rate),
    .peak_rate_i         (peak_rate),
    .assured_burst_i     (assured_burst),
    .peak_burst_i        (peak_burst),
    .valid_i,
    .stopped_i           (pfc_stop_i),
    .flits_i,
    .age_field_i,
    .age_in_epoch_i,
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
    .current_o           (current),
    .remaining_o         (remaining),
    .deficit_o           (deficit),
    .weight_left_o       (weight_left),
    .vl_low_current_o    (vl_low_current),
    .vl_low_in_turn_o    (vl_low_in_turn),
    .vl_low_remaining_o  (vl_low_remaining),
    .vl_high_bytes_o     (vl_high_bytes),
    .age_last_o          (age_last),
    .age_grants_o        (age_grants),
    .assured_tokens_o    (assured_tokens),
    .peak_tokens_o       (peak_tokens),
    .counter_clear_i     (counter_clear),
    .vc_blocked_o        (vc_blocked),
    .vc_packets_o        (vc_packets),
    .vc_flits_o          (vc_flits),
    .age_group_o         (age_group),
    .age_stalled_o       (age_stalled),
    .green_stalls_o      (green_stalls),
    .yellow_stalls_o     (yellow_stalls),
    .red_stalls_o        (red_stalls)
  );

  qosarb_port_counters #(
    .Queues        (Queues),
    .MaxPacketFlits(MaxPacketFlits),
    .CounterWidth  (CounterWidth)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .clear_i      (counter_clear),
    .valid_i,
    .stopped_i    (pfc_stop_i),
    .flits_i,
    .grant_valid_i(grant_valid_o),
    .grant_i      (grant_o),
    .grant_queue_i(grant_queue_o),
    .packets_o    (packets),
    .flits_o      (flits),
    .blocked_o    (blocked),
    .waiting_o    (waiting)
  );

  assign table_applied_o = load;

  for (genvar i = 0; i < Inputs; i++) begin : g_input
    assign req_age_bias_o[i] = age_bias[i][2:0];
    assign rsp_age_bias_o[i] = age_bias[i][5:3];
  end

endmodule
