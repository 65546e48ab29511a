#include "qosarb/network/flow_table.hpp"

#include <bit>
#include <utility>

namespace qosarb {

// A place for `key`, which has none. Before more than half of all are taken, the flows without
// packets lose theirs; if they are too few, there are twice as many places then.
std::size_t FlowTable::add(std::uint64_t key) {
  if (2 * (taken_ + 1) > flows_.size()) {
    const bool grow = 4 * (under_way_ + 1) > flows_.size();
    std::vector<Flow> old(grow ? 2 * flows_.size() : flows_.size());
    std::swap(old, flows_);
    shift_ = 64 - std::countr_zero(flows_.size());
    for (const Flow& flow : old) {
      if (flow.generated != 0) {
        flows_[find(flow.key)] = flow;
      }
    }
    taken_ = under_way_;
  }
  ++taken_;
  const std::size_t at = find(key);
  flows_[at].key = key;
  return at;
}

}  // namespace qosarb
