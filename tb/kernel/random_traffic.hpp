// Random traffic for one port, the same on any machine for the same seed.
#pragma once

#include <cstdint>
#include <vector>

#include "qosarb/policy/port.hpp"
#include "random/random.hpp"

namespace qosarb::test {

/// What comes to a port, and how often it is asked.
class RandomTraffic {
 public:
  /// The kind of traffic is drawn from `random`, too: sizes, load, PFC stops, pace. Where
  /// each cycle has to be clocked, long gaps between arbitrations are rarer and shorter. Lengths
  /// lie up to `longest_shown` flits, in some lives; 0: never.
  RandomTraffic(Random& random, const ArbiterConfig& config, bool each_cycle_clocked = false,
                std::uint32_t longest_shown = 0);
  /// From now on queues are mostly backlogged, and there is an arbitration in each cycle.
  void be_busy();

  /// Time moves on to the next arbitration; the cycle of it.
  Cycle next_cycle();
  /// Arrivals, stops and starts of that cycle. The arbitration is the caller's. While the port is
  /// to be drained nothing arrives and nothing stays stopped.
  void happen(Port& port, bool drain = false) { happen_at(now_, port, drain); }
  /// The same in any cycle, whether it has an arbitration or not.
  void happen_at(Cycle now, Port& port, bool drain = false);
  /// The winner of that cycle's arbitration, which the link then sends.
  void sent(const Decision& decision);

 private:
  enum class Sizes { AllOne, AllLongest, Bimodal, Uniform };
  enum class Pace { EveryCycle, RandomGaps, LinkRate, LongGaps };

  std::uint32_t size(Index queue);

  Random& random_;
  bool each_cycle_clocked_;
  std::vector<std::uint32_t> longest_;  ///< of each queue
  std::uint32_t longest_shown_;
  std::uint64_t lie_percent_;  ///< chance for a packet to be too long or of 0 flits
  Sizes sizes_;
  Pace pace_;
  std::uint64_t arrival_percent_;
  std::uint64_t stop_percent_;    ///< chance for a queue to be stopped in a cycle
  std::uint64_t start_percent_;   ///< chance for a stopped queue to be started again
  std::uint64_t freeze_percent_;  ///< chance for all queues to be stopped at once
  Cycle now_ = 0;
  Cycle link_free_ = 0;
  bool begun_ = false;
};

}  // namespace qosarb::test
