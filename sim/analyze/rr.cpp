#include "qosarb/policy/rr.hpp"

#include "qosarb/analyze/policy_analysis.hpp"

namespace qosarb {

namespace {

class RoundRobinAnalysis final : public PolicyAnalysis {
 public:
  RoundRobinAnalysis() : PolicyAnalysis(kRr) {}

  // One packet of every other queue, behind the packet that was on the link.
  [[nodiscard]] ServiceBound service(const ArbiterConfig& config, int /*queue*/,
                                     const OwnPackets& own,
                                     const std::optional<StrictLoad>& /*strict*/) const override {
    const std::int64_t longest = config.max_packet_flits;
    const std::int64_t others = (config.queues - 1) * longest;
    const std::int64_t wait = longest + others;
    return {ServiceGuarantee{wait, Rational(own.min_flits, own.min_flits + others), wait}, {}};
  }
};

}  // namespace

const PolicyAnalysis& rr_analysis() {
  static const RoundRobinAnalysis analysis;
  return analysis;
}

}  // namespace qosarb
