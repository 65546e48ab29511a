// The checks of the age clock.
bind qosarb_age_clock qosarb_age_clock_checks #(
  .MaxPackets(MaxPackets), .MaxArrivals(MaxArrivals), .Outputs(Outputs), .TimestampWidth(TimestampWidth)
) u_checks (.*);
