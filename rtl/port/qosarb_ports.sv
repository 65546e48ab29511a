// Output ports that share one configuration: one table memory and its shadow, one commit, one APB slave; and for each
// port an arbiter with its state, counters, errors and control.
//
// A switch whose ports all have the same classes programs one table for all of them, as BXIv3 does. What each
// port does is told by qosarb_port, which is this module with one port. Of several ports:
//   1. `paddr_i` has the number of a port above the bits of its window. Windows behind the last port answer with an
//      error. In the window of port p stand the state, counters, errors and CONTROL of port p. The
//      configuration, its commit and STATUS are the same registers in every window.
//   2. A commit takes effect at all ports at the end of the same cycle, in which `table_applied_o` is high, with
//      the state of each port as after a reset.
//   3. `rst_ni` and all of `port_rst_ni` reset everything. `port_rst_ni[p]` alone resets what port p has for itself; the
//      configuration in force stays, and so do the other ports. Of several ports, one takes no request in the cycle
//      behind its reset: that is one of its state alone, which then starts over by what is in force.
//   4. The ports are of one chip: they see its one age clock, and there is one `idle_o` for their one clock.
//   5. With Protect a port tells the upsets that it finds. One of them that brings the configuration into force once
//      more lets every port start over.
// A commit for some of the ports is not there: every engine reads every entry of the table in force in every cycle, so a
// second table in force would be a second table memory, and a selection for each port in front of its search.
// Ports that are programmed at different times have a qosarb_port, or a group of qosarb_ports, each.
// Bound: each port decides once a cycle, every cycle, and no port is seen by another.

