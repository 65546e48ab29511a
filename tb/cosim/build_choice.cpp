#include "cosim/build_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <vector>

#include "cosim/engine.hpp"
#include "cosim/policy/policy_rtl.hpp"
#include "cosim/port_model.hpp"
#include "qosarb/config/input_error.hpp"

namespace qosarb {

namespace {

bool has_policies(const RtlLimits& limits, std::span<const ArbiterConfig> configs) {
  return std::all_of(configs.begin(), configs.end(), [&limits](const ArbiterConfig& config) {
    const PolicyRtl* const policy = find_rtl(config.policy);
    return policy != nullptr && policy->built_in(limits);
  });
}

/// The first of `configs` that a build cannot run stands in the way.
void find_obstacle(std::span<const ArbiterConfig> configs, const RtlLimits& limits,
                   BuildChoice& choice) {
  choice.obstacle = std::nullopt;
  for (const ArbiterConfig& config : configs) {
    choice.obstacle = build_obstacle(config, limits);
    choice.line = config.section.line;
    if (choice.obstacle) {
      return;
    }
  }
}

// What a decision takes grows with it.
std::uint32_t size_of(const RtlLimits& limits) {
  return static_cast<std::uint32_t>(limits.queues) * limits.entries;
}

}  // namespace

BuildChoice choose_build(std::span<const ArbiterConfig> configs,
                         std::span<const PortBuild> builds) {
  BuildChoice choice{nullptr,
                     configs.size() > 1 ? "no build of the RTL has all policies of the commits"
                                        : fmt::format("there is no build of the RTL with {}",
                                                      configs.front().policy.name()),
                     configs.front().section.line};
  for (const ArbiterConfig& config : configs) {
    if (config.variant != Variant::Corrected) {
      return {nullptr, "RTL is built of the corrected variant only", config.section.line};
    }
  }
  std::vector<const PortBuild*> in_turn;
  for (const PortBuild& build : builds) {
    in_turn.push_back(&build);
  }
  std::stable_sort(in_turn.begin(), in_turn.end(), [](const PortBuild* a, const PortBuild* b) {
    return size_of(a->limits) < size_of(b->limits);
  });
  int most_queues = 0;
  for (const PortBuild* const build : in_turn) {
    if (has_policies(build->limits, configs)) {
      most_queues = std::max(most_queues, build->limits.queues);
    }
  }
  for (const ArbiterConfig& config : configs) {
    if (most_queues > 0 && config.queues > most_queues) {
      choice.obstacle =
          fmt::format("its builds have at most {} queues, not {}", most_queues, config.queues);
      choice.line = config.section.line;
      return choice;
    }
  }
  for (const PortBuild* const build : in_turn) {
    if (has_policies(build->limits, configs)) {
      find_obstacle(configs, build->limits, choice);
      if (!choice.obstacle) {
        choice.build = build;
        return choice;
      }
    }
  }
  return choice;
}

BuildChoice choose_build(std::span<const ArbiterConfig> configs) {
  return choose_build(configs, port_builds());
}

const PortBuild& build_for(std::span<const ArbiterConfig> configs,
                           std::span<const PortBuild> builds, const std::string& file) {
  const BuildChoice choice = choose_build(configs, builds);
  if (choice.build == nullptr) {
    throw InputError(file, choice.line, "the RTL cannot run this arbiter: " + *choice.obstacle);
  }
  return *choice.build;
}

std::uint32_t longest_shown(const RtlLimits& limits) {
  return std::bit_ceil(limits.packet_flits + 1) - 1;
}

std::uint32_t longest_shown(std::span<const ArbiterConfig> configs, const std::string& file) {
  return longest_shown(build_for(configs, port_builds(), file).limits);
}

const PortBuild& rtl_build(PolicyRef policy) {
  for (const PortBuild& build : port_builds()) {
    if (rtl_of(policy).built_in(build.limits)) {
      return build;
    }
  }
  throw std::invalid_argument(fmt::format("there is no RTL of {}", policy.name()));
}

std::optional<std::string> rtl_obstacle(std::span<const ArbiterConfig> configs) {
  return choose_build(configs).obstacle;
}

std::optional<std::string> rtl_obstacle(const ArbiterConfig& config) {
  return rtl_obstacle({&config, 1});
}

}  // namespace qosarb
