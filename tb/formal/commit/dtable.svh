// dtable in port_commit_proof: each weight holds the MTU of its SL, which is not above the longest packet, and an entry
// stands for the SL of each queue in use. An entry is refused for the MTU first.

  typedef logic [Queues-1:0][FlitsWidth-1:0] dtable_t;  // of each SL

  function automatic says_t dtable_says(configuration_t c);
    dtable_t mtu;
    mtu                   = dtable_t'(c.own[PolicyDtable]);
    dtable_says           = '0;
    dtable_says.needed    = 1'b1;
    dtable_says.looked_at = c.entries;
    dtable_says.marks     = queues_of(c);
    dtable_says.served    = of_sls(c, any_of(dtable_says.marks, c.entries));
    for (int unsigned e = 0; e < Entries; e++) begin
      if (c.quantum[e] < QuantumWidth'(mtu[c.queue[e]])) dtable_says.fault[e] = StatusReasonShortQuantum;
      if (mtu[c.queue[e]] > c.longest)                   dtable_says.fault[e] = StatusReasonLongMtu;
    end
  endfunction

  dtable_t dtable_written, dtable_next;

  `OWN_FIELDS(PolicyDtable, dtable_t, g_dtable, shadow_sl_mtu_q, sl_mtu_q)
  assign dtable_written            = dtable_t'(written_q.own[PolicyDtable]);
  assign own_first[PolicyDtable]   = own_t'({Queues{FlitsWidth'(MaxPacketFlits)}});
  assign own_says[PolicyDtable]    = dtable_says(asked_q);
  assign own_coupled[PolicyDtable] = 1'b1;

  always_comb begin
    own_good[PolicyDtable]   = 1'b1;
    own_access[PolicyDtable] = '0;
    dtable_next              = dtable_written;
    for (int unsigned s = 0; s < Queues; s++) begin
      own_good[PolicyDtable] &= (dtable_written[s] != '0) & (32'(dtable_written[s]) <= MaxPacketFlits);
      if (address == SlMtuOffset + OffsetWidth'(4 * s)) begin
        own_access[PolicyDtable].known    = 1'b1;
        own_access[PolicyDtable].writable = (data != '0) & (data <= MaxPacketFlits);
        own_access[PolicyDtable].value    = 32'(dtable_written[s]);
        dtable_next[s]                    = data[FlitsWidth-1:0];
      end
    end
    own_access[PolicyDtable].own = own_t'(dtable_next);
  end

  // To be seen: an SL with shorter packets.
  assign own_shown[PolicyDtable] = in_force.own[PolicyDtable] != own_first[PolicyDtable];
