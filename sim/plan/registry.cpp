// The only list of planning methods.

#include "qosarb/plan/method.hpp"

namespace qosarb {

// Each in the file of its name.
const PlanMethod& bxi_method();
const PlanMethod& dtable_method();
const PlanMethod& infiniband_method();
const PlanMethod& seastar_age_method();
const PlanMethod& trtcm_method();
const PlanMethod& ets_method();
const PlanMethod& storage_method();

std::span<const PlanMethod* const> plan_methods() {
  static const std::vector<const PlanMethod*> methods = {
      &bxi_method(),   &dtable_method(), &infiniband_method(), &seastar_age_method(),
      &trtcm_method(), &ets_method(),    &storage_method()};
  return methods;
}

}  // namespace qosarb
