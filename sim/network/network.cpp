#include "qosarb/network/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "qosarb/config/check_failure.hpp"
#include "qosarb/network/shards.hpp"
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

}  // namespace

Network::Network(const Scenario& scenario, const ArbiterFactory& factory, Cut cut)
    : Network(scenario, factory, scenario.topology.routing->make(scenario.topology), cut) {}

Network::Network(Scenario scenario, const ArbiterFactory& factory, std::unique_ptr<Routing> routing,
                 Cut cut)
    : nodes_(std::move(scenario), std::move(routing)) {
  const Scenario& of = nodes_.scenario;
  if (const auto fault = fault_of_switch(of, of.topology.kind->build(of.topology))) {
    throw std::invalid_argument(fault->says);
  }
  if (const auto obstacle = obstacle_to_threads(of, cut.threads)) {
    throw std::invalid_argument(*obstacle);
  }
  build(factory, cut);
}

Network::~Network() = default;

std::optional<std::string> obstacle_to_threads(const Scenario& scenario, int threads) {
  if (threads < 1) {
    return fmt::format("a network does not run on {} threads", threads);
  }
  if (threads == 1) {
    return std::nullopt;
  }
  if (scenario.has_traces()) {
    return "the ranks of a trace run on one thread, as they tell each other at once when they are "
           "done";
  }
  const int most = Cuts(scenario.topology.kind->build(scenario.topology)).most();
  if (threads > most) {
    return fmt::format("a network with hosts at {} {} runs on {} at most", most,
                       most == 1 ? "switch" : "switches",
                       most == 1 ? "one thread" : fmt::format("{} threads", most));
  }
  return std::nullopt;
}

void Network::build_fabric(Fabric& fabric, const Topology& topology, Cut cut) const {
  const Scenario& scenario = nodes_.scenario;
  const SwitchConfig& config = scenario.switches;
  fabric.routing = nodes_.routing.get();
  fabric.adaptive = nodes_.routing->adaptive();
  fabric.hosts = topology.hosts;
  fabric.known_hops = nodes_.known_hops.empty() ? nullptr : nodes_.known_hops.data();
  fabric.large = cut.large.value_or(topology.hosts + count(topology.switch_ports) > kInTheCache);
  fabric.events.switches(topology.switch_ports.size());
  fabric.vc_allocation = scenario.vc_allocation;
  fabric.vcs = vc_map();
  fabric.find_only_vcs();
  fabric.events.span(scenario.longest_delay() + config.input_latency + config.crossbar_latency +
                     config.output_latency +
                     scenario.slowest_rate().cycles_of(scenario.arbiter.max_packet_flits) + 2);
  fabric.reader = config.architecture->reader(config);
  fabric.gives_credits = config.flow_control->gives_credits;
}

void Network::build(const ArbiterFactory& factory, Cut cut) {
  const Scenario& scenario = nodes_.scenario;
  const Topology topology = scenario.topology.kind->build(scenario.topology);
  const Cuts cuts(topology);
  const int shards = cut.shards != 0 ? cut.shards : cuts.fastest(scenario, topology, cut.threads);
  if (shards < cut.threads || shards > cuts.most()) {
    throw std::invalid_argument(fmt::format("{} shards are to run on {} threads, of at most {}",
                                            shards, cut.threads, cuts.most()));
  }
  const std::vector<Index> shard_of = cuts.into(shards);
  look_ahead_ = qosarb::look_ahead(scenario, topology, shard_of);
  ask_routing_before(topology);
  build_shards(topology, shards, cut);
  if (Fabric& fabric = shards_.front()->fabric; fabric.large) {
    fabric.packets.ask_for_huge_pages();
    nodes_.packet_ends.ask_for_huge_pages();
  }
  build_nodes(topology, factory);
  Index direction = 0;
  for (const Topology::Link& link : topology.links) {
    connect(link.a, link.b, link.kind, direction++, shard_of);
    connect(link.b, link.a, link.kind, direction++, shard_of);
  }

  for (const TrafficEntry& entry : scenario.traffic) {
    nodes_.ways.push_back({.vcs = shards_.front()->fabric.vcs.of(entry.queue, 0),
                           .longest = longest_packet(entry.queue),
                           .level = static_cast<std::uint16_t>(entry.queue),
                           .trace = entry.trace != nullptr});
  }
  for (Index entry = 0; entry < count(scenario.traffic); ++entry) {
    add_sources(static_cast<std::uint16_t>(entry), topology.hosts);
  }
  nodes_.shard_of_host.assign(shard_of.begin(), shard_of.begin() + topology.hosts);
  for (Index host = 0; host < topology.hosts; ++host) {
    shards_[shard_of[host]]->plan_generation(host);
  }
}

