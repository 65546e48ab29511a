#include <fmt/format.h>

#include "qosarb/switch/flow_control.hpp"
#include "qosarb/switch/switch.hpp"

namespace qosarb {

namespace {

/// Credits per virtual channel, in flits. The sender keeps count of them (see Credits); the switch
/// sends them back, one for each flit that leaves, over a wire of their own (Switch::leaves()).
class CreditFlowControl final : public FlowControl {
 public:
  void connect(int /*port*/, const Upstream& /*upstream*/) override {}
  void starts_to_cross(Fabric& /*fabric*/, int /*port*/, const Packet& /*packet*/) override {}
  void arrives(Fabric& /*fabric*/, int /*port*/, const Packet& /*packet*/, Late /*late*/) override {
  }
};

std::optional<std::string> credit_too_small(std::uint32_t queue_flits, const PauseLoop& link) {
  if (queue_flits >= link.max_packet_flits) {
    return std::nullopt;
  }
  return fmt::format("an input queue of {} flits cannot hold a packet of {}", queue_flits,
                     link.max_packet_flits);
}

}  // namespace

const FlowControlKind kCredit = {"credit", true, &credit_too_small,
                                 [](Switch& /*at*/) -> std::unique_ptr<FlowControl> {
                                   return std::make_unique<CreditFlowControl>();
                                 }};

}  // namespace qosarb
