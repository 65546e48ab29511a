// Which build of the RTL runs a config.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cosim/rtl_limits.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

struct PortBuild;

struct BuildChoice {
  const PortBuild* build = nullptr;     ///< the first one that fits; null if none does
  std::optional<std::string> obstacle;  ///< then why the last one that has the policy does not
};

/// Among `builds`, the smallest of which comes first.
BuildChoice choose_build(const ArbiterConfig& config, std::span<const PortBuild> builds);

/// Of the smallest build that ships and has `policy`. Errors: std::invalid_argument if there is
/// none.
const RtlLimits& rtl_limits(PolicyRef policy);

}  // namespace qosarb
