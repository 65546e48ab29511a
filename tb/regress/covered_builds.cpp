// The one build of the RTL with coverage.
#include <vector>

#include "Vcovered.h"
#include "Vcovered___024root.h"
#include "cosim/verilated_port.hpp"

namespace qosarb {

std::span<const PortBuild> port_builds() {
  static const std::vector<PortBuild> builds = {verilated::build<Vcovered, 20, 4>("covered")};
  return builds;
}

}  // namespace qosarb
