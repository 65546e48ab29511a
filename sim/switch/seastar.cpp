// The SeaStar router: a queue for each virtual channel of an input, and in front of each output a
// staging buffer for each (input, virtual channel) (Cray XT paper, Sect. 1.2 and 2.1).
#include <fmt/format.h>

#include <algorithm>

#include "qosarb/switch/switch.hpp"

namespace qosarb {

namespace {

/// An output port: its staging buffers and the arbiter that chooses among them. Buffer i x vcs + v
/// has the packets that came by input i and leave by virtual channel v.
class StagedOutput final : public Sender {
 public:
  /// A packet may only be sent with credit for `longest` flits, the largest packet (Procedure 2). A
  /// host takes packets at the link's rate and no more of them than `ejection` allows.
  StagedOutput(std::string place, Index node, Index port, int inputs, int vcs,
               std::uint32_t longest, const Speedup& ejection, std::unique_ptr<Arbiter> arbiter)
      : Sender(std::move(place), node, port, inputs * vcs, std::move(arbiter)),
        lists_(heads_.size()),
        longest_(longest),
        ejection_(ejection) {
    for (int input = 0; input < inputs; ++input) {
      of_vc_ |= bit(input * vcs);
    }
    all_vcs_ = first_bits(vcs);
  }

  /// A packet that will come to `buffer` is at the input (Procedure 1).
  void stamp(Cycle now, int buffer, PacketId id, Packet& packet) {
    if (round_robin_ == nullptr) {
      reach(now);
      packet.stamp = arbiter().arrive(now, buffer, packet.age);
    }
    if (observer_ != nullptr) {
      observer_->on_stamp(now, buffer, packet.age, id);
    }
  }
  /// A packet comes to the end of `buffer`.
  void stage(Fabric& fabric, int buffer, PacketId id);
  /// Sends a PFC frame, or the packet that the arbiter chooses, if there is one. Returns it and its
  /// buffer. Errors: CheckFailure if the wire is not free.
  std::pair<PacketId, int> serve(Fabric& fabric);

  void pause_frame(Fabric& fabric, std::uint32_t frame) {
    const auto [stopped, group] = stopped_by(frame);
    paused_ = (paused_ & ~group) | (stopped & group);
    look_and_wake(fabric);
  }
  /// Credit may have come for a virtual channel.
  void look_and_wake(Fabric& fabric) {
    look_at_once(fabric);
    if (staged_ != 0) {
      wake(fabric);
    }
  }
  void wake(Fabric& fabric) {
    if (!awake_) {
      awake_ = true;
      fabric.events.schedule(std::max(fabric.events.now(), free_at_), SimEventKind::Serve, here());
    }
  }

  template <typename Visitor>
  void for_each_waiting(const PacketPool& packets, Visitor&& visit) const {
    for (int buffer = 0; buffer < count(lists_); ++buffer) {
      lists_[buffer].for_each(packets, [&](PacketId id) { visit(id, buffer); });
    }
  }

 private:
  void show_head(const PacketPool& packets, int buffer);
  /// Credits are looked at when the port may send, and by whoever keeps time whenever they change.
  void look_at_once(Fabric& fabric) {
    if (keeps_time()) {
      look_at_credits(fabric);
    }
  }
  void look_at_credits(Fabric& fabric);

