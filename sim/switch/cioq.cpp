// A CIOQ switch: a crossbar with speedup moves packets from virtual output queues to output queues
// in front of an arbitrated port (BXIv3 paper, Sect. 2.1, 4.1).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "qosarb/config/check_failure.hpp"
#include "qosarb/switch/switch.hpp"

namespace qosarb {

namespace {

class CioqSwitch final : public Switch {
 public:
  explicit CioqSwitch(const SwitchParts& parts);

  void pause_frame(Fabric& fabric, int port, std::uint32_t frame) {
    egress(port).pause_frame(fabric, frame);
  }
  void credit_wake(Fabric& fabric, int port, int queue) { egress(port).credit_wake(fabric, queue); }
  void ready(Fabric& fabric, int port, PacketId id);
  void transfer_ends(Fabric& fabric, int in, int out);
  void room(Fabric& fabric, int out) { want_outputs(fabric, bit(out)); }
  void match(Fabric& fabric);
  void ask_for_memory(int port) const { egress_[port].ask_for_memory(); }
  void ask_for_queues(int port) const {
    egress_[port].ask_for_queues();
    __builtin_prefetch(&output_queues_[of(port, 0)]);
  }
  void ask_for_packets(const PacketPool& packets, int port) const {
    egress_[port].ask_for_packets(packets);
  }
  void visible(Fabric& fabric, SimEvent event);
  void serve(Fabric& fabric, int out);

  void pause_upstream(Fabric& fabric, int port, int queue, bool paused) override {
    egress(port).pause_upstream(fabric, queue, paused);
  }
  [[nodiscard]] Sender& sender(int port) override { return egress(port); }
  [[nodiscard]] const Sender& sender(int port) const override { return egress_[port]; }
  void for_each_waiting(const PacketPool& packets,
                        const std::function<void(const Waiting&)>& visit) const override;

 private:
  /// One virtual channel of one output port.
  struct OutputQueue {
    Cycle wire_end = 0;           ///< the cycle after the last flit of the packet on the wire
    std::uint32_t promised = 0;   ///< flits of all packets that did not start on it
    std::uint32_t waits_for = 0;  ///< room for so many flits would let a packet in; 0: none waits
  };
  // A port as what the matching sees. The last connected of anything comes last in its next turn;
  // besides these there is Lane::connected.
  struct Input {
    Mask granted_by = 0;  ///< outputs that grant it in this iteration
    int last_queue = 0;   ///< that was connected
  };
  struct Output {
    Cycle room_at = 0;      ///< a Room event comes then
    int last_queue = 0;     ///< that was connected
    int granted_queue = 0;  ///< that it grants in this iteration
  };
  struct Request {
    int queue = -1;
    int input = -1;
  };

  [[nodiscard]] Egress& egress(int port) { return egress_[port]; }
  /// Flits in a queue of output `out`, or promised to it.
  [[nodiscard]] std::uint32_t flits_in(const OutputQueue& queue, int out, Cycle now) const {
    const auto cycles = static_cast<std::uint32_t>(queue.wire_end > now ? queue.wire_end - now : 0);
    return queue.promised + (slow_links_ == 0 ? cycles : egress_[out].left(cycles));
  }
  void want_outputs(Fabric& fabric, Mask outputs);
  Request grant(Fabric& fabric, int out);
  [[nodiscard]] int accept(int in, Mask granted_by) const;
  void wait_for_room(Fabric& fabric, int out, Cycle when);
  void transfer(Fabric& fabric, int in, int queue, int out);

