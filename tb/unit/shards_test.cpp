// How a network is cut into shards, and what they share.
#include "qosarb/network/shards.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "qosarb/config/check_failure.hpp"
#include "qosarb/network/statistics.hpp"
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
  for (const int shards : {1, 2, 4, 16}) {
    const std::vector<Index> shard = shards_of(topology, shards);
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
  EXPECT_EQ(most_shards(topology), 16);
}

TEST(Shards, OfAMeshAreNeighbours) {
  const Topology topology = kMesh.build(grid(kMesh, {4, 4}));
  const std::vector<Index> shard = shards_of(topology, 2);
  for (Index number = 0; number < 16; ++number) {
    EXPECT_EQ(shard[topology.node_of(number)], number / 8);
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
