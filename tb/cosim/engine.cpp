#include "cosim/engine.hpp"

#include <array>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "cosim/lockstep.hpp"
#include "cosim/rtl_arbiter.hpp"
#include "cosim/waves.hpp"

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

Engine default_engine(const ArbiterConfig& config) {
  return rtl_obstacle(config) ? Engine::Model : Engine::Lockstep;
}

ArbiterFactory make_factory(Engine engine, FactoryOptions options) {
  return [engine, options = std::move(options), reference = make_reference_factory()](
             const ArbiterConfig& config, const PortPlace& place) -> std::unique_ptr<Arbiter> {
    if (engine == Engine::Model) {
      return reference(config, place);
    }
    auto rtl = std::make_unique<RtlArbiter>(config, place,
                                            RtlArbiter::Options{.config_file = options.config_file,
                                                                .waves = options.waves,
                                                                .plusargs = options.plusargs});
    if (engine == Engine::Rtl) {
      return rtl;
    }
    std::function<void(Cycle)> end_of_cycle;
    if (options.waves != nullptr) {
      end_of_cycle = [waves = options.waves](Cycle now) { waves->end_of_cycle(now); };
    }
    return std::make_unique<LockstepArbiter>(reference(config, place), std::move(rtl), place,
                                             std::move(end_of_cycle));
  };
}

}  // namespace qosarb
