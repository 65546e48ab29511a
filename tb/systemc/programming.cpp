#include "systemc/programming.hpp"

#include <fmt/format.h>

#include "qosarb/config/input_error.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {

namespace {

std::uint32_t policy_code(const ArbiterConfig& config, const std::string& file) {
  if (config.variant == Variant::Corrected) {
    switch (config.policy) {
      case Policy::Rr:
        return QOSARB_PORT_POLICY_RR;
      case Policy::BxiBasic:
        return QOSARB_PORT_POLICY_BXI_BASIC;
      case Policy::BxiDeficit:
        return QOSARB_PORT_POLICY_BXI_DEFICIT;
      default:
        break;
    }
  }
  throw InputError(file, 0,
                   fmt::format("there is no RTL of {}, {} variant", name_of(config.policy),
                               name_of(config.variant)));
}

}  // namespace

std::vector<RegisterWrite> register_writes(const ArbiterConfig& config, const std::string& file) {
  std::vector<RegisterWrite> writes = {{QOSARB_PORT_POLICY_OFFSET, policy_code(config, file)}};
  std::uint32_t in_use = (1U << config.queues) - 1;
  if (const auto* bxi = std::get_if<BxiConfig>(&config.parameters)) {
    std::uint32_t served = 0;
    std::uint32_t e = 0;
    for (const BxiConfig::Entry& entry : bxi->table) {
      writes.push_back(
          {QOSARB_PORT_TABLE_OFFSET(e), QOSARB_PORT_TABLE_QUEUE_ID_PUT(entry.queue) |
                                            QOSARB_PORT_TABLE_QUANTUM_PUT(bxi->quantum(e))});
      served |= 1U << entry.queue;
      ++e;
    }
    writes.push_back({QOSARB_PORT_TABLE_ENTRIES_OFFSET, e});
    in_use = config.strict ? in_use : served;  // a queue without an entry is wanted then
  }
  writes.push_back({QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, config.max_packet_flits});
  writes.push_back({QOSARB_PORT_QUEUES_IN_USE_OFFSET, in_use});
  writes.push_back({QOSARB_PORT_COMMIT_OFFSET, QOSARB_PORT_COMMIT_START_PUT(1)});
  return writes;
}

}  // namespace qosarb
