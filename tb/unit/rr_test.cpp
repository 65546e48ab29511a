// rr by hand.
#include "qosarb/policy/rr.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy_under_test.hpp"

namespace qosarb::test {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

ArbiterConfig round_robin(int queues) {
  return arbiter_config("policy: rr\nmax_packet_flits: 16\nqueues: " + std::to_string(queues));
}

TEST(RoundRobin, TheFirstWinnerIsQueue0AndEachActiveQueueFollowsInTurn) {
  Port port = port_under_test(round_robin(4));
  arrive(port, 0, 0, {1, 1, 1});
  arrive(port, 0, 1, {1});
  arrive(port, 0, 3, {1, 1, 1});
  // Queue 2 is empty, queue 1 after its only packet.
  EXPECT_THAT(winners(port, 8), ElementsAre(0, 1, 3, 0, 3, 0, 3, -1));
}

TEST(RoundRobin, AStoppedQueueIsPassedOverAndLosesNothingElse) {
  Port port = port_under_test(round_robin(3));
  for (int q = 0; q < 3; ++q) {
    arrive(port, 0, q, {1, 1, 1, 1});
  }
  port.stop(0, 1, true);
  EXPECT_THAT(winners(port, 3, 0), ElementsAre(0, 2, 0));
  port.stop(3, 1, false);
  EXPECT_THAT(winners(port, 3, 3), ElementsAre(1, 2, 0));
}

TEST(RoundRobin, NothingChangesWhileNobodyIsActive) {
  Port port = port_under_test(round_robin(3));
  arrive(port, 0, 0, {1, 1});
  arrive(port, 0, 1, {1});
  EXPECT_THAT(winners(port, 1, 0), ElementsAre(0));
  port.stop(1, 0, true);
  port.stop(1, 1, true);
  EXPECT_THAT(winners(port, 3, 1), ElementsAre(-1, -1, -1));
  port.stop(4, 0, false);
  port.stop(4, 1, false);
  EXPECT_THAT(winners(port, 2, 4), ElementsAre(1, 0));
}

// The paper's reason for tables: "RR does not guarantee equal bandwidth with variable packet
// sizes".
TEST(RoundRobin, SharesFollowThePacketSizes) {
  EXPECT_THAT(backlogged_shares(round_robin(3), {1, 2, 5}, 3000),
              ElementsAre(DoubleEq(1.0 / 8), DoubleEq(2.0 / 8), DoubleEq(5.0 / 8)));
}

}  // namespace
}  // namespace qosarb::test