  std::vector<PacketList> lists_;  ///< [buffer]
  std::uint32_t longest_;
  Speedup ejection_;
  Mask of_vc_ = 0;    ///< the buffers of virtual channel 0; those of v are v bits further on
  Mask all_vcs_ = 0;  ///< a bit for each
  Mask staged_ = 0;   ///< buffers with a packet
  Mask stopped_ = 0;  ///< buffers whose virtual channel is stopped
  bool awake_ = false;
};

void StagedOutput::show_head(const PacketPool& packets, int buffer) {
  const PacketList& list = lists_[buffer];
  Head& head = heads_[buffer];
  if (list.empty()) {
    head = Head{.stopped = head.stopped};
    staged_ &= ~bit(buffer);
    return;
  }
  const Packet& packet = packets[list.first];
  head = Head{.flits = packet.flits, .stopped = head.stopped, .stamp = packet.stamp};
  head.age = packet.age;
  staged_ |= bit(buffer);
}

void StagedOutput::stage(Fabric& fabric, int buffer, PacketId id) {
  const Cycle now = fabric.events.now();
  if (round_robin_ == nullptr) {
    reach(now);
  }
  PacketList& list = lists_[buffer];
  const bool first = list.empty();
  list.push(fabric.packets, id);
  if (first) {
    show_head(fabric.packets, buffer);
  }
  if (observer_ != nullptr) {
    const Packet& packet = fabric.packets[id];
    observer_->on_stamped_arrival(buffer, id);
    observer_->on_arrive(now, buffer, packet.flits, packet.age);
  }
  look_at_once(fabric);
  wake(fabric);
}

// Only virtual channels with credit for a largest packet compete.
void StagedOutput::look_at_credits(Fabric& fabric) {
  const Cycle now = fabric.events.now();
  Mask stopped = 0;
  for (Mask left = all_vcs_; left != 0; left &= left - 1) {
    const int vc = lowest(left);
    if ((paused_ & bit(vc)) != 0) {
      stopped |= of_vc_ << vc;
    } else if (!has_credit(fabric, vc, longest_)) {
      stopped |= of_vc_ << vc;
      if ((staged_ & (of_vc_ << vc)) != 0) {
        wait_for_credit(fabric, vc, longest_);
      }
    }
  }
  Mask changed = stopped ^ stopped_;
  if (changed == 0) {
    return;
  }
  if (round_robin_ == nullptr) {
    reach(now);
  }
  stopped_ = stopped;
  for (; changed != 0; changed &= changed - 1) {
    const int buffer = lowest(changed);
    heads_[buffer].stopped = (stopped & bit(buffer)) != 0;
    tell_stop(now, buffer, heads_[buffer].stopped);
  }
}

std::pair<PacketId, int> StagedOutput::serve(Fabric& fabric) {
  awake_ = false;
  std::pair<PacketId, int> sent = {kNoPacket, -1};
  if (frame_pending()) {
    send_frame(fabric);
  } else {
    look_at_credits(fabric);
    const Mask active = staged_ & ~stopped_;
    if (active == 0) {
      return sent;  // what is stopped wakes when that ends
    }
    const Decision decision = arbitrate(fabric, active);
    if (decision.queue < 0) {
      free_at_ = fabric.events.now() + 1;  // a table that is not strict may let this chance pass
    } else {
      sent = {lists_[decision.queue].pop(fabric.packets), decision.queue};
      show_head(fabric.packets, decision.queue);
      Packet& packet = fabric.packets[sent.first];
      if (needs_heads()) {
        packet.age = decision.age;
      }
      send(fabric, sent.first, packet);
      if (wire().to_host) {
        free_at_ = std::max(
            free_at_, fabric.events.now() +
                          divided_up(Cycle{packet.flits} * ejection_.cycles, ejection_.flits));
      }
      look_at_once(fabric);
    }
  }
  if (staged_ != 0 || frame_pending()) {
    wake(fabric);
  }
  return sent;
}

/// Packets leave the queue of an input's virtual channel in the order in which they came, whatever
/// their outputs. An input moves one packet at a time; its virtual channels take turns among those
/// whose first packet has room in its staging buffer. Nobody else competes for that room, so the
/// inputs do not see each other.
class SeastarSwitch final : public Switch {
 public:
  explicit SeastarSwitch(const SwitchParts& parts);

  void pause_frame(Fabric& fabric, int port, std::uint32_t frame) {
    output(port).pause_frame(fabric, frame);
  }
  void credit_wake(Fabric& fabric, int port, int /*queue*/) { output(port).look_and_wake(fabric); }
  void ask_for_voq(const Packet& /*packet*/, int /*in*/) const {}  // it has none
  void ready(Fabric& fabric, int in, PacketId id);
  void transfer_ends(Fabric& fabric, int in, int /*out*/) {
    free_inputs_ |= bit(in);
    inputs_[in].idle_from = fabric.events.now();
    want_input(fabric, in);
  }
  void room(Fabric& fabric, int in) { want_input(fabric, in); }
  void match(Fabric& fabric);
  void visible(Fabric& fabric, SimEvent event);
  void serve(Fabric& fabric, int out);

  void pause_upstream(Fabric& fabric, int port, int queue, bool paused) override {
    if (output(port).set_pause(queue, paused)) {
      output(port).wake(fabric);
    }
  }
  [[nodiscard]] Sender& sender(int port) override { return output(port); }
  [[nodiscard]] const Sender& sender(int port) const override { return outputs_[port]; }
  void for_each_waiting(const PacketPool& packets,
                        const std::function<void(const Waiting&)>& visit) const override;
  void append_counters(Cycle now, int port, std::vector<CounterValue>& counters) const override;

