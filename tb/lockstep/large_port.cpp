#include <vector>

#include "Vwhole_32__evaluate.h"
#include "cosim/verilated_port.hpp"
#include "lockstep/whole_ports.hpp"

namespace qosarb::test {

std::span<const PortBuild> whole_ports() {
  static const std::vector<PortBuild> builds = {verilated::build<Vwhole_32, 32, 4>("whole_32")};
  return builds;
}

}  // namespace qosarb::test
