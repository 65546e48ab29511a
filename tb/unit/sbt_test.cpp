// sbt by hand, against the Omni-Path paper's Sect. 3.2, and what its errata cost.
#include "qosarb/policy/sbt.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "policy_under_test.hpp"

namespace qosarb::test {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

/// One queue per SL, in the order of `weights`, packets of up to 8 flits.
ArbiterConfig one_queue_per_sl(const std::string& variant, const std::vector<int>& weights) {
  std::string map;
  std::string table;
  for (std::size_t sl = 0; sl < weights.size(); ++sl) {
    map += fmt::format("{},", sl);
    table += fmt::format("{{sl: {}, weight: {}}},", sl, weights[sl]);
  }
  return arbiter_config(
      fmt::format("{{policy: sbt, variant: {}, queues: {}, max_packet_flits: 8, queue_sl: [{}], "
                  "table: [{}]}}",
                  variant, weights.size(), map, table));
}

/// `packets` one-flit packets in each of the queues given; the winners of as many arbitrations.
std::vector<int> backlog(const ArbiterConfig& config, const std::set<int>& queues, int count) {
  Port port = port_under_test(config);
  for (const int q : queues) {
    arrive(port, 0, q, std::vector<std::uint32_t>(count, 1));
  }
  return winners(port, count);
}

// Weights 3:2, both backlogged.
// corrected: 0 0 0 | 1 1 | all spent at the sixth: restored, first entry after 1, which is 0.
TEST(Sbt, SendsAWeightsPacketsInARow) {
  EXPECT_THAT(backlog(one_queue_per_sl("corrected", {3, 2}), {0, 1}, 11),
              ElementsAre(0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0));
}

// Entry 0 is of queue 1, entry 1 of queue 0. The third packet begins a round; it goes to the queue
// that was seen last, and nobody is charged for it.
TEST(SbtErrata, AsPrintedEveryPacketIsOfItsQueuesEntry) {
  const auto reference = make_reference(
      arbiter_config("{policy: sbt, variant: printed, queues: 2, max_packet_flits: 1, queue_sl: "
                     "[0, 1], table: [{sl: 1, weight: 1}, {sl: 0, weight: 1}]}"));
  const std::vector<Head> heads(2, Head{.flits = 1});
  EXPECT_EQ(reference->decide(0, heads).queue, 0);
  EXPECT_EQ(reference->paying_entry(), 1);
  EXPECT_EQ(reference->decide(1, heads).queue, 1);
  EXPECT_EQ(reference->paying_entry(), 0);
  const std::uint64_t turn = reference->paying_turn();
  EXPECT_EQ(reference->decide(2, heads).queue, 0);
  EXPECT_EQ(reference->paying_entry(), 1);
  EXPECT_EQ(reference->paying_turn(), turn + 1);
}

// printed: the sixth scan starts at the last winner, queue 1: 1 and 0 are seen exhausted, as many
// as entries, all weights are restored, and the last one seen, 0, wins uncharged. Then 0 still
// has 3.
TEST(Sbt, PrintedDoesNotChargeTheRestoringPacket) {
  EXPECT_THAT(backlog(one_queue_per_sl("printed", {3, 2}), {0, 1}, 12),
              ElementsAre(0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0));
}

// Table 2: 55:45. The uncharged packet makes it 56:45 (55.45 % : 44.55 %).
TEST(SbtErrata, Table2Is5545To4455AsPrinted) {
  EXPECT_THAT(backlogged_shares(one_queue_per_sl("corrected", {55, 45}), {1, 1}, 100 * 1000),
              ElementsAre(DoubleEq(0.55), DoubleEq(0.45)));
  const std::vector<double> printed =
      backlogged_shares(one_queue_per_sl("printed", {55, 45}), {1, 1}, 101 * 1000);
  EXPECT_THAT(printed, ElementsAre(DoubleNear(56.0 / 101, 2e-5), DoubleNear(45.0 / 101, 2e-5)));
  EXPECT_NEAR(printed[0], 0.5545, 5e-5);
}

// 60:30 beside an SL that idles with weight 10 left: as printed the number of active exhausted
// queues never is the number of entries, no weight ever returns, and 60:30 becomes 50:50.
TEST(SbtErrata, AnIdleSlTurns60To30Into50To50AsPrinted) {
  const auto shares = [](const std::string& variant) {
    Port port = port_under_test(one_queue_per_sl(variant, {60, 30, 10}));
    std::vector<double> sent(3, 0.0);
    for (Cycle now = 0; now < 90000; ++now) {
      for (int q = 0; q < 2; ++q) {
        if (port.packets(q) == 0) {
          arrive(port, now, q, {1});
        }
      }
      sent[port.arbitrate(now).decision.queue] += 1.0 / 90000;
    }
    return sent;
  };
  EXPECT_THAT(shares("corrected"),
              ElementsAre(DoubleNear(2.0 / 3, 1e-9), DoubleNear(1.0 / 3, 1e-9), DoubleEq(0)));
  // But for the first weights, which are used as they should be.
  EXPECT_THAT(shares("printed"),
              ElementsAre(DoubleNear(0.5, 2e-4), DoubleNear(0.5, 2e-4), DoubleEq(0)));
}

// errata.md: "SLs with two VLs degenerate to round robin". Two SLs with two queues each, weights
// 60:30. The printed count of exhausted queues is 4 where the table has 2 entries.
TEST(SbtErrata, TwoQueuesPerSlDegenerateToRoundRobinAsPrinted) {
  const auto shares = [](const std::string& variant) {
    return backlogged_shares(
        arbiter_config("{policy: sbt, variant: " + variant +
                       ", queues: 4, max_packet_flits: 8, queue_sl: [0, 0, 1, 1], "
                       "table: [{sl: 0, weight: 60}, {sl: 1, weight: 30}]}"),
        {1, 1, 1, 1}, 90000);
  };
  EXPECT_THAT(shares("corrected"),
              ElementsAre(DoubleNear(1.0 / 3, 1e-9), DoubleNear(1.0 / 3, 1e-9),
                          DoubleNear(1.0 / 6, 1e-9), DoubleNear(1.0 / 6, 1e-9)));
  const std::vector<double> printed = shares("printed");
  for (const double share : printed) {
    EXPECT_NEAR(share, 0.25, 1e-3);
  }
}

// Within the weight of one SL the printed scan goes on with the last winner as long as it may.
TEST(SbtErrata, AQueueStarvesItsSiblingWhileTheirSlHasWeightAsPrinted) {
  const auto run = [](const std::string& variant) {
    return backlog(arbiter_config("{policy: sbt, variant: " + variant +
                                  ", queues: 2, max_packet_flits: 8, queue_sl: [0, 0], "
                                  "table: [{sl: 0, weight: 4}]}"),
                   {0, 1}, 8);
  };
  EXPECT_THAT(run("corrected"), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
  // After 4 packets both queues are exhausted, twice as many as entries: no weight ever returns,
  // and the scan, which starts at the last winner, ends at the other one.
  EXPECT_THAT(run("printed"), ElementsAre(0, 0, 0, 0, 1, 0, 1, 0));
}

// Sect. 3.2: "The table is also cycled when the SL in transmission becomes inactive". Weights
// 3:2:1.
//  t0  0 (left 2)   then queue 0 is empty
//  t1  1 (left 1)
//  t2  1 (left 0)   queue 0 has packets again, but the turn is queue 1's
//  t3  2 (left 0)
//  t4  0 (left 1)   with the weight that it kept
//  t5  0 (left 0)
//  t6  all spent: restored, the first after 0 is 1
TEST(Sbt, AnSlKeepsItsWeightWhileItIsInactive) {
  Port port = port_under_test(one_queue_per_sl("corrected", {3, 2, 1}));
  arrive(port, 0, 0, {1});
  arrive(port, 0, 1, {1, 1, 1, 1});
  arrive(port, 0, 2, {1, 1, 1, 1});
  EXPECT_THAT(winners(port, 2, 0), ElementsAre(0, 1));
  arrive(port, 2, 0, {1, 1, 1, 1});
  EXPECT_THAT(winners(port, 5, 2), ElementsAre(1, 2, 0, 0, 1));
}

// Weights count packets: a share in packets is none in flits.
TEST(Sbt, SharesCountPacketsNotFlits) {
  EXPECT_THAT(backlogged_shares(one_queue_per_sl("corrected", {50, 50}), {8, 1}, 10000),
              ElementsAre(DoubleEq(8.0 / 9), DoubleEq(1.0 / 9)));
}

TEST(Sbt, NothingChangesWhileNobodyIsActive) {
  const ArbiterConfig config = one_queue_per_sl("corrected", {2, 2});
  Port port = port_under_test(config);
  arrive(port, 0, 0, {1, 1, 1, 1});
  EXPECT_THAT(winners(port, 2, 0), ElementsAre(0, 0));
  port.stop(2, 0, true);
  const auto& arbiter = dynamic_cast<const SimpleBandwidthTable&>(reference_of(port.arbiter()));
  EXPECT_THAT(winners(port, 3, 2), ElementsAre(-1, -1, -1));
  EXPECT_THAT(arbiter.left(), ElementsAre(0, 2));
  port.stop(5, 0, false);
  // Queue 1's weight does not hold the link: the weights are restored, and this packet is charged.
  EXPECT_THAT(winners(port, 1, 5), ElementsAre(0));
  EXPECT_THAT(arbiter.left(), ElementsAre(1, 2));
}

// strict: false: queue 0's SL has no entry. Corrected never serves it; printed takes it for
// exhausted, so that it wins when no other is active, and alternates with an exhausted one.
TEST(Sbt, AQueueWithoutAnEntry) {
  const auto config = [](const std::string& variant) {
    return arbiter_config("{policy: sbt, variant: " + variant +
                          ", strict: false, queues: 2, max_packet_flits: 8, queue_sl: [0, 1], "
                          "table: [{sl: 1, weight: 2}]}");
  };
  EXPECT_THAT(backlog(config("corrected"), {0}, 2), ElementsAre(-1, -1));
  EXPECT_THAT(backlog(config("corrected"), {0, 1}, 4), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(backlog(config("printed"), {0}, 2), ElementsAre(0, 0));
  EXPECT_THAT(backlog(config("printed"), {0, 1}, 5), ElementsAre(1, 1, 0, 1, 0));
}

}  // namespace
}  // namespace qosarb::test
