// The file that `qosarb plan` reads: docs/plan.md.
#pragma once

#include <string>
#include <variant>

#include "qosarb/plan/bxi_plan.hpp"
#include "qosarb/plan/dtable_plan.hpp"
#include "qosarb/plan/infiniband_plan.hpp"
#include "qosarb/plan/seastar_plan.hpp"
#include "qosarb/plan/storage_plan.hpp"
#include "qosarb/plan/trtcm_plan.hpp"

namespace qosarb {

using PlanRequirements = std::variant<BxiRequirements, DTableRequirements, InfiniBandRequirements,
                                      SeastarRequirements, TrtcmRequirements, StorageRequirements>;

struct PlanSpec {
  std::string file;
  int line = 0;  ///< of the requirements, for faults that concern all of them
  PlanRequirements requirements;
};

/// Reads a file with the one key `plan`. Errors: InputError naming file, line and fault.
PlanSpec load_plan_spec(const std::string& file);

}  // namespace qosarb
