#include <algorithm>

#include "qosarb/analyze/service_methods.hpp"
#include "qosarb/policy/sbt.hpp"
#include "qosarb/policy/sl_queues.hpp"

namespace qosarb {

ServiceBound service_of_sbt(const ArbiterConfig& config, int queue, const OwnPackets& own) {
  const auto& table = config.parameters.get<SbtConfig>();
  const int sl = table.queue_sl[static_cast<std::size_t>(queue)];
  const std::int64_t longest = config.max_packet_flits;
  const std::int64_t siblings = std::count(table.queue_sl.begin(), table.queue_sl.end(), sl) - 1;
  std::int64_t weight = 0;
  std::int64_t others = 0;  // flits that the other SLs send between two restorations
  for (const SlEntry& entry : table.table) {
    if (entry.sl == sl) {
      weight = entry.weight;
    } else {
      others += entry.weight * longest;
    }
  }
  if (weight == 0) {
    return no_service("no table entry serves its SL");
  }
  // The rest of this round, and the next one up to the own turn; each other queue of the SL sends a
  // packet before each own one, and these count in the SL's weight too.
  const std::int64_t wait = longest + siblings * longest + others * (2 + siblings / weight);
  const Rational latency =
      Rational(longest + siblings * longest + 2 * others) + Rational(siblings * others, weight);
  const Rational time_per_packet =
      Rational(own.min_flits + siblings * longest) + Rational((siblings + 1) * others, weight);
  return {
      ServiceGuarantee{static_cast<std::uint64_t>(wait), Rational(own.min_flits) / time_per_packet,
                       static_cast<std::uint64_t>(latency.ceil())},
      {}};
}

}  // namespace qosarb
