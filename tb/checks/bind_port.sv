// The checks of a port, bound in benches whose heads may lie and come and go, and whose link takes a packet
// in any cycle.
bind qosarb_port qosarb_port_checks #(
  .Queues(Queues), .MaxPacketFlits(MaxPacketFlits), .HeadsMayGo(1'b1), .HeadsMayLie(1'b1)
) u_checks (.*, .hold(u_ports.hold), .served_i(u_ports.u_configuration.queues_in_use_q));
