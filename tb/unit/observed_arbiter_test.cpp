// What an arbiter is shown of several queues in turn is a log that gives the same decisions.
#include "qosarb/events/observed_arbiter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "policy_under_test.hpp"
#include "qosarb/events/event_log.hpp"
#include "qosarb/policy/policy.hpp"
#include "random/policy_random.hpp"

namespace qosarb::test {
namespace {

class ObservedPort : public ::testing::TestWithParam<std::string> {};

// Packets wait in no order; in each cycle any one of a queue is shown, or none.
TEST_P(ObservedPort, LeavesALogThatGivesTheSameDecisions) {
  Random random(test_seed(42));
  const PolicyRef policy = policy_named(GetParam());
  int withdrawn = 0;
  for (int run = 0; run < 20; ++run) {
    const ArbiterConfig config = random_strict_config(random, policy, kSmallArbiters);
    EventRecorder recorder;
    ObservedArbiter arbiter(make_reference(config), config.queues, policy->shares_chip_clock(),
                            recorder);
    std::vector<std::vector<Head>> waiting(config.queues);
    std::vector<Head> heads(config.queues);
    std::vector<int> shown(config.queues, -1);
    std::vector<TimedDecision> decided;
    for (Cycle now = 0; now < 300; now += 1 + random.below(2) * random.below(20)) {
      arbiter.advance(now, heads);
      for (int packets = random.from(0, 2); packets > 0; --packets) {
        const Index queue = random.from(0, config.queues - 1);
        const auto age = random.from<std::uint8_t>(0, 255);
        waiting[queue].push_back({.flits = random.from(1U, max_packet_flits(config, queue)),
                                  .age = age,
                                  .stamp = arbiter.arrive(now, queue, age)});
      }
      for (Index queue = 0; queue < config.queues; ++queue) {
        if (random.once_in(2)) {
          shown[queue] = random.from(-1, count(waiting[queue]) - 1);
        }
        heads[queue] = shown[queue] < 0 ? Head{} : waiting[queue][shown[queue]];
        heads[queue].stopped = random.once_in(4);
      }
      if (random.once_in(5)) {
        continue;
      }
      decided.push_back({now, arbiter.decide(now, heads)});
      if (const Index winner = decided.back().decision.queue; winner >= 0) {
        waiting[winner].erase(waiting[winner].begin() + shown[winner]);
        shown[winner] = -1;
        heads[winner] = Head{};
      }
    }
    Port port(config.queues, make_reference(config));
    StoredEvents log(recorder.events());
    EXPECT_EQ(replay(log, port), decided);
    for (const Event& event : recorder.events()) {
      withdrawn += event.kind == EventKind::Withdraw ? 1 : 0;
    }
  }
  EXPECT_GT(withdrawn, 100);
}

INSTANTIATE_TEST_SUITE_P(Policies, ObservedPort, ::testing::ValuesIn(policy_names()));

}  // namespace
}  // namespace qosarb::test
