// The checks of engines, bound in benches whose heads may lie.
bind qosarb_bxi_lookahead bxi_lookahead_checks #(
  .Queues(Queues), .Entries(Entries), .QuantumWidth(QuantumWidth), .MaxPacketFlits(MaxPacketFlits)
) u_checks (.*);

bind qosarb_dtable_lookahead qosarb_engine_checks #(
  .Queues(Queues), .MaxPacketFlits(MaxPacketFlits), .Latency(1), .HeadsMayLie(1'b1)
) u_checks (.*, .served_i({Queues{1'b0}}));

bind qosarb_trtcm qosarb_engine_checks #(
  .Queues(Queues), .MaxPacketFlits(MaxPacketFlits), .HeadsMayGo(1'b1), .HeadsMayLie(1'b1)
) u_checks (.*, .next_valid_i({Queues{1'b0}}), .next_flits_i({Queues{FlitsWidth'(1)}}),
            .served_i({Queues{1'b1}}));
