// Networks: exact against the naive model, free of deadlock by their channel dependencies, and what
// theory says of latency and throughput.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "naive_network.hpp"
#include "qosarb/config/check_failure.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/network/network.hpp"
#include "qosarb/network/report.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/dtable.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/rr.hpp"
#include "qosarb/traffic/trace.hpp"
#include "random/random.hpp"
#include "scenarios_under_test.hpp"

namespace qosarb::test {
namespace {

using ::testing::HasSubstr;

TopologyConfig tree(std::vector<int> down, std::vector<int> up, std::vector<int> parallel) {
  TopologyConfig config = topology_of(kPgft);
  config.down = std::move(down);
  config.up = std::move(up);
  config.parallel = std::move(parallel);
  return config;
}

TopologyConfig kary_ntree(int k) {  // of three levels
  TopologyConfig config = tree({k, k, k}, {1, k, k}, {1, 1, 1});
  config.kind = &kKaryNtree;
  return config;
}

TopologyConfig dragonfly(int groups, int switches, int hosts, int links) {
  TopologyConfig config = topology_of(kDragonfly);
  config.groups = groups;
  config.switches = switches;
  config.hosts_per_switch = hosts;
  config.global_links = links;
  return config;
}

/// Small networks of every kind.
std::vector<TopologyConfig> small_networks() {
  std::vector<TopologyConfig> all = {single_switch(5),
                                     grid(kMesh, {5}),
                                     grid(kMesh, {3, 1, 4}, 2),
                                     grid(kMesh, {2, 3, 3}),
                                     grid(kTorus, {5}),
                                     grid(kTorus, {6}),
                                     grid(kTorus, {4, 3}, 2),
                                     grid(kTorus, {2, 3, 4}),
                                     kary_ntree(3),
                                     tree({4, 3}, {1, 2}, {1, 2}),
                                     tree({2, 3, 2}, {1, 2, 2}, {1, 1, 2}),
                                     dragonfly(9, 4, 2, 2),
                                     dragonfly(5, 3, 1, 2),
                                     dragonfly(3, 2, 2, 1),
                                     dragonfly(2, 3, 2, 1)};
  all.push_back(grid(kTorus, {4, 3, 3}));
  all.back().mesh_dims = 0b010;
  all.push_back(grid(kTorus, {4, 3}, 2));
  all.back().trunk = 3;
  for (std::size_t i = 4, end = all.size(); i < end; ++i) {
    if (all[i].kind == &kTorus) {
      all.push_back(all[i]);
      all.back().ties_split = true;
    }
  }
  return all;
}

/// Says what an adaptive routing is to see: each comparison both ways.
class Dictated final : public Congestion {
 public:
  std::uint32_t answers = 0;
  mutable std::uint32_t asked = 0;
  [[nodiscard]] std::uint64_t waiting_flits(int /*port*/, int /*service_level*/) const override {
    return (answers >> (asked++ % 32U)) & 1U;
  }
};

using Channel = std::tuple<Index, int, int>;  // switch, output port, stage

/// Every channel with those that a packet in it may wait for. Also checks that every packet arrives
/// at its host, in a bounded number of hops.
std::map<Channel, std::set<Channel>> dependencies(const TopologyConfig& config) {
  const Topology topology = config.kind->build(config);
  const std::unique_ptr<Routing> routing = config.routing->make(config);
  const Index hosts = topology.hosts;
  std::map<std::pair<Index, int>, Topology::End> far;
  for (const Topology::Link& link : topology.links) {
    far[{link.a.node, link.a.port}] = link.b;
    far[{link.b.node, link.b.port}] = link.a;
  }
  std::map<Channel, std::set<Channel>> waits;
  Random random(1);
  const std::uint32_t draws = routing->in_order() ? 1 : 24;
  for (Index source = 0; source < hosts; ++source) {
    for (Index destination = 0; destination < hosts; ++destination) {
      for (std::uint32_t draw = 0; source != destination && draw < draws; ++draw) {
        PacketRecord record;
        record.source = source;
        record.destination = destination;
        Packet packet;
        packet.destination = destination;
        packet.route = routing->start(record, random);
        Dictated congestion;
        congestion.answers = draw * 0x9e3779b9U;
        Topology::End at = far.at({source, 0});
        std::optional<Channel> last;
        for (int hops = 0; at.node >= hosts; ++hops) {
          const Index number = at.node - hosts;
          const Hop hop = routing->hop(number, at.port, packet, record, &congestion);
          EXPECT_LT(hop.stage, routing->stages());
          const auto next = far.find({at.node, hop.port});
          if (next == far.end() || hops > 64) {
            ADD_FAILURE() << "from " << source << " to " << destination << " at switch " << number
                          << ", port " << hop.port;
            return waits;
          }
          const Channel channel{number, hop.port, hop.stage};
          waits[channel];
          if (last) {
            waits[*last].insert(channel);
          }
          last = channel;
          at = next->second;
        }
        EXPECT_EQ(at.node, destination);
      }
    }
  }
  return waits;
}

/// True if some channel waits for itself, over others.
bool has_ring(const std::map<Channel, std::set<Channel>>& waits) {
  std::map<Channel, int> degree;
  for (const auto& [channel, others] : waits) {
    for (const Channel& other : others) {
      ++degree[other];
    }
  }
  std::vector<Channel> free;
  for (const auto& [channel, others] : waits) {
    if (degree[channel] == 0) {
      free.push_back(channel);
    }
  }
  std::size_t taken = 0;
  while (!free.empty()) {
    const Channel channel = free.back();
    free.pop_back();
    ++taken;
    for (const Channel& other : waits.at(channel)) {
      if (--degree[other] == 0) {
        free.push_back(other);
      }
    }
  }
  return taken != waits.size();
}

TEST(Networks, NoChannelWaitsForItself) {
  std::set<const TopologyKind*> kinds;
  for (TopologyConfig config : small_networks()) {
    kinds.insert(config.kind);
    for (const RoutingKind& routing : config.kind->routings()) {
      SCOPED_TRACE(fmt::format("{} {}", config.kind->name(), routing.name));
      config.routing = &routing;
      EXPECT_FALSE(has_ring(dependencies(config)));
    }
  }
  EXPECT_EQ(kinds.size(), topology_kinds().size()) << "not each of them is in small_networks()";
}

/// A torus' routing without its datelines.
class OneStage final : public Routing {
 public:
  explicit OneStage(const TopologyConfig& config) : routing_(config.routing->make(config)) {}
  [[nodiscard]] Hop hop(Index at, int in_port, Packet& packet, const PacketRecord& record,
                        const Congestion* congestion) const override {
    return {routing_->hop(at, in_port, packet, record, congestion).port, 0};
  }

