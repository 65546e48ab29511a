// ets by hand.
#include "qosarb/policy/ets.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy_under_test.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/events/explanation.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb::test {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Packets of up to 8 flits, quanta of 10 flits for each unit of weight. `classes`: YAML.
ArbiterConfig ets_classes(const std::string& classes, int queues) {
  return arbiter_config(
      fmt::format("{{policy: ets, queues: {}, max_packet_flits: 8, quantum_scale: 10, "
                  "classes: [{}]}}",
                  queues, classes));
}

std::vector<std::uint32_t> packets(std::size_t count, std::uint32_t flits = 8) {
  return std::vector<std::uint32_t>(count, flits);
}

std::vector<std::uint64_t> state_of(Port& port) {
  std::vector<std::uint64_t> numbers;
  EXPECT_TRUE(reference_of(port.arbiter()).append_state(numbers));
  return numbers;
}

// Quanta 20 and 10, packets of 8. (remaining after it)
//   queue 0: 8 (12), 8 (4), 4 saved    queue 1: 8 (2), 2 saved
//   queue 0, 24: 8 (16), 8 (8), 8 (0)  queue 1, 12: 8 (4), 4 saved
//   queue 0, 20: 8 (12), 8 (4), 4 saved    queue 1, 14: 8 (6), 6 saved
//   queue 0, 24: 8, 8, 8 (0)           queue 1, 16: 8 (8), 8 (0), and all is as at the beginning.
TEST(Ets, WeightedQueuesAreADeficitTable) {
  Port port = port_under_test(ets_classes("{weight: 2}, {weight: 1}", 2));
  arrive(port, 0, 0, packets(20));
  arrive(port, 0, 1, packets(20));
  const std::vector<std::uint64_t> first = state_of(port);
  EXPECT_THAT(winners(port, 15), ElementsAre(0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1));
  EXPECT_EQ(state_of(port), first);
}

// The same two, and strict priority for queues 1 and 3 of four: the weighted ones are 0 and 2. A
// packet of each strict queue comes between the weighted winners 0 and 0; 3 is the higher one.
TEST(Ets, StrictPriorityComesInBetweenAndChangesNothing) {
  Port port = port_under_test(
      ets_classes("{weight: 2}, {strict_priority: true}, {weight: 1}, {strict_priority: true}", 4));
  arrive(port, 0, 0, packets(20));
  arrive(port, 0, 2, packets(20));
  EXPECT_THAT(winners(port, 1), ElementsAre(0));
  const std::vector<std::uint64_t> before = state_of(port);
  arrive(port, 1, 1, packets(1));
  arrive(port, 1, 3, packets(1));
  EXPECT_THAT(winners(port, 2, 1), ElementsAre(3, 1));
  EXPECT_EQ(state_of(port), before);
  EXPECT_THAT(winners(port, 6, 3), ElementsAre(0, 2, 0, 0, 0, 2));
}

// Strict priority starves the weighted queue for as long as it lasts.
TEST(Ets, TheLowestNumberedStrictQueueStillGoesBeforeEveryWeight) {
  Port port = port_under_test(ets_classes("{strict_priority: true}, {weight: 100}", 2));
  arrive(port, 0, 1, packets(2));
  arrive(port, 0, 0, packets(5));
  EXPECT_THAT(winners(port, 8), ElementsAre(0, 0, 0, 0, 0, 1, 1, -1));
}

// A stopped queue is not active, whatever its priority.
TEST(Ets, AStoppedStrictQueueIsPassedOver) {
  Port port = port_under_test(
      ets_classes("{weight: 1}, {strict_priority: true}, {strict_priority: true}", 3));
  for (const Index queue : {0, 1, 2}) {
    arrive(port, 0, queue, packets(2));
  }
  port.stop(0, 2, true);
  EXPECT_THAT(winners(port, 1), ElementsAre(1));
  port.stop(1, 1, true);
  EXPECT_THAT(winners(port, 1, 1), ElementsAre(0));
  port.stop(2, 2, false);
  EXPECT_THAT(winners(port, 1, 2), ElementsAre(2));
}

// Queue 0 has sent 8 of 20 when it runs dry, queue 1 and the strict one go on. While strict
// priority wins the table is not looked at, so queue 0 loses nothing and, back in time, goes on
// with the 12 left: 8 (4), 4 saved. Had it lost its turn, queue 1 would be next.
TEST(Ets, AQueueThatIsEmptyOnlyWhileStrictPriorityWinsKeepsItsTurn) {
  Port port = port_under_test(ets_classes("{weight: 2}, {weight: 1}, {strict_priority: true}", 3));
  arrive(port, 0, 0, packets(1));
  arrive(port, 0, 1, packets(9));
  EXPECT_THAT(winners(port, 1), ElementsAre(0));
  arrive(port, 1, 2, packets(3));
  EXPECT_THAT(winners(port, 3, 1), ElementsAre(2, 2, 2));
  arrive(port, 4, 0, packets(9));
  EXPECT_THAT(winners(port, 2, 4), ElementsAre(0, 1));
}

