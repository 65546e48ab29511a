// A scenario file: the arbiter of every port, the network, the traffic, the run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "qosarb/policy/config.hpp"
#include "qosarb/switch/switch.hpp"
#include "qosarb/traffic/traffic.hpp"

namespace qosarb {

enum class TopologyKind { SingleSwitch };

struct Scenario {
  ArbiterConfig arbiter;

  TopologyKind topology = TopologyKind::SingleSwitch;
  int ports = 8;
  std::uint64_t link_mbps = 400'000;
  std::uint32_t link_delay = 20;  ///< in cycles, rounded up to whole ones
  std::uint32_t flit_bytes = 64;
  SwitchConfig switches;

  std::vector<TrafficEntry> traffic;

  Cycle warmup = 0;   ///< cycles before the measuring window
  Cycle measure = 1;  ///< cycles of the window
  std::uint64_t seed = 1;

  /// One flit on a link.
  [[nodiscard]] double cycle_ns() const {
    return static_cast<double>(flit_bytes) * 8000.0 / static_cast<double>(link_mbps);
  }
};

/// Reads a scenario; files that it names are looked for beside it.
/// Errors: InputError naming file, line and fault, for whatever interfaces.md and
/// docs/switch-model.md do not allow, and for an input queue that cannot hold its PFC headroom
/// and a packet.
Scenario load_scenario(const std::string& file);

}  // namespace qosarb
