// The greatest key among the requests; ties go to the first behind a position, circularly.
//
// Algorithm: a tree of two levels. In a node every pair of candidates is compared at once.
//   1. `behind_i` marks the candidates after the position. They come before the others when keys
//      are equal; among equals in that, the lower one does. That is the circular order.
//   2. Each group of GroupSize neighbours has its winner found; see qosarb_pairwise_max.
//   3. The winners' keys are compared in the same way. Groups hold neighbours, so that the order
//      among equal keys is the same for groups as for their members.
// Candidates marked `top_i` have the greatest key of all, whatever `key_i` says. That is looked at
// behind the comparisons, so it may come late.
// Bound: two comparisons and what selects a group's key; one comparison when a group holds all
// candidates, which is the fastest and the largest: Width * (Width - 1) / 2 comparators.
//
// Nothing is remembered here. Whoever owns the position registers `grant_o` and feeds it back
// through qosarb_onehot_to_behind, which then stands beside the comparisons and not behind them.

module qosarb_rotating_max #(
  parameter int unsigned Width     = 28,
  parameter int unsigned KeyWidth  = 9,
  parameter int unsigned GroupSize = Width
) (
  input  logic [Width-1:0]               request_i,
  input  logic [Width-1:0]               top_i,
  input  logic [Width-1:0][KeyWidth-1:0] key_i,
  input  logic [Width-1:0]               behind_i,  // a run of ones up to the highest bit, or none
  output logic                           any_o,
  output logic [Width-1:0]               grant_o    // one-hot; zero when nobody requests
);

  if (Width == 0 || KeyWidth == 0) begin : g_check_width
    $error("qosarb_rotating_max: Width and KeyWidth must be at least 1");
  end
  if (GroupSize == 0 || GroupSize > Width) begin : g_check_group
    $error("qosarb_rotating_max: GroupSize must be within 1..Width");
  end

  assign any_o  = |request_i;

  if (GroupSize == Width || GroupSize == 0) begin : g_one_level
    qosarb_pairwise_max #(
      .Width   (Width),
      .KeyWidth(KeyWidth)
    ) u_all (
      .request_i,
      .top_i,
      .key_i,
      .behind_i,
      .winner_o(grant_o)
    );
  end else begin : g_two_levels
    localparam int unsigned Groups = (Width + GroupSize - 1) / GroupSize;

    logic [Groups-1:0]               group_request, group_top, group_behind, group_winner;
    logic [Groups-1:0][KeyWidth-1:0] group_key;

    for (genvar g = 0; g < Groups; g++) begin : g_group
      localparam int unsigned First   = g * GroupSize;
      localparam int unsigned Members = (First + GroupSize > Width) ? Width - First : GroupSize;

      logic [Members-1:0]               request, top, member_behind, winner;
      logic [Members-1:0][KeyWidth-1:0] key;
      logic [KeyWidth-1:0]              winner_key;

      assign request       = request_i[First +: Members];
      assign top           = top_i[First +: Members];
      assign key           = key_i[First +: Members];
      assign member_behind = behind_i[First +: Members];

      qosarb_pairwise_max #(
        .Width   (Members),
        .KeyWidth(KeyWidth)
      ) u_members (
        .request_i(request),
          .top_i    (top),
        .key_i    (key),
        .behind_i (member_behind),
        .winner_o (winner)
      );

      always_comb begin
        winner_key = '0;
        for (int unsigned m = 0; m < Members; m++) begin
          winner_key |= key[m] & {KeyWidth{winner[m]}};
        end
      end

      assign group_request[g] = |request;
      assign group_top[g]     = |(top & winner);
      assign group_behind[g]  = |(member_behind & winner);
      assign group_key[g]     = winner_key;

      assign grant_o[First +: Members] = winner & {Members{group_winner[g]}};
    end

    qosarb_pairwise_max #(
      .Width   (Groups),
      .KeyWidth(KeyWidth)
    ) u_groups (
      .request_i(group_request),
      .top_i    (group_top),
      .key_i    (group_key),
      .behind_i (group_behind),
      .winner_o (group_winner)
    );
  end

endmodule
