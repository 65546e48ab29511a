#include "qosarb/policy/bxi.hpp"

#include <fmt/format.h>

#include "qosarb/analyze/frame.hpp"
#include "qosarb/analyze/policy_analysis.hpp"

namespace qosarb {

namespace {

class BxiAnalysis final : public PolicyAnalysis {
 public:
  BxiAnalysis(PolicyRef policy, bool deficits) : PolicyAnalysis(policy), deficits_(deficits) {}

  [[nodiscard]] ServiceBound service(const ArbiterConfig& config, Index queue,
                                     const OwnPackets& own,
                                     const std::optional<StrictLoad>& /*strict*/) const override {
    const auto& bxi = config.parameters.get<BxiConfig>();
    const std::uint32_t longest = config.max_packet_flits;
    std::vector<FrameEntry> round;
    bool served = false;
    for (Index e = 0; e < count(bxi.table); ++e) {
      const std::uint64_t quantum = bxi.quantum(e);
      if (quantum < longest) {
        return no_service(fmt::format("table entry {} is too small for the longest packet", e));
      }
      FrameEntry entry{bxi.table[e].queue == queue, quantum, e, 0};
      // A head that does not fit leaves up to one flit less than its length: saved, or lost.
      if (deficits_) {
        entry.carry = (entry.own ? own.max_flits : longest) - 1;
      } else if (entry.own) {
        entry.flits -= own.max_flits - 1;
      }
      served = served || entry.own;
      round.push_back(entry);
    }
    if (!served) {
      return no_service("no table entry serves it");
    }
    const FrameService service = frame_service(round);
    return {ServiceGuarantee{longest + service.longest_gap, service.rate,
                             longest + service.latency.ceil()},
            {}};
  }

  [[nodiscard]] std::vector<WeightedEntry> entries(const ArbiterConfig& config) const override {
    const auto& bxi = config.parameters.get<BxiConfig>();
    std::vector<WeightedEntry> entries;
    for (std::size_t e = 0; e < bxi.table.size(); ++e) {
      entries.push_back({bxi.table[e].queue, bxi.quantum(e), "table", e});
    }
    return entries;
  }

  [[nodiscard]] std::uint64_t turns_for_all(const ArbiterConfig& config,
                                            const PacketMix& mix) const override {
    return deficits_ ? PolicyAnalysis::turns_for_all(config, mix) : 1;  // nothing is saved up
  }

  void warn(const ArbiterConfig& config, std::vector<std::string>& lines) const override {
    if (!deficits_) {
      warn_of_odd_weights(entries(config), config.max_packet_flits, "quanta",
                          "what is left of a turn is lost", lines);
    }
  }

 private:
  bool deficits_;
};

}  // namespace

const PolicyAnalysis& bxi_basic_analysis() {
  static const BxiAnalysis analysis(kBxiBasic, false);
  return analysis;
}

const PolicyAnalysis& bxi_deficit_analysis() {
  static const BxiAnalysis analysis(kBxiDeficit, true);
  return analysis;
}

}  // namespace qosarb
