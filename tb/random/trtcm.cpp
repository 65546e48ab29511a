// trtcm at random.
#include "qosarb/policy/trtcm.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "qosarb/policy/policy.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "random/policy_random.hpp"

namespace qosarb::test {
namespace {

class TrtcmRandom final : public PolicyRandom {
 public:
  using PolicyRandom::PolicyRandom;

  void draw(Random& random, const RtlLimits& limits, bool /*packets_wait*/,
            ArbiterConfig& config) const override {
    constexpr std::uint32_t kOneFlitACycle = 65536;
    constexpr std::uint32_t kWidestBurst = 16;  // bits, where a quantum may have more
    const std::uint64_t largest_burst =
        (std::uint64_t{1} << std::min(limits.quantum_bits, kWidestBurst)) - 1;
    TrtcmConfig trtcm;
    std::vector<int> priorities(config.queues);
    std::iota(priorities.begin(), priorities.end(), 0);
    random.shuffle(priorities);
    // Rates that the traffic can use up, and such that it cannot; some the link's own.
    const std::uint32_t highest =
        random.chance(50) ? kOneFlitACycle / config.queues : kOneFlitACycle;
    const std::uint64_t full_percent = random.chance(30) ? 40 : 0;
    const std::uint64_t shortest = config.max_packet_flits;
    for (const int priority : priorities) {
      TrtcmConfig::Class c{.priority = priority};
      c.peak_rate = random.chance(full_percent) ? kOneFlitACycle
                    : random.chance(5)          ? 0
                                                : random.from(1U, highest);
      c.assured_rate = random.chance(full_percent) ? c.peak_rate
                       : random.chance(20)         ? 0
                                                   : random.from(0U, c.peak_rate);
      c.assured_burst = random.spread(shortest, largest_burst);
      c.peak_burst = random.spread(shortest, largest_burst);
      trtcm.classes.push_back(c);
    }
    config.parameters = std::move(trtcm);
  }

  [[nodiscard]] std::vector<Refusal> refusals(Random& random,
                                              const ArbiterConfig& config) const override {
    std::vector<Refusal> all;
    const auto spoiled = [&](std::uint32_t reason) -> std::vector<TrtcmConfig::Class>& {
      Refusal& wrong = all.emplace_back(Refusal{config, reason});
      return wrong.config.parameters.get<TrtcmConfig>().classes;
    };
    auto& crossed = spoiled(QOSARB_PORT_STATUS_REASON_RATES);
    auto& faster = crossed[random.below(crossed.size())];
    faster.peak_rate = std::min(faster.peak_rate, 65535U);  // one flit a cycle is the most
    faster.assured_rate = faster.peak_rate + 1;
    faster.assured_burst = faster.peak_burst;
    auto& brief = spoiled(QOSARB_PORT_STATUS_REASON_SHORT_BURST);
    auto& shorter = brief[random.below(brief.size())];
    shorter.peak_rate = std::max(shorter.peak_rate, 1U);
    shorter.peak_burst = config.max_packet_flits - 1;
    if (config.queues > 1) {
      auto& alike = spoiled(QOSARB_PORT_STATUS_REASON_REPEATED_PRIORITY);
      alike.back().priority = alike.front().priority;
    }
    return all;
  }
};

}  // namespace

const PolicyRandom& trtcm_random() {
  static const TrtcmRandom random(policy_named("trtcm"));
  return random;
}

}  // namespace qosarb::test
