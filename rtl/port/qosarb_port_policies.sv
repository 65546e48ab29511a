// The arbiters that a build includes, and the one among them that decides.
//
// Only the selected policy is asked; the state of the others stands still. All of them start over
// on `load_i`, so that whichever policy a commit selects begins as after a reset.
// bxi-basic and bxi-deficit share one table: they differ in whether deficits are kept.
// A policy that is not built in grants nothing.

module qosarb_port_policies #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned CounterWidth   = 32,
  // One bit for each qosarb_pkg::policy_e that the build includes.
  parameter  int unsigned Policies       = 32'h7,
  parameter  int unsigned Vcs            = 4,
  parameter  int unsigned BurstWidth     = 16,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1),
  localparam int unsigned DeficitWidth   = qosarb_pkg::index_width(MaxPacketFlits)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  input  qosarb_pkg::policy_e                  policy_i,

  // The policy and the table in force. A cycle with `load_i` is the last of those that stand in it;
  // at its end the state starts over.
  input  logic                                 load_i,
  input  logic [Entries-1:0]                   entry_used_i,     // ones up to the last entry
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,
  // What only some policies look at.
  input  logic [Queues-1:0][QueueWidth-1:0]    queue_sl_i,
  input  logic [7:0]                           vl_high_limit_i,
  input  logic                                 vl_low_turn_packet_i,
  input  logic [2:0]                           flit_bytes_log2_i,
  input  logic [63:0]                          age_rr_select_i,
  input  logic [Queues-1:0][QueueWidth-1:0]    class_priority_i,
  input  logic [Queues-1:0][16:0]              assured_rate_i,
  input  logic [Queues-1:0][16:0]              peak_rate_i,
  input  logic [Queues-1:0][BurstWidth-1:0]    assured_burst_i,
  input  logic [Queues-1:0][BurstWidth-1:0]    peak_burst_i,

  // The candidates: the head of each queue, its length in flits, and its PFC stop; for seastar-age
  // its stamp, and the chip's age clock.
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,
  input  logic [Queues-1:0][8:0]               age_field_i,
  input  logic [Queues-1:0]                    age_in_epoch_i,
  input  logic [7:0]                           age_timestamp_i,
  input  logic                                 age_epoch_i,
  input  logic                                 age_inhibit_i,

  // The link can take a packet; the answer comes in the same cycle.
  input  logic                                 request_i,
  output logic                                 grant_valid_o,
  output logic [Queues-1:0]                    grant_o,
  output logic [QueueWidth-1:0]                grant_queue_o,

  // The cycle after a grant of seastar-age: for the age clock, and the age of the packet.
  output logic                                 left_o,
  output logic                                 left_epoch_o,
  output logic [7:0]                           left_age_o,

  // State of the selected policy, for reading; zero where it has none.
  output logic [7:0]                           current_o,
  output logic [RemainingWidth-1:0]            remaining_o,
  output logic [Entries-1:0][DeficitWidth-1:0] deficit_o,
  output logic [Queues-1:0][QuantumWidth-1:0]  weight_left_o,
  output logic [7:0]                           vl_low_current_o,
  output logic                                 vl_low_in_turn_o,
  output logic [7:0]                           vl_low_remaining_o,
  output logic [19:0]                          vl_high_bytes_o,
  output logic [QueueWidth-1:0]                age_last_o,
  output logic [5:0]                           age_grants_o,
  output logic [Queues-1:0][BurstWidth+15:0]   assured_tokens_o,
  output logic [Queues-1:0][BurstWidth+15:0]   peak_tokens_o,

  // Counters that only one policy has.
  input  logic                                 counter_clear_i,
  output logic [Vcs-1:0][CounterWidth-1:0]     vc_blocked_o,
  output logic [Vcs-1:0][CounterWidth-1:0]     vc_packets_o,
  output logic [Vcs-1:0][CounterWidth-1:0]     vc_flits_o,
  output logic [3:0][CounterWidth-1:0]         age_group_o,
  output logic [CounterWidth-1:0]              age_stalled_o,
  output logic [Queues-1:0][CounterWidth-1:0]  green_stalls_o,
  output logic [Queues-1:0][CounterWidth-1:0]  yellow_stalls_o,
  output logic [Queues-1:0][CounterWidth-1:0]  red_stalls_o
);

  import qosarb_pkg::*;

  localparam int unsigned Codes         = 16;  // of the POLICY register
  localparam logic [15:0] Included      = 16'(Policies);
  localparam int unsigned KnownPolicies = 32'hff;

  if (!Included[PolicyRr]) begin : g_check_rr
    $error("qosarb_port_policies: Policies must include rr (bit 0), which reset selects");
  end
  if ((Policies & ~KnownPolicies) != '0) begin : g_check_known
    $error("qosarb_port_policies: Policies has bits that stand for no policy");
  end

  localparam bit HasDeficit = Included[PolicyBxiDeficit];
  localparam bit HasBxi     = Included[PolicyBxiBasic] | HasDeficit;
  localparam bit HasSbt     = Included[PolicySbt];
  localparam bit HasDtable  = Included[PolicyDtable];
  localparam bit HasVl      = Included[PolicyInfiniband];
  localparam bit HasAge     = Included[PolicySeastarAge];
  localparam bit HasClass   = Included[PolicyTrtcm];

  // Up to this many candidates are compared pair by pair; more are compared in groups.
  localparam int unsigned PairsUpTo = 8;

  // What each policy says, by its code; bxi-basic and bxi-deficit say it as bxi-deficit.
  logic [Codes-1:0]                     asked;
  logic [Codes-1:0]                     grant_valid;
  logic [Codes-1:0][Queues-1:0]         grant;
  logic [Codes-1:0][QueueWidth-1:0]     grant_queue;
  logic [Codes-1:0][7:0]                current;
  logic [Codes-1:0][RemainingWidth-1:0] remaining;

  for (genvar p = 0; p < Codes; p++) begin : g_asked
    assign asked[p] = (policy_i == policy_e'(p)) ||
                      (p == PolicyBxiDeficit && policy_i == PolicyBxiBasic);
  end

  assign grant_valid_o = |grant_valid;

  always_comb begin
    grant_o       = '0;
    grant_queue_o = '0;
    current_o     = '0;
    remaining_o   = '0;
    for (int unsigned p = 0; p < Codes; p++) begin
      grant_o       |= grant[p];
      grant_queue_o |= grant_queue[p] & {QueueWidth{asked[p]}};
      current_o     |= current[p] & {8{asked[p]}};
      remaining_o   |= remaining[p] & {RemainingWidth{asked[p]}};
    end
  end

  // The codes that no policy has.
  assign grant_valid[Codes-1:PolicyTrtcm+1] = '0;
  assign grant[Codes-1:PolicyTrtcm+1]       = '0;
  assign grant_queue[Codes-1:PolicyTrtcm+1] = '0;
  assign current[Codes-1:PolicyTrtcm+1]     = '0;
  assign remaining[Codes-1:PolicyTrtcm+1]   = '0;

  // rr.
  logic [Entries-1:0][DeficitWidth-1:0] unused_rr_deficit;

  qosarb_rr #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_rr (
    .clk_i,
    .rst_ni,
    .load_i,
    .entry_used_i,
    .entry_queue_i,
    .entry_quantum_i,
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i    (request_i & asked[PolicyRr]),
    .grant_valid_o(grant_valid[PolicyRr]),
    .grant_o      (grant[PolicyRr]),
    .grant_queue_o(grant_queue[PolicyRr]),
    .current_o    (current[PolicyRr]),
    .remaining_o  (remaining[PolicyRr]),
    .deficit_o    (unused_rr_deficit)
  );

  // bxi-basic, bxi-deficit.
  logic [Entries-1:0][DeficitWidth-1:0] bxi_deficit;

  assign grant_valid[PolicyBxiBasic] = 1'b0;
  assign grant[PolicyBxiBasic]       = '0;
  assign grant_queue[PolicyBxiBasic] = '0;
  assign current[PolicyBxiBasic]     = '0;
  assign remaining[PolicyBxiBasic]   = '0;

  if (HasBxi) begin : g_bxi
    qosarb_bxi_table #(
      .Queues        (Queues),
      .Entries       (Entries),
      .QuantumWidth  (QuantumWidth),
      .MaxPacketFlits(MaxPacketFlits),
      .Deficits      (HasDeficit)
    ) u_bxi (
      .clk_i,
      .rst_ni,
      .load_i,
      .entry_used_i,
      .entry_queue_i,
      .entry_quantum_i,
      .deficits_on_i(policy_i == PolicyBxiDeficit),
      .valid_i,
      .stopped_i,
      .flits_i,
      .request_i    (request_i & asked[PolicyBxiDeficit]),
      .grant_valid_o(grant_valid[PolicyBxiDeficit]),
      .grant_o      (grant[PolicyBxiDeficit]),
      .grant_queue_o(grant_queue[PolicyBxiDeficit]),
      .current_o    (current[PolicyBxiDeficit]),
      .remaining_o  (remaining[PolicyBxiDeficit]),
      .deficit_o    (bxi_deficit)
    );
  end else begin : g_no_bxi
    assign grant_valid[PolicyBxiDeficit] = 1'b0;
    assign grant[PolicyBxiDeficit]       = '0;
    assign grant_queue[PolicyBxiDeficit] = '0;
    assign current[PolicyBxiDeficit]     = '0;
    assign remaining[PolicyBxiDeficit]   = '0;
    assign bxi_deficit                   = '0;
  end

  // sbt: at most one entry for each SL, and no more SLs than queues.
  assign remaining[PolicySbt] = '0;

  if (HasSbt) begin : g_sbt
    qosarb_sbt #(
      .Queues        (Queues),
      .QuantumWidth  (QuantumWidth),
      .MaxPacketFlits(MaxPacketFlits)
    ) u_sbt (
      .clk_i,
      .rst_ni,
      .load_i,
      .entry_used_i  (entry_used_i[Queues-1:0]),
      .entry_sl_i    (entry_queue_i[Queues-1:0]),
      .entry_weight_i(entry_quantum_i[Queues-1:0]),
      .queue_sl_i,
      .valid_i,
      .stopped_i,
      .flits_i,
      .request_i     (request_i & asked[PolicySbt]),
      .grant_valid_o (grant_valid[PolicySbt]),
      .grant_o       (grant[PolicySbt]),
      .grant_queue_o (grant_queue[PolicySbt]),
      .current_o     (current[PolicySbt]),
      .left_o        (weight_left_o)
    );
  end else begin : g_no_sbt
    assign grant_valid[PolicySbt] = 1'b0;
    assign grant[PolicySbt]       = '0;
    assign grant_queue[PolicySbt] = '0;
    assign current[PolicySbt]     = '0;
    assign weight_left_o          = '0;
  end

  // dtable.
  logic [Queues-1:0][DeficitWidth-1:0] sl_deficit;

  if (HasDtable) begin : g_dtable
    logic                  unused_selected;
    logic [QueueWidth-1:0] unused_selected_sl;

    qosarb_dtable #(
      .Queues        (Queues),
      .Entries       (Entries),
      .QuantumWidth  (QuantumWidth),
      .MaxPacketFlits(MaxPacketFlits)
    ) u_dtable (
      .clk_i,
      .rst_ni,
      .load_i,
      .entry_used_i,
      .entry_sl_i    (entry_queue_i),
      .entry_weight_i(entry_quantum_i),
      .queue_sl_i,
      .valid_i,
      .stopped_i,
      .flits_i,
      .request_i     (request_i & asked[PolicyDtable]),
      .grant_valid_o (grant_valid[PolicyDtable]),
      .grant_o       (grant[PolicyDtable]),
      .grant_queue_o (grant_queue[PolicyDtable]),
      .current_o     (current[PolicyDtable]),
      .selected_o    (unused_selected),
      .selected_sl_o (unused_selected_sl),
      .remaining_o   (remaining[PolicyDtable]),
      .deficit_o     (sl_deficit)
    );
  end else begin : g_no_dtable
    assign grant_valid[PolicyDtable] = 1'b0;
    assign grant[PolicyDtable]       = '0;
    assign grant_queue[PolicyDtable] = '0;
    assign current[PolicyDtable]     = '0;
    assign remaining[PolicyDtable]   = '0;
    assign sl_deficit                = '0;
  end

  if (!HasSbt && !HasDtable) begin : g_no_sl
    logic unused_sl;
    assign unused_sl = ^queue_sl_i;
  end

  // The deficits are those of bxi's entries, or of dtable's SLs.
  assign deficit_o =
      (bxi_deficit & {(Entries * DeficitWidth){asked[PolicyBxiDeficit]}}) |
      ((Entries * DeficitWidth)'(sl_deficit) & {(Entries * DeficitWidth){asked[PolicyDtable]}});

  // infiniband: the high table is the lower half of the entries, the low table the upper half. An
  // entry that is not used has no weight.
  if (HasVl) begin : g_vl
    localparam int unsigned VlEntries = Entries / 2;

    logic [VlEntries-1:0][QueueWidth-1:0] high_vl, low_vl;
    logic [VlEntries-1:0][7:0]            high_weight, low_weight;
    logic [7:0]                           high_remaining;

    for (genvar e = 0; e < VlEntries; e++) begin : g_entry
      assign high_vl[e]     = entry_queue_i[e];
      assign high_weight[e] = 8'(entry_quantum_i[e]);
      assign low_vl[e]      = entry_queue_i[VlEntries+e];
      assign low_weight[e]  = 8'(entry_quantum_i[VlEntries+e]);
    end

    qosarb_infiniband #(
      .Queues        (Queues),
      .Entries       (VlEntries),
      .MaxPacketFlits(MaxPacketFlits)
    ) u_infiniband (
      .clk_i,
      .rst_ni,
      .load_i,
      .high_used_i      ('1),
      .high_vl_i        (high_vl),
      .high_weight_i    (high_weight),
      .low_used_i       ('1),
      .low_vl_i         (low_vl),
      .low_weight_i     (low_weight),
      .limit_i          (vl_high_limit_i),
      .low_turn_packet_i(vl_low_turn_packet_i),
      .flit_bytes_log2_i,
      .valid_i,
      .stopped_i,
      .flits_i,
      .request_i        (request_i & asked[PolicyInfiniband]),
      .grant_valid_o    (grant_valid[PolicyInfiniband]),
      .grant_o          (grant[PolicyInfiniband]),
      .grant_queue_o    (grant_queue[PolicyInfiniband]),
      .current_o        (current[PolicyInfiniband]),
      .remaining_o      (high_remaining),
      .low_current_o    (vl_low_current_o),
      .low_remaining_o  (vl_low_remaining_o),
      .high_bytes_o     (vl_high_bytes_o),
      .in_low_turn_o    (vl_low_in_turn_o)
    );

    assign remaining[PolicyInfiniband] = RemainingWidth'(high_remaining);

    logic unused_remaining;  // where a quantum has fewer bits than a weight
    assign unused_remaining = ^high_remaining;
  end else begin : g_no_vl
    logic unused_vl;
    assign unused_vl = ^{vl_high_limit_i, vl_low_turn_packet_i, flit_bytes_log2_i};
    assign grant_valid[PolicyInfiniband] = 1'b0;
    assign grant[PolicyInfiniband]       = '0;
    assign grant_queue[PolicyInfiniband] = '0;
    assign current[PolicyInfiniband]     = '0;
    assign remaining[PolicyInfiniband]   = '0;
    assign vl_low_current_o              = '0;
    assign vl_low_in_turn_o              = 1'b0;
    assign vl_low_remaining_o            = '0;
    assign vl_high_bytes_o               = '0;
  end

  // seastar-age.
  if (HasAge) begin : g_age
    logic [QueueWidth-1:0] last_rr;

    if (Vcs < 2 || Vcs % 2 != 0 || Vcs > 16 || Queues % Vcs != 0) begin : g_check_vcs
      $error("qosarb_port_policies: Vcs must be even, within 2..16, and divide Queues");
    end

    qosarb_seastar_age #(
      .Queues   (Queues),
      .GroupSize((Queues > PairsUpTo) ? Vcs : Queues)
    ) u_age (
      .clk_i,
      .rst_ni,
      .load_i,
      .age_rr_select_i,
      .timestamp_i  (age_timestamp_i),
      .epoch_i      (age_epoch_i),
      .inhibit_i    (age_inhibit_i),
      .valid_i,
      .stopped_i,
      .field_i      (age_field_i),
      .in_epoch_i   (age_in_epoch_i),
      .request_i    (request_i & asked[PolicySeastarAge]),
      .grant_valid_o(grant_valid[PolicySeastarAge]),
      .grant_o      (grant[PolicySeastarAge]),
      .grant_queue_o(grant_queue[PolicySeastarAge]),
      .left_o,
      .left_epoch_o,
      .left_age_o,
      .last_rr_o    (last_rr),
      .last_age_o   (age_last_o),
      .grants_o     (age_grants_o)
    );

    assign current[PolicySeastarAge]   = 8'(last_rr);
    assign remaining[PolicySeastarAge] = '0;

    qosarb_age_counters #(
      .Inputs        (inputs(Queues, Vcs)),
      .Vcs           (Vcs),
      .MaxPacketFlits(MaxPacketFlits),
      .CounterWidth  (CounterWidth)
    ) u_counters (
      .clk_i,
      .rst_ni,
      .clear_i         (counter_clear_i),
      .enable_i        (asked[PolicySeastarAge]),
      .valid_i,
      .stopped_i,
      .flits_i,
      .grant_i         (grant[PolicySeastarAge]),
      .left_age_group_i(left_age_o[7:6]),
      .blocked_o       (vc_blocked_o),
      .stalled_o       (age_stalled_o),
      .packets_o       (vc_packets_o),
      .flits_o         (vc_flits_o),
      .age_group_o
    );
  end else begin : g_no_age
    logic unused_age;
    assign unused_age = ^{age_rr_select_i, age_timestamp_i, age_epoch_i, age_inhibit_i, age_field_i,
                          age_in_epoch_i};
    assign grant_valid[PolicySeastarAge] = 1'b0;
    assign grant[PolicySeastarAge]       = '0;
    assign grant_queue[PolicySeastarAge] = '0;
    assign current[PolicySeastarAge]     = '0;
    assign remaining[PolicySeastarAge]   = '0;
    assign left_o                        = 1'b0;
    assign left_epoch_o                  = 1'b0;
    assign left_age_o                    = '0;
    assign age_last_o                    = '0;
    assign age_grants_o                  = '0;
    assign vc_blocked_o                  = '0;
    assign vc_packets_o                  = '0;
    assign vc_flits_o                    = '0;
    assign age_group_o                   = '0;
    assign age_stalled_o                 = '0;
  end

  // trtcm.
  if (HasClass) begin : g_class
    logic [QueueWidth-1:0] last_red;
    logic [Queues-1:0]     green, yellow;

    qosarb_trtcm #(
      .Queues        (Queues),
      .BurstWidth    (BurstWidth),
      .MaxPacketFlits(MaxPacketFlits)
    ) u_trtcm (
      .clk_i,
      .rst_ni,
      .load_i,
      .priority_i      (class_priority_i),
      .assured_rate_i,
      .peak_rate_i,
      .assured_burst_i,
      .peak_burst_i,
      .valid_i,
      .stopped_i,
      .flits_i,
      .request_i       (request_i & asked[PolicyTrtcm]),
      .grant_valid_o   (grant_valid[PolicyTrtcm]),
      .grant_o         (grant[PolicyTrtcm]),
      .grant_queue_o   (grant_queue[PolicyTrtcm]),
      .green_o         (green),
      .yellow_o        (yellow),
      .last_red_o      (last_red),
      .assured_tokens_o,
      .peak_tokens_o
    );

    assign current[PolicyTrtcm]   = 8'(last_red);
    assign remaining[PolicyTrtcm] = '0;

    qosarb_trtcm_counters #(
      .Queues      (Queues),
      .CounterWidth(CounterWidth)
    ) u_counters (
      .clk_i,
      .rst_ni,
      .clear_i  (counter_clear_i),
      .enable_i (asked[PolicyTrtcm]),
      .valid_i,
      .stopped_i,
      .grant_i  (grant[PolicyTrtcm]),
      .green_i  (green),
      .yellow_i (yellow),
      .green_o  (green_stalls_o),
      .yellow_o (yellow_stalls_o),
      .red_o    (red_stalls_o)
    );
  end else begin : g_no_class
    logic unused_class;
    assign unused_class = ^{class_priority_i, assured_rate_i, peak_rate_i, assured_burst_i,
                            peak_burst_i};
    assign grant_valid[PolicyTrtcm] = 1'b0;
    assign grant[PolicyTrtcm]       = '0;
    assign grant_queue[PolicyTrtcm] = '0;
    assign current[PolicyTrtcm]     = '0;
    assign remaining[PolicyTrtcm]   = '0;
    assign assured_tokens_o         = '0;
    assign peak_tokens_o            = '0;
    assign green_stalls_o           = '0;
    assign yellow_stalls_o          = '0;
    assign red_stalls_o             = '0;
  end

  if (!HasAge && !HasClass) begin : g_no_counters
    logic unused_clear;
    assign unused_clear = counter_clear_i;
  end

endmodule
