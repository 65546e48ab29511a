// The sources of qosarb, packages first. Paths are relative to this file: verilator -F rtl/qosarb.f
qosarb_pkg.sv
common/qosarb_onehot_to_index.sv
common/qosarb_rotating_priority.sv
policy/qosarb_rr.sv
policy/qosarb_bxi_table.sv
policy/qosarb_bxi_basic.sv
policy/qosarb_bxi_deficit.sv
port/qosarb_port_reg_pkg.sv
port/qosarb_port_registers.sv
port/qosarb_port_commit.sv
port/qosarb_port_policies.sv
port/qosarb_port_counters.sv
port/qosarb_port.sv
