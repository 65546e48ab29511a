// The one build of the RTL with coverage.
#include <vector>

#include "Vcovered__evaluate.h"
#include "cosim/build_choice.hpp"
#include "cosim/verilated_port.hpp"

namespace qosarb {

std::size_t absent_port_builds() { return 0; }

std::span<const PortBuild> port_builds() {
  static const std::vector<PortBuild> builds = {verilated::build<Vcovered, 20, 4>("covered")};
  return builds;
}

}  // namespace qosarb