void Network::build_shards(const Topology& topology, int shards, Cut cut) {
  const Scenario& scenario = nodes_.scenario;
  const std::size_t directions = 2 * topology.links.size();
  const std::size_t entries = scenario.traffic.size();
  const bool gives_credits = scenario.switches.flow_control->gives_credits;
  for (int thread = 0; thread < cut.threads; ++thread) {
    commons_.push_back(
        {.credits =
             std::vector<Credits>(1 + (gives_credits ? directions * scenario.link_vcs() : 0)),
         .sent_flits = std::vector<std::uint64_t>(directions * vc_map().service_levels()),
         .classes = std::vector<ClassStatistics>(entries),
         .senders = std::vector<SenderStatistics>(entries * topology.hosts),
         .class_totals = std::vector<ClassTotals>(entries)});
  }
  for (Index number = 0; number < shards; ++number) {
    shards_.push_back(
        std::make_unique<Shard>(nodes_, commons_[thread_of(number, shards, cut.threads)], number,
                                shards, number == 0 ? nullptr : shards_.front().get()));
    build_fabric(shards_.back()->fabric, topology, cut);
  }
}

void Network::build_nodes(const Topology& topology, const ArbiterFactory& factory) {
  const Scenario& scenario = nodes_.scenario;
  const ArbiterConfig& arbiter = scenario.arbiter;
  const int queues = scenario.link_vcs();
  const int levels = vc_map().service_levels();
  const auto make_arbiter = [&](const std::string& chip, const std::string& port) {
    const ArbiterConfig& here = scenario.arbiter_at(chip, port);
    in_force_.insert(&here);
    std::unique_ptr<Arbiter> made = factory(here, {chip, port});
    if (scenario.channels_per_queue > 1) {
      made = std::make_unique<ClassArbiter>(std::move(made), arbiter.queues,
                                            scenario.channels_per_queue);
    }
    return made;
  };
  nodes_.hosts.reserve(topology.hosts);
  for (Index host = 0; host < topology.hosts; ++host) {
    const std::string name = fmt::format("host{}", host);
    nodes_.hosts.push_back({.nic = Egress(name + ".nic", host, 0, queues, make_arbiter(name, "nic"),
                                          SimEventKind::Inject),
                            .backlogs = std::vector<Backlog>(queues),
                            .generated = std::vector<std::uint32_t>(levels),
                            .routes = Random(scenario.seed, host, ~std::uint64_t{0})});
  }
  for (Index number = 0; number < count(topology.switch_ports); ++number) {
    const std::string name = fmt::format("switch{}", number);
    nodes_.switches.push_back(scenario.switches.architecture->make(
        {.config = scenario.switches,
         .place = name,
         .node = topology.node_of(number),
         .number = number,
         .ports = topology.switch_ports[number],
         .queues = queues,
         .service_levels = levels,
         .arbiter_queues = arbiter.queues,
         .max_packet_flits = arbiter.max_packet_flits,
         .arbiter = [&](int port) { return make_arbiter(name, fmt::format("port{}", port)); }}));
  }
}

Mask Network::queues_of(int level) const {
  const int channels = nodes_.scenario.channels_per_queue;
  const int classes = nodes_.scenario.link_vcs() / channels;
  const VcMap& vcs = shards_.front()->fabric.vcs;
  Mask queues = 0;
  for (int stage = 0; stage < vcs.stages; ++stage) {
    for (Mask left = vcs.of(level, stage); left != 0; left &= left - 1) {
      for (int queue = lowest(left) / channels; queue < nodes_.scenario.arbiter.queues;
           queue += classes) {
        queues |= Mask{1} << queue;
      }
    }
  }
  return queues;
}

