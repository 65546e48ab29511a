#include "qosarb/sc/reference.hpp"

#include <cstdint>

#include "qosarb/policy/policy.hpp"

namespace qosarb::sc {

ClockedReference::ClockedReference(const ArbiterConfig& config) : config_(config) { reset(); }

void ClockedReference::show_clock(std::uint8_t timestamp, bool epoch, bool inhibit) {
  clock_->show(timestamp, epoch, inhibit);
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
  clock_ = std::make_shared<AgeClock>(UINT32_MAX);  // does not tick by itself
  arbiter_ = config_.policy->shares_chip_clock() ? config_.policy->make_reference(config_, clock_)
                                                 : make_reference(config_);
  now_ = 0;
}

}  // namespace qosarb::sc
