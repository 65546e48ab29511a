#include <fmt/format.h>

#include "qosarb/analyze/frame.hpp"
#include "qosarb/analyze/service_methods.hpp"
#include "qosarb/policy/bxi.hpp"

namespace qosarb {

ServiceBound service_of_bxi(const ArbiterConfig& config, int queue, const OwnPackets& own) {
  const auto& bxi = config.parameters.get<BxiConfig>();
  const bool deficits = config.policy == kBxiDeficit;
  const std::uint64_t longest = config.max_packet_flits;
  std::vector<FrameEntry> round;
  bool served = false;
  for (std::size_t e = 0; e < bxi.table.size(); ++e) {
    const std::uint64_t quantum = bxi.quantum(e);
    if (quantum < longest) {
      return no_service(fmt::format("table entry {} is too small for the longest packet", e));
    }
    FrameEntry entry{bxi.table[e].queue == queue, quantum, static_cast<int>(e), 0};
    // A head that does not fit leaves up to one flit less than its length: saved, or lost.
    if (deficits) {
      entry.carry = (entry.own ? own.max_flits : longest) - 1;
    } else if (entry.own) {
      entry.flits -= own.max_flits - 1;
    }
    served = served || entry.own;
    round.push_back(entry);
  }
  if (!served) {
    return no_service("no table entry serves it");
  }
  const FrameService service = frame_service(round);
  return {ServiceGuarantee{longest + service.longest_gap, service.rate,
                           longest + static_cast<std::uint64_t>(service.latency.ceil())},
          {}};
}

}  // namespace qosarb
