// Names that more than one module of qosarb uses.

package qosarb_pkg;

  // Who arbitrates at a port. The encoding is that of the POLICY register.
  typedef enum logic [3:0] {
    PolicyRr         = 4'd0,
    PolicyBxiBasic   = 4'd1,
    PolicyBxiDeficit = 4'd2,
    PolicySbt        = 4'd3,
    PolicyDtable     = 4'd4,
    PolicyInfiniband = 4'd5,
    PolicySeastarAge = 4'd6,
    PolicyTrtcm      = 4'd7
  } policy_e;

  // Bits of an index into `count` things; one bit at least, so that a single thing has an index too.
  function automatic int unsigned index_width(int unsigned count);
    return (count > 1) ? $clog2(count) : 1;
  endfunction

  // Input ports whose staging buffers, Vcs each, are the queues of an output port; one at least.
  function automatic int unsigned inputs(int unsigned queues, int unsigned vcs);
    return (vcs != 0 && queues > vcs) ? queues / vcs : 1;
  endfunction

endpackage
