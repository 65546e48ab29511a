#include "qosarb/network/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "qosarb/config/check_failure.hpp"
#include "qosarb/network/stall.hpp"
#include "qosarb/policy/class_arbiter.hpp"

namespace qosarb {

namespace {

/// Progress is looked at so often.
constexpr Cycle kProgressCycles = 10'000;
/// Above this, asking the routing costs less than a place in the cache.
constexpr std::int64_t kMostKnownHops = 1 << 15;
/// Nodes of a network that is no larger than the caches of a core.
constexpr Index kInTheCache = 300;
/// So many packets have moved on for each packet and queue that a search for a stall looks at.
constexpr std::uint64_t kHopsForALook = 64;

static_assert(kMostHosts + kMostSwitches <= SimEvent::kMostNodes);
static_assert(kMaxSwitchQueues <= 1 << SimEvent::kQueueBits);
static_assert(kMaxRadix <= 1 << SimEvent::kQueueBits);     // SeaStar: the input in its place
static_assert(3 * kMaxRadix <= 1 << SimEvent::kPortBits);  // hierarchical: two buffers a group

/// How many of the cycles first..last lie in begin..end-1.
std::uint64_t overlap(Cycle first, Cycle last, Cycle begin, Cycle end) {
  const Cycle low = std::max(first, begin);
  const Cycle high = std::min(last + 1, end);
  return high > low ? high - low : 0;
}

}  // namespace

Network::Network(const Scenario& scenario, const ArbiterFactory& factory)
    : Network(scenario, factory, scenario.topology.routing->make(scenario.topology)) {}

Network::Network(Scenario scenario, const ArbiterFactory& factory, std::unique_ptr<Routing> routing)
    : scenario_(std::move(scenario)),
      routing_(std::move(routing)),
      classes_(scenario_.traffic.size()),
      finished_(scenario_.traffic.size()),
      window_begin_(scenario_.warmup),
      window_end_(scenario_.end()) {
  if (const auto fault =
          fault_of_switch(scenario_, scenario_.topology.kind->build(scenario_.topology))) {
    throw std::invalid_argument(fault->says);
  }
  build(factory);
}

Network::~Network() = default;

void Network::build(const ArbiterFactory& factory) {
  const Topology topology = scenario_.topology.kind->build(scenario_.topology);
  const ArbiterConfig& arbiter = scenario_.arbiter;
  const int queues = scenario_.link_vcs();
  const int channels = scenario_.channels_per_queue;
  const SwitchConfig& config = scenario_.switches;
  fabric_.routing = routing_.get();
  fabric_.adaptive = routing_->adaptive();
  has_routes_ = !routing_->by_destination();
  ask_routing_before(topology);
  fabric_.large = topology.hosts + count(topology.switch_ports) > kInTheCache;
  fabric_.events.switches(topology.switch_ports.size());
  fabric_.vc_allocation = scenario_.vc_allocation;
  fabric_.vcs =
      scenario_.vcs.masks.empty() ? default_vcs(queues, routing_->stages()) : scenario_.vcs;
  fabric_.find_only_vcs();
  fabric_.events.span(scenario_.longest_delay() + config.input_latency + config.crossbar_latency +
                      config.output_latency +
                      scenario_.slowest_rate().cycles_of(arbiter.max_packet_flits) + 2);

  for (const TrafficEntry& entry : scenario_.traffic) {
    ways_.push_back({.vcs = fabric_.vcs.of(entry.queue, 0),
                     .longest = longest_packet(entry.queue),
                     .level = static_cast<std::uint16_t>(entry.queue),
                     .trace = entry.trace != nullptr});
  }

  const Index hosts = topology.hosts;
  senders_.resize(scenario_.traffic.size() * hosts);
  class_totals_.resize(scenario_.traffic.size());
  const auto make_arbiter = [&](const std::string& chip, const std::string& port) {
    std::unique_ptr<Arbiter> made = factory(scenario_.arbiter_at(chip, port), {chip, port});
    if (channels > 1) {
      made = std::make_unique<ClassArbiter>(std::move(made), arbiter.queues, channels);
    }
    return made;
  };
  hosts_.reserve(hosts);
  for (Index host = 0; host < hosts; ++host) {
    const std::string name = fmt::format("host{}", host);
    hosts_.push_back(
        {Egress(name + ".nic", host, 0, queues, make_arbiter(name, "nic"), SimEventKind::Inject),
         {},
         Random(scenario_.seed, host, ~std::uint64_t{0}),
         0,
         kNever,
         std::vector<Backlog>(queues)});
  }
  for (Index s = 0; s < count(topology.switch_ports); ++s) {
    const std::string name = fmt::format("switch{}", s);
    switches_.push_back(config.architecture->make(
        {.config = config,
         .place = name,
         .node = topology.node_of(s),
         .number = s,
         .ports = topology.switch_ports[s],
         .queues = queues,
         .arbiter_queues = arbiter.queues,
         .max_packet_flits = arbiter.max_packet_flits,
         .arbiter = [&](int port) { return make_arbiter(name, fmt::format("port{}", port)); }}));
  }
  fabric_.reader = config.architecture->reader(config);
  fabric_.credits.resize(
      1 + (config.flow_control->gives_credits ? 2 * topology.links.size() * queues : 0));
  fabric_.sent_flits.resize(2 * topology.links.size() * most_queues());
  Index direction = 0;
  for (const Topology::Link& link : topology.links) {
    connect(link.a, link.b, link.kind, direction++);
    connect(link.b, link.a, link.kind, direction++);
  }

  const auto entries = static_cast<std::uint16_t>(scenario_.traffic.size());
  for (std::uint16_t t = 0; t < entries; ++t) {
    add_sources(t, topology.hosts);
  }
  for (Index host = 0; host < hosts; ++host) {
    plan_generation(host);
  }
}

// It fits all queues that its service level may use, at all ports.
std::uint32_t Network::longest_packet(int level) const {
  const int channels = scenario_.channels_per_queue;
  const int classes = scenario_.link_vcs() / channels;
  std::uint32_t longest = scenario_.arbiter.max_packet_flits;
  for (int stage = 0; stage < fabric_.vcs.stages; ++stage) {
    for (Mask left = fabric_.vcs.of(level, stage); left != 0; left &= left - 1) {
      const auto fit = [&](const ArbiterConfig& one) {
        for (int queue = lowest(left) / channels; queue < one.queues;
             queue += classes) {  // of each input, where those have their own
          longest = std::min(longest, max_packet_flits(one, queue));
        }
      };
      fit(scenario_.arbiter);
      for (const ArbiterAt& one : scenario_.arbiters) {
        fit(one.arbiter);
      }
    }
  }
  return longest;
}

void Network::ask_routing_before(const Topology& topology) {
  fabric_.hosts = topology.hosts;
  const Index switches = count(topology.switch_ports);
  if (!routing_->by_destination() || std::int64_t{switches} * fabric_.hosts > kMostKnownHops) {
    return;
  }
  for (Index at = 0; at < switches; ++at) {
    for (Index destination = 0; destination < fabric_.hosts; ++destination) {
      Packet packet;
      packet.destination = destination;
      const Hop hop = routing_->hop(at, 0, packet, {}, nullptr);
      KnownHop& known = fabric_.known_hops.emplace_back();
      known.port = hop.port & 0x3f;
      known.stage = hop.stage & 0x3;
    }
  }
}

void Network::add_sources(std::uint16_t index, int hosts) {
  const TrafficEntry& entry = scenario_.traffic[index];
  const auto add = [&](int host, std::unique_ptr<Source> source) {
    const Cycle next = source->next();
    hosts_[host].sources.push_back({index, std::move(source), next});
  };
  traces_.emplace_back();
  if (entry.trace != nullptr) {
    traces_.back() = std::make_unique<TraceRun>(
        *entry.trace, entry.hosts, TimeBase::of(scenario_.link_mbps, scenario_.flit_bytes),
        scenario_.flit_bytes);
    for (int rank = 0; rank < entry.trace->ranks(); ++rank) {
      add(entry.hosts[rank], traces_.back()->source(rank));
    }
    finished_[index] = traces_.back()->finished();
    traces_left_ = std::max(traces_left_, 0) + (finished_[index] ? 0 : 1);
    return;
  }
  std::vector<int> partners;
  if (entry.pattern == Pattern::Permutation) {
    partners = permutation_of(entry, hosts, scenario_.seed, index);
  }
  for (const int host : entry.hosts) {
    if (partners.empty() || partners[host] >= 0) {
      add(host,
          std::make_unique<TrafficSource>(entry, index, host, hosts, scenario_.flit_bytes,
                                          scenario_.seed, partners, scenario_.host_rate(host)));
    }
  }
}

// `direction` counts them; the two of a link differ in the lowest bit.
void Network::connect(const Topology::End& from, const Topology::End& to, LinkKind kind,
                      Index direction) {
  const Index hosts = host_count();
  const int queues = scenario_.link_vcs();
  const SwitchConfig& config = scenario_.switches;
  const auto latency = [&](Index node) {
    return node < hosts ? 0 : config.architecture->grant_to_wire(config);
  };
  const std::uint32_t delay = scenario_.delay_of(from, kind);
  const Wire wire{.node = to.node,
                  .port = to.port,
                  .to_host = to.node < hosts,
                  .delay = delay,
                  .latency = latency(from.node),
                  .frame_flits = pause_frame_flits(scenario_.flit_bytes),
                  .credits = to.node >= hosts && config.flow_control->gives_credits
                                 ? config.input_queue_flits
                                 : 0,
                  .input_latency = config.input_latency,
                  .first_credits = 1 + direction * queues,
                  .first_sent = direction * most_queues(),
                  .vcs = queues,
                  .rate = scenario_.rate_of(from, kind)};
  slow_hosts_ = slow_hosts_ || (wire.to_host && wire.rate.slow());
  if (from.node < hosts) {
    hosts_[from.node].nic.connect(fabric_, wire);
  } else {
    switches_[from.node - hosts]->connect(fabric_, from.port, wire,
                                          {.delay = delay,
                                           .latency = latency(to.node),
                                           .first_credits = 1 + (direction ^ 1) * queues});
  }
}

[[gnu::always_inline]] inline void Network::handle_at_hosts(SimEventKind kind,
                                                            const EventList& events) {
  const auto ahead = [&](auto&& far, auto&& near, auto&& act) {
    for_each_ahead(events, fabric_.large, far, near, act);
  };
  switch (kind) {
    case SimEventKind::Generate:
      return ahead(
          [this](SimEvent event) {
            __builtin_prefetch(&hosts_[event.node()].sources);
            hosts_[event.node()].nic.ask_for_memory();
          },
          [this](SimEvent event) {
            __builtin_prefetch(hosts_[event.node()].sources.data());
            hosts_[event.node()].nic.ask_for_queues();
          },
          [this](SimEvent event) { generate(event.node()); });
    case SimEventKind::Delivered:
      return ahead(
          [this](SimEvent event) {
            fabric_.packets.ask_for(event.data);
            fabric_.packets.ask_for_record(event.data);
            __builtin_prefetch(&message_of_[event.data]);
            __builtin_prefetch(&hosts_[event.node()].last_arrival);
          },
          [this](SimEvent event) {
            const PacketRecord& record = fabric_.packets.record(event.data);
            flows_.ask_for_memory(record);
            __builtin_prefetch(&senders_[record.entry * hosts_.size() + record.source]);
          },
          [this](SimEvent event) { delivered(event.node(), event.data); });
    case SimEventKind::Inject:
      return ahead([this](SimEvent event) { hosts_[event.node()].nic.ask_for_memory(); },
                   [this](SimEvent event) { hosts_[event.node()].nic.ask_for_queues(); },
                   [this](SimEvent event) { serve_host(event.node()); });
    case SimEventKind::PauseFrame:
      return for_each(events, [this](SimEvent event) {
        if (event.node() < host_count()) {
          Egress& nic = hosts_[event.node()].nic;
          nic.count_pauses(now(), event.data);
          nic.pause_frame(fabric_, event.data);
        }
      });
    case SimEventKind::CreditWake:
      return for_each(events, [this](SimEvent event) {
        if (event.node() < host_count()) {
          hosts_[event.node()].nic.credit_wake(fabric_, event.queue());
        }
      });
    default:
      return;
  }
}

// The events of one kind come together. Where this is called the kind is a constant.
[[gnu::always_inline]] inline void Network::handle(SimEventKind kind, const EventList& events) {
  switch (kind) {
    case SimEventKind::Generate:
    case SimEventKind::Delivered:
    case SimEventKind::Inject:
      return handle_at_hosts(kind, events);
    case SimEventKind::Credits:
      return fabric_.credits_come_back(events);
    case SimEventKind::LateCredits:
      return for_each(
          events, [this](SimEvent event) { fabric_.credits[event.where].came_late(event.data); });
    case SimEventKind::PauseFrame:
    case SimEventKind::CreditWake:
      handle_at_hosts(kind, events);
      [[fallthrough]];
    default:
      scenario_.switches.architecture->handlers[static_cast<std::size_t>(kind)](fabric_, switches_,
                                                                                events);
  }
}

void Network::run(Cycle end) {
  const auto handler = [this](auto kind, const EventList& events) { handle(kind, events); };
  const auto matcher = [this](std::uint32_t word, std::uint64_t which) {
    scenario_.switches.architecture->match(fabric_, switches_, word, which);
  };
  while (now() < end && !finished()) {
    if (now() >= next_check_) {
      check_progress();
      // Where nothing moves because ranks calculate, less and less often.
      check_interval_ =
          fabric_.flit_hops == checked_flit_hops_ ? 2 * check_interval_ : kProgressCycles;
      next_check_ = now() + check_interval_;
      checked_flit_hops_ = fabric_.flit_hops;
    }
    fabric_.events.run(std::min(end, next_check_), handler, matcher, after_cycle_);
  }
}

void Network::plan_generation(Index host) {
  Host& from = hosts_[host];
  Cycle next = kNever;
  for (const Host::EntrySource& one : from.sources) {
    next = std::min(next, one.next);
  }
  if (next < from.planned) {
    from.planned = next;
    fabric_.events.schedule(next, SimEventKind::Generate, SimEvent::at(host, 0));
  }
}

[[gnu::always_inline]] inline void Network::take_from(Index host, Host::EntrySource& from) {
  for (; from.next == fabric_.events.now(); from.next = from.source->next()) {
    if (const Message* const message = from.source->take()) {
      send(host, from.entry, *message);
    }
  }
}

// The run ends with the cycle in which the last rank of all traces is done.
[[gnu::always_inline]] inline void Network::finish_trace(std::uint16_t entry) {
  if (ways_[entry].trace && traces_[entry]->finished() && !finished_[entry]) [[unlikely]] {
    finished_[entry] = true;
    if (--traces_left_ == 0) {
      fabric_.events.stop_at(fabric_.events.now() + 1);
    }
  }
}

// Messages of one cycle come in the order of the traffic list.
void Network::generate(Index host) {
  const Cycle now = fabric_.events.now();
  Host& from = hosts_[host];
  if (traffic_stopped_ || now != from.planned) {
    return;
  }
  Cycle next = kNever;
  for (Host::EntrySource& one : from.sources) {
    if (one.next == now) {
      take_from(host, one);
      finish_trace(one.entry);
    }
    next = std::min(next, one.next);
  }
  from.planned = next;
  from.nic.wake_if_wanted(fabric_);
  if (next != kNever) [[likely]] {
    fabric_.events.schedule(next, SimEventKind::Generate, SimEvent::at(host, 0));
  }
}

// Comes to the NIC.
[[gnu::always_inline]] inline void Network::inject(Index host, int queue,
                                                   const SourcePacket& from) {
  const PacketId id = fabric_.packets.take();
  const unsigned level = ways_[from.entry].level;
  fabric_.packets.record(id) = {.generated = from.generated,
                                .source = host,
                                .destination = from.destination,
                                .number = from.number,
                                .queue = static_cast<std::uint16_t>(level & 0xffU),
                                .entry = from.entry};
  if (id >= message_of_.size()) [[unlikely]] {
    message_of_.resize(2 * message_of_.size() + id + 1);
  }
  message_of_[id] = from.message;
  fabric_.packets[id] = {.flits = from.flits & 0xffffffU,
                         .service_level = level & 0xffU,
                         .destination = from.destination,
                         .route = from.route,
                         .next_vc = static_cast<std::uint16_t>(queue & 0xff)};
  hosts_[host].nic.arrive(fabric_, queue, id);
}

std::uint32_t Network::begin_message(const Message& message) {
  std::uint32_t id = 0;
  if (free_messages_.empty()) {
    id = count(messages_);
    messages_.emplace_back();
  } else {
    id = free_messages_.back();
    free_messages_.pop_back();
  }
  messages_[id] = {message.flits, message.number};
  return id;
}

void Network::send(Index host, std::uint16_t index, const Message& message) {
  const Cycle now = fabric_.events.now();
  Host& from = hosts_[host];
  if (measures(now)) {
    sender(index, host).offered_flits += message.flits;
  }
  const auto [vcs, longest, level, trace] = ways_[index];
  std::uint32_t id = kNoMessage;
  if (message.flits > longest || trace) [[unlikely]] {
    id = begin_message(message);
  }
  const Index destination = message.destination;
  for (std::uint32_t left = message.flits; left > 0;) {
    if (packets_in_use() == kMostPackets) [[unlikely]] {
      throw CheckFailure(
          fmt::format("{} packets wait in the network and its sources: lower the load "
                      "or shorten the run",
                      kMostPackets));
    }
    PacketRecord record = {.generated = now,
                           .source = host,
                           .destination = destination,
                           .queue = static_cast<std::uint16_t>(level & 0xffU),
                           .entry = index};
    const std::uint32_t number = flows_.generated(host, destination, level);
    record.number = number;
    const int vc =
        (vcs & (vcs - 1)) == 0 ? lowest(vcs) : fabric_.vc_allocation->choose(vcs, record);
    const std::uint32_t flits = std::min(left, longest);
    left -= flits;
    const std::uint32_t route = has_routes_ ? routing_->start(record, from.routes) : 0;
    const SourcePacket packet{.generated = now,
                              .destination = destination,
                              .flits = flits,
                              .number = number,
                              .route = route,
                              .message = id,
                              .entry = index};
    Backlog& backlog = from.backlogs[vc];
    if (backlog.ahead >= Backlog::kMostAhead && !from.nic.keeps_time()) [[unlikely]] {
      backlog.push(SourcePacket{packet});
      ++in_backlogs_;
    } else {
      ++backlog.ahead;
      inject(host, vc, packet);
    }
  }
}

void Network::serve_host(Index host) {
  Host& from = hosts_[host];
  const PacketId sent = from.nic.serve(fabric_);
  if (sent == kNoPacket) {
    return;
  }
  fabric_.packets.record(sent).injected = fabric_.events.now();
  injected_ += fabric_.packets[sent].flits;
  const int queue = fabric_.packets[sent].next_vc;
  Backlog& behind = from.backlogs[queue];
  if (behind.empty()) [[likely]] {
    --behind.ahead;
  } else {
    --in_backlogs_;
    inject(host, queue, behind.pop());
  }
}

void Network::delivered(Index host, PacketId id) {
  const Cycle now = fabric_.events.now();
  const std::uint32_t flits = fabric_.packets[id].flits;
  const PacketRecord& record = fabric_.packets.record(id);
  const Cycle first = now - flits + 1;
  Host& at = hosts_[host];
  if (record.destination != host || first <= at.last_arrival) {
    throw CheckFailure(fmt::format(
        "cycle {}, host{}: packet {} {}", now, host, name_of(record),
        record.destination != host ? "came to the wrong host" : "arrives while another one does"));
  }
  at.last_arrival = now;
  const FlowTable::Order order = flows_.delivered(record);
  if (order != FlowTable::Order::Kept) {
    if (order == FlowTable::Order::Unknown || routing_->in_order()) {
      throw CheckFailure(
          fmt::format("cycle {}, host{}: packet {} is not the one that is due: one "
                      "is lost or reordered",
                      now, host, name_of(record)));
    }
    ++reordered_;
  }
  delivered_ += flits;

  const Cycle latency = now - record.generated;
  SenderStatistics& from = sender(record.entry, record.source);
  ClassTotals& totals = class_totals_[record.entry];
  totals.delivered_flits += flits;
  ++totals.packets;
  totals.latency += latency;
  const bool all = record.generated >= window_begin_ && now < window_end_;
  if (all) [[likely]] {
    ClassStatistics& statistics = classes_[record.entry];
    statistics.packet_latency.add(latency);
    statistics.network_latency.add(now - record.injected);
    ++from.packets;
    from.latency += latency;
    from.longest = std::max(from.longest, latency);
    from.accepted_flits += flits;
  } else {
    from.accepted_flits += slow_hosts_ ? arrived(id, now, window_begin_, window_end_)
                                       : overlap(first, now, window_begin_, window_end_);
  }
  if (delivered_hook_) {
    delivered_hook_(record, now);
  }
  const std::uint32_t message = message_of_[id];
  if (message == kNoMessage) {
    if (all) [[likely]] {
      classes_[record.entry].message_latency.add(latency);
    }
  } else {
    messages_[message].flits_left -= flits;
    if (messages_[message].flits_left == 0) {
      if (all) {
        classes_[record.entry].message_latency.add(latency);
      }
      if (traces_[record.entry] != nullptr) {
        tell_trace(host, record.entry, messages_[message].number);
      }
      free_messages_.push_back(message);
    }
  }
  fabric_.packets.give_back(id);
}

// A rank answers in the same cycle: a send takes no time.
void Network::tell_trace(Index host, std::uint16_t entry, std::uint32_t number) {
  Host& at = hosts_[host];
  const auto receiver =
      std::find_if(at.sources.begin(), at.sources.end(),
                   [entry](const Host::EntrySource& one) { return one.entry == entry; });
  receiver->source->arrived(number, fabric_.events.now());
  receiver->next = receiver->source->next();
  take_from(host, *receiver);
  finish_trace(entry);
  at.nic.wake_if_wanted(fabric_);
  plan_generation(host);
}

SwitchPeaks Network::peaks() const {
  SwitchPeaks all;
  const auto add = [&all](std::uint32_t input, std::uint32_t output) {
    all.input_queue_flits = std::max(all.input_queue_flits, input);
    all.output_queue_flits = std::max(all.output_queue_flits, output);
  };
  for (const auto& at : switches_) {
    const SwitchPeaks peaks = at->peaks(now());
    add(peaks.input_queue_flits, peaks.output_queue_flits);
    for (int port = 0; port < at->ports(); ++port) {
      add(std::as_const(*at).sender(port).most_taken(), 0);
    }
  }
  for (const Host& host : hosts_) {
    add(host.nic.most_taken(), 0);
  }
  return all;
}

std::vector<Network::NamedPort> Network::ports() {
  std::vector<NamedPort> all;
  for (const auto& at : switches_) {
    for (int port = 0; port < at->ports(); ++port) {
      Sender& sender = at->sender(port);
      all.push_back({sender.place(), &sender, port});
    }
  }
  for (Host& host : hosts_) {
    all.push_back({host.nic.place(), &host.nic});
  }
  return all;
}

std::vector<CounterValue> Network::counters(const NamedPort& port) {
  std::vector<CounterValue> values;
  if (const auto* const counting = dynamic_cast<const Counting*>(&port.port->arbiter())) {
    port.port->reach(now());
    counting->append_counters(values);
  }
  if (port.port->node() >= host_count()) {
    switches_[port.port->node() - hosts_.size()]->append_counters(now(), port.number, values);
  }
  return values;
}

Sender* Network::find_port(std::string_view name) {
  const std::vector<NamedPort> all = ports();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [name](const NamedPort& named) { return named.name == name; });
  return found == all.end() ? nullptr : found->port;
}

