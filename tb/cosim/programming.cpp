#include "cosim/programming.hpp"

#include "cosim/policy/policy_rtl.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {

std::vector<RegisterWrite> register_writes(const ArbiterConfig& config, const RtlLimits& limits) {
  const PolicyRtl& policy = rtl_of(config.policy);
  std::vector<RegisterWrite> writes;
  policy.append_writes(config, limits, writes);
  // The queues that the commit insists on: all, or where the config is not strict those that are
  // served.
  const std::uint32_t to_serve =
      config.strict ? policy.PolicyRtl::served_queues(config) : policy.served_queues(config);
  writes.push_back({QOSARB_PORT_POLICY_OFFSET, policy.code()});
  writes.push_back({QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, config.max_packet_flits});
  writes.push_back({QOSARB_PORT_QUEUES_IN_USE_OFFSET, to_serve});
  writes.push_back({QOSARB_PORT_COMMIT_OFFSET, 1});
  return writes;
}

}  // namespace qosarb
