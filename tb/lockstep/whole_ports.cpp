#include "lockstep/whole_ports.hpp"

#include <vector>

#include "Vwhole_12__evaluate.h"
#include "Vwhole_1__evaluate.h"
#include "Vwhole_5__evaluate.h"
#include "cosim/verilated_port.hpp"

namespace qosarb::test {

std::span<const PortBuild> whole_ports() {
  static const std::vector<PortBuild> builds = {verilated::build<Vwhole_12, 12, 4>("whole_12", 1),
                                                verilated::build<Vwhole_5, 5, 4, 16>("whole_5"),
                                                verilated::build<Vwhole_1, 1, 4, 1>("whole_1")};
  return builds;
}

}  // namespace qosarb::test
