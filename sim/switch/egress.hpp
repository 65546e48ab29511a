// The sending side of a link: the port with its policy, the wire, and the PFC frames that the
// receiving side of the same link wants sent.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "qosarb/policy/port.hpp"
#include "qosarb/switch/event_queue.hpp"
#include "qosarb/switch/packet.hpp"
#include "qosarb/switch/pfc.hpp"

namespace qosarb {

class Routing;

/// What all nodes of a network share.
struct Fabric {
  EventQueue events;
  PacketPool packets;
  const Routing* routing = nullptr;
  std::uint64_t decisions = 0;  ///< arbitrations asked for, at all ports
  std::uint64_t flit_hops = 0;  ///< flits of packets put on any wire
  std::uint64_t pause_frames = 0;
};

/// A wire, as its sender knows it. Delays in cycles.
struct Wire {
  std::uint32_t node = 0;  ///< that receives
  std::uint16_t port = 0;  ///< of that node
  bool to_host = false;
  std::uint32_t delay = 0;
  std::uint32_t latency = 0;  ///< from the grant to the wire
  std::uint32_t frame_flits = 1;
};

/// A port asks its arbiter in every cycle in which its wire is free, no PFC frame waits and some
/// queue is active; in no other.
class Egress {
 public:
  /// `node` and `port` say where this egress stands, `place` how people call it.
  Egress(std::string place, std::uint32_t node, std::uint16_t port, int queues,
         std::unique_ptr<Arbiter> arbiter)
      : place_(std::move(place)),
        node_(node),
        port_number_(port),
        port_(queues, std::move(arbiter)) {}

  void connect(const Wire& wire) { wire_ = wire; }

  /// Something may be there to send: serve() is called in this cycle, or when the wire is free.
  void wake(Fabric& fabric);

  /// Sends a PFC frame, or the packet that the arbiter chooses, if there is one. Returns it.
  /// Errors: CheckFailure if the wire is not free.
  std::optional<PacketId> serve(Fabric& fabric);

  /// A frame from the receiver says which classes may be sent.
  void hear(Fabric& fabric, std::uint32_t frame);

  /// The input queue at this end of the link wants its sender stopped, or started again.
  void set_pause(Fabric& fabric, int queue, bool paused);
  [[nodiscard]] bool wants_pause(int queue) const { return pause_.paused(queue); }

  [[nodiscard]] Port& port() { return port_; }
  [[nodiscard]] const Port& port() const { return port_; }
  [[nodiscard]] const std::string& place() const { return place_; }
  /// First cycle in which the wire may take another flit.
  [[nodiscard]] Cycle free_at() const { return free_at_; }
  [[nodiscard]] const Wire& wire() const { return wire_; }

 private:
  std::string place_;
  std::uint32_t node_;
  std::uint16_t port_number_;
  Port port_;
  Wire wire_;
  PauseSender pause_;
  Cycle free_at_ = 0;
  bool awake_ = false;  ///< a Serve event is on its way
};

}  // namespace qosarb
