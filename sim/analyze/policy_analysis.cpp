#include "qosarb/analyze/policy_analysis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace qosarb {

std::vector<WeightedEntry> PolicyAnalysis::entries(const ArbiterConfig& /*config*/) const {
  return {};
}

std::uint64_t PolicyAnalysis::cycle_flits(const ArbiterConfig& config, const PacketMix& mix) const {
  std::uint64_t flits = 0;
  const std::vector<WeightedEntry> table = entries(config);
  for (const WeightedEntry& entry : table) {
    flits += entry.weight;
  }
  if (table.empty()) {
    for (const std::vector<std::uint32_t>& lengths : mix.flits) {
      flits += lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
    }
  }
  return flits;
}

const std::vector<int>* PolicyAnalysis::service_levels(const ArbiterConfig& /*config*/) const {
  return nullptr;
}

std::vector<int> PolicyAnalysis::strict_queues(const ArbiterConfig& /*config*/) const { return {}; }

Schedule PolicyAnalysis::follow(const ArbiterConfig& config, const PacketMix& mix,
                                std::uint64_t max_decisions) const {
  return follow_reference(config, mix, max_decisions);
}

void PolicyAnalysis::warn(const ArbiterConfig& /*config*/,
                          std::vector<std::string>& /*lines*/) const {}

void warn_of_odd_weights(const std::vector<WeightedEntry>& entries, std::uint64_t packet,
                         const char* what, const char* effect, std::vector<std::string>& lines) {
  std::set<std::uint64_t> odd;
  for (const WeightedEntry& entry : entries) {
    if (entry.weight % packet != 0) {
      odd.insert(entry.weight);
    }
  }
  if (!odd.empty()) {
    lines.push_back(fmt::format("{} {} are not a multiple of the longest packet ({}): {}", what,
                                fmt::join(odd, ", "), packet, effect));
  }
}

}  // namespace qosarb
