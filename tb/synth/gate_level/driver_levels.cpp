// sbt and dtable, whose table entries are service levels.
#include <algorithm>
#include <numeric>
#include <utility>

#include "driver.hpp"
#include "qosarb/policy/dtable.hpp"
#include "qosarb/policy/sbt.hpp"
#include "qosarb/policy/sl_queues.hpp"

namespace qosarb::gate_level {
namespace {

/// Any levels, several queues in one, some without a queue.
std::vector<int> random_levels(Random& random) {
  std::vector<int> queue_sl;
  const bool one_each = random.once_in(2);
  const std::uint64_t levels = random.within(1, kQueues);
  for (std::size_t q = 0; q < kQueues; ++q) {
    queue_sl.push_back(static_cast<int>(one_each ? q : random.below(levels)));
  }
  return queue_sl;
}

template <typename T>
void shuffle(Random& random, std::vector<T>& values) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[random.below(i)]);
  }
}

class LevelsDriver final : public Driver {
 public:
  ArbiterConfig random_config(Random& random) override {
    ArbiterConfig config = plain_config();
    config.strict = false;  // some queues may have no entry
    if (kPolicy == kSbt) {
      config.parameters = random_sbt(random);
    } else {
      config.parameters = random_dtable(random);
    }
    return config;
  }

  void program(Vgates& pins, const ArbiterConfig& config) override {
    if (const auto* sbt = config.parameters.get_if<SbtConfig>()) {
      program(pins, sbt->queue_sl, sbt->table);
    } else if (const auto* dtable = config.parameters.get_if<DTableConfig>()) {
      program(pins, dtable->queue_sl, dtable->table);
      program_mtus(pins, *dtable);
    }
  }

 private:
  static SbtConfig random_sbt(Random& random) {
    SbtConfig sbt;
    sbt.queue_sl = random_levels(random);
    std::vector<int> levels(kQueues);
    std::iota(levels.begin(), levels.end(), 0);
    shuffle(random, levels);
    if (random.once_in(3)) levels.resize(random.within(1, levels.size()));
    // Small weights are used up and restored often.
    const std::uint64_t most = random.once_in(4)
                                   ? highest(kQuantumWidth)
                                   : std::min<std::uint64_t>(highest(kQuantumWidth), 6);
    for (const int level : levels) {
      sbt.table.push_back({level, static_cast<std::uint32_t>(random.within(1, most))});
    }
    return sbt;
  }

  static DTableConfig random_dtable(Random& random) {
    DTableConfig dtable;
    dtable.queue_sl = random_levels(random);
    for (std::size_t level = 0; level < kQueues; ++level) {
      dtable.sl_mtu.push_back(static_cast<std::uint32_t>(
          random.once_in(4) ? random.within(1, kMaxPacketFlits) : kMaxPacketFlits));
    }
    const std::size_t entries = random.within(1, kEntries);
    for (std::size_t e = 0; e < entries; ++e) {
      const int level = random.once_in(8) ? static_cast<int>(random.below(kQueues))
                                          : dtable.queue_sl[random.below(kQueues)];
      const std::uint64_t mtu = dtable.sl_mtu[static_cast<std::size_t>(level)];
      const std::uint64_t usual = std::min<std::uint64_t>(highest(kQuantumWidth), 4 * mtu);
      dtable.table.push_back(
          {level, static_cast<std::uint32_t>(
                      random.within(mtu, random.once_in(8) ? highest(kQuantumWidth) : usual))});
    }
    return dtable;
  }

  // sbt's gates have none.
  static void program_mtus(auto& gates, const DTableConfig& dtable) {
    if constexpr (requires { gates.queue_mtu_i; }) {
      for (std::size_t q = 0; q < kQueues; ++q) {
        const auto sl = static_cast<std::size_t>(dtable.queue_sl[q]);
        put_element(gates.queue_mtu_i, q, kFlitsWidth, dtable.sl_mtu[sl]);
      }
    }
  }

  static void program(Vgates& pins, const std::vector<int>& queue_sl,
                      const std::vector<SlEntry>& table) {
    for (std::size_t q = 0; q < kQueues; ++q) {
      put_element(pins.queue_sl_i, q, kQueueWidth, static_cast<std::uint64_t>(queue_sl[q]));
    }
    for (std::size_t e = 0; e < kEntries; ++e) {
      const bool used = e < table.size();
      put(pins.entry_used_i, e, 1, used ? 1 : 0);
      put_element(pins.entry_sl_i, e, kQueueWidth,
                  used ? static_cast<std::uint64_t>(table[e].sl) : 0);
      put_element(pins.entry_weight_i, e, kQuantumWidth, used ? table[e].weight : 0);
    }
  }
};

}  // namespace

std::unique_ptr<Driver> make_driver() { return std::make_unique<LevelsDriver>(); }

}  // namespace qosarb::gate_level
