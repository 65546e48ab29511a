// bxi-basic and bxi-deficit at random.
#include "qosarb/policy/bxi.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "qosarb/policy/policy.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "random/policy_random.hpp"

namespace qosarb::test {
namespace {

class BxiRandom final : public PolicyRandom {
 public:
  using PolicyRandom::PolicyRandom;

  void draw(Random& random, const RtlLimits& limits, bool /*packets_wait*/,
            ArbiterConfig& config) const override {
    BxiConfig bxi;
    const std::uint32_t highest = (1U << limits.quantum_bits) - 1;
    // One range for the whole table, so that tables of short and of long quanta come up, too; and
    // some whose quanta with a deficit need one bit more, with few entries, so that turns come
    // round.
    const bool at_the_top = random.chance(20);
    const std::uint32_t depth = at_the_top ? random.from(1U, std::min(limits.entries, 8U))
                                           : random.spread(1U, limits.entries);
    const std::uint32_t shortest =
        at_the_top ? highest - random.from(0U, std::min(31U, highest - config.max_packet_flits))
                   : config.max_packet_flits;
    const std::uint32_t longest = at_the_top ? highest : random.spread(shortest, highest);
    const bool all_served = std::cmp_greater_equal(depth, config.queues);
    std::uint32_t served = 0;
    for (std::uint32_t e = 0; e < depth; ++e) {
      const Index queue = all_served && std::cmp_less(e, config.queues)
                              ? static_cast<int>(e)
                              : random.from(0, config.queues - 1);
      served |= 1U << queue;
      bxi.table.push_back({queue, random.spread(shortest, longest)});
    }
    random.shuffle(bxi.table);
    // A table too short for all queues starves some, which is refused when strict.
    config.strict = std::popcount(served) == config.queues;
    config.parameters = std::move(bxi);
  }

  [[nodiscard]] std::vector<Refusal> refusals(Random& random,
                                              const ArbiterConfig& config) const override {
    std::vector<Refusal> all;
    if (config.max_packet_flits > 1) {
      Refusal& wrong = all.emplace_back(Refusal{config, QOSARB_PORT_STATUS_REASON_SHORT_QUANTUM});
      auto& bxi = wrong.config.parameters.get<BxiConfig>();
      bxi.table[random.below(bxi.table.size())].weight = config.max_packet_flits - 1;
    }
    if (config.queues > 1) {
      Refusal& wrong = all.emplace_back(Refusal{config, QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE});
      wrong.config.strict = true;
      for (auto& entry : wrong.config.parameters.get<BxiConfig>().table) {
        entry.queue = 0;
      }
    }
    return all;
  }
};

}  // namespace

const PolicyRandom& bxi_basic_random() {
  static const BxiRandom random(policy_named("bxi-basic"));
  return random;
}

const PolicyRandom& bxi_deficit_random() {
  static const BxiRandom random(policy_named("bxi-deficit"));
  return random;
}

}  // namespace qosarb::test
