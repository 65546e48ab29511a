#include "qosarb/switch/packet.hpp"

#include <fmt/format.h>

namespace qosarb {

std::string name_of(const PacketRecord& packet) {
  return fmt::format("host{}->host{} queue {} number {}", packet.source, packet.destination,
                     packet.queue, packet.number);
}

}  // namespace qosarb
