// Names that more than one module of qosarb uses.

package qosarb_pkg;

  // Bits of an index into `count` things; one bit at least, so that a single thing has an index too.
  function automatic int unsigned index_width(int unsigned count);
    return (count > 1) ? $clog2(count) : 1;
  endfunction

  // Input ports whose staging buffers, Vcs each, are the queues of an output port; one at least. The
  // last one may have fewer.
  function automatic int unsigned inputs(int unsigned queues, int unsigned vcs);
    return (vcs != 0 && queues > vcs) ? (queues + vcs - 1) / vcs : 1;
  endfunction

  // Words of state that a port shows of its policy (see qosarb_port_pkg): up to the first one of the
  // policy's own, and in all.
  function automatic int unsigned state_own(int unsigned entries);
    return entries + 2;
  endfunction

  function automatic int unsigned state_words(int unsigned queues, int unsigned entries);
    return state_own(entries) + ((queues > 2) ? 2 * queues : 4);
  endfunction

  // Counters of a port behind those of each queue (see qosarb_port_pkg), of which the first `common` are
  // of no single policy: the place of seastar-age's, and how many there are in all.
  function automatic int unsigned counter_vcs(int unsigned common, bit trtcm, int unsigned queues);
    return common + (trtcm ? 3 * queues : 0);
  endfunction

  function automatic int unsigned other_counters(int unsigned common, bit trtcm, bit seastar_age,
                                                 int unsigned queues, int unsigned vcs);
    return counter_vcs(common, trtcm, queues) + (seastar_age ? 3 * vcs + 5 : 0);
  endfunction

endpackage
