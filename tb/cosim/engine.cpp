#include "cosim/engine.hpp"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "cosim/age_chip.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/rtl_arbiter.hpp"
#include "cosim/wave_text.hpp"
#include "cosim/waves.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb {

namespace {

constexpr std::array<std::string_view, 3> kEngineNames = {"model", "rtl", "lockstep"};

}  // namespace

Engine engine_named(std::string_view name) {
  for (std::size_t e = 0; e < kEngineNames.size(); ++e) {
    if (kEngineNames[e] == name) {
      return static_cast<Engine>(e);
    }
  }
  throw std::invalid_argument("no engine is named '" + std::string(name) + "'");
}

std::string_view name_of(Engine engine) { return kEngineNames[static_cast<std::size_t>(engine)]; }

Engine default_engine(const ArbiterConfig& config) { return default_engine({&config, 1}); }

Engine default_engine(std::span<const ArbiterConfig> configs) {
  return rtl_obstacle(configs) ? Engine::Model : Engine::Lockstep;
}

ArbiterFactory make_factory(Engine engine, FactoryOptions options, ArbiterFactory references) {
  // Ports of a chip share its age clock. It lives as long as a port of the chip does.
  auto chips = std::make_shared<std::map<std::string, std::weak_ptr<RtlAgeChip>>>();
  return [engine, options = std::move(options), reference = std::move(references), chips](
             const ArbiterConfig& config, const PortPlace& place) -> std::unique_ptr<Arbiter> {
    if (engine == Engine::Model) {
      return reference(config, place);
    }
    std::shared_ptr<RtlAgeChip> chip;
    if (config.policy->shares_chip_clock()) {
      std::weak_ptr<RtlAgeChip>& kept = (*chips)[place.chip];
      chip = kept.lock();
      if (chip == nullptr) {
        chip = std::make_shared<RtlAgeChip>(model_name(place.chip, "age_clock"), options.waves,
                                            options.plusargs);
        kept = chip;
      }
    }
    using Clocking = RtlArbiter::Clocking;
    auto rtl = std::make_unique<RtlArbiter>(
        config, place,
        RtlArbiter::Options{
            .config_file = options.config_file,
            .clocking = engine == Engine::Rtl ? Clocking::AtDecisions : Clocking::WhenNeeded,
            .age_chip = std::move(chip),
            .waves = options.waves,
            .plusargs = options.plusargs,
            .commits = options.commits});
    if (engine == Engine::Rtl) {
      return rtl;
    }
    std::function<void(Cycle)> end_of_cycle;
    if (options.waves != nullptr) {
      end_of_cycle = [waves = options.waves](Cycle now) {
        if (waves->clocks()) {
          waves->end_of_cycle(now);
        }
      };
    }
    auto lockstep = std::make_unique<LockstepArbiter>(reference(config, place), std::move(rtl),
                                                      place, std::move(end_of_cycle));
    lockstep->count_in(options.compared);
    return lockstep;
  };
}

}  // namespace qosarb
