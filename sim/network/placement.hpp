// Which hosts the ranks of a job get, beside those of other jobs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "qosarb/network/topology.hpp"

namespace qosarb {

/// One entry of the list of placements.
struct PlacementKind {
  std::string_view name;
  /// All hosts, in the order in which jobs take those that are free.
  std::vector<int> (*order)(const Topology& topology, std::uint64_t seed);
};

/// `linear`: by number. `random`: in random order. `by-group`: the groups of a dragonfly in random
/// order, each by number; where there are none, the hosts of each switch are a group.
std::span<const PlacementKind> placements();

}  // namespace qosarb