double Network::host_rates() const {
  double sum = 0;
  for (const Host& host : hosts_) {
    sum += host.nic.wire().rate.per_cycle();
  }
  return sum;
}

std::uint64_t Network::arrived(PacketId id, Cycle last, Cycle begin, Cycle end) const {
  const PacketRecord& record = fabric_.packets.record(id);
  const std::uint64_t flits = fabric_.packets[id].flits;
  const LinkRate rate = scenario_.host_rate(record.destination);
  const std::uint32_t spare = rate.slow() ? record.spare : 0U;
  const auto before = [&](Cycle cycle) {
    return last < cycle ? flits : flits - std::min(flits, rate.left(last + 1 - cycle, spare));
  };
  return end > begin ? before(end) - before(begin) : 0;
}

template <typename Visitor>
void Network::for_each_partly_arrived(Visitor&& visit) const {
  fabric_.events.for_each([&](Cycle when, SimEventKind kind, SimEvent event) {
    if (kind == SimEventKind::Delivered && now() > 0) {
      visit(fabric_.packets.record(event.data),
            arrived(event.data, when, window_begin_, std::min(window_end_, now())));
    }
  });
}

std::vector<ClassStatistics> Network::classes() const {
  std::vector<ClassStatistics> classes = classes_;
  for (std::size_t s = 0; s < senders_.size(); ++s) {
    ClassStatistics& one = classes[s / hosts_.size()];
    one.offered_flits += senders_[s].offered_flits;
    one.accepted_flits += senders_[s].accepted_flits;
  }
  for_each_partly_arrived([&](const PacketRecord& record, std::uint64_t flits) {
    classes[record.entry].accepted_flits += flits;
  });
  return classes;
}

