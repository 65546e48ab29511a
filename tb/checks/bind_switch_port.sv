// The checks of ports, bound where a switch keeps the heads, tells their lengths as they are, and asks for a packet when
// the link is free.
bind qosarb_ports qosarb_ports_checks #(
  .Ports(Ports), .Queues(Queues), .MaxPacketFlits(MaxPacketFlits), .Latency(Latency), .Ahead(0)
) u_checks (.*, .served_i(u_configuration.queues_in_use_q));
