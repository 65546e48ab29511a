// bxi-basic and bxi-deficit against the worked examples of the BXIv3 paper and against the numbers
// that its errata cost.
#include "qosarb/policy/bxi.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "policy_under_test.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb::test {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Optional;

const char* const kTable1 =
    "queues: 3\nquantum_scale: 10\nmax_packet_flits: 13\n"
    "table: [{queue: 0, weight: 5}, {queue: 1, weight: 3}, {queue: 2, weight: 2}]\n";

ArbiterConfig table1(const std::string& policy, const std::string& variant) {
  return arbiter_config("policy: " + policy + "\nvariant: " + variant + "\n" + kTable1);
}

/// Two queues, one entry each, both with the same quantum, which holds any packet.
ArbiterConfig two_entries(const std::string& policy, const std::string& variant, int quantum) {
  return arbiter_config(
      fmt::format("{{policy: {}, variant: {}, queues: 2, max_packet_flits: {}, quantum_scale: 1, "
                  "table: [{{queue: 0, weight: {}}}, {{queue: 1, weight: {}}}]}}",
                  policy, variant, quantum, quantum, quantum));
}

// 5 + 3 + 2 = 10; without a weight nothing is promised.
TEST(BxiConfig, AsksForTheSharesOfItsQuanta) {
  const auto asked = [](const std::string& table, Index queue) {
    const ArbiterConfig config = arbiter_config(
        "{policy: bxi-basic, strict: false, queues: 2, max_packet_flits: 1, quantum_scale: 3, "
        "table: [" +
        table + "]}");
    return config.policy->asked_share(config, queue);
  };
  const std::string table = "{queue: 0, weight: 5}, {queue: 1, weight: 3}, {queue: 0, weight: 2}";
  EXPECT_THAT(asked(table, 0), Optional(DoubleEq(0.7)));
  EXPECT_THAT(asked(table, 1), Optional(DoubleEq(0.3)));
  EXPECT_EQ(asked("{queue: 0, weight: 0}", 0), std::nullopt);
}

// What a turn leaves over is lost under Algorithm 1, as printed, too.
TEST(BxiErrata, Algorithm1AsPrintedHasNoDeficits) {
  const auto reference = make_reference(two_entries("bxi-basic", "printed", 2));
  std::vector<Head> heads = {{.flits = 1}, {.flits = 2}};
  EXPECT_EQ(reference->decide(0, heads).queue, 0);
  heads[0].flits = 2;
  EXPECT_EQ(reference->decide(1, heads).queue, 1);
  EXPECT_EQ(reference->describe(), "current_entry=0 remaining_flits=2 deficits=[0 0]");
}

// Figs. 5 and 6 show packets of one and two flits in two queues; Sects. 3.2 and 3.3 tell what
// happens at t1 to t5, from which the arrivals follow:
//   queue 0: packets of 1 and 2 flits, and one of 1 flit that arrives at t1
//   queue 1: packets of 2, 1 and 1 flits
// The quantum is 2 flits ("on t2, queue 0 can send up to 3 flits, thanks to the stored deficit").
std::vector<int> figure(const std::string& policy, const std::string& variant) {
  Port port = port_under_test(two_entries(policy, variant, 2));
  arrive(port, 0, 0, {1, 2});
  arrive(port, 0, 1, {2, 1, 1});
  std::vector<int> queues = winners(port, 1, 0);
  arrive(port, 1, 0, {1});
  for (const Index queue : winners(port, 5, 1)) {
    queues.push_back(queue);
  }
  return queues;
}

//      winner         remaining flits
// t0   queue 0 (1)    2 -> 1
// t1   queue 1 (2)    queue 0's 2 flits exceed 1: skipped, one flit not sent; 2 -> 0, depleted
// t2   queue 0 (2)    2 -> 0, "depleting the turn"
// t3   queue 1 (1)    2 -> 1
// t4   queue 1 (1)    1 -> 0
// t5   queue 0 (1)    the packet of t1
TEST(BxiPaper, Figure5) {
  EXPECT_THAT(figure("bxi-basic", "corrected"), ElementsAre(0, 1, 0, 1, 1, 0));
  EXPECT_THAT(figure("bxi-basic", "printed"), ElementsAre(0, 1, 0, 1, 1, 0));
}