 private:
  struct Input {
    Mask vcs = 0;               ///< with a packet
    int last = 0;               ///< the virtual channel that was last
    Cycle room_event = 0;       ///< a Room event comes then
    Cycle idle_from = 0;        ///< if it is free and has packets: since then
    std::uint64_t packets = 0;  ///< granted by their outputs
    std::uint64_t waits = 0;    ///< their cycles from the one in which they may cross to the grant
    std::uint64_t stalled = 0;  ///< cycles in which it is free and none of its packets may cross
  };
  struct Staging {
    std::uint32_t promised = 0;   ///< flits of all packets that did not start on the wire
    Cycle wire_end = 0;           ///< the cycle after the last flit of the one that did
    std::uint32_t waits_for = 0;  ///< room for so many flits would let a packet in; 0: none waits
    [[nodiscard]] std::uint32_t flits(Cycle now, const Sender& wire) const {
      return promised + (wire_end > now ? wire.left(wire_end - now) : 0);
    }
  };

  [[nodiscard]] StagedOutput& output(int port) { return outputs_[port]; }
  [[nodiscard]] Staging& staging(int in, const Packet& packet) {
    return staging_[of(packet.out_port, packet.next_vc) * ports_ + in];
  }
  [[nodiscard]] const Packet& first_of(const PacketPool& packets, int in, int vc) const {
    return packets[queues_of_inputs_[of(in, vc)].first];
  }
  void want_input(Fabric& fabric, int in) {
    if ((free_inputs_ & bit(in)) != 0 && inputs_[in].vcs != 0) {
      dirty_ |= bit(in);
      want_match(fabric);
    }
  }
  void wait_for_room(Fabric& fabric, int in, Cycle when) {
    fabric.events.schedule_no_later(inputs_[in].room_event, when, SimEventKind::Room,
                                    SimEvent::at(node_, in));
  }
  /// The virtual channel whose turn it is, or -1.
  int choose(Fabric& fabric, int in);
  void transfer(Fabric& fabric, int in, int vc);

