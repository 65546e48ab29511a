// Classes of several virtual channels: who of a class is offered, and that classes are what is
// decided among.
#include "qosarb/policy/class_arbiter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "policy_under_test.hpp"
#include "qosarb/network/network.hpp"
#include "scenarios_under_test.hpp"

namespace qosarb::test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

Port classes(const std::string& yaml, int channels) {
  const ArbiterConfig config = arbiter_config(yaml);
  return {config.queues * channels,
          std::make_unique<ClassArbiter>(make_reference(config), config.queues, channels)};
}

TEST(ClassArbiter, ClassesTakeTurnsAndChannelsWithinThem) {
  Port port = classes("policy: rr\nqueues: 2\nmax_packet_flits: 4", 2);
  arrive(port, 0, 0, {1, 1, 1});
  arrive(port, 0, 1, {1, 1, 1});
  arrive(port, 0, 3, {1, 1, 1, 1, 1});
  EXPECT_THAT(winners(port, 11), ElementsAre(0, 3, 1, 3, 0, 3, 1, 3, 0, 3, 1));
}

TEST(ClassArbiter, AChannelThatIsStoppedIsPassedOverWithinItsClass) {
  Port port = classes("policy: rr\nqueues: 2\nmax_packet_flits: 4", 2);
  for (int channel = 0; channel < 4; ++channel) {
    arrive(port, 0, channel, {1, 1, 1, 1});
  }
  port.stop(0, 0, true);
  EXPECT_THAT(winners(port, 4, 0), ElementsAre(1, 2, 1, 3));
  port.stop(4, 1, true);  // the whole class
  EXPECT_THAT(winners(port, 2, 4), ElementsAre(2, 3));
}

// Chooses the first active class, and keeps what it saw.
class FirstActive final : public Arbiter {
 public:
  explicit FirstActive(std::vector<Head>& seen) : seen_(seen) {}
  Decision decide(Cycle /*now*/, Heads heads) override {
    seen_.assign(heads.begin(), heads.end());
    const auto found =
        std::find_if(heads.begin(), heads.end(), [](const Head& head) { return head.active(); });
    return found == heads.end()
               ? Decision{}
               : Decision{static_cast<Index>(found - heads.begin()), found->flits, found->age};
  }
  [[nodiscard]] std::string describe() const override { return "first active"; }

 private:
  std::vector<Head>& seen_;
};

// Beside a search channel by channel.
TEST(ClassArbiter, ShowsTheNextActiveChannelOrTheLastOneThatIsStopped) {
  Random random(test_seed(83));
  int stopped_shown = 0;
  for (int run = 0; run < 300; ++run) {
    const int channels = random.from(1, 64);
    const int classes = random.from(1, 64 / channels);
    std::vector<Head> seen;
    ClassArbiter arbiter(std::make_unique<FirstActive>(seen), classes, channels);
    std::vector<int> last(classes, channels - 1);
    for (Cycle now = 0; now < 30; ++now) {
      std::vector<Head> heads(classes * channels);
      for (Index queue = 0; queue < count(heads); ++queue) {
        heads[queue].flits = random.once_in(2) ? queue + 1 : 0;
        heads[queue].stopped = random.once_in(channels < 4 ? 2 : 1 + random.below(2));
      }
      Index winner = -1;
      std::vector<std::uint32_t> expected;
      for (int c = 0; c < classes; ++c) {
        const Head* shown = nullptr;
        for (int i = 1; i <= channels && (shown == nullptr || !shown->active()); ++i) {
          const Head& head = heads[c * channels + (last[c] + i) % channels];
          shown = head.flits != 0 ? &head : shown;
        }
        expected.push_back(shown == nullptr ? 0 : shown->flits);
        stopped_shown += shown != nullptr && !shown->active() ? 1 : 0;
        if (winner < 0 && shown != nullptr && shown->active()) {
          winner = static_cast<Index>(shown->flits) - 1;
        }
      }
      ASSERT_EQ(arbiter.decide(now, heads).queue, winner);
      for (int c = 0; c < classes; ++c) {
        ASSERT_EQ(seen[c].flits, expected[c]) << "class " << c << " of " << classes;
      }
      if (winner >= 0) {
        last[winner / channels] = winner % channels;
      }
    }
  }
  EXPECT_GT(stopped_shown, 1000);
}

// Four channels of a class have its rates together, not each of them.
TEST(ClassArbiter, RatesAreThoseOfTheClass) {
  Port port = classes(
      "policy: trtcm\nqueues: 3\nmax_packet_flits: 4\nclasses:\n"
      "  - {priority: 0, assured_rate: 0.2, peak_rate: 0.2}\n"
      "  - {priority: 1, assured_rate: 0.5, peak_rate: 0.5}\n"
      "  - {priority: 2, assured_rate: 0.3, peak_rate: 0.3}",
      4);
  constexpr int kDecisions = 20'000;
  std::vector<double> shares(3, 0);
  for (int channel = 0; channel < 12; ++channel) {
    // Class 1 has one channel only.
    if (channel / 4 != 1 || channel == 5) {
      arrive(port, 0, channel, std::vector<std::uint32_t>(kDecisions, 4));
    }
  }
  for (int i = 0; i < kDecisions; ++i) {
    shares[port.arbitrate(4 * i).decision.queue / 4] += 1.0 / kDecisions;
  }
  EXPECT_THAT(shares,
              ElementsAre(DoubleNear(0.2, 0.001), DoubleNear(0.5, 0.001), DoubleNear(0.3, 0.001)));
}

