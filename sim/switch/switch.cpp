#include "qosarb/switch/switch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "qosarb/config/check_failure.hpp"
#include "qosarb/switch/routing.hpp"

namespace qosarb {

namespace {

constexpr std::uint64_t bit(int i) { return std::uint64_t{1} << i; }

int lowest(std::uint64_t mask) { return __builtin_ctzll(mask); }

/// The first set bit after `last`, circularly. `mask` is not 0; `last` is -1..63.
int first_after(std::uint64_t mask, int last) {
  const std::uint64_t above = last >= 63 ? 0 : mask & (~std::uint64_t{0} << (last + 1));
  return lowest(above != 0 ? above : mask);
}

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

}  // namespace

Switch::Switch(const SwitchConfig& config, std::string place, std::uint32_t node, int ports,
               const ArbiterConfig& arbiter, const ArbiterFactory& factory)
    : config_(config),
      place_(std::move(place)),
      node_(node),
      ports_(ports),
      queues_(arbiter.queues),
      max_packet_flits_(arbiter.max_packet_flits) {
  const auto n = static_cast<std::size_t>(ports);
  const auto q = static_cast<std::size_t>(queues_);
  egress_.reserve(n);
  for (int port = 0; port < ports; ++port) {
    const std::string name = fmt::format("port{}", port);
    egress_.emplace_back(place_ + "." + name, node, static_cast<std::uint16_t>(port), queues_,
                         factory(arbiter, {place_, name}));
  }
  inputs_.resize(n * q);
  for (InputQueue& queue : inputs_) {
    queue.speedup = config_.speedup;
  }
  xoff_.resize(n);
  link_end_.resize(n);
  outputs_.resize(n * q);
  voqs_.resize(n * q * n);
  head_flits_.resize(n * q * n);
  requests_.resize(n * q);
  request_queues_.resize(n);
  pair_queues_.resize(n * n);
  request_outputs_.resize(n);
  free_inputs_ = ports == kMaxRadix ? ~Mask{0} : bit(ports) - 1;
  free_outputs_ = free_inputs_;
  room_at_.resize(n);
  grant_queue_.assign(n, queues_ - 1);
  grant_input_.assign(n * q, ports - 1);
  accept_queue_.assign(n, queues_ - 1);
  accept_output_.assign(n * q, ports - 1);
  granted_by_.resize(n);
  granted_queue_.resize(n);
}

void Switch::connect(int port, const Wire& wire, std::uint32_t sender_latency) {
  egress(port).connect(wire);
  const std::uint32_t headroom = pfc_headroom({.wire_delay = wire.delay,
                                               .receiver_latency = config_.output_latency,
                                               .sender_latency = sender_latency,
                                               .max_packet_flits = max_packet_flits_,
                                               .frame_flits = wire.frame_flits,
                                               .queues = queues_});
  if (config_.input_queue_flits < headroom + max_packet_flits_) {
    throw std::invalid_argument(
        fmt::format("an input queue of {} flits cannot hold the PFC headroom of {} flits and a "
                    "packet of {}",
                    config_.input_queue_flits, headroom, max_packet_flits_));
  }
  xoff_[static_cast<std::size_t>(port)] =
      config_.input_queue_flits - headroom + config_.headroom_cut;
}

SwitchPeaks Switch::peaks(Cycle now) const {
  SwitchPeaks peaks = peaks_;
  for (const InputQueue& queue : inputs_) {
    peaks.input_queue_flits = std::max(peaks.input_queue_flits, now > 0 ? queue.peak(now - 1) : 0);
  }
  return peaks;
}

std::string Switch::where(Cycle now, int port, int queue) const {
  return fmt::format("cycle {}, {}.port{} queue {}", now, place_, port, queue);
}

// Flit i is read in max(start + ceil((i+1)/speedup) - 1, ready + i).
Cycle Switch::read_cycle(Cycle start, Cycle ready, std::uint32_t flit) const {
  const std::uint64_t step =
      ceil_div((std::uint64_t{flit} + 1) * config_.speedup.cycles, config_.speedup.flits) - 1;
  return std::max(start + step, ready + flit);
}

// The inverse of read_cycle(): how many flits of the last packet have read_cycle < now.
std::uint64_t Switch::InputQueue::read(Cycle now) const {
  if (now <= cross_start) {
    return out - cross_flits;
  }
  const std::uint64_t by_rate = (now - cross_start) * speedup.flits / speedup.cycles;
  const std::uint64_t by_arrival = now - cross_ready;
  return out - cross_flits + std::min({by_rate, by_arrival, std::uint64_t{cross_flits}});
}

void Switch::head_arrives(Fabric& fabric, int port, PacketId id) {
  const Cycle now = fabric.events.now();
  Packet& packet = fabric.packets[id];
  Cycle& link_end = link_end_[static_cast<std::size_t>(port)];
  if (now <= link_end) {
    throw CheckFailure(fmt::format("{}: packet {} arrives while another one does",
                                   where(now, port, packet.queue), name_of(packet)));
  }
  link_end = now + packet.flits - 1;
  const int out = fabric.routing->output(node_, port, packet);
  packet.out_port = static_cast<std::uint16_t>(out);
  packet.ready = now + config_.input_latency;
  fabric.events.schedule(packet.ready,
                         {SimEventKind::Ready, static_cast<std::uint16_t>(port), node_, id});

  InputQueue& queue = input(port, packet.queue);
  peaks_.input_queue_flits = std::max(peaks_.input_queue_flits, queue.peak(now - 1));
  queue.in += packet.flits;
  queue.last_arrival = link_end;
  watch_level(fabric, port, packet.queue);
}

// Schedules a Level event for the first cycle in which the queue can cross a level that matters:
// upward XOFF or, when the sender is told to pause, the queue's size; downward XON. Upward the
// estimate takes it that nothing more is read, downward that nothing more arrives. What really
// happens can only be later, and then the event looks again. Arrivals can make an upward crossing
// possible, a transfer a downward one; both call this.
void Switch::watch_level(Fabric& fabric, int port, int queue) {
  const Cycle now = fabric.events.now();
  InputQueue& in = input(port, queue);
  const bool paused = egress(port).wants_pause(queue);
  const std::uint64_t xoff = xoff_[static_cast<std::size_t>(port)];
  Cycle when = ~Cycle{0};

  const std::uint64_t upper = paused ? std::uint64_t{config_.input_queue_flits} + 1 : xoff;
  const std::uint64_t read = in.read(now);
  if (in.in - read >= upper) {
    const std::uint64_t spare = in.in - read - upper;
    when = spare > in.last_arrival ? now : std::max(now, in.last_arrival - spare);
  }
  if (paused) {
    const std::uint64_t xon = xoff - max_packet_flits_;
    const std::uint64_t here = in.arrived(now);
    if (here - read <= xon) {
      when = now;
    } else if (here <= in.out + xon) {  // by the transfer that runs
      const std::uint64_t nth = here - xon - (in.out - in.cross_flits);
      when = std::min(
          when,
          read_cycle(in.cross_start, in.cross_ready, static_cast<std::uint32_t>(nth - 1)) + 1);
    }
  }
  if (when != ~Cycle{0} && !(in.level_at >= now && in.level_at <= when && in.level_at != 0)) {
    in.level_at = when;
    fabric.events.schedule(when, {SimEventKind::Level, static_cast<std::uint16_t>(port), node_,
                                  static_cast<std::uint32_t>(queue)});
  }
}

void Switch::level(Fabric& fabric, int port, int queue) {
  const Cycle now = fabric.events.now();
  InputQueue& in = input(port, queue);
  if (in.level_at == now) {
    in.level_at = 0;
  }
  const std::uint32_t flits = in.flits(now);
  const std::uint32_t xoff = xoff_[static_cast<std::size_t>(port)];
  Egress& back = egress(port);
  if (flits > config_.input_queue_flits) {
    throw CheckFailure(fmt::format("{}: the input queue holds {} flits, more than its {}",
                                   where(now, port, queue), flits, config_.input_queue_flits));
  }
  if (!back.wants_pause(queue) && flits >= xoff) {
    back.set_pause(fabric, queue, true);
  } else if (back.wants_pause(queue) && flits <= xoff - max_packet_flits_) {
    back.set_pause(fabric, queue, false);
  }
  watch_level(fabric, port, queue);
}

void Switch::ready(Fabric& fabric, int port, PacketId id) {
  PacketPool& packets = fabric.packets;
  const Packet& packet = packets[id];
  const int queue = packet.queue;
  const int out = packet.out_port;
  Voq& voq = voqs_[of(port, queue, out)];
  if (voq.first == kNoPacket) {
    voq.first = id;
    head_flits_[of(out, queue, port)] = packet.flits;
    requests_[of(out, queue)] |= bit(port);
    request_queues_[static_cast<std::size_t>(out)] |= bit(queue);
    pair_queues_[pair(port, out)] |= bit(queue);
    request_outputs_[static_cast<std::size_t>(port)] |= bit(out);
    if ((free_inputs_ & bit(port)) != 0) {
      want_match(fabric, bit(out));
    }
  } else {
    packets[voq.last].next = id;
  }
  voq.last = id;
}

PacketId Switch::pop(PacketPool& packets, int in, int queue, int out) {
  Voq& voq = voqs_[of(in, queue, out)];
  const PacketId id = voq.first;
  voq.first = packets[id].next;
  packets[id].next = kNoPacket;
  if (voq.first != kNoPacket) {
    head_flits_[of(out, queue, in)] = packets[voq.first].flits;
    return id;
  }
  Mask& inputs = requests_[of(out, queue)];
  inputs &= ~bit(in);
  if (inputs == 0) {
    request_queues_[static_cast<std::size_t>(out)] &= ~bit(queue);
  }
  Mask& queues = pair_queues_[pair(in, out)];
  queues &= ~bit(queue);
  if (queues == 0) {
    request_outputs_[static_cast<std::size_t>(in)] &= ~bit(out);
  }
  return id;
}

// Only outputs that are free now: a busy one comes again when its transfer ends.
void Switch::want_match(Fabric& fabric, Mask outputs) {
  outputs &= free_outputs_;
  dirty_ |= outputs;
  if (outputs != 0 && match_at_ != fabric.events.now()) {
    match_at_ = fabric.events.now();
    fabric.events.schedule(match_at_, {SimEventKind::Match, 0, node_, 0});
  }
}

void Switch::transfer_ends(Fabric& fabric, int in, int out) {
  free_inputs_ |= bit(in);
  free_outputs_ |= bit(out);
  want_match(fabric, request_outputs_[static_cast<std::size_t>(in)] |
                         (request_queues_[static_cast<std::size_t>(out)] != 0 ? bit(out) : 0));
}

void Switch::room(Fabric& fabric, int out) { want_match(fabric, bit(out)); }

// The request that a free output grants: the queues take turns, and within a queue the inputs.
// Eligible is who has a free input, a packet that may cross, and room for all of it.
Switch::Request Switch::grant(Fabric& fabric, int out) {
  const Cycle now = fabric.events.now();
  const auto o = static_cast<std::size_t>(out);
  Cycle room_when = ~Cycle{0};
  Mask queues = request_queues_[o];
  while (queues != 0) {
    const int queue = first_after(queues, grant_queue_[o]);
    queues &= ~bit(queue);
    const std::size_t oq = of(out, queue);
    OutputQueue& to = outputs_[oq];
    to.waits_for = 0;
    Mask inputs = requests_[oq] & free_inputs_;
    if (inputs == 0) {
      continue;
    }
    const std::uint32_t room = config_.output_queue_flits - to.flits(now);
    if (room < max_packet_flits_) {
      const std::uint32_t* heads = &head_flits_[of(out, queue, 0)];
      std::uint32_t least = ~std::uint32_t{0};
      for (Mask left = inputs; left != 0; left &= left - 1) {
        const std::uint32_t flits = heads[lowest(left)];
        if (flits > room) {
          inputs &= ~(left & -left);
          least = std::min(least, flits);
        }
      }
      if (inputs == 0) {
        // Either the packet on the wire makes the room, or a later one has to.
        if (to.promised + least <= config_.output_queue_flits) {
          const std::uint32_t spare = config_.output_queue_flits - to.promised - least;
          room_when = std::min(room_when, to.wire_end - spare);
        } else {
          to.waits_for = least;
        }
        continue;
      }
    }
    return {queue, first_after(inputs, grant_input_[oq])};
  }
  if (room_when != ~Cycle{0}) {
    wait_for_room(fabric, out, room_when);
  }
  return {};
}

void Switch::wait_for_room(Fabric& fabric, int out, Cycle when) {
  Cycle& planned = room_at_[static_cast<std::size_t>(out)];
  if (planned <= fabric.events.now() || planned > when) {
    planned = when;
    fabric.events.schedule(when, {SimEventKind::Room, static_cast<std::uint16_t>(out), node_, 0});
  }
}

// iSLIP over packets: free outputs grant, inputs accept, until no pair is left. What is left then
// cannot be connected before something changes, so cycles without a change need no matching.
// Pointers move only for what the first iteration connects, so that nobody starves.
void Switch::match(Fabric& fabric) {
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
      granted_by_[static_cast<std::size_t>(request.input)] |= bit(out);
      granted_queue_[static_cast<std::size_t>(out)] = request.queue;
    }
    for (Mask left = inputs; left != 0; left &= left - 1) {
      const int in = lowest(left);
      const auto i = static_cast<std::size_t>(in);
      Mask queues = 0;
      for (Mask g = granted_by_[i]; g != 0; g &= g - 1) {
        queues |= bit(granted_queue_[static_cast<std::size_t>(lowest(g))]);
      }
      const int queue = first_after(queues, accept_queue_[i]);
      Mask offers = 0;
      for (Mask g = granted_by_[i]; g != 0; g &= g - 1) {
        offers |= granted_queue_[static_cast<std::size_t>(lowest(g))] == queue ? g & -g : 0;
      }
      const int out = first_after(offers, accept_output_[of(in, queue)]);
      granted_by_[i] = 0;
      if (first) {
        accept_queue_[i] = queue;
        accept_output_[of(in, queue)] = out;
        grant_queue_[static_cast<std::size_t>(out)] = queue;
        grant_input_[of(out, queue)] = in;
      }
      outputs &= ~bit(out);
      transfer(fabric, in, queue, out);
    }
  }
}

