// The checks of credits.
bind qosarb_credit qosarb_credit_checks #(
  .Queues(Queues), .CreditWidth(CreditWidth), .Latency(Latency)
) u_checks (.*);
