// An analysis as people and programs read it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "qosarb/analyze/analysis.hpp"
#include "qosarb/analyze/arrival_curve.hpp"
#include "qosarb/analyze/service.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

struct AnalysisRequest {
  ArbiterConfig config;
  std::vector<PacketMix> mixes;  ///< at least one; the first one's results stand at the top
  std::vector<ArrivalCurve> curves;
  /// What strict-priority queues do: shares and waits are then those that it leaves to the
  /// others. Nothing: those queues are backlogged, too.
  std::optional<StrictLoad> strict_load;
  AnalysisLimits limits;
  std::vector<std::string> warnings;  ///< of whoever read the configuration
};

struct AnalysisReport {
  std::string text;
  nlohmann::ordered_json json;
};

/// Analyzes and reports. Errors: std::overflow_error if a guarantee or share needs fractions of
/// more than 64 bits.
AnalysisReport report_analysis(const AnalysisRequest& request);

}  // namespace qosarb