// It fits all queues that its service level may use, at all ports.
std::uint32_t Network::longest_packet(int level) const {
  std::uint32_t longest = nodes_.scenario.arbiter.max_packet_flits;
  const auto fit = [&](const ArbiterConfig& one) {
    for (Mask left = queues_of(level); left != 0; left &= left - 1) {
      if (lowest(left) < one.queues) {  // a NIC may have none for each input
        longest = std::min(longest, max_packet_flits(one, lowest(left)));
      }
    }
  };
  for (const ArbiterConfig* one : in_force_) {
    fit(*one);
  }
  return longest;
}

void Network::ask_routing_before(const Topology& topology) {
  const Index switches = count(topology.switch_ports);
  const Routing& routing = *nodes_.routing;
  if (!routing.by_destination() || std::int64_t{switches} * topology.hosts > kMostKnownHops) {
    return;
  }
  for (Index at = 0; at < switches; ++at) {
    for (Index destination = 0; destination < topology.hosts; ++destination) {
      Packet packet;
      packet.destination = destination;
      const Hop hop = routing.hop(at, 0, packet, {}, nullptr);
      KnownHop& known = nodes_.known_hops.emplace_back();
      known.port = hop.port & 0x3f;
      known.stage = hop.stage & 0x3;
    }
  }
}

void Network::add_sources(std::uint16_t index, int hosts) {
  const TrafficEntry& entry = nodes_.scenario.traffic[index];
  const auto add = [&](int host, std::unique_ptr<Source> source) {
    const Cycle next = source->next();
    nodes_.hosts[host].sources.push_back({index, std::move(source), next});
  };
  nodes_.traces.emplace_back();
  if (entry.trace != nullptr) {
    nodes_.traces.back() = std::make_unique<TraceRun>(
        *entry.trace, entry.hosts,
        TimeBase::of(nodes_.scenario.link_mbps, nodes_.scenario.flit_bytes),
        nodes_.scenario.flit_bytes);
    for (int rank = 0; rank < entry.trace->ranks(); ++rank) {
      add(entry.hosts[rank], nodes_.traces.back()->source(rank));
    }
    nodes_.senders.push_back(nodes_.traces.back()->hosts_that_send());
    nodes_.finished[index] = nodes_.traces.back()->finished();
    nodes_.traces_left = std::max(nodes_.traces_left, 0) + (nodes_.finished[index] ? 0 : 1);
    return;
  }
  std::vector<int>& senders = nodes_.senders.emplace_back();
  std::vector<int> partners;
  if (entry.pattern == Pattern::Permutation) {
    partners = permutation_of(entry, hosts, nodes_.scenario.seed, index);
  }
  for (const int host : entry.hosts) {
    if (partners.empty() || partners[host] >= 0) {
      senders.push_back(host);
      add(host, std::make_unique<TrafficSource>(entry, index, host, hosts,
                                                nodes_.scenario.flit_bytes, nodes_.scenario.seed,
                                                partners, nodes_.scenario.host_rate(host)));
    }
  }
}

