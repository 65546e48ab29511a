#include "qosarb/sc/reference.hpp"

#include <stdexcept>

#include "qosarb/policy/policy.hpp"

namespace qosarb::sc {

ClockedReference::ClockedReference(const ArbiterConfig& config) : config_(config) {
  if (config.policy->shares_chip_clock()) {
    throw std::invalid_argument(
        "seastar-age needs the arrival of each packet, which the pins of a port do not show");
  }
  reset();
}

Decision ClockedReference::answer(Heads heads) const {
  return arbiter_->clone()->decide(now_, heads);
}

Decision ClockedReference::clock(Heads heads, bool request) {
  const Decision decision = request ? arbiter_->decide(now_, heads) : Decision{};
  ++now_;
  arbiter_->advance(now_, heads);
  return decision;
}

void ClockedReference::reset() {
  arbiter_ = make_reference(config_);
  now_ = 0;
}

}  // namespace qosarb::sc
