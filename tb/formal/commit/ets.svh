// ets in port_commit_proof: a table of the queues in use without strict priority, if there are some, in their order,
// each quantum of which holds the longest packet. Strict priority serves, too. Of a queue with strict priority an
// entry is refused for that first, then for its place.

  typedef logic [Queues-1:0] ets_t;  // those with strict priority

  function automatic logic ets_has_table(configuration_t c);
    return (c.in_use & ~ets_t'(c.own[PolicyEts])) != '0;
  endfunction

  function automatic says_t ets_says(configuration_t c);
    ets_t strict_priority;
    strict_priority    = ets_t'(c.own[PolicyEts]);
    ets_says           = '0;
    ets_says.needed    = 1'b1;
    ets_says.looked_at = CountWidth'(1);
    ets_says.served    = strict_priority;
    if (ets_has_table(c)) begin
      ets_says.looked_at = c.entries;
      ets_says.marks     = queues_of(c);
      ets_says.served    = strict_priority | any_of(ets_says.marks, c.entries);
      for (int unsigned e = 0; e < Entries; e++) begin
        if (c.quantum[e] < QuantumWidth'(c.longest)) ets_says.fault[e] = StatusReasonShortQuantum;
        if (e > 0 && c.queue[e] <= c.queue[e-1])     ets_says.fault[e] = StatusReasonQueueOrder;
        if (strict_priority[c.queue[e]])             ets_says.fault[e] = StatusReasonStrictEntry;
      end
    end
  endfunction

  `OWN_FIELDS(PolicyEts, ets_t, g_ets, shadow_q, in_force_q)
  assign own_first[PolicyEts]   = '0;
  assign own_good[PolicyEts]    = 1'b1;
  assign own_says[PolicyEts]    = ets_says(asked_q);
  assign own_coupled[PolicyEts] = `PORTS.u_policies.g_ets.u_slot.has_table_q == ets_has_table(in_force);

  always_comb begin
    own_access[PolicyEts] = '{known: address == StrictPriorityOffset, writable: 1'b0, value: '0,
                              own: written_q.own[PolicyEts]};
    if (address == StrictPriorityOffset) begin
      own_access[PolicyEts].writable = 64'(data) < (64'd1 << Queues);
      own_access[PolicyEts].value    = 32'(written_q.own[PolicyEts]);
      own_access[PolicyEts].own      = own_t'(data[Queues-1:0]);
    end
  end

  // To be seen: a table, and a queue of strict priority.
  assign own_shown[PolicyEts] = (in_force.own[PolicyEts] != '0) & ets_has_table(in_force);
