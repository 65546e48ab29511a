// Packets that wait at their source behind many others. They are no Packets yet: beyond saturation
// most of all packets wait there, and what stands in order is read in order.
#pragma once

#include <cstdint>
#include <vector>

#include "qosarb/policy/types.hpp"

namespace qosarb {

/// What a source knows of a packet.
struct SourcePacket {
  Cycle generated = 0;
  Index destination = 0;
  std::uint32_t flits = 0;
  std::uint32_t number = 0;   ///< PacketRecord::number
  std::uint32_t route = 0;    ///< Packet::route
  std::uint32_t message = 0;  ///< that it is a part of
  std::uint16_t entry = 0;    ///< of the traffic list
};
static_assert(sizeof(SourcePacket) == 32);

/// Packets of one queue, first in, first out, behind those that its NIC has.
class Backlog {
 public:
  /// A NIC has no more while some wait here: they are read again soon, and it never runs out of
  /// them.
  static constexpr std::uint32_t kMostAhead = 8;
  std::uint32_t ahead = 0;  ///< packets in the queue of the NIC

  [[nodiscard]] bool empty() const { return first_ == packets_.size(); }
  void push(const SourcePacket& packet) { packets_.push_back(packet); }
  /// The first one, which leaves. There is one.
  SourcePacket pop() {
    const SourcePacket packet = packets_[first_++];
    // What has left goes when it is at least half of all: for each that goes one is moved at most.
    if (2 * first_ >= packets_.size()) {
      packets_.erase(packets_.begin(), packets_.begin() + first_);
      first_ = 0;
    }
    return packet;
  }

 private:
  std::uint32_t first_ = 0;
  std::vector<SourcePacket> packets_;
};

}  // namespace qosarb
