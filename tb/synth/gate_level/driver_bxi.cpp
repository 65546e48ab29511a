// bxi-basic and bxi-deficit.
#include <algorithm>
#include <utility>

#include "driver.hpp"
#include "qosarb/policy/bxi.hpp"

namespace qosarb::gate_level {
namespace {

class BxiDriver final : public Driver {
 public:
  /// A strict configuration: every queue is served, every quantum holds any packet.
  ArbiterConfig random_config(Random& random) override {
    ArbiterConfig config = plain_config();
    const std::uint64_t limit = highest(kQuantumWidth);
    const std::uint64_t usual = std::min<std::uint64_t>(limit, 4 * kMaxPacketFlits);
    BxiConfig bxi;
    const std::size_t entries = random.within(kQueues, kEntries);
    for (std::size_t e = 0; e < entries; ++e) {
      const std::size_t queue = e < kQueues ? e : random.below(kQueues);
      bxi.table.push_back(
          {static_cast<int>(queue), static_cast<std::uint32_t>(random.within(
                                        kMaxPacketFlits, random.once_in(8) ? limit : usual))});
    }
    for (std::size_t e = entries - 1; e > 0; --e) {
      std::swap(bxi.table[e], bxi.table[random.below(e + 1)]);
    }
    config.parameters = std::move(bxi);
    return config;
  }

  void program(Vgates& pins, const ArbiterConfig& config) override {
    const auto& bxi = config.parameters.get<BxiConfig>();
    for (std::size_t e = 0; e < kEntries; ++e) {
      const bool used = e < bxi.table.size();
      put(pins.entry_used_i, e, 1, used ? 1 : 0);
      put_element(pins.entry_queue_i, e, kQueueWidth,
                  used ? static_cast<std::uint64_t>(bxi.table[e].queue) : 0);
      put_element(pins.entry_quantum_i, e, kQuantumWidth, used ? bxi.quantum(e) : 0);
    }
    const auto longest = [&config](auto& gates) {
      if constexpr (requires { gates.max_packet_flits_i; }) {
        put(gates.max_packet_flits_i, 0, kFlitsWidth, config.max_packet_flits);
      }
    };
    longest(pins);
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
