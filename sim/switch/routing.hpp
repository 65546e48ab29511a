// The way of packets through a topology: one small class for each routing.
#pragma once

#include <cstdint>

#include "qosarb/switch/packet.hpp"
#include "qosarb/traffic/random.hpp"

namespace qosarb {

/// Where a packet goes on. A service level has one set of virtual channels for each stage of the
/// routing; they are how rings of packets that wait for each other are cut.
struct Hop {
  int port = 0;   ///< of the switch
  int stage = 0;  ///< 0 .. stages() - 1
};

/// What an adaptive routing sees of the switch that asks, as the last cycle left it.
class Congestion {
 public:
  virtual ~Congestion() = default;
  /// Flits of packets in this switch that will leave by `port` and did not start to; those of one
  /// service level only, or all of them for -1.
  [[nodiscard]] virtual std::uint64_t waiting_flits(int port, int service_level) const = 0;
};

/// Routes are looked up once for each packet at each switch, as its head is ready there.
class Routing {
 public:
  virtual ~Routing() = default;

  /// Stages that a service level needs virtual channels for.
  [[nodiscard]] virtual int stages() const { return 1; }
  /// True if all packets of a flow take the same way, so that their order is kept.
  [[nodiscard]] virtual bool in_order() const { return true; }
  /// True if hop() depends on the switch and the packet's destination alone, and leaves
  /// Packet::route as it is. Then it may be asked before, and start() is not called.
  [[nodiscard]] virtual bool by_destination() const { return false; }
  /// True if hop() looks at the congestion.
  [[nodiscard]] virtual bool adaptive() const { return false; }

  /// Packet::route of a new packet; draws from the source's own stream, if at all.
  virtual std::uint32_t start(const PacketRecord& /*record*/, Random& /*random*/) const {
    return 0;
  }

  /// The next hop of `packet` at switch number `at` (from 0), which it entered by `in_port`. May
  /// change Packet::route. `congestion` is null unless adaptive().
  [[nodiscard]] virtual Hop hop(Index at, int in_port, Packet& packet, const PacketRecord& record,
                                const Congestion* congestion) const = 0;
};

}  // namespace qosarb
