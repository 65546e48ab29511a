#include "qosarb/network/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "qosarb/config/check_failure.hpp"

namespace qosarb {

namespace {

Topology make_topology(const Scenario& scenario) {
  switch (scenario.topology) {
    case TopologyKind::SingleSwitch:
      return single_switch(scenario.ports);
  }
  return {};  // not reached: every kind is named above
}

/// How many of the cycles first..last lie in begin..end-1.
std::uint64_t overlap(Cycle first, Cycle last, Cycle begin, Cycle end) {
  const Cycle low = std::max(first, begin);
  const Cycle high = std::min(last + 1, end);
  return high > low ? high - low : 0;
}

}  // namespace

Network::Network(Scenario scenario, const ArbiterFactory& factory)
    : scenario_(std::move(scenario)),
      topology_(make_topology(scenario_)),
      classes_(scenario_.traffic.size()),
      window_begin_(scenario_.warmup),
      window_end_(scenario_.warmup + scenario_.measure) {
  fabric_.routing = topology_.routing.get();
  const ArbiterConfig& arbiter = scenario_.arbiter;
  const auto hosts = static_cast<std::uint32_t>(topology_.hosts);
  hosts_.reserve(hosts);
  for (std::uint32_t host = 0; host < hosts; ++host) {
    const std::string name = fmt::format("host{}", host);
    hosts_.push_back(
        {Egress(name + ".nic", host, 0, arbiter.queues, factory(arbiter, {name, "nic"})), {}, 0});
  }
  for (std::size_t s = 0; s < topology_.switch_ports.size(); ++s) {
    switches_.emplace_back(scenario_.switches, fmt::format("switch{}", s),
                           hosts + static_cast<std::uint32_t>(s), topology_.switch_ports[s],
                           arbiter, factory);
  }
  for (const Topology::Link& link : topology_.links) {
    connect(link.a, link.b);
    connect(link.b, link.a);
  }

  const auto flows =
      static_cast<std::size_t>(hosts) * hosts * static_cast<std::size_t>(arbiter.queues);
  next_number_.resize(flows);
  expected_number_.resize(flows);
  for (std::size_t t = 0; t < scenario_.traffic.size(); ++t) {
    const TrafficEntry& entry = scenario_.traffic[t];
    std::vector<int> partners;
    if (entry.pattern == Pattern::Permutation) {
      partners = permutation_of(entry, topology_.hosts, scenario_.seed, t);
    }
    for (const int host : entry.hosts) {
      if (!partners.empty() && partners[static_cast<std::size_t>(host)] < 0) {
        continue;
      }
      hosts_[static_cast<std::size_t>(host)].sources.emplace_back(
          entry, static_cast<int>(t), host, topology_.hosts, scenario_.flit_bytes, scenario_.seed,
          partners);
    }
  }
  for (std::uint32_t host = 0; host < hosts; ++host) {
    plan_generation(host);
  }
}

Network::~Network() = default;

void Network::connect(const Topology::End& from, const Topology::End& to) {
  const auto hosts = static_cast<std::uint32_t>(topology_.hosts);
  const Wire wire{.node = to.node,
                  .port = to.port,
                  .to_host = to.node < hosts,
                  .delay = scenario_.link_delay,
                  .latency = from.node < hosts ? 0 : scenario_.switches.output_latency,
                  .frame_flits = pause_frame_flits(scenario_.flit_bytes)};
  if (from.node < hosts) {
    hosts_[from.node].nic.connect(wire);
  } else {
    switches_[from.node - hosts].connect(from.port, wire,
                                         to.node < hosts ? 0 : scenario_.switches.output_latency);
  }
}

void Network::run(Cycle end) {
  fabric_.events.run(
      end, [this](const SimEvent& event) { handle(event); }, after_cycle_);
}

void Network::handle(const SimEvent& event) {
  const std::size_t hosts = hosts_.size();
  if (event.node < hosts) {
    switch (event.kind) {
      case SimEventKind::Generate:
        return generate(event.node);
      case SimEventKind::Delivered:
        return delivered(event.node, event.data);
      case SimEventKind::PauseFrame:
        return hosts_[event.node].nic.hear(fabric_, event.data);
      case SimEventKind::Serve:
        return serve_host(event.node);
      default:
        return;  // a host gets no other event
    }
  }
  Switch& at = switches_[event.node - hosts];
  switch (event.kind) {
    case SimEventKind::HeadArrives:
      return at.head_arrives(fabric_, event.port, event.data);
    case SimEventKind::PauseFrame:
      return at.pause_frame(fabric_, event.port, event.data);
    case SimEventKind::Level:
      return at.level(fabric_, event.port, static_cast<int>(event.data));
    case SimEventKind::Ready:
      return at.ready(fabric_, event.port, event.data);
    case SimEventKind::TransferEnd:
      return at.transfer_ends(fabric_, event.port, static_cast<int>(event.data));
    case SimEventKind::Room:
      return at.room(fabric_, event.port);
    case SimEventKind::Match:
      return at.match(fabric_);
    case SimEventKind::Visible:
      return at.visible(fabric_, event.port, event.data);
    case SimEventKind::Serve:
      return at.serve(fabric_, event.port);
    case SimEventKind::Generate:
    case SimEventKind::Delivered:
      return;  // only hosts get these
  }
}

std::size_t Network::flow(const Packet& packet) const {
  return (static_cast<std::size_t>(packet.source) * hosts_.size() + packet.destination) *
             static_cast<std::size_t>(scenario_.arbiter.queues) +
         packet.queue;
}

void Network::plan_generation(std::uint32_t host) {
  Cycle next = ~Cycle{0};
  for (const TrafficSource& source : hosts_[host].sources) {
    next = std::min(next, source.next());
  }
  if (next != ~Cycle{0}) {
    fabric_.events.schedule(next, {SimEventKind::Generate, 0, host, 0});
  }
}

// Messages of one cycle come in the order of the traffic list.
void Network::generate(std::uint32_t host) {
  if (traffic_stopped_) {
    return;
  }
  const Cycle now = fabric_.events.now();
  Host& from = hosts_[host];
  for (TrafficSource& source : from.sources) {
    const auto index = static_cast<std::size_t>(source.index());
    const TrafficEntry& entry = scenario_.traffic[index];
    const std::uint32_t most = max_packet_flits(scenario_.arbiter, entry.queue);
    while (source.next() == now) {
      const Message message = source.take();
      classes_[index].offered_flits +=
          now >= window_begin_ && now < window_end_ ? message.flits : 0;
      for (std::uint32_t left = message.flits; left > 0;) {
        const PacketId id = fabric_.packets.take();
        Packet& packet = fabric_.packets[id];
        packet.generated = now;
        packet.flits = std::min(left, most);
        packet.source = static_cast<std::uint16_t>(host);
        packet.destination = static_cast<std::uint16_t>(message.destination);
        packet.queue = static_cast<std::uint16_t>(entry.queue);
        packet.entry = static_cast<std::uint16_t>(index);
        packet.number = next_number_[flow(packet)]++;
        left -= packet.flits;
        from.nic.port().arrive(now, entry.queue, packet.flits, 0, id);
      }
    }
  }
  if (from.nic.port().any_active()) {
    from.nic.wake(fabric_);
  }
  plan_generation(host);
}

void Network::serve_host(std::uint32_t host) {
  if (const auto sent = hosts_[host].nic.serve(fabric_)) {
    Packet& packet = fabric_.packets[*sent];
    packet.injected = fabric_.events.now();
    injected_ += packet.flits;
  }
}

void Network::delivered(std::uint32_t host, PacketId id) {
  const Cycle now = fabric_.events.now();
  const Packet& packet = fabric_.packets[id];
  const Cycle first = now - packet.flits + 1;
  Host& at = hosts_[host];
  if (packet.destination != host || first <= at.last_arrival) {
    throw CheckFailure(fmt::format(
        "cycle {}, host{}: packet {} {}", now, host, name_of(packet),
        packet.destination != host ? "came to the wrong host" : "arrives while another one does"));
  }
  at.last_arrival = now;
  std::uint32_t& expected = expected_number_[flow(packet)];
  if (packet.number != expected) {
    throw CheckFailure(
        fmt::format("cycle {}, host{}: packet {} where number {} is due: lost or "
                    "reordered",
                    now, host, name_of(packet), expected));
  }
  ++expected;
  delivered_ += packet.flits;

  ClassStatistics& statistics = classes_[packet.entry];
  statistics.accepted_flits += overlap(first, now, window_begin_, window_end_);
  if (packet.generated >= window_begin_ && now < window_end_) {
    statistics.packet_latency.add(now - packet.generated);
    statistics.network_latency.add(now - packet.injected);
  }
  if (delivered_hook_) {
    delivered_hook_(packet, now);
  }
  fabric_.packets.give_back(id);
}

std::vector<Network::NamedPort> Network::ports() {
  std::vector<NamedPort> all;
  for (Switch& at : switches_) {
    for (int port = 0; port < at.ports(); ++port) {
      all.push_back({at.egress(port).place(), &at.egress(port).port()});
    }
  }
  for (Host& host : hosts_) {
    all.push_back({host.nic.place(), &host.nic.port()});
  }
  return all;
}

Port* Network::find_port(std::string_view name) {
  const std::vector<NamedPort> all = ports();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [name](const NamedPort& named) { return named.name == name; });
  return found == all.end() ? nullptr : found->port;
}

