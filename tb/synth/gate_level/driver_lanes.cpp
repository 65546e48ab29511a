// infiniband, with its two tables of virtual lanes.
#include <array>
#include <bit>
#include <utility>

#include "driver.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb::gate_level {
namespace {

class LanesDriver final : public Driver {
 public:
  ArbiterConfig random_config(Random& random) override {
    ArbiterConfig config = plain_config();
    config.strict = false;  // some lanes may have no entry
    InfiniBandConfig ib;
    ib.flit_bytes = random.once_in(2) ? 64U : 1U << random.below(8);
    const std::array<std::uint32_t, 6> limits = {
        0, 1, 2, 10, 255, static_cast<std::uint32_t>(random.below(256))};
    ib.limit_of_high_priority = random.one_of(limits);
    ib.low_turn =
        random.once_in(2) ? InfiniBandConfig::LowTurn::Entry : InfiniBandConfig::LowTurn::Packet;
    const std::uint64_t heaviest = random.one_of(std::array<std::uint64_t, 3>{3, 40, 255});
    for (auto* table : {&ib.high, &ib.low}) {
      const std::uint64_t lanes = random.within(1, kQueues);
      const std::size_t entries = random.once_in(10) ? random.below(2) : random.within(1, kEntries);
      for (std::size_t e = 0; e < entries; ++e) {
        table->push_back(
            {static_cast<int>(random.below(lanes)),
             static_cast<std::uint32_t>(random.once_in(5) ? 0 : random.within(1, heaviest))});
      }
    }
    config.parameters = std::move(ib);
    return config;
  }

  void program(Vgates& pins, const ArbiterConfig& config) override {
    const auto& ib = config.parameters.get<InfiniBandConfig>();
    program(pins.high_used_i, pins.high_vl_i, pins.high_weight_i, ib.high);
    program(pins.low_used_i, pins.low_vl_i, pins.low_weight_i, ib.low);
    pins.limit_i = static_cast<CData>(ib.limit_of_high_priority);
    pins.low_turn_packet_i = ib.low_turn == InfiniBandConfig::LowTurn::Packet ? 1 : 0;
    pins.flit_bytes_log2_i = static_cast<CData>(std::countr_zero(ib.flit_bytes));
  }

 private:
  template <typename Used, typename Lane, typename Weight>
  static void program(Used& used, Lane& lane, Weight& weight,
                      const std::vector<InfiniBandConfig::Entry>& table) {
    for (std::size_t e = 0; e < kEntries; ++e) {
      const InfiniBandConfig::Entry entry = e < table.size() ? table[e] : InfiniBandConfig::Entry{};
      put(used, e, 1, e < table.size() ? 1 : 0);
      put_element(lane, e, kQueueWidth, static_cast<std::uint64_t>(entry.vl));
      put_element(weight, e, 8, entry.weight);
    }
  }
};

}  // namespace

std::unique_ptr<Driver> make_driver() { return std::make_unique<LanesDriver>(); }

}  // namespace qosarb::gate_level
