#include "qosarb/network/flow_table.hpp"

#include <bit>
#include <utility>

namespace qosarb {

// A place for `key`, which has none. Before more than half of all are taken, there are twice as
// many.
std::size_t FlowTable::add(std::uint64_t key) {
  if (2 * (taken_ + 1) > flows_.size()) {
    std::vector<Flow> old(2 * flows_.size());
    std::swap(old, flows_);
    shift_ = 64 - std::countr_zero(flows_.size());
    for (const Flow& flow : old) {
      if (flow.key != kFree) {
        flows_[find(flow.key)] = flow;
      }
    }
  }
  ++taken_;
  const std::size_t at = find(key);
  flows_[at] = {key};
  return at;
}

}  // namespace qosarb
