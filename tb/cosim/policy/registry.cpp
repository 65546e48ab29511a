// The policies that have RTL: the only list of them here.
#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "cosim/policy/policy_rtl.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {

// Each in the file of its name.
const PolicyRtl& rr_rtl();
const PolicyRtl& bxi_basic_rtl();
const PolicyRtl& bxi_deficit_rtl();
const PolicyRtl& sbt_rtl();
const PolicyRtl& dtable_rtl();
const PolicyRtl& infiniband_rtl();
const PolicyRtl& seastar_age_rtl();
const PolicyRtl& trtcm_rtl();
const PolicyRtl& ets_rtl();

std::span<const PolicyRtl* const> policies_with_rtl() {
  static const std::array policies = {&rr_rtl(),          &bxi_basic_rtl(), &bxi_deficit_rtl(),
                                      &sbt_rtl(),         &dtable_rtl(),    &infiniband_rtl(),
                                      &seastar_age_rtl(), &trtcm_rtl(),     &ets_rtl()};
  return policies;
}

const PolicyRtl* find_rtl(PolicyRef policy) {
  for (const PolicyRtl* rtl : policies_with_rtl()) {
    if (rtl->policy() == policy) {
      return rtl;
    }
  }
  return nullptr;
}

const PolicyRtl& rtl_of(PolicyRef policy) {
  if (const PolicyRtl* const rtl = find_rtl(policy)) {
    return *rtl;
  }
  throw std::invalid_argument(fmt::format("there is no RTL of {}", policy.name()));
}

std::optional<std::string> build_obstacle(const ArbiterConfig& config, const RtlLimits& limits) {
  if (config.queues > limits.queues) {
    return fmt::format("it has {} queues, not {}", limits.queues, config.queues);
  }
  if (config.max_packet_flits > limits.packet_flits) {
    return fmt::format("packets have at most {} flits, not {}", limits.packet_flits,
                       config.max_packet_flits);
  }
  return rtl_of(config.policy).obstacle(config, limits);
}

std::optional<std::string> PolicyRtl::obstacle(const ArbiterConfig& /*config*/,
                                               const RtlLimits& /*limits*/) const {
  return std::nullopt;
}

void PolicyRtl::append_writes(const ArbiterConfig& /*config*/, const RtlLimits& /*limits*/,
                              std::vector<RegisterWrite>& /*writes*/) const {}

std::uint32_t PolicyRtl::served_queues(const ArbiterConfig& config) const {
  return static_cast<std::uint32_t>((std::uint64_t{1} << config.queues) - 1);
}

std::optional<std::string> PolicyRtl::refusal(std::uint32_t reason, std::uint32_t where) const {
  if (reason == QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE) {
    return fmt::format("no entry serves queue {}", where);
  }
  return std::nullopt;
}

bool PolicyRtl::at_rest(const PortState& /*port*/, const ArbiterConfig& /*config*/) const {
  return !clocked_in_every_cycle();
}

void PolicyRtl::show(WaveText& /*text*/, const ArbiterConfig& /*config*/,
                     const RtlLimits& /*limits*/) const {}

}  // namespace qosarb
