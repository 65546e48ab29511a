// What a proof is given is any value. What a commit lets through is the value within its bounds that is nearest.

package clamp_pkg;

  function automatic int unsigned clamped(int unsigned value, int unsigned least, int unsigned most);
    return (value < least) ? least : (value > most) ? most : value;
  endfunction

endpackage
