// dtable at random.
#include "qosarb/policy/dtable.hpp"

#include <algorithm>
#include <utility>

#include "qosarb/policy/policy.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "random/levels.hpp"

namespace qosarb::test {
namespace {

class DTableRandom final : public PolicyRandom {
 public:
  using PolicyRandom::PolicyRandom;

  // The SLs' MTUs differ; where packets wait, each holds the longest one, whichever that is.
  void draw(Random& random, const RtlLimits& limits, bool packets_wait,
            ArbiterConfig& config) const override {
    DTableConfig dtable;
    dtable.queue_sl = random_levels(random, limits, config.queues);
    for (int sl = 0; sl < limits.queues; ++sl) {
      dtable.sl_mtu.push_back(!packets_wait && random.chance(50)
                                  ? random.from(1U, config.max_packet_flits)
                                  : config.max_packet_flits);
    }
    const std::uint32_t highest = (1U << limits.quantum_bits) - 1;
    const bool at_the_top = random.chance(20);  // with a deficit, one bit more than a weight
    const std::uint32_t depth = at_the_top ? random.from(1U, std::min(limits.entries, 8U))
                                           : random.spread(1U, limits.entries);
    const std::uint32_t longest = random.spread(
        config.max_packet_flits, std::min(highest, std::max(5000U, config.max_packet_flits)));
    for (std::uint32_t e = 0; e < depth; ++e) {
      const int sl =
          random.chance(90) ? random.one_of(dtable.queue_sl) : random.from(0, limits.queues - 1);
      const std::uint32_t mtu = dtable.sl_mtu[sl];
      dtable.table.push_back({sl, at_the_top
                                      ? highest - random.from(0U, std::min(31U, highest - mtu))
                                      : random.spread(mtu, longest)});
    }
    config.strict = serves_all(dtable.table, dtable.queue_sl);
    config.parameters = std::move(dtable);
  }

  [[nodiscard]] std::vector<Refusal> refusals(Random& random,
                                              const ArbiterConfig& config) const override {
    std::vector<Refusal> all;
    {
      Refusal& wrong = all.emplace_back(Refusal{config, QOSARB_PORT_STATUS_REASON_SHORT_QUANTUM});
      auto& dtable = wrong.config.parameters.get<DTableConfig>();
      SlEntry& entry = dtable.table[random.below(dtable.table.size())];
      entry.weight = dtable.sl_mtu[entry.sl] - 1;
    }
    {
      const auto& dtable = config.parameters.get<DTableConfig>();
      std::uint32_t longest = 0;
      for (const SlEntry& entry : dtable.table) {
        longest = std::max(longest, dtable.sl_mtu[entry.sl]);
      }
      if (longest > 1) {
        all.emplace_back(Refusal{config, QOSARB_PORT_STATUS_REASON_LONG_MTU})
            .config.max_packet_flits = longest - 1;
      }
    }
    if (config.parameters.get<DTableConfig>().sl_mtu.size() > 1) {
      Refusal& wrong = all.emplace_back(Refusal{config, QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE});
      wrong.config.strict = true;
      auto& dtable = wrong.config.parameters.get<DTableConfig>();
      dtable.queue_sl[0] = 1;
      for (SlEntry& entry : dtable.table) {
        entry = {0, std::max(entry.weight, config.max_packet_flits)};
      }
    }
    return all;
  }
};

}  // namespace

const PolicyRandom& dtable_random() {
  static const DTableRandom random(policy_named("dtable"));
  return random;
}

}  // namespace qosarb::test
