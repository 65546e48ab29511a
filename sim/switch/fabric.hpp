// What all nodes of a network share.
#pragma once

#include <cstdint>
#include <vector>

#include "qosarb/switch/event_queue.hpp"
#include "qosarb/switch/packet.hpp"
#include "qosarb/switch/routing.hpp"
#include "qosarb/switch/vc_allocation.hpp"

namespace qosarb {

/// A Hop in two bytes.
struct KnownHop {
  std::uint8_t port = 0;
  std::uint8_t stage = 0;
};

struct Fabric {
  EventQueue events;
  PacketPool packets;
  const Routing* routing = nullptr;
  /// What the routing says, [switch][destination], where it depends on nothing else and the network
  /// is small enough; empty otherwise.
  std::vector<KnownHop> known_hops;
  std::uint32_t hosts = 0;
  bool adaptive = false;  ///< the routing is
  const VcAllocation* vc_allocation = nullptr;
  VcMap vcs;
  std::uint64_t decisions = 0;    ///< arbitrations asked for, at all ports
  std::uint64_t packet_hops = 0;  ///< packets granted at a switch
  std::uint64_t flit_hops = 0;    ///< flits of packets put on any wire
  std::uint64_t pause_frames = 0;
};

}  // namespace qosarb
