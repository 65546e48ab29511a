// ets, with the queues that have strict priority.
#include <array>
#include <utility>

#include "driver.hpp"
#include "qosarb/policy/ets.hpp"
#include "turns.hpp"

namespace qosarb::gate_level {
namespace {

class EtsDriver final : public Driver {
 public:
  /// A strict configuration: every quantum holds any packet.
  ArbiterConfig random_config(Random& random) override {
    ArbiterConfig config = plain_config();
    EtsConfig ets;
    const std::uint64_t strict_percent = random.one_of(std::array{0U, 10U, 30U, 50U, 100U});
    std::size_t weighted = 0;
    for (std::size_t q = 0; q < kQueues; ++q) {
      if (weighted == kEntries || random.chance(strict_percent)) {
        ets.classes.push_back({.strict_priority = true});
      } else {
        ets.classes.push_back({.weight = random_quantum(random)});
        ++weighted;
      }
    }
    config.parameters = std::move(ets);
    return config;
  }

  void program(Vgates& pins, const ArbiterConfig& config) override {
    const auto& ets = config.parameters.get<EtsConfig>();
    for (std::size_t q = 0; q < kQueues; ++q) {
      put(pins.strict_i, q, 1, ets.classes[q].strict_priority ? 1 : 0);
    }
    program_turns(pins, ets.table(), config.max_packet_flits);
  }
};

}  // namespace

std::unique_ptr<Driver> make_driver() { return std::make_unique<EtsDriver>(); }

}  // namespace qosarb::gate_level
