// ets at random.
#include "qosarb/policy/ets.hpp"

#include <array>
#include <utility>

#include "qosarb/policy/policy.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "random/policy_random.hpp"

namespace qosarb::test {
namespace {

class EtsRandom final : public PolicyRandom {
 public:
  EtsRandom() : PolicyRandom(policy_named("ets")) {}

  // No more weighted classes than the table has entries.
  void draw(Random& random, const RtlLimits& limits, bool /*packets_wait*/,
            ArbiterConfig& config) const override {
    EtsConfig ets;
    const std::uint32_t highest = (1U << limits.quantum_bits) - 1;
    const std::uint32_t longest = random.spread(config.max_packet_flits, highest);
    const std::uint64_t strict_percent = random.one_of(std::array{0U, 10U, 40U, 100U});
    std::uint32_t entries = 0;
    for (int q = 0; q < config.queues; ++q) {
      if (entries == limits.entries || random.chance(strict_percent)) {
        ets.classes.push_back({.strict_priority = true});
      } else {
        ets.classes.push_back({.weight = random.spread(config.max_packet_flits, longest)});
        ++entries;
      }
    }
    config.parameters = std::move(ets);
  }

  // Only a table can be wrong; a config in which an entry is of a strict queue cannot be written.
  [[nodiscard]] std::vector<Refusal> refusals(Random& random,
                                              const ArbiterConfig& config) const override {
    std::vector<Refusal> all;
    std::vector<std::size_t> weighted;
    const auto& classes = config.parameters.get<EtsConfig>().classes;
    for (std::size_t q = 0; q < classes.size(); ++q) {
      if (!classes[q].strict_priority) {
        weighted.push_back(q);
      }
    }
    if (!weighted.empty() && config.max_packet_flits > 1) {
      Refusal& wrong = all.emplace_back(Refusal{config, QOSARB_PORT_STATUS_REASON_SHORT_QUANTUM});
      wrong.config.parameters.get<EtsConfig>().classes[random.one_of(weighted)].weight =
          config.max_packet_flits - 1;
    }
    return all;
  }
};

}  // namespace

const PolicyRandom& ets_random() {
  static const EtsRandom random;
  return random;
}

}  // namespace qosarb::test
