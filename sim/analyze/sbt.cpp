#include "qosarb/policy/sbt.hpp"

#include <algorithm>

#include "qosarb/analyze/policy_analysis.hpp"
#include "qosarb/policy/sl_queues.hpp"

namespace qosarb {

namespace {

class SbtAnalysis final : public PolicyAnalysis {
 public:
  SbtAnalysis() : PolicyAnalysis(kSbt) {}

  [[nodiscard]] ServiceBound service(const ArbiterConfig& config, Index queue,
                                     const OwnPackets& own,
                                     const std::optional<StrictLoad>& /*strict*/) const override {
    const auto& table = config.parameters.get<SbtConfig>();
    const int sl = table.queue_sl[queue];
    const Rational longest = config.max_packet_flits;
    const std::int64_t siblings = std::count(table.queue_sl.begin(), table.queue_sl.end(), sl) - 1;
    const auto own_entry = std::find_if(table.table.begin(), table.table.end(),
                                        [sl](const SlEntry& entry) { return entry.sl == sl; });
    if (own_entry == table.table.end()) {
      return no_service("no table entry serves its SL");
    }
    const std::int64_t weight = own_entry->weight;
    Rational others;  // flits that the other SLs send between two restorations
    Rational behind;  // those of the first one behind its own
    const std::size_t place = own_entry - table.table.begin();
    for (std::size_t i = 1; i < table.table.size(); ++i) {
      const SlEntry& entry = table.table[(place + i) % table.table.size()];
      // An SL without queues is never active: it neither sends nor keeps others from restoring.
      if (std::count(table.queue_sl.begin(), table.queue_sl.end(), entry.sl) > 0) {
        const Rational flits = Rational(entry.weight) * longest;
        behind = others == Rational(0) ? flits : behind;
        others += flits;
      }
    }
    // The rest of this round, and the next one up to the own turn; each other queue of the SL sends
    // a packet before each own one, and these count in the SL's weight too.
    const Rational one_of_each = Rational(siblings + 1) * longest;
    // Before a queue that is alone in its SL the next round leaves out the SL that sent last.
    const Rational never = siblings == 0 ? behind : Rational(0);
    const Rational wait = one_of_each + others * Rational(2 + siblings / weight) - never;
    const Rational latency = one_of_each + others * (Rational(2) + Rational(siblings, weight));
    const Rational time_per_packet = Rational(own.min_flits) + Rational(siblings) * longest +
                                     Rational(siblings + 1, weight) * others;
    return {
        ServiceGuarantee{wait.floor(), Rational(own.min_flits) / time_per_packet, latency.ceil()},
        {}};
  }

  [[nodiscard]] std::vector<WeightedEntry> entries(const ArbiterConfig& config) const override {
    const auto& sbt = config.parameters.get<SbtConfig>();
    std::vector<WeightedEntry> entries;
    for (std::size_t e = 0; e < sbt.table.size(); ++e) {
      entries.push_back({sbt.table[e].sl, sbt.table[e].weight, "table", e});
    }
    return entries;
  }

  [[nodiscard]] bool weights_count_packets() const override { return true; }

  [[nodiscard]] std::uint64_t cycle_flits(const ArbiterConfig& config,
                                          const PacketMix& mix) const override {
    return at_most_64_bits(PolicyAnalysis::cycle_flits(config, mix), config.max_packet_flits);
  }

  [[nodiscard]] const std::vector<int>* service_levels(const ArbiterConfig& config) const override {
    return &config.parameters.get<SbtConfig>().queue_sl;
  }
};

}  // namespace

const PolicyAnalysis& sbt_analysis() {
  static const SbtAnalysis analysis;
  return analysis;
}

}  // namespace qosarb
