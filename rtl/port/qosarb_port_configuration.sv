// What all policies share of the configuration: the shadow of it, and what is in force.
//
// Policy, longest packet, queues in use and the table with its depth. What a policy has beside that
// stands in its own slot, in the same way.
// Algorithm:
//   1. The registers write the shadow, whose table is in qosarb_table_memory. It stands still while a commit is
//      in progress.
//   2. The check of a commit looks at one entry a cycle, that of `check_index_i`, which it fetched in the cycle
//      before by `fetch_i`.
//   3. The shadow comes into force as a whole at the end of a cycle with `load_i`. A policy that is
//      not built in, should its code ever stand there, is rr.
//   4. With Protect each entry, and each of the other fields, has a bit of parity, which is summed up
//      when it is written and goes with it into force. `parity_error_o` says that one in force is
//      wrong. `fall_back_i` brings what a reset does into force. `shadow_is_in_force_o` says that the
//      shadow was not written since it came into force.

module qosarb_port_configuration #(
  parameter  qosarb_port_pkg::build_t Build = '0,
  localparam int unsigned Queues       = Build.queues,
  localparam int unsigned Entries      = Build.entries,
  localparam int unsigned QuantumWidth = Build.quantum_width,
  localparam int unsigned QueueWidth   = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth   = $clog2(Build.max_packet_flits + 1),
  localparam int unsigned EntryWidth   = qosarb_pkg::index_width(Entries)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  input  qosarb_port_pkg::register_request_t   register_i,
  output qosarb_port_pkg::register_answer_t    register_o,

  // The shadow, for the check.
  input  logic [Entries-1:0]                   fetch_i,          // one-hot
  output logic [QueueWidth-1:0]                fetch_queue_o,
  output logic [QuantumWidth-1:0]              fetch_quantum_o,
  input  logic [EntryWidth-1:0]                check_index_i,
  output logic                                 check_is_last_o,
  output qosarb_port_reg_pkg::policy_e         check_policy_o,
  output logic [FlitsWidth-1:0]                check_max_packet_flits_o,
  output logic [Queues-1:0]                    check_queues_in_use_o,

  // What is in force.
  input  logic                                 load_i,
  input  logic                                 fall_back_i,
  input  logic                                 write_i,          // of any part of the shadow
  output logic                                 parity_error_o,
  output logic                                 shadow_is_in_force_o,
  output qosarb_port_reg_pkg::policy_e         policy_o,
  output logic [FlitsWidth-1:0]                max_packet_flits_o,
  output logic [Entries-1:0]                   entry_used_o,     // ones up to the last entry
  output logic [Entries-1:0][QueueWidth-1:0]   entry_queue_o,
  output logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_o
);

  import qosarb_port_reg_pkg::*;

  localparam int unsigned        MaxPacketFlits = Build.max_packet_flits;
  localparam int unsigned        CountWidth     = $clog2(Entries + 1);
  localparam logic [15:0]        Included       = 16'(Build.policies);
  localparam logic [Entries-1:0] AllEntries     = '1;

  logic [Entries-1:0][QueueWidth-1:0] first_queues;  // after reset

  for (genvar e = 0; e < Entries; e++) begin : g_first
    assign first_queues[e] = QueueWidth'(e % Queues);
  end

  policy_e                              shadow_policy_q, policy_q;
  logic [CountWidth-1:0]                shadow_table_entries_q, table_entries_q;
  logic [FlitsWidth-1:0]                shadow_max_packet_flits_q, max_packet_flits_q;
  logic [Queues-1:0]                    shadow_queues_in_use_q, queues_in_use_q;
  logic [Entries-1:0][QueueWidth-1:0]   shadow_entry_queue, entry_queue_q;
  logic [Entries-1:0][QuantumWidth-1:0] shadow_entry_quantum, entry_quantum_q;
  logic [Entries-1:0]                   entry_used_q;

  // The registers.
  logic                  in_table, in_table_in_force, entry_exists;
  logic [EntryWidth-1:0] entry;
  policy_reg_t           policy_value;
  table_entries_reg_t    table_entries_value;
  max_packet_flits_reg_t max_packet_flits_value;
  table_reg_t            table_value;

  assign policy_value           = register_i.wdata;
  assign table_entries_value    = register_i.wdata;
  assign max_packet_flits_value = register_i.wdata;
  assign table_value            = register_i.wdata;

  assign entry_exists      = 32'(register_i.addr[8:2]) < Entries;
  assign entry             = register_i.addr[2 +: EntryWidth];
  assign in_table          = entry_exists & (register_i.addr[OffsetWidth-1:9] == TableOffset[OffsetWidth-1:9]);
  assign in_table_in_force = entry_exists & (register_i.addr[OffsetWidth-1:9] == TableInForceOffset[OffsetWidth-1:9]);

  always_comb begin
    register_o           = '0;
    register_o.read_good = 1'b1;
    if (in_table) begin
      register_o.value      = {24'(shadow_entry_quantum[entry]), 8'(shadow_entry_queue[entry])};
      register_o.write_good = (32'(table_value.queue_id) < Queues) &&
                              ((table_value.quantum >> QuantumWidth) == '0);
    end else if (in_table_in_force) begin
      register_o.value = {24'(entry_quantum_q[entry]), 8'(entry_queue_q[entry])};
    end else begin
      unique case (register_i.addr)
        PolicyOffset: begin
          register_o.value      = 32'(shadow_policy_q);
          register_o.write_good = (policy_value.reserved_31_4 == '0) &&
                                  Included[policy_value.policy];
        end
        TableEntriesOffset: begin
          register_o.value      = 32'(shadow_table_entries_q);
          register_o.write_good = (table_entries_value.reserved_31_8 == '0) &&
                                  (table_entries_value.entries != '0) &&
                                  (32'(table_entries_value.entries) <= Entries);
        end
        MaxPacketFlitsOffset: begin
          register_o.value      = 32'(shadow_max_packet_flits_q);
          register_o.write_good = (max_packet_flits_value.reserved_31_24 == '0) &&
                                  (max_packet_flits_value.flits != '0) &&
                                  (32'(max_packet_flits_value.flits) <= MaxPacketFlits);
        end
        QueuesInUseOffset: begin
          register_o.value      = 32'(shadow_queues_in_use_q);
          register_o.write_good = (64'(register_i.wdata) >> Queues) == '0;
        end
        PolicyInForceOffset:         register_o.value     = 32'(policy_o);
        TableEntriesInForceOffset:   register_o.value     = 32'(table_entries_q);
        MaxPacketFlitsInForceOffset: register_o.value     = 32'(max_packet_flits_q);
        QueuesInUseInForceOffset:    register_o.value     = 32'(queues_in_use_q);
        default:                     register_o.read_good = 1'b0;
      endcase
    end
  end

  // 1. The shadow.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shadow_policy_q           <= PolicyRr;
      shadow_table_entries_q    <= CountWidth'(Queues);
      shadow_max_packet_flits_q <= FlitsWidth'(MaxPacketFlits);
      shadow_queues_in_use_q    <= '1;
    end else if (register_i.write) begin
      unique case (register_i.addr)
        PolicyOffset:         shadow_policy_q <= policy_e'(policy_value.policy);
        TableEntriesOffset:
          shadow_table_entries_q <= table_entries_value.entries[CountWidth-1:0];
        MaxPacketFlitsOffset:
          shadow_max_packet_flits_q <= max_packet_flits_value.flits[FlitsWidth-1:0];
        QueuesInUseOffset:    shadow_queues_in_use_q <= register_i.wdata[Queues-1:0];
        default: ;
      endcase
    end
  end

  qosarb_table_memory #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_shadow (
    .clk_i,
    .rst_ni,
    .write_i        (register_i.write & in_table),
    .entry_i        (entry),
    .queue_i        (table_value.queue_id[QueueWidth-1:0]),
    .quantum_i      (table_value.quantum[QuantumWidth-1:0]),
    .entry_queue_o  (shadow_entry_queue),
    .entry_quantum_o(shadow_entry_quantum)
  );

  // 2. The entry that a check looks at.
  always_comb begin
    fetch_queue_o   = '0;
    fetch_quantum_o = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      fetch_queue_o   |= shadow_entry_queue[e] & {QueueWidth{fetch_i[e]}};
      fetch_quantum_o |= shadow_entry_quantum[e] & {QuantumWidth{fetch_i[e]}};
    end
  end

  assign check_is_last_o          = CountWidth'(check_index_i) + 1'b1 == shadow_table_entries_q;
  assign check_policy_o           = shadow_policy_q;
  assign check_max_packet_flits_o = shadow_max_packet_flits_q;
  assign check_queues_in_use_o    = shadow_queues_in_use_q;

  // 3. What is in force.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      policy_q           <= PolicyRr;
      table_entries_q    <= CountWidth'(Queues);
      max_packet_flits_q <= FlitsWidth'(MaxPacketFlits);
      queues_in_use_q    <= '1;
      entry_used_q       <= ~(AllEntries << Queues);
      entry_quantum_q    <= {Entries{QuantumWidth'(MaxPacketFlits)}};
      entry_queue_q      <= first_queues;
    end else if (fall_back_i) begin
      policy_q           <= PolicyRr;
      table_entries_q    <= CountWidth'(Queues);
      max_packet_flits_q <= FlitsWidth'(MaxPacketFlits);
      queues_in_use_q    <= '1;
      entry_used_q       <= ~(AllEntries << Queues);
      entry_quantum_q    <= {Entries{QuantumWidth'(MaxPacketFlits)}};
      entry_queue_q      <= first_queues;
    end else if (load_i) begin
      policy_q           <= shadow_policy_q;
      table_entries_q    <= shadow_table_entries_q;
      max_packet_flits_q <= shadow_max_packet_flits_q;
      queues_in_use_q    <= shadow_queues_in_use_q;
      entry_used_q       <= ~(AllEntries << shadow_table_entries_q);
      entry_quantum_q    <= shadow_entry_quantum;
      entry_queue_q      <= shadow_entry_queue;
    end
  end

  // 4. Parity.
  if (Build.protect != '0) begin : g_protect
    // Of policy, depth, longest packet, queues in use.
    localparam int unsigned Fields = 4;
    localparam logic [Fields-1:0] FirstFields = {^(4'(PolicyRr)), ^(CountWidth'(Queues)),
                                                 ^(FlitsWidth'(MaxPacketFlits)),
                                                 1'(Queues)};

    logic [Entries-1:0] first_parity, shadow_parity_q, parity_q, parity;
    logic [Fields-1:0]  shadow_field_parity_q, field_parity_q, field_parity;
    logic               shadow_is_in_force_q;

    for (genvar e = 0; e < Entries; e++) begin : g_entry
      assign first_parity[e] = ^{first_queues[e], QuantumWidth'(MaxPacketFlits)};
      assign parity[e]       = ^{entry_queue_q[e], entry_quantum_q[e]};
    end

    assign field_parity = {^policy_q, ^table_entries_q, ^max_packet_flits_q, ^queues_in_use_q};

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        shadow_parity_q       <= first_parity;
        shadow_field_parity_q <= FirstFields;
      end else if (register_i.write) begin
        if (in_table) shadow_parity_q[entry] <= ^register_i.wdata;
        unique case (register_i.addr)
          PolicyOffset:         shadow_field_parity_q[3] <= ^register_i.wdata;
          TableEntriesOffset:   shadow_field_parity_q[2] <= ^register_i.wdata;
          MaxPacketFlitsOffset: shadow_field_parity_q[1] <= ^register_i.wdata;
          QueuesInUseOffset:    shadow_field_parity_q[0] <= ^register_i.wdata;
          default: ;
        endcase
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        parity_q             <= first_parity;
        field_parity_q       <= FirstFields;
        shadow_is_in_force_q <= 1'b1;
      end else begin
        if (fall_back_i) begin
          parity_q       <= first_parity;
          field_parity_q <= FirstFields;
        end else if (load_i) begin
          parity_q       <= shadow_parity_q;
          field_parity_q <= shadow_field_parity_q;
        end
        if (write_i)          shadow_is_in_force_q <= 1'b0;
        else if (fall_back_i) shadow_is_in_force_q <= 1'b0;
        else if (load_i)      shadow_is_in_force_q <= 1'b1;
      end
    end

    // The used entries are as many as table_entries_q says: the one number is odd if the other is.
    assign parity_error_o       = (parity != parity_q) | (field_parity != field_parity_q) |
                                  (^entry_used_q != table_entries_q[0]);
    assign shadow_is_in_force_o = shadow_is_in_force_q;
  end else begin : g_unprotected
    assign parity_error_o       = 1'b0;
    assign shadow_is_in_force_o = 1'b0;

    logic unused_write;
    assign unused_write = write_i;
  end

  assign policy_o           = Included[policy_q] ? policy_q : PolicyRr;
  assign max_packet_flits_o = max_packet_flits_q;
  assign entry_used_o       = entry_used_q;
  assign entry_queue_o      = entry_queue_q;
  assign entry_quantum_o    = entry_quantum_q;

endmodule
