// A clone says what its original would decide, and leaves the original alone.
#include <gtest/gtest.h>

#include "qosarb/policy/narration.hpp"
#include "random_arbiters.hpp"

namespace qosarb::test {
namespace {

class Clone : public ::testing::TestWithParam<std::string> {};

std::vector<std::uint64_t> state_of(Arbiter& arbiter) {
  std::vector<std::uint64_t> numbers;
  EXPECT_TRUE(arbiter.append_state(numbers));
  return numbers;
}

class Listener final : public Narrator {
 public:
  void tell(std::string /*step*/) override { ++steps; }
  int steps = 0;
};

std::string config_text(Random& random, const std::string& policy) {
  if (policy == "seastar-age") {
    return "policy: seastar-age\nqueues: 4\nmax_packet_flits: 8\nvcs: 2\nreq_age_bias: [1, 2]\n"
           "rsp_age_bias: [3, 0]\nage_clock_period: 3\nage_rr_select: 0xfffffffffffffff0\n";
  }
  return random_config(random, policy);
}

// Heads change at will, cycles pass. In each cycle a clone is asked before the arbiter itself
// decides.
TEST_P(Clone, IsAskedWithoutAnyEffectOnItsOriginal) {
  Random random(41);
  for (int run = 0; run < 20; ++run) {
    const ArbiterConfig config = arbiter_config(config_text(random, GetParam()));
    Port port(config.queues, make_reference(config));
    Listener listener;
    port.arbiter().narrate(&listener);
    int granted = 0;
    for (Cycle now = 0; now < 300; now += 1 + random.below(2) * random.below(20)) {
      for (int packets = random.between(0, 2); packets > 0; --packets) {
        const int queue = random.between(0, config.queues - 1);
        port.arrive(now, queue,
                    static_cast<std::uint32_t>(1 + random.below(max_packet_flits(config, queue))),
                    static_cast<std::uint8_t>(random.below(256)));
      }
      port.stop(now, random.between(0, config.queues - 1), random.once_in(3));
      port.reach(now);
      const std::vector<std::uint64_t> before = state_of(port.arbiter());
      const std::unique_ptr<Arbiter> asked = port.arbiter().clone();
      EXPECT_EQ(state_of(*asked), before);
      const int steps = listener.steps;
      const Decision foretold = asked->decide(now, port.heads());
      ASSERT_EQ(state_of(port.arbiter()), before);
      EXPECT_EQ(listener.steps, steps) << "what a clone does is not what happens";
      asked->advance(now + 1000, port.heads());
      ASSERT_EQ(state_of(port.arbiter()), before) << "time at the clone is time at the original";

      ASSERT_EQ(port.arbitrate(now).decision, foretold) << "cycle " << now;
      granted += foretold.queue >= 0 ? 1 : 0;
    }
    EXPECT_GT(granted, 20);
    EXPECT_GT(listener.steps, granted);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, Clone, ::testing::ValuesIn(policy_names()));

}  // namespace
}  // namespace qosarb::test
