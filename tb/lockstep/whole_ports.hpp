// Builds of the port that have every policy which their size allows, for tests alone.
#pragma once

#include <span>

#include "cosim/port_model.hpp"

namespace qosarb::test {

/// 12 queues and 20 entries, 5 and 9, 1 and 1; in large_port_tests 32 and 128.
std::span<const PortBuild> whole_ports();

}  // namespace qosarb::test
