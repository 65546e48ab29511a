#include "qosarb/policy/arbiter.hpp"

#include <map>
#include <utility>

#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/dtable.hpp"
#include "qosarb/policy/infiniband.hpp"
#include "qosarb/policy/rr.hpp"
#include "qosarb/policy/sbt.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/policy/trtcm.hpp"

namespace qosarb {

void Arbiter::advance(Cycle /*now*/, Heads /*heads*/) {}

AgeStamp Arbiter::arrive(Cycle /*now*/, int /*queue*/, std::uint8_t /*age*/) { return {}; }

void Arbiter::narrate(Narrator* /*narrator*/) {}

bool Arbiter::append_state(std::vector<std::uint64_t>& /*numbers*/) const { return false; }

std::unique_ptr<Arbiter> Arbiter::clone() const { return nullptr; }

std::unique_ptr<Arbiter> make_reference(const ArbiterConfig& config) {
  switch (config.policy) {
    case Policy::Rr:
      return std::make_unique<RoundRobin>(config.queues);
    case Policy::BxiBasic:
    case Policy::BxiDeficit:
      return std::make_unique<BxiTable>(std::get<BxiConfig>(config.parameters),
                                        config.policy == Policy::BxiDeficit, config.variant);
    case Policy::Sbt:
      return std::make_unique<SimpleBandwidthTable>(std::get<SbtConfig>(config.parameters),
                                                    config.variant);
    case Policy::DTable:
      return std::make_unique<DeficitTable>(std::get<DTableConfig>(config.parameters),
                                            config.variant);
    case Policy::InfiniBand:
      return std::make_unique<InfiniBandArbiter>(std::get<InfiniBandConfig>(config.parameters));
    case Policy::SeastarAge: {
      const auto& seastar = std::get<SeastarConfig>(config.parameters);
      return make_seastar(config, std::make_shared<AgeClock>(seastar.age_clock_period));
    }
    case Policy::Trtcm:
      return std::make_unique<TwoRateArbiter>(std::get<TrtcmConfig>(config.parameters));
  }
  return nullptr;  // not reached: every policy is named above
}

ArbiterFactory make_reference_factory() {
  // A clock lives as long as a port of its chip, so that the factory can serve another network.
  auto clocks = std::make_shared<std::map<std::string, std::weak_ptr<AgeClock>>>();
  return [clocks](const ArbiterConfig& config, const PortPlace& place) {
    if (config.policy != Policy::SeastarAge) {
      return make_reference(config);
    }
    std::weak_ptr<AgeClock>& kept = (*clocks)[place.chip];
    std::shared_ptr<AgeClock> clock = kept.lock();
    if (clock == nullptr) {
      clock =
          std::make_shared<AgeClock>(std::get<SeastarConfig>(config.parameters).age_clock_period);
      kept = clock;
    }
    return make_seastar(config, std::move(clock));
  };
}

}  // namespace qosarb
