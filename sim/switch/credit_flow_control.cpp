#include <fmt/format.h>

#include "qosarb/switch/flow_control.hpp"

namespace qosarb {

namespace {

std::optional<std::string> credit_too_small(std::uint32_t queue_flits, const PauseLoop& link) {
  if (queue_flits >= link.max_packet_flits) {
    return std::nullopt;
  }
  return fmt::format("an input queue of {} flits cannot hold a packet of {}", queue_flits,
                     link.max_packet_flits);
}

}  // namespace

const FlowControlKind kCredit = {"credit", true, &credit_too_small,
                                 [](Switch& /*at*/) { return std::unique_ptr<FlowControl>(); }};

}  // namespace qosarb