void Switch::transfer(Fabric& fabric, int in, int queue, int out) {
  const Cycle now = fabric.events.now();
  const PacketId id = pop(fabric.packets, in, queue, out);
  Packet& packet = fabric.packets[id];
  packet.last_read = read_cycle(now, packet.ready, packet.flits - 1);
  free_inputs_ &= ~bit(in);
  free_outputs_ &= ~bit(out);
  fabric.events.schedule(packet.last_read + 1,
                         {SimEventKind::TransferEnd, static_cast<std::uint16_t>(in), node_,
                          static_cast<std::uint32_t>(out)});
  fabric.events.schedule(now + config_.crossbar_latency,
                         {SimEventKind::Visible, static_cast<std::uint16_t>(out), node_, id});

  OutputQueue& to = output(out, queue);
  to.promised += packet.flits;
  const std::uint32_t promised = to.flits(now);
  peaks_.output_queue_flits = std::max(peaks_.output_queue_flits, promised);
  if (promised > config_.output_queue_flits) {
    throw CheckFailure(fmt::format("{}: packet {} makes the output queue hold {} flits of {}",
                                   where(now, out, queue), name_of(packet), promised,
                                   config_.output_queue_flits));
  }

  InputQueue& from = input(in, queue);
  peaks_.input_queue_flits = std::max(peaks_.input_queue_flits, from.peak(now));
  from.out += packet.flits;
  from.cross_start = now;
  from.cross_ready = packet.ready;
  from.cross_flits = packet.flits;
  if (egress(in).wants_pause(queue)) {
    watch_level(fabric, in, queue);
  }
}

