// Random configurations and traffic for one port, the same on any machine for the same seed.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "qosarb/policy/port.hpp"

namespace qosarb::test {

/// Random numbers without the standard library's distributions, which differ between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Within 0 .. n-1; n >= 1.
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  /// Within low .. high.
  std::uint64_t within(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }
  bool chance(std::uint32_t percent) { return below(100) < percent; }
  std::uint64_t bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

/// A configuration that the RTL can hold: any depth, entries in any order, quanta from the longest
/// packet up to 16 bits; any biases and short periods; any rates and bursts. `queues` and the least
/// `longest` packet may be given (0: random).
ArbiterConfig random_config(Random& random, PolicyRef policy, int queues = 0,
                            std::uint32_t longest = 0);

/// What comes to a port, and how often it is asked.
class RandomTraffic {
 public:
  /// The kind of traffic is drawn from `random`, too: sizes, load, PFC stops, pace.
  RandomTraffic(Random& random, const ArbiterConfig& config);

  /// Time moves on to the next arbitration; the cycle of it.
  Cycle next_cycle();
  /// Arrivals, stops and starts of that cycle. The arbitration is the caller's.
  void happen(Port& port);
  /// The winner of that cycle's arbitration, which the link then sends.
  void sent(const Decision& decision);

 private:
  enum class Sizes { AllOne, AllLongest, Bimodal, Uniform };
  enum class Pace { EveryCycle, RandomGaps, LinkRate, LongGaps };

  static Pace random_pace(Random& random, const ArbiterConfig& config);
  std::uint32_t size(int queue);

  Random& random_;
  int queues_;
  std::vector<std::uint32_t> longest_;  ///< of each queue
  Sizes sizes_;
  Pace pace_;
  std::uint32_t arrival_percent_;
  std::uint32_t stop_percent_;    ///< chance for a queue to be stopped in a cycle
  std::uint32_t start_percent_;   ///< chance for a stopped queue to be started again
  std::uint32_t freeze_percent_;  ///< chance for all queues to be stopped at once
  Cycle now_ = 0;
  Cycle link_free_ = 0;
  bool begun_ = false;
};

}  // namespace qosarb::test
