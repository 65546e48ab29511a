// Plans as people, programs and arbiters read them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "qosarb/plan/spec.hpp"

namespace qosarb {

struct PlanReport {
  std::string text;  ///< for people
  nlohmann::ordered_json json;
  std::optional<ArbiterConfig> arbiter;  ///< to_yaml() makes it an `arbiter:` section
  std::string opensm;                    ///< infiniband only: options of OpenSM
};

/// Plans what `spec` asks for.
/// Errors: InputError if it cannot be planned at all.
PlanReport report_plan(const PlanSpec& spec);

}  // namespace qosarb
