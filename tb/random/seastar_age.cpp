// seastar-age at random.
#include "qosarb/policy/seastar_age.hpp"

#include <array>
#include <utility>

#include "qosarb/policy/policy.hpp"
#include "random/policy_random.hpp"

namespace qosarb::test {
namespace {

// The even numbers of VCs with which `queues` queues are those of input ports that the build has.
std::vector<int> possible_vcs(int queues, const RtlLimits& limits) {
  constexpr int kMostVcs = 16;
  std::vector<int> possible;
  for (int vcs = 2; vcs <= kMostVcs; vcs += 2) {
    if (queues % vcs == 0 && queues / vcs <= limits.queues / limits.vcs) {
      possible.push_back(vcs);
    }
  }
  return possible;
}

class SeastarRandom final : public PolicyRandom {
 public:
  using PolicyRandom::PolicyRandom;

  [[nodiscard]] bool can_have(int queues, const RtlLimits& limits) const override {
    return PolicyRandom::can_have(queues, limits) && !possible_vcs(queues, limits).empty();
  }

  [[nodiscard]] int draw_queues(Random& random, const RtlLimits& limits) const override {
    std::vector<int> possible;
    for (int queues = 1; queues <= limits.queues; ++queues) {
      if (can_have(queues, limits)) {
        possible.push_back(queues);
      }
    }
    return random.one_of(possible);
  }

  void draw(Random& random, const RtlLimits& limits, bool /*packets_wait*/,
            ArbiterConfig& config) const override {
    SeastarConfig seastar;
    seastar.vcs = random.one_of(possible_vcs(config.queues, limits));
    for (int input = 0; input < config.queues / seastar.vcs; ++input) {
      seastar.req_age_bias.push_back(random.from(0U, 7U));
      seastar.rsp_age_bias.push_back(random.from(0U, 7U));
    }
    // Mostly short periods, so that there are many epochs.
    seastar.age_clock_period =
        random.chance(80) ? random.spread(1U, 40U) : random.spread(41U, 1'000'000U);
    const std::uint64_t some = random.bits();
    const std::uint64_t all = ~std::uint64_t{0};
    seastar.age_rr_select =
        random.one_of(std::array<std::uint64_t, 5>{all, all, 0, some, some | random.bits()});
    config.parameters = std::move(seastar);
  }
};

}  // namespace

const PolicyRandom& seastar_age_random() {
  static const SeastarRandom random(policy_named("seastar-age"));
  return random;
}

}  // namespace qosarb::test