  std::vector<StagedOutput> outputs_;
  std::vector<Input> inputs_;
  std::vector<PacketList> queues_of_inputs_;  ///< [input][virtual channel]
  std::vector<Staging> staging_;              ///< [output][virtual channel][input]
  Mask free_inputs_ = 0;
  Mask dirty_ = 0;  ///< free inputs for which something changed
};

SeastarSwitch::SeastarSwitch(const SwitchParts& parts) : Switch(parts, parts.config.speedup) {
  const std::size_t n = ports_;
  const std::size_t q = queues_;
  outputs_.reserve(n);
  for (int port = 0; port < ports_; ++port) {
    outputs_.emplace_back(fmt::format("{}.port{}", place_, port), node_, port,
                          parts.arbiter_queues / queues_, queues_, max_packet_flits_,
                          config_.ejection, parts.arbiter(port));
  }
  inputs_.assign(n, {.last = queues_ - 1});
  queues_of_inputs_.resize(n * q);
  staging_.resize(n * q * n);
  free_inputs_ = first_bits(ports_);
}

void SeastarSwitch::ready(Fabric& fabric, int in, PacketId id) {
  Packet& packet = fabric.packets[id];
  output(packet.out_port).stamp(fabric.events.now(), in * queues_ + packet.next_vc, id, packet);
  PacketList& queue = queues_of_inputs_[of(in, packet.vc)];
  const bool first = queue.empty();
  queue.push(fabric.packets, id);
  if (first) {
    if (inputs_[in].vcs == 0) {
      inputs_[in].idle_from = fabric.events.now();
    }
    inputs_[in].vcs |= bit(packet.vc);
    want_input(fabric, in);
  }
}

void SeastarSwitch::match(Fabric& fabric) {
  for (; dirty_ != 0; dirty_ &= dirty_ - 1) {
    const int in = lowest(dirty_);
    const int vc = choose(fabric, in);
    if (vc >= 0) {
      inputs_[in].last = vc;
      transfer(fabric, in, vc);
    }
  }
}

int SeastarSwitch::choose(Fabric& fabric, int in) {
  const Cycle now = fabric.events.now();
  const std::uint32_t size = config_.output_queue_flits;
  const Input& input = inputs_[in];
  for (Mask left = input.vcs; left != 0; left &= left - 1) {
    staging(in, first_of(fabric.packets, in, lowest(left))).waits_for = 0;
  }
  Cycle room_when = kNever;
  for (Mask left = input.vcs; left != 0;) {
    const int vc = first_after(left, input.last);
    left &= ~bit(vc);
    const Packet& packet = first_of(fabric.packets, in, vc);
    Staging& to = staging(in, packet);
    const StagedOutput& out = outputs_[packet.out_port];
    if (to.flits(now, out) + packet.flits <= size) {
      return vc;
    }
    if (to.promised + packet.flits <= size) {  // the packet on the wire makes the room
      room_when =
          std::min(room_when, to.wire_end - out.last_cycles(size - to.promised - packet.flits));
    } else {  // a later one has to
      to.waits_for =
          to.waits_for == 0 ? packet.flits : std::min<std::uint32_t>(to.waits_for, packet.flits);
    }
  }
  if (room_when != kNever) {
    wait_for_room(fabric, in, room_when);
  }
  return -1;
}

void SeastarSwitch::transfer(Fabric& fabric, int in, int vc) {
  const Cycle now = fabric.events.now();
  PacketList& queue = queues_of_inputs_[of(in, vc)];
  const PacketId id = queue.pop(fabric.packets);
  if (queue.empty()) {
    inputs_[in].vcs &= ~bit(vc);
  }
  Packet& packet = fabric.packets[id];
  const Cycle ready = now - since(packet.ready, now);
  const Cycle last_read = read_cycle(now, ready, packet.flits - 1U, config_.speedup);
  packet.last_read = last_read & kKept;
  free_inputs_ &= ~bit(in);
  inputs_[in].stalled += now - inputs_[in].idle_from;
  fabric.events.schedule(last_read + 1, SimEventKind::TransferEnd,
                         SimEvent::at(node_, in, 0, packet.out_port));
  fabric.events.schedule(now + config_.crossbar_latency, SimEventKind::Visible,
                         SimEvent::at(node_, packet.out_port, in, id));
  Staging& to = staging(in, packet);
  to.promised += packet.flits;
  output_peak_ = std::max(output_peak_, to.flits(now, output(packet.out_port)));
  leaves(fabric, in, packet, packet.flits);
}

void SeastarSwitch::visible(Fabric& fabric, SimEvent event) {
  const int buffer = event.queue() * queues_ + fabric.packets[event.data].next_vc;
  output(event.port()).stage(fabric, buffer, event.data);
}

// The wire never runs dry, as with CIOQ: see cioq.cpp.
void SeastarSwitch::serve(Fabric& fabric, int out) {
  const auto [sent, buffer] = output(out).serve(fabric);
  if (sent == kNoPacket) {
    return;
  }
  starts_on_wire(fabric, out, sent);
  const Cycle now = fabric.events.now();
  const Packet& packet = fabric.packets[sent];
  const int in = buffer / queues_;
  ++inputs_[in].packets;
  inputs_[in].waits += since(packet.ready, now);
  Staging& from = staging(in, packet);
  from.promised -= packet.flits;
  from.wire_end = output(out).wire_end(now, packet.flits);
  if (from.waits_for != 0 && from.promised + from.waits_for <= config_.output_queue_flits) {
    wait_for_room(fabric, in,
                  from.wire_end - output(out).last_cycles(config_.output_queue_flits -
                                                          from.promised - from.waits_for));
    from.waits_for = 0;
  }
}

void SeastarSwitch::append_counters(Cycle now, int port,
                                    std::vector<CounterValue>& counters) const {
  const Input& input = inputs_[port];
  const bool stalls = (free_inputs_ & bit(port)) != 0 && input.vcs != 0;
  counters.insert(counters.end(),
                  {{"input_packets", 0, input.packets},
                   {"input_waits", 0, input.waits},
                   {"input_stalled", 0, input.stalled + (stalls ? now - input.idle_from : 0)}});
}

void SeastarSwitch::for_each_waiting(const PacketPool& packets,
                                     const std::function<void(const Waiting&)>& visit) const {
  for (int in = 0; in < ports_; ++in) {
    for (int vc = 0; vc < queues_; ++vc) {
      queues_of_inputs_[of(in, vc)].for_each(packets, [&](PacketId id) {
        visit({.packet = id,
               .input = in,
               .output = packets[id].out_port,
               .buffer = in * queues_ + packets[id].next_vc});
      });
    }
  }
  for (int out = 0; out < ports_; ++out) {
    outputs_[out].for_each_waiting(packets, [&](PacketId id, int buffer) {
      visit({.packet = id, .output = out, .buffer = buffer});
    });
  }
}

}  // namespace

const SwitchKind kSeastar = {
    .name = "seastar",
    .grant_to_wire = [](const SwitchConfig& config) { return config.output_latency; },
    .reader = [](const SwitchConfig& config) { return config.speedup; },
    .has_output_queues = true,
    .make = [](const SwitchParts& parts) -> std::unique_ptr<Switch> {
      return std::make_unique<SeastarSwitch>(parts);
    },
    .queue_per_input = true,
    .handlers = event_handlers<SeastarSwitch>(),
    .match = &match_switches<SeastarSwitch>};

}  // namespace qosarb
