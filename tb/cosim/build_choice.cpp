#include "cosim/build_choice.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cosim/engine.hpp"
#include "cosim/policy/policy_rtl.hpp"
#include "cosim/port_model.hpp"

namespace qosarb {

BuildChoice choose_build(const ArbiterConfig& config, std::span<const PortBuild> builds) {
  if (config.variant != Variant::Corrected) {
    return {nullptr, "RTL is built of the corrected variant only"};
  }
  BuildChoice choice{nullptr,
                     fmt::format("there is no build of the RTL with {}", config.policy.name())};
  const PolicyRtl* const policy = find_rtl(config.policy);
  for (const PortBuild& build : builds) {
    if (policy != nullptr && policy->built_in(build.limits)) {
      choice.obstacle = build_obstacle(config, build.limits);
      if (!choice.obstacle) {
        choice.build = &build;
        return choice;
      }
    }
  }
  return choice;
}

const RtlLimits& rtl_limits(PolicyRef policy) {
  for (const PortBuild& build : port_builds()) {
    if (rtl_of(policy).built_in(build.limits)) {
      return build.limits;
    }
  }
  throw std::invalid_argument(fmt::format("there is no RTL of {}", policy.name()));
}

std::optional<std::string> rtl_obstacle(const ArbiterConfig& config) {
  return choose_build(config, port_builds()).obstacle;
}

}  // namespace qosarb
