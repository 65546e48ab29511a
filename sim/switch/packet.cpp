#include "qosarb/switch/packet.hpp"

#include <fmt/format.h>

namespace qosarb {

std::string name_of(const PacketRecord& packet) {
  return fmt::format("host{}->host{} queue {} number {}", packet.source, packet.destination,
                     packet.queue, packet.number);
}

PacketId PacketPool::take() {
  ++in_use_;
  if (free_ != kNoPacket) {
    const PacketId id = free_;
    free_ = packets_[id].next;
    packets_[id] = Packet{};
    return id;
  }
  packets_.emplace_back();
  records_.emplace_back();
  return static_cast<PacketId>(packets_.size() - 1);
}

}  // namespace qosarb
