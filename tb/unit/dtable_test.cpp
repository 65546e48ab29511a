// dtable by hand, and the tables of the Omni-Path paper.
#include "qosarb/policy/dtable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "policy_under_test.hpp"
#include "qosarb/policy/sl_queues.hpp"

namespace qosarb::test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

using Entries = std::vector<SlEntry>;

/// One queue per SL.
ArbiterConfig dtable(const std::string& variant, const std::vector<int>& mtu,
                     const Entries& table) {
  std::vector<int> map(mtu.size());
  std::iota(map.begin(), map.end(), 0);
  std::string text = fmt::format(
      "policy: dtable\nvariant: {}\nqueues: {}\nmax_packet_flits: 64\nqueue_sl: [{}]\n"
      "sl_mtu: [{}]\ntable:\n",
      variant, mtu.size(), fmt::join(map, ","), fmt::join(mtu, ","));
  for (const SlEntry& entry : table) {
    text += fmt::format("  - {{sl: {}, weight: {}}}\n", entry.sl, entry.weight);
  }
  return arbiter_config(text);
}

// Two SLs, MTU 4, one entry of weight 5 each. Packets of SL 0: 4 4 4, of SL 1: 4 4 4.
//  t0  no SL selected, entry N-1: the search begins at entry 0. acc 0 + 5 - 4 = 1
//  t1  4 > 1: deficit[0] = 1; SL 1: acc 5 - 4 = 1
//  t2  deficit[1] = 1; SL 0: 1 + 5 - 4 = 2
//  t3  deficit[0] = 2; SL 1: 2
//  t4  deficit[1] = 2; SL 0: 7 - 4 = 3    t5  deficit[0] = 3; SL 1: 3
TEST(DTable, SavesWhatIsTooLittleForTheNextPacket) {
  Port port = port_under_test(dtable("corrected", {4, 4}, {{0, 5}, {1, 5}}));
  const auto& arbiter = dynamic_cast<const DeficitTable&>(reference_of(port.arbiter()));
  arrive(port, 0, 0, {4, 4, 4, 4, 4});
  arrive(port, 0, 1, {4, 4, 4, 4, 4});
  EXPECT_THAT(winners(port, 3, 0), ElementsAre(0, 1, 0));
  EXPECT_EQ(arbiter.accumulated_weight(), 2);
  EXPECT_THAT(arbiter.deficits(), ElementsAre(1, 1));
  EXPECT_THAT(winners(port, 3, 3), ElementsAre(1, 0, 1));
  EXPECT_THAT(arbiter.deficits(), ElementsAre(3, 2));
  //  t6  deficit[1] = 3; SL 0: 3 + 5 = 8, two packets
  arrive(port, 6, 0, {4});
  EXPECT_THAT(winners(port, 3, 6), ElementsAre(0, 0, 1));
}

// Sect. 3.3, rule 1: "The SL becomes inactive. The remaining accumulated weight is discarded and
// the deficit counter is set to zero".
TEST(DTable, AnSlThatBecomesInactiveLosesItsWeightAndItsDeficit) {
  Port port = port_under_test(dtable("corrected", {4, 4}, {{0, 6}, {1, 6}}));
  const auto& arbiter = dynamic_cast<const DeficitTable&>(reference_of(port.arbiter()));
  arrive(port, 0, 0, {4});
  EXPECT_THAT(winners(port, 1, 0), ElementsAre(0));
  EXPECT_EQ(arbiter.accumulated_weight(), 2);
  EXPECT_THAT(winners(port, 1, 1), ElementsAre(-1));
  EXPECT_EQ(arbiter.accumulated_weight(), 0);
  EXPECT_THAT(arbiter.deficits(), ElementsAre(0, 0));
  // The table goes on behind entry 0.
  arrive(port, 2, 0, {4});
  arrive(port, 2, 1, {4});
  EXPECT_THAT(winners(port, 2, 2), ElementsAre(1, 0));
}

// A stopped SL is inactive, too, and its turn does not wait for it.
// Entry 0 is of SL 1, entry 1 of SL 0.
TEST(DTable, AnEntryPaysNotItsSl) {
  Port port = port_under_test(dtable("corrected", {4, 4}, {{1, 4}, {0, 4}}));
  arrive(port, 0, 0, {4});
  arrive(port, 0, 1, {4});
  EXPECT_THAT(winners(port, 1, 0), ElementsAre(1));
  EXPECT_EQ(reference_of(port.arbiter()).paying_entry(), 0);
  EXPECT_THAT(winners(port, 1, 1), ElementsAre(0));
  EXPECT_EQ(reference_of(port.arbiter()).paying_entry(), 1);
}

TEST(DTable, AStopEndsATurn) {
  Port port = port_under_test(dtable("corrected", {1, 1}, {{0, 3}, {1, 3}}));
  arrive(port, 0, 0, {1, 1, 1, 1, 1});
  arrive(port, 0, 1, {1, 1, 1, 1, 1});
  EXPECT_THAT(winners(port, 1, 0), ElementsAre(0));
  port.stop(1, 0, true);
  EXPECT_THAT(winners(port, 1, 1), ElementsAre(1));
  port.stop(2, 0, false);
  EXPECT_THAT(winners(port, 5, 2), ElementsAre(1, 1, 0, 0, 0));
}

