#include "qosarb/analyze/service.hpp"

#include "qosarb/analyze/policy_analysis.hpp"

namespace qosarb {

ServiceBound guaranteed_service(const ArbiterConfig& config, Index queue, const OwnPackets& own,
                                const std::optional<StrictLoad>& strict) {
  if (config.variant == Variant::Printed) {
    return no_service("the pseudocode as printed has no proven bound");
  }
  return analysis_of(config.policy).service(config, queue, own, strict);
}

ServiceBound guaranteed_service(const ArbiterConfig& config, Index queue,
                                const std::optional<StrictLoad>& strict) {
  return guaranteed_service(config, queue, {1, max_packet_flits(config, queue)}, strict);
}

}  // namespace qosarb
