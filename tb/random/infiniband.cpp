// infiniband at random.
#include "qosarb/policy/infiniband.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "qosarb/policy/policy.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "random/policy_random.hpp"

namespace qosarb::test {
namespace {

class InfiniBandRandom final : public PolicyRandom {
 public:
  using PolicyRandom::PolicyRandom;

  void draw(Random& random, const RtlLimits& limits, bool /*packets_wait*/,
            ArbiterConfig& config) const override {
    InfiniBandConfig ib;
    ib.flit_bytes = random.chance(50) ? 64U : 1U << random.below(8);
    // Limits of one bit, and of all but one.
    const std::uint32_t bit = 1U << random.below(8);
    ib.limit_of_high_priority = random.one_of(
        std::array{0U, 0U, 1U, 2U, 10U, 254U, kNoHighPriorityLimit, random.from(0U, 255U), bit});
    if (random.chance(20)) {  // bytes come to them soonest
      ib.flit_bytes = 128;
      ib.limit_of_high_priority = random.chance(50) ? kNoHighPriorityLimit : 255 - bit;
    } else if (random.chance(20)) {  // any power of two, in flits
      ib.flit_bytes = 1U << random.below(8);
      ib.limit_of_high_priority = bit;
    }
    ib.low_turn =
        random.chance(50) ? InfiniBandConfig::LowTurn::Entry : InfiniBandConfig::LowTurn::Packet;
    const std::uint32_t heaviest = random.one_of(std::array{3U, 40U, 255U});
    const std::uint64_t skipped_percent = random.one_of(std::array{0U, 20U, 60U});
    std::uint32_t served = 0;
    for (auto* table : {&ib.high, &ib.low}) {
      const int vls = random.from(1, std::min(config.queues, kMaxDataVls));
      const std::uint32_t depth = random.chance(10)
                                      ? random.from(0U, 1U)
                                      : random.spread(1U, std::min(limits.entries / 2, 64U));
      for (std::uint32_t e = 0; e < depth; ++e) {
        const int vl = random.from(0, vls - 1);
        const std::uint32_t weight = random.chance(skipped_percent) ? 0 : random.from(1U, heaviest);
        served |= weight > 0 ? 1U << vl : 0;
        table->push_back({vl, weight});
      }
    }
    config.strict = std::popcount(served) == config.queues;
    config.parameters = std::move(ib);
  }

  [[nodiscard]] std::vector<Refusal> refusals(Random& /*random*/,
                                              const ArbiterConfig& config) const override {
    std::vector<Refusal> all;
    {
      Refusal& wrong = all.emplace_back(Refusal{config, QOSARB_PORT_STATUS_REASON_LARGE_WEIGHT});
      auto& low = wrong.config.parameters.get<InfiniBandConfig>().low;
      low.resize(std::max<std::size_t>(low.size(), 1));
      low.back() = {0, 256};
    }
    Refusal& wrong = all.emplace_back(Refusal{config, QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE});
    wrong.config.strict = true;
    auto& ib = wrong.config.parameters.get<InfiniBandConfig>();
    for (auto* table : {&ib.high, &ib.low}) {
      for (auto& entry : *table) {
        entry.weight = 0;
      }
    }
    return all;
  }
};

}  // namespace

const PolicyRandom& infiniband_random() {
  static const InfiniBandRandom random(policy_named("infiniband"));
  return random;
}

}  // namespace qosarb::test
