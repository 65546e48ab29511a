#include "qosarb/analyze/service.hpp"

#include "qosarb/analyze/service_methods.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/dtable.hpp"
#include "qosarb/policy/infiniband.hpp"
#include "qosarb/policy/rr.hpp"
#include "qosarb/policy/sbt.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/policy/trtcm.hpp"

namespace qosarb {

ServiceBound guaranteed_service(const ArbiterConfig& config, int queue, const OwnPackets& own) {
  if (config.variant == Variant::Printed) {
    return no_service("the pseudocode as printed has no proven bound");
  }
  if (config.policy == kRr) {
    return service_of_rr(config, queue, own);
  } else if (config.policy == kBxiBasic || config.policy == kBxiDeficit) {
    return service_of_bxi(config, queue, own);
  } else if (config.policy == kSbt) {
    return service_of_sbt(config, queue, own);
  } else if (config.policy == kDTable) {
    return service_of_dtable(config, queue, own);
  } else if (config.policy == kInfiniBand) {
    return service_of_infiniband(config, queue, own);
  } else if (config.policy == kTrtcm) {
    return service_of_trtcm(config, queue, own);
  } else if (config.policy == kSeastarAge) {
    return no_service(
        "older packets may come without end, so age alone bounds no wait; epochs only ensure "
        "progress");
  }
  return no_service("unknown policy");  // not reached: every policy is named above
}

ServiceBound guaranteed_service(const ArbiterConfig& config, int queue) {
  return guaranteed_service(config, queue, {1, max_packet_flits(config, queue)});
}

}  // namespace qosarb
