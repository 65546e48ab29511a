#include "qosarb/policy/ets.hpp"

#include <algorithm>

#include "qosarb/analyze/policy_analysis.hpp"

namespace qosarb {

namespace {

class EtsAnalysis final : public PolicyAnalysis {
 public:
  EtsAnalysis() : PolicyAnalysis(kEts) {}

  // The weighted classes alone are a table of bxi-deficit. docs/analyze.md has the proof of what
  // strict priority makes of its guarantee.
  [[nodiscard]] ServiceBound service(const ArbiterConfig& config, Index queue,
                                     const OwnPackets& own,
                                     const std::optional<StrictLoad>& strict) const override {
    const std::vector<int> before = strict_queues(config);
    const std::int64_t longest = config.max_packet_flits;
    const bool weighted = std::find(before.begin(), before.end(), queue) == before.end();
    ServiceGuarantee alone{config.max_packet_flits, Rational(1), config.max_packet_flits};
    if (weighted) {
      ArbiterConfig table = config;
      table.policy = kBxiDeficit;
      table.parameters = config.parameters.get<EtsConfig>().table();
      ServiceBound bound = analysis_of(kBxiDeficit).service(table, queue, own, {});
      if (!bound.guarantee.has_value()) {
        return bound;
      }
      alone = *bound.guarantee;
    }
    if (before.empty() || queue == before.back()) {
      return {alone, {}};
    }
    if (!strict.has_value()) {
      return no_service("strict priority may starve it; --strict-load says how much goes first");
    }
    if (strict->rate >= Rational(1)) {
      return no_service("strict priority takes the whole link");
    }
    const Rational left = Rational(1) - strict->rate;
    const Rational ahead = Rational(strict->burst_flits) + strict->rate * Rational(longest);
    const auto stretched = [&](std::int64_t flits) {
      return ((Rational(flits) + ahead) / left).ceil();
    };
    return {ServiceGuarantee{stretched(alone.max_wait_flits), alone.rate * left,
                             stretched(alone.latency_flits)},
            {}};
  }

  [[nodiscard]] std::vector<WeightedEntry> entries(const ArbiterConfig& config) const override {
    const BxiConfig table = config.parameters.get<EtsConfig>().table();
    std::vector<WeightedEntry> entries;
    for (std::size_t e = 0; e < table.table.size(); ++e) {
      entries.push_back({table.table[e].queue, table.quantum(e), "table", e});
    }
    return entries;
  }

  [[nodiscard]] std::vector<int> strict_queues(const ArbiterConfig& config) const override {
    const auto& classes = config.parameters.get<EtsConfig>().classes;
    std::vector<int> queues;
    for (Index q = 0; q < count(classes); ++q) {
      if (classes[q].strict_priority) {
        queues.push_back(q);
      }
    }
    return queues;
  }
};

}  // namespace

const PolicyAnalysis& ets_analysis() {
  static const EtsAnalysis analysis;
  return analysis;
}

}  // namespace qosarb