// t0   queue 0 (1)    2 -> 1
// t1   queue 1 (2)    queue 0's remaining flit is saved as its deficit
// t2   queue 0 (2)    2 + 1 -> 1: "two consecutive selections at t2 and t3 before turn depletion"
// t3   queue 0 (1)    1 -> 0
// t4   queue 1 (1)
// t5   queue 1 (1)    four turns instead of Fig. 5's five
TEST(BxiPaper, Figure6) {
  EXPECT_THAT(figure("bxi-deficit", "corrected"), ElementsAre(0, 1, 0, 0, 1, 1));
}

// Erratum 2: queue 1's turn at t1 ends by depletion, and line 12 forgets queue 0's deficit. The
// printed pseudocode does not give its own figure.
TEST(BxiErrata, Line12LosesTheDeficitOfFigure6) {
  EXPECT_THAT(figure("bxi-deficit", "printed"), ElementsAre(0, 1, 0, 1, 1, 0));
}

// Erratum 1. Quantum 4; the state of both variants before each decision, as entry: remaining.
//      queue 0: 3 4 1 3 2     queue 1: 3 2 4
// t0   queue 0 (3)    0: 4 -> 1
// t1   queue 1 (3)    deficit[0] = 1; 1: 4 -> 1
// t2   queue 0 (4)    deficit[1] = 1; 0: 4 + 1 -> 1
// t3   queue 0 (1)    0: 1 -> 0, depleted. Printed keeps deficit[0] = 1.
// t4   queue 1 (2)    1: corrected 4 + 1 -> 3, printed 4 -> 2
// t5   queue 0 (3)    queue 1's 4 do not fit; 0: corrected 4 -> 1, printed 4 + 1 again -> 2
// t6   corrected      queue 0's 2 do not fit: queue 1 (4)
//      printed        queue 0 (2), from the flit that it had spent at t3
TEST(BxiErrata, ADeficitThatIsNotClearedIsSpentTwice) {
  const auto run = [](const std::string& variant) {
    Port port = port_under_test(two_entries("bxi-deficit", variant, 4));
    arrive(port, 0, 0, {3, 4, 1, 3, 2});
    arrive(port, 0, 1, {3, 2, 4});
    return winners(port, 7);
  };
  EXPECT_THAT(run("corrected"), ElementsAre(0, 1, 0, 0, 1, 0, 1));
  EXPECT_THAT(run("printed"), ElementsAre(0, 1, 0, 0, 1, 0, 0));
}

// Erratum 3. Quantum 4, only queue 0 has packets, of 3 flits: after the first, 1 flit remains. Two
// visits, to entry 0 (too little) and entry 1 (empty), find nobody; a third meets entry 0 again.
TEST(BxiErrata, AsManyVisitsAsEntriesLeaveTheLinkIdle) {
  for (const std::string policy : {"bxi-basic", "bxi-deficit"}) {
    const auto run = [&policy](const std::string& variant) {
      Port port = port_under_test(two_entries(policy, variant, 4));
      arrive(port, 0, 0, {3, 3, 3});
      return winners(port, 4);
    };
    EXPECT_THAT(run("corrected"), ElementsAre(0, 0, 0, -1)) << policy;
    EXPECT_EQ(run("printed")[1], -1) << policy;
  }
}