 private:
  std::unique_ptr<Routing> routing_;
};

const RoutingKind kOneStage = {"one-stage",
                               [](const TopologyConfig& c) -> std::unique_ptr<Routing> {
                                 TopologyConfig inner = c;
                                 inner.routing = &kTorus.routings().front();
                                 return std::make_unique<OneStage>(inner);
                               }};

/// A torus whose first row, of seven switches, is a ring that fills up.
Scenario with_ring(const TopologyConfig& config, const SwitchKind& architecture,
                   const FlowControlKind& flow_control) {
  Scenario s;
  s.topology = config;
  s.arbiter.max_packet_flits = 8;
  s.link_delays.fill(20);  // hosts are ahead of what comes around the ring
  build_with(s, architecture);
  if (architecture.queue_per_input) {  // hosts go first: what is in the ring does not get on
    BxiConfig table{.table = {{0, 800}}};
    for (Index queue = 1; queue < s.arbiter.queues; ++queue) {
      table.table.push_back({queue, 8});
    }
    s.arbiter.policy = policy_named("bxi-basic");
    s.arbiter.parameters = table;
  }
  s.switches.flow_control = &flow_control;
  s.switches.mport_ports = 1;
  s.switches.central_queue_flits = 8;
  s.switches.output_queue_flits = 8;
  s.switches.input_queue_flits = 8;
  while (fault_of_switch(s, config.kind->build(config))) {
    ++s.switches.input_queue_flits;
  }
  s.traffic = {uniform_traffic(0, 1.0, MessageSizes::fixed(512), 7)};
  s.traffic[0].pattern = Pattern::Permutation;
  s.traffic[0].permutation = PermutationKind::Shift;
  s.traffic[0].shift = 3;
  return s;
}

void expect_stall(const Scenario& scenario, const char* what) {
  SCOPED_TRACE(fmt::format("{} {}", scenario.switches.architecture->name,
                           scenario.switches.flow_control->name));
  Network network(scenario, references());
  try {
    network.run(1'000'000);
    ADD_FAILURE() << "no stall";
  } catch (const CheckFailure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr(what));
    EXPECT_THAT(failure.what(), HasSubstr("which is the ring"));
  }
}

TEST(Networks, ATorusWithoutDatelinesHasARingAndTheWatchdogFindsIt) {
  TopologyConfig config = grid(kTorus, {7});
  config.routing = &kOneStage;
  EXPECT_TRUE(has_ring(dependencies(config)));
  for (const SwitchKind* architecture : switch_kinds()) {
    for (const FlowControlKind* flow_control : flow_controls()) {
      expect_stall(with_ring(config, *architecture, *flow_control),
                   ": the network stands still for good");
    }
  }
}

// What stands still for good never gets on, so there is more and more of it. Packets have all
// lengths, or all are short: these find room where the longest would not.
TEST(Networks, WhatStandsStillForGoodNeverGetsOn) {
  TopologyConfig config = grid(kTorus, {7});
  config.routing = &kOneStage;
  for (const SwitchKind* architecture : switch_kinds()) {
    for (const FlowControlKind* flow_control : flow_controls()) {
      for (const std::uint64_t seed : {1, 2}) {
        SCOPED_TRACE(fmt::format("{} {} {}", architecture->name, flow_control->name, seed));
        Scenario s = with_ring(config, *architecture, *flow_control);
        s.seed = seed;
        s.traffic[0].sizes = seed == 1 ? MessageSizes::range(1, 512) : MessageSizes::fixed(64);
        Network network(s, references());
        std::size_t dead = 0;
        std::uint64_t sent = 0;  // between switches
        while (network.now() < 1000) {
          network.run(network.now() + 1);
          const std::size_t before = std::exchange(dead, network.dead_queues());
          ASSERT_GE(dead, before) << network.now();
          std::uint64_t now_sent = 0;
          for (const Network::NamedPort& named : network.ports_with_links()) {
            const bool inner = named.port->node() >= 7 && !named.port->wire().to_host;
            now_sent += inner ? named.port->sent_flits() : 0;
          }
          // Of packets of one length none finds room where another does not.
          ASSERT_TRUE(seed == 1 || before == 0 || now_sent == sent) << network.now();
          sent = now_sent;
        }
        EXPECT_GT(dead, 0U);
        const std::string other = architecture->has_central_buffers ? " central buffer "
                                  : architecture->has_output_queues ? " output queue "
                                                                    : "";
        EXPECT_THAT([&network] { network.run(100'000); },
                    testing::ThrowsMessage<CheckFailure>(testing::AllOf(
                        HasSubstr(" input queue "), HasSubstr(other), HasSubstr("the ring"))));
      }
    }
  }
}

/// Counts the grants of the ports that it observes.
class GrantCounter final : public PortObserver {
 public:
  void on_arrive(Cycle, Index, std::uint32_t, std::uint8_t) override {}
  void on_stop(Cycle, Index, bool) override {}
  void on_decision(Cycle, const Decision& decision) override {
    grants += decision.queue >= 0 ? 1 : 0;
  }
  std::uint64_t grants = 0;
};

TEST(Networks, WhoeverObservesPortsSeesEveryGrantAndChangesNothing) {
  for (const SwitchKind* architecture : switch_kinds()) {
    SCOPED_TRACE(architecture->name);
    Scenario s;
    s.topology = grid(kTorus, {5});
    s.arbiter.queues = 2;
    s.arbiter.max_packet_flits = 16;
    build_with(s, *architecture);
    s.switches.mport_ports = 1;
    s.traffic = {uniform_traffic(0, 0.8, MessageSizes::range(1, 1024), 5)};
    Network alone(s, references());
    Network observed(s, references());
    GrantCounter counter;
    for (const Network::NamedPort& named : observed.ports()) {
      if (named.name.starts_with("switch")) {
        named.port->observe(&counter);
      }
    }
    alone.run(3000);
    observed.run(3000);
    EXPECT_GT(alone.packet_hops(), 500U);
    EXPECT_EQ(counter.grants, alone.packet_hops());
    EXPECT_EQ(observed.packet_hops(), alone.packet_hops());
  }
}

/// A tree's random routing that says what is not so: that it keeps the order of a flow, or, with
/// `astray`, where a packet goes.
class Lies final : public Routing {
 public:
  Lies(const TopologyConfig& config, bool astray)
      : routing_(config.routing->make(config)), astray_(astray) {}
  [[nodiscard]] bool in_order() const override { return true; }
  std::uint32_t start(const PacketRecord& record, qosarb::Random& random) const override {
    return routing_->start(record, random);
  }
  [[nodiscard]] Hop hop(Index at, int in_port, Packet& packet, const PacketRecord& record,
                        const Congestion* congestion) const override {
    Packet other = packet;
    other.destination ^= astray_ ? 1U : 0U;
    return routing_->hop(at, in_port, other, record, congestion);
  }

 private:
  std::unique_ptr<Routing> routing_;
  bool astray_;
};

template <bool kAstray>
std::unique_ptr<Routing> make_lies(const TopologyConfig& config) {
  TopologyConfig inner = config;
  inner.routing = &kPgft.routings().back();
  return std::make_unique<Lies>(inner, kAstray);
}

// What a network promises is watched, whoever breaks it.
TEST(Networks, PacketsThatGoAstrayOrOvertakeAreFound) {
  for (const auto& [kind, fault] :
       {std::pair(RoutingKind{"astray", &make_lies<true>}, "came to the wrong host"),
        std::pair(RoutingKind{"overtaking", &make_lies<false>}, "is not the one that is due")}) {
    Scenario s;
    s.topology = tree({4, 4}, {1, 4}, {1, 1});
    s.topology.routing = &kind;
    s.arbiter.max_packet_flits = 16;
    s.traffic = {uniform_traffic(0, 0.9, MessageSizes::range(1, 1024), 16)};
    Network network(s, references());
    EXPECT_THAT([&network] { network.run(20'000); },
                testing::ThrowsMessage<CheckFailure>(HasSubstr(fault)));
  }
}

/// Takes the first active queue, until it stops deciding.
class GivesUp final : public Arbiter {
 public:
  GivesUp(std::string chip, Cycle when) : chip_(std::move(chip)), when_(when) {}
  Decision decide(Cycle now, Heads heads) override {
    if (now >= when_) {
      throw CheckFailure(fmt::format("cycle {}: {} gives up", now, chip_));
    }
    const auto active =
        std::find_if(heads.begin(), heads.end(), [](const Head& head) { return head.active(); });
    return {active == heads.end() ? -1 : static_cast<int>(active - heads.begin()), 0, 0};
  }
  [[nodiscard]] std::string describe() const override { return {}; }

 private:
  std::string chip_;
  Cycle when_;
};

// Of several shards that find a fault each between two meetings, on one thread or more, the first
// fault is told, as one shard alone does.
TEST(Networks, TheFirstFaultIsToldWhicheverShardFindsIt) {
  Scenario s;
  s.topology = grid(kMesh, {4});
  s.arbiter.max_packet_flits = 16;
  s.traffic = {uniform_traffic(0, 0.3, MessageSizes::fixed(64), 4)};
  const auto fault = [&s](Cycle first_chip, Cycle last_chip, Cut cut) -> std::string {
    const ArbiterFactory factory = [=](const ArbiterConfig& /*config*/, const PortPlace& place) {
      return std::make_unique<GivesUp>(place.chip, place.chip == "switch0"   ? first_chip
                                                   : place.chip == "switch3" ? last_chip
                                                                             : kNever);
    };
    Network network(s, factory, cut);
    try {
      network.run(2000);
    } catch (const CheckFailure& failure) {
      return failure.what();
    }
    return "none";
  };
  // Between two meetings are 21 cycles: the two faults are often in the same ones, and not always.
  for (Cycle when = 500; when < 530; when += 5) {
    const std::string first = fault(when, when + 6, {});
    const std::string last = fault(when + 6, when, {});
    EXPECT_THAT(first, testing::EndsWith("switch0 gives up"));
    EXPECT_THAT(last, testing::EndsWith("switch3 gives up"));
    for (const Cut cut : {Cut{1, 4}, {2, 2}, {2, 4}, {4, 4}}) {
      EXPECT_EQ(fault(when, when + 6, cut), first);
      EXPECT_EQ(fault(when + 6, when, cut), last);
    }
  }
}

// A table that is not strict may serve a queue not at all: its packets wait, those of others go on.
TEST(Networks, AQueueThatNoTableServesWaits) {
  for (const SwitchKind* architecture : switch_kinds()) {
    if (architecture->queue_per_input) {
      continue;  // the queues of its arbiters are inputs
    }
    SCOPED_TRACE(architecture->name);
    Scenario s;
    s.topology = grid(kMesh, {3, 2});
    s.arbiter = {.policy = kBxiDeficit,
                 .queues = 2,
                 .max_packet_flits = 8,
                 .strict = false,
                 .parameters = BxiConfig{.table = {{1, 8}}}};
    s.traffic = {uniform_traffic(0, 0.2, MessageSizes::range(1, 512), 6),
                 uniform_traffic(1, 0.3, MessageSizes::range(1, 512), 6)};
    s.measure = 3000;
    build_with(s, *architecture);
    // NICs serve both, so that the packets of queue 0 come to the switches.
    s.arbiters.push_back({"nics", {.queues = 2, .max_packet_flits = 8}});
    const NaiveOutcome outcome = expect_alike(s);
    EXPECT_GT(outcome.deliveries.size(), 100U);
    // What a host has for itself passes a switch, too: of queue 0 nothing arrives at all.
    Network network(s, references());
    network.run(s.measure);
    const RunReport report = report_of(network);
    EXPECT_GT(report.classes[0].offered, 0.1);
    EXPECT_EQ(report.classes[0].packets, 0U);
    EXPECT_EQ(report.classes[1].packets, outcome.deliveries.size());
  }
}

// A quantum shorter than a packet may let chances pass until what is saved suffices: the next one
// comes a cycle later.
TEST(Networks, AChanceThatATableLetsPassComesAgainAtOnce) {
  for (const SwitchKind* architecture : switch_kinds()) {
    SCOPED_TRACE(architecture->name);
    Scenario s;
    s.topology = grid(kMesh, {3, 2});
    s.arbiter = {.queues = 2, .max_packet_flits = 8};
    build_with(s, *architecture);
    BxiConfig bxi;
    for (int queue = 0; queue < s.arbiter.queues; ++queue) {
      bxi.table.push_back({queue, 1});
    }
    s.arbiter.policy = kBxiDeficit;
    s.arbiter.strict = false;
    s.arbiter.parameters = bxi;
    s.traffic = {uniform_traffic(0, 0.2, MessageSizes::range(1, 512), 6),
                 uniform_traffic(1, 0.3, MessageSizes::range(1, 512), 6)};
    s.measure = 2000;
    const NaiveOutcome outcome = expect_alike(s);
    EXPECT_GT(outcome.deliveries.size(), 100U);
    EXPECT_GT(outcome.decisions, 4 * outcome.deliveries.size()) << "hardly a chance passed";
  }
}

TEST(Networks, ThreadsHaveTheirObstacles) {
  Scenario s;
  s.topology = grid(kMesh, {4});
  s.traffic = {uniform_traffic(0, 0.3, MessageSizes::fixed(64), 4)};
  EXPECT_THROW(Network(s, references(), {.threads = 5}), std::invalid_argument);  // a switch each
  EXPECT_THROW(Network(s, references(), {.threads = 0}), std::invalid_argument);
  EXPECT_THROW(Network(s, references(), {.threads = -1}), std::invalid_argument);
}

TEST(Networks, ARingOfSlowLinksInOneRowIsFoundWhileTheOtherOneGoesOn) {
  TopologyConfig config = grid(kTorus, {7, 2});
  config.routing = &kOneStage;
  for (const SwitchKind* architecture : switch_kinds()) {
    for (const FlowControlKind* flow_control : flow_controls()) {
      Scenario s = with_ring(config, *architecture, *flow_control);
      s.link_rates = {LinkRate{1, 1}, {2, 5}, {}};
      s.traffic.push_back(hot_spot_traffic(0, 0.02, MessageSizes::fixed(512), 7, 14));
      s.traffic[1].hosts = {8, 9, 10, 11, 12, 13};
      if (flow_control->gives_credits) {  // in the first row or in the second one
        for (TrafficEntry& entry : s.traffic) {
          for (int& host : entry.hosts) {
            host = (host + 7) % 14;
          }
        }
        s.traffic[1].hot_spot = 0;
        s.traffic[1].load_ppm = 900'000;  // so that much waits in front of host 0
      }
      expect_stall(s, ": a part of the network stands still for good");
    }
  }
}

TEST(Networks, EventsGiveWhatSteppingEveryFlitGives) {
  std::map<std::pair<std::string_view, std::string_view>, std::uint64_t> deliveries;
  std::map<std::string_view, std::uint64_t> counted;
  std::map<std::string_view, int> threads;
  // QOSARB_NETWORKS in the environment draws more of them.
  const std::uint64_t networks = from_environment("QOSARB_NETWORKS", 24);
  ASSERT_GE(networks, small_networks().size()) << "not each of them is drawn";
  std::vector<std::uint64_t> seeds(networks);
  std::iota(seeds.begin(), seeds.end(), 1);
  // In these it matters with which input a crossbar begins, for which of two packets of different
  // sizes a staging buffer next has room, and that a packet may be read no sooner than it comes.
  seeds.insert(seeds.end(), {25, 35, 379});
  for (const std::uint64_t seed : seeds) {
    const std::vector<TopologyConfig> all = small_networks();
    const Scenario s = random_scenario(seed, all[seed % all.size()]);
    SCOPED_TRACE(fmt::format("seed {}: {} {} {} {}", seed, s.topology.kind->name(),
                             s.topology.routing->name, s.switches.architecture->name,
                             s.switches.flow_control->name));
    const NaiveOutcome outcome = expect_alike(s);
    if (HasFailure()) {
      return;
    }
    deliveries[{s.switches.architecture->name, s.switches.flow_control->name}] +=
        outcome.deliveries.size();
    threads[s.topology.kind->name()] = std::max(threads[s.topology.kind->name()], outcome.threads);
    for (const auto& [counter, value] : outcome.counters) {
      if (counter.starts_with("switch") && (counter.find("_stalls ") != std::string::npos ||
                                            counter.find("vc_blocked ") != std::string::npos)) {
        counted[s.switches.architecture->name] += value;
      }
    }
  }
  EXPECT_EQ(counted.size(), switch_kinds().size());
  for (const auto& [kind, cycles] : counted) {
    EXPECT_GT(cycles, 100) << "cycles of waiting, " << kind;
  }
  for (const auto& [topology, most] : threads) {
    EXPECT_EQ(most, topology == kSingleSwitch.name() ? 1 : 3) << topology;
  }
  EXPECT_EQ(deliveries.size(), switch_kinds().size() * flow_controls().size());
  for (const auto& [kind, packets] : deliveries) {
    EXPECT_GT(packets, 25 * seeds.size()) << kind.first << " " << kind.second;
  }
}

// With more events in a cycle than those whose memory is asked for ahead of their turn.
TEST(Networks, LargeOnesGiveIt) {
  std::set<std::pair<std::string_view, std::string_view>> kinds;
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    Scenario s = random_scenario(seed, grid(kMesh, {13, 13}));
    const std::pair kind(s.switches.architecture->name, s.switches.flow_control->name);
    if (!kinds.insert(kind).second) {
      continue;
    }
    SCOPED_TRACE(fmt::format("seed {}: {} {}", seed, kind.first, kind.second));
    s.measure = std::min<Cycle>(s.measure, 200);
    EXPECT_GT(expect_alike(s).deliveries.size(), 25U);
  }
  EXPECT_EQ(kinds.size(), switch_kinds().size() * flow_controls().size());
}

// More service levels than virtual channels, as they may share these: what is counted by level.
TEST(Networks, ServiceLevelsMayShareQueues) {
  const auto carries = [](Scenario s, int levels, int first, int last) {
    s.switches.input_queue_flits = 768;
    s.link_delays = {5, 5, 5};
    const int hosts = s.topology.kind->build(s.topology).hosts;
    s.traffic = {uniform_traffic(first, 0.1, MessageSizes::fixed(256), hosts),
                 uniform_traffic(last, 0.3, MessageSizes::fixed(256), hosts)};
    s.measure = 3000;
    EXPECT_GT(expect_alike(s).deliveries.size(), 100U);
    Network network(s, references());
    network.run(s.end());
    std::uint64_t all = 0;
    std::uint64_t of_last = 0;
    for (const Network::NamedPort& named : network.ports_with_links()) {
      const auto sent = named.port->sent_of_levels();
      ASSERT_EQ(sent.size(), static_cast<std::size_t>(levels));
      EXPECT_EQ(sent[first] + sent[last], named.port->sent_flits());
      all += named.port->sent_flits();
      of_last += sent[last];
    }
    EXPECT_EQ(all, network.flit_hops());
    EXPECT_NEAR(static_cast<double>(of_last), 0.75 * static_cast<double>(all),
                0.05 * static_cast<double>(all));
  };
  Scenario one;
  one.topology = grid(kMesh, {3});
  one.arbiter = {.policy = kRr, .queues = 1, .max_packet_flits = 8};
  one.vcs = {.stages = 1, .masks = {1, 1, 1, 1}};
  carries(one, 4, 0, 3);
  Scenario other;
  other.topology = dragonfly(5, 3, 1, 2);
  other.topology.routing = &other.topology.kind->routings().back();
  ASSERT_TRUE(other.topology.routing->make(other.topology)->adaptive());
  const int stages = other.topology.routing->make(other.topology)->stages();
  other.arbiter = {.policy = kRr, .queues = stages, .max_packet_flits = 8};
  other.vcs.stages = stages;
  for (int level = 0; level < 9; ++level) {
    for (int stage = 0; stage < stages; ++stage) {
      other.vcs.masks.push_back(std::uint64_t{1} << static_cast<unsigned>(stage));
    }
  }
  carries(other, 9, 7, 8);
}

TEST(Networks, ZeroLoadLatencyIsTheSumOfItsHops) {
  for (const SwitchKind* architecture : switch_kinds()) {
    for (const FlowControlKind* flow_control : flow_controls()) {
      for (int to = 1; to < 6; ++to) {
        for (const std::uint32_t flits : {1U, 16U}) {
          Scenario s;
          s.topology = grid(kMesh, {6});
          s.arbiter.max_packet_flits = 16;
          s.link_delays = {3, 5, 0};
          build_with(s, *architecture);
          s.switches.flow_control = flow_control;
          s.traffic = {one_message(0, flits * s.flit_bytes, 0, to, 100)};
          s.measure = 1000;
          Network network(s, references());
          Cycle arrival = 0;
          network.on_delivery([&arrival](const PacketRecord&, Cycle cycle) { arrival = cycle; });
          network.run(1000);
          // Each switch needs one flit and its pipeline; the wires between them; two to hosts.
          const int hops = to + 1;
          EXPECT_EQ(arrival, 100U + flits + 2 * 3 + to * 5 + hops * (4 + 2 + 2 + 1))
              << architecture->name << " " << flow_control->name << " to " << to;
        }
      }
    }
  }
}

// A class is asked for by the queues of all stages of its service level, not by those whose number
// happens to be the same.
TEST(Networks, AClassAsksForAllQueuesOfItsServiceLevel) {
  Scenario s;
  s.topology = grid(kTorus, {4});
  s.arbiter.queues = 4;
  s.arbiter.policy = kBxiBasic;
  BxiConfig bxi;
  bxi.table = {{0, 100}, {1, 200}, {2, 300}, {3, 400}};
  s.arbiter.parameters = bxi;
  for (const int level : {0, 1}) {
    s.traffic.push_back(uniform_traffic(level, 0.1, MessageSizes::fixed(64), 4));
  }
  const auto asked = [&s] {
    const Network network(s, references());
    std::vector<double> shares;
    for (const ClassReport& row : report_of(network).classes) {
      shares.push_back(row.asked.value_or(-1));
    }
    return shares;
  };
  using testing::DoubleNear;
  const auto is = [](double share) { return DoubleNear(share, 1e-12); };
  EXPECT_THAT(asked(), testing::ElementsAre(is(0.3), is(0.7)));
  s.vcs = {.stages = 2, .masks = {8, 1, 2, 4}};
  EXPECT_THAT(asked(), testing::ElementsAre(is(0.5), is(0.5)));
  s.vcs = {};
  s.channels_per_queue = 2;  // each service level is a class of its own
  EXPECT_THAT(asked(), testing::ElementsAre(is(0.1), is(0.2)));
}

// A trace in which nobody does anything is done before it begins; the other one ends the run.
TEST(Networks, ATraceOfNothingDoesNotHoldARunUp) {
  Scenario s;
  s.topology.ports = 2;
  for (const bool busy : {false, true}) {
    TraceBuilder builder(2);
    for (const int rank : {0, 1}) {
      builder.begin_rank(rank);
      if (busy) {
        builder.calculate(128, 0);
      }
      builder.end_rank();
    }
    s.traffic.emplace_back().trace = std::make_shared<Trace>(builder.finish());
    s.traffic.back().hosts = {0, 1};
  }
  s.measure = kNever;
  Network network(s, references());
  network.run(s.end());
  EXPECT_EQ(network.now(), 100U + 1);  // cycles of 1.28 ns
  EXPECT_EQ(network.find_port("switch0.port2"), nullptr);
  EXPECT_NE(network.find_port("switch0.port1"), nullptr);
}

// Packets of one rank come by other ways than those before them: each receive still gets its own
// message, whether the receives wait for them, come late, or only a few are posted at a time.
TEST(Networks, MessagesThatOvertakeGoToTheirReceives) {
  constexpr std::uint32_t kMessages = 300;
  for (const auto& [late_ns, posted] :
       {std::pair{0U, kMessages}, {100'000U, kMessages}, {0U, 4U}}) {
    Scenario s;
    s.topology = tree({4, 4}, {1, 4}, {1, 1});
    s.topology.routing = &kPgft.routings().back();
    s.arbiter.max_packet_flits = 16;
    s.traffic = {uniform_traffic(0, 0.5, MessageSizes::range(1, 1024), 16), TrafficEntry{}};
    TraceBuilder builder(2);
    builder.begin_rank(0);
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      builder.send(1, i % 3 == 0 ? 1024 : 1, 0);
    }
    builder.end_rank();
    builder.begin_rank(1);
    const std::uint32_t late = builder.calculate(late_ns, 0);
    std::vector<std::uint32_t> receives;
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      receives.push_back(builder.receive(0, 0));
      builder.depends(receives[i], i < posted ? late : receives[i - posted]);
    }
    builder.end_rank();
    s.traffic[1].trace = std::make_shared<Trace>(builder.finish());
    s.traffic[1].hosts = {0, 5};
    s.measure = kNever;
    Network network(s, references());
    network.run(s.end());  // ends with the last receive
    const RunReport report = report_of(network);
    EXPECT_EQ(report.traces[0].messages, kMessages);
    EXPECT_EQ(report.traces[0].bytes, kMessages / 3 * (1024 + 1 + 1));
    EXPECT_GT(report.reordered, 0U);
    EXPECT_GE(report.traces[0].rank_finish_ns[1].value_or(-1), static_cast<double>(late_ns));
  }
}

// One that no file holds is refused without a line.
TEST(Networks, ATraceOfRanksThatWaitForEachOtherIsRefused) {
  TraceBuilder builder(2);
  for (const int rank : {0, 1}) {
    builder.begin_rank(rank);
    const std::uint32_t got = builder.receive(1 - rank, 0);
    builder.depends(builder.send(1 - rank, 8, 0), got);
    builder.end_rank();
  }
  Scenario s;
  s.topology.ports = 2;
  s.traffic.emplace_back().trace = std::make_shared<Trace>(builder.finish());
  s.traffic.back().hosts = {0, 1};
  s.measure = kNever;
  Network network(s, references());
  EXPECT_THAT([&] { network.run(s.end()); }, testing::ThrowsMessage<InputError>(testing::StartsWith(
                                                 ": the ranks wait for each other for ever")));
}

// A table that is not strict may serve no queue that has packets, or need many cycles to let a long
// one go: a run that only its trace ends tells one from the other.
TEST(Networks, ATraceEndsWhereAnArbiterLetsNothingGo) {
  TraceBuilder builder(2);
  builder.begin_rank(0);
  builder.send(1, 64 * 64, 0);
  builder.end_rank();
  builder.begin_rank(1);
  builder.receive(0, 0);
  builder.end_rank();
  const auto table = [](PolicyRef policy) {
    return ArbiterConfig{.policy = policy,
                         .queues = 1,
                         .max_packet_flits = 64,
                         .strict = false,
                         .parameters = BxiConfig{.table = {{0, 1}}}};
  };
  Scenario s;
  s.topology.ports = 2;
  s.arbiter = {.queues = 1, .max_packet_flits = 64};
  s.traffic.emplace_back().trace = std::make_shared<Trace>(builder.finish());
  s.traffic.back().hosts = {0, 1};
  s.measure = kNever;
  for (const char* at : {"nics", "switches"}) {
    s.arbiters = {{at, table(kBxiDeficit)}};
    Network waits(s, references());
    waits.run(s.end());
    EXPECT_TRUE(waits.finished());
    s.arbiters = {{at, table(kBxiBasic)}};
    Network never(s, references());
    EXPECT_THAT([&] { never.run(3'000'000); },
                testing::ThrowsMessage<CheckFailure>(HasSubstr("which is not strict")));
    s.switches.architecture = &kInputQueued;  // whose outputs ask when they are matched
  }
}

TEST(Traces, HaveNoMoreOperationsThanTheyMay) {
  TraceBuilder builder(1, 2);
  builder.begin_rank(0);
  builder.calculate(1, 0);
  builder.calculate(1, 0);
  EXPECT_THROW(builder.calculate(1, 0), TraceFault);
}

// A host asks for credits that are on their way for longer than anybody looks: not for good. All of
// the receiver's room is a packet's, so one comes every 16 + 2 x 20,000 cycles and what switches
// add.
TEST(Networks, CreditsOnALongWireAreNoStandstill) {
  Scenario s;
  s.topology = grid(kMesh, {2});
  s.arbiter.queues = 1;
  s.arbiter.max_packet_flits = 16;
  s.link_delays = {0, 20'000, 0};
  s.switches.flow_control = &kCredit;
  s.switches.input_queue_flits = 16;
  s.switches.output_queue_flits = 16;
  s.traffic = {hot_spot_traffic(0, 0.01, MessageSizes::fixed(1024), 1, 2)};
  s.measure = 400'000;
  Network network(s, references());
  network.run(s.end());
  EXPECT_EQ(report_of(network).classes[0].packets, 10U);
}

// The packets of two hosts go over one link of switches before a credit of it can be back.
TEST(Networks, TheFullestInputMayBeThatOfALinkOfSwitches) {
  Scenario s;
  s.topology = grid(kMesh, {2}, 2);
  s.arbiter.max_packet_flits = 16;
  s.link_delays.fill(20);
  s.switches.flow_control = &kCredit;
  s.traffic = {one_message(0, 1024, 0, 2, 0), one_message(0, 1024, 1, 2, 0)};
  s.measure = 1000;
  Network network(s, references());
  network.run(s.end());
  const RunReport report = report_of(network);
  EXPECT_EQ(report.classes[1].packets, 1U);
  EXPECT_EQ(report.peaks.input_queue_flits, 2U * 16);
}

// The random ones have hardly any congestion of a class beside the last one.
TEST(Networks, AnAdaptiveRoutingMaySeeAllClasses) {
  Scenario s;
  s.topology = dragonfly(5, 3, 1, 2);
  s.topology.routing = &kDragonfly.routings().back();
  EXPECT_EQ(s.topology.routing->name, "adaptive");
  s.topology.own_class_view = false;
  s.arbiter.queues = 8;
  s.arbiter.max_packet_flits = 8;
  s.switches.output_queue_flits = 64;
  s.traffic = {hot_spot_traffic(0, 0.5, MessageSizes::fixed(512), 0, 15),
               uniform_traffic(1, 0.2, MessageSizes::fixed(512), 15)};
  s.warmup = 0;
  s.measure = 800;
  EXPECT_GT(expect_alike(s).deliveries.size(), 100U);
}

// A ring whose queues are full has been told to stop by frames that are still on their way: it goes
// on, and so does the same traffic a while later, when somebody happens to look at it then.
TEST(Networks, AFrameOnItsWayIsNoStandstill) {
  const auto latencies = [](Cycle offset) {
    Scenario s;
    s.topology = grid(kTorus, {4}, 2);
    s.arbiter.queues = 2;
    s.arbiter.max_packet_flits = 4;
    s.link_delays = {0, 2'000, 0};
    s.vcs = {.stages = 2, .masks = {1, 2, 2, 1}};
    s.switches.architecture = &kInputQueued;
    s.switches.input_queue_flits = 4'219;
    s.switches.output_queue_flits = 4;
    s.switches.input_latency = 0;
    s.switches.crossbar_latency = 2;
    s.switches.output_latency = 2;
    for (const int queue : {0, 1}) {
      TrafficEntry entry = uniform_traffic(queue, 0, MessageSizes::fixed(256), 8);
      entry.pattern = Pattern::Permutation;
      entry.permutation = PermutationKind::Shift;
      entry.shift = 4;
      entry.arrival = Arrival::Burst;
      entry.burst_bytes = 39'424;
      entry.burst_period = 10'000;
      entry.burst_offset = offset;
      entry.messages = 7'700;
      s.traffic.push_back(entry);
    }
    s.measure = 600'000;
    Network network(s, references());
    network.run(s.end());
    EXPECT_EQ(network.packets_in_use(), 0U);
    return report_of(network).classes[0].packet_latency.mean;
  };
  EXPECT_EQ(latencies(0), latencies(4'200));  // a multiple of what the turns of 4 ports take
}

// What no port has neither cuts packets nor asks for shares.
TEST(Networks, AnArbiterThatNoPortHasCountsForNothing) {
  Scenario s;
  s.topology = single_switch(2);
  s.arbiter.policy = kDTable;
  s.arbiter.queues = 1;
  s.arbiter.max_packet_flits = 16;
  s.arbiter.parameters = DTableConfig{.queue_sl = {0}, .sl_mtu = {4}, .table = {{0, 30}}};
  s.traffic = {one_message(0, 1024, 0, 1, 10)};
  s.measure = 1'000;
  const auto report = [&s] {
    Network network(s, references());
    network.run(s.end());
    return report_of(network);
  };
  EXPECT_EQ(report().classes[0].packets, 4U);
  ArbiterConfig other;
  other.queues = 1;
  other.max_packet_flits = 16;
  s.arbiters = {{"nics", other}};
  EXPECT_EQ(report().classes[0].packets, 4U);
  s.arbiters.push_back({"switches", other});
  EXPECT_EQ(report().classes[0].packets, 1U);
  s.arbiter.policy = kBxiDeficit;
  s.arbiter.parameters = BxiConfig{.table = {{0, 16}}};
  EXPECT_EQ(report().classes[0].asked, std::nullopt);
  s.arbiters.pop_back();
  EXPECT_EQ(report().classes[0].asked, 1.0);
}

TEST(Networks, NothingIsLostUnderIncastAndTheNetworkRunsEmpty) {
  for (const TopologyConfig& config : small_networks()) {
    for (const SwitchKind* architecture : switch_kinds()) {
      for (const FlowControlKind* flow_control : flow_controls()) {
        SCOPED_TRACE(
            fmt::format("{} {} {}", config.kind->name(), architecture->name, flow_control->name));
        Scenario s;
        s.topology = config;
        const int hosts = config.kind->build(config).hosts;
        s.arbiter.queues = config.routing->make(config)->stages();
        s.arbiter.max_packet_flits = 16;
        build_with(s, *architecture);
        s.switches.flow_control = flow_control;
        s.switches.mport_ports = 1;  // larger ones join what a routing keeps apart
        s.link_rates = {LinkRate{1, 1}, {3, 4}, {1, 2}};
        s.traffic = {hot_spot_traffic(0, 0.5, MessageSizes::range(1, 1024), 0, hosts),
                     uniform_traffic(0, 0.1, MessageSizes::range(1, 1024), hosts)};
        Network network(s, references());
        network.run(2000);
        EXPECT_EQ(network.totals().lost(), 0);
        EXPECT_EQ(network.dead_queues(), 0U);
        network.stop_traffic();
        network.run(2'000'000);
        const FlitTotals totals = network.totals();
        EXPECT_EQ(totals.injected, totals.delivered);
        EXPECT_EQ(network.packets_in_use(), 0U);
        std::uint64_t sent = 0;
        for (const Network::NamedPort& named : network.ports()) {
          sent += named.port->sent_flits();
        }
        EXPECT_EQ(sent, network.flit_hops());
      }
    }
  }
}

}  // namespace
}  // namespace qosarb::test
