#include "qosarb/analyze/service.hpp"

#include "qosarb/analyze/service_methods.hpp"

namespace qosarb {

ServiceBound guaranteed_service(const ArbiterConfig& config, int queue, const OwnPackets& own) {
  if (config.variant == Variant::Printed) {
    return no_service("the pseudocode as printed has no proven bound");
  }
  switch (config.policy) {
    case Policy::Rr:
      return service_of_rr(config, queue, own);
    case Policy::BxiBasic:
    case Policy::BxiDeficit:
      return service_of_bxi(config, queue, own);
    case Policy::Sbt:
      return service_of_sbt(config, queue, own);
    case Policy::DTable:
      return service_of_dtable(config, queue, own);
    case Policy::InfiniBand:
      return service_of_infiniband(config, queue, own);
    case Policy::Trtcm:
      return service_of_trtcm(config, queue, own);
    case Policy::SeastarAge:
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