std::vector<ClassStatistics> Network::classes() const {
  std::vector<ClassStatistics> classes = classes_;
  // Packets whose last flit is still to come have flits that arrived.
  fabric_.events.for_each([&](Cycle when, const SimEvent& event) {
    if (event.kind == SimEventKind::Delivered && now() > 0) {
      const Packet& packet = fabric_.packets[event.data];
      classes[packet.entry].accepted_flits +=
          overlap(when - packet.flits + 1, now() - 1, window_begin_, std::min(window_end_, now()));
    }
  });
  return classes;
}

FlitTotals Network::totals() const {
  const Cycle end = now();
  FlitTotals totals{injected_, delivered_, 0};
  std::size_t found = 0;
  // A packet in the network: some of its flits may be at the source still, some delivered.
  const auto count = [&](PacketId id, Cycle last_arrival) {
    const Packet& packet = fabric_.packets[id];
    const std::uint64_t left_source = std::min<Cycle>(packet.flits, end - packet.injected);
    const Cycle first_arrival = last_arrival - packet.flits + 1;
    const std::uint64_t arrived = first_arrival < end ? end - first_arrival : 0;
    totals.injected -= packet.flits - left_source;
    totals.delivered += arrived;
    totals.in_flight += left_source - arrived;
    ++found;
  };
  constexpr Cycle kNotYet = ~Cycle{0};
  fabric_.events.for_each([&](Cycle when, const SimEvent& event) {
    switch (event.kind) {
      case SimEventKind::Delivered:
        return count(event.data, when);
      case SimEventKind::HeadArrives:
      case SimEventKind::Ready:
      case SimEventKind::Visible:
        return count(event.data, kNotYet);
      default:
        return;
    }
  });
  for (const Switch& at : switches_) {
    at.for_each_waiting(fabric_.packets, [&](PacketId id) { count(id, kNotYet); });
    for (int port = 0; port < at.ports(); ++port) {
      at.egress(port).port().for_each_waiting([&](const QueuedPacket& packet) {
        count(static_cast<PacketId>(packet.handle), kNotYet);
      });
    }
  }
  for (const Host& host : hosts_) {
    host.nic.port().for_each_waiting([&](const QueuedPacket& /*packet*/) { ++found; });
  }
  if (found != fabric_.packets.in_use()) {
    throw CheckFailure(fmt::format("cycle {}: {} packets exist, {} are found in the network", end,
                                   fabric_.packets.in_use(), found));
  }
  return totals;
}

}  // namespace qosarb
