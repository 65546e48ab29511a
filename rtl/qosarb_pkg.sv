// Names that more than one module of qosarb uses.

package qosarb_pkg;

  // Who arbitrates at a port. The encoding is that of the POLICY register.
  typedef enum logic [3:0] {
    PolicyRr         = 4'd0,
    PolicyBxiBasic   = 4'd1,
    PolicyBxiDeficit = 4'd2
  } policy_e;

  // Bits of an index into `count` things; one bit at least, so that a single thing has an index too.
  function automatic int unsigned index_width(int unsigned count);
    return (count > 1) ? $clog2(count) : 1;
  endfunction

endpackage
