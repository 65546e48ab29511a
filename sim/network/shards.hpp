// How a network is cut into shards, and how they run on threads.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "qosarb/network/shard.hpp"
#include "qosarb/network/topology.hpp"

namespace qosarb {

/// The ways to cut a network into shards.
class Cuts {
 public:
  explicit Cuts(const Topology& topology);

  /// The shard of each node, hosts first: so many parts, not above most(), with the same number of
  /// switches, of each level of a tree and as near to each other as their numbers, and the hosts of
  /// these.
  [[nodiscard]] std::vector<Index> into(int shards) const;
  /// Switches with hosts.
  [[nodiscard]] int most() const { return most_; }
  /// How many shards are fastest on so many threads, not above most(): of a large network so many
  /// that a cache has room for one of them and that it runs long by itself; otherwise one for each
  /// thread.
  [[nodiscard]] int fastest(const Scenario& scenario, const Topology& topology, int threads) const;

 private:
  // As measured (large_hops in docs/speed.md, and a mesh of 32 x 32, which is faster in one piece):
  // with twice or half as many queues times differ by some percent.
  static constexpr double kQueuesOfAShard = 5000;  ///< virtual channels of outputs
  static constexpr double kWorthwhile = 8;         ///< shards at least
  static constexpr double kAtMostOff = 3;          ///< from that number, for a longer look-ahead
  static constexpr Cycle kLongEnough = 8;          ///< look-ahead at least

  Index hosts_;
  std::vector<Index> switch_of_host_;  ///< its node
  Index nodes_;
  std::vector<std::vector<Index>> levels_;  ///< switches so many links from the next host
  int most_ = 0;
};

/// What one shard does to another takes at least so many cycles; kNever if there is one.
Cycle look_ahead(const Scenario& scenario, const Topology& topology,
                 std::span<const Index> shard_of);

/// The thread of one of so many `shards`, if there are not fewer of these than threads.
inline int thread_of(int shard, int shards, int threads) {
  return static_cast<int>(std::int64_t{shard} * threads / shards);
}

/// Runs all of them to cycle `end`, on so many threads by thread_of(). What one does to another
/// takes at least `look_ahead()` cycles from when that is asked on, while none of them runs, and if
/// these are none the run ends there. Errors: those of Network::run(), the earliest.
void run_side_by_side(std::span<const std::unique_ptr<Shard>> shards, int threads, Cycle end,
                      const std::function<Cycle()>& look_ahead);

}  // namespace qosarb
