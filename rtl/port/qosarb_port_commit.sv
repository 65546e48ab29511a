// The configuration in force, and the check that a shadow configuration passes to become it.
//
// Algorithm:
//   1. `start_i` begins a check of the shadow configuration, which stands still until it is over.
//      rr and seastar-age take any configuration, so for them there is nothing to check.
//   2. For a table policy one entry a cycle is looked at, from entry 0 to the last one; for trtcm
//      one class a cycle. The commit is refused with the first fault, and `where_o` is the entry or
//      class that has it:
//      a. bxi: a quantum shorter than the longest packet; dtable: one shorter than its SL's MTU;
//      b. sbt: a weight of 0, or an SL that has an entry already;
//      c. infiniband: a weight above 255;
//      d. trtcm: an assured rate above the peak rate, a burst shorter than the longest packet where
//         the rate is not 0, a priority that a class has already.
//      Beside that it is noted whom the entries serve. With the last entry, every queue in use must
//      be served, itself or through its SL; else the commit is refused and `where_o` is the lowest
//      queue that is not.
//   3. A configuration that passes is applied as a whole at the end of one cycle, the one in which
//      `load_o` is high. A decision of that cycle is the last one by the old table.
// Packet boundary: a decision begins and ends in one cycle, and a packet that was granted depends on
// the table no more. So the end of any cycle lies between two packets for the arbiter, whether the
// link sends, idles or is down, and no commit waits for the link.
// Bound: `load_o` or the refusal comes at most E + 1 cycles after `start_i`, E being the entries or
// classes that are looked at.

