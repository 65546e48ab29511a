// An input-queued switch: each output's arbiter chooses among the virtual output queues, and a
// packet goes from its input queue through the crossbar onto the wire at the link's rate.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "qosarb/config/check_failure.hpp"
#include "qosarb/switch/switch.hpp"

namespace qosarb {

namespace {

/// The crossbar's allocation: in each cycle the free outputs choose one after the other among the
/// inputs that are still free; the output that chooses first moves on by one each cycle. What an
/// arbiter sees of a virtual channel is the packet of one input: inputs take turns, and one whose
/// packet lacks credit keeps its turn. So every decision is final, as an arbiter that keeps
/// accounts needs.
class InputQueuedSwitch final : public Switch {
 public:
  explicit InputQueuedSwitch(const SwitchParts& parts);

  void pause_frame(Fabric& fabric, int port, std::uint32_t frame);
  void credit_wake(Fabric& fabric, int port, int /*queue*/) { look_at(fabric, port); }
  void transfer_ends(Fabric& fabric, int in, int out) {
    free_inputs_ |= bit(in);
    free_outputs_ |= bit(out) & ~slow_links_;  // those come when their wire is free
    look(fabric);
  }
  void room(Fabric& fabric, int out) {
    free_outputs_ |= bit(out);
    look(fabric);
  }
  void ready(Fabric& fabric, int port, PacketId id) {
    Packet& packet = fabric.packets[id];
    const bool first = enter(fabric, port, id, packet);
    if (stamps_) {
      output(packet.out_port).stamp(fabric.events.now(), packet);
    }
    want_match(fabric, first & is_free(packet.out_port));
  }
  void match(Fabric& fabric);

  void pause_upstream(Fabric& fabric, int port, int queue, bool paused) override {
    if (output(port).set_pause(queue, paused)) {
      frames_ |= bit(port);
      look(fabric);
    }
  }
  [[nodiscard]] Sender& sender(int port) override { return output(port); }
  [[nodiscard]] const Sender& sender(int port) const override { return outputs_[port]; }

 private:
  class Output final : public Sender {
   public:
    using Sender::Sender;

    /// The heads become those of `queues`; those of the others are empty.
    void show(Cycle now, Mask queues, Mask active, const std::vector<int>& inputs, auto&& packet);
    /// The packet that `queue` showed has gone; the one behind it is seen at the next choice.
    void take(int queue) {
      heads_[queue] = Head{};
      shown_ &= ~bit(queue);
    }
    using Sender::arbitrate;
    using Sender::arbitrate_only;
    using Sender::needs_heads;
    using Sender::paused_;
    using Sender::put_on_wire;
    using Sender::take_credit;
    using Sender::take_or_fail;
    void stamp(Cycle now, Packet& packet) {
      if (needs_heads()) {
        reach(now);
        packet.stamp = arbiter().arrive(now, packet.next_vc, packet.age);
      }
    }

   private:
    Mask shown_ = 0;
  };

  [[nodiscard]] Output& output(int port) { return outputs_[port]; }
  void look(Fabric& fabric) {
    want_match(fabric, ((request_outputs_ | frames_) & free_outputs_) != 0);
  }
  void look_at(Fabric& fabric, int out) { want_match(fabric, is_free(out)); }
  [[nodiscard]] bool is_free(int out) const { return (free_outputs_ >> out & 1U) != 0; }
  /// The output that chooses first.
  int first_output(Cycle now) {
    if (now == first_at_ + 1) [[likely]] {
      first_ = first_ + 1 == ports_ ? 0 : first_ + 1;
    } else {
      first_ = static_cast<int>(now % ports_);
    }
    first_at_ = now;
    return first_;
  }
  /// A match() under way.
  struct Matching {
    Cycle now = 0;
    Mask inputs = 0;       ///< still free in this cycle
    bool granted = false;  ///< a packet is on its way
    bool stopped = false;  ///< a packet that had its turn lacked credit or was paused
    bool again = false;    ///< another match is due in the next cycle
  };
  // What is rare or long takes the matching as a value, so that it stays in registers elsewhere.
  Matching send_frame(Fabric& fabric, Matching at, int out, Output& to);
  Matching choose(Fabric& fabric, Matching at, int out, Output& to);
  void choose_only(Fabric& fabric, Matching& at, int out, int vc, Output& to);
  void send(Fabric& fabric, Matching& at, PacketList& voq, Lane& lane, int in, int vc, int out,
            Output& to);

