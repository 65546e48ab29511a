// The output port's arbiter: policies, table memory, registers and counters.
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
//      Its head has the stamp that qosarb_age_input gave it with `age_bias_o`; the port sees the
//      chip's one qosarb_age_clock, and tells it a cycle after a grant that a packet has left, and
//      with which age, whichever policy granted it. `age_clock_period_o` of one port of the chip goes to the clock.
//   5. Counters of each queue say what was sent and what it waited for (see qosarb_port_counters);
//      errors are noted, and raise `interrupt_o` (see qosarb_port_errors).
//   6. With Protect, a bit that flips in a register leads to no wrong grant (see qosarb_port_guard).
//   7. Software drains, flushes or resets a port by itself, and `idle_o` says when its clock may stand
//      still (see qosarb_port_control).
// Reset (asynchronous assertion; release it in step with the clock) leaves round robin over all
// queues, and a table by which a commit of POLICY alone gives each queue equal quanta.
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

  // With seastar-age built in: in the cycle after a grant, by whichever policy, the epoch of the
  // packet's stamp and its age; some head was of the other epoch; and what is programmed for the age
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

  if (BurstWidth < FlitsWidth || BurstWidth > 16) begin : g_check_burst
    $error("qosarb_port: BurstWidth must hold MaxPacketFlits and be at most 16");
  end
  if (Vcs < 1 || Vcs > 16) begin : g_check_vcs
    $error("qosarb_port: Vcs must be within 1..16");
  end
  if (Protect > 1) begin : g_check_protect
    $error("qosarb_port: Protect must be 0 or 1");
  end
  if (Latency > 1) begin : g_check_latency
    $error("qosarb_port: Latency must be 0 or 1");
  end

  localparam qosarb_port_pkg::build_t Build = '{
    queues: 32'd0 + Queues, entries: 32'd0 + Entries, quantum_width: 32'd0 + QuantumWidth,
    max_packet_flits: 32'd0 + MaxPacketFlits, policies: 32'd0 + Policies, vcs: 32'd0 + Vcs,
    burst_width: 32'd0 + BurstWidth, protect: 32'd0 + Protect, latency: 32'd0 + Latency
  };

  localparam int unsigned EntryWidth = qosarb_pkg::index_width(Entries);
  localparam int unsigned StateWords = qosarb_pkg::state_words(Queues, Entries);
  localparam bit          HasTrtcm   = 1'(Policies >> qosarb_port_reg_pkg::PolicyTrtcm);
  localparam bit          HasAge     = 1'(Policies >> qosarb_port_reg_pkg::PolicySeastarAge);
  localparam int unsigned Others     =
      qosarb_pkg::other_counters(qosarb_port_pkg::CounterStalls, HasTrtcm, HasAge, Queues, Vcs);
  localparam int unsigned IndexWidth = $clog2(4 * Queues + Others);  // of a counter

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

  // What the slots of the policies are told (see qosarb_port_policies): all of them the same.
  typedef struct packed {
    qosarb_port_pkg::register_request_t   access;
    // The check of a shadow configuration.
    qosarb_port_pkg::check_t              check;
    // The configuration in force. A cycle with `load` is the last of what stands in it; at its end
    // the shadow comes into force. At the end of a cycle with `restart` the state starts over.
    logic                                 load;
    logic                                 restart;
    qosarb_port_reg_pkg::policy_e         policy;
    logic [FlitsWidth-1:0]                max_packet_flits;
    logic [Entries-1:0]                   entry_used;     // ones up to the last entry
    logic [Entries-1:0][QueueWidth-1:0]   entry_queue;
    logic [Entries-1:0][QuantumWidth-1:0] entry_quantum;
    logic [Queues-1:0][QueueWidth-1:0]    queue_sl;
    // What the queues show in this cycle: the head of each queue, its stop, its length in flits and its
    // stamp of age, and the packet behind it; the chip's age clock; and the port's request.
    shown_t                               shown;
    // The candidates of this cycle's decision, what it is asked for by, and the age clock that counts
    // in it (see qosarb_port_candidates).
    logic [Queues-1:0]                    valid;
    logic [Queues-1:0]                    stopped;
    logic [Queues-1:0][FlitsWidth-1:0]    flits;
    logic [Queues-1:0][8:0]               age_field;
    logic [Queues-1:0]                    age_in_epoch;
    qosarb_port_pkg::chip_view_t          chip;
    logic                                 request;
    // seastar-age: of a packet that was granted in the last cycle.
    logic [7:0]                           left_age;
  } slot_request_t;

  // What a slot answers, in the same cycle: zero wherever it is not concerned.
  typedef struct packed {
    qosarb_port_pkg::register_answer_t    access;         // for registers of its own
    qosarb_port_pkg::verdict_t            verdict;        // on a shadow configuration of its policy
    qosarb_port_pkg::chip_report_t        chip;
    // While the policy in force is its own: the decision, and state for reading, as words of
    // qosarb_port_pkg.
    logic                                 grant_valid;
    logic [Queues-1:0]                    grant;
    logic [QueueWidth-1:0]                grant_queue;
    logic [FlitsWidth-1:0]                longest;        // packet of the winner; 0: the port's longest
    logic [StateWords-1:0][31:0]          state;
    logic                                 busy;           // its state changes without a head
    // For the counters of qosarb_port_pkg: what happens in this cycle, and what is known of the last
    // one only now.
    logic [Others-1:0]                    events;
    logic [Others-1:0]                    late_events;
  } slot_answer_t;

  slot_request_t                         request;
  slot_answer_t                          answer;

  // The registers.
  qosarb_port_pkg::register_answer_t     configuration_answer, errors_answer, control_answer;
  qosarb_port_pkg::register_request_t    access;
  logic                                  start_commit, counter_clear, configuration_write;
  logic                                  snapshot, snapshot_busy, counter_read, wait_read;
  logic [IndexWidth-1:0]                 counter_index;
  logic [QueueWidth-1:0]                 wait_queue;
  logic [47:0]                           counter;
  logic [31:0]                           longest_wait;

  // The check of a shadow configuration, and how it ends.
  qosarb_port_pkg::check_t               check;
  logic [EntryWidth-1:0]                 check_index;
  logic [QueueWidth-1:0]                 check_queue;
  logic [QuantumWidth-1:0]               check_quantum;
  qosarb_port_reg_pkg::policy_e          check_policy;
  logic [FlitsWidth-1:0]                 check_max_packet_flits;
  logic [Queues-1:0]                     check_queues_in_use;
  logic                                  check_is_last_entry;
  logic [Queues-1:0]                     seen, served;
  qosarb_port_reg_pkg::status_progress_e progress;
  qosarb_port_reg_pkg::status_outcome_e  outcome;
  qosarb_port_reg_pkg::status_reason_e   reason;
  logic [7:0]                            where;

  // What is in force; with Protect, what keeps it and the arbiter right.
  logic                                  commit_load, load, restart, reload, fall_back;
  logic                                  parity_error, shadow_is_in_force, commits_differ;
  qosarb_port_reg_pkg::policy_e          policy;
  logic [FlitsWidth-1:0]                 max_packet_flits;
  logic [Entries-1:0]                    entry_used;
  logic [Entries-1:0][QueueWidth-1:0]    entry_queue;
  logic [Entries-1:0][QuantumWidth-1:0]  entry_quantum;

  // Out of service.
  logic                                  hold, control_error;

  // State of the arbiter, for reading.
  logic [StateWords-1:0][31:0]           state;

  assign state = answer.state;

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
    .register_o           (access),
    .register_i           (configuration_answer | errors_answer | control_answer | answer.access),
    .commit_o             (start_commit),
    .configuration_write_o(configuration_write),
    .progress_i           (progress),
    .outcome_i            (outcome),
    .reason_i             (reason),
    .where_i              (where),
    .state_i              (state),
    .counter_clear_o      (counter_clear),
    .snapshot_o           (snapshot),
    .snapshot_busy_i      (snapshot_busy),
    .counter_read_o       (counter_read),
    .counter_index_o      (counter_index),
    .counter_i            (counter),
    .wait_read_o          (wait_read),
    .wait_queue_o         (wait_queue),
    .longest_wait_i       (longest_wait)
  );

  qosarb_port_configuration #(
    .Build(Build)
  ) u_configuration (
    .clk_i,
    .rst_ni,
    .register_i              (access),
    .register_o              (configuration_answer),
    .check_index_i           (check_index),
    .check_is_last_o         (check_is_last_entry),
    .check_queue_o           (check_queue),
    .check_quantum_o         (check_quantum),
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
    .Queues (Queues),
    .Entries(Entries)
  ) u_commit (
    .clk_i,
    .rst_ni,
    .start_i        (start_commit),
    .stop_i         (commits_differ),
    .index_o        (check_index),
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
    policy: check_policy, index: 8'(check_index), is_last_entry: check_is_last_entry,
    entry_queue: 8'(check_queue), entry_quantum: 24'(check_quantum),
    max_packet_flits: 24'(check_max_packet_flits), queues_in_use: 32'(check_queues_in_use),
    seen: 32'(seen)
  };

  assign request = '{
    access: access, check: check,
    load: load, restart: load | restart, policy: policy, max_packet_flits: max_packet_flits, entry_used: entry_used,
    entry_queue: entry_queue, entry_quantum: entry_quantum, queue_sl: '0,
    shown: '{
      valid: valid_i, stopped: pfc_stop_i, flits: flits_i, age_field: age_field_i,
      age_in_epoch: age_in_epoch_i, next_valid: next_valid_i, next_flits: next_flits_i,
      next_age_field: next_age_field_i, next_age_in_epoch: next_age_in_epoch_i,
      chip: '{timestamp: age_timestamp_i, epoch: age_epoch_i, inhibit: age_inhibit_i},
      request: request_i & ~hold
    },
    valid: '0, stopped: '0, flits: '0, age_field: '0, age_in_epoch: '0, chip: '0, request: 1'b0,
    left_age: '0
  };

  // Granted or dropped.
  logic              leaves_valid;
  logic [Queues-1:0] leaves;

  assign leaves_valid = grant_valid_o | (drop_o != '0);
  assign leaves       = grant_o | drop_o;

  qosarb_port_policies #(
    .Build    (Build),
    .request_t(slot_request_t),
    .answer_t (slot_answer_t)
  ) u_policies (
    .clk_i,
    .rst_ni,
    .slots_i       (request),
    .slots_o       (answer),
    .grant_i       (grant_o),
    .leaves_valid_i(leaves_valid),
    .leaves_i      (leaves),
    .check_served_o(served)
  );

  if (Protect != 0) begin : g_protect
    slot_answer_t                          second;
    logic [Queues-1:0]                     second_served, second_seen;
    logic [EntryWidth-1:0]                 second_index;
    qosarb_port_reg_pkg::status_progress_e second_progress;
    qosarb_port_reg_pkg::status_outcome_e  unused_outcome;
    qosarb_port_reg_pkg::status_reason_e   unused_reason;
    logic [7:0]                            unused_where;
    logic                                  second_load;

    // Synthesis keeps the second copies from being merged with the first ones.
    (* keep_hierarchy *)
    qosarb_port_policies #(
      .Build    (Build),
      .request_t(slot_request_t),
      .answer_t (slot_answer_t)
    ) u_second_policies (
      .clk_i,
      .rst_ni,
      .slots_i       (request),
      .slots_o       (second),
      .grant_i       (grant_o),
      .leaves_valid_i(leaves_valid),
      .leaves_i      (leaves),
      .check_served_o(second_served)
    );

    (* keep_hierarchy *)
    qosarb_port_commit #(
      .Queues (Queues),
      .Entries(Entries)
    ) u_second_commit (
      .clk_i,
      .rst_ni,
      .start_i        (start_commit),
      .stop_i         (commits_differ),
      .index_o        (second_index),
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
                            (seen != second_seen);
    assign load           = (commit_load & second_load) | reload;

    qosarb_port_guard #(
      .Queues(Queues)
    ) u_guard (
      .clk_i,
      .rst_ni,
      .first_grant_i       (answer.grant),
      .second_grant_i      (second.grant),
      .reports_differ_i    (answer.chip != second.chip),
      .parity_error_i      (parity_error),
      .shadow_is_in_force_i(shadow_is_in_force),
      .load_i              (commit_load & second_load),
      .grant_valid_o,
      .grant_o,
      .grant_queue_o,
      .restart_o           (restart),
      .reload_o            (reload),
      .fall_back_o         (fall_back)
    );

    logic unused_second;  // what only one copy answers
    assign unused_second = ^{second.access, second.verdict, second.grant_valid, second.grant_queue,
                             second.longest, second.state, second.busy, second.events,
                             second.late_events, answer.grant_valid, answer.grant_queue};
  end else begin : g_unprotected
    assign grant_valid_o  = answer.grant_valid;
    assign grant_o        = answer.grant;
    assign grant_queue_o  = answer.grant_queue;
    assign load           = commit_load;
    assign commits_differ = 1'b0;
    assign restart        = 1'b0;
    assign reload         = 1'b0;
    assign fall_back      = 1'b0;

    logic unused_protection;
    assign unused_protection = ^{reload, parity_error, shadow_is_in_force};
  end

  logic              lies;  // the winner of the last cycle
  logic [Others-1:0] own_events, late_own_events;

  always_comb begin
    own_events                                     = answer.events;
    own_events[qosarb_port_pkg::CounterDropped]    = drop_o != '0;
    late_own_events                                = answer.late_events;
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
    .rst_ni,
    .clear_i          (counter_clear),
    .snapshot_i       (snapshot),
    .busy_o           (snapshot_busy),
    .valid_i,
    .stopped_i        (pfc_stop_i),
    .flits_i,
    .grant_i          (grant_o),
    .grant_queue_i    (grant_queue_o),
    .drop_i           (drop_o),
    .others_i         (own_events),
    .late_others_i    (late_own_events),
    .read_i           (counter_read),
    .read_index_i     (counter_index),
    .read_value_o     (counter),
    .read_wait_i      (wait_read),
    .read_wait_queue_i(wait_queue),
    .read_wait_o      (longest_wait)
  );

  qosarb_port_errors #(
    .Build(Build)
  ) u_errors (
    .clk_i,
    .rst_ni,
    .register_i     (access),
    .register_o     (errors_answer),
    .counter_clear_i(counter_clear),
    .valid_i,
    .stopped_i      (pfc_stop_i),
    .flits_i,
    .grant_valid_i  (grant_valid_o),
    .grant_queue_i  (grant_queue_o),
    .longest_i      ((answer.longest != '0) ? answer.longest : max_packet_flits),
    .soft_error_i   (restart | commits_differ | control_error),
    .lost_i         (fall_back),
    .lies_o         (lies),
    .interrupt_o
  );

  qosarb_port_control #(
    .Build(Build)
  ) u_control (
    .clk_i,
    .rst_ni,
    .psel_i,
    .register_i  (access),
    .register_o  (control_answer),
    .valid_i,
    .busy_i      (answer.busy | snapshot_busy | restart | commits_differ |
                  (progress != qosarb_port_reg_pkg::StatusProgressIdle)),
    .hold_o      (hold),
    .drain_o,
    .drop_o,
    .soft_reset_o,
    .idle_o,
    .soft_error_o(control_error)
  );

  assign table_applied_o    = commit_load;
  assign left_o             = answer.chip.left;
  assign left_epoch_o       = answer.chip.left_epoch;
  assign left_age_o         = answer.chip.left_age;
  assign age_others_wait_o  = answer.chip.others_wait;
  assign age_clock_period_o = answer.chip.age_clock_period;

  for (genvar i = 0; i < Inputs; i++) begin : g_input
    assign req_age_bias_o[i] = answer.chip.age_bias[i][2:0];
    assign rsp_age_bias_o[i] = answer.chip.age_bias[i][5:3];
  end

endmodule
