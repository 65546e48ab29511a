// trtcm in port_commit_proof: of each class the assured rate is at most the peak rate, a burst holds the longest packet
// where its rate is not 0, and no two priorities are alike. A class is refused for its rates first, then for a burst.
// A class serves its queue.

  localparam int unsigned TrtcmBurstWidth = $clog2(MaxPacketFlits + 1);  // see port_behind_a_bus

  typedef struct packed {
    logic [Queues-1:0][QueueWidth-1:0]      level;  // of priority
    logic [Queues-1:0][16:0]                assured_rate;
    logic [Queues-1:0][16:0]                peak_rate;
    logic [Queues-1:0][TrtcmBurstWidth-1:0] assured_burst;
    logic [Queues-1:0][TrtcmBurstWidth-1:0] peak_burst;
  } trtcm_t;

  function automatic says_t trtcm_says(configuration_t c);
    trtcm_t own;
    own                  = trtcm_t'(c.own[PolicyTrtcm]);
    trtcm_says           = '0;
    trtcm_says.needed    = 1'b1;
    trtcm_says.looked_at = CountWidth'(Queues);
    trtcm_says.served    = '1;
    for (int unsigned q = 0; q < Queues; q++) begin
      trtcm_says.marks[q] = Queues'(1) << own.level[q];
      for (int unsigned earlier = 0; earlier < q; earlier++) begin
        if (own.level[q] == own.level[earlier]) trtcm_says.fault[q] = StatusReasonRepeatedPriority;
      end
      if (own.assured_rate[q] != '0 && 32'(own.assured_burst[q]) < 32'(c.longest)) begin
        trtcm_says.fault[q] = StatusReasonShortBurst;
      end
      if (own.peak_rate[q] != '0 && 32'(own.peak_burst[q]) < 32'(c.longest)) begin
        trtcm_says.fault[q] = StatusReasonShortBurst;
      end
      if (own.assured_rate[q] > own.peak_rate[q]) trtcm_says.fault[q] = StatusReasonRates;
    end
  endfunction

  trtcm_t trtcm_first, trtcm_written, trtcm_next;

  `OWN_FIELDS(PolicyTrtcm, trtcm_t, g_trtcm, shadow_q, in_force_q)
  assign trtcm_written            = trtcm_t'(written_q.own[PolicyTrtcm]);
  assign own_first[PolicyTrtcm]   = own_t'(trtcm_first);
  assign own_says[PolicyTrtcm]    = trtcm_says(asked_q);

  // The class that is looked at was fetched in the cycle before.
  logic [Queues-1:0] trtcm_fetched;

  for (genvar q = 0; q < Queues; q++) begin : g_trtcm_fetched
    assign trtcm_fetched[q] =
        (`PORTS.progress != StatusProgressChecking) | (32'(`PORTS.check_index) != q) |
        (`PORTS.u_policies.g_trtcm.u_slot.class_q ==
         {trtcm_written.level[q], trtcm_written.assured_rate[q], trtcm_written.peak_rate[q],
          trtcm_written.assured_burst[q], trtcm_written.peak_burst[q]});
  end

  if (Protect != 0) begin : g_trtcm_second
    assign own_coupled[PolicyTrtcm] =
        (&trtcm_fetched) & (`PORTS.u_policies.g_trtcm.u_slot.class_q ==
                            `PORTS.g_protect.u_second_policies.g_trtcm.u_slot.class_q);
  end else begin : g_trtcm_one
    assign own_coupled[PolicyTrtcm] = &trtcm_fetched;
  end

  always_comb begin
    trtcm_first             = '0;
    trtcm_next              = trtcm_written;
    own_good[PolicyTrtcm]   = 1'b1;
    own_access[PolicyTrtcm] = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      trtcm_first.level[q] = QueueWidth'(q);
      own_good[PolicyTrtcm] &= (32'(trtcm_written.level[q]) < Queues) & (trtcm_written.assured_rate[q] <= 17'h10000) &
                               (trtcm_written.peak_rate[q] <= 17'h10000);
      if (address == ClassPriorityOffset + OffsetWidth'(4 * q)) begin
        own_access[PolicyTrtcm].known    = 1'b1;
        own_access[PolicyTrtcm].writable = data < Queues;
        own_access[PolicyTrtcm].value    = 32'(trtcm_written.level[q]);
        trtcm_next.level[q]              = data[QueueWidth-1:0];
      end
      if (address == AssuredRateOffset + OffsetWidth'(4 * q)) begin
        own_access[PolicyTrtcm].known    = 1'b1;
        own_access[PolicyTrtcm].writable = data <= 32'h10000;
        own_access[PolicyTrtcm].value    = 32'(trtcm_written.assured_rate[q]);
        trtcm_next.assured_rate[q]       = data[16:0];
      end
      if (address == PeakRateOffset + OffsetWidth'(4 * q)) begin
        own_access[PolicyTrtcm].known    = 1'b1;
        own_access[PolicyTrtcm].writable = data <= 32'h10000;
        own_access[PolicyTrtcm].value    = 32'(trtcm_written.peak_rate[q]);
        trtcm_next.peak_rate[q]          = data[16:0];
      end
      if (address == AssuredBurstOffset + OffsetWidth'(4 * q)) begin
        own_access[PolicyTrtcm].known    = 1'b1;
        own_access[PolicyTrtcm].writable = data < 32'd2 ** TrtcmBurstWidth;
        own_access[PolicyTrtcm].value    = 32'(trtcm_written.assured_burst[q]);
        trtcm_next.assured_burst[q]      = data[TrtcmBurstWidth-1:0];
      end
      if (address == PeakBurstOffset + OffsetWidth'(4 * q)) begin
        own_access[PolicyTrtcm].known    = 1'b1;
        own_access[PolicyTrtcm].writable = data < 32'd2 ** TrtcmBurstWidth;
        own_access[PolicyTrtcm].value    = 32'(trtcm_written.peak_burst[q]);
        trtcm_next.peak_burst[q]         = data[TrtcmBurstWidth-1:0];
      end
    end
    own_access[PolicyTrtcm].own = own_t'(trtcm_next);
  end

  // To be seen: priorities in another order than the queues, and rates.
  trtcm_t trtcm_in_force;
  assign trtcm_in_force         = trtcm_t'(in_force.own[PolicyTrtcm]);
  assign own_shown[PolicyTrtcm] = (trtcm_in_force.level[1] == '0) & (trtcm_in_force.assured_rate[0] != '0) &
                                  (in_force.longest == FlitsWidth'(MaxPacketFlits));