  std::vector<Output> outputs_;
  Mask all_ports_ = 0;
  Mask free_inputs_ = 0;
  Mask free_outputs_ = 0;
  Mask frames_ = 0;  ///< outputs with a PFC frame to send
  int first_ = 0;    ///< the output that chose first in cycle first_at_
  Cycle first_at_ = 0;
  bool stamps_ = false;         ///< an output's arbiter is told of packets that arrive
  std::vector<int> candidate_;  ///< [queue]: the input whose packet the arbiter sees
};

InputQueuedSwitch::InputQueuedSwitch(const SwitchParts& parts) : Switch(parts, Speedup{1, 1}) {
  outputs_.reserve(ports_);
  for (int port = 0; port < ports_; ++port) {
    outputs_.emplace_back(fmt::format("{}.port{}", place_, port), node_, port, queues_,
                          parts.arbiter(port));
    stamps_ = stamps_ || outputs_.back().needs_heads();
  }
  candidate_.resize(queues_);
  all_ports_ = ports_ == kMaxRadix ? ~Mask{0} : bit(ports_) - 1;
  free_inputs_ = all_ports_;
  free_outputs_ = all_ports_;
}

void InputQueuedSwitch::pause_frame(Fabric& fabric, int port, std::uint32_t frame) {
  const auto [stopped, group] = Sender::stopped_by(frame);
  Output& out = output(port);
  out.paused_ = (out.paused_ & ~group) | (stopped & group);
  look_at(fabric, port);
}

void InputQueuedSwitch::match(Fabric& fabric) {
  Matching at{.now = fabric.events.now(), .inputs = free_inputs_};
  const Mask outs = (request_outputs_ | frames_) & free_outputs_;
  // Turned so that the output that chooses first is bit 0.
  const int first = first_output(at.now);
  Mask left = (outs >> first | outs << 1U << (ports_ - 1 - first)) & all_ports_;
  for (; left != 0; left &= left - 1) {
    const int place = first + lowest(left);
    const int out = place < ports_ ? place : place - ports_;
    Output& to = outputs_[out];
    const Mask wanting = port_[out].queues;
    if (frames_ != 0 && (frames_ & bit(out)) != 0 && to.frame_pending()) [[unlikely]] {
      at = send_frame(fabric, at, out, to);
    } else if ((wanting & (wanting - 1)) != 0 || to.needs_heads()) {
      at = choose(fabric, at, out, to);
    } else if (wanting != 0) {
      choose_only(fabric, at, out, lowest(wanting), to);
    }
  }
  // Where a packet that is stopped had its turn, its input may have gone to another output since.
  const bool again = at.again || (at.granted && at.stopped);
  want_next_match(fabric, again && (request_outputs_ | frames_) != 0);
}

// The first packet of `voq`, that of `in` for `vc` of `out`, whose credits are taken.
[[gnu::always_inline]] inline void InputQueuedSwitch::send(Fabric& fabric, Matching& at,
                                                           PacketList& voq, Lane& lane, int in,
                                                           int vc, int out, Output& to) {
  lane.connected = in;
  PacketId id = kNoPacket;
  pop(fabric.packets, voq, lane, in, vc, out, id);
  Packet& packet = fabric.packets[id];
  at.inputs ^= bit(in);
  at.granted = true;
  if (packet.flits == 1) {
    at.again = true;
  } else {
    free_inputs_ ^= bit(in);
    free_outputs_ ^= bit(out);
    fabric.events.schedule(at.now + packet.flits, SimEventKind::TransferEnd,
                           SimEvent::at(node_, in, 0, out));
  }
  ++fabric.packet_hops;
  no_longer_waits(fabric, out, packet);
  leaves(fabric, in, packet);
  to.put_on_wire(fabric, id, packet);
  if ((slow_links_ & bit(out)) != 0) [[unlikely]] {
    free_outputs_ &= ~bit(out);
    fabric.events.schedule(to.free_at(), SimEventKind::Room, SimEvent::at(node_, out));
  }
}

// Of an output with packets in one virtual channel, where the arbiter needs no heads.
[[gnu::always_inline]] inline void InputQueuedSwitch::choose_only(Fabric& fabric, Matching& at,
                                                                  int out, int vc, Output& to) {
  const std::size_t place = of(out, vc);
  Lane& lane = lanes_[place];
  const Mask inputs = lane.inputs & at.inputs;
  if (inputs == 0) {
    return;
  }
  const int in = first_after(inputs, lane.connected);
  PacketList& voq = voq_of(place, in);
  const std::uint32_t flits = fabric.packets[voq.first].flits;
  if ((to.paused_ & bit(vc)) != 0) {
    at.stopped = true;
  } else if (!to.take_credit(fabric, vc, flits)) {
    to.wait_for_credit(fabric, vc, flits);
    at.stopped = true;
  } else {
    to.arbitrate_only(fabric, vc);
    send(fabric, at, voq, lane, in, vc, out, to);
  }
}

[[gnu::noinline]] InputQueuedSwitch::Matching InputQueuedSwitch::send_frame(Fabric& fabric,
                                                                            Matching at, int out,
                                                                            Output& to) {
  to.send_frame(fabric);
  if (!to.frame_pending()) {
    frames_ &= ~bit(out);
  }
  free_outputs_ ^= bit(out);
  fabric.events.schedule(to.free_at(), SimEventKind::Room, SimEvent::at(node_, out));
  return at;
}

[[gnu::noinline]] InputQueuedSwitch::Matching InputQueuedSwitch::choose(Fabric& fabric, Matching at,
                                                                        int out, Output& to) {
  Mask queues = 0;
  Mask active = 0;
  const Lane* const lanes = &lanes_[of(out, 0)];
  for (Mask left = port_[out].queues; left != 0; left &= left - 1) {
    const int vc = lowest(left);
    const Mask inputs = lanes[vc].inputs & at.inputs;
    if (inputs == 0) {
      continue;
    }
    const int in = first_after(inputs, lanes[vc].connected);
    candidate_[vc] = in;
    queues |= bit(vc);
    if ((to.paused_ & bit(vc)) != 0) {
      continue;
    }
    const std::uint32_t flits = first_packet(fabric.packets, in, vc, out).flits;
    if (to.has_credit(fabric, vc, flits)) [[likely]] {
      active |= bit(vc);
    } else {
      to.wait_for_credit(fabric, vc, flits);
    }
  }
  at.stopped = at.stopped || active != queues;
  if (active == 0) {
    return at;
  }
  Decision decision;
  if (!to.needs_heads()) {
    decision.queue = to.arbitrate(fabric, active).queue;
  } else {
    to.show(at.now, queues, active, candidate_, [&](int in, int vc) -> const Packet& {
      return first_packet(fabric.packets, in, vc, out);
    });
    decision = to.arbitrate(fabric, active);
    if (decision.queue < 0) {
      at.again = true;  // a table that is not strict may let this chance pass
      return at;
    }
    to.take(decision.queue);
  }
  const int in = candidate_[decision.queue];
  const std::size_t place = of(out, decision.queue);
  PacketList& voq = voq_of(place, in);
  Packet& packet = fabric.packets[voq.first];
  if (to.needs_heads()) {
    packet.age = decision.age;
  }
  to.take_or_fail(fabric, voq.first, packet);
  send(fabric, at, voq, lanes_[place], in, decision.queue, out, to);
  return at;
}

void InputQueuedSwitch::Output::show(Cycle now, Mask queues, Mask active,
                                     const std::vector<int>& inputs, auto&& packet) {
  reach(now);  // until now they stood as they were
  for (Mask left = shown_ & ~queues; left != 0; left &= left - 1) {
    heads_[lowest(left)] = Head{};
  }
  for (Mask left = queues; left != 0; left &= left - 1) {
    const int vc = lowest(left);
    const Packet& first = packet(inputs[vc], vc);
    heads_[vc] =
        Head{.flits = first.flits, .stopped = (active & left & -left) == 0, .stamp = first.stamp};
    heads_[vc].age = first.age;
  }
  shown_ = queues;
}

}  // namespace

const SwitchKind kInputQueued = {
    .name = "input-queued",
    .grant_to_wire =
        [](const SwitchConfig& config) { return config.crossbar_latency + config.output_latency; },
    .reader =
        [](const SwitchConfig& /*config*/) {
          return Speedup{1, 1};
        },
    .has_output_queues = false,
    .make = [](const SwitchParts& parts) -> std::unique_ptr<Switch> {
      return std::make_unique<InputQueuedSwitch>(parts);
    },
    .handle = &handle_events<InputQueuedSwitch>,
    .match = &match_switches<InputQueuedSwitch>};

}  // namespace qosarb
