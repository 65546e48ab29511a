// bxi-basic and bxi-deficit.
#include <utility>

#include "driver.hpp"
#include "qosarb/policy/bxi.hpp"
#include "turns.hpp"

namespace qosarb::gate_level {
namespace {

class BxiDriver final : public Driver {
 public:
  /// A strict configuration: every queue is served, every quantum holds any packet.
  ArbiterConfig random_config(Random& random) override {
    ArbiterConfig config = plain_config();
    BxiConfig bxi;
    const std::size_t entries = random.within(kQueues, kEntries);
    for (std::size_t e = 0; e < entries; ++e) {
      const std::size_t queue = e < kQueues ? e : random.below(kQueues);
      bxi.table.push_back({static_cast<int>(queue), random_quantum(random)});
    }
    random.shuffle(bxi.table);
    config.parameters = std::move(bxi);
    return config;
  }

  void program(Vgates& pins, const ArbiterConfig& config) override {
    program_turns(pins, config.parameters.get<BxiConfig>(), config.max_packet_flits);
  }

  void show_cycle(Vgates& pins) override {
    const auto deficits_on = [](auto& gates) {
      if constexpr (requires { gates.deficits_on_i; }) {
        gates.deficits_on_i = kPolicy == kBxiDeficit ? 1 : 0;
      }
    };
    deficits_on(pins);
  }
};

}  // namespace

std::unique_ptr<Driver> make_driver() { return std::make_unique<BxiDriver>(); }

}  // namespace qosarb::gate_level
