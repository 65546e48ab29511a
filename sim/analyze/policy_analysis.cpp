#include "qosarb/analyze/policy_analysis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "qosarb/config/divided_up.hpp"

namespace qosarb {

std::uint64_t at_most_64_bits(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

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
  return at_most_64_bits(flits, table.empty() ? 1 : turns_for_all(config, mix));
}

std::uint64_t PolicyAnalysis::turns_for_all(const ArbiterConfig& config,
                                            const PacketMix& mix) const {
  const std::vector<WeightedEntry> table = entries(config);
  std::map<int, std::uint64_t> weights;  // of each user
  for (const WeightedEntry& entry : table) {
    weights[entry.user] += entry.weight;
  }
  std::map<int, std::uint64_t> packets;  // of each user, one of each queue, as weights count them
  const std::vector<int>* const levels = service_levels(config);
  for (Index q = 0; q < count(mix.flits); ++q) {
    const std::vector<std::uint32_t>& lengths = mix.flits[q];
    if (!lengths.empty()) {
      // As printed, dtable takes a packet for one of the MTU.
      const std::uint32_t longest = config.variant == Variant::Printed
                                        ? max_packet_flits(config, q)
                                        : *std::max_element(lengths.begin(), lengths.end());
      packets[levels == nullptr ? q : (*levels)[q]] += weights_count_packets() ? 1 : longest;
    }
  }
  std::uint64_t turns = 1;
  for (const WeightedEntry& entry : table) {
    // The entries of a level share its savings; each of a queue has its own.
    const std::uint64_t weight = levels == nullptr ? entry.weight : weights[entry.user];
    if (weight > 0) {
      turns = std::max(turns, divided_up(packets[entry.user], weight));
    }
  }
  return turns;
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
