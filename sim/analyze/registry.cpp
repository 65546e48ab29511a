// The only list of policies that can be analyzed.

#include <fmt/format.h>

#include <stdexcept>

#include "qosarb/analyze/policy_analysis.hpp"

namespace qosarb {

// Each in the file of its name.
const PolicyAnalysis& rr_analysis();
const PolicyAnalysis& bxi_basic_analysis();
const PolicyAnalysis& bxi_deficit_analysis();
const PolicyAnalysis& sbt_analysis();
const PolicyAnalysis& dtable_analysis();
const PolicyAnalysis& infiniband_analysis();
const PolicyAnalysis& seastar_age_analysis();
const PolicyAnalysis& trtcm_analysis();
const PolicyAnalysis& ets_analysis();

const PolicyAnalysis& analysis_of(PolicyRef policy) {
  for (const PolicyAnalysis* analysis :
       {&rr_analysis(), &bxi_basic_analysis(), &bxi_deficit_analysis(), &sbt_analysis(),
        &dtable_analysis(), &infiniband_analysis(), &seastar_age_analysis(), &trtcm_analysis(),
        &ets_analysis()}) {
    if (analysis->policy() == policy) {
      return *analysis;
    }
  }
  throw std::logic_error(fmt::format("there is no analysis of {}", policy.name()));
}

}  // namespace qosarb
