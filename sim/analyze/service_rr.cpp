#include "qosarb/analyze/service_methods.hpp"

namespace qosarb {

// One packet of every other queue, behind the packet that was on the link.
ServiceBound service_of_rr(const ArbiterConfig& config, int /*queue*/, const OwnPackets& own) {
  const std::int64_t longest = config.max_packet_flits;
  const std::int64_t others = (config.queues - 1) * longest;
  const auto wait = static_cast<std::uint64_t>(longest + others);
  return {ServiceGuarantee{wait, Rational(own.min_flits, own.min_flits + others), wait}, {}};
}

}  // namespace qosarb
