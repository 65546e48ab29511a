// The hierarchical switch of the Omni-Path paper (Sect. 2.2, Fig. 2): groups of ports, MPorts, have
// a crossbar each, and a central one joins them.
#include <fmt/format.h>

#include <algorithm>

#include "qosarb/config/check_failure.hpp"
#include "qosarb/switch/switch.hpp"

namespace qosarb {

namespace {

/// A packet for an output of the same MPort goes from its input queue straight into the output
/// queue; another one goes into a central buffer of its MPort first, and from there through the
/// central crossbar. An MPort has two central buffers; which one is the output's number mod 2. In
/// both a packet has the virtual channel by which it came: what came by others of the same link
/// is not in its way.
///
/// Both crossbars are allocated by the same rule. Input queues and central buffers are sources,
/// output queues and central buffers are targets. In each cycle every free source proposes the
/// first packet of one virtual channel, in turn among those whose target is free and has room for
/// the whole packet; every target takes one proposal, sources taking turns. Who is not taken
/// proposes again in the next cycle.
class HierarchicalSwitch final : public Switch {
 public:
  explicit HierarchicalSwitch(const SwitchParts& parts);

  void pause_frame(Fabric& fabric, int port, std::uint32_t frame) {
    egress_[port].pause_frame(fabric, frame);
  }
  void credit_wake(Fabric& fabric, int port, int queue) {
    egress_[port].credit_wake(fabric, queue);
  }
  /// What comes from a central buffer has its way.
  void find_way(Fabric& fabric, int source, PacketId id) {
    if (is_port(source)) {
      Switch::find_way(fabric, source, id);
    }
  }
  void ask_for_voq(const Packet& /*packet*/, int /*source*/) const {}  // it has none
  void ready(Fabric& fabric, int source, PacketId id);
  void transfer_ends(Fabric& fabric, int source, int target) {
    sources_[source].busy = false;
    targets_[target].busy = false;
    want_match(fabric);
  }
  void room(Fabric& fabric, int /*out*/) { want_match(fabric); }
  void match(Fabric& fabric);
  void visible(Fabric& fabric, SimEvent event);
  void serve(Fabric& fabric, int out);

  void pause_upstream(Fabric& fabric, int port, int queue, bool paused) override {
    egress_[port].pause_upstream(fabric, queue, paused);
  }
  [[nodiscard]] Sender& sender(int port) override { return egress_[port]; }
  [[nodiscard]] const Sender& sender(int port) const override { return egress_[port]; }
  void for_each_waiting(const PacketPool& packets,
                        const std::function<void(const Waiting&)>& visit) const override;

 private:
  /// An input port, or behind those a central buffer. Its queues are first in, first out.
  struct Source {
    std::vector<PacketList> queues;  ///< [virtual channel]
    Mask vcs = 0;                    ///< with a packet
    int last = 0;                    ///< the virtual channel that was last
    bool busy = false;
  };
  /// The queue of a virtual channel of an output port or of a central buffer.
  struct Room {
    std::uint32_t promised = 0;   ///< flits of all packets that did not start to leave
    std::uint32_t waits_for = 0;  ///< room for so many flits would let a packet in; 0: none waits
  };
  /// An output port, or behind those a central buffer. Of the packet that leaves:
  struct Target {
    std::vector<Room> rooms;  ///< [virtual channel]
    int last = -1;            ///< the source that was last
    int proposal = -1;        ///< the source that is taken in this cycle
    bool busy = false;
    int leaving = -1;         ///< virtual channel of the packet that left last
    std::uint32_t flits = 0;  ///< of it
    Cycle start = 0;          ///< it starts to leave
    Cycle end = 0;            ///< ports: the cycle behind its last flit on the wire
    Cycle filled = 0;         ///< central buffers: flit i of it was there in read_cycle(...)
    Cycle ready = 0;          ///< ... of these two
  };