// What is asked of it besides decisions is asked of the arbiter of the classes.
TEST(ClassArbiter, TellsWhatItsInnerArbiterTells) {
  Port port = classes(
      "policy: trtcm\nqueues: 2\nmax_packet_flits: 4\nclasses:\n"
      "  - {priority: 0, assured_rate: 0.2, peak_rate: 0.2}\n"
      "  - {priority: 1, assured_rate: 0.5, peak_rate: 0.5}",
      2);
  struct Steps final : Narrator {
    void tell(std::string step) override { all.push_back(std::move(step)); }
    std::vector<std::string> all;
  } steps;
  port.arbiter().narrate(&steps);
  arrive(port, 0, 1, {1});
  arrive(port, 0, 2, {1});
  EXPECT_THAT(winners(port, 1), ElementsAre(1));
  EXPECT_THAT(steps.all, testing::Contains(testing::HasSubstr("queue 0")));
  // Class 1 has waited for one cycle.
  std::vector<CounterValue> counters;
  dynamic_cast<const Counting&>(port.arbiter()).append_counters(counters);
  std::uint64_t waited = 0;
  for (const CounterValue& counter : counters) {
    waited += counter.of == 1 ? counter.value : 0;
  }
  EXPECT_EQ(waited, 1U);
  EXPECT_THAT(port.arbiter().describe(), testing::EndsWith("last channels=[1, 1]"));
  EXPECT_EQ(port.arbiter().paying_entry(), -1);
  // Nobody needs its state, or a copy.
  std::vector<std::uint64_t> state;
  EXPECT_FALSE(port.arbiter().append_state(state));
  EXPECT_THAT(state, testing::IsEmpty());
  EXPECT_EQ(port.arbiter().clone(), nullptr);
}

TEST(ClassArbiter, TheEntryThatPaysIsThatOfTheClasses) {
  Port port = classes(
      "policy: bxi-basic\nqueues: 2\nmax_packet_flits: 4\n"
      "table: [{queue: 0, weight: 4}, {queue: 1, weight: 4}]",
      2);
  EXPECT_EQ(port.arbitrate(0).decision.queue, -1);
  arrive(port, 1, 3, {4});
  EXPECT_THAT(winners(port, 1, 1), ElementsAre(3));
  EXPECT_EQ(port.arbiter().paying_entry(), 1);
  const std::uint64_t turn = port.arbiter().paying_turn();
  arrive(port, 2, 0, {4});
  EXPECT_THAT(winners(port, 1, 2), ElementsAre(0));
  EXPECT_EQ(port.arbiter().paying_entry(), 0);
  EXPECT_GT(port.arbiter().paying_turn(), turn);
  // Of one that counts nothing nothing is counted.
  std::vector<CounterValue> counters;
  dynamic_cast<const Counting&>(port.arbiter()).append_counters(counters);
  EXPECT_THAT(counters, testing::IsEmpty());
}

class Dragonfly : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Views, Dragonfly, testing::Bool());

// Progressive adaptive routing needs four channels of each of two classes; it looks at what waits
// of its own class, or of all.
TEST_P(Dragonfly, OfClassesLosesNothing) {
  Scenario s;
  s.topology.own_class_view = GetParam();
  for (const TopologyKind* kind : topology_kinds()) {
    if (kind->name() == "dragonfly") {
      s.topology.kind = kind;
    }
  }
  s.topology.groups = 5;
  s.topology.switches = 4;
  s.topology.hosts_per_switch = 2;
  s.topology.global_links = 1;
  s.topology.routing = &s.topology.kind->routings()[2];
  ASSERT_EQ(s.topology.routing->name, "adaptive");
  s.arbiter = arbiter_config(
      "policy: trtcm\nqueues: 2\nmax_packet_flits: 4\nclasses:\n"
      "  - {priority: 0, assured_rate: 0.2, peak_rate: 0.2}\n"
      "  - {priority: 1, assured_rate: 0.5, peak_rate: 1}");
  s.channels_per_queue = 4;
  s.switches.architecture = switch_kinds()[1];
  s.switches.flow_control = flow_controls()[1];
  s.switches.input_queue_flits = 64;
  s.measure = 20'000;
  for (int queue = 0; queue < 2; ++queue) {
    s.traffic.push_back(uniform_traffic(queue, 0.4, MessageSizes::fixed(512), 40));
    s.traffic.back().messages = 100;
  }
  Network network(s, make_reference_factory());
  network.run(s.measure);
  EXPECT_EQ(network.totals().delivered, 2U * 40 * 100 * 8);
  EXPECT_EQ(network.totals().in_flight, 0U);
  EXPECT_EQ(network.packets_in_use(), 0U);
}

}  // namespace
}  // namespace qosarb::test