module qosarb_ports #(
  parameter  int unsigned Ports          = 4,      // 1 to 64
  parameter  int unsigned Queues         = 8,      // Queues of a port, 1 to 32
  parameter  int unsigned Entries        = 64,     // Table entries, Queues to 128
  parameter  int unsigned QuantumWidth   = 16,     // Bits of a quantum, up to 24
  parameter  int unsigned MaxPacketFlits = 1023,   // Longest packet in flits, up to 65535
  parameter  int unsigned Policies       = 32'h7,  // One bit for each code of POLICY; bit 0 always
  parameter  int unsigned Vcs            = 4,      // Virtual channels of an input port, up to 16
  parameter  int unsigned BurstWidth     = 16,     // Bits of a token bucket's size in flits, up to 16
  parameter  int unsigned Protect        = 0,      // 1: against soft errors
  parameter  int unsigned Latency        = 0,      // Cycles from a request to its answer, 0 or 1
  localparam int unsigned AddressWidth   = qosarb_port_reg_pkg::OffsetWidth + $clog2(Ports),
  localparam int unsigned Inputs         = qosarb_pkg::inputs(Queues, Vcs),
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                                         clk_i,
  input  logic                                         rst_ni,
  input  logic [Ports-1:0]                             port_rst_ni,  // of one port; all low with rst_ni

  // APB4 slave, whole words, no wait states; a window for each port.
  input  logic                                         psel_i,
  input  logic                                         penable_i,
  input  logic                                         pwrite_i,
  input  logic [AddressWidth-1:0]                      paddr_i,
  input  logic [31:0]                                  pwdata_i,
  input  logic [3:0]                                   pstrb_i,
  output logic                                         pready_o,
  output logic [31:0]                                  prdata_o,
  output logic                                         pslverr_o,

  // Candidates.
  input  logic [Ports-1:0][Queues-1:0]                 valid_i,
  input  logic [Ports-1:0][Queues-1:0]                 pfc_stop_i,
  input  logic [Ports-1:0][Queues-1:0][FlitsWidth-1:0] flits_i,

  // Latency 1 only: the packets behind the heads.
  input  logic [Ports-1:0][Queues-1:0]                 next_valid_i,
  input  logic [Ports-1:0][Queues-1:0][FlitsWidth-1:0] next_flits_i,

  // seastar-age only: the stamps of the heads and of the packets behind them, and the chip's age clock.
  input  logic [Ports-1:0][Queues-1:0][8:0]            age_field_i,
  input  logic [Ports-1:0][Queues-1:0]                 age_in_epoch_i,
  input  logic [Ports-1:0][Queues-1:0][8:0]            next_age_field_i,
  input  logic [Ports-1:0][Queues-1:0]                 next_age_in_epoch_i,
  input  logic [7:0]                                   age_timestamp_i,
  input  logic                                         age_epoch_i,
  input  logic                                         age_inhibit_i,

  // The link can take a packet in the cycle of the answer.
  input  logic [Ports-1:0]                             request_i,
  output logic [Ports-1:0]                             grant_valid_o,
  output logic [Ports-1:0][Queues-1:0]                 grant_o,
  output logic [Ports-1:0][QueueWidth-1:0]             grant_queue_o,  // meaningful with grant_valid_o

  // With seastar-age built in: in the cycle after a grant, by whichever policy, or a drop, the epoch of the
  // packet's stamp, and after a grant its age; some head was of the other epoch; and what is programmed for the age
  // clock and the input side of each input port.
  output logic [Ports-1:0]                             left_o,
  output logic [Ports-1:0]                             left_epoch_o,
  output logic [Ports-1:0][7:0]                        left_age_o,
  output logic [Ports-1:0]                             age_others_wait_o,
  output logic [31:0]                                  age_clock_period_o,
  output logic [Inputs-1:0][2:0]                       req_age_bias_o,
  output logic [Inputs-1:0][2:0]                       rsp_age_bias_o,

  // At the end of this cycle a committed configuration takes effect, at every port.
  output logic                                         table_applied_o,

  // An error stands that ERROR_ENABLE has.
  output logic [Ports-1:0]                             interrupt_o,

  // No more packets are to be brought to the queues; the head of this queue (one-hot) is dropped, and
  // the one behind it stands in its place in the next cycle; this port is to be reset, for
  // qosarb_port_reset; the clock of all ports may be gated off in this cycle.
  output logic [Ports-1:0]                             drain_o,
  output logic [Ports-1:0][Queues-1:0]                 drop_o,
  output logic [Ports-1:0]                             soft_reset_o,
  output logic                                         idle_o
);

  if (Ports < 1 || Ports > 64) begin : g_check_ports
    $error("qosarb_ports: Ports must be within 1..64");
  end
  if (Queues < 1 || Queues > 32) begin : g_check_queues
    $error("qosarb_ports: Queues must be within 1..32");
  end
  if (Entries < Queues || Entries > 128) begin : g_check_entries
    $error("qosarb_ports: Entries must be within Queues..128");
  end
  if (MaxPacketFlits < 1 || MaxPacketFlits > 65535) begin : g_check_flits
    $error("qosarb_ports: MaxPacketFlits must be within 1..65535");
  end
  if (QuantumWidth < FlitsWidth || QuantumWidth > 24) begin : g_check_quantum
    $error("qosarb_ports: QuantumWidth must hold MaxPacketFlits and be at most 24");
  end

  if (BurstWidth < FlitsWidth || BurstWidth > 16) begin : g_check_burst
    $error("qosarb_ports: BurstWidth must hold MaxPacketFlits and be at most 16");
  end
  if (Vcs < 1 || Vcs > 16) begin : g_check_vcs
    $error("qosarb_ports: Vcs must be within 1..16");
  end
  if (Protect > 1) begin : g_check_protect
    $error("qosarb_ports: Protect must be 0 or 1");
  end
  if (Latency > 1) begin : g_check_latency
    $error("qosarb_ports: Latency must be 0 or 1");
  end

  localparam qosarb_port_pkg::build_t Build = '{
    ports: 32'd0 + Ports, queues: 32'd0 + Queues, entries: 32'd0 + Entries,
    quantum_width: 32'd0 + QuantumWidth,
    max_packet_flits: 32'd0 + MaxPacketFlits, policies: 32'd0 + Policies, vcs: 32'd0 + Vcs,
    burst_width: 32'd0 + BurstWidth, protect: 32'd0 + Protect, latency: 32'd0 + Latency
  };

  localparam int unsigned WindowWidth = qosarb_pkg::index_width(Ports);
  localparam int unsigned EntryWidth  = qosarb_pkg::index_width(Entries);
  localparam int unsigned StateWords  = qosarb_pkg::state_words(Queues, Entries);
  localparam bit          HasTrtcm    = 1'(Policies >> qosarb_port_reg_pkg::PolicyTrtcm);
  localparam bit          HasAge      = 1'(Policies >> qosarb_port_reg_pkg::PolicySeastarAge);
  localparam int unsigned Others      =
      qosarb_pkg::other_counters(qosarb_port_pkg::CounterStalls, HasTrtcm, HasAge, Queues, Vcs);
  localparam int unsigned IndexWidth  = $clog2(4 * Queues + Others);  // of a counter

  typedef struct packed {
    logic [Queues-1:0]                 valid;
    logic [Queues-1:0]                 stopped;
    logic [Queues-1:0][FlitsWidth-1:0] flits;
    logic [Queues-1:0][8:0]            age_field;
    logic [Queues-1:0]                 age_in_epoch;
    logic [Queues-1:0]                 next_valid;
    logic [Queues-1:0][FlitsWidth-1:0] next_flits;
    logic [Queues-1:0][8:0]            next_age_field;
    logic [Queues-1:0]                 next_age_in_epoch;
    qosarb_port_pkg::chip_view_t       chip;
    logic                              request;
  } shown_t;

  // What the slots of the policies are told (see qosarb_port_policies), all of them the same: of a port,
  typedef struct packed {
    logic                              restart;  // at the end of this cycle its state starts over
    // What the queues show in this cycle: the head of each queue, its stop, its length in flits and its
    // stamp of age, and the packet behind it; the chip's age clock; and the port's request.
    shown_t                            shown;
    // The candidates of this cycle's decision, what it is asked for by, and the age clock that counts
    // in it (see qosarb_port_candidates).
    logic [Queues-1:0]                 valid;
    logic [Queues-1:0]                 stopped;
    logic [Queues-1:0][FlitsWidth-1:0] flits;
    logic [Queues-1:0][8:0]            age_field;
    logic [Queues-1:0]                 age_in_epoch;
    qosarb_port_pkg::chip_view_t       chip;
    logic                              request;
    // seastar-age: of a packet that was granted in the last cycle.
    logic [7:0]                        left_age;
  } port_request_t;

  // and of what the ports share.
  typedef struct packed {
    qosarb_port_pkg::register_request_t   access;
    logic [WindowWidth-1:0]               window;  // the port whose registers are accessed
    // The check of a shadow configuration.
    qosarb_port_pkg::check_t              check;
    // The configuration in force. A cycle with `load` is the last of what stands in it; at its end
    // the shadow comes into force, or with `fall_back` what a reset brings; slots may keep what rr does not ask.
    logic                                 load;
    logic                                 fall_back;
    qosarb_port_reg_pkg::policy_e         policy;
    logic [FlitsWidth-1:0]                max_packet_flits;
    logic [Entries-1:0]                   entry_used;     // ones up to the last entry
    logic [Entries-1:0][QueueWidth-1:0]   entry_queue;
    logic [Entries-1:0][QuantumWidth-1:0] entry_quantum;
    logic [Queues-1:0][QueueWidth-1:0]    queue_sl;
  } slot_request_t;

  // What a slot answers, in the same cycle: zero wherever it is not concerned. Of a port, while the policy in
  // force is the slot's own: the decision, and state for reading, as words of qosarb_port_pkg;
  typedef struct packed {
    logic                              grant_valid;
    logic [Queues-1:0]                 grant;
    logic [QueueWidth-1:0]             grant_queue;
    logic [Queues-1:0][FlitsWidth-1:0] longest;      // packet of each queue; 0: the port's longest
    logic                              busy;         // its state changes without a head
    // For the counters of qosarb_port_pkg: what happens in this cycle, and what is known of the last
    // one only now.
    logic [Others-1:0]                 events;
    logic [Others-1:0]                 late_events;
    logic [StateWords-1:0][31:0]       state;
  } port_answer_t;

  // and for all.
  typedef struct packed {
    qosarb_port_pkg::register_answer_t    access;   // for registers of its own
    qosarb_port_pkg::verdict_t            verdict;  // on a shadow configuration of its policy
    qosarb_port_pkg::chip_configuration_t chip;
  } slot_answer_t;

  slot_request_t                         request;
  slot_answer_t                          answer;
  port_request_t [Ports-1:0]             port_request;
  port_answer_t [Ports-1:0]              decision;

  // The registers, and the port whose window is accessed.
  qosarb_port_pkg::register_answer_t     configuration_answer, ports_answer;
  qosarb_port_pkg::register_request_t    access;
  logic [WindowWidth-1:0]                window;
  logic [Ports-1:0]                      selected;
  logic                                  start_commit, counter_clear, configuration_write;
  logic                                  snapshot, counter_read, wait_read;
  logic [IndexWidth-1:0]                 counter_index;
  logic [QueueWidth-1:0]                 wait_queue;

  // What a port answers there.
  qosarb_port_pkg::register_answer_t [Ports-1:0] port_answer;
  logic [Ports-1:0]                              snapshot_busy;
  logic [Ports-1:0][47:0]                        counter;
  logic [Ports-1:0][31:0]                        longest_wait;
  logic [Ports-1:0][StateWords-1:0][31:0]        state;  // of the arbiter

  // The check of a shadow configuration, and how it ends.
  qosarb_port_pkg::check_t               check;
  logic [EntryWidth-1:0]                 check_index;
  logic [Entries-1:0]                    fetch;  // one-hot
  logic [QueueWidth-1:0]                 check_queue, fetch_queue;
  logic [QuantumWidth-1:0]               check_quantum, fetch_quantum;
  qosarb_port_reg_pkg::policy_e          check_policy;
  logic [FlitsWidth-1:0]                 check_max_packet_flits;
  logic [Queues-1:0]                     check_queues_in_use;
  logic                                  check_is_last_entry;
  logic [Queues-1:0]                     seen, served;
  qosarb_port_reg_pkg::status_progress_e progress;
  qosarb_port_reg_pkg::status_outcome_e  outcome;
  qosarb_port_reg_pkg::status_reason_e   reason;
  logic [7:0]                            where;

  // What is in force; with Protect, what keeps it and the arbiters right.
  logic                                  commit_load, load, reload, fall_back;
  logic                                  parity_error, shadow_is_in_force, commits_differ, commit_under_way;
  logic [Ports-1:0]                      upset, unsettled;
  qosarb_port_reg_pkg::policy_e          policy;
  logic [FlitsWidth-1:0]                 max_packet_flits;
  logic [Entries-1:0]                    entry_used;
  logic [Entries-1:0][QueueWidth-1:0]    entry_queue;
  logic [Entries-1:0][QuantumWidth-1:0]  entry_quantum;

  // Of each port: nothing is to be granted; it has been out of its reset for a cycle; nothing changes in it.
  logic [Ports-1:0]                      hold, first_begun, begun, idle;

  qosarb_port_registers #(
    .Build(Build)
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
    .window_o             (window),
    .register_o           (access),
    .register_i           (configuration_answer | ports_answer | answer.access),
    .commit_o             (start_commit),
    .configuration_write_o(configuration_write),
    .progress_i           (progress),
    .outcome_i            (outcome),
    .reason_i             (reason),
    .where_i              (where),
    .state_i              (state[window]),
    .counter_clear_o      (counter_clear),
    .snapshot_o           (snapshot),
    .snapshot_busy_i      (snapshot_busy[window]),
    .counter_read_o       (counter_read),
    .counter_index_o      (counter_index),
    .counter_i            (counter),
    .wait_read_o          (wait_read),
    .wait_queue_o         (wait_queue),
    .longest_wait_i       (longest_wait[window])
  );

  qosarb_port_configuration #(
    .Build(Build)
  ) u_configuration (
    .clk_i,
    .rst_ni,
    .register_i              (access),
    .register_o              (configuration_answer),
    .fetch_i                 (fetch),
    .fetch_queue_o           (fetch_queue),
    .fetch_quantum_o         (fetch_quantum),
    .check_index_i           (check_index),
    .check_is_last_o         (check_is_last_entry),
    .check_policy_o          (check_policy),
    .check_max_packet_flits_o(check_max_packet_flits),
    .check_queues_in_use_o   (check_queues_in_use),
    .load_i                  (load),
    .fall_back_i             (fall_back),
    .write_i                 (configuration_write),
    .parity_error_o          (parity_error),
    .shadow_is_in_force_o    (shadow_is_in_force),
    .policy_o                (policy),
    .max_packet_flits_o      (max_packet_flits),
    .entry_used_o            (entry_used),
    .entry_queue_o           (entry_queue),
    .entry_quantum_o         (entry_quantum)
  );

  qosarb_port_commit #(
    .Queues      (Queues),
    .Entries     (Entries),
    .QuantumWidth(QuantumWidth),
    .Protect     (Protect)
  ) u_commit (
    .clk_i,
    .rst_ni,
    .start_i        (start_commit),
    .stop_i         (commits_differ),
    .under_way_i    (commit_under_way),
    .fetch_o        (fetch),
    .fetch_queue_i  (fetch_queue),
    .fetch_quantum_i(fetch_quantum),
    .index_o        (check_index),
    .queue_o        (check_queue),
    .quantum_o      (check_quantum),
    .seen_o         (seen),
    .needed_i       (answer.verdict.needed),
    .is_last_i      (answer.verdict.is_last),
    .fault_i        (qosarb_port_reg_pkg::status_reason_e'(answer.verdict.fault)),
    .seen_i         (seen | Queues'(answer.verdict.marks)),
    .served_i       (served),
    .queues_in_use_i(check_queues_in_use),
    .progress_o     (progress),
    .outcome_o      (outcome),
    .reason_o       (reason),
    .where_o        (where),
    .load_o         (commit_load)
  );

  assign check = '{
    policy: check_policy, index: 8'(check_index), next: 32'(fetch), is_last_entry: check_is_last_entry,
    entry_queue: 8'(check_queue), entry_quantum: 24'(check_quantum),
    max_packet_flits: 24'(check_max_packet_flits), queues_in_use: 32'(check_queues_in_use),
    seen: 32'(seen)
  };

  // What the slots are told.
  for (genvar p = 0; p < Ports; p++) begin : g_request
    assign port_request[p] = '{
      restart: load | fall_back | upset[p] | ~begun[p],
      shown: '{
        valid: valid_i[p], stopped: pfc_stop_i[p], flits: flits_i[p], age_field: age_field_i[p],
        age_in_epoch: age_in_epoch_i[p], next_valid: next_valid_i[p], next_flits: next_flits_i[p],
        next_age_field: next_age_field_i[p], next_age_in_epoch: next_age_in_epoch_i[p],
        chip: '{timestamp: age_timestamp_i, epoch: age_epoch_i, inhibit: age_inhibit_i},
        request: request_i[p] & ~hold[p] & begun[p]
      },
      valid: '0, stopped: '0, flits: '0, age_field: '0, age_in_epoch: '0, chip: '0, request: 1'b0,
      left_age: '0
    };
  end

  assign request = '{
    access: access, window: window, check: check,
    load: load, fall_back: fall_back, policy: policy, max_packet_flits: max_packet_flits, entry_used: entry_used,
    entry_queue: entry_queue, entry_quantum: entry_quantum, queue_sl: '0
  };

  // Of each port, by one copy of the policies: what it grants, and what it tells the age clock.
  logic [Ports-1:0]                        policy_grant_valid, leaves_valid;
  logic [Ports-1:0][Queues-1:0]            policy_grant, leaves;
  logic [Ports-1:0][QueueWidth-1:0]        policy_grant_queue;
  qosarb_port_pkg::departure_t [Ports-1:0] left;

  for (genvar p = 0; p < Ports; p++) begin : g_grant
    assign policy_grant_valid[p] = decision[p].grant_valid;
    assign policy_grant[p]       = decision[p].grant;
    assign policy_grant_queue[p] = decision[p].grant_queue;
    assign leaves[p]             = grant_o[p] | drop_o[p];  // granted or dropped
    assign leaves_valid[p]       = grant_valid_o[p] | (drop_o[p] != '0);
    assign state[p]              = decision[p].state;
  end

  qosarb_port_policies #(
    .Build         (Build),
    .request_t     (slot_request_t),
    .answer_t      (slot_answer_t),
    .port_request_t(port_request_t),
    .port_answer_t (port_answer_t)
  ) u_policies (
    .clk_i,
    .rst_ni,
    .port_rst_ni,
    .slots_i       (request),
    .slots_o       (answer),
    .ports_i       (port_request),
    .ports_o       (decision),
    .left_o        (left),
    .grant_i       (grant_o),
    .leaves_valid_i(leaves_valid),
    .leaves_i      (leaves),
    .check_served_o(served)
  );

  if (Protect != 0) begin : g_protect
    slot_answer_t                          second;
    port_answer_t [Ports-1:0]              second_decision;
    qosarb_port_pkg::departure_t [Ports-1:0] second_left;
    logic [Ports-1:0]                      reports_differ;
    logic [Ports-1:0][Queues-1:0]          second_grant;
    logic [Queues-1:0]                     second_served, second_seen;
    logic [EntryWidth-1:0]                 second_index;
    logic [Entries-1:0]                    second_fetch;
    logic [QueueWidth-1:0]                 second_queue;
    logic [QuantumWidth-1:0]               second_quantum;
    qosarb_port_reg_pkg::status_progress_e second_progress;
    qosarb_port_reg_pkg::status_outcome_e  unused_outcome;
    qosarb_port_reg_pkg::status_reason_e   unused_reason;
    logic [7:0]                            unused_where;
    logic                                  second_load;

    // Synthesis keeps the second copies from being merged with the first ones.
    (* keep_hierarchy *)
    qosarb_port_policies #(
      .Build         (Build),
      .request_t     (slot_request_t),
      .answer_t      (slot_answer_t),
      .port_request_t(port_request_t),
      .port_answer_t (port_answer_t)
    ) u_second_policies (
      .clk_i,
      .rst_ni,
      .port_rst_ni,
      .slots_i       (request),
      .slots_o       (second),
      .ports_i       (port_request),
      .ports_o       (second_decision),
      .left_o        (second_left),
      .grant_i       (grant_o),
      .leaves_valid_i(leaves_valid),
      .leaves_i      (leaves),
      .check_served_o(second_served)
    );

    (* keep_hierarchy *)
    qosarb_port_commit #(
      .Queues      (Queues),
      .Entries     (Entries),
      .QuantumWidth(QuantumWidth),
      .Protect     (Protect)
    ) u_second_commit (
      .clk_i,
      .rst_ni,
      .start_i        (start_commit),
      .stop_i         (commits_differ),
      .under_way_i    (commit_under_way),
      .fetch_o        (second_fetch),
      .fetch_queue_i  (fetch_queue),
      .fetch_quantum_i(fetch_quantum),
      .index_o        (second_index),
      .queue_o        (second_queue),
      .quantum_o      (second_quantum),
      .seen_o         (second_seen),
      .needed_i       (second.verdict.needed),
      .is_last_i      (second.verdict.is_last),
      .fault_i        (qosarb_port_reg_pkg::status_reason_e'(second.verdict.fault)),
      .seen_i         (seen | Queues'(second.verdict.marks)),
      .served_i       (second_served),
      .queues_in_use_i(check_queues_in_use),
      .progress_o     (second_progress),
      .outcome_o      (unused_outcome),
      .reason_o       (unused_reason),
      .where_o        (unused_where),
      .load_o         (second_load)
    );

    assign commits_differ = (progress != second_progress) | (check_index != second_index) |
                            (check_queue != second_queue) | (check_quantum != second_quantum) |
                            (seen != second_seen) | (fetch != second_fetch);
    assign load           = (commit_load & second_load) | reload;

    assign commit_under_way = (progress != qosarb_port_reg_pkg::StatusProgressIdle) |
                              (second_progress != qosarb_port_reg_pkg::StatusProgressIdle);

    for (genvar p = 0; p < Ports; p++) begin : g_second
      assign second_grant[p]   = second_decision[p].grant;

      // That a port is out of its own reset stands a second time; where the copies differ it starts over.
      logic second_begun;

      (* keep_hierarchy *)
      qosarb_inverted_copy #(
        .Reset(1'(Ports == 1))
      ) u_begun (
        .clk_i,
        .rst_ni(port_rst_ni[p]),
        .d_i   (1'b1),
        .q_o   (second_begun)
      );

      assign begun[p]          = first_begun[p] & second_begun;
      assign reports_differ[p] = (answer.chip != second.chip) | (left[p] != second_left[p]) |
                                 (first_begun[p] != second_begun);
      assign unsettled[p]      = reports_differ[p] | left[p].left;

      logic unused_port;  // what only one copy answers
      assign unused_port = ^{second_decision[p].grant_valid, second_decision[p].grant_queue,
                             second_decision[p].longest, second_decision[p].state, second_decision[p].busy,
                             second_decision[p].events, second_decision[p].late_events};
    end

    qosarb_port_guard #(
      .Ports (Ports),
      .Queues(Queues)
    ) u_guard (
      .clk_i,
      .rst_ni,
      .first_grant_i       (policy_grant),
      .second_grant_i      (second_grant),
      .reports_differ_i    (reports_differ),
      .parity_error_i      (parity_error),
      .shadow_is_in_force_i(shadow_is_in_force),
      .load_i              (commit_load & second_load),
      .grant_valid_o,
      .grant_o,
      .grant_queue_o,
      .restart_o           (upset),
      .reload_o            (reload),
      .fall_back_o         (fall_back)
    );

    logic unused_second;
    assign unused_second = ^{second.access, second.verdict, policy_grant_valid, policy_grant_queue};
  end else begin : g_unprotected
    assign grant_valid_o  = policy_grant_valid;
    assign grant_o        = policy_grant;
    assign grant_queue_o  = policy_grant_queue;
    assign begun          = first_begun;
    assign load           = commit_load;
    assign commits_differ = 1'b0;
    assign upset          = '0;
    assign unsettled      = '0;
    assign reload         = 1'b0;
    assign fall_back      = 1'b0;

    assign commit_under_way = 1'b0;  // nothing asks

    logic unused_protection;
    assign unused_protection = ^{reload, parity_error, shadow_is_in_force};
  end

  // What each port has for itself beside its arbiter.
  for (genvar p = 0; p < Ports; p++) begin : g_port
    qosarb_port_pkg::register_request_t port_access;  // in its own window
    qosarb_port_pkg::register_answer_t  errors_answer, control_answer;
    logic                               lies;         // the winner of the last cycle
    logic                               control_error;
    logic [Others-1:0]                  own_events, late_own_events;
    logic [Queues-1:0][FlitsWidth-1:0]  longest;      // packet of each queue

    assign selected[p] = window == WindowWidth'(p);

    always_comb begin
      port_access       = access;
      port_access.write = access.write & selected[p];
    end

    assign port_answer[p] = (errors_answer | control_answer) &
                            {$bits(qosarb_port_pkg::register_answer_t){selected[p]}};

    // With one port its reset is that of the configuration, too: nothing has to start over.
    logic rst_n, begun_q;

    assign rst_n = port_rst_ni[p];

    always_ff @(posedge clk_i or negedge rst_n) begin
      if (!rst_n) begun_q <= Ports == 1;
      else        begun_q <= 1'b1;
    end

    assign first_begun[p] = begun_q;

    always_comb begin
      for (int unsigned q = 0; q < Queues; q++) begin
        longest[q] = (decision[p].longest[q] != '0) ? decision[p].longest[q] : max_packet_flits;
      end
      own_events                                     = decision[p].events;
      own_events[qosarb_port_pkg::CounterDropped]    = drop_o[p] != '0;
      late_own_events                                = decision[p].late_events;
      late_own_events[qosarb_port_pkg::CounterLying] = lies;
    end

    qosarb_port_counters #(
      .Queues        (Queues),
      .MaxPacketFlits(MaxPacketFlits),
      .Others        (Others),
      .FlitsFrom     (qosarb_pkg::counter_vcs(qosarb_port_pkg::CounterStalls, HasTrtcm, Queues) +
                       2 * Vcs),
      .FlitsCount    (HasAge ? Vcs : 0)
    ) u_counters (
      .clk_i,
      .rst_ni           (port_rst_ni[p]),
      .clear_i          (counter_clear & selected[p]),
      .snapshot_i       (snapshot & selected[p]),
      .busy_o           (snapshot_busy[p]),
      .valid_i          (valid_i[p]),
      .stopped_i        (pfc_stop_i[p]),
      .flits_i          (flits_i[p]),
      .grant_i          (grant_o[p]),
      .drop_i           (drop_o[p]),
      .others_i         (own_events),
      .late_others_i    (late_own_events),
      .read_i           (counter_read & selected[p]),
      .read_index_i     (counter_index),
      .read_value_o     (counter[p]),
      .read_wait_i      (wait_read & selected[p]),
      .read_wait_queue_i(wait_queue),
      .read_wait_o      (longest_wait[p])
    );

    qosarb_port_errors #(
      .Build(Build)
    ) u_errors (
      .clk_i,
      .rst_ni         (port_rst_ni[p]),
      .register_i     (port_access),
      .register_o     (errors_answer),
      .counter_clear_i(counter_clear & selected[p]),
      .valid_i        (valid_i[p]),
      .stopped_i      (pfc_stop_i[p]),
      .flits_i        (flits_i[p]),
      .grant_i        (grant_o[p]),
      .longest_i      (longest),
      .soft_error_i   (upset[p] | commits_differ | control_error),
      .lost_i         (fall_back),
      .lies_o         (lies),
      .interrupt_o    (interrupt_o[p])
    );

    qosarb_port_control #(
      .Build(Build)
    ) u_control (
      .clk_i,
      .rst_ni      (port_rst_ni[p]),
      .psel_i,
      .register_i  (port_access),
      .register_o  (control_answer),
      .valid_i     (valid_i[p]),
      .busy_i      (decision[p].busy | snapshot_busy[p] | upset[p] | unsettled[p] | commits_differ | ~begun[p] |
                    (progress != qosarb_port_reg_pkg::StatusProgressIdle)),
      .hold_o      (hold[p]),
      .drain_o     (drain_o[p]),
      .drop_o      (drop_o[p]),
      .soft_reset_o(soft_reset_o[p]),
      .idle_o      (idle[p]),
      .soft_error_o(control_error)
    );

    assign left_o[p]            = left[p].left;
    assign left_epoch_o[p]      = left[p].left_epoch;
    assign left_age_o[p]        = left[p].left_age;
    assign age_others_wait_o[p] = left[p].others_wait;
  end

  always_comb begin
    ports_answer = '0;
    for (int unsigned p = 0; p < Ports; p++) ports_answer |= port_answer[p];
  end

  assign idle_o             = &idle;
  assign table_applied_o    = commit_load;
  assign age_clock_period_o = answer.chip.age_clock_period;

  for (genvar i = 0; i < Inputs; i++) begin : g_input
    assign req_age_bias_o[i] = answer.chip.age_bias[i][2:0];
    assign rsp_age_bias_o[i] = answer.chip.age_bias[i][5:3];
  end

endmodule
