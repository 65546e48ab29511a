// A network once more, in the plainest way: every flit is an object, every cycle is stepped. Slow;
// for comparing with the model whose packets move as objects.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "qosarb/network/scenario.hpp"

namespace qosarb::test {

struct Delivery {
  Cycle cycle = 0;
  int source = 0;
  int destination = 0;
  Index queue = 0;
  std::uint32_t number = 0;
  Cycle injected = 0;
  friend bool operator==(const Delivery&, const Delivery&) = default;
  friend bool operator<(const Delivery& a, const Delivery& b) {
    return std::tie(a.cycle, a.source, a.destination, a.queue, a.number) <
           std::tie(b.cycle, b.source, b.destination, b.queue, b.number);
  }
};

struct NaiveOutcome {
  std::vector<Delivery> deliveries;
  std::uint64_t decisions = 0;
  std::uint64_t pause_frames = 0;
  std::uint32_t max_input_queue_flits = 0;
  std::uint32_t max_output_queue_flits = 0;  // with those promised
  /// Of each port, as Network::counters(): "switch3.port2 vc_blocked 1".
  std::map<std::string, std::uint64_t> counters;
  int threads = 1;  ///< the most that the model ran on beside it
};

/// Runs `cycles` cycles of a scenario with at most eight queues. Topology, routing and traffic
/// sources are those of the model; all that moves and all that waits is not.
NaiveOutcome run_naively(const Scenario& scenario, Cycle cycles);

/// A random scenario on `topology`, a small one with any of its routings; queues barely large
/// enough, loads up to far too much.
Scenario random_scenario(std::uint64_t seed, const TopologyConfig& topology);

/// Expects of both models the same deliveries, decisions, pauses, counters of ports and fullest
/// queue, and the same report of the network in one, two and three shards on up to as many threads,
/// where it has switches for so many, simulated as a small one and as one too large for the caches.
/// What the naive one gave, the deliveries in order.
NaiveOutcome expect_alike(const Scenario& scenario);

}  // namespace qosarb::test