std::vector<HostStatistics> Network::host_statistics() const {
  std::vector<HostStatistics> hosts(hosts_.size());
  for (std::size_t s = 0; s < senders_.size(); ++s) {
    HostStatistics& host = hosts[s % hosts_.size()];
    host.offered_flits += senders_[s].offered_flits;
    host.delivered_flits += senders_[s].accepted_flits;
  }
  for_each_partly_arrived([&](const PacketRecord& record, std::uint64_t flits) {
    hosts[record.source].delivered_flits += flits;
  });
  return hosts;
}

FlitTotals Network::totals() const {
  const Cycle end = now();
  FlitTotals totals{injected_, delivered_, 0};
  std::size_t found = 0;
  constexpr Cycle kNotYet = ~Cycle{0};
  // A packet in the network: some of its flits may be at the source still, some delivered.
  const auto count = [&](PacketId id, Cycle last_arrival) {
    const std::uint32_t flits = fabric_.packets[id].flits;
    const PacketRecord& record = fabric_.packets.record(id);
    const std::uint32_t at_source = hosts_[record.source].nic.left_of(record.injected, flits, end);
    const std::uint64_t at_host = last_arrival == kNotYet ? 0 : arrived(id, last_arrival, 0, end);
    totals.injected -= at_source;
    totals.delivered += at_host;
    totals.in_flight += flits - at_source - at_host;
    ++found;
  };
  fabric_.events.for_each([&](Cycle when, SimEventKind kind, SimEvent event) {
    switch (kind) {
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
  for (const auto& at : switches_) {
    at->for_each_waiting(fabric_.packets,
                         [&](const Waiting& waiting) { count(waiting.packet, kNotYet); });
  }
  for (const Host& host : hosts_) {
    host.nic.for_each_waiting(fabric_.packets, [&](PacketId /*id*/) { ++found; });
  }
  if (found != fabric_.packets.in_use()) {
    throw CheckFailure(fmt::format("cycle {}: {} packets exist, {} are found in the network", end,
                                   fabric_.packets.in_use(), found));
  }
  return totals;
}

std::string Network::place_of(Index node) const {
  return node < host_count() ? fmt::format("host{}", node)
                             : switches_[node - hosts_.size()]->place();
}

std::size_t Network::dead_queues() const { return StallSearch(fabric_, switches_).dead(); }

// Whatever moves has an event to come: new messages alone cannot free what waits in a switch.
// Looking for a part that stands still takes a walk through the network, so it waits until as many
// packets have moved on as make it cheap.
void Network::check_progress() {
  const bool moved = fabric_.flit_hops != checked_flit_hops_;
  if (now() == 0 || (moved && fabric_.packet_hops < next_search_)) {
    return;
  }
  bool moves = moved || fabric_.events.any_match();
  fabric_.events.for_each([&moves](Cycle /*when*/, SimEventKind kind, SimEvent /*event*/) {
    moves = moves || (kind != SimEventKind::Generate && kind != SimEventKind::Credits &&
                      kind != SimEventKind::LateCredits);
  });
  const StallSearch search(fabric_, switches_);
  next_search_ = fabric_.packet_hops + kHopsForALook * search.looked_at();
  if (search.dead() != 0 || (!moves && search.waiting() != 0)) {
    throw CheckFailure(
        fmt::format("cycle {}: {} for good\n{}", now(),
                    moves ? "a part of the network stands still" : "the network stands still",
                    search.explain()));
  }
}

}  // namespace qosarb
