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
  const PortBuild* build = nullptr;     ///< the one to take; null if none fits
  std::optional<std::string> obstacle;  ///< then why the last one that has the policy does not
  int line = 0;                         ///< of the config that stands in the way, if it was read
};

/// Among `builds` the smallest that holds all of `configs`, which commits bring into force one
/// after the other.
BuildChoice choose_build(std::span<const ArbiterConfig> configs, std::span<const PortBuild> builds);
/// The same among the builds that ship.
BuildChoice choose_build(std::span<const ArbiterConfig> configs);
/// That build. Errors: InputError if there is none, naming `file`, which they come from, and the
/// line.
const PortBuild& build_for(std::span<const ArbiterConfig> configs,
                           std::span<const PortBuild> builds, const std::string& file);

/// The longest packet that a head of such a build can show, in flits, be it longer than allowed.
std::uint32_t longest_shown(const RtlLimits& limits);
/// The same of the build that ships and runs `configs`. Errors: those of build_for().
std::uint32_t longest_shown(std::span<const ArbiterConfig> configs, const std::string& file);

/// The first build that ships and has `policy`. Errors: std::invalid_argument if there is none.
const PortBuild& rtl_build(PolicyRef policy);

/// How many builds of the RTL there would be besides, had they been built.
std::size_t absent_port_builds();

}  // namespace qosarb