// The paper's example: SL 0 with three VLs sends from VL0, the second time from VL1, the third from
// VL2. The pointer moves on a grant only.
TEST(DTable, TheQueuesOfAnSlTakeTurns) {
  Port port = port_under_test(arbiter_config(
      "{policy: dtable, queues: 4, max_packet_flits: 2, queue_sl: [0, 0, 1, 0], sl_mtu: [2, 2], "
      "table: [{sl: 0, weight: 4}, {sl: 1, weight: 2}]}"));
  arrive(port, 0, 0, {2, 2, 2});
  arrive(port, 0, 1, {2, 2});
  arrive(port, 0, 2, {2, 2, 2});
  arrive(port, 0, 3, {2, 2});
  EXPECT_THAT(winners(port, 3, 0), ElementsAre(0, 1, 2));
  port.stop(3, 3, true);
  EXPECT_THAT(winners(port, 2, 3), ElementsAre(0, 1));
  port.stop(5, 3, false);
  EXPECT_THAT(winners(port, 4, 5), ElementsAre(2, 3, 0, 2));
}

// Printed pays a whole MTU for each packet, corrected pays the packet: SL 0 with an MTU of 4 and
// packets of 1 gets a quarter of its flits as printed.
TEST(DTableErrata, PrintedChargesAWholeMtu) {
  const auto shares = [](const std::string& variant) {
    return backlogged_shares(dtable(variant, {4, 4}, {{0, 8}, {1, 8}}), {1, 4}, 100000);
  };
  EXPECT_THAT(shares("corrected"), ElementsAre(DoubleNear(0.5, 1e-4), DoubleNear(0.5, 1e-4)));
  EXPECT_THAT(shares("printed"), ElementsAre(DoubleNear(0.2, 1e-4), DoubleNear(0.8, 1e-4)));
}

TEST(DTable, BothVariantsAreAlikeForPacketsOfOneMtu) {
  const Entries table = {{0, 5}, {1, 7}, {0, 3}, {2, 9}};
  Port corrected = port_under_test(dtable("corrected", {3, 5, 9}, table));
  Port printed = port_under_test(dtable("printed", {3, 5, 9}, table));
  Random random(test_seed(3));
  const std::vector<std::uint32_t> mtu = {3, 5, 9};
  for (Cycle now = 0; now < 20000; ++now) {
    for (int q = 0; q < 3; ++q) {
      const bool packet = random.once_in(4);
      const bool stop = random.once_in(9);
      for (Port* port : {&corrected, &printed}) {
        if (packet) {
          port->arrive(now, q, mtu[q]);
        }
        port->stop(now, q, stop);
      }
    }
    ASSERT_EQ(corrected.arbitrate(now).decision, printed.arbitrate(now).decision) << now;
  }
}

/// The 128 entries of Table 9: SL VO in every 2nd, VI in every 4th, CL in every 8th, BE and BK in
/// every 16th; `entry_weight(sl, i)` is the weight of the i-th entry of an SL.
template <typename Weight>
Entries spread_over_128(Weight entry_weight) {
  Entries table;
  std::vector<int> used(5, 0);
  for (unsigned i = 1; i <= 128; ++i) {
    const int zeros = std::countr_zero(i);
    const int sl = zeros < 3 ? zeros : zeros == 3 ? 3 : 4;
    table.push_back({sl, entry_weight(sl, used[sl]++)});
  }
  EXPECT_THAT(used, ElementsAre(64, 32, 16, 8, 8));
  return table;
}

// Tables 9 and 10: MTUs of 128, 256, 512, 1024 and 1024 bytes, here in flits of 64 bytes, and total
// weights of 416, 1248, 2080, 208 and 208. The first 32 entries of VO have 7, the others 6.
TEST(DTablePaper, Table10Gives10To30To50To5To5) {
  const Entries table = spread_over_128([](int sl, int i) -> std::uint32_t {
    return sl == 0 ? (i < 32 ? 7U : 6U) : sl == 1 ? 39U : sl == 2 ? 130U : 26U;
  });
  const std::vector<std::uint32_t> mtu_flits = {2, 4, 8, 16, 16};
  const auto near = [](double percent) { return DoubleNear(percent / 100, 1e-4); };
  for (const std::string variant : {"corrected", "printed"}) {
    const auto shares =
        backlogged_shares(dtable(variant, {2, 4, 8, 16, 16}, table), mtu_flits, 300000);
    EXPECT_THAT(shares, ElementsAre(near(10), near(30), near(50), near(5), near(5))) << variant;
    std::cout << fmt::format("Table 10, {}: {:.5f}\n", variant, fmt::join(shares, " "));
  }
  // Corrected keeps them for packets shorter than the MTUs.
  EXPECT_THAT(
      backlogged_shares(dtable("corrected", {2, 4, 8, 16, 16}, table), {1, 3, 7, 16, 5}, 300000),
      ElementsAre(near(10), near(30), near(50), near(5), near(5)));
}

