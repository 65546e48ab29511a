// infiniband in port_commit_proof: two tables, each one half of the entries, whatever TABLE_ENTRIES says. A weight is
// at most 255; an entry with a weight serves its VL, which is at most 14. It is refused for the VL first.

  localparam int unsigned InfinibandLow  = Entries / 2;
  localparam int unsigned InfinibandHigh = (Entries == 1) ? 1 : Entries / 2;

  typedef struct packed {
    logic [7:0] high_limit;
    logic       low_turn_packet;
    logic [2:0] flit_bytes_log2;
  } infiniband_t;

  function automatic says_t infiniband_says(configuration_t c);
    infiniband_says           = '0;
    infiniband_says.needed    = 1'b1;
    infiniband_says.looked_at = CountWidth'(InfinibandHigh + InfinibandLow);
    for (int unsigned e = 0; e < Entries; e++) begin
      if (c.quantum[e] != '0)                            infiniband_says.marks[e][c.queue[e]] = 1'b1;
      if (32'(c.quantum[e]) > 32'd255)                   infiniband_says.fault[e] = StatusReasonLargeWeight;
      if (c.quantum[e] != '0 && 32'(c.queue[e]) > 32'd14) infiniband_says.fault[e] = StatusReasonLargeVl;
    end
    infiniband_says.served = any_of(infiniband_says.marks, infiniband_says.looked_at);
  endfunction

  infiniband_t infiniband_written, infiniband_next;

  `OWN_FIELDS(PolicyInfiniband, infiniband_t, g_infiniband, shadow_q, in_force_q)
  assign infiniband_written            = infiniband_t'(written_q.own[PolicyInfiniband]);
  assign own_first[PolicyInfiniband]   = own_t'(infiniband_t'{high_limit: '0, low_turn_packet: 1'b0,
                                                              flit_bytes_log2: 3'd6});
  assign own_good[PolicyInfiniband]    = 1'b1;
  assign own_says[PolicyInfiniband]    = infiniband_says(asked_q);
  assign own_coupled[PolicyInfiniband] = 1'b1;

  always_comb begin
    own_access[PolicyInfiniband] = '{known: 1'b1, writable: 1'b0, value: '0, own: '0};
    infiniband_next              = infiniband_written;
    case (address)
      VlArbHighCapOffset: own_access[PolicyInfiniband].value = InfinibandHigh;
      VlArbLowCapOffset:  own_access[PolicyInfiniband].value = InfinibandLow;
      VlHighLimitOffset: begin
        own_access[PolicyInfiniband].value    = 32'(infiniband_written.high_limit);
        own_access[PolicyInfiniband].writable = data < 32'd256;
        infiniband_next.high_limit            = data[7:0];
      end
      VlLowTurnOffset: begin
        own_access[PolicyInfiniband].value    = 32'(infiniband_written.low_turn_packet);
        own_access[PolicyInfiniband].writable = data < 32'd2;
        infiniband_next.low_turn_packet       = data[0];
      end
      FlitBytesOffset: begin
        own_access[PolicyInfiniband].value    = 32'(infiniband_written.flit_bytes_log2);
        own_access[PolicyInfiniband].writable = data < 32'd8;
        infiniband_next.flit_bytes_log2       = data[2:0];
      end
      default: own_access[PolicyInfiniband].known = 1'b0;
    endcase
    own_access[PolicyInfiniband].own = own_t'(infiniband_next);
  end

  // To be seen: a limit, and an entry without a weight.
  assign own_shown[PolicyInfiniband] = (in_force.own[PolicyInfiniband] != own_first[PolicyInfiniband]) &
                                       (in_force.quantum[Entries-1] == '0);
