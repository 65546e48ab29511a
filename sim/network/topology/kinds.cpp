#include <array>

#include "qosarb/network/topology.hpp"

namespace qosarb {

std::span<const TopologyKind* const> topology_kinds() {
  static const std::array<const TopologyKind*, 6> all = {&kSingleSwitch, &kMesh, &kTorus,
                                                         &kKaryNtree,    &kPgft, &kDragonfly};
  return all;
}

std::int64_t product_up_to(std::span<const int> factors, std::int64_t most) {
  std::int64_t product = 1;
  for (const int factor : factors) {
    product *= factor;
    if (product > most) {
      return -1;
    }
  }
  return product;
}

}  // namespace qosarb