// `direction` counts them; the two of a link differ in the lowest bit.
void Network::connect(const Topology::End& from, const Topology::End& to, LinkKind kind,
                      Index direction, std::span<const Index> shard_of) {
  const Index hosts = host_count();
  const int queues = nodes_.scenario.link_vcs();
  const int levels = vc_map().service_levels();
  const SwitchConfig& config = nodes_.scenario.switches;
  const auto latency = [&](Index node) {
    return node < hosts ? 0 : config.architecture->grant_to_wire(config);
  };
  const std::uint32_t delay = nodes_.scenario.delay_of(from, kind);
  const bool here = shard_of[from.node] == shard_of[to.node];
  const Index shard = here ? Fabric::kHere : shard_of[to.node];
  Fabric& fabric = shards_[shard_of[from.node]]->fabric;
  const Wire wire{.node = to.node,
                  .port = to.port,
                  .to_host = to.node < hosts,
                  .delay = delay,
                  .latency = latency(from.node),
                  .frame_flits = pause_frame_flits(nodes_.scenario.flit_bytes),
                  .credits = to.node >= hosts && config.flow_control->gives_credits
                                 ? config.input_queue_flits
                                 : 0,
                  .input_latency = config.input_latency,
                  .first_credits = 1 + direction * queues,
                  .first_sent = direction * levels,
                  .service_levels = levels,
                  .vcs = queues,
                  .shard = shard,
                  .rate = nodes_.scenario.rate_of(from, kind)};
  nodes_.slow_hosts = nodes_.slow_hosts || (wire.to_host && wire.rate.slow());
  if (from.node < hosts) {
    nodes_.hosts[from.node].nic.connect(fabric, wire);
  } else {
    nodes_.switches[from.node - hosts]->connect(fabric, from.port, wire,
                                                {.delay = delay,
                                                 .latency = latency(to.node),
                                                 .first_credits = 1 + (direction ^ 1) * queues,
                                                 .shard = shard});
  }
}

void Network::run(Cycle end) {
  while (now() < end && !finished()) {
    if (now() >= next_check_) {
      check_progress();
      // Where nothing moves because ranks calculate, less and less often.
      check_interval_ = flit_hops() == checked_flit_hops_ ? 2 * check_interval_ : kProgressCycles;
      next_check_ = now() + check_interval_;
      checked_flit_hops_ = flit_hops();
    }
    const Cycle until = std::min(end, next_check_);
    if (shards_.size() == 1) {
      shards_.front()->run(until);
    } else {
      run_side_by_side(shards_, count(commons_), until, [this] { return look_ahead(); });
    }
  }
}

// The run ends with the cycle in which the last rank is done, and none of them may run on behind
// it. A message that is not sent yet does not arrive before it has crossed two links and a switch.
Cycle Network::look_ahead() const {
  if (nodes_.traces_left < 0) {
    return look_ahead_;
  }
  if (finished()) {
    return 0;
  }
  const bool may_end = std::all_of(
      nodes_.traces.begin(), nodes_.traces.end(),
      [](const std::unique_ptr<TraceRun>& one) { return one == nullptr || one->all_sent(); });
  return may_end ? 1 : std::min(look_ahead_, Cycle{nodes_.scenario.switches.input_latency} + 1);
}

void Network::every_cycle(std::function<void(Cycle)> hook) {
  if (shards_.size() > 1) {
    throw std::logic_error("shards of a network are not in the same cycle");
  }
  nodes_.after_cycle = std::move(hook);
}

std::size_t Network::packets_in_use() const {
  std::int64_t in_use = 0;
  for (const auto& one : shards_) {
    in_use += one->packets_in_use();
  }
  return in_use;
}

SwitchPeaks Network::peaks() const {
  SwitchPeaks all;
  const auto add = [&all](std::uint32_t input, std::uint32_t output) {
    all.input_queue_flits = std::max(all.input_queue_flits, input);
    all.output_queue_flits = std::max(all.output_queue_flits, output);
  };
  for (const auto& at : nodes_.switches) {
    const SwitchPeaks peaks = at->peaks(now());
    add(peaks.input_queue_flits, peaks.output_queue_flits);
    for (int port = 0; port < at->ports(); ++port) {
      add(std::as_const(*at).sender(port).most_taken(), 0);
    }
  }
  for (const Host& host : nodes_.hosts) {
    add(host.nic.most_taken(), 0);
  }
  return all;
}

std::vector<Network::NamedPort> Network::ports() {
  std::vector<NamedPort> all;
  for (const auto& at : nodes_.switches) {
    for (int port = 0; port < at->ports(); ++port) {
      Sender& sender = at->sender(port);
      all.push_back({sender.place(), &sender, port});
    }
  }
  for (Host& host : nodes_.hosts) {
    all.push_back({host.nic.place(), &host.nic});
  }
  return all;
}

std::vector<Network::NamedPort> Network::ports_with_links() {
  std::vector<NamedPort> all = ports();
  std::erase_if(all, [](const NamedPort& named) { return !named.port->has_link(); });
  return all;
}

