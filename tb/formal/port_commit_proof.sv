// What a port brings into force: qosarb_port behind a bus, any transfers, any packets, and a reset at any time.
//
// `written` is what software has written of a configuration: by transfers that ended without an error. `asked` is what
// it was when the last commit was written. What a policy says of it stands in commit/POLICY.svh, in the elements of
// arrays that its code selects: `own` are the fields that it has beside those of the port, `says` is what it finds of
// a configuration that is to be its own. scripts/prove makes a list of these files.

`define PORTS u_bench.u_port.u_ports

// The fields of a policy's own: where its slot has them, in the shadow and in force, or that it has none.
`define OWN_FIELDS(CODE, TYPE, SLOT, SHADOW, IN_FORCE) \
  if ($bits(TYPE) > OwnWidth) begin : g_too_wide_``SLOT \
    $error("port_commit_proof: OwnWidth does not hold the fields of a policy"); \
  end \
  assign own_shadow[CODE]   = own_t'(`PORTS.u_policies.SLOT.u_slot.SHADOW); \
  assign own_in_force[CODE] = own_t'(`PORTS.u_policies.SLOT.u_slot.IN_FORCE); \
  if (Protect != 0) begin : g_second_``SLOT \
    assign own_second[CODE] = \
        (`PORTS.u_policies.SLOT.u_slot.SHADOW == `PORTS.g_protect.u_second_policies.SLOT.u_slot.SHADOW) & \
        (`PORTS.u_policies.SLOT.u_slot.IN_FORCE == `PORTS.g_protect.u_second_policies.SLOT.u_slot.IN_FORCE); \
  end else begin : g_no_second_``SLOT \
    assign own_second[CODE] = 1'b1; \
  end
`define NO_FIELDS(CODE) \
  assign own_first[CODE]    = '0; \
  assign own_shadow[CODE]   = '0; \
  assign own_in_force[CODE] = '0; \
  assign own_second[CODE]   = 1'b1; \
  assign own_good[CODE]     = 1'b1; \
  assign own_access[CODE]   = '{known: 1'b0, writable: 1'b0, value: '0, own: written_q.own[CODE]};

module port_commit_proof #(
  parameter  int unsigned Queues         = 2,
  parameter  int unsigned Entries        = 3,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  int unsigned Vcs            = 2,
  parameter  int unsigned Protect        = 0,
  parameter  int unsigned Policies       = 32'h1ff,
  localparam int unsigned Codes          = $clog2(Policies + 1),
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned AddressWidth   = qosarb_port_reg_pkg::OffsetWidth,
  localparam int unsigned CountWidth     = $clog2(Entries + 1),
  localparam int unsigned TrafficWidth   = 32 * ((Queues * (23 + 2 * FlitsWidth) + 11 + 31) / 32),
  localparam int unsigned Parts          = 3 * Codes + 5 * Queues + 5 * Entries + 23
) (
  input  logic                    clk_i,
  input  logic                    reset_i,
  input  logic                    start_i,  // a transfer follows, if the bus is free
  input  logic                    write_i,
  input  logic [AddressWidth-1:0] address_i,
  input  logic [31:0]             data_i,
  input  logic [3:0]              strobes_i,
  input  logic [TrafficWidth-1:0] traffic_i,

  output logic                    not_coupled_o,
  output logic [Parts:0]          parts_o,
  output logic                    changes_by_itself_o,
  output logic                    not_as_a_whole_o,
  output logic                    written_otherwise_o,
  output logic                    out_of_range_o,
  output logic                    takes_too_long_o,
  output logic                    answers_otherwise_o,
  output logic                    begins_otherwise_o,
  output logic                    stays_out_o,
  output logic                    cover_written_after_commit_o,
  output logic                    cover_unserved_queue_o,
  output logic [Codes-1:0]        not_strict_o,                 // of each policy
  output logic [Codes-1:0]        cover_in_force_o
);

  import qosarb_port_reg_pkg::*;

  logic                    rst_n, writing, done, commits, applied;
  logic [AddressWidth-1:0] address;
  logic [31:0]             data;

  port_behind_a_bus #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Policies      (Policies),
    .Vcs           (Vcs),
    .Protect       (Protect)
  ) u_bench (
    .clk_i,
    .reset_i,
    .start_i,
    .write_i,
    .address_i,
    .data_i,
    .strobes_i,
    .traffic_i,
    .rst_no   (rst_n),
    .writing_o(writing),
    .done_o   (done),
    .commits_o(commits),
    .address_o(address),
    .data_o   (data),
    .applied_o(applied)
  );

  localparam int unsigned OwnWidth = 96 + 72 * Queues;
  typedef logic [OwnWidth-1:0] own_t;  // that a policy fills in part

  typedef struct packed {
    logic [3:0]                           policy;
    logic [CountWidth-1:0]                entries;
    logic [FlitsWidth-1:0]                longest;
    logic [Queues-1:0]                    in_use;
    logic [Entries-1:0][QueueWidth-1:0]   queue;
    logic [Entries-1:0][QuantumWidth-1:0] quantum;
    logic [Queues-1:0][QueueWidth-1:0]    queue_sl;
    own_t [Codes-1:0]                     own;
  } configuration_t;

  // What a policy says of a configuration; all zero where it takes any.
  typedef struct packed {
    logic                           needed;     // a check
    logic [CountWidth-1:0]          looked_at;  // entries or classes, from the first one
    logic [Entries-1:0][3:0]        fault;      // of each, a status_reason_e
    logic [Entries-1:0][Queues-1:0] marks;      // what each takes: a queue, an SL, a priority
    logic [Queues-1:0]              served;
  } says_t;

  // What becomes of a transfer at a register of a policy's own: of a read that is known, of a write that is good.
  typedef struct packed {
    logic        known;
    logic        writable;
    logic [31:0] value;
    own_t        own;
  } access_t;

  // What a reset leaves: the first policy, and a table with an entry for each queue.
  configuration_t      first, written_q, asked_q, shadow, in_force, in_force_q;
  own_t [Codes-1:0]    own_first, own_shadow, own_in_force;
  logic [Codes-1:0]    own_second;  // with Protect: the fields stand twice, the same
  logic [Codes-1:0]    own_good;    // what is written is in range
  access_t [Codes-1:0] own_access;
  says_t [Codes-1:0]   own_says;  // of what is asked for
  logic [Codes-1:0]    own_coupled, own_shown;

  always_comb begin
    first         = '0;
    first.entries = CountWidth'(Queues);
    first.longest = FlitsWidth'(MaxPacketFlits);
    first.in_use  = '1;
    for (int unsigned e = 0; e < Entries; e++) begin
      first.queue[e]   = QueueWidth'(e % Queues);
      first.quantum[e] = QuantumWidth'(MaxPacketFlits);
    end
    for (int unsigned q = 0; q < Queues; q++) first.queue_sl[q] = QueueWidth'(q);
    first.own = own_first;
  end

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      written_q <= first;
      asked_q   <= first;
    end else begin
      if (commits) asked_q <= written_q;
      if (done) begin
        case (address)
          PolicyOffset:         written_q.policy  <= data[3:0];
          TableEntriesOffset:   written_q.entries <= data[CountWidth-1:0];
          MaxPacketFlitsOffset: written_q.longest <= data[FlitsWidth-1:0];
          QueuesInUseOffset:    written_q.in_use  <= data[Queues-1:0];
          default: ;
        endcase
        for (int unsigned e = 0; e < Entries; e++) begin
          if (address == TableOffset + OffsetWidth'(4 * e)) begin
            written_q.queue[e]   <= data[QueueWidth-1:0];
            written_q.quantum[e] <= data[8 +: QuantumWidth];
          end
        end
        for (int unsigned q = 0; q < Queues; q++) begin
          if (address == QueueSlOffset + OffsetWidth'(4 * q)) written_q.queue_sl[q] <= data[QueueWidth-1:0];
        end
        for (int unsigned p = 0; p < Codes; p++) written_q.own[p] <= own_access[p].own;
      end
    end
  end

  assign shadow = '{
    policy: `PORTS.u_configuration.shadow_policy_q,
    entries: `PORTS.u_configuration.shadow_table_entries_q,
    longest: `PORTS.u_configuration.shadow_max_packet_flits_q,
    in_use: `PORTS.u_configuration.shadow_queues_in_use_q,
    queue: `PORTS.u_configuration.shadow_entry_queue,
    quantum: `PORTS.u_configuration.shadow_entry_quantum,
    queue_sl: `PORTS.u_policies.g_sls.u_queue_sl.shadow_queue_sl_q,
    own: own_shadow
  };
  assign in_force = '{
    policy: `PORTS.policy,
    entries: `PORTS.u_configuration.table_entries_q,
    longest: `PORTS.max_packet_flits,
    in_use: `PORTS.u_configuration.queues_in_use_q,
    queue: `PORTS.entry_queue,
    quantum: `PORTS.entry_quantum,
    queue_sl: `PORTS.u_policies.g_sls.u_queue_sl.queue_sl_q,
    own: own_in_force
  };

  // What the engines rely on: lengths, entries, queues and SLs that exist.
  function automatic logic in_range(configuration_t c);
    in_range = (c.longest != '0) & (32'(c.longest) <= MaxPacketFlits) & (c.entries != '0) &
               (32'(c.entries) <= Entries) & 1'(Policies >> c.policy);
    for (int unsigned e = 0; e < Entries; e++) in_range &= 32'(c.queue[e]) < Queues;
    for (int unsigned q = 0; q < Queues; q++) in_range &= 32'(c.queue_sl[q]) < Queues;
  endfunction

  // For the policies: the queues or SLs that entries stand for, and the queues that SLs serve.
  function automatic logic [Entries-1:0][Queues-1:0] queues_of(configuration_t c);
    for (int unsigned e = 0; e < Entries; e++) queues_of[e] = Queues'(1) << c.queue[e];
  endfunction

  function automatic logic [Queues-1:0] any_of(logic [Entries-1:0][Queues-1:0] marks, logic [CountWidth-1:0] upto);
    any_of = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (e < 32'(upto)) any_of |= marks[e];
    end
  endfunction

  function automatic logic [Queues-1:0] of_sls(configuration_t c, logic [Queues-1:0] sls);
    for (int unsigned q = 0; q < Queues; q++) of_sls[q] = sls[c.queue_sl[q]];
  endfunction

`include "policies.svh"

  says_t says;

  always_comb begin
    says = '0;
    for (int unsigned p = 0; p < Codes; p++) begin
      if (asked_q.policy == 4'(p)) says = own_says[p];
    end
  end

  // Why a commit is refused: by the first entry or class with a fault, else by the lowest queue in use that none
  // serves.
  typedef struct packed {
    status_outcome_e outcome;
    status_reason_e  reason;
    logic [7:0]      where;
  } told_t;

  function automatic told_t told_of(says_t says, logic [Queues-1:0] in_use);
    told_of = '{outcome: StatusOutcomeInForce, reason: StatusReasonNone, where: '0};
    if (says.needed) begin
      for (int q = Queues - 1; q >= 0; q--) begin
        if (in_use[q] && !says.served[q]) begin
          told_of = '{outcome: StatusOutcomeRefused, reason: StatusReasonUnservedQueue, where: 8'(q)};
        end
      end
      for (int e = Entries - 1; e >= 0; e--) begin
        if (e < 32'(says.looked_at) && (says.fault[e] != '0)) begin
          told_of = '{outcome: StatusOutcomeRefused, reason: status_reason_e'(says.fault[e]), where: 8'(e)};
        end
      end
    end
  endfunction

  // Coupling, by parts: the shadow is what was written, a write that goes on was found good, a commit that goes on has
  // found no fault in what it has looked at and fetches the entry behind, else the first.
  told_t                 asked_for;
  logic                  idle, checking, applying;
  logic [CountWidth-1:0] index;
  logic [CountWidth:0]   cycles_q;  // of the commit in progress

  assign asked_for = told_of(says, asked_q.in_use);
  assign idle      = `PORTS.progress == StatusProgressIdle;
  assign checking  = `PORTS.progress == StatusProgressChecking;
  assign applying  = `PORTS.progress == StatusProgressApplying;
  assign index     = CountWidth'(`PORTS.check_index);

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n)              cycles_q <= '0;
    else if (idle)           cycles_q <= '0;
    else if (cycles_q != '1) cycles_q <= cycles_q + 1'b1;
  end

  // The configuration.
  logic               fields_equal, sls_equal, written_valid, in_force_valid, policy_equal, used_equal, good_holds;
  logic [Entries-1:0] entry_equal;
  logic [Codes-1:0]   own_equal;

  assign fields_equal   = {shadow.policy, shadow.entries, shadow.longest, shadow.in_use} ==
                          {written_q.policy, written_q.entries, written_q.longest, written_q.in_use};
  assign sls_equal      = shadow.queue_sl == written_q.queue_sl;
  assign written_valid  = in_range(written_q);
  assign in_force_valid = in_range(in_force);
  assign policy_equal   = `PORTS.u_configuration.policy_q == in_force.policy;
  assign used_equal     = `PORTS.entry_used == ~({Entries{1'b1}} << in_force.entries);
  assign good_holds     = ~writing | `PORTS.u_registers.error | ~`PORTS.u_registers.is_configuration |
                          `PORTS.u_registers.write_good;
  for (genvar e = 0; e < Entries; e++) begin : g_entry
    assign entry_equal[e] = {shadow.queue[e], shadow.quantum[e]} == {written_q.queue[e], written_q.quantum[e]};
  end
  for (genvar p = 0; p < Codes; p++) begin : g_own
    assign own_equal[p] = shadow.own[p] == written_q.own[p];
  end

  // The commit: where it is, what it has seen and found so far, and that what is applied has passed.
  logic               progress_known, asked_equal, fetch_equal, needed_equal, index_valid, cycles_equal, check_equal;
  logic               passes, cycles_bounded;
  logic [Queues-1:0]  marks_before, seen_equal, all_served;
  logic [Entries-1:0] none_found, none_has_a_fault;

  assign progress_known = idle | checking | applying;
  assign asked_equal    = idle | (asked_q == written_q);
  assign fetch_equal    = `PORTS.fetch == (checking ? Entries'(2) << index : Entries'(1));
  assign needed_equal   = ~checking | says.needed;
  assign index_valid    = ~checking | (index < says.looked_at);
  assign cycles_equal   = ~checking | (32'(cycles_q) == 32'(index));
  assign marks_before   = any_of(says.marks, index);
  assign seen_equal     = {Queues{~checking}} | ~(`PORTS.seen ^ marks_before);
  assign check_equal    = ~checking | ((`PORTS.check_queue == written_q.queue[index]) &
                                       (`PORTS.check_quantum == written_q.quantum[index]));
  assign all_served     = {Queues{~applying | ~says.needed}} | ~asked_q.in_use | says.served;
  assign passes         = ~applying | (asked_for.outcome == StatusOutcomeInForce);
  assign cycles_bounded = ~applying | (32'(cycles_q) <= 32'(says.looked_at));
  for (genvar e = 0; e < Entries; e++) begin : g_none
    assign none_found[e]       = ~checking | (e >= 32'(index)) | (says.fault[e] == '0);
    assign none_has_a_fault[e] = ~applying | (e >= 32'(says.looked_at)) | (says.fault[e] == '0);
  end

  // What the policy that is to come finds of an entry, and with the last one of all; and why it is refused.
  logic               marks_equal, last_equal, at_last;
  logic [Queues-1:0]  marks_of_all, seen_of_all_equal, served_equal, unserved_told;
  logic [Entries-1:0] fault_equal, fault_told;

  assign marks_equal       = ~checking | (Queues'(`PORTS.answer.verdict.marks) == says.marks[index]);
  assign last_equal        = ~checking |
                             (`PORTS.answer.verdict.is_last == (32'(index) + 32'd1 == 32'(says.looked_at)));
  assign at_last           = checking & `PORTS.answer.verdict.is_last;
  assign marks_of_all      = any_of(says.marks, says.looked_at);
  assign seen_of_all_equal = {Queues{~at_last}} |
                             ~((`PORTS.seen | Queues'(`PORTS.answer.verdict.marks)) ^ marks_of_all);
  assign served_equal      = {Queues{~at_last}} | ~(`PORTS.served ^ says.served);
  for (genvar e = 0; e < Entries; e++) begin : g_fault
    told_t refused;
    assign refused = '{outcome: StatusOutcomeRefused, reason: status_reason_e'(says.fault[e]), where: 8'(e)};
    assign fault_equal[e] = ~checking | (e != 32'(index)) | (`PORTS.answer.verdict.fault == says.fault[e]);
    assign fault_told[e]  = ~checking | (e != 32'(index)) | (says.fault[e] == '0) | (asked_for == refused);
  end
  for (genvar q = 0; q < Queues; q++) begin : g_unserved
    told_t refused;
    assign refused = '{outcome: StatusOutcomeRefused, reason: StatusReasonUnservedQueue, where: 8'(q)};
    assign unserved_told[q] = ~at_last | (`PORTS.answer.verdict.fault != '0) |
                              ~`PORTS.u_commit.lowest_unserved[q] | (asked_for == refused);
  end

  // With Protect: what stands twice is the same, and no parity is wrong.
  logic coupled_copies;

  if (Protect != 0) begin : g_protect
    always_comb begin
      coupled_copies = (own_second == '1) & ~`PORTS.commits_differ & ~`PORTS.upset & ~`PORTS.parity_error &
                       (`PORTS.u_registers.error_q == `PORTS.u_registers.g_protect.u_second.not_q) &
                       (`PORTS.g_protect.u_guard.calm_q == '1) &
                       (`PORTS.u_policies.g_sls.u_queue_sl.shadow_queue_sl_q ==
                        `PORTS.g_protect.u_second_policies.g_sls.u_queue_sl.shadow_queue_sl_q) &
                       (`PORTS.u_configuration.g_protect.shadow_field_parity_q ==
                        {^shadow.policy, ^shadow.entries, ^shadow.longest, ^shadow.in_use});
      for (int unsigned e = 0; e < Entries; e++) begin
        coupled_copies &= `PORTS.u_configuration.g_protect.shadow_parity_q[e] ==
                          ^{shadow.queue[e], shadow.quantum[e]};
      end
    end
  end else begin : g_no_protect
    assign coupled_copies = 1'b1;
  end

  // STATUS is about the last commit that ended: what it was asked for in its last cycle.
  told_t told, told_q, asked_for_q;
  logic  idle_q;

  assign told = (idle & ~idle_q) ? asked_for_q : told_q;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      told_q      <= '{outcome: StatusOutcomeNone, reason: StatusReasonNone, where: '0};
      asked_for_q <= '{outcome: StatusOutcomeNone, reason: StatusReasonNone, where: '0};
      idle_q      <= 1'b1;
    end else begin
      told_q      <= told;
      asked_for_q <= asked_for;
      idle_q      <= idle;
    end
  end

  // What a transfer is answered at the registers that hold what was written and what is in force, and at STATUS: in
  // its setup phase, if no reset comes between.
  logic        known, writable, setup, known_q, good_q;
  logic [31:0] value, value_q;

  assign setup = u_bench.psel & ~u_bench.penable;

  always_comb begin
    known    = 1'b1;
    writable = 1'b0;
    value    = '0;
    case (address)
      PolicyOffset: begin
        value    = 32'(written_q.policy);
        writable = (data < 32'd16) & 1'(Policies >> data[3:0]);
      end
      TableEntriesOffset: begin
        value    = 32'(written_q.entries);
        writable = (data != '0) & (data <= Entries);
      end
      MaxPacketFlitsOffset: begin
        value    = 32'(written_q.longest);
        writable = (data != '0) & (data <= MaxPacketFlits);
      end
      QueuesInUseOffset: begin
        value    = 32'(written_q.in_use);
        writable = 64'(data) < (64'd1 << Queues);
      end
      CommitOffset:                writable = data <= 32'd1;
      PolicyInForceOffset:         value = 32'(in_force.policy);
      TableEntriesInForceOffset:   value = 32'(in_force.entries);
      MaxPacketFlitsInForceOffset: value = 32'(in_force.longest);
      QueuesInUseInForceOffset:    value = 32'(in_force.in_use);
      StatusOffset: begin
        value = {8'd0, told.where, 4'd0, told.reason, 2'd0, told.outcome, 2'd0, `PORTS.progress};
      end
      default: known = 1'b0;
    endcase
    for (int unsigned e = 0; e < Entries; e++) begin
      if (address == TableOffset + OffsetWidth'(4 * e)) begin
        known    = 1'b1;
        value    = {24'(written_q.quantum[e]), 8'(written_q.queue[e])};
        writable = (32'(data[7:0]) < Queues) & (32'(data[31:8]) < 32'd2 ** QuantumWidth);
      end
      if (address == TableInForceOffset + OffsetWidth'(4 * e)) begin
        known    = 1'b1;
        value    = {24'(in_force.quantum[e]), 8'(in_force.queue[e])};
      end
    end
    for (int unsigned q = 0; q < Queues; q++) begin
      if (address == QueueSlOffset + OffsetWidth'(4 * q)) begin
        known    = 1'b1;
        value    = 32'(written_q.queue_sl[q]);
        writable = data < Queues;
      end
    end
    for (int unsigned p = 0; p < Codes; p++) begin
      known    |= own_access[p].known;
      value    |= own_access[p].value;
      writable |= own_access[p].writable;
    end
    writable &= idle & (u_bench.pstrb == '1);
  end

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      known_q <= 1'b0;
      good_q  <= 1'b0;
      value_q <= '0;
    end else begin
      known_q <= setup & known;
      good_q  <= ~u_bench.pwrite | writable;
      value_q <= value;
    end
  end

  assign answers_otherwise_o = rst_n & known_q & ((u_bench.pslverr == good_q) |
                                                  (~u_bench.pwrite & (u_bench.prdata != value_q)));

  logic access_holds;
  assign access_holds = ~known_q | (u_bench.psel & u_bench.penable);

  by_parts #(
    .Parts(Parts)
  ) u_parts (
    .*,
    .holds({access_holds, told.where == `PORTS.where, told.reason == `PORTS.reason, told.outcome == `PORTS.outcome,
            unserved_told, fault_told, served_equal, seen_of_all_equal, last_equal, fault_equal, marks_equal,
            cycles_bounded, passes, all_served, none_has_a_fault, check_equal, none_found, seen_equal, cycles_equal,
            index_valid, needed_equal, fetch_equal, asked_equal, progress_known, good_holds, used_equal, policy_equal,
            in_force_valid, coupled_copies, own_coupled, own_good, written_valid, own_equal, sls_equal, entry_equal,
            fields_equal}),
    .fails(changes_by_itself_o | not_as_a_whole_o | written_otherwise_o | out_of_range_o | takes_too_long_o |
           answers_otherwise_o | begins_otherwise_o | stays_out_o | (not_strict_o != '0))
  );

  // What is in force changes at the end of a cycle with `table_applied_o` only, to what the commit asked for, or by a
  // reset, which may bring in another than `first` of what is a policy's own. The first entries of the table are used.
  logic               applied_q, ran_q, commits_q;
  configuration_t     due;
  logic [Entries-1:0] used_q;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      ran_q     <= 1'b0;
      applied_q <= 1'b0;
      commits_q <= 1'b0;
    end else begin
      ran_q     <= 1'b1;
      applied_q <= applied;
      commits_q <= commits;
    end
  end
  always_ff @(posedge clk_i) begin
    in_force_q <= in_force;
    used_q     <= `PORTS.entry_used;
  end
  always_comb begin
    due = asked_q;
    if (!ran_q) due.own = in_force.own;
  end

  assign changes_by_itself_o = rst_n & ran_q & ~applied_q & ((in_force != in_force_q) | (`PORTS.entry_used != used_q));
  assign not_as_a_whole_o    = rst_n & (applied_q | ~ran_q) &
                               ((in_force != due) | (`PORTS.entry_used != ~({Entries{1'b1}} << due.entries)));
  assign written_otherwise_o = rst_n & (shadow != written_q);
  assign out_of_range_o      = rst_n & ~in_range(in_force);
  assign begins_otherwise_o  = rst_n & idle_q & (idle == commits_q);
  assign stays_out_o         = rst_n & idle & ~idle_q & (told.outcome == StatusOutcomeInForce) & ~applied_q;
  assign takes_too_long_o    = rst_n & ~idle & (32'(cycles_q) > 32'(says.looked_at));

  // No table of a policy comes into force that it finds a fault in, or with a queue in use that is not served; so none
  // is in force, since that changes by a commit only, and as a whole.
  for (genvar p = 0; p < Codes; p++) begin : g_policy
    assign not_strict_o[p]     = rst_n & applied & (asked_q.policy == 4'(p)) &
                                 (asked_for.outcome != StatusOutcomeInForce);
    assign cover_in_force_o[p] = rst_n & (in_force.policy == 4'(p)) & own_shown[p];
  end

  // To be seen: a commit that is refused as no entry serves queue 1; a commit in force, and something else written
  // since.
  assign cover_unserved_queue_o = rst_n & known_q & ~u_bench.pwrite & (address == StatusOffset) &
                                  (u_bench.prdata == {8'd0, 8'd1, 4'd0, StatusReasonUnservedQueue, 2'd0,
                                                      StatusOutcomeRefused, 4'd0});
  assign cover_written_after_commit_o = rst_n & (asked_q == in_force) & (written_q != in_force) &
                                        (in_force.policy != '0);

endmodule