  [[nodiscard]] bool is_port(int index) const { return index < ports_; }
  [[nodiscard]] int group_of(int port) const { return port / config_.mport_ports; }
  /// Where the packet goes next from `source`.
  [[nodiscard]] int target_of(int source, const Packet& packet) const {
    const int out = packet.out_port;
    return !is_port(source) || group_of(source) == group_of(out)
               ? out
               : ports_ + 2 * group_of(source) + out % 2;
  }
  /// The virtual channel of `target` that the packet is in.
  [[nodiscard]] int vc_at(int target, const Packet& packet) const {
    return is_port(target) ? packet.next_vc : packet.vc;
  }
  [[nodiscard]] std::uint32_t size_of(int target) const {
    return is_port(target) ? config_.output_queue_flits : config_.central_queue_flits;
  }
  /// Flits of the packet that leaves `target` which have left before `now`, if it is of `vc`, and
  /// the inverse: when `nth` of them will have.
  [[nodiscard]] std::uint32_t left_before(int target, Cycle now) const;
  [[nodiscard]] Cycle left_at(int target, std::uint32_t nth) const;
  [[nodiscard]] std::uint32_t flits_of(int target, int vc, Cycle now) const {
    const Target& at = targets_[target];
    return at.rooms[vc].promised + (at.leaving == vc ? at.flits - left_before(target, now) : 0);
  }
  /// There is room for a packet of `flits`; otherwise a Room event comes when there is, or when a
  /// packet starts to leave whose flits make it.
  bool has_room(Fabric& fabric, int target, int vc, std::uint32_t flits);
  void starts_to_leave(Fabric& fabric, int target, int vc);
  void wait_for_room(Fabric& fabric, Cycle when) {
    fabric.events.schedule_no_later(room_event_, when, SimEventKind::Room, SimEvent::at(node_, 0));
  }
  /// The virtual channel of which `source` proposes a packet, or -1.
  int propose(Fabric& fabric, int source);
  /// The order in which a target's sources take turns, from `last` on: `source` comes so late.
  [[nodiscard]] int turn(int source, int last) const {
    const int all = count(sources_);
    return source > last ? source - last : source - last + all;
  }
  void transfer(Fabric& fabric, int source, int vc, int target);

