// rr in port_commit_proof: it takes any configuration.

  `NO_FIELDS(PolicyRr)
  assign own_says[PolicyRr]    = '0;
  assign own_coupled[PolicyRr] = 1'b1;

  // To be seen: in force, and with fewer queues in use than after reset.
  assign own_shown[PolicyRr] = in_force.in_use != '1;