TEST(Ets, WithoutAWeightedQueueThereIsNoTable) {
  Port port = port_under_test(ets_classes("{strict_priority: true}, {strict_priority: true}", 2));
  EXPECT_THAT(winners(port, 1), ElementsAre(-1));
  arrive(port, 1, 0, packets(1));
  arrive(port, 1, 1, packets(1));
  EXPECT_THAT(winners(port, 3, 1), ElementsAre(1, 0, -1));
  EXPECT_TRUE(state_of(port).empty());
  EXPECT_EQ(reference_of(port.arbiter()).describe(), "no table");
  EXPECT_EQ(reference_of(port.arbiter()).paying_entry(), -1);
}

// Entry 0 is queue 1, entry 1 is queue 2; a strict-priority packet is paid by none.
TEST(Ets, EntriesAreTheWeightedQueuesInOrder) {
  Port port = port_under_test(ets_classes("{strict_priority: true}, {weight: 1}, {weight: 1}", 3));
  arrive(port, 0, 2, packets(1));
  EXPECT_THAT(winners(port, 1), ElementsAre(2));
  EXPECT_EQ(reference_of(port.arbiter()).paying_entry(), 1);
  const std::uint64_t turn = reference_of(port.arbiter()).paying_turn();
  arrive(port, 1, 0, packets(1));
  EXPECT_THAT(winners(port, 1, 1), ElementsAre(0));
  EXPECT_EQ(reference_of(port.arbiter()).paying_entry(), -1);
  arrive(port, 2, 1, packets(1));
  EXPECT_THAT(winners(port, 1, 2), ElementsAre(1));
  EXPECT_EQ(reference_of(port.arbiter()).paying_entry(), 0);
  EXPECT_GT(reference_of(port.arbiter()).paying_turn(), turn);
}

