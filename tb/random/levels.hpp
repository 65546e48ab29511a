// Random SLs, for policies whose table entries are SLs.
#pragma once

#include <vector>

#include "random/policy_random.hpp"

namespace qosarb::test {

/// Any SLs of the build, several queues in one, some without a queue.
std::vector<int> random_levels(Random& random, const RtlLimits& limits, int queues);

/// Whether the SL of each queue has an entry.
template <typename Entry>
bool serves_all(const std::vector<Entry>& table, const std::vector<int>& queue_sl) {
  return std::all_of(queue_sl.begin(), queue_sl.end(), [&table](int sl) {
    return std::any_of(table.begin(), table.end(),
                       [sl](const Entry& entry) { return entry.sl == sl; });
  });
}

}  // namespace qosarb::test
