// The file that `qosarb plan` reads: docs/plan.md.
#pragma once

#include <memory>
#include <string>

#include "qosarb/plan/method.hpp"

namespace qosarb {

struct PlanSpec {
  std::string file;
  int line = 0;  ///< of the requirements, for faults that concern all of them
  std::unique_ptr<PlanRequest> request;
};

/// Reads a file with the one key `plan`. Errors: InputError naming file, line and fault.
PlanSpec load_plan_spec(const std::string& file);

/// Plans what `spec` asks for.
/// Errors: InputError if it cannot be planned at all.
PlanReport report_plan(const PlanSpec& spec);

}  // namespace qosarb
