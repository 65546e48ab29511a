// How a network is cut into shards, and how they run on threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "qosarb/network/shard.hpp"
#include "qosarb/network/topology.hpp"

namespace qosarb {

/// The shard of each node, hosts first: so many parts with the same number of switches, of each
/// level of a tree and as near to each other as their numbers, and the hosts of these. There are at
/// least so many switches with hosts.
std::vector<Index> shards_of(const Topology& topology, int shards);
/// Switches with hosts.
int most_shards(const Topology& topology);

/// Runs all of them to cycle `end`, each on a thread of its own. What one does to another takes at
/// least `look_ahead` cycles. Errors: those of Network::run(), the earliest.
void run_side_by_side(std::span<const std::unique_ptr<Shard>> shards, Cycle end, Cycle look_ahead);

}  // namespace qosarb
