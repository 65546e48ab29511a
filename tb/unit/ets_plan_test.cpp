// Quanta from percentages, by hand.
#include "qosarb/plan/ets_plan.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "policy_under_test.hpp"
#include "qosarb/policy/ets.hpp"

namespace qosarb::test {
namespace {

EtsRequirements percentages(const std::vector<Rational>& percents, std::uint32_t longest,
                            std::uint32_t max_quantum = 65535) {
  EtsRequirements requirements{.max_packet_flits = longest, .max_quantum_flits = max_quantum};
  for (Index q = 0; q < count(percents); ++q) {
    requirements.classes.push_back({q, percents[q]});
  }
  return requirements;
}

// 50:30:20 is 5:3:2 in lowest terms. The smallest quantum, 2 units, is to hold 16: a unit is 8.
TEST(EtsPlan, SmallestExactWeightsThatHoldAPacket) {
  EtsRequirements requirements = percentages({50, 30, 20}, 16);
  requirements.classes.push_back({3, {}});
  requirements.strict_load = StrictLoad{Rational(1, 10), 16};
  const EtsPlan plan = plan_ets(requirements);
  EXPECT_TRUE(plan.exact);
  EXPECT_EQ(
      plan.arbiter.parameters.get<EtsConfig>(),
      (EtsConfig{.quantum_scale = 8, .classes = {{false, 5}, {false, 3}, {false, 2}, {true}}}));
  EXPECT_EQ(plan.classes[0].quantum_flits, 40U);
  EXPECT_EQ(plan.classes[2].quantum_flits, 16U);
  EXPECT_EQ(plan.classes[1].share, Rational(3, 10));
  // Queue 2: 16 on the link, 40 + 24 of the others and 15 + 15 that they save: 110. Strict
  // priority: (110 + 16 + 16 / 10) / (9 / 10) = 141.8.
  EXPECT_EQ(plan.classes[2].service.guarantee->max_wait_flits, 142U);
  EXPECT_EQ(plan.classes[3].service.guarantee->max_wait_flits, 16U);
}

// A third is not rounded: 100/3 : 200/3 is 1:2, and a unit holds the packet.
TEST(EtsPlan, FractionsOfAPercentAreExact) {
  const EtsPlan plan = plan_ets(percentages({Rational(100, 3), Rational(200, 3)}, 9));
  EXPECT_TRUE(plan.exact);
  EXPECT_EQ(plan.classes[0].quantum_flits, 9U);
  EXPECT_EQ(plan.classes[1].quantum_flits, 18U);
}

// 70:30 exactly needs 7 x 6 and 3 x 6 for packets of 16; quanta end at 40. Of the weights that fit,
// 40:17 is the nearest (40 for 39.67; the next, 37 for 37.33 of 16, is off by 0.9 % instead of
// 0.8).
TEST(EtsPlan, TheSmallestErrorWhereTheExactQuantaDoNotFit) {
  const EtsPlan plan = plan_ets(percentages({70, 30}, 16, 40));
  EXPECT_FALSE(plan.exact);
  EXPECT_EQ(plan.classes[0].quantum_flits, 40U);
  EXPECT_EQ(plan.classes[1].quantum_flits, 17U);
  EXPECT_EQ(plan.classes[0].share, Rational(40, 57));
}

TEST(EtsPlan, RefusesWhatCannotBe) {
  EXPECT_THROW((void)plan_ets(percentages({50, 30}, 16)), std::invalid_argument);      // 80 %
  EXPECT_THROW((void)plan_ets(percentages({99, 1}, 16, 100)), std::invalid_argument);  // 1584
  EtsRequirements strict{.max_packet_flits = 16, .classes = {{0, {}}, {1, {}}}};
  EXPECT_TRUE(plan_ets(strict).exact);  // no percentages are no fault
}

// What is planned is what is got: packets of 16, 5 and 1 flits.
TEST(EtsPlan, IsKeptBySimulatedService) {
  const EtsPlan plan = plan_ets(percentages({50, 30, 20}, 16));
  const std::vector<double> shares = backlogged_shares(plan.arbiter, {16, 5, 1}, 200'000);
  EXPECT_NEAR(shares[0], 0.5, 1e-3);
  EXPECT_NEAR(shares[1], 0.3, 1e-3);
  EXPECT_NEAR(shares[2], 0.2, 1e-3);
}

}  // namespace
}  // namespace qosarb::test
