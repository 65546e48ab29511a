// What somebody who knows arbiters would point out about a configuration.
#pragma once

#include <string>
#include <vector>

#include "qosarb/analyze/analysis.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

/// Starvation, shares that rounding loses, entries that never send, weights that packets do not
/// fill, and parameters without effect; `found` is an analysis of `config`. One line each.
std::vector<std::string> warnings_of(const ArbiterConfig& config, const MixAnalysis& found);

}  // namespace qosarb
