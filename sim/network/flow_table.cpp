#include "qosarb/network/flow_table.hpp"

#include <algorithm>
#include <utility>

namespace qosarb {

std::uint32_t FlowTable::generated(const PacketRecord& packet) {
  const std::uint64_t key = key_of(packet);
  std::size_t at = find(key);
  if (flows_[at].key == kFree) {
    if (2 * ++used_ > flows_.size()) {
      grow();
      at = find(key);
    }
    flows_[at] = {key};
  }
  return flows_[at].generated++;
}

FlowTable::Order FlowTable::delivered(const PacketRecord& packet) {
  const std::size_t at = find(key_of(packet));
  Flow& flow = flows_[at];
  if (flow.key == kFree) {
    return Order::Unknown;
  }
  const Order order = packet.number == flow.due ? Order::Kept : Order::Broken;
  flow.due = std::max(flow.due, packet.number + 1);
  if (++flow.delivered == flow.generated) {
    erase(at);
  }
  return order;
}

// Moves later ones of the same cluster forward, so that no search ends too early.
void FlowTable::erase(std::size_t at) {
  --used_;
  const std::size_t mask = flows_.size() - 1;
  for (std::size_t next = (at + 1) & mask; flows_[next].key != kFree; next = (next + 1) & mask) {
    if (((next - home(flows_[next].key)) & mask) >= ((next - at) & mask)) {
      flows_[at] = flows_[next];
      at = next;
    }
  }
  flows_[at].key = kFree;
}

void FlowTable::grow() {
  std::vector<Flow> old(2 * flows_.size());
  std::swap(old, flows_);
  for (const Flow& flow : old) {
    if (flow.key != kFree) {
      flows_[find(flow.key)] = flow;
    }
  }
}

}  // namespace qosarb