// Erratum 4. Quantum 4, packets of 3 flits. After t1 queue 0 has a deficit of 1 and queue 1 one
// flit of its turn left. At t2 both are stopped. Printed runs the loop and forgets both; its
// current entry, visited twice, is queue 1's again and gets a whole new turn.
TEST(BxiErrata, StoppedQueuesCostNobodyTheirDeficitWhenNothingCanBeSent) {
  const auto run = [](const std::string& variant) {
    Port port = port_under_test(two_entries("bxi-deficit", variant, 4));
    arrive(port, 0, 0, {3, 3, 3});
    arrive(port, 0, 1, {3, 3, 3});
    std::vector<int> queues = winners(port, 2, 0);
    port.stop(2, 0, true);
    port.stop(2, 1, true);
    queues.push_back(winners(port, 1, 2)[0]);
    port.stop(3, 0, false);
    port.stop(3, 1, false);
    queues.push_back(winners(port, 1, 3)[0]);
    return queues;
  };
  EXPECT_THAT(run("corrected"), ElementsAre(0, 1, -1, 0));
  EXPECT_THAT(run("printed"), ElementsAre(0, 1, -1, 1));
}

TEST(BxiErrata, WhatEachVariantGivesForWeights5To3To2) {
  // docs/errata.md: packets of 13, 7 and 1 flits; corrected 0.500/0.300/0.200.
  EXPECT_THAT(backlogged_shares(table1("bxi-deficit", "corrected"), {13, 7, 1}, 200000),
              ElementsAre(DoubleNear(0.5, 5e-4), DoubleNear(0.3, 5e-4), DoubleNear(0.2, 5e-4)));
  EXPECT_THAT(
      backlogged_shares(table1("bxi-deficit", "printed"), {13, 7, 1}, 200000),
      ElementsAre(DoubleNear(0.415, 5e-4), DoubleNear(0.372, 5e-4), DoubleNear(0.213, 5e-4)));
}

// errata.md: what each of the first two corrections gives alone, in per cent.
TEST(BxiErrata, NeitherCorrectionIsEnoughAlone) {
  const auto near = [](double percent) { return DoubleNear(percent / 100, 5e-4); };
  EXPECT_THAT(half_corrected_shares(true, false), ElementsAre(near(43.8), near(33.7), near(22.5)));
  EXPECT_THAT(half_corrected_shares(false, true), ElementsAre(near(48.6), near(32.7), near(18.7)));
  EXPECT_THAT(half_corrected_shares(true, true), ElementsAre(near(50), near(30), near(20)));
  EXPECT_THAT(half_corrected_shares(false, false), ElementsAre(near(41.5), near(37.2), near(21.3)));
}

// Sect. 3.3's example: turns of 1500 bytes and packets of 1000 lose a third of the bandwidth
// without deficits. Here a quantum of 15 and packets of 10, beside a queue that packs its turn
// full.
TEST(BxiPaper, WithoutDeficitsAThirdOfATurnIsLost) {
  const auto config = [](const std::string& policy) {
    return two_entries(policy, "corrected", 15);
  };
  EXPECT_THAT(backlogged_shares(config("bxi-basic"), {10, 1}, 160000),
              ElementsAre(DoubleNear(10.0 / 25, 1e-3), DoubleNear(15.0 / 25, 1e-3)));
  EXPECT_THAT(backlogged_shares(config("bxi-deficit"), {10, 1}, 160000),
              ElementsAre(DoubleNear(0.5, 1e-3), DoubleNear(0.5, 1e-3)));
}

// Table 2: five SLs, 31 entries, strides of 2, 4, 8, 16 and 32; the shares are those of its last
// column whatever the packets are.
TEST(BxiPaper, Table2KeepsTheSharesWhileItSpreadsTheEntries) {
  const std::vector<int> flits_per_entry = {320, 512, 768, 1024, 1024};
  std::string text =
      "policy: bxi-deficit\nqueues: 5\nmax_packet_flits: 320\nquantum_scale: 1\ntable:\n";
  std::vector<int> entries(5, 0);
  for (unsigned i = 1; i <= 31; ++i) {
    const Index sl = std::countr_zero(i);
    text += fmt::format("  - {{queue: {}, weight: {}}}\n", sl, flits_per_entry[sl]);
    ++entries[sl];
  }
  ASSERT_THAT(entries, ElementsAre(16, 8, 4, 2, 1));
  const auto near = [](double percent) { return DoubleNear(percent / 100, 5e-4); };
  for (const std::vector<std::uint32_t>& packets : {std::vector<std::uint32_t>{16, 16, 16, 16, 16},
                                                    {320, 17, 3, 101, 9},
                                                    {9, 33, 65, 127, 320}}) {
    EXPECT_THAT(backlogged_shares(arbiter_config(text), packets, 500000),
                ElementsAre(near(33.33), near(26.67), near(20), near(13.33), near(6.67)));
  }
}

