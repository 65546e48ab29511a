#include "qosarb/policy/dtable.hpp"

#include <algorithm>

#include "qosarb/analyze/frame.hpp"
#include "qosarb/analyze/policy_analysis.hpp"
#include "qosarb/policy/sl_queues.hpp"

namespace qosarb {

namespace {

class DTableAnalysis final : public PolicyAnalysis {
 public:
  DTableAnalysis() : PolicyAnalysis(kDTable) {}

  [[nodiscard]] ServiceBound service(const ArbiterConfig& config, Index queue,
                                     const OwnPackets& own,
                                     const std::optional<StrictLoad>& /*strict*/) const override {
    const auto& table = config.parameters.get<DTableConfig>();
    const int sl = table.queue_sl[queue];
    const auto queues_of = [&table](int level) {
      return std::count(table.queue_sl.begin(), table.queue_sl.end(), level);
    };
    std::vector<FrameEntry> round;
    bool served = false;
    for (const SlEntry& entry : table.table) {
      if (queues_of(entry.sl) == 0) {
        continue;  // never active
      }
      const std::uint64_t mtu = table.sl_mtu[entry.sl];
      round.push_back({entry.sl == sl, entry.weight, entry.sl, mtu - 1});
      served = served || entry.sl == sl;
    }
    if (!served) {
      return no_service("no table entry serves its SL");
    }
    const FrameService service = frame_service(round);
    const std::int64_t longest = config.max_packet_flits;

    // Each other queue of the SL sends a packet before each own one.
    const Rational siblings((queues_of(sl) - 1) * std::int64_t{table.sl_mtu[sl]});
    const Rational first = service.latency + siblings / service.rate;
    const std::int64_t wait = siblings == Rational(0) ? service.longest_gap : first.ceil();
    const Rational own_flits(own.min_flits);
    return {ServiceGuarantee{longest + wait, service.rate * own_flits / (own_flits + siblings),
                             longest + first.ceil()},
            {}};
  }

  [[nodiscard]] std::vector<WeightedEntry> entries(const ArbiterConfig& config) const override {
    const auto& dtable = config.parameters.get<DTableConfig>();
    std::vector<WeightedEntry> entries;
    for (std::size_t e = 0; e < dtable.table.size(); ++e) {
      entries.push_back({dtable.table[e].sl, dtable.table[e].weight, "table", e});
    }
    return entries;
  }

  [[nodiscard]] const std::vector<int>* service_levels(const ArbiterConfig& config) const override {
    return &config.parameters.get<DTableConfig>().queue_sl;
  }
};

}  // namespace

const PolicyAnalysis& dtable_analysis() {
  static const DTableAnalysis analysis;
  return analysis;
}

}  // namespace qosarb
