// The checks of ports, bound in benches whose heads may lie and, with Latency 0, come and go, and whose link takes a
// packet in any cycle.
bind qosarb_ports qosarb_ports_checks #(
  .Ports(Ports), .Queues(Queues), .MaxPacketFlits(MaxPacketFlits), .Latency(Latency), .HeadsMayGo(Latency == 0),
  .HeadsMayLie(1'b1)
) u_checks (.*, .served_i(u_configuration.queues_in_use_q));
