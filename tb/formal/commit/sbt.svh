// sbt in port_commit_proof: one entry of an SL, of a weight of 1 or more, and an entry for the SL of each queue in use.
// An entry is refused for its weight first.

  function automatic says_t sbt_says(configuration_t c);
    sbt_says           = '0;
    sbt_says.needed    = 1'b1;
    sbt_says.looked_at = c.entries;
    sbt_says.marks     = queues_of(c);
    sbt_says.served    = of_sls(c, any_of(sbt_says.marks, c.entries));
    for (int unsigned e = 0; e < Entries; e++) begin
      for (int unsigned earlier = 0; earlier < e; earlier++) begin
        if (c.queue[e] == c.queue[earlier]) sbt_says.fault[e] = StatusReasonRepeatedSl;
      end
      if (c.quantum[e] == '0) sbt_says.fault[e] = StatusReasonZeroWeight;
    end
  endfunction

  `NO_FIELDS(PolicySbt)
  assign own_says[PolicySbt]    = sbt_says(asked_q);
  assign own_coupled[PolicySbt] = 1'b1;

  // To be seen: two queues of SL 1.
  assign own_shown[PolicySbt] = (in_force.queue_sl[0] == QueueWidth'(1)) & (in_force.queue_sl[1] == QueueWidth'(1));
