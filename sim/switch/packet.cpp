#include "qosarb/switch/packet.hpp"

#include <fmt/format.h>

#include "qosarb/config/check_failure.hpp"

namespace qosarb {

namespace {
// 64 bytes each: a run whose sources are this far behind has lost all meaning, and would go on to
// eat the machine's memory.
constexpr std::size_t kMostPackets = std::size_t{1} << 26;
}  // namespace

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
  if (packets_.size() == kMostPackets) {
    throw CheckFailure(
        fmt::format("{} packets wait in the network and its sources: lower the load "
                    "or shorten the run",
                    packets_.size()));
  }
  packets_.emplace_back();
  records_.emplace_back();
  return static_cast<PacketId>(packets_.size() - 1);
}

}  // namespace qosarb
