// Topologies and scenarios in a few lines.
#pragma once

#include <vector>

#include "qosarb/network/network.hpp"

namespace qosarb::test {

/// Of this kind, with its first routing.
TopologyConfig topology_of(const TopologyKind& kind);
/// A mesh or torus of these dimensions.
TopologyConfig grid(const TopologyKind& kind, std::vector<int> dims, int hosts_per_switch = 1);

/// The references, at every port.
ArbiterFactory references();

/// All switches are of this kind. Where their arbiters have a queue for each (input, virtual
/// channel), the links have the queues that the arbiter had, and it has as many for each input.
void build_with(Scenario& scenario, const SwitchKind& kind);

/// Every host to every other one, evenly spaced.
TrafficEntry uniform_traffic(Index queue, double load, const MessageSizes& sizes, int hosts);
/// All hosts but `to` send to it.
TrafficEntry hot_spot_traffic(Index queue, double load, const MessageSizes& sizes, int to,
                              int hosts);
/// One message from `source` to `destination` in cycle `when`, and none for a long time.
TrafficEntry one_message(Index queue, std::uint32_t bytes, int source, int destination, Cycle when);

/// Share of the delivered flits that each traffic entry gets when `scenario` has run.
std::vector<double> shares_of(const Scenario& scenario);

}  // namespace qosarb::test