  std::vector<Egress> egress_;
  std::vector<OutputQueue> output_queues_;  ///< [port][queue]
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  /// [flits]: cycles from the start of a transfer until the last one is read, if all are there.
  std::vector<std::uint32_t> last_step_;
  std::vector<int> last_output_;     ///< [input][queue]: that was connected
  std::vector<Mask> asked_outputs_;  ///< [input][queue]: outputs with a request from it
  Mask free_inputs_ = 0;
  Mask free_outputs_ = 0;
  Mask dirty_ = 0;  ///< outputs for which something changed since the last matching
};

CioqSwitch::CioqSwitch(const SwitchParts& parts) : Switch(parts, parts.config.speedup) {
  const std::size_t n = ports_;
  const std::size_t q = queues_;
  egress_.reserve(n);
  for (int port = 0; port < ports_; ++port) {
    egress_.emplace_back(fmt::format("{}.port{}", place_, port), node_, port, queues_,
                         parts.arbiter(port));
  }
  output_queues_.resize(n * q);
  inputs_.assign(n, {.last_queue = queues_ - 1});
  outputs_.assign(n, {.last_queue = queues_ - 1});
  last_output_.assign(n * q, ports_ - 1);
  asked_outputs_.assign(n * q, 0);
  for (std::uint32_t flits = 0; flits <= max_packet_flits_; ++flits) {
    const Cycle begin = flits;  // all flits are there by then
    last_step_.push_back(
        flits == 0 ? 0 : (read_cycle(begin, 0, flits - 1, config_.speedup) - begin) & kKept);
  }
  free_inputs_ = first_bits(ports_);
  free_outputs_ = free_inputs_;
}

// Without a branch, as nothing would foretell which way it goes; transfer_ends() the same.
void CioqSwitch::ready(Fabric& fabric, int in, PacketId id) {
  Packet& packet = fabric.packets[id];
  const bool first = enter(fabric, in, id, packet);
  const int out = packet.out_port;
  asked_outputs_[of(in, packet.next_vc)] |= bit(out);
  want_outputs(fabric, (Mask{first} & free_inputs_ >> in) << out);
}

// Only outputs that are free now: a busy one comes again when its transfer ends.
void CioqSwitch::want_outputs(Fabric& fabric, Mask outputs) {
  outputs &= free_outputs_;
  dirty_ |= outputs;
  want_match(fabric, outputs != 0);
}

void CioqSwitch::transfer_ends(Fabric& fabric, int in, int out) {
  free_inputs_ |= bit(in);
  free_outputs_ |= bit(out);
  Mask wanted = Mask{out_queues_[out] != 0} << out;
  for (int queue = 0; queue < queues_; ++queue) {
    wanted |= asked_outputs_[of(in, queue)];
  }
  want_outputs(fabric, wanted);
}

// The request that a free output grants: the queues take turns, and within a queue the inputs.
// Eligible is who has a free input, a packet that may cross, and room for all of it.
CioqSwitch::Request CioqSwitch::grant(Fabric& fabric, int out) {
  const Cycle now = fabric.events.now();
  Cycle room_when = kNever;
  Mask queues = out_queues_[out];
  while (queues != 0) {
    const int queue = first_after(queues, outputs_[out].last_queue);
    queues &= ~bit(queue);
    OutputQueue& to = output_queues_[of(out, queue)];
    to.waits_for = 0;
    const Lane lane = this->lane(out, queue);
    Mask inputs = lane.inputs() & free_inputs_;
    if (inputs == 0) {
      continue;
    }
    const std::uint32_t room = config_.output_queue_flits - flits_in(to, out, now);
    if (room < max_packet_flits_) {
      std::uint32_t least = ~std::uint32_t{0};
      for (Mask left = inputs; left != 0; left &= left - 1) {
        const std::uint32_t flits = fabric.packets[lane.queue(lowest(left)).first].flits;
        if (flits > room) {
          inputs &= ~(left & -left);
          least = std::min(least, flits);
        }
      }
      if (inputs == 0) {
        // Either the packet on the wire makes the room, or a later one has to.
        if (to.promised + least <= config_.output_queue_flits) {
          const std::uint32_t spare = config_.output_queue_flits - to.promised - least;
          room_when = std::min(room_when, to.wire_end - egress_[out].last_cycles(spare));
        } else {
          to.waits_for = least;
        }
        continue;
      }
    }
    const int in = first_after(inputs, lane.connected());
    fabric.packets.ask_for(lane.queue(in).first);
    ask_for_input(in, queue);  // the packet mostly came by the virtual channel that it goes by
    return {queue, in};
  }
  if (room_when != kNever) {
    wait_for_room(fabric, out, room_when);
  }
  return {};
}

void CioqSwitch::wait_for_room(Fabric& fabric, int out, Cycle when) {
  fabric.events.schedule_no_later(outputs_[out].room_at, when, SimEventKind::Room,
                                  SimEvent::at(node_, out));
}

// iSLIP over packets: free outputs grant, inputs accept, until no pair is left. What is left then
// cannot be connected before something changes, so cycles without a change need no matching.
// Pointers move only for what the first iteration connects, so that nobody starves.
void CioqSwitch::match(Fabric& fabric) {
  Mask outputs = dirty_ & free_outputs_;
  dirty_ = 0;
  for (bool first = true; outputs != 0; first = false) {
    Mask inputs = 0;
    for (Mask left = outputs; left != 0; left &= left - 1) {
      const int out = lowest(left);
      const Request request = grant(fabric, out);
      if (request.input < 0) {
        outputs &= ~bit(out);
        continue;
      }
      inputs |= bit(request.input);
      inputs_[request.input].granted_by |= bit(out);
      outputs_[out].granted_queue = request.queue;
    }
    for (Mask left = inputs; left != 0; left &= left - 1) {
      const int in = lowest(left);
      const int out = accept(in, std::exchange(inputs_[in].granted_by, 0));
      const int queue = outputs_[out].granted_queue;
      if (first) {
        inputs_[in].last_queue = queue;
        last_output_[of(in, queue)] = out;
        outputs_[out].last_queue = queue;
        lane(out, queue).connected() = in;
      }
      outputs &= ~bit(out);
      transfer(fabric, in, queue, out);
    }
  }
}

// The output that input `in` accepts of those that grant it: the queues take turns, and within a
// queue the outputs.
int CioqSwitch::accept(int in, Mask granted_by) const {
  if ((granted_by & (granted_by - 1)) == 0) {
    return lowest(granted_by);
  }
  Mask queues = 0;
  for (Mask left = granted_by; left != 0; left &= left - 1) {
    queues |= bit(outputs_[lowest(left)].granted_queue);
  }
  const int queue = first_after(queues, inputs_[in].last_queue);
  Mask offers = 0;
  for (Mask left = granted_by; left != 0; left &= left - 1) {
    offers |= outputs_[lowest(left)].granted_queue == queue ? left & -left : 0;
  }
  return first_after(offers, last_output_[of(in, queue)]);
}

void CioqSwitch::transfer(Fabric& fabric, int in, int queue, int out) {
  const Cycle now = fabric.events.now();
  const Lane lane = this->lane(out, queue);
  const PacketId id = lane.queue(in).first;
  Packet& packet = fabric.packets[id];
  asked_outputs_[of(in, queue)] ^= Mask{pop(packet, lane, in, queue, out)} << out;
  const Cycle ready = now - since(packet.ready, now);
  const Cycle last_read = std::max(now + last_step_[packet.flits], ready + packet.flits - 1U);
  packet.last_read = last_read & kKept;
  free_inputs_ &= ~bit(in);
  free_outputs_ &= ~bit(out);
  fabric.events.schedule(last_read + 1, SimEventKind::TransferEnd, SimEvent::at(node_, in, 0, out));
  fabric.events.schedule(now + config_.crossbar_latency, SimEventKind::Visible,
                         SimEvent::at(node_, out, 0, id));

  OutputQueue& to = output_queues_[of(out, queue)];
  to.promised += packet.flits;
  const std::uint32_t promised = flits_in(to, out, now);
  output_peak_ = std::max(output_peak_, promised);
  if (promised > config_.output_queue_flits) {
    throw CheckFailure(fmt::format("{}: packet {} makes the output queue hold {} flits of {}",
                                   where(now, out, queue), name_of(fabric.packets.record(id)),
                                   promised, config_.output_queue_flits));
  }
  leaves(fabric, in, packet, packet.flits);
}

void CioqSwitch::visible(Fabric& fabric, SimEvent event) {
  egress(event.port()).becomes_visible(fabric, event.data);
}

// The wire never runs dry. A packet that starts to cross in cycle x is visible, and may start on
// the wire, from c >= x + crossbar_latency on. Its flit i is read in x + ceil((i+1)/speedup) - 1 or
// ready + i, whichever is later; both are <= x + i because speedup >= 1 and ready <= x. So it is in
// the output queue in x + i + crossbar_latency <= c + i, when the wire takes it. That ready + i
// holds for each flit needs a wire without gaps before this switch: the same argument there.
void CioqSwitch::serve(Fabric& fabric, int out) {
  const PacketId sent = egress(out).serve(fabric);
  if (sent == kNoPacket) {
    return;
  }
  starts_on_wire(fabric, out, sent);
  const Cycle now = fabric.events.now();
  const Packet& packet = fabric.packets[sent];
  OutputQueue& queue = output_queues_[of(out, packet.next_vc)];
  queue.promised -= packet.flits;
  queue.wire_end = egress(out).wire_end(now, packet.flits);
  if (queue.waits_for != 0 && queue.promised + queue.waits_for <= config_.output_queue_flits) {
    // Room that was there before is no news: the crossbar's output is busy and comes again.
    const Cycle when = queue.wire_end - egress(out).last_cycles(config_.output_queue_flits -
                                                                queue.promised - queue.waits_for);
    if (when > now) {
      wait_for_room(fabric, out, when);
    }
  }
}

void CioqSwitch::for_each_waiting(const PacketPool& packets,
                                  const std::function<void(const Waiting&)>& visit) const {
  Switch::for_each_waiting(packets, visit);
  for (int out = 0; out < ports_; ++out) {
    egress_[out].for_each_waiting(packets,
                                  [&](PacketId id) { visit({.packet = id, .output = out}); });
  }
}

}  // namespace

const SwitchKind kCioq = {
    .name = "cioq",
    .grant_to_wire = [](const SwitchConfig& config) { return config.output_latency; },
    .reader = [](const SwitchConfig& config) { return config.speedup; },
    .has_output_queues = true,
    .make = [](const SwitchParts& parts) -> std::unique_ptr<Switch> {
      return std::make_unique<CioqSwitch>(parts);
    },
    .handlers = event_handlers<CioqSwitch>(),
    .match = &match_switches<CioqSwitch>};

}  // namespace qosarb