void Switch::visible(Fabric& fabric, int out, PacketId id) {
  const Packet& packet = fabric.packets[id];
  egress(out).port().arrive(fabric.events.now(), packet.queue, packet.flits, packet.age, id);
  egress(out).wake(fabric);
}

void Switch::pause_frame(Fabric& fabric, int port, std::uint32_t frame) {
  egress(port).hear(fabric, frame);
}

// The wire never runs dry. A packet that starts to cross in cycle x is visible, and may start on
// the wire, from c >= x + crossbar_latency on. Its flit i is read in x + ceil((i+1)/speedup) - 1 or
// ready + i, whichever is later; both are <= x + i because speedup >= 1 and ready <= x. So it is in
// the output queue in x + i + crossbar_latency <= c + i, when the wire takes it. That ready + i
// holds for each flit needs a wire without gaps before this switch: the same argument there.
void Switch::serve(Fabric& fabric, int out) {
  Egress& from = egress(out);
  const auto sent = from.serve(fabric);
  if (!sent) {
    return;
  }
  const Cycle now = fabric.events.now();
  const Packet& packet = fabric.packets[*sent];
  OutputQueue& queue = output(out, packet.queue);
  if (packet.last_read + config_.crossbar_latency > now + packet.flits - 1) {
    throw CheckFailure(fmt::format("{}: packet {} runs dry on the wire",
                                   where(now, out, packet.queue), name_of(packet)));
  }
  queue.promised -= packet.flits;
  queue.wire_end = now + packet.flits;
  if (queue.waits_for != 0 && queue.promised + queue.waits_for <= config_.output_queue_flits) {
    const std::uint32_t spare = config_.output_queue_flits - queue.promised - queue.waits_for;
    wait_for_room(fabric, out, queue.wire_end - spare);
  }
}

}  // namespace qosarb
