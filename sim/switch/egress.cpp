#include "qosarb/switch/egress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "qosarb/config/check_failure.hpp"

namespace qosarb {

void Egress::wake(Fabric& fabric) {
  if (!awake_) {
    awake_ = true;
    fabric.events.schedule(std::max(fabric.events.now(), free_at_),
                           {SimEventKind::Serve, port_number_, node_, 0});
  }
}

std::optional<PacketId> Egress::serve(Fabric& fabric) {
  const Cycle now = fabric.events.now();
  awake_ = false;
  if (now < free_at_) {
    throw CheckFailure(
        fmt::format("cycle {}, {}: the wire is busy until cycle {}", now, place_, free_at_));
  }
  std::optional<PacketId> sent;
  if (const auto frame = pause_.next_frame()) {
    free_at_ = now + wire_.frame_flits;
    ++fabric.pause_frames;
    fabric.events.schedule(now + wire_.latency + wire_.frame_flits + wire_.delay,
                           {SimEventKind::PauseFrame, wire_.port, wire_.node, *frame});
  } else if (port_.any_active()) {
    const Port::Grant grant = port_.arbitrate(now);
    ++fabric.decisions;
    if (grant.decision.queue < 0) {
      free_at_ = now + 1;  // a table that is not strict may let this chance pass
    } else {
      sent = static_cast<PacketId>(grant.packet.handle);
      fabric.packets[*sent].age = grant.decision.age;
      const std::uint32_t flits = fabric.packets[*sent].flits;
      free_at_ = now + flits;
      fabric.flit_hops += flits;
      const Cycle first = now + wire_.latency + 1 + wire_.delay;  // its first flit is in
      if (wire_.to_host) {
        fabric.events.schedule(first + flits - 1,
                               {SimEventKind::Delivered, wire_.port, wire_.node, *sent});
      } else {
        fabric.events.schedule(first, {SimEventKind::HeadArrives, wire_.port, wire_.node, *sent});
      }
    }
  }
  if (port_.any_active() || pause_.pending()) {
    wake(fabric);
  }
  return sent;
}

void Egress::hear(Fabric& fabric, std::uint32_t frame) {
  const int first = static_cast<int>(frame >> 8U) * kClassesPerFrame;
  const int last = std::min(first + kClassesPerFrame, static_cast<int>(port_.heads().size()));
  for (int queue = first; queue < last; ++queue) {
    const bool paused = ((frame >> (queue - first)) & 1U) != 0;
    if (port_.heads()[static_cast<std::size_t>(queue)].stopped != paused) {
      port_.stop(fabric.events.now(), queue, paused);
    }
  }
  if (port_.any_active()) {
    wake(fabric);
  }
}

void Egress::set_pause(Fabric& fabric, int queue, bool paused) {
  pause_.set(queue, paused);
  if (pause_.pending()) {
    wake(fabric);
  }
}

}  // namespace qosarb
