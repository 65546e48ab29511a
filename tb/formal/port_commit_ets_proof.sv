// What a port brings into force: qosarb_port behind a bus, any transfers, and a reset at any time.
//
// `written` is what software has written of a configuration: by transfers that ended without an error. `asked` is what
// it was when the last commit was written. Built in are rr, bxi-basic, bxi-deficit and ets.

module port_commit_ets_proof #(
  parameter  int unsigned Queues         = 2,
  parameter  int unsigned Entries        = 3,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned CountWidth     = $clog2(Entries + 1)
) (
  input  logic        clk_i,
  input  logic        reset_i,
  input  logic        start_i,  // a transfer follows, if the bus is free
  input  logic        write_i,
  input  logic [11:0] address_i,
  input  logic [31:0] data_i,
  input  logic [3:0]  strobes_i,

  output logic        not_coupled_o,
  output logic        changes_by_itself_o,
  output logic        not_as_a_whole_o,
  output logic        not_strict_o,
  output logic        takes_too_long_o,
  output logic        answers_otherwise_o,
  output logic        cover_ets_in_force_o,
  output logic        cover_written_after_commit_o,
  output logic        cover_unserved_queue_o
);

  import qosarb_port_reg_pkg::*;

  localparam logic [15:0] Policies =
      16'd1 << PolicyRr | 16'd1 << PolicyBxiBasic | 16'd1 << PolicyBxiDeficit | 16'd1 << PolicyEts;

  logic        rst_n, writing, done, commits, applied;
  logic [11:0] address;
  logic [31:0] data;

  port_behind_a_bus #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Policies      (32'(Policies))
  ) u_bench (
    .clk_i,
    .reset_i,
    .start_i,
    .write_i,
    .address_i,
    .data_i,
    .strobes_i,
    .rst_no   (rst_n),
    .writing_o(writing),
    .done_o   (done),
    .commits_o(commits),
    .address_o(address),
    .data_o   (data),
    .applied_o(applied)
  );

  typedef struct packed {
    logic [3:0]                           policy;
    logic [CountWidth-1:0]                entries;
    logic [FlitsWidth-1:0]                longest;
    logic [Queues-1:0]                    in_use;
    logic [Queues-1:0]                    strict;
    logic [Entries-1:0][QueueWidth-1:0]   queue;
    logic [Entries-1:0][QuantumWidth-1:0] quantum;
  } configuration_t;

  // What a reset leaves: rr, and a table with an entry for each queue.
  configuration_t first, written_q, asked_q, shadow, in_force, in_force_q;

  always_comb begin
    first         = '0;
    first.policy  = 4'(PolicyRr);
    first.entries = CountWidth'(Queues);
    first.longest = FlitsWidth'(MaxPacketFlits);
    first.in_use  = '1;
    for (int unsigned e = 0; e < Entries; e++) begin
      first.queue[e]   = QueueWidth'(e % Queues);
      first.quantum[e] = QuantumWidth'(MaxPacketFlits);
    end
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
          StrictPriorityOffset: written_q.strict  <= data[Queues-1:0];
          default: ;
        endcase
        for (int unsigned e = 0; e < Entries; e++) begin
          if (address == TableOffset + 12'(4 * e)) begin
            written_q.queue[e]   <= data[QueueWidth-1:0];
            written_q.quantum[e] <= data[8 +: QuantumWidth];
          end
        end
      end
    end
  end

  assign shadow = '{
    policy: u_bench.u_port.u_ports.u_configuration.shadow_policy_q,
    entries: u_bench.u_port.u_ports.u_configuration.shadow_table_entries_q,
    longest: u_bench.u_port.u_ports.u_configuration.shadow_max_packet_flits_q,
    in_use: u_bench.u_port.u_ports.u_configuration.shadow_queues_in_use_q,
    strict: u_bench.u_port.u_ports.u_policies.g_ets.u_slot.shadow_q,
    queue: u_bench.u_port.u_ports.u_configuration.shadow_entry_queue,
    quantum: u_bench.u_port.u_ports.u_configuration.shadow_entry_quantum
  };
  assign in_force = '{
    policy: u_bench.u_port.u_ports.policy,
    entries: u_bench.u_port.u_ports.u_configuration.table_entries_q,
    longest: u_bench.u_port.u_ports.max_packet_flits,
    in_use: u_bench.u_port.u_ports.u_configuration.queues_in_use_q,
    strict: u_bench.u_port.u_ports.u_policies.g_ets.u_slot.in_force_q,
    queue: u_bench.u_port.u_ports.entry_queue,
    quantum: u_bench.u_port.u_ports.entry_quantum
  };

  // What the engines rely on: lengths, entries and queues that exist; but for rr quanta that hold the longest
  // packet, and an entry or strict priority for each queue in use; of ets a table without queues of strict
  // priority, in order of the queues. `upto` entries are looked at.
  function automatic logic in_range(configuration_t c);
    in_range = (c.longest != '0) & (32'(c.longest) <= MaxPacketFlits) & (c.entries != '0) &
               (32'(c.entries) <= Entries) & Policies[c.policy];
    for (int unsigned e = 0; e < Entries; e++) in_range &= 32'(c.queue[e]) < Queues;
  endfunction

  function automatic logic has_table(configuration_t c);
    return c.policy != 4'(PolicyEts) || (c.in_use & ~c.strict) != '0;
  endfunction

  function automatic logic [Queues-1:0] entered(configuration_t c, logic [CountWidth-1:0] upto);
    entered = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (e < 32'(upto)) entered[c.queue[e]] = 1'b1;
    end
  endfunction

  function automatic logic entries_good(configuration_t c, logic [CountWidth-1:0] upto);
    entries_good = 1'b1;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (e < 32'(upto)) begin
        entries_good &= c.quantum[e] >= QuantumWidth'(c.longest);
        if (c.policy == 4'(PolicyEts)) begin
          entries_good &= ~c.strict[c.queue[e]];
          if (e > 0) entries_good &= c.queue[e] > c.queue[e-1];
        end
      end
    end
  endfunction

  function automatic logic strict(configuration_t c);
    logic [Queues-1:0] served;
    served = (has_table(c) ? entered(c, c.entries) : '0) | (c.policy == 4'(PolicyEts) ? c.strict : '0);
    return in_range(c) &
           (c.policy == 4'(PolicyRr) |
            ((~has_table(c) | entries_good(c, c.entries)) & ((c.in_use & ~served) == '0)));
  endfunction

  // Why a commit is refused: by the first entry that is not good, else by the lowest queue in use that none serves.
  typedef struct packed {
    status_outcome_e outcome;
    status_reason_e  reason;
    logic [7:0]      where;
  } told_t;

  function automatic told_t told_of(configuration_t c);
    logic [Queues-1:0] unserved;
    told_of  = '{outcome: StatusOutcomeInForce, reason: StatusReasonNone, where: '0};
    unserved = c.in_use & ~(has_table(c) ? entered(c, c.entries) : '0) & ~(c.policy == 4'(PolicyEts) ? c.strict : '0);
    if (c.policy != 4'(PolicyRr)) begin
      for (int q = Queues - 1; q >= 0; q--) begin
        if (unserved[q]) begin
          told_of = '{outcome: StatusOutcomeRefused, reason: StatusReasonUnservedQueue, where: 8'(q)};
        end
      end
      for (int e = Entries - 1; e >= 0; e--) begin
        if (e < 32'(c.entries) && has_table(c) && !entries_good(c, CountWidth'(e + 1))) begin
          told_of = '{outcome: StatusOutcomeRefused, reason: StatusReasonShortQuantum, where: 8'(e)};
          if (c.policy == 4'(PolicyEts)) begin
            if (e > 0 && c.queue[e] <= c.queue[e-1]) told_of.reason = StatusReasonQueueOrder;
            if (c.strict[c.queue[e]])                told_of.reason = StatusReasonStrictEntry;
          end
        end
      end
    end
  endfunction

  // Coupling: the shadow is what was written, a write that goes on was found good, a commit that goes on has found
  // the entries good that it has looked at and fetches the one behind, else the first.
  logic                  coupled, idle;
  logic [CountWidth-1:0] index;
  logic [CountWidth:0]   cycles_q;  // of the commit in progress

  assign idle  = u_bench.u_port.u_ports.progress == StatusProgressIdle;
  assign index = CountWidth'(u_bench.u_port.u_ports.check_index);

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n)              cycles_q <= '0;
    else if (idle)           cycles_q <= '0;
    else if (cycles_q != '1) cycles_q <= cycles_q + 1'b1;
  end

  always_comb begin
    coupled = (shadow == written_q) & in_range(written_q) &
              (u_bench.u_port.u_ports.u_configuration.policy_q == in_force.policy) &
              (u_bench.u_port.u_ports.entry_used == ~({Entries{1'b1}} << in_force.entries)) &
              (u_bench.u_port.u_ports.u_policies.g_ets.u_slot.has_table_q ==
               ((in_force.in_use & ~in_force.strict) != '0));
    if (writing && !u_bench.u_port.u_ports.u_registers.error_q &&
        u_bench.u_port.u_ports.u_registers.is_configuration) begin
      coupled &= u_bench.u_port.u_ports.u_registers.write_good;
    end
    if (!idle) coupled &= asked_q == written_q;
    coupled &= u_bench.u_port.u_ports.fetch ==
               ((u_bench.u_port.u_ports.progress == StatusProgressChecking) ? Entries'(2) << index : Entries'(1));
    case (u_bench.u_port.u_ports.progress)
      StatusProgressIdle: ;
      StatusProgressChecking: begin
        coupled &= (written_q.policy != 4'(PolicyRr)) & (index < written_q.entries) & (32'(cycles_q) == 32'(index)) &
                   (u_bench.u_port.u_ports.seen == entered(written_q, index)) & entries_good(written_q, index) &
                   (u_bench.u_port.u_ports.check_queue == written_q.queue[index]) &
                   (u_bench.u_port.u_ports.check_quantum == written_q.quantum[index]) &
                   (has_table(written_q) | (index == '0));
      end
      StatusProgressApplying: coupled &= strict(written_q) & (32'(cycles_q) <= Entries);
      default:                coupled = 1'b0;
    endcase
  end

  // STATUS is about the last commit that ended.
  told_t told, told_q;
  logic  idle_q;

  assign told = (idle & ~idle_q) ? told_of(asked_q) : told_q;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      told_q <= '{outcome: StatusOutcomeNone, reason: StatusReasonNone, where: '0};
      idle_q <= 1'b1;
    end else begin
      told_q <= told;
      idle_q <= idle;
    end
  end

  // What a transfer is answered at the registers that hold what was written and what is in force, and at STATUS: in
  // its setup phase, if no reset comes between.
  logic        known, writable, setup, known_q, good_q;
  logic [31:0] value, value_q, wdata;
  logic [11:0] place;

  assign setup = u_bench.psel & ~u_bench.penable;
  assign place = u_bench.paddr;
  assign wdata = u_bench.pwdata;

  always_comb begin
    known    = 1'b1;
    writable = 1'b0;
    value    = '0;
    case (place)
      PolicyOffset: begin
        value    = 32'(written_q.policy);
        writable = (wdata < 32'd16) & Policies[wdata[3:0]];
      end
      TableEntriesOffset: begin
        value    = 32'(written_q.entries);
        writable = (wdata != '0) & (wdata <= Entries);
      end
      MaxPacketFlitsOffset: begin
        value    = 32'(written_q.longest);
        writable = (wdata != '0) & (wdata <= MaxPacketFlits);
      end
      QueuesInUseOffset: begin
        value    = 32'(written_q.in_use);
        writable = 64'(wdata) < (64'd1 << Queues);
      end
      StrictPriorityOffset: begin
        value    = 32'(written_q.strict);
        writable = 64'(wdata) < (64'd1 << Queues);
      end
      CommitOffset:                writable = wdata <= 32'd1;
      PolicyInForceOffset:         value = 32'(in_force.policy);
      TableEntriesInForceOffset:   value = 32'(in_force.entries);
      MaxPacketFlitsInForceOffset: value = 32'(in_force.longest);
      QueuesInUseInForceOffset:    value = 32'(in_force.in_use);
      StatusOffset: begin
        value = {8'd0, told.where, 4'd0, told.reason, 2'd0, told.outcome, 2'd0, u_bench.u_port.u_ports.progress};
      end
      default: known = 1'b0;
    endcase
    for (int unsigned e = 0; e < Entries; e++) begin
      if (place == TableOffset + 12'(4 * e)) begin
        known    = 1'b1;
        value    = {24'(written_q.quantum[e]), 8'(written_q.queue[e])};
        writable = (32'(wdata[7:0]) < Queues) & (32'(wdata[31:8]) < 32'd2 ** QuantumWidth);
      end
      if (place == TableInForceOffset + 12'(4 * e)) begin
        known    = 1'b1;
        value    = {24'(in_force.quantum[e]), 8'(in_force.queue[e])};
      end
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

  assign not_coupled_o = rst_n & (~coupled | (told.outcome != u_bench.u_port.u_ports.outcome) |
                                  (told.reason != u_bench.u_port.u_ports.reason) |
                                  (told.where != u_bench.u_port.u_ports.where) |
                                  (known_q & ~(u_bench.psel & u_bench.penable)));

  // What is in force changes at the end of a cycle with `table_applied_o` only, to what the commit asked for.
  logic applied_q, ran_q;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      ran_q     <= 1'b0;
      applied_q <= 1'b0;
    end else begin
      ran_q     <= 1'b1;
      applied_q <= applied;
    end
  end
  always_ff @(posedge clk_i) in_force_q <= in_force;

  assign changes_by_itself_o = rst_n & ran_q & ~applied_q & (in_force != in_force_q);
  assign not_as_a_whole_o    = rst_n & applied_q & (in_force != asked_q);
  assign not_strict_o        = rst_n & ~strict(in_force);
  assign takes_too_long_o    = rst_n & ~idle & (32'(cycles_q) > Entries);

  // To be seen: a commit that is refused as no entry serves queue 1; ets with a table and a queue of strict priority; a
  // commit in force, and something else written since.
  assign cover_unserved_queue_o = rst_n & known_q & ~u_bench.pwrite & (place == StatusOffset) &
                                  (u_bench.prdata == {8'd0, 8'd1, 4'd0, StatusReasonUnservedQueue, 2'd0,
                                                      StatusOutcomeRefused, 4'd0});
  assign cover_ets_in_force_o = rst_n & (in_force.policy == 4'(PolicyEts)) & (in_force.strict != '0) &
                                has_table(in_force);
  assign cover_written_after_commit_o = rst_n & (asked_q == in_force) & (written_q != in_force) &
                                        (in_force.policy == 4'(PolicyBxiDeficit));

endmodule
