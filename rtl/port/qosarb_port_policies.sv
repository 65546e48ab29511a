// The slots of the policies that a build includes: the one file of the port that instantiates them.
//
// A slot is all that a policy is to the ports: for each an engine, what is counted of it and its state for reading, and
// once what its commit refuses and the registers of its own (shadow and in force). All slots see the same configuration
// and give an answer of the same kind, which is zero wherever they are not concerned, so that all are joined by OR:
//   - a slot decides only while the policy in force is its own, and its state words are read only then;
//   - it judges a shadow configuration only of its own policy;
//   - it answers for registers of its own, state among them, and seastar-age for the chip's age clock, at any time.
// The slots see one table in force, and one map of queues to SLs, which is there if some policy
// serves SLs. The engines of a port start over on its `restart`, which is high with `load`, so that whichever policy
// a commit selects begins as after a reset, and also alone. bxi-basic and bxi-deficit share a slot.
// With Latency 1 each slot has candidates of its own (qosarb_port_candidates; engines that look ahead keep theirs), which
// follow its own grants, so that no decision waits for others. Those of the policy in force follow another grant than
// the port's only in the cycle after a load, and with Protect after one that was withheld, when nothing is granted;
// others follow no grant, and are not asked. A slot that counts who waits, as trtcm does, follows the port's.
// The registers of a policy that is not built in do not exist.

