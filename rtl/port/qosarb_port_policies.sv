// The arbiters that a build includes, and the one among them that decides.
//
// Only the selected policy is asked; the state of the others stands still. All of them start over
// on `load_i`, so that whichever policy a commit selects begins as after a reset.
// bxi-basic and bxi-deficit share one table: they differ in whether deficits are kept.

module qosarb_port_policies #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  // One bit for each qosarb_pkg::policy_e that the build includes.
  parameter  int unsigned Policies       = 32'h7,
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

  // The candidates: the head of each queue, its length in flits, and its PFC stop.
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,

  // The link can take a packet; the answer comes in the same cycle.
  input  logic                                 request_i,
  output logic                                 grant_valid_o,
  output logic [Queues-1:0]                    grant_o,
  output logic [QueueWidth-1:0]                grant_queue_o,

  // State of the selected policy, for reading.
  output logic [7:0]                           current_o,
  output logic [RemainingWidth-1:0]            remaining_o,
  output logic [Entries-1:0][DeficitWidth-1:0] deficit_o
);

  localparam logic [15:0] Included      = 16'(Policies);
  localparam int unsigned KnownPolicies = 32'h7;

  if (!Included[qosarb_pkg::PolicyRr]) begin : g_check_rr
    $error("qosarb_port_policies: Policies must include rr (bit 0), which reset selects");
  end
  if ((Policies & ~KnownPolicies) != '0) begin : g_check_known
    $error("qosarb_port_policies: Policies has bits that stand for no policy");
  end

  localparam bit HasDeficit = Included[qosarb_pkg::PolicyBxiDeficit];
  localparam bit HasBxi     = Included[qosarb_pkg::PolicyBxiBasic] | HasDeficit;

  logic                                 rr_grant_valid;
  logic [Queues-1:0]                    rr_grant;
  logic [QueueWidth-1:0]                rr_grant_queue;
  logic [7:0]                           rr_current;
  logic [RemainingWidth-1:0]            rr_remaining;
  logic [Entries-1:0][DeficitWidth-1:0] rr_deficit;
  logic                                 rr_selected;

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
    .request_i    (request_i & rr_selected),
    .grant_valid_o(rr_grant_valid),
    .grant_o      (rr_grant),
    .grant_queue_o(rr_grant_queue),
    .current_o    (rr_current),
    .remaining_o  (rr_remaining),
    .deficit_o    (rr_deficit)
  );

  if (HasBxi) begin : g_bxi
    logic                                 bxi_grant_valid;
    logic [Queues-1:0]                    bxi_grant;
    logic [QueueWidth-1:0]                bxi_grant_queue;
    logic [7:0]                           bxi_current;
    logic [RemainingWidth-1:0]            bxi_remaining;
    logic [Entries-1:0][DeficitWidth-1:0] bxi_deficit;

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
      .deficits_on_i(policy_i == qosarb_pkg::PolicyBxiDeficit),
      .valid_i,
      .stopped_i,
      .flits_i,
      .request_i    (request_i & ~rr_selected),
      .grant_valid_o(bxi_grant_valid),
      .grant_o      (bxi_grant),
      .grant_queue_o(bxi_grant_queue),
      .current_o    (bxi_current),
      .remaining_o  (bxi_remaining),
      .deficit_o    (bxi_deficit)
    );

    assign rr_selected   = policy_i == qosarb_pkg::PolicyRr;
    assign grant_valid_o = rr_grant_valid | bxi_grant_valid;
    assign grant_o       = rr_grant | bxi_grant;
    assign grant_queue_o = rr_selected ? rr_grant_queue : bxi_grant_queue;
    assign current_o     = rr_selected ? rr_current : bxi_current;
    assign remaining_o   = rr_selected ? rr_remaining : bxi_remaining;
    assign deficit_o     = rr_selected ? rr_deficit : bxi_deficit;
  end else begin : g_rr_only
    logic unused_policy;
    assign unused_policy = ^policy_i;
    assign rr_selected   = 1'b1;
    assign grant_valid_o = rr_grant_valid;
    assign grant_o       = rr_grant;
    assign grant_queue_o = rr_grant_queue;
    assign current_o     = rr_current;
    assign remaining_o   = rr_remaining;
    assign deficit_o     = rr_deficit;
  end

endmodule
