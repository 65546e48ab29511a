#include "qosarb/network/flow_table.hpp"

#include <bit>
#include <utility>

namespace qosarb {

// A place for `key`, which has none. When half of all places are taken, flows without packets lose
// theirs, and if more than a quarter is left there are twice as many.
std::size_t FlowTable::add(std::uint64_t key) {
  if (2 * (taken_ + 1) > flows_.size()) {
    const auto busy =
        static_cast<std::size_t>(std::count_if(flows_.begin(), flows_.end(), [](const Flow& flow) {
          return flow.generated != flow.delivered;
        }));
    std::vector<Flow> old(4 * busy > flows_.size() ? 2 * flows_.size() : flows_.size());
    std::swap(old, flows_);
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(flows_.size()));
    for (const Flow& flow : old) {
      if (flow.generated != flow.delivered) {
        flows_[find(flow.key)] = flow;
      }
    }
    taken_ = busy;
  }
  ++taken_;
  const std::size_t at = find(key);
  flows_[at] = {key};
  return at;
}

}  // namespace qosarb
