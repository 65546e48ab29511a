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

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  // The bus: setup, access, the next transfer. It goes on in a reset of the port.
  logic        psel_q, penable_q, pwrite_q, pslverr, applied;
  logic [11:0] paddr_q;
  logic [31:0] pwdata_q;
  logic [3:0]  pstrb_q;

  initial begin
    psel_q    = 1'b0;
    penable_q = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (psel_q && !penable_q) begin
      penable_q <= 1'b1;
    end else begin
      psel_q    <= start_i;
      penable_q <= 1'b0;
      pwrite_q  <= write_i;
      paddr_q   <= address_i;
      pwdata_q  <= data_i;
      pstrb_q   <= strobes_i;
    end
  end

  qosarb_port #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Policies      (32'(Policies)),
    .Vcs           (Vcs),
    .BurstWidth    (FlitsWidth)
  ) u_port (
    .clk_i,
    .rst_ni             (rst_n),
    .psel_i             (psel_q),
    .penable_i          (penable_q),
    .pwrite_i           (pwrite_q),
    .paddr_i            (paddr_q),
    .pwdata_i           (pwdata_q),
    .pstrb_i            (pstrb_q),
    .pready_o           (),
    .prdata_o           (),
    .pslverr_o          (pslverr),
    .valid_i            ('0),
    .pfc_stop_i         ('0),
    .flits_i            ('0),
    .next_valid_i       ('0),
    .next_flits_i       ('0),
    .age_field_i        ('0),
    .age_in_epoch_i     ('0),
    .next_age_field_i   ('0),
    .next_age_in_epoch_i('0),
    .age_timestamp_i    ('0),
    .age_epoch_i        (1'b0),
    .age_inhibit_i      (1'b0),
    .request_i          (1'b0),
    .grant_valid_o      (),
    .grant_o            (),
    .grant_queue_o      (),
    .left_o             (),
    .left_epoch_o       (),
    .left_age_o         (),
    .age_others_wait_o  (),
    .age_clock_period_o (),
    .req_age_bias_o     (),
    .rsp_age_bias_o     (),
    .table_applied_o    (applied),
    .interrupt_o        (),
    .drain_o            (),
    .drop_o             (),
    .soft_reset_o       (),
    .idle_o             ()
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
    policy: u_port.u_ports.u_configuration.shadow_policy_q, entries: u_port.u_ports.u_configuration.shadow_table_entries_q,
    longest: u_port.u_ports.u_configuration.shadow_max_packet_flits_q, in_use: u_port.u_ports.u_configuration.shadow_queues_in_use_q,
    queue: u_port.u_ports.u_configuration.shadow_entry_queue, quantum: u_port.u_ports.u_configuration.shadow_entry_quantum,
    queue_sl: u_port.u_ports.u_policies.g_sls.u_queue_sl.shadow_queue_sl_q, sl_mtu: u_port.u_ports.u_policies.g_dtable.u_slot.shadow_sl_mtu_q,
    infiniband: 512'(u_port.u_ports.u_policies.g_infiniband.u_slot.shadow_q), seastar_age: 512'(u_port.u_ports.u_policies.g_seastar_age.u_slot.shadow_q),
    trtcm: 512'(u_port.u_ports.u_policies.g_trtcm.u_slot.shadow_q)
  };
  assign in_force = '{
    policy: u_port.u_ports.u_configuration.policy_q, entries: u_port.u_ports.u_configuration.table_entries_q,
    longest: u_port.u_ports.u_configuration.max_packet_flits_q, in_use: u_port.u_ports.u_configuration.queues_in_use_q,
    queue: u_port.u_ports.u_configuration.entry_queue_q, quantum: u_port.u_ports.u_configuration.entry_quantum_q,
    queue_sl: u_port.u_ports.u_policies.g_sls.u_queue_sl.queue_sl_q, sl_mtu: u_port.u_ports.u_policies.g_dtable.u_slot.sl_mtu_q,
    infiniband: 512'(u_port.u_ports.u_policies.g_infiniband.u_slot.in_force_q), seastar_age: 512'(u_port.u_ports.u_policies.g_seastar_age.u_slot.in_force_q),
    trtcm: 512'(u_port.u_ports.u_policies.g_trtcm.u_slot.in_force_q)
  };

  // A transfer ends with a write; one that writes a commit.
  logic done, done_q, commits, idle, applied_q, ran_q;

  assign done    = psel_q & penable_q & pwrite_q & ~pslverr;
  assign commits = done & (paddr_q == CommitOffset) & pwdata_q[0];
  assign idle    = u_port.u_ports.progress == StatusProgressIdle;

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
    coupled = idle | (u_port.u_ports.progress == StatusProgressChecking) |
              (u_port.u_ports.progress == StatusProgressApplying);
    coupled &= idle | (shadow == asked_q);
    if (psel_q && penable_q && pwrite_q && !u_port.u_ports.u_registers.error_q &&
        u_port.u_ports.u_registers.is_configuration) begin
      coupled &= u_port.u_ports.u_registers.write_good;
    end
  end

  assign not_coupled_o       = rst_n & ~coupled;
  assign changes_by_itself_o = rst_n & ran_q & ~applied_q & (in_force != in_force_q);
  assign not_as_a_whole_o    = rst_n & applied_q & (in_force != asked_q);
  assign written_otherwise_o = rst_n & ran_q & ~done_q & (shadow != shadow_q);

  // To be seen: what is written of policies by themselves is in force.
  assign cover_age_biases_in_force_o = rst_n & (in_force.policy == 4'(PolicySeastarAge)) & ran_q &
                                       (u_port.u_ports.u_policies.g_seastar_age.u_slot.in_force_q.bias != '0);
  assign cover_rates_in_force_o      = rst_n & (in_force.policy == 4'(PolicyTrtcm)) & (in_force.trtcm != '0);
  assign cover_limit_in_force_o      = rst_n & (in_force.policy == 4'(PolicyInfiniband));

endmodule
