// bxi-basic and bxi-deficit. Where queues show the packet behind their head too, a decision takes
// two cycles.
#include <algorithm>
#include <utility>

#include "driver.hpp"

namespace qosarb::gate_level {
namespace {

template <typename Pins>
constexpr bool kTwoCycles = requires(Pins pins) {
  pins.next_valid_i;
};

class BxiDriver final : public Driver {
 public:
  [[nodiscard]] int latency() const override { return kTwoCycles<Vgates> ? 1 : 0; }

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
    const auto& bxi = std::get<BxiConfig>(config.parameters);
    for (std::size_t e = 0; e < kEntries; ++e) {
      const bool used = e < bxi.table.size();
      put(pins.entry_used_i, e, 1, used ? 1 : 0);
      put_element(pins.entry_queue_i, e, kQueueWidth,
                  used ? static_cast<std::uint64_t>(bxi.table[e].queue) : 0);
      put_element(pins.entry_quantum_i, e, kQuantumWidth, used ? bxi.quantum(e) : 0);
    }
  }

  void show_cycle(Vgates& pins) override {
    const auto deficits_on = [](auto& gates) {
      if constexpr (requires { gates.deficits_on_i; }) {
        gates.deficits_on_i = kPolicy == Policy::BxiDeficit ? 1 : 0;
      }
    };
    deficits_on(pins);
  }

  void show(Vgates& pins, std::size_t queue, const Shown& shown, Random& random) override {
    Driver::show(pins, queue, shown, random);
    const auto show_next = [&](auto& gates) {
      if constexpr (kTwoCycles<decltype(gates)>) {
        put(gates.next_valid_i, queue, 1, shown.next_flits != 0 ? 1 : 0);
        put_element(
            gates.next_flits_i, queue, kFlitsWidth,
            shown.next_flits != 0 ? shown.next_flits : random.below(highest(kFlitsWidth) + 1));
      }
    };
    show_next(pins);
  }
};

}  // namespace

std::unique_ptr<Driver> make_driver() { return std::make_unique<BxiDriver>(); }

}  // namespace qosarb::gate_level
