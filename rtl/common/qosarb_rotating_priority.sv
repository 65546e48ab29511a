// Circular priority search: the first request behind a position, in constant time.
//
// Algorithm: two parallel-prefix ORs, one over the requests behind the position and one over all.
//   1. `behind_i` marks the candidates that come first, those after the position up to the last.
//   2. If one of them requests, the lowest of them wins; else the lowest of all wins.
//   3. The prefix OR that found the winner is a thermometer code of its place: below it everybody
//      was passed over, and above it stands who comes first when the winner is the new position.
// Bound: ceil(log2(Width)) levels of two-input ORs, two levels of two-input ANDs, one 2:1 select.
//
// Nothing is remembered here. Whoever owns the position keeps it as a thermometer code, so that no
// decoder stands before the search: register `behind_o` and feed it back as `behind_i`.

module qosarb_rotating_priority #(
  parameter int unsigned Width = 8
) (
  input  logic [Width-1:0] request_i,
  // The candidates after the position: a run of ones up to the highest bit, or none.
  input  logic [Width-1:0] behind_i,
  output logic             any_o,
  // The winner, one-hot; zero when nobody requests.
  output logic [Width-1:0] grant_o,
  // The candidates after the winner, and those between the position and the winner, neither of the
  // two included. Both mean nothing when nobody requests.
  output logic [Width-1:0] behind_o,
  output logic [Width-1:0] passed_o
);

  if (Width == 0) begin : g_check_width
    $error("qosarb_rotating_priority: Width must be at least 1");
  end

  // Bit i of the result: some bit of `x` at or below i is set.
  function automatic logic [Width-1:0] prefix_or(logic [Width-1:0] x);
    logic [Width-1:0] result;
    result = x;
    for (int unsigned distance = 1; distance < Width; distance *= 2) begin
      result |= result << distance;
    end
    return result;
  endfunction

  logic [Width-1:0] request_behind;
  logic [Width-1:0] reached_behind, reached_all;
  logic             any_behind;

  assign request_behind = request_i & behind_i;
  assign reached_behind = prefix_or(request_behind);
  assign reached_all    = prefix_or(request_i);
  assign any_behind     = |request_behind;

  assign any_o    = |request_i;
  assign grant_o  = any_behind ? (request_behind & ~(reached_behind << 1))
                               : (request_i & ~(reached_all << 1));
  assign behind_o = (any_behind ? reached_behind : reached_all) << 1;
  assign passed_o = any_behind ? (behind_i & ~reached_behind)
                               : (behind_i | ~reached_all);

endmodule
