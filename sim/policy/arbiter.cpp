#include "qosarb/policy/arbiter.hpp"

#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/rr.hpp"

namespace qosarb {

void Arbiter::advance(Cycle /*now*/, Heads /*heads*/) {}

AgeStamp Arbiter::arrive(Cycle /*now*/, int /*queue*/, std::uint8_t /*age*/) { return {}; }

bool Arbiter::append_state(std::vector<std::uint64_t>& /*numbers*/) const { return false; }

std::unique_ptr<Arbiter> make_reference(const ArbiterConfig& config) {
  switch (config.policy) {
    case Policy::Rr:
      return std::make_unique<RoundRobin>(config.queues);
    case Policy::BxiBasic:
    case Policy::BxiDeficit:
      return std::make_unique<BxiTable>(std::get<BxiConfig>(config.parameters),
                                        config.policy == Policy::BxiDeficit, config.variant);
  }
  return nullptr;  // not reached: every policy is named above
}

}  // namespace qosarb