// Weights 5:3:2 and packets of 8, 5 and 1 flits: flits are shared as the weights are, to a packet.
TEST(Ets, SharesAreOfFlitsWhateverTheSizes) {
  EXPECT_THAT(backlogged_shares(ets_classes("{weight: 5}, {weight: 3}, {weight: 2}", 3), {8, 5, 1},
                                100'000),
              ElementsAre(DoubleNear(0.5, 1e-3), DoubleNear(0.3, 1e-3), DoubleNear(0.2, 1e-3)));
}

TEST(Ets, ACopyGoesOnByItself) {
  Port port = port_under_test(ets_classes("{weight: 2}, {weight: 1}", 2));
  arrive(port, 0, 0, packets(4));
  arrive(port, 0, 1, packets(4));
  winners(port, 1);
  const auto copy = reference_of(port.arbiter()).clone();
  const std::vector<std::uint64_t> before = state_of(port);
  EXPECT_EQ(copy->decide(1, port.heads()).queue, 0);
  EXPECT_EQ(state_of(port), before);
  std::vector<std::uint64_t> after;
  copy->append_state(after);
  EXPECT_NE(after, before);
}

TEST(Ets, TellsItsSteps) {
  const ArbiterConfig config =
      ets_classes("{weight: 1}, {strict_priority: true}, {strict_priority: true}", 3);
  Port port(config.queues, make_reference(config));
  Explanation explanation;
  explanation.listen_to(port);
  arrive(port, 0, 1, packets(1));
  arrive(port, 0, 0, packets(1));
  winners(port, 2);
  const std::string text = to_csv(explanation.passages());
  EXPECT_THAT(text, HasSubstr("queue 2 (empty) has strict priority: passed over"));
  EXPECT_THAT(text, HasSubstr("queue 1 (8 flits) has strict priority and wins"));
  EXPECT_THAT(text, HasSubstr("entry 0 (queue 0, 10 flits left): the head of 8 flits fits"));
}

/// What is said about a config with these classes.
class TellsOfEts final : public Narrator {
 public:
  void tell(std::string step) override { steps.push_back(std::move(step)); }
  std::vector<std::string> steps;
};

TEST(Ets, TellsWhoseStrictPriorityIsPassedOver) {
  for (const bool has_table : {true, false}) {
    const ArbiterConfig config =
        ets_classes(has_table ? "{strict_priority: true}, {weight: 1}" : "{strict_priority: true}",
                    has_table ? 2 : 1);
    Port port(config.queues, make_reference(config));
    arrive(port, 0, 0, packets(1));
    port.stop(0, 0, true);
    if (has_table) {
      arrive(port, 0, 1, packets(1));
    }
    TellsOfEts listener;
    port.arbiter().narrate(&listener);
    port.arbitrate(0);
    EXPECT_THAT(listener.steps,
                ElementsAre("queue 0 (8 flits, stopped) has strict priority: passed over",
                            has_table ? "entry 0 (queue 1, 10 flits left): the head of 8 flits "
                                        "fits and is granted, 2 left"
                                      : "no queue has a weight: none wins"));
  }
}

std::string fault_of(const std::string& more, const std::string& classes) {
  try {
    arbiter_config(
        fmt::format("policy: ets\nqueues: 2\nmax_packet_flits: 8\n{}classes: [{}]", more, classes));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(EtsConfig, RefusesWhatIsNotAClass) {
  const std::string either = "a class has either a weight or strict_priority: true";
  EXPECT_THAT(fault_of("", "{weight: 8}, {}"), HasSubstr(either));
  EXPECT_THAT(fault_of("", "{weight: 8}, {weight: 8, strict_priority: true}"), HasSubstr(either));
  EXPECT_THAT(fault_of("", "{weight: 8}, {strict_priority: false}"), HasSubstr(either));
  EXPECT_THAT(fault_of("", "{weight: 8}, {weight: 8, strict_priority: false}"), HasSubstr(either));
  EXPECT_THAT(fault_of("", "{weight: 8}"), HasSubstr("classes has 1 items; 2 to 2 are allowed"));
  EXPECT_THAT(fault_of("strict: false\n", "{weight: 8}, {weight: 0}"),
              HasSubstr("weight is 0, which is not within 1.."));
  EXPECT_THAT(fault_of("", "{weight: 8}, {weight: 8, colour: 1}"),
              HasSubstr("unknown key 'colour'"));
  EXPECT_THAT(fault_of("variant: printed\n", "{weight: 8}, {weight: 8}"),
              HasSubstr("ets has one variant only, corrected"));
  EXPECT_THAT(fault_of("quantum_scale: 4294967295\n", "{weight: 8}, {weight: 8}"),
              HasSubstr("is beyond 4294967296"));
}

TEST(EtsConfig, TakesNumbersUpTo32Bits) {
  const std::string strict = ", {strict_priority: true}";
  EXPECT_EQ(fault_of("", "{weight: 4294967295}" + strict), "no fault");
  EXPECT_THAT(fault_of("", "{weight: 4294967296}" + strict), HasSubstr("not within 1..4294967295"));
  EXPECT_EQ(fault_of("quantum_scale: 4294967295\n", "{weight: 1}" + strict), "no fault");
  for (const char* const scale : {"0", "4294967296"}) {
    EXPECT_THAT(fault_of(fmt::format("quantum_scale: {}\n", scale), "{weight: 1}" + strict),
                HasSubstr("not within 1..4294967295"));
  }
}

// A strict-priority class counts as served, so it needs no quantum.
TEST(EtsConfig, StrictRefusesAQuantumBelowAPacket) {
  EXPECT_THAT(fault_of("", "{weight: 8}, {weight: 7}"),
              HasSubstr("a quantum of 7 flits (7 x 1) does not hold a packet of 8 flits"));
  EXPECT_EQ(fault_of("strict: false\n", "{weight: 8}, {weight: 7}"), "no fault");
  EXPECT_EQ(fault_of("", "{weight: 8}, {strict_priority: true}"), "no fault");
}

TEST(EtsConfig, CanBeLoweredByWhoeverShrinksIt) {
  Parameters parameters =
      EtsConfig{.quantum_scale = 10, .classes = {{false, 3}, {true, 0}, {false, 5}}};
  EXPECT_FALSE(kEts.shorten_turns(parameters, 2, 1));  // a unit is 10 flits
  EXPECT_TRUE(kEts.unscale(parameters));
  EXPECT_EQ(parameters.get<EtsConfig>(),
            (EtsConfig{.quantum_scale = 1, .classes = {{false, 30}, {true, 0}, {false, 50}}}));
  EXPECT_FALSE(kEts.unscale(parameters));
  EXPECT_TRUE(kEts.shorten_turns(parameters, 2, 7));
  EXPECT_FALSE(kEts.shorten_turns(parameters, 0, 30));  // a weight is at least 1
  EXPECT_FALSE(kEts.shorten_turns(parameters, 1, 1));   // strict priority has no turns
  kEts.leave_out_queues(parameters, 1, 1);
  EXPECT_EQ(parameters.get<EtsConfig>(),
            (EtsConfig{.quantum_scale = 1, .classes = {{false, 30}, {false, 43}}}));
  const std::vector<LowerableNumber> numbers = kEts.numbers(parameters);
  ASSERT_EQ(numbers.size(), 2U);
  EXPECT_EQ(numbers[1].value, 43U);
  EXPECT_EQ(numbers[1].lowest, 1U);
  numbers[1].set(2);
  EXPECT_EQ(parameters.get<EtsConfig>().classes[1].weight, 2U);
}

// 5 + 3 + 2 = 10.
TEST(EtsConfig, AsksForSharesOfWhatStrictPriorityLeaves) {
  const ArbiterConfig config =
      ets_classes("{weight: 5}, {strict_priority: true}, {weight: 3}, {weight: 2}", 4);
  EXPECT_THAT(config.policy->asked_share(config, 0).value(), DoubleEq(0.5));
  EXPECT_FALSE(config.policy->asked_share(config, 1).has_value());
  EXPECT_THAT(config.policy->asked_share(config, 3).value(), DoubleEq(0.2));
}

}  // namespace
}  // namespace qosarb::test
