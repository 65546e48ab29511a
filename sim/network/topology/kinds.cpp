#include <array>

#include "qosarb/network/topology.hpp"

namespace qosarb {

std::span<const TopologyKind* const> topology_kinds() {
  static const std::array<const TopologyKind*, 6> all = {&kSingleSwitch, &kMesh, &kTorus,
                                                         &kKaryNtree,    &kPgft, &kDragonfly};
  return all;
}

int product_up_to(std::span<const int> factors, int most) {
  int product = 1;
  for (const int factor : factors) {
    if (factor > most / product) {
      return -1;
    }
    product *= factor;
  }
  return product;
}

}  // namespace qosarb