  std::vector<Egress> egress_;
  std::vector<Source> sources_;
  std::vector<Target> targets_;
  std::vector<int> proposed_;  ///< [source]: virtual channel
  Cycle room_event_ = 0;       ///< a Room event comes then
};

HierarchicalSwitch::HierarchicalSwitch(const SwitchParts& parts)
    : Switch(parts, parts.config.speedup) {
  for (int port = 0; port < ports_; ++port) {
    egress_.emplace_back(fmt::format("{}.port{}", place_, port), node_, port, queues_,
                         parts.arbiter(port));
  }
  const int all = ports_ + 2 * (group_of(ports_ - 1) + 1);
  sources_.assign(all, {.queues = std::vector<PacketList>(queues_), .last = queues_ - 1});
  targets_.assign(all, {.rooms = std::vector<Room>(queues_), .last = all - 1});
  proposed_.assign(all, -1);
}

void HierarchicalSwitch::ready(Fabric& fabric, int source, PacketId id) {
  Packet& packet = fabric.packets[id];
  const int vc = packet.vc;
  Source& at = sources_[source];
  PacketList& queue = at.queues[vc];
  const bool first = queue.empty();
  queue.push(fabric.packets, id);
  if (first) {
    at.vcs |= bit(vc);
    if (!at.busy) {
      want_match(fabric);
    }
  }
}

std::uint32_t HierarchicalSwitch::left_before(int target, Cycle now) const {
  const Target& at = targets_[target];
  if (now <= at.start) {
    return 0;
  }
  if (is_port(target)) {
    return at.end > now ? at.flits - egress_[target].left(at.end - now) : at.flits;
  }
  return std::min(read_before(now, at.start, at.ready, at.flits, config_.central_speedup),
                  read_before(now, at.filled, at.ready, at.flits, config_.speedup));
}

Cycle HierarchicalSwitch::left_at(int target, std::uint32_t nth) const {
  const Target& at = targets_[target];
  if (is_port(target)) {
    return at.end - egress_[target].last_cycles(at.flits - nth);
  }
  return std::max(read_cycle(at.start, at.ready, nth - 1U, config_.central_speedup),
                  read_cycle(at.filled, at.ready, nth - 1U, config_.speedup)) +
         1;
}

bool HierarchicalSwitch::has_room(Fabric& fabric, int target, int vc, std::uint32_t flits) {
  const std::uint32_t size = size_of(target);
  if (flits_of(target, vc, fabric.events.now()) + flits <= size) {
    return true;
  }
  Target& at = targets_[target];
  Room& room = at.rooms[vc];
  if (room.promised + flits <= size) {  // what leaves makes the room
    wait_for_room(fabric, left_at(target, room.promised + at.flits + flits - size));
  } else {
    room.waits_for = room.waits_for == 0 ? flits : std::min(room.waits_for, flits);
  }
  return false;
}

// A packet of `vc` starts to leave in this cycle; `at.flits` and its times are known.
void HierarchicalSwitch::starts_to_leave(Fabric& fabric, int target, int vc) {
  Target& at = targets_[target];
  at.leaving = vc;
  Room& room = at.rooms[vc];
  room.promised -= at.flits;
  const std::uint32_t size = size_of(target);
  if (room.waits_for != 0 && room.promised + room.waits_for <= size) {
    wait_for_room(fabric, left_at(target, room.promised + at.flits + room.waits_for - size));
    room.waits_for = 0;
  }
}

int HierarchicalSwitch::propose(Fabric& fabric, int source) {
  const Source& at = sources_[source];
  for (Mask left = at.vcs; left != 0;) {
    const int vc = first_after(left, at.last);
    left &= ~bit(vc);
    const Packet& packet = fabric.packets[at.queues[vc].first];
    const int target = target_of(source, packet);
    if (!targets_[target].busy && has_room(fabric, target, vc_at(target, packet), packet.flits)) {
      return vc;
    }
  }
  return -1;
}

void HierarchicalSwitch::match(Fabric& fabric) {
  bool again = false;
  for (int source = 0; source < count(sources_); ++source) {
    const Source& at = sources_[source];
    proposed_[source] = at.busy || at.vcs == 0 ? -1 : propose(fabric, source);
    if (proposed_[source] < 0) {
      continue;
    }
    Target& to = targets_[target_of(source, fabric.packets[at.queues[proposed_[source]].first])];
    again = again || to.proposal >= 0;
    if (to.proposal < 0 || turn(source, to.last) < turn(to.proposal, to.last)) {
      to.proposal = source;
    }
  }
  for (int target = 0; target < count(targets_); ++target) {
    Target& to = targets_[target];
    if (to.proposal >= 0) {
      to.last = std::exchange(to.proposal, -1);
      transfer(fabric, to.last, proposed_[to.last], target);
    }
  }
  if (again) {
    want_next_match(fabric);
  }
}

// Flit i leaves a central buffer when both crossbars allow it and the wire before the input brought
// it: each of these is no later than start + i, so that no wire runs dry (see cioq.cpp).
void HierarchicalSwitch::transfer(Fabric& fabric, int source, int vc, int target) {
  const Cycle now = fabric.events.now();
  Source& from = sources_[source];
  PacketList& queue = from.queues[vc];
  const PacketId id = queue.pop(fabric.packets);
  if (queue.empty()) {
    from.vcs &= ~bit(vc);
  }
  from.last = vc;
  from.busy = true;
  Target& to = targets_[target];
  to.busy = true;
  Packet& packet = fabric.packets[id];
  const int to_vc = vc_at(target, packet);
  to.rooms[to_vc].promised += packet.flits;
  const std::uint32_t taken = flits_of(target, to_vc, now);
  if (is_port(target)) {
    output_peak_ = std::max(output_peak_, taken);
  }
  if (taken > size_of(target)) {
    throw CheckFailure(fmt::format(
        "{}: packet {} makes {} hold {} flits of {}", where(now, packet.out_port, to_vc),
        name_of(fabric.packets.record(id)),
        is_port(target) ? "the output queue" : "a central buffer", taken, size_of(target)));
  }

  const Cycle ready = now - since(packet.ready, now);
  Cycle last_read = 0;
  if (is_port(source)) {
    last_read = read_cycle(now, ready, packet.flits - 1U, config_.speedup);
    leaves(fabric, source, packet, packet.flits);
  } else {
    Target& buffer = targets_[source];
    buffer.flits = packet.flits;
    buffer.start = now;
    buffer.filled = now - since(packet.last_read, now);
    buffer.ready = ready;
    last_read = left_at(source, packet.flits) - 1;
    starts_to_leave(fabric, source, vc);
  }
  fabric.events.schedule(last_read + 1, SimEventKind::TransferEnd,
                         SimEvent::at(node_, source, 0, target));
  if (is_port(target)) {
    packet.last_read = last_read & kKept;
    fabric.events.schedule(now + config_.crossbar_latency, SimEventKind::Visible,
                           SimEvent::at(node_, packet.out_port, 0, id));
  } else {
    const Cycle later = config_.crossbar_latency + config_.central_latency;
    packet.last_read = (now + later) & kKept;
    packet.ready = (ready + later) & kKept;
    fabric.events.schedule(now + later, SimEventKind::Ready, SimEvent::at(node_, target, 0, id));
  }
}

void HierarchicalSwitch::visible(Fabric& fabric, SimEvent event) {
  egress_[event.port()].becomes_visible(fabric, event.data);
}

void HierarchicalSwitch::serve(Fabric& fabric, int out) {
  const PacketId sent = egress_[out].serve(fabric);
  if (sent == kNoPacket) {
    return;
  }
  starts_on_wire(fabric, out, sent);
  const Cycle now = fabric.events.now();
  const Packet& packet = fabric.packets[sent];
  Target& at = targets_[out];
  at.flits = packet.flits;
  at.start = now;
  at.end = egress_[out].wire_end(now, packet.flits);
  starts_to_leave(fabric, out, packet.next_vc);
}

void HierarchicalSwitch::for_each_waiting(const PacketPool& packets,
                                          const std::function<void(const Waiting&)>& visit) const {
  for (int out = 0; out < ports_; ++out) {
    egress_[out].for_each_waiting(packets,
                                  [&](PacketId id) { visit({.packet = id, .output = out}); });
  }
  for (int source = 0; source < count(sources_); ++source) {
    for (const PacketList& queue : sources_[source].queues) {
      queue.for_each(packets, [&](PacketId id) {
        const int target = target_of(source, packets[id]);
        visit({.packet = id,
               .input = is_port(source) ? source : -1,
               .output = packets[id].out_port,
               .central = is_port(source) ? -1 : source - ports_,
               .next_central = is_port(target) ? -1 : target - ports_});
      });
    }
  }
}

}  // namespace

const SwitchKind kHierarchical = {
    .name = "hierarchical",
    .grant_to_wire = [](const SwitchConfig& config) { return config.output_latency; },
    .reader = [](const SwitchConfig& config) { return config.speedup; },
    .has_output_queues = true,
    .make = [](const SwitchParts& parts) -> std::unique_ptr<Switch> {
      return std::make_unique<HierarchicalSwitch>(parts);
    },
    .has_central_buffers = true,
    .handlers = event_handlers<HierarchicalSwitch>(),
    .match = &match_switches<HierarchicalSwitch>};

}  // namespace qosarb
