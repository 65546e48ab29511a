// Cover points of qosarb_port_configuration: which policy comes behind which.

module qosarb_port_configuration_cover (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         load_i,
  input  qosarb_port_reg_pkg::policy_e shadow_policy_q,
  input  qosarb_port_reg_pkg::policy_e policy_q
);

  another_policy: cover property (@(posedge clk_i) disable iff (!rst_ni)
    load_i && shadow_policy_q != policy_q);
  same_policy_again: cover property (@(posedge clk_i) disable iff (!rst_ni)
    load_i && shadow_policy_q == policy_q);

endmodule

bind qosarb_port_configuration qosarb_port_configuration_cover u_cover (.*);