std::vector<CounterValue> Network::counters(const NamedPort& port) {
  std::vector<CounterValue> values;
  if (const auto* const counting = dynamic_cast<const Counting*>(&port.port->arbiter())) {
    port.port->reach(now());
    counting->append_counters(values);
  }
  if (port.port->node() >= host_count()) {
    nodes_.switches[port.port->node() - nodes_.hosts.size()]->append_counters(now(), port.number,
                                                                              values);
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
  for (const Host& host : nodes_.hosts) {
    sum += host.nic.wire().rate.per_cycle();
  }
  return sum;
}

template <typename Visitor>
void Network::for_each_partly_arrived(Visitor&& visit) const {
  for_each_event([&](Cycle when, SimEventKind kind, SimEvent event) {
    if (kind == SimEventKind::Delivered && now() > 0) {
      visit(packets().record(event.data),
            arrived(event.data, when, nodes_.window_begin, std::min(nodes_.window_end, now())));
    }
  });
}

std::vector<ClassStatistics> Network::classes() const {
  std::vector<ClassStatistics> classes(nodes_.scenario.traffic.size());
  for (const Common& common : commons_) {
    for (std::size_t entry = 0; entry < classes.size(); ++entry) {
      classes[entry].add(common.classes[entry]);
    }
    for (std::size_t s = 0; s < common.senders.size(); ++s) {
      ClassStatistics& one = classes[s / nodes_.hosts.size()];
      one.offered_flits += common.senders[s].offered_flits;
      one.accepted_flits += common.senders[s].accepted_flits;
    }
  }
  for_each_partly_arrived([&](const PacketRecord& record, std::uint64_t flits) {
    classes[record.entry].accepted_flits += flits;
  });
  return classes;
}

std::vector<HostStatistics> Network::host_statistics() const {
  std::vector<HostStatistics> hosts(nodes_.hosts.size());
  for (const Common& common : commons_) {
    for (std::size_t s = 0; s < common.senders.size(); ++s) {
      HostStatistics& host = hosts[s % nodes_.hosts.size()];
      host.offered_flits += common.senders[s].offered_flits;
      host.delivered_flits += common.senders[s].accepted_flits;
    }
  }
  for_each_partly_arrived([&](const PacketRecord& record, std::uint64_t flits) {
    hosts[record.source].delivered_flits += flits;
  });
  return hosts;
}

SenderStatistics Network::sender_statistics(std::size_t entry, int host) const {
  SenderStatistics statistics;
  for (const Common& common : commons_) {
    statistics.add(common.senders[entry * nodes_.hosts.size() + host]);
  }
  return statistics;
}

std::vector<ClassTotals> Network::class_totals() const {
  std::vector<ClassTotals> totals(nodes_.scenario.traffic.size());
  for (const Common& common : commons_) {
    for (std::size_t entry = 0; entry < totals.size(); ++entry) {
      totals[entry].add(common.class_totals[entry]);
    }
  }
  return totals;
}

FlitTotals Network::totals() const {
  const Cycle end = now();
  FlitTotals totals{sum([](const Shard& one) { return one.injected; }),
                    sum([](const Shard& one) { return one.delivered; }), 0};
  std::size_t found = 0;
  // A packet in the network: some of its flits may be at the source still, some delivered.
  const auto count = [&](PacketId id, Cycle last_arrival) {
    const std::uint32_t flits = packets()[id].flits;
    const PacketRecord& record = packets().record(id);
    const std::uint32_t at_source =
        nodes_.hosts[record.source].nic.left_of(record.injected, flits, end);
    const std::uint64_t at_host = last_arrival == kNever ? 0 : arrived(id, last_arrival, 0, end);
    totals.injected -= at_source;
    totals.delivered += at_host;
    totals.in_flight += flits - at_source - at_host;
    ++found;
  };
  for_each_event([&](Cycle when, SimEventKind kind, SimEvent event) {
    switch (kind) {
      case SimEventKind::Delivered:
        return count(event.data, when);
      case SimEventKind::HeadArrives:
      case SimEventKind::Ready:
      case SimEventKind::Visible:
        return count(event.data, kNever);
      default:
        return;
    }
  });
  for (const auto& at : nodes_.switches) {
    at->for_each_waiting(packets(), [&](const Waiting& waiting) { count(waiting.packet, kNever); });
  }
  for (const Host& host : nodes_.hosts) {
    host.nic.for_each_waiting(packets(), [&](PacketId /*id*/) { ++found; });
  }
  const std::size_t exist =
      packets_in_use() - sum([](const Shard& one) { return one.in_backlogs; });
  if (found != exist) {
    throw CheckFailure(
        fmt::format("cycle {}: {} packets exist, {} are found in the network", end, exist, found));
  }
  return totals;
}

std::string Network::place_of(Index node) const {
  return node < host_count() ? fmt::format("host{}", node)
                             : nodes_.switches[node - nodes_.hosts.size()]->place();
}

std::size_t Network::dead_queues() const { return stall_search().dead(); }

// Of the frames on their way it is said where they come in.
StallSearch Network::stall_search() const {
  std::set<std::uint32_t> frames;
  for_each_event([&frames](Cycle /*when*/, SimEventKind kind, SimEvent event) {
    if (kind == SimEventKind::PauseFrame) {
      frames.insert(event.where);
    }
  });
  return {shards_.front()->fabric, nodes_.switches, std::move(frames)};
}

// Whatever moves has an event to come, credits on their way among them: new messages alone cannot
// free what waits in a switch.
// Looking for a part that stands still takes a walk through the network, so it waits until as many
// packets have moved on as make it cheap.
void Network::check_progress() {
  const bool moved = flit_hops() != checked_flit_hops_;
  if (now() == 0 || (moved && packet_hops() < next_search_)) {
    return;
  }
  if (!moved && nodes_.scenario.measure == kNever) {
    check_arbiters();
  }
  next_search_ = packet_hops() + kHopsForALook * search_for_stall(moved);
}

// A table that is not strict may have no entry for a queue, or turns too short for its packets, and
// without a window nothing would end the run. Where a port lets nothing go in as many cycles as its
// longest packet has flits, each of which may add a flit to a deficit, it never will: its heads
// stay as they are if all that is to come are such cycles. Until nothing else is, wires and
// pipelines take less than kLongestWay, and a wire is busy for kSlowest cycles a flit at most.
void Network::check_arbiters() const {
  constexpr Cycle kLongestWay = 1 << 19;
  constexpr Cycle kSlowest = 1024;
  if (check_interval_ < kLongestWay + kSlowest * nodes_.scenario.arbiter.max_packet_flits) {
    return;
  }
  // An output without a queue asks when it is matched.
  if (nodes_.scenario.switches.architecture->has_output_queues && any_match()) {
    return;
  }
  std::set<Index> asking;
  bool other = false;
  for_each_event([&](Cycle when, SimEventKind kind, SimEvent event) {
    const bool asks = kind == SimEventKind::Serve || kind == SimEventKind::Inject;
    other = other || !asks || when > now();
    asking.insert(event.node());
  });
  if (!other && (any_match() || !asking.empty())) {
    throw CheckFailure(
        fmt::format("cycle {}: the network stands still for good\n{} has packets, and its arbiter, "
                    "which is not strict, lets none of them go",
                    now(), asking.empty() ? std::string("a switch") : place_of(*asking.begin())));
  }
}

bool Network::any_match() const {
  return std::any_of(shards_.begin(), shards_.end(),
                     [](const auto& one) { return one->fabric.events.any_match(); });
}

std::size_t Network::search_for_stall(bool moves) const {
  moves = moves || any_match();
  for_each_event([&moves](Cycle /*when*/, SimEventKind kind, SimEvent /*event*/) {
    moves = moves || kind != SimEventKind::Generate;
  });
  const StallSearch search = stall_search();
  if (search.dead() != 0 || (!moves && search.waiting() != 0)) {
    throw CheckFailure(
        fmt::format("cycle {}: {} for good\n{}", now(),
                    moves ? "a part of the network stands still" : "the network stands still",
                    search.explain()));
  }
  return search.looked_at();
}

}  // namespace qosarb
