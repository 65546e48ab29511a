// A clone says what its original would decide, and leaves the original alone.
#include <gtest/gtest.h>

#include "policy_under_test.hpp"
#include "qosarb/policy/narration.hpp"
#include "qosarb/policy/policy.hpp"
#include "random/policy_random.hpp"

namespace qosarb::test {
namespace {

class Clone : public ::testing::TestWithParam<std::string> {};

std::vector<std::uint64_t> state_of(Arbiter& arbiter) {
  std::vector<std::uint64_t> numbers;
  EXPECT_TRUE(arbiter.append_state(numbers));
  return numbers;
}

class StepCounter final : public Narrator {
 public:
  void tell(std::string /*step*/) override { ++steps; }
  int steps = 0;
};

// Heads change at will, cycles pass. In each cycle a clone is asked before the arbiter itself
// decides.
TEST_P(Clone, IsAskedWithoutAnyEffectOnItsOriginal) {
  Random random(test_seed(41));
  bool keeps_time = false;
  bool kept_time = false;
  bool stamps = false;
  bool stamped = false;
  for (int run = 0; run < 20; ++run) {
    const ArbiterConfig config =
        random_strict_config(random, policy_named(GetParam()), kSmallArbiters);
    Port port(config.queues, make_reference(config));
    StepCounter counter;
    port.arbiter().narrate(&counter);
    int granted = 0;
    for (Cycle now = 0; now < 300; now += 1 + random.below(2) * random.below(20)) {
      for (int packets = random.from(0, 2); packets > 0; --packets) {
        const Index queue = random.from(0, config.queues - 1);
        const auto age = random.from<std::uint8_t>(0, 255);
        port.arrive(now, queue, random.from(1U, max_packet_flits(config, queue)), age);
      }
      const bool stopped = random.once_in(3);
      port.stop(now, random.from(0, config.queues - 1), stopped);
      port.reach(now);
      const std::vector<std::uint64_t> before = state_of(port.arbiter());
      const std::unique_ptr<Arbiter> asked = port.arbiter().clone();
      EXPECT_EQ(state_of(*asked), before);
      const int steps = counter.steps;
      const Decision foretold = asked->decide(now, port.heads());
      ASSERT_EQ(state_of(port.arbiter()), before);
      EXPECT_EQ(counter.steps, steps) << "what a clone does is not what happens";
      const std::vector<std::uint64_t> decided = state_of(*asked);
      stamps = asked->stamps();
      stamped = stamped || asked->arrive(now, 0, 1) != AgeStamp{} || state_of(*asked) != decided;
      asked->advance(now + 1000, port.heads());
      keeps_time = asked->keeps_time();
      kept_time = kept_time || state_of(*asked) != decided;
      ASSERT_EQ(state_of(port.arbiter()), before) << "time at the clone is time at the original";

      ASSERT_EQ(port.arbitrate(now).decision, foretold) << "cycle " << now;
      granted += foretold.queue >= 0 ? 1 : 0;
    }
    EXPECT_GT(granted, 10);
    EXPECT_GT(counter.steps, granted);
  }
  EXPECT_EQ(kept_time, keeps_time);
  EXPECT_EQ(stamped, stamps);
}

INSTANTIATE_TEST_SUITE_P(Policies, Clone, ::testing::ValuesIn(policy_names()));

}  // namespace
}  // namespace qosarb::test
