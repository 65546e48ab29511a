// A packet moves through the network as one object; its flit times follow from a few numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "qosarb/policy/types.hpp"

namespace qosarb {

/// Names a packet in a PacketPool.
using PacketId = std::uint32_t;
inline constexpr PacketId kNoPacket = ~PacketId{0};

struct Packet {
  Cycle generated = 0;  ///< its message came to the source's queue
  Cycle injected = 0;   ///< its first flit left the source
  Cycle ready = 0;      ///< at the switch it is in: first flit may be asked to cross the crossbar
  Cycle last_read = 0;  ///< at that switch: its last flit leaves the input queue
  std::uint32_t flits = 0;
  std::uint32_t number = 0;  ///< counts the packets of (source, destination, queue) from 0
  std::uint16_t source = 0;
  std::uint16_t destination = 0;
  std::uint16_t queue = 0;
  std::uint16_t entry = 0;     ///< of the traffic list
  PacketId next = kNoPacket;   ///< in the list that it stands in
  std::uint16_t out_port = 0;  ///< of the switch it is in
  std::uint8_t age = 0;        ///< that the last arbiter gave it (seastar-age)
};

/// "host3->host5 queue 2 number 17".
std::string name_of(const Packet& packet);

/// Packets by id; ids of packets that left are used again.
class PacketPool {
 public:
  PacketId take();
  void give_back(PacketId id);
  Packet& operator[](PacketId id) { return packets_[id]; }
  const Packet& operator[](PacketId id) const { return packets_[id]; }
  /// Packets that are there now.
  [[nodiscard]] std::size_t in_use() const { return in_use_; }

 private:
  std::vector<Packet> packets_;
  PacketId free_ = kNoPacket;
  std::size_t in_use_ = 0;
};

}  // namespace qosarb
