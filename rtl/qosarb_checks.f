// Assertions for simulation and formal tools, to bind to the modules of rtl/qosarb.f: verilator -F
// rtl/qosarb_checks.f beside that list. Not for synthesis.
checks/qosarb_port_checks.sv
checks/qosarb_ports_checks.sv
checks/qosarb_credit_checks.sv
checks/qosarb_engine_checks.sv
checks/qosarb_age_clock_checks.sv
