// Ways to state a worked example of an arbiter in a few lines.
#pragma once

#include <string>
#include <vector>

#include "qosarb/policy/port.hpp"

namespace qosarb::test {

/// The config of an `arbiter:` section given as YAML text (without the key itself).
ArbiterConfig arbiter_config(const std::string& yaml);

/// A port with the reference of `config`.
Port reference_port(const ArbiterConfig& config);

/// `count` arbitrations, one a cycle from `first` on; the queues that win.
std::vector<int> winners(Port& port, int count, Cycle first = 0);

/// Share of the flits that each queue gets in `decisions` arbitrations when every queue always has
/// packets, all of queue q being flits[q] long.
std::vector<double> backlogged_shares(const ArbiterConfig& config,
                                      const std::vector<std::uint32_t>& flits, int decisions);

}  // namespace qosarb::test
