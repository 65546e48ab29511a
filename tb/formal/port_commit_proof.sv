// What a port with every policy brings into force: qosarb_port behind a bus, any transfers, and a reset at any time.
//
// `shadow` and `in_force` are all that software writes, of the port and of the slots of policies whose commits have no
// proof of their own. `asked` is the shadow as it was when the last commit was written. What a commit accepts is not
// looked at here.

module port_commit_proof #(
  parameter  int unsigned Queues         = 2,
  parameter  int unsigned Entries        = 3,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  int unsigned Vcs            = 2,
  parameter  int unsigned Policies       = 32'h1ff,
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
  output logic        written_otherwise_o,
  output logic        cover_age_biases_in_force_o,
  output logic        cover_rates_in_force_o,
  output logic        cover_limit_in_force_o
);

  import qosarb_port_reg_pkg::*;

  logic        rst_n, writing, done, commits, applied;
  logic [11:0] address;
  logic [31:0] data;

  port_behind_a_bus #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Policies      (Policies),
    .Vcs           (Vcs)
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
    logic [3:0]                                 policy;
    logic [CountWidth-1:0]                      entries;
    logic [FlitsWidth-1:0]                      longest;
    logic [Queues-1:0]                          in_use;
    logic [Entries-1:0][QueueWidth-1:0]         queue;
    logic [Entries-1:0][QuantumWidth-1:0]       quantum;
    logic [Queues-1:0][QueueWidth-1:0]          queue_sl;
    logic [Queues-1:0][FlitsWidth-1:0]          sl_mtu;
    logic [511:0]                               infiniband;  // that it fills in part
    logic [511:0]                               seastar_age;  // that it fills in part
    logic [511:0]                               trtcm;  // that it fills in part
  } configuration_t;

  configuration_t shadow, shadow_q, asked_q, in_force, in_force_q;

  assign shadow = '{
    policy: u_bench.u_port.u_ports.u_configuration.shadow_policy_q,
    entries: u_bench.u_port.u_ports.u_configuration.shadow_table_entries_q,
    longest: u_bench.u_port.u_ports.u_configuration.shadow_max_packet_flits_q,
    in_use: u_bench.u_port.u_ports.u_configuration.shadow_queues_in_use_q,
    queue: u_bench.u_port.u_ports.u_configuration.shadow_entry_queue,
    quantum: u_bench.u_port.u_ports.u_configuration.shadow_entry_quantum,
    queue_sl: u_bench.u_port.u_ports.u_policies.g_sls.u_queue_sl.shadow_queue_sl_q,
    sl_mtu: u_bench.u_port.u_ports.u_policies.g_dtable.u_slot.shadow_sl_mtu_q,
    infiniband: 512'(u_bench.u_port.u_ports.u_policies.g_infiniband.u_slot.shadow_q),
    seastar_age: 512'(u_bench.u_port.u_ports.u_policies.g_seastar_age.u_slot.shadow_q),
    trtcm: 512'(u_bench.u_port.u_ports.u_policies.g_trtcm.u_slot.shadow_q)
  };
  assign in_force = '{
    policy: u_bench.u_port.u_ports.u_configuration.policy_q,
    entries: u_bench.u_port.u_ports.u_configuration.table_entries_q,
    longest: u_bench.u_port.u_ports.u_configuration.max_packet_flits_q,
    in_use: u_bench.u_port.u_ports.u_configuration.queues_in_use_q,
    queue: u_bench.u_port.u_ports.u_configuration.entry_queue_q,
    quantum: u_bench.u_port.u_ports.u_configuration.entry_quantum_q,
    queue_sl: u_bench.u_port.u_ports.u_policies.g_sls.u_queue_sl.queue_sl_q,
    sl_mtu: u_bench.u_port.u_ports.u_policies.g_dtable.u_slot.sl_mtu_q,
    infiniband: 512'(u_bench.u_port.u_ports.u_policies.g_infiniband.u_slot.in_force_q),
    seastar_age: 512'(u_bench.u_port.u_ports.u_policies.g_seastar_age.u_slot.in_force_q),
    trtcm: 512'(u_bench.u_port.u_ports.u_policies.g_trtcm.u_slot.in_force_q)
  };

  logic done_q, idle, applied_q, ran_q;

  assign idle = u_bench.u_port.u_ports.progress == StatusProgressIdle;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      ran_q     <= 1'b0;
      applied_q <= 1'b0;
      done_q    <= 1'b0;
    end else begin
      ran_q     <= 1'b1;
      applied_q <= applied;
      done_q    <= done;
    end
  end
  always_ff @(posedge clk_i) begin
    shadow_q   <= shadow;
    in_force_q <= in_force;
    if (commits) asked_q <= shadow;
  end

  // Coupling: while a commit goes on, the shadow is what it asked for; a write that goes on was found good.
  logic coupled;

  always_comb begin
    coupled = idle | (u_bench.u_port.u_ports.progress == StatusProgressChecking) |
              (u_bench.u_port.u_ports.progress == StatusProgressApplying);
    coupled &= idle | (shadow == asked_q);
    if (writing && !u_bench.u_port.u_ports.u_registers.error_q &&
        u_bench.u_port.u_ports.u_registers.is_configuration) begin
      coupled &= u_bench.u_port.u_ports.u_registers.write_good;
    end
  end

  assign not_coupled_o       = rst_n & ~coupled;
  assign changes_by_itself_o = rst_n & ran_q & ~applied_q & (in_force != in_force_q);
  assign not_as_a_whole_o    = rst_n & applied_q & (in_force != asked_q);
  assign written_otherwise_o = rst_n & ran_q & ~done_q & (shadow != shadow_q);

  // To be seen: what is written of policies by themselves is in force.
  assign cover_age_biases_in_force_o = rst_n & (in_force.policy == 4'(PolicySeastarAge)) & ran_q &
                                       (u_bench.u_port.u_ports.u_policies.g_seastar_age.u_slot.in_force_q.bias != '0);
  assign cover_rates_in_force_o      = rst_n & (in_force.policy == 4'(PolicyTrtcm)) & (in_force.trtcm != '0);
  assign cover_limit_in_force_o      = rst_n & (in_force.policy == 4'(PolicyInfiniband));

endmodule