module qosarb_port_policies #(
  parameter  qosarb_port_pkg::build_t Build = '0,
  parameter  type                     request_t      = logic,  // the structs of qosarb_ports
  parameter  type                     answer_t       = logic,
  parameter  type                     port_request_t = logic,
  parameter  type                     port_answer_t  = logic,
  localparam int unsigned             Ports  = Build.ports,
  localparam int unsigned             Queues = Build.queues
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic [Ports-1:0]             port_rst_ni,  // of what a port has for itself

  // What the slots are told; candidates, `queue_sl` and `left_age` are added here.
  input  request_t                     slots_i,
  output answer_t                      slots_o,
  input  port_request_t [Ports-1:0]    ports_i,
  output port_answer_t [Ports-1:0]     ports_o,

  // What each port tells the chip's age clock.
  output qosarb_port_pkg::departure_t [Ports-1:0] left_o,

  // What each port grants, and whose head it grants or drops.
  input  logic [Ports-1:0][Queues-1:0] grant_i,
  input  logic [Ports-1:0]             leaves_valid_i,
  input  logic [Ports-1:0][Queues-1:0] leaves_i,

  // The queues that the entries of a shadow configuration serve, up to the one that is looked at.
  output logic [Queues-1:0]            check_served_o
);

  import qosarb_port_pkg::*;
  import qosarb_port_reg_pkg::*;

  localparam int unsigned QueueWidth    = qosarb_pkg::index_width(Queues);
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

  answer_t [Slots-1:0]       answer;
  request_t                  request;

  port_request_t [Ports-1:0] port_request [Slots];
  port_answer_t [Ports-1:0]  port_answer [Slots];

  // The SLs, which several policies serve.
  localparam bit HasSls = Included[PolicySbt] | Included[PolicyDtable];

  register_answer_t                  sl_answer;
  logic [Queues-1:0]                 seen, sl_served;
  logic [Queues-1:0][QueueWidth-1:0] queue_sl;

  assign seen = Queues'(slots_i.check.seen | slots_o.verdict.marks);

  if (HasSls) begin : g_sls
    qosarb_port_queue_sl #(
      .Queues(Queues)
    ) u_queue_sl (
      .clk_i,
      .rst_ni,
      .register_i    (slots_i.access),
      .register_o    (sl_answer),
      .check_sls_i   (seen),
      .check_queues_o(sl_served),
      .load_i        (slots_i.load),
      .queue_sl_o    (queue_sl)
    );
  end else begin : g_no_sls
    logic unused_reset;
    assign unused_reset = rst_ni;
    assign sl_answer    = '0;
    assign sl_served    = '0;
    assign queue_sl     = '0;
  end

  // What the slots are told.
  localparam logic [15:0] CountWaiting = 16'd1 << PolicyTrtcm;

  for (genvar c = 0; c < $bits(Built); c++) begin : g_policy
    if (Built[c]) begin : g_built
      localparam int unsigned Place = place(policy_e'(c));

      for (genvar p = 0; p < Ports; p++) begin : g_port
        port_request_t with_candidates;

        qosarb_port_candidates #(
          .Build      (Build),
          .request_t  (port_request_t),
          .LateLengths(c == 32'(PolicyInfiniband))
        ) u_candidates (
          .clk_i,
          .rst_ni (port_rst_ni[p]),
          .port_i (ports_i[p]),
          .grant_i(CountWaiting[c] ? grant_i[p] : port_answer[Place][p].grant),
          .port_o (with_candidates)
        );

        always_comb begin
          port_request[Place][p]          = with_candidates;
          port_request[Place][p].left_age = left_o[p].left_age;
        end
      end
    end
  end

  always_comb begin
    request          = slots_i;
    request.queue_sl = queue_sl;
  end

  if (Built[PolicyRr]) begin : g_rr
    qosarb_rr_slot #(
      .Build         (Build),
      .request_t     (request_t),
      .answer_t      (answer_t),
      .port_request_t(port_request_t),
      .port_answer_t (port_answer_t)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .port_rst_ni,
      .slot_i (request),
      .slot_o (answer[place(PolicyRr)]),
      .ports_i(port_request[place(PolicyRr)]),
      .ports_o(port_answer[place(PolicyRr)])
    );
  end

  if (Built[PolicyBxiDeficit]) begin : g_bxi
    qosarb_bxi_slot #(
      .Build         (Build),
      .request_t     (request_t),
      .answer_t      (answer_t),
      .port_request_t(port_request_t),
      .port_answer_t (port_answer_t)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .port_rst_ni,
      .slot_i (request),
      .slot_o (answer[place(PolicyBxiDeficit)]),
      .ports_i(port_request[place(PolicyBxiDeficit)]),
      .ports_o(port_answer[place(PolicyBxiDeficit)])
    );
  end

  if (Built[PolicySbt]) begin : g_sbt
    qosarb_sbt_slot #(
      .Build         (Build),
      .request_t     (request_t),
      .answer_t      (answer_t),
      .port_request_t(port_request_t),
      .port_answer_t (port_answer_t)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .port_rst_ni,
      .slot_i (request),
      .slot_o (answer[place(PolicySbt)]),
      .ports_i(port_request[place(PolicySbt)]),
      .ports_o(port_answer[place(PolicySbt)])
    );
  end

  if (Built[PolicyDtable]) begin : g_dtable
    qosarb_dtable_slot #(
      .Build         (Build),
      .request_t     (request_t),
      .answer_t      (answer_t),
      .port_request_t(port_request_t),
      .port_answer_t (port_answer_t)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .port_rst_ni,
      .slot_i (request),
      .slot_o (answer[place(PolicyDtable)]),
      .ports_i(port_request[place(PolicyDtable)]),
      .ports_o(port_answer[place(PolicyDtable)])
    );
  end

  if (Built[PolicyInfiniband]) begin : g_infiniband
    qosarb_infiniband_slot #(
      .Build         (Build),
      .request_t     (request_t),
      .answer_t      (answer_t),
      .port_request_t(port_request_t),
      .port_answer_t (port_answer_t)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .port_rst_ni,
      .slot_i (request),
      .slot_o (answer[place(PolicyInfiniband)]),
      .ports_i(port_request[place(PolicyInfiniband)]),
      .ports_o(port_answer[place(PolicyInfiniband)])
    );
  end

  if (Built[PolicySeastarAge]) begin : g_seastar_age
    qosarb_seastar_age_slot #(
      .Build         (Build),
      .request_t     (request_t),
      .answer_t      (answer_t),
      .port_request_t(port_request_t),
      .port_answer_t (port_answer_t)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .port_rst_ni,
      .slot_i (request),
      .slot_o (answer[place(PolicySeastarAge)]),
      .ports_i(port_request[place(PolicySeastarAge)]),
      .ports_o(port_answer[place(PolicySeastarAge)])
    );
  end

  if (Built[PolicyTrtcm]) begin : g_trtcm
    qosarb_trtcm_slot #(
      .Build         (Build),
      .request_t     (request_t),
      .answer_t      (answer_t),
      .port_request_t(port_request_t),
      .port_answer_t (port_answer_t)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .port_rst_ni,
      .slot_i (request),
      .slot_o (answer[place(PolicyTrtcm)]),
      .ports_i(port_request[place(PolicyTrtcm)]),
      .ports_o(port_answer[place(PolicyTrtcm)])
    );
  end

  if (Built[PolicyEts]) begin : g_ets
    qosarb_ets_slot #(
      .Build         (Build),
      .request_t     (request_t),
      .answer_t      (answer_t),
      .port_request_t(port_request_t),
      .port_answer_t (port_answer_t)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .port_rst_ni,
      .slot_i (request),
      .slot_o (answer[place(PolicyEts)]),
      .ports_i(port_request[place(PolicyEts)]),
      .ports_o(port_answer[place(PolicyEts)])
    );
  end

  // What leaves, by whichever policy, is told to the chip's age clock if one of them needs it.
  for (genvar p = 0; p < Ports; p++) begin : g_left
    if (Built[PolicySeastarAge]) begin : g_age_output
      qosarb_age_output #(
        .Queues(Queues)
      ) u_age_output (
        .clk_i,
        .rst_ni       (port_rst_ni[p]),
        .timestamp_i  (port_request[place(PolicySeastarAge)][p].chip.timestamp),
        .epoch_i      (port_request[place(PolicySeastarAge)][p].chip.epoch),
        .now_epoch_i  (ports_i[p].shown.chip.epoch),
        .valid_i      (ports_i[p].shown.valid),
        .field_i      (ports_i[p].shown.age_field),
        .in_epoch_i   (ports_i[p].shown.age_in_epoch),
        .grant_valid_i(leaves_valid_i[p]),
        .grant_i      (leaves_i[p]),
        .left_o       (left_o[p].left),
        .left_epoch_o (left_o[p].left_epoch),
        .left_age_o   (left_o[p].left_age),
        .others_wait_o(left_o[p].others_wait)
      );
    end else begin : g_no_age_output
      logic unused_grant;
      assign unused_grant = ^{leaves_valid_i[p], leaves_i[p]};
      assign left_o[p]    = '0;
    end
  end

  // What they answer, joined.
  always_comb begin
    slots_o        = '0;
    slots_o.access = sl_answer;
    for (int unsigned s = 0; s < Slots; s++) slots_o |= answer[s];
  end

  for (genvar p = 0; p < Ports; p++) begin : g_answer
    always_comb begin
      ports_o[p] = '0;
      for (int unsigned s = 0; s < Slots; s++) ports_o[p] |= port_answer[s][p];
    end
  end

  assign check_served_o = (slots_o.verdict.of_sls ? sl_served : seen) |
                          Queues'(slots_o.verdict.serves);

endmodule
