#include "qosarb/policy/arbiter.hpp"

#include <map>

#include "qosarb/policy/policy.hpp"

namespace qosarb {

void Arbiter::advance(Cycle /*now*/, Heads /*heads*/) {}

AgeStamp Arbiter::arrive(Cycle /*now*/, int /*queue*/, std::uint8_t /*age*/) { return {}; }

void Arbiter::narrate(Narrator* /*narrator*/) {}

bool Arbiter::append_state(std::vector<std::uint64_t>& /*numbers*/) const { return false; }

std::unique_ptr<Arbiter> Arbiter::clone() const { return nullptr; }

std::unique_ptr<Arbiter> make_reference(const ArbiterConfig& config) {
  return config.policy->make_reference(config);
}

ArbiterFactory make_reference_factory() {
  // A clock lives as long as a port of its chip, so that the factory can serve another network.
  auto clocks = std::make_shared<std::map<std::string, std::weak_ptr<AgeClock>>>();
  return [clocks](const ArbiterConfig& config, const PortPlace& place) {
    if (!config.policy->shares_chip_clock()) {
      return make_reference(config);
    }
    std::weak_ptr<AgeClock>& kept = (*clocks)[place.chip];
    std::shared_ptr<AgeClock> clock = kept.lock();
    if (clock == nullptr) {
      clock = config.policy->make_chip_clock(config);
      kept = clock;
    }
    return config.policy->make_reference(config, clock);
  };
}

}  // namespace qosarb
