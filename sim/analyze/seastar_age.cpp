#include "qosarb/policy/seastar_age.hpp"

#include "qosarb/analyze/policy_analysis.hpp"

namespace qosarb {

namespace {

class SeastarAnalysis final : public PolicyAnalysis {
 public:
  SeastarAnalysis() : PolicyAnalysis(kSeastarAge) {}

  [[nodiscard]] ServiceBound service(const ArbiterConfig& /*config*/, int /*queue*/,
                                     const OwnPackets& /*own*/,
                                     const std::optional<StrictLoad>& /*strict*/) const override {
    return no_service(
        "older packets may come without end, so age alone bounds no wait; epochs only ensure "
        "progress");
  }

  // A queue whose packets come younger than the others' may wait until its age is the greatest.
  [[nodiscard]] std::uint64_t cycle_flits(const ArbiterConfig& config,
                                          const PacketMix& mix) const override {
    const auto& seastar = config.parameters.get<SeastarConfig>();
    const std::uint64_t until_oldest = std::uint64_t{255} * seastar.age_clock_period;
    return PolicyAnalysis::cycle_flits(config, mix) +
           (seastar.age_rr_select != 0 ? until_oldest : 0);
  }

  void warn(const ArbiterConfig& config, std::vector<std::string>& lines) const override {
    if (config.parameters.get<SeastarConfig>().age_rr_select == 0) {
      lines.push_back("age_rr_select 0 never looks at ages: biases and age clock have no effect");
    }
  }
};

}  // namespace

const PolicyAnalysis& seastar_age_analysis() {
  static const SeastarAnalysis analysis;
  return analysis;
}

}  // namespace qosarb
