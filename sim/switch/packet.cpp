#include "qosarb/switch/packet.hpp"

#include <fmt/format.h>

namespace qosarb {

std::string name_of(const PacketRecord& packet) {
  return fmt::format("host{}->host{} queue {} number {}", packet.source, packet.destination,
                     packet.queue, packet.number);
}

PacketId PacketPool::take_new() {
  packets_.emplace_back();
  records_.emplace_back();
  return static_cast<PacketId>(packets_.size() - 1);
}

}  // namespace qosarb
