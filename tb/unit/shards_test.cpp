// How a network is cut into shards, and what they share.
#include "qosarb/network/shards.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "qosarb/config/check_failure.hpp"
#include "qosarb/network/report.hpp"
#include "qosarb/network/statistics.hpp"
#include "qosarb/traffic/trace.hpp"
#include "scenarios_under_test.hpp"

namespace qosarb::test {
namespace {

TopologyConfig pgft_512() {
  TopologyConfig config;
  config.kind = &kPgft;
  config.routing = &kPgft.routings().front();
  config.down = {32, 16};
  config.up = {1, 16};
  config.parallel = {1, 2};
  return config;
}

// A tree that were cut by the numbers of its switches alone would have its leaves in one shard.
TEST(Shards, HaveTheSameNumberOfSwitchesOfEachLevelAndTheirHosts) {
  const Topology topology = kPgft.build(pgft_512());
  ASSERT_EQ(topology.switch_ports.size(), 32U);
  const Cuts cuts(topology);
  for (const int shards : {1, 2, 4, 16}) {
    const std::vector<Index> shard = cuts.into(shards);
    std::map<std::pair<bool, Index>, int> switches;  // of (leaf, shard)
    for (Index number = 0; number < 32; ++number) {
      ++switches[{topology.switch_ports[number] == 64, shard[topology.node_of(number)]}];
    }
    EXPECT_EQ(switches.size(), 2U * shards);
    for (const auto& [where, count] : switches) {
      EXPECT_EQ(count, 16 / shards) << "shard " << where.second << " of " << shards;
    }
    for (const Topology::Link& link : topology.links) {
      if (link.kind == LinkKind::Host) {
        EXPECT_EQ(shard[link.a.node], shard[link.b.node]);
      }
    }
  }
  EXPECT_EQ(cuts.most(), 16);
}

TEST(Shards, OfAMeshAreNeighbours) {
  const Topology topology = kMesh.build(grid(kMesh, {4, 4}));
  const std::vector<Index> shard = Cuts(topology).into(2);
  for (Index number = 0; number < 16; ++number) {
    EXPECT_EQ(shard[topology.node_of(number)], number / 8);
  }
}

Scenario dragonfly_of(int groups) {
  Scenario s;
  s.arbiter.queues = 16;
  s.topology = topology_of(kDragonfly);
  s.topology.groups = groups;
  s.topology.switches = 16;
  s.topology.hosts_per_switch = 8;
  s.topology.global_links = 4;
  s.link_delays.fill(10);
  s.link_delays[static_cast<std::size_t>(LinkKind::Global)] = 80;
  return s;
}

// Only the long links between groups are between shards.
TEST(Shards, OfALargeDragonflyAreItsGroups) {
  const Scenario s = dragonfly_of(65);
  const Topology topology = s.topology.kind->build(s.topology);
  const Cuts cuts(topology);
  for (const int threads : {1, 2, 8}) {
    EXPECT_EQ(cuts.fastest(s, topology, threads), 65);
  }
  const std::vector<Index> shard = cuts.into(65);
  for (Index host = 0; host < topology.hosts; ++host) {
    EXPECT_EQ(shard[host], host / 128);
  }
  EXPECT_EQ(look_ahead(s, topology, shard), 81U);
  EXPECT_EQ(look_ahead(s, topology, cuts.into(64)), 11U);
  EXPECT_EQ(look_ahead(s, topology, cuts.into(1)), kNever);
}

TEST(Shards, OfASmallNetworkAreAsManyAsThreads) {
  const Scenario s = dragonfly_of(2);
  const Topology topology = s.topology.kind->build(s.topology);
  for (const int threads : {1, 2, 8}) {
    EXPECT_EQ(Cuts(topology).fastest(s, topology, threads), threads);
  }
}

// Where all links are alike shards have some 5,000 queues each, or there are as many as threads;
// also where links are so short that a shard has hardly begun when it meets the others.
TEST(Shards, OfALargeTorusHaveSomeThousandQueues) {
  Scenario s;
  s.topology = grid(kTorus, {11, 12, 16});
  s.arbiter.queues = 4;
  s.link_delays.fill(10);
  const Topology topology = s.topology.kind->build(s.topology);
  const Cuts cuts(topology);
  EXPECT_EQ(cuts.fastest(s, topology, 1), 12);  // of 11 x 12 x 16 x 7 x 4
  EXPECT_EQ(cuts.fastest(s, topology, 7), 12);
  EXPECT_EQ(cuts.fastest(s, topology, 40), 40);
  s.link_delays.fill(1);
  EXPECT_EQ(cuts.fastest(s, topology, 1), 1);
  EXPECT_EQ(cuts.fastest(s, topology, 7), 7);
}

TEST(Shards, AreNotFewerThanThreadsNorMoreThanSwitchesWithHosts) {
  const Scenario s = load_scenario(QOSARB_SOURCE_DIR "/scenarios/networks/mesh-credit.yaml");
  EXPECT_THROW(Network(s, references(), {.threads = 3, .shards = 2}), std::invalid_argument);
  EXPECT_THROW(Network(s, references(), {.shards = 65}), std::invalid_argument);
  Network cut(s, references(), {.shards = 64});
  EXPECT_THROW(cut.every_cycle([](Cycle) {}), std::logic_error);
}

/// A dragonfly of 36 hosts whose links between groups are long, under light traffic but for jobs.
Scenario busy_dragonfly(const std::string& jobs) {
  const std::string path = testing::TempDir() + "busy-dragonfly-" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml";
  std::ofstream(path) << "arbiter: {policy: rr, queues: 2, max_packet_flits: 4}\n"
                         "network:\n"
                         "  topology: {kind: dragonfly, groups: 9, switches: 2, "
                         "hosts_per_switch: 2, global_links: 4}\n"
                         "  routing: minimal\n"
                         "  channels_per_queue: 2\n"
                         "  link: {gbps: 400, delay_ns: 5}\n"
                         "  global_link: {delay_ns: 200}\n"
                         "  flit_bytes: 64\n"
                         "  switch: {architecture: input-queued, flow_control: credit, "
                         "input_queue_flits: 64}\n"
                         "traffic:\n"
                         "  - {name: all, queue: 1, pattern: uniform, load: 0.2, "
                         "message_bytes: 256}\n"
                      << jobs << "run: {warmup_us: 0, measure_us: 40, seed: 3}\n";
  return load_scenario(path);
}

/// What the whole run reports in `shards`, on one thread.
std::string report_in(const Scenario& s, int shards) {
  Network network(s, references(), {.shards = shards});
  network.run(s.end());
  EXPECT_TRUE(network.finished());
  RunReport report = report_of(network);
  add_counters(report, network);
  return to_json(report, "model", 0);
}

// Its last act may be a message that nobody receives: there is no arrival to wait for.
TEST(Shards, EndWithASendThatNoReceiveMatches) {
  Scenario s = busy_dragonfly("");
  for (const std::uint64_t calculate_ns : {2000U, 2001U, 2003U, 2005U, 2007U}) {
    TraceBuilder builder(2);
    builder.begin_rank(0);
    const std::uint32_t first = builder.calculate(calculate_ns, 0);
    builder.depends(builder.send(1, 64, 0), first);
    builder.depends(builder.send(0, 64, 0), first);
    builder.depends(builder.receive(0, 0), first);
    builder.end_rank();
    builder.begin_rank(1);
    builder.end_rank();
    s.traffic.resize(1);
    s.traffic.emplace_back().trace = std::make_shared<Trace>(builder.finish());
    s.traffic.back().hosts = {0, 35};
    const std::string alone = report_in(s, 1);
    for (const int shards : {2, 9, 18}) {
      EXPECT_EQ(report_in(s, shards), alone) << shards << " shards, " << calculate_ns << " ns";
    }
  }
}

// The cycle in which the last rank is done is the last one of all shards, whatever it does last.
TEST(Shards, EndTogetherWithTheLastRank) {
  for (const std::string jobs :
       {"  - {name: a, queue: 0, application: allreduce, message_bytes: 8, ranks: 16, "
        "placement: random}\n",
        "  - {name: a, queue: 0, application: all-to-all, message_bytes: 2000, ranks: 5, "
        "placement: random}\n"
        "  - {name: b, queue: 0, application: allreduce, message_bytes: 8, ranks: 8, "
        "calculate_ns: 1234, placement: linear}\n"}) {
    const Scenario s = busy_dragonfly(jobs);
    std::string alone;
    Cycle end = 0;
    for (const Cut cut : {Cut{1, 1}, {1, 2}, {1, 9}, {1, 18}}) {
      SCOPED_TRACE(std::to_string(cut.shards) + " shards");
      Network network(s, references(), cut);
      network.run(s.end());
      EXPECT_TRUE(network.finished());
      EXPECT_LT(network.now(), s.end());
      RunReport report = report_of(network);
      add_counters(report, network);
      const std::string text = to_json(report, "model", 0);
      alone = alone.empty() ? text : alone;
      end = end == 0 ? network.now() : end;
      EXPECT_EQ(text, alone);
      EXPECT_EQ(network.now(), end);
    }
  }
}

TEST(Ids, ThatOneTookAnotherMayGiveBackAndUse) {
  Ids one(1 << 20);
  Ids other = one.sharing();
  std::set<std::uint32_t> taken;
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_TRUE(taken.insert(one.take()).second);
    EXPECT_TRUE(taken.insert(other.take()).second);
  }
  EXPECT_EQ(one.in_use() + other.in_use(), 20'000);
  for (const std::uint32_t id : taken) {
    other.give_back(id);
  }
  EXPECT_EQ(one.in_use() + other.in_use(), 0);
  // Without new ones: half of what the other one has too many is there.
  Ids* const all[] = {&one, &other};
  Ids::even_out(all);
  const std::uint32_t highest = *taken.rbegin();
  for (int i = 0; i < 9'000; ++i) {
    EXPECT_LE(one.take(), highest);
    EXPECT_LE(other.take(), highest);
  }
}

TEST(Ids, AreNotMoreThanThereMayBe) {
  Ids ids(128);
  for (int i = 0; i < 128; ++i) {
    EXPECT_LT(ids.take(), 128U);
  }
  EXPECT_THROW(ids.take(), CheckFailure);
}

TEST(LatencyCounts, AddUp) {
  LatencyCounts all;
  LatencyCounts one;
  LatencyCounts other;
  for (const Cycle cycles : {Cycle{3}, Cycle{1000}, Cycle{1} << 21U, Cycle{3}}) {
    one.add(cycles);
    all.add(cycles);
  }
  for (const Cycle cycles : {Cycle{1}, Cycle{5000}, Cycle{1} << 21U, Cycle{1} << 22U}) {
    other.add(cycles);
    all.add(cycles);
  }
  one.add(other);
  std::map<Cycle, std::uint64_t> sum;
  std::map<Cycle, std::uint64_t> expected;
  one.for_each([&](Cycle cycles, std::uint64_t times) { sum[cycles] = times; });
  all.for_each([&](Cycle cycles, std::uint64_t times) { expected[cycles] = times; });
  EXPECT_EQ(sum, expected);
  EXPECT_EQ(one.count(), 8U);
}

}  // namespace
}  // namespace qosarb::test
