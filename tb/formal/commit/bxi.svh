// bxi-basic and bxi-deficit in port_commit_proof: each quantum holds the longest packet, and an entry serves each
// queue in use.

  function automatic says_t bxi_says(configuration_t c);
    bxi_says           = '0;
    bxi_says.needed    = 1'b1;
    bxi_says.looked_at = c.entries;
    bxi_says.marks     = queues_of(c);
    bxi_says.served    = any_of(bxi_says.marks, c.entries);
    for (int unsigned e = 0; e < Entries; e++) begin
      if (c.quantum[e] < QuantumWidth'(c.longest)) bxi_says.fault[e] = StatusReasonShortQuantum;
    end
  endfunction

  `NO_FIELDS(PolicyBxiBasic)
  `NO_FIELDS(PolicyBxiDeficit)
  assign own_says[PolicyBxiBasic]      = bxi_says(asked_q);
  assign own_says[PolicyBxiDeficit]    = bxi_says(asked_q);
  assign own_coupled[PolicyBxiBasic]   = 1'b1;
  assign own_coupled[PolicyBxiDeficit] = 1'b1;

  // To be seen: a queue with two entries.
  assign own_shown[PolicyBxiBasic]   = (in_force.entries > CountWidth'(1)) & (in_force.queue[0] == in_force.queue[1]);
  assign own_shown[PolicyBxiDeficit] = own_shown[PolicyBxiBasic];