// Table 10's columns R and F: before the correction of 32 units VO has 11 % and CL 49 %: 7 in each
// entry of VO and 128 in each of CL.
TEST(DTablePaper, Table10BeforeTheCorrection) {
  const Entries table = spread_over_128([](int sl, int /*i*/) -> std::uint32_t {
    return sl == 0 ? 7U : sl == 1 ? 39U : sl == 2 ? 128U : 26U;
  });
  const auto shares =
      backlogged_shares(dtable("printed", {2, 4, 8, 16, 16}, table), {2, 4, 8, 16, 16}, 300000);
  EXPECT_NEAR(shares[0], 448.0 / 4160, 1e-4);
  EXPECT_NEAR(shares[2], 2048.0 / 4160, 1e-4);
}

// Table 5, with SL 0's 64 entries (the printed 49 is an erratum: 448 / 7 = 64). Weights 7, 12, 12
// give 448, 384 and 384 of 1216; the correction of -43, +21 and +21 gives 405 of 1215 to each. It
// goes round from the end of the table, one unit for each entry.
TEST(DTablePaper, Table5) {
  const auto table = [](bool corrected) {
    Entries entries;
    for (int i = 0; i < 128; ++i) {
      const int sl = i % 2 == 0 ? 0 : i % 4 == 1 ? 1 : 2;
      const int of_sl = sl == 0 ? i / 2 : i / 4;
      const int changed = sl == 0 ? (of_sl >= 64 - 43 ? -1 : 0) : (of_sl >= 32 - 21 ? 1 : 0);
      const int weight = (sl == 0 ? 7 : 12) + (corrected ? changed : 0);
      entries.push_back({sl, std::uint32_t(weight)});
    }
    return entries;
  };
  const auto shares = [&](bool corrected) {
    return backlogged_shares(dtable("printed", {1, 2, 3}, table(corrected)), {1, 2, 3}, 300000);
  };
  const auto near = [](double share) { return DoubleNear(share, 1e-4); };
  EXPECT_THAT(shares(false),
              ElementsAre(near(448.0 / 1216), near(384.0 / 1216), near(384.0 / 1216)));
  EXPECT_THAT(shares(true), ElementsAre(near(1.0 / 3), near(1.0 / 3), near(1.0 / 3)));
}

// Table 6: entries before and after a correction of -3, +1 and +2.
TEST(DTablePaper, Table6) {
  const auto shares = [](const std::vector<std::uint32_t>& weights) {
    const std::vector<int> sl = {0, 1, 0, 2, 0, 1, 0, 2};
    Entries table;
    for (std::size_t e = 0; e < sl.size(); ++e) {
      table.push_back({sl[e], weights[e]});
    }
    return backlogged_shares(dtable("corrected", {2, 2, 2}, table), {1, 2, 1}, 500000);
  };
  const auto near = [](double share) { return DoubleNear(share, 1e-4); };
  EXPECT_THAT(shares({4, 2, 4, 3, 4, 2, 4, 3}),
              ElementsAre(near(16.0 / 26), near(4.0 / 26), near(6.0 / 26)));
  EXPECT_THAT(shares({4, 2, 3, 4, 3, 3, 3, 4}),
              ElementsAre(near(13.0 / 26), near(5.0 / 26), near(8.0 / 26)));
}

// A deficit is smaller than the packet that it is too little for, whatever happens; and a link with
// an active queue that an entry serves never idles.
TEST(DTableBounds, DeficitsStayBelowTheMtuAndTheLinkIsNeverIdle) {
  Random random(test_seed(19));
  for (int round = 0; round < 100; ++round) {
    std::vector<int> mtu;
    Entries table;
    for (int sl = 0; sl < 3; ++sl) {
      mtu.push_back(random.from(1, 20));
      table.push_back({sl, std::uint32_t(mtu.back() + random.from(0, 30))});
    }
    table.push_back({1, std::uint32_t(mtu[1] + random.from(0, 30))});
    for (const std::string variant : {"corrected", "printed"}) {
      Port port = port_under_test(dtable(variant, mtu, table));
      const auto& arbiter = dynamic_cast<const DeficitTable&>(reference_of(port.arbiter()));
      for (Cycle now = 0; now < 1000; ++now) {
        for (int q = 0; q < 3; ++q) {
          const int longest = mtu[q];
          if (random.once_in(3)) {
            port.arrive(now, q, random.from<std::uint32_t>(1, longest));
          }
          if (random.once_in(10)) {
            port.stop(now, q, random.once_in(2));
          }
        }
        const bool active = port.any_active();
        ASSERT_EQ(port.arbitrate(now).decision.queue >= 0, active);
        for (std::size_t sl = 0; sl < 3; ++sl) {
          ASSERT_LT(arbiter.deficits()[sl], mtu[sl]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace qosarb::test