module qosarb_port_commit #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  parameter  int unsigned Policies       = 32'hff,
  parameter  int unsigned Vcs            = 4,
  parameter  int unsigned BurstWidth     = 16,
  localparam int unsigned Inputs         = qosarb_pkg::inputs(Queues, Vcs),
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned CountWidth     = $clog2(Entries + 1)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  // The shadow configuration. A start while a commit is in progress is not allowed.
  input  logic                                 start_i,
  input  qosarb_pkg::policy_e                  policy_i,
  input  logic [CountWidth-1:0]                table_entries_i,
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,
  input  logic [Queues-1:0]                    queues_in_use_i,
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,
  input  logic [Queues-1:0][QueueWidth-1:0]    queue_sl_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    sl_mtu_i,
  input  logic [7:0]                           vl_high_limit_i,
  input  logic                                 vl_low_turn_packet_i,
  input  logic [2:0]                           flit_bytes_log2_i,
  input  logic [63:0]                          age_rr_select_i,
  input  logic [31:0]                          age_clock_period_i,
  input  logic [Inputs-1:0][5:0]               age_bias_i,
  input  logic [Queues-1:0][QueueWidth-1:0]    class_priority_i,
  input  logic [Queues-1:0][16:0]              assured_rate_i,
  input  logic [Queues-1:0][16:0]              peak_rate_i,
  input  logic [Queues-1:0][BurstWidth-1:0]    assured_burst_i,
  input  logic [Queues-1:0][BurstWidth-1:0]    peak_burst_i,

  // How far the commit is, and how the last one ended.
  output qosarb_port_reg_pkg::status_progress_e progress_o,
  output qosarb_port_reg_pkg::status_outcome_e  outcome_o,
  output qosarb_port_reg_pkg::status_reason_e   reason_o,
  output logic [7:0]                            where_o,

  // The configuration in force.
  output logic                                 load_o,
  output qosarb_pkg::policy_e                  policy_o,
  output logic [CountWidth-1:0]                table_entries_o,
  output logic [FlitsWidth-1:0]                max_packet_flits_o,
  output logic [Queues-1:0]                    queues_in_use_o,
  output logic [Entries-1:0]                   entry_used_o,
  output logic [Entries-1:0][QueueWidth-1:0]   entry_queue_o,
  output logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_o,
  output logic [Queues-1:0][QueueWidth-1:0]    queue_sl_o,
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
  output logic [Queues-1:0][BurstWidth-1:0]    peak_burst_o
);

  import qosarb_port_reg_pkg::*;

  localparam int unsigned EntryWidth  = qosarb_pkg::index_width(Entries);
  localparam int unsigned WeightWidth = (QuantumWidth > 9) ? QuantumWidth : 9;

  localparam logic [15:0] Included      = 16'(Policies);
  localparam bit          HasSbt        = Included[PolicySbt];
  localparam bit          HasDtable     = Included[PolicyDtable];
  localparam bit          HasInfiniband = Included[PolicyInfiniband];
  localparam bit          HasAge        = Included[PolicySeastarAge];
  localparam bit          HasClass      = Included[PolicyTrtcm];

  // 1. Where the commit stands.
  status_progress_e      progress_d, progress_q;
  status_outcome_e       outcome_d, outcome_q;
  status_reason_e        reason_d, reason_q;
  logic [7:0]            where_d, where_q;
  logic [EntryWidth-1:0] entry_d, entry_q;  // or class, looked at in this cycle
  logic [Queues-1:0]     seen_d, seen_q;    // queues, SLs, or priorities of those before it

  logic is_sbt, is_dtable, is_infiniband, is_class, needs_check;

  assign is_sbt        = HasSbt & (policy_i == qosarb_pkg::PolicySbt);
  assign is_dtable     = HasDtable & (policy_i == qosarb_pkg::PolicyDtable);
  assign is_infiniband = HasInfiniband & (policy_i == qosarb_pkg::PolicyInfiniband);
  assign is_class      = HasClass & (policy_i == qosarb_pkg::PolicyTrtcm);
  assign needs_check   = policy_i != qosarb_pkg::PolicyRr &&
                         !(HasAge && policy_i == qosarb_pkg::PolicySeastarAge);

  // 2. The entry or class that is looked at.
  logic [QueueWidth-1:0]   index;  // its queue, SL or priority
  logic [WeightWidth-1:0]  weight;
  logic                    is_last, is_new, is_seen;
  logic [Queues-1:0]       seen, served, unserved, lowest_unserved;
  logic [QueueWidth-1:0]   unserved_queue;
  status_reason_e          fault;

  logic [QueueWidth-1:0]   looked_at;  // class
  logic [FlitsWidth-1:0]   least;      // weight of an entry
  logic                    rates_are_wrong, burst_is_short;

  assign looked_at = QueueWidth'(entry_q);
  assign index     = is_class ? class_priority_i[looked_at] : entry_queue_i[entry_q];
  assign weight    = WeightWidth'(entry_quantum_i[entry_q]);
  assign least     = is_dtable ? sl_mtu_i[index] : max_packet_flits_i;

  assign rates_are_wrong = assured_rate_i[looked_at] > peak_rate_i[looked_at];
  assign burst_is_short  =
      ((assured_rate_i[looked_at] != '0) &
       (assured_burst_i[looked_at] < BurstWidth'(max_packet_flits_i))) |
      ((peak_rate_i[looked_at] != '0) &
       (peak_burst_i[looked_at] < BurstWidth'(max_packet_flits_i)));

  always_comb begin
    if (is_class)           is_last = 32'(entry_q) == Queues - 1;
    else if (is_infiniband) is_last = 32'(entry_q) == 2 * (Entries / 2) - 1;  // two halves
    else                    is_last = CountWidth'(entry_q) + 1'b1 == table_entries_i;
  end

  assign is_new  = !(is_infiniband && weight == '0);  // an entry that is skipped serves nobody
  assign is_seen = seen_q[index];
  assign seen    = seen_q | (Queues'(is_new) << index);

  always_comb begin
    fault = StatusReasonNone;
    if (is_class) begin
      if (is_seen)         fault = StatusReasonRepeatedPriority;
      if (burst_is_short)  fault = StatusReasonShortBurst;
      if (rates_are_wrong) fault = StatusReasonRates;
    end else if (is_infiniband) begin
      if (weight[WeightWidth-1:8] != '0) fault = StatusReasonLargeWeight;
    end else if (is_sbt) begin
      if (is_seen)      fault = StatusReasonRepeatedSl;
      if (weight == '0) fault = StatusReasonZeroWeight;
    end else if (weight < WeightWidth'(least)) begin
      fault = StatusReasonShortQuantum;
    end
  end

  // A class serves its own queue.
  for (genvar q = 0; q < Queues; q++) begin : g_served
    assign served[q] = is_class | seen[(is_sbt | is_dtable) ? queue_sl_i[q] : QueueWidth'(q)];
  end

  assign unserved        = queues_in_use_i & ~served;
  assign lowest_unserved = unserved & (~unserved + 1'b1);

  qosarb_onehot_to_index #(
    .Width(Queues)
  ) u_unserved_queue (
    .onehot_i(lowest_unserved),
    .index_o (unserved_queue)
  );

  always_comb begin
    progress_d = progress_q;
    outcome_d  = outcome_q;
    reason_d   = reason_q;
    where_d    = where_q;
    entry_d    = entry_q;
    seen_d     = seen_q;

    unique case (progress_q)
      StatusProgressIdle: begin
        if (start_i) begin
          progress_d = needs_check ? StatusProgressChecking : StatusProgressApplying;
          entry_d    = '0;
          seen_d     = '0;
        end
      end
      StatusProgressChecking: begin
        entry_d = entry_q + 1'b1;
        seen_d  = seen;
        if (fault != StatusReasonNone) begin
          progress_d = StatusProgressIdle;
          outcome_d  = StatusOutcomeRefused;
          reason_d   = fault;
          where_d    = 8'(entry_q);
        end else if (is_last) begin
          if (unserved == '0) begin
            progress_d = StatusProgressApplying;
          end else begin
            progress_d = StatusProgressIdle;
            outcome_d  = StatusOutcomeRefused;
            reason_d   = StatusReasonUnservedQueue;
            where_d    = 8'(unserved_queue);
          end
        end
      end
      StatusProgressApplying: begin
        progress_d = StatusProgressIdle;
        outcome_d  = StatusOutcomeInForce;
        reason_d   = StatusReasonNone;
        where_d    = '0;
      end
      default: progress_d = StatusProgressIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      progress_q <= StatusProgressIdle;
      outcome_q  <= StatusOutcomeNone;
      reason_q   <= StatusReasonNone;
      where_q    <= '0;
      entry_q    <= '0;
      seen_q     <= '0;
    end else begin
      progress_q <= progress_d;
      outcome_q  <= outcome_d;
      reason_q   <= reason_d;
      where_q    <= where_d;
      entry_q    <= entry_d;
      seen_q     <= seen_d;
    end
  end

  assign progress_o = progress_q;
  assign outcome_o  = outcome_q;
  assign reason_o   = reason_q;
  assign where_o    = where_q;

  // 3. The configuration in force.
  qosarb_pkg::policy_e                  policy_q;
  logic [CountWidth-1:0]                table_entries_q;
  logic [FlitsWidth-1:0]                max_packet_flits_q;
  logic [Queues-1:0]                    queues_in_use_q;
  logic [Entries-1:0]                   entry_used_q;
  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_q;
  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_q;

  localparam logic [Entries-1:0] AllEntries = '1;

  assign load_o = progress_q == StatusProgressApplying;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      policy_q           <= qosarb_pkg::PolicyRr;
      table_entries_q    <= CountWidth'(Queues);
      max_packet_flits_q <= FlitsWidth'(MaxPacketFlits);
      queues_in_use_q    <= '1;
      entry_used_q       <= ~(AllEntries << Queues);
      entry_quantum_q    <= {Entries{QuantumWidth'(MaxPacketFlits)}};
      for (int unsigned e = 0; e < Entries; e++) entry_queue_q[e] <= QueueWidth'(e % Queues);
    end else if (load_o) begin
      policy_q           <= policy_i;
      table_entries_q    <= table_entries_i;
      max_packet_flits_q <= max_packet_flits_i;
      queues_in_use_q    <= queues_in_use_i;
      entry_used_q       <= ~(AllEntries << table_entries_i);
      entry_quantum_q    <= entry_quantum_i;
      entry_queue_q      <= entry_queue_i;
    end
  end

  // The parts of it that only some policies have.
  if (HasSbt || HasDtable) begin : g_sl
    logic [Queues-1:0][QueueWidth-1:0] queue_sl_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        for (int unsigned q = 0; q < Queues; q++) queue_sl_q[q] <= QueueWidth'(q);
      end else if (load_o) begin
        queue_sl_q <= queue_sl_i;
      end
    end

    assign queue_sl_o = queue_sl_q;
  end else begin : g_no_sl
    assign queue_sl_o = queue_sl_i;
  end

  if (HasInfiniband) begin : g_infiniband
    logic [7:0] vl_high_limit_q;
    logic       vl_low_turn_packet_q;
    logic [2:0] flit_bytes_log2_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        vl_high_limit_q      <= '0;
        vl_low_turn_packet_q <= 1'b0;
        flit_bytes_log2_q    <= 3'd6;
      end else if (load_o) begin
        vl_high_limit_q      <= vl_high_limit_i;
        vl_low_turn_packet_q <= vl_low_turn_packet_i;
        flit_bytes_log2_q    <= flit_bytes_log2_i;
      end
    end

    assign vl_high_limit_o      = vl_high_limit_q;
    assign vl_low_turn_packet_o = vl_low_turn_packet_q;
    assign flit_bytes_log2_o    = flit_bytes_log2_q;
  end else begin : g_no_infiniband
    assign vl_high_limit_o      = vl_high_limit_i;
    assign vl_low_turn_packet_o = vl_low_turn_packet_i;
    assign flit_bytes_log2_o    = flit_bytes_log2_i;
  end

  // The period in force is 0 until the first commit: the age clock stands.
  if (HasAge) begin : g_age
    logic [63:0]            age_rr_select_q;
    logic [31:0]            age_clock_period_q;
    logic [Inputs-1:0][5:0] age_bias_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        age_rr_select_q    <= '1;
        age_clock_period_q <= '0;
        age_bias_q         <= '0;
      end else if (load_o) begin
        age_rr_select_q    <= age_rr_select_i;
        age_clock_period_q <= age_clock_period_i;
        age_bias_q         <= age_bias_i;
      end
    end

    assign age_rr_select_o    = age_rr_select_q;
    assign age_clock_period_o = age_clock_period_q;
    assign age_bias_o         = age_bias_q;
  end else begin : g_no_age
    assign age_rr_select_o    = age_rr_select_i;
    assign age_clock_period_o = age_clock_period_i;
    assign age_bias_o         = age_bias_i;
  end

  if (HasClass) begin : g_class
    logic [Queues-1:0][QueueWidth-1:0] class_priority_q;
    logic [Queues-1:0][16:0]           assured_rate_q, peak_rate_q;
    logic [Queues-1:0][BurstWidth-1:0] assured_burst_q, peak_burst_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        for (int unsigned q = 0; q < Queues; q++) class_priority_q[q] <= QueueWidth'(q);
        assured_rate_q  <= '0;
        peak_rate_q     <= '0;
        assured_burst_q <= '0;
        peak_burst_q    <= '0;
      end else if (load_o) begin
        class_priority_q <= class_priority_i;
        assured_rate_q   <= assured_rate_i;
        peak_rate_q      <= peak_rate_i;
        assured_burst_q  <= assured_burst_i;
        peak_burst_q     <= peak_burst_i;
      end
    end

    assign class_priority_o = class_priority_q;
    assign assured_rate_o   = assured_rate_q;
    assign peak_rate_o      = peak_rate_q;
    assign assured_burst_o  = assured_burst_q;
    assign peak_burst_o     = peak_burst_q;
  end else begin : g_no_class
    assign class_priority_o = class_priority_i;
    assign assured_rate_o   = assured_rate_i;
    assign peak_rate_o      = peak_rate_i;
    assign assured_burst_o  = assured_burst_i;
    assign peak_burst_o     = peak_burst_i;
  end

  assign policy_o           = policy_q;
  assign table_entries_o    = table_entries_q;
  assign max_packet_flits_o = max_packet_flits_q;
  assign queues_in_use_o    = queues_in_use_q;
  assign entry_used_o       = entry_used_q;
  assign entry_queue_o      = entry_queue_q;
  assign entry_quantum_o    = entry_quantum_q;

endmodule
