#include "cosim/engine.hpp"

#include <array>
#include <stdexcept>
#include <utility>

#include "qosarb/config/input_error.hpp"

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

std::optional<std::string> rtl_obstacle(const ArbiterConfig& /*config*/) {
  return "this build has no RTL";
}

Engine default_engine(const ArbiterConfig& config) {
  return rtl_obstacle(config) ? Engine::Model : Engine::Lockstep;
}

ArbiterFactory make_factory(Engine engine, FactoryOptions options) {
  return [engine, options = std::move(options)](const ArbiterConfig& config,
                                                const PortPlace& /*place*/) {
    if (engine != Engine::Model) {
      throw InputError(
          options.config_file, 0,
          "--engine " + std::string(name_of(engine)) + ": " + rtl_obstacle(config).value_or(""));
    }
    return make_reference(config);
  };
}

}  // namespace qosarb
