// The policies that tests draw: the only list of them here.
#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "random/policy_random.hpp"

namespace qosarb::test {

// Each in the file of its name.
const PolicyRandom& rr_random();
const PolicyRandom& bxi_basic_random();
const PolicyRandom& bxi_deficit_random();
const PolicyRandom& sbt_random();
const PolicyRandom& dtable_random();
const PolicyRandom& infiniband_random();
const PolicyRandom& seastar_age_random();
const PolicyRandom& trtcm_random();
const PolicyRandom& ets_random();

std::span<const PolicyRandom* const> random_policies() {
  static const std::array policies = {
      &rr_random(),          &bxi_basic_random(), &bxi_deficit_random(),
      &sbt_random(),         &dtable_random(),    &infiniband_random(),
      &seastar_age_random(), &trtcm_random(),     &ets_random()};
  return policies;
}

const PolicyRandom& random_of(PolicyRef policy) {
  for (const PolicyRandom* random : random_policies()) {
    if (random->policy() == policy) {
      return *random;
    }
  }
  throw std::invalid_argument(fmt::format("tests draw no {}", policy.name()));
}

int PolicyRandom::draw_queues(Random& random, const RtlLimits& limits) const {
  return random.from(1, limits.queues);
}

bool PolicyRandom::can_have(int queues, const RtlLimits& limits) const {
  return queues <= limits.queues;
}

void PolicyRandom::draw(Random& /*random*/, const RtlLimits& /*limits*/, bool /*packets_wait*/,
                        ArbiterConfig& /*config*/) const {}

std::vector<Refusal> PolicyRandom::refusals(Random& /*random*/,
                                            const ArbiterConfig& /*config*/) const {
  return {};
}

ArbiterConfig random_config(Random& random, PolicyRef policy, const RtlLimits& limits) {
  const PolicyRandom& drawn = random_of(policy);
  ArbiterConfig config;
  config.policy = policy;
  config.queues = drawn.draw_queues(random, limits);
  config.max_packet_flits = random.spread(1U, limits.packet_flits);
  drawn.draw(random, limits, false, config);
  return config;
}

ArbiterConfig random_strict_config(Random& random, PolicyRef policy, const RtlLimits& limits) {
  ArbiterConfig config = random_config(random, policy, limits);
  while (!config.strict) {
    config = random_config(random, policy, limits);
  }
  return config;
}

ArbiterConfig random_successor(Random& random, PolicyRef policy, const RtlLimits& limits,
                               const ArbiterConfig& before, bool any_length) {
  ArbiterConfig config;
  config.policy = policy;
  config.queues = before.queues;
  config.max_packet_flits =
      random.spread(any_length ? 1U : before.max_packet_flits, limits.packet_flits);
  random_of(policy).draw(random, limits, !any_length, config);
  return config;
}

}  // namespace qosarb::test