// What the RTL's register widths rest on: a deficit is smaller than the head that did not fit, and
// the remaining flits never exceed quantum + max_packet - 1.
TEST(BxiBounds, DeficitsAreSmallerThanTheHeadThatDidNotFit) {
  Random random(test_seed(20250213));
  constexpr int kMaxPacket = 24;
  for (int round = 0; round < 200; ++round) {
    const int queues = random.from(1, 6);
    std::string text = fmt::format("queues: {}\nmax_packet_flits: {}\nstrict: false\ntable:\n",
                                   queues, kMaxPacket);
    std::uint64_t largest_quantum = 0;
    for (int e = random.from(1, 12); e > 0; --e) {
      const int quantum = random.from(1, 60);
      largest_quantum = std::max<std::uint64_t>(largest_quantum, quantum);
      text += fmt::format("  - {{queue: {}, weight: {}}}\n", random.from(0, queues - 1), quantum);
    }
    const ArbiterConfig config = arbiter_config("policy: bxi-deficit\n" + text);
    const auto& table = config.parameters.get<BxiConfig>().table;
    Port port = port_under_test(config);
    const auto& arbiter = dynamic_cast<const BxiTable&>(reference_of(port.arbiter()));
    for (Cycle now = 0; now < 500; ++now) {
      for (int q = 0; q < queues; ++q) {
        if (random.once_in(3)) {
          port.arrive(now, q, random.from<std::uint32_t>(1, kMaxPacket));
        }
        if (random.once_in(20)) {
          port.stop(now, q, random.once_in(2));
        }
      }
      const std::vector<std::uint64_t> before = arbiter.deficits();
      const std::vector<Head> heads(port.heads().begin(), port.heads().end());
      port.arbitrate(now);
      for (std::size_t e = 0; e < before.size(); ++e) {
        const std::uint64_t deficit = arbiter.deficits()[e];
        ASSERT_LT(deficit, kMaxPacket);
        if (deficit != before[e] && deficit != 0) {
          ASSERT_LT(deficit, heads[table[e].queue].flits);
        }
      }
      const std::size_t cur = arbiter.current_entry();
      ASSERT_LE(arbiter.remaining_flits(), table[cur].weight + kMaxPacket - 1U);
    }
  }
}

// With all quanta at least max_packet_flits, corrected grants whenever a queue is active.
TEST(BxiBounds, AStrictTableNeverIdlesTheLink) {
  Random random(test_seed(5));
  for (const std::string policy : {"bxi-basic", "bxi-deficit"}) {
    Port port = port_under_test(arbiter_config(
        "policy: " + policy +
        "\nqueues: 3\nmax_packet_flits: 9\n"
        "table: [{queue: 0, weight: 9}, {queue: 1, weight: 10}, {queue: 0, weight: 13}, "
        "{queue: 2, weight: 9}]"));
    for (Cycle now = 0; now < 50000; ++now) {
      const int q = random.from(0, 2);
      if (random.once_in(2)) {
        port.arrive(now, q, random.from<std::uint32_t>(1, 9));
      }
      if (random.once_in(5)) {
        port.stop(now, q, random.once_in(2));
      }
      const bool active = port.any_active();
      ASSERT_EQ(port.arbitrate(now).decision.queue >= 0, active) << policy << " cycle " << now;
    }
  }
}

}  // namespace
}  // namespace qosarb::test
