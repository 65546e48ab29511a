// The slots of the policies that a build includes: the one file of the port that names them.
//
// A slot is all that a policy is to the port: engine, what its commit refuses, registers of its own
// (shadow and in force), counters of its own, state for reading. All slots have the same ports; what
// they answer is zero wherever they are not concerned, so that the answers of all are joined by OR:
//   - a slot decides only while the policy in force is its own, and its state is read only then;
//   - it judges a shadow configuration only of its own policy;
//   - it answers for registers of its own at any time.
// The slots see one table in force, and one map of queues to SLs, which is there if some policy
// serves SLs. All of them start over on `load_i`, so that whichever policy a commit selects begins as
// after a reset. bxi-basic and bxi-deficit share a slot.
// The registers of a policy that is not built in do not exist.

module qosarb_port_policies #(
  parameter  qosarb_port_pkg::build_t Build = '0,
  localparam int unsigned Queues       = Build.queues,
  localparam int unsigned Entries      = Build.entries,
  localparam int unsigned QuantumWidth = Build.quantum_width,
  localparam int unsigned QueueWidth   = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth   = $clog2(Build.max_packet_flits + 1),
  localparam int unsigned StateWords   = qosarb_pkg::state_words(Queues, Entries)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  input  qosarb_port_pkg::register_request_t   register_i,
  output qosarb_port_pkg::register_answer_t    register_o,
  input  logic                                 counter_clear_i,

  // The check of a shadow configuration, and whom the entries up to this one serve.
  input  qosarb_port_pkg::check_t              check_i,
  output logic                                 check_needed_o,
  output logic                                 check_is_last_o,
  output qosarb_port_reg_pkg::status_reason_e  check_fault_o,
  output logic [Queues-1:0]                    check_seen_o,    // the marks up to this one
  output logic [Queues-1:0]                    check_served_o,

  // What is in force. A cycle with `load_i` is the last of what stands in it; at its end the state
  // starts over.
  input  logic                                 load_i,
  input  qosarb_port_reg_pkg::policy_e         policy_i,
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,
  input  logic [Entries-1:0]                   entry_used_i,     // ones up to the last entry
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,

  // The candidates: the head of each queue, its length in flits, its stop, its stamp of age; and
  // the chip's age clock.
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,
  input  logic [Queues-1:0][8:0]               age_field_i,
  input  logic [Queues-1:0]                    age_in_epoch_i,
  input  qosarb_port_pkg::chip_view_t          chip_i,
  output qosarb_port_pkg::chip_report_t        chip_o,

  // The link can take a packet; the answer comes in the same cycle.
  input  logic                                 request_i,
  output logic                                 grant_valid_o,
  output logic [Queues-1:0]                    grant_o,
  output logic [QueueWidth-1:0]                grant_queue_o,

  // State of the policy in force, for reading.
  output logic [StateWords-1:0][31:0]          state_o
);

  import qosarb_port_pkg::*;
  import qosarb_port_reg_pkg::*;

  localparam logic [15:0] Included      = 16'(Build.policies);
  localparam int unsigned KnownPolicies = 32'h1ff;

  if (!Included[PolicyRr]) begin : g_check_rr
    $error("qosarb_port_policies: Policies must include rr (bit 0), which reset selects");
  end
  if ((Build.policies & ~KnownPolicies) != '0) begin : g_check_known
    $error("qosarb_port_policies: Policies has bits that stand for no policy");
  end

  // The slots that are there, by the code of their policy, and each one's place among them.
  localparam logic [15:0] Both = 16'd1 << PolicyBxiBasic | 16'd1 << PolicyBxiDeficit;
  localparam logic [15:0] Built = (Included & ~Both) |
                                  (16'(|(Included & Both)) << PolicyBxiDeficit);
  localparam int unsigned Slots = $countones(Built | 16'd1);

  function automatic int unsigned place(policy_e policy);
    return $countones(Built & ~(16'hffff << policy));
  endfunction

  register_answer_t [Slots-1:0]           answer;
  verdict_t [Slots-1:0]                   verdict;
  chip_report_t [Slots-1:0]               chip;
  logic [Slots-1:0]                       grant_valid;
  logic [Slots-1:0][Queues-1:0]           grant;
  logic [Slots-1:0][QueueWidth-1:0]       grant_queue;
  logic [Slots-1:0][StateWords-1:0][31:0] state;

  // The SLs, which several policies serve.
  localparam bit HasSls = Included[PolicySbt] | Included[PolicyDtable];

  register_answer_t                  sl_answer;
  logic [Queues-1:0]                 sl_served;
  logic [Queues-1:0][QueueWidth-1:0] queue_sl;

  if (HasSls) begin : g_sls
    qosarb_port_queue_sl #(
      .Queues(Queues)
    ) u_queue_sl (
      .clk_i,
      .rst_ni,
      .register_i,
      .register_o    (sl_answer),
      .check_sls_i   (check_seen_o),
      .check_queues_o(sl_served),
      .load_i,
      .queue_sl_o    (queue_sl)
    );
  end else begin : g_no_sls
    assign sl_answer = '0;
    assign sl_served = '0;
    assign queue_sl  = '0;
  end

  if (Built[PolicyRr]) begin : g_rr
    localparam int unsigned Slot = place(PolicyRr);
    qosarb_rr_slot #(
      .Build(Build)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .register_i,
      .register_o   (answer[Slot]),
      .counter_clear_i,
      .check_i,
      .verdict_o    (verdict[Slot]),
      .load_i,
      .policy_i,
      .max_packet_flits_i,
      .entry_used_i,
      .entry_queue_i,
      .entry_quantum_i,
      .queue_sl_i   (queue_sl),
      .valid_i,
      .stopped_i,
      .flits_i,
      .age_field_i,
      .age_in_epoch_i,
      .chip_i,
      .chip_o       (chip[Slot]),
      .request_i,
      .grant_valid_o(grant_valid[Slot]),
      .grant_o      (grant[Slot]),
      .grant_queue_o(grant_queue[Slot]),
      .state_o      (state[Slot])
    );
  end

  if (Built[PolicyBxiDeficit]) begin : g_bxi
    localparam int unsigned Slot = place(PolicyBxiDeficit);
    qosarb_bxi_slot #(
      .Build(Build)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .register_i,
      .register_o   (answer[Slot]),
      .counter_clear_i,
      .check_i,
      .verdict_o    (verdict[Slot]),
      .load_i,
      .policy_i,
      .max_packet_flits_i,
      .entry_used_i,
      .entry_queue_i,
      .entry_quantum_i,
      .queue_sl_i   (queue_sl),
      .valid_i,
      .stopped_i,
      .flits_i,
      .age_field_i,
      .age_in_epoch_i,
      .chip_i,
      .chip_o       (chip[Slot]),
      .request_i,
      .grant_valid_o(grant_valid[Slot]),
      .grant_o      (grant[Slot]),
      .grant_queue_o(grant_queue[Slot]),
      .state_o      (state[Slot])
    );
  end

  if (Built[PolicySbt]) begin : g_sbt
    localparam int unsigned Slot = place(PolicySbt);
    qosarb_sbt_slot #(
      .Build(Build)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .register_i,
      .register_o   (answer[Slot]),
      .counter_clear_i,
      .check_i,
      .verdict_o    (verdict[Slot]),
      .load_i,
      .policy_i,
      .max_packet_flits_i,
      .entry_used_i,
      .entry_queue_i,
      .entry_quantum_i,
      .queue_sl_i   (queue_sl),
      .valid_i,
      .stopped_i,
      .flits_i,
      .age_field_i,
      .age_in_epoch_i,
      .chip_i,
      .chip_o       (chip[Slot]),
      .request_i,
      .grant_valid_o(grant_valid[Slot]),
      .grant_o      (grant[Slot]),
      .grant_queue_o(grant_queue[Slot]),
      .state_o      (state[Slot])
    );
  end

  if (Built[PolicyDtable]) begin : g_dtable
    localparam int unsigned Slot = place(PolicyDtable);
    qosarb_dtable_slot #(
      .Build(Build)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .register_i,
      .register_o   (answer[Slot]),
      .counter_clear_i,
      .check_i,
      .verdict_o    (verdict[Slot]),
      .load_i,
      .policy_i,
      .max_packet_flits_i,
      .entry_used_i,
      .entry_queue_i,
      .entry_quantum_i,
      .queue_sl_i   (queue_sl),
      .valid_i,
      .stopped_i,
      .flits_i,
      .age_field_i,
      .age_in_epoch_i,
      .chip_i,
      .chip_o       (chip[Slot]),
      .request_i,
      .grant_valid_o(grant_valid[Slot]),
      .grant_o      (grant[Slot]),
      .grant_queue_o(grant_queue[Slot]),
      .state_o      (state[Slot])
    );
  end

  if (Built[PolicyInfiniband]) begin : g_infiniband
    localparam int unsigned Slot = place(PolicyInfiniband);
    qosarb_infiniband_slot #(
      .Build(Build)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .register_i,
      .register_o   (answer[Slot]),
      .counter_clear_i,
      .check_i,
      .verdict_o    (verdict[Slot]),
      .load_i,
      .policy_i,
      .max_packet_flits_i,
      .entry_used_i,
      .entry_queue_i,
      .entry_quantum_i,
      .queue_sl_i   (queue_sl),
      .valid_i,
      .stopped_i,
      .flits_i,
      .age_field_i,
      .age_in_epoch_i,
      .chip_i,
      .chip_o       (chip[Slot]),
      .request_i,
      .grant_valid_o(grant_valid[Slot]),
      .grant_o      (grant[Slot]),
      .grant_queue_o(grant_queue[Slot]),
      .state_o      (state[Slot])
    );
  end

  if (Built[PolicySeastarAge]) begin : g_seastar_age
    localparam int unsigned Slot = place(PolicySeastarAge);
    qosarb_seastar_age_slot #(
      .Build(Build)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .register_i,
      .register_o   (answer[Slot]),
      .counter_clear_i,
      .check_i,
      .verdict_o    (verdict[Slot]),
      .load_i,
      .policy_i,
      .max_packet_flits_i,
      .entry_used_i,
      .entry_queue_i,
      .entry_quantum_i,
      .queue_sl_i   (queue_sl),
      .valid_i,
      .stopped_i,
      .flits_i,
      .age_field_i,
      .age_in_epoch_i,
      .chip_i,
      .chip_o       (chip[Slot]),
      .request_i,
      .grant_valid_o(grant_valid[Slot]),
      .grant_o      (grant[Slot]),
      .grant_queue_o(grant_queue[Slot]),
      .state_o      (state[Slot])
    );
  end

  if (Built[PolicyTrtcm]) begin : g_trtcm
    localparam int unsigned Slot = place(PolicyTrtcm);
    qosarb_trtcm_slot #(
      .Build(Build)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .register_i,
      .register_o   (answer[Slot]),
      .counter_clear_i,
      .check_i,
      .verdict_o    (verdict[Slot]),
      .load_i,
      .policy_i,
      .max_packet_flits_i,
      .entry_used_i,
      .entry_queue_i,
      .entry_quantum_i,
      .queue_sl_i   (queue_sl),
      .valid_i,
      .stopped_i,
      .flits_i,
      .age_field_i,
      .age_in_epoch_i,
      .chip_i,
      .chip_o       (chip[Slot]),
      .request_i,
      .grant_valid_o(grant_valid[Slot]),
      .grant_o      (grant[Slot]),
      .grant_queue_o(grant_queue[Slot]),
      .state_o      (state[Slot])
    );
  end

  if (Built[PolicyEts]) begin : g_ets
    localparam int unsigned Slot = place(PolicyEts);
    qosarb_ets_slot #(
      .Build(Build)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .register_i,
      .register_o   (answer[Slot]),
      .counter_clear_i,
      .check_i,
      .verdict_o    (verdict[Slot]),
      .load_i,
      .policy_i,
      .max_packet_flits_i,
      .entry_used_i,
      .entry_queue_i,
      .entry_quantum_i,
      .queue_sl_i   (queue_sl),
      .valid_i,
      .stopped_i,
      .flits_i,
      .age_field_i,
      .age_in_epoch_i,
      .chip_i,
      .chip_o       (chip[Slot]),
      .request_i,
      .grant_valid_o(grant_valid[Slot]),
      .grant_o      (grant[Slot]),
      .grant_queue_o(grant_queue[Slot]),
      .state_o      (state[Slot])
    );
  end

  // What they answer, joined.
  verdict_t joined_verdict;

  assign grant_valid_o = |grant_valid;

  always_comb begin
    register_o    = sl_answer;
    joined_verdict = '0;
    chip_o        = '0;
    grant_o       = '0;
    grant_queue_o = '0;
    state_o       = '0;
    for (int unsigned s = 0; s < Slots; s++) begin
      register_o    |= answer[s];
      joined_verdict |= verdict[s];
      chip_o        |= chip[s];
      grant_o       |= grant[s];
      grant_queue_o |= grant_queue[s];
      state_o       |= state[s];
    end
  end

  assign check_needed_o  = joined_verdict.needed;
  assign check_is_last_o = joined_verdict.is_last;
  assign check_fault_o   = status_reason_e'(joined_verdict.fault);
  assign check_seen_o    = Queues'(check_i.seen | joined_verdict.marks);
  assign check_served_o  = (joined_verdict.of_sls ? sl_served : check_seen_o) |
                           Queues'(joined_verdict.serves);

endmodule
