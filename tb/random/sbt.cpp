// sbt at random.
#include "qosarb/policy/sbt.hpp"

#include <numeric>
#include <utility>

#include "qosarb/policy/policy.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "random/levels.hpp"

namespace qosarb::test {

std::vector<int> random_levels(Random& random, const RtlLimits& limits, int queues) {
  const int sls = random.from(1, limits.queues);
  std::vector<int> queue_sl;
  queue_sl.reserve(queues);
  for (int q = 0; q < queues; ++q) {
    queue_sl.push_back(sls >= queues && random.chance(70) ? q : random.from(0, sls - 1));
  }
  return queue_sl;
}

namespace {

class SbtRandom final : public PolicyRandom {
 public:
  using PolicyRandom::PolicyRandom;

  void draw(Random& random, const RtlLimits& limits, bool /*packets_wait*/,
            ArbiterConfig& config) const override {
    SbtConfig sbt;
    sbt.queue_sl = random_levels(random, limits, config.queues);
    std::vector<int> sls(limits.queues);
    std::iota(sls.begin(), sls.end(), 0);
    random.shuffle(sls);
    if (random.chance(40)) {  // no entry for some
      sls.resize(random.within(1, sls.size()));
    }
    // Small weights are used up and restored often.
    const std::uint32_t most = (1U << limits.quantum_bits) - 1;
    const std::uint32_t highest = random.chance(60) ? std::min(6U, most) : most;
    for (const int sl : sls) {
      sbt.table.push_back({sl, random.spread(1U, highest)});
    }
    config.strict = serves_all(sbt.table, sbt.queue_sl);
    config.parameters = std::move(sbt);
  }

  [[nodiscard]] std::vector<Refusal> refusals(Random& random,
                                              const ArbiterConfig& config) const override {
    std::vector<Refusal> all;
    const auto spoiled = [&](std::uint32_t reason) -> SbtConfig& {
      Refusal& wrong = all.emplace_back(Refusal{config, reason});
      return wrong.config.parameters.get<SbtConfig>();
    };
    auto& weightless = spoiled(QOSARB_PORT_STATUS_REASON_ZERO_WEIGHT);
    weightless.table[random.below(weightless.table.size())].weight = 0;
    if (weightless.table.size() > 1) {
      auto& repeated = spoiled(QOSARB_PORT_STATUS_REASON_REPEATED_SL);
      repeated.table.back().sl = repeated.table.front().sl;
      auto& unserved = spoiled(QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE);
      unserved.queue_sl[0] = unserved.table.back().sl;
      unserved.table.pop_back();
      all.back().config.strict = true;
    }
    return all;
  }
};

}  // namespace

const PolicyRandom& sbt_random() {
  static const SbtRandom random(policy_named("sbt"));
  return random;
}

}  // namespace qosarb::test
