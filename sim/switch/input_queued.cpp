// An input-queued switch: each output's arbiter chooses among the virtual output queues, and a
// packet goes from its input queue through the crossbar onto the wire at the link's rate.
#include <fmt/format.h>

#include <array>

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
  static void match_all(Fabric& fabric, SwitchList switches, std::uint32_t word, Mask which);

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
    using Sender::ask_for_credit;
    using Sender::keeps_time;
    using Sender::needs_heads;
    using Sender::paused_;
    using Sender::put_on_wire;
    using Sender::stamps;
    using Sender::take_credit;
    using Sender::take_or_fail;
    void ask_for_memory() const {
      const auto* const at = static_cast<const std::byte*>(static_cast<const void*>(this));
      for (int line = 0; line < 3; ++line) {
        __builtin_prefetch(at + 64 * line);
      }
    }
    void ask_for_heads() const {
      ask_for_decision();
      for (std::size_t queue = 0; queue < heads_.size(); queue += 64 / sizeof(Head)) {
        __builtin_prefetch(&heads_[queue]);
      }
    }
    void stamp(Cycle now, Packet& packet) {
      if (stamps()) {
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
  /// A packet that goes from one input to one output in this cycle.
  struct Grant {
    Output* to;
    PacketId id;
  };
  /// Those of several switches: they are matched first, then all their packets sent.
  class Grants {
   public:
    [[nodiscard]] bool has_room_for(int ports) const { return size_ + ports <= all_.size(); }
    void add(const Grant& grant) { all_[size_++] = grant; }
    void send(Fabric& fabric);

   private:
    std::array<Grant, 8 * kMaxRadix> all_;  // not filled: there are few
    std::size_t size_ = 0;
  };
  /// A match() under way.
  struct Matching {
    Mask inputs = 0;       ///< still free in this cycle
    bool granted = false;  ///< a packet is on its way
    bool stopped = false;  ///< a packet that had its turn lacked credit or was paused
    bool again = false;    ///< another match is due in the next cycle
  };
  bool match(Fabric& fabric, int first, Grants& grants);
  // In large networks memory is asked for before match() needs it: first for what it finds without
  // following a pointer, then for where that leads.
  void ask_for_lanes() const;
  void ask_for_outputs() const;
  void ask_for_candidates(const PacketPool& packets) const;
  /// visit(output, virtual channel, id) of each packet that an output would see if all inputs that
  /// are free now were so at its turn.
  void for_each_candidate(auto&& visit) const;
  void send_frames(Fabric& fabric);
  // What is rare or long takes the matching as a value, so that it stays in registers elsewhere.
  Matching choose(Fabric& fabric, Matching at, int out, Grants& grants);
  void choose_only(Fabric& fabric, Matching& at, int out, int vc, Output& to, Grants& grants);
  void grant(Fabric& fabric, Matching& at, Lane lane, int in, int vc, int out, PacketId id,
             Packet& packet, std::uint32_t flits, Output& to, Grants& grants);

  Mask all_ports_ = 0;
  Mask free_inputs_ = 0;
  Mask free_outputs_ = 0;
  Mask frames_ = 0;      ///< outputs with a PFC frame to send
  bool stamps_ = false;  ///< an output's arbiter does
  std::vector<Output> outputs_;
  std::vector<int> candidate_;  ///< [queue]: the input whose packet the arbiter sees
};

InputQueuedSwitch::InputQueuedSwitch(const SwitchParts& parts) : Switch(parts, Speedup{1, 1}) {
  outputs_.reserve(ports_);
  for (int port = 0; port < ports_; ++port) {
    outputs_.emplace_back(fmt::format("{}.port{}", place_, port), node_, port, queues_,
                          parts.arbiter(port));
    stamps_ = stamps_ || outputs_.back().stamps();
  }
  candidate_.resize(queues_);
  all_ports_ = first_bits(ports_);
  free_inputs_ = all_ports_;
  free_outputs_ = all_ports_;
}

void InputQueuedSwitch::pause_frame(Fabric& fabric, int port, std::uint32_t frame) {
  const auto [stopped, group] = Sender::stopped_by(frame);
  Output& out = output(port);
  out.paused_ = (out.paused_ & ~group) | (stopped & group);
  look_at(fabric, port);
}

// The outputs choose one after the other; `first`, the one that does so first, is the cycle's
// number modulo the ports. True if they have to do so again in the next cycle.
[[gnu::always_inline]] inline bool InputQueuedSwitch::match(Fabric& fabric, int first,
                                                            Grants& grants) {
  if (frames_ != 0) [[unlikely]] {
    send_frames(fabric);
  }
  Matching at{.inputs = free_inputs_};
  const Mask outs = request_outputs_ & free_outputs_;
  // Turned so that the output that chooses first is bit 0: one loop, as its end is hard to
  // foretell.
  Mask left = (outs >> first | outs << 1U << (ports_ - 1 - first)) & all_ports_;
  for (; left != 0; left &= left - 1) {
    const int place = first + lowest(left);
    const int out = place < ports_ ? place : place - ports_;
    const Mask wanting = out_queues_[out];
    Output& to = outputs_[out];
    if ((wanting & (wanting - 1)) != 0 || to.needs_heads()) {
      at = choose(fabric, at, out, grants);
    } else {
      choose_only(fabric, at, out, lowest(wanting), to, grants);
    }
  }
  // Where a packet that is stopped had its turn, its input may have gone to another output since.
  return (at.again | (at.granted & at.stopped)) & (request_outputs_ != 0);
}

void InputQueuedSwitch::ask_for_lanes() const {
  for (Mask left = request_outputs_ & free_outputs_; left != 0; left &= left - 1) {
    const int out = lowest(left);
    outputs_[out].ask_for_memory();
    for (Mask vcs = out_queues_[out]; vcs != 0; vcs &= vcs - 1) {
      __builtin_prefetch(&lane(out, lowest(vcs)).inputs());
    }
  }
}

void InputQueuedSwitch::ask_for_outputs() const {
  for_each_candidate([this](int out, int vc, const PacketId& first) {
    outputs_[out].ask_for_credit(vc);
    __builtin_prefetch(&first);
  });
  for (Mask left = request_outputs_ & free_outputs_; left != 0; left &= left - 1) {
    outputs_[lowest(left)].ask_for_heads();
  }
}

void InputQueuedSwitch::ask_for_candidates(const PacketPool& packets) const {
  for_each_candidate(
      [&packets](int /*out*/, int /*vc*/, const PacketId& first) { packets.ask_for(first); });
}

void InputQueuedSwitch::for_each_candidate(auto&& visit) const {
  for (Mask left = request_outputs_ & free_outputs_; left != 0; left &= left - 1) {
    const int out = lowest(left);
    for (Mask vcs = out_queues_[out]; vcs != 0; vcs &= vcs - 1) {
      const int vc = lowest(vcs);
      const Lane lane = this->lane(out, vc);
      const Mask inputs = lane.inputs() & free_inputs_;
      if (inputs != 0) {
        visit(out, vc, lane.queue(first_after(inputs, lane.connected())).first);
      }
    }
  }
}

void InputQueuedSwitch::match_all(Fabric& fabric, SwitchList switches, std::uint32_t word,
                                  Mask which) {
  Grants grants;
  Mask again = 0;
  if (fabric.large) [[unlikely]] {
    const auto each = [&](auto&& ask) {
      for (Mask left = which; left != 0; left &= left - 1) {
        ask(static_cast<const InputQueuedSwitch&>(*switches[64 * word + lowest(left)]));
      }
    };
    each([](const auto& at) { at.ask_for_lanes(); });
    each([](const auto& at) { at.ask_for_outputs(); });
    each([&](const auto& at) { at.ask_for_candidates(fabric.packets); });
  }
  int ports = 1;
  int first_output = 0;
  for (; which != 0; which &= which - 1) {
    auto& at = static_cast<InputQueuedSwitch&>(*switches[64 * word + lowest(which)]);
    if (at.ports_ != ports) [[unlikely]] {
      ports = at.ports_;
      first_output = static_cast<int>(fabric.events.now() % ports);
    }
    if (!grants.has_room_for(ports)) [[unlikely]] {
      grants.send(fabric);
    }
    again |= which & -which & -Mask{at.match(fabric, first_output, grants)};
  }
  grants.send(fabric);
  fabric.events.match_next(word, again);
}

// The first packet that came by `in` for `vc` of `out`, whose lane that is and whose credits are
// taken.
[[gnu::always_inline]] inline void InputQueuedSwitch::grant(Fabric& fabric, Matching& at, Lane lane,
                                                            int in, int vc, int out, PacketId id,
                                                            Packet& packet, std::uint32_t flits,
                                                            Output& to, Grants& grants) {
  grants.add({&to, id});
  at.inputs ^= bit(in);
  at.granted = true;
  lane.connected() = in;
  pop(packet, lane, in, vc, out);
  if (flits == 1) {
    at.again = true;
    if (slow_links_ != 0) [[unlikely]] {
      free_outputs_ &= ~(bit(out) & slow_links_);
    }
  } else {
    free_inputs_ ^= bit(in);
    free_outputs_ ^= bit(out);
    fabric.events.schedule(fabric.events.now() + flits, SimEventKind::TransferEnd,
                           SimEvent::at(node_, in, 0, out));
  }
  no_longer_waits(fabric, out, packet);
  leaves<false>(fabric, in, packet, flits);
}

inline void InputQueuedSwitch::Grants::send(Fabric& fabric) {
  fabric.packet_hops += size_;
  for (std::size_t i = 0; i < size_; ++i) {
    const auto [to, id] = all_[i];
    if (!to->put_on_wire(fabric, id, fabric.packets[id])) [[unlikely]] {
      fabric.events.schedule(to->free_at(), SimEventKind::Room, to->here());
    }
  }
  size_ = 0;
}

// Of an output with packets in one virtual channel, where the arbiter needs no heads.
[[gnu::always_inline]] inline void InputQueuedSwitch::choose_only(Fabric& fabric, Matching& at,
                                                                  int out, int vc, Output& to,
                                                                  Grants& grants) {
  const Lane lane = this->lane(out, vc);
  const Mask inputs = lane.inputs() & at.inputs;
  if (inputs == 0) {
    return;
  }
  const int in = first_after(inputs, lane.connected());
  const PacketId id = lane.queue(in).first;
  Packet& packet = fabric.packets[id];
  const std::uint32_t flits = packet.flits;
  if (to.paused_ != 0 && (to.paused_ & bit(vc)) != 0) {
    at.stopped = true;
  } else if (!to.take_credit(fabric, vc, flits)) {
    to.wait_for_credit(fabric, vc, flits);
    at.stopped = true;
  } else {
    to.arbitrate_only(fabric, vc);
    grant(fabric, at, lane, in, vc, out, id, packet, flits, to, grants);
  }
}

void InputQueuedSwitch::send_frames(Fabric& fabric) {
  for (Mask left = frames_ & free_outputs_; left != 0; left &= left - 1) {
    const int out = lowest(left);
    Output& to = outputs_[out];
    if (to.frame_pending()) {
      to.send_frame(fabric);
      free_outputs_ ^= bit(out);
      fabric.events.schedule(to.free_at(), SimEventKind::Room, SimEvent::at(node_, out));
    }
    if (!to.frame_pending()) {
      frames_ ^= bit(out);
    }
  }
}

[[gnu::noinline]] InputQueuedSwitch::Matching InputQueuedSwitch::choose(Fabric& fabric, Matching at,
                                                                        int out, Grants& grants) {
  Output& to = outputs_[out];
  Mask queues = 0;
  Mask active = 0;
  for (Mask left = out_queues_[out]; left != 0; left &= left - 1) {
    const int vc = lowest(left);
    const Lane lane = this->lane(out, vc);
    const Mask inputs = lane.inputs() & at.inputs;
    if (inputs == 0) {
      continue;
    }
    const int in = first_after(inputs, lane.connected());
    candidate_[vc] = in;
    queues |= bit(vc);
    if ((to.paused_ & bit(vc)) != 0) {
      continue;
    }
    const std::uint32_t flits = fabric.packets[lane.queue(in).first].flits;
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
    to.show(fabric.events.now(), queues, active, candidate_, [&](int in, int vc) -> const Packet& {
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
  const Lane lane = this->lane(out, decision.queue);
  const PacketId id = lane.queue(in).first;
  Packet& packet = fabric.packets[id];
  if (to.needs_heads()) {
    packet.age = decision.age;
  }
  to.take_or_fail(fabric, id, packet);
  grant(fabric, at, lane, in, decision.queue, out, id, packet, packet.flits, to, grants);
  return at;
}

void InputQueuedSwitch::Output::show(Cycle now, Mask queues, Mask active,
                                     const std::vector<int>& inputs, auto&& packet) {
  if (keeps_time()) {
    reach(now);  // until now they stood as they were
  }
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
    .handlers = event_handlers<InputQueuedSwitch>(),
    .match = &InputQueuedSwitch::match_all};

}  // namespace qosarb
