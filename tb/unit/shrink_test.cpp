// Shrinking with failures that are plain functions of a case.
#include "qosarb/events/shrink.hpp"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <span>

#include "policy_under_test.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/infiniband.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/rr.hpp"
#include "qosarb/policy/sbt.hpp"
#include "qosarb/policy/trtcm.hpp"

namespace qosarb::test {
namespace {

std::vector<Event> random_log(Random& random, const ArbiterConfig& config, int events) {
  std::vector<Event> log;
  Cycle now = 0;
  while (count(log) < events) {
    const Index queue = random.from(0, config.queues - 1);
    if (random.once_in(10)) {
      log.push_back({.cycle = now,
                     .kind = random.once_in(3) ? EventKind::Stop : EventKind::Start,
                     .queue = queue});
    } else if (random.once_in(2)) {
      log.push_back({.cycle = now,
                     .kind = EventKind::Arrive,
                     .age = random.from<std::uint8_t>(0, 255),
                     .queue = queue,
                     .flits = random.from(1U, max_packet_flits(config, queue))});
    } else {
      log.push_back({.cycle = now, .kind = EventKind::Arb});
      now += random.once_in(20) ? 100 : 1;
    }
  }
  return log;
}

std::vector<TimedDecision> decisions(const ArbiterConfig& config, const std::vector<Event>& log) {
  StoredEvents events(log);
  Port port(config.queues, make_reference(config));
  return replay(events, port);
}

/// The cycle in which two configs of the same queues decide differently.
std::optional<Cycle> first_difference(const LogCase& given, const ArbiterConfig& other) {
  const std::vector<TimedDecision> ours = decisions(given.config, given.events);
  const std::vector<TimedDecision> theirs = decisions(other, given.events);
  const auto [a, b] = std::mismatch(ours.begin(), ours.end(), theirs.begin());
  return a == ours.end() ? std::nullopt : std::optional(a->cycle);
}

void expect_valid(const LogCase& tried) {
  ASSERT_EQ(parse_arbiter(YAML::Load(to_yaml(tried.config))["arbiter"], "tried"), tried.config);
  bool arbitrated = false;
  Cycle now = 0;
  for (const Event& event : tried.events) {
    ASSERT_GE(event.cycle, now);
    arbitrated = arbitrated && event.cycle == now;
    ASSERT_FALSE(arbitrated) << "an event behind the arb of cycle " << now;
    now = event.cycle;
    arbitrated = event.kind == EventKind::Arb;
    if (event.kind != EventKind::Arb) {
      ASSERT_LT(event.queue, tried.config.queues);
    }
    if (event.kind == EventKind::Arrive) {
      ASSERT_GE(event.flits, 1U);
      ASSERT_LE(event.flits, max_packet_flits(tried.config, event.queue));
    }
  }
}

TEST(Shrink, FindsTheTwoEventsThatMatter) {
  Random random(test_seed(20262));
  const ArbiterConfig config = arbiter_config("{policy: rr, queues: 8, max_packet_flits: 20}");
  LogCase given{config, random_log(random, config, 20000)};
  // Fails in the cycle in which 7 flits or more come to queue 5 while queue 2 is stopped.
  const Fails fails = [](const LogCase& tried) -> std::optional<Cycle> {
    expect_valid(tried);
    bool stopped = false;
    for (const Event& event : tried.events) {
      if (event.queue == 2 && event.kind != EventKind::Arb && event.kind != EventKind::Arrive) {
        stopped = event.kind == EventKind::Stop;
      }
      if (stopped && event.kind == EventKind::Arrive && event.queue == 5 && event.flits >= 7) {
        return event.cycle;
      }
    }
    return {};
  };
  const std::optional<Shrunk> shrunk = shrink(given, fails);
  ASSERT_TRUE(shrunk);
  const std::vector<Event> expected = {
      {.cycle = 0, .kind = EventKind::Stop, .queue = 2},
      {.cycle = 0, .kind = EventKind::Arrive, .queue = 5, .flits = 7}};
  EXPECT_EQ(shrunk->smallest.events, expected);
  // Queues 6 and 7 go, and so does what a packet may have more than 7 flits.
  EXPECT_EQ(shrunk->smallest.config,
            arbiter_config("{policy: rr, queues: 6, max_packet_flits: 7}"));
  EXPECT_LT(shrunk->runs, 200);
}

TEST(Shrink, KeepsTheGapThatAFailureNeeds) {
  const ArbiterConfig config = arbiter_config("{policy: rr, queues: 2, max_packet_flits: 4}");
  LogCase given{config, {}};
  for (Cycle now = 5; now < 5000; now += 7) {
    given.events.push_back({.cycle = now, .kind = EventKind::Arb});
  }
  // Two arbs that are 100 cycles apart or more.
  const std::optional<Shrunk> shrunk = shrink(given, [](const LogCase& tried) {
    for (const Event& event : tried.events) {
      if (event.cycle >= tried.events.front().cycle + 100) {
        return std::optional(event.cycle);
      }
    }
    return std::optional<Cycle>();
  });
  ASSERT_TRUE(shrunk);
  const std::vector<Event> expected = {{.cycle = 0}, {.cycle = 100}};
  EXPECT_EQ(shrunk->smallest.events, expected);
  EXPECT_EQ(shrunk->smallest.config.queues, 1);
}

// What 120 events of a log are needed for is found, but nobody waits for its numbers to be
// searched: each becomes the lowest at once or stays.
TEST(Shrink, LeavesALongLogsNumbersThatCannotBeTheLowest) {
  const ArbiterConfig config = arbiter_config("{policy: rr, queues: 4, max_packet_flits: 20}");
  LogCase given{config, {}};
  for (int i = 0; i < 300; ++i) {
    given.events.push_back(
        {.cycle = static_cast<Cycle>(i), .kind = EventKind::Arrive, .queue = 3, .flits = 16});
  }
  const std::optional<Shrunk> shrunk =
      shrink(given, [](const LogCase& tried) -> std::optional<Cycle> {
        const auto long_ones = std::count_if(tried.events.begin(), tried.events.end(),
                                             [](const Event& event) { return event.flits >= 3; });
        return tried.events.size() >= 120 && long_ones > 0
                   ? std::optional(tried.events.back().cycle)
                   : std::nullopt;
      });
  ASSERT_TRUE(shrunk);
  const std::vector<Event>& left = shrunk->smallest.events;
  ASSERT_EQ(left.size(), 120U);
  EXPECT_EQ(
      std::count_if(left.begin(), left.end(), [](const Event& event) { return event.flits == 1; }),
      119);
  EXPECT_EQ(left.back().flits, 16U);
  EXPECT_EQ(left.back().cycle, 0U);
  EXPECT_EQ(shrunk->smallest.config.queues, 1);
}

TEST(Shrink, HasNothingToDoWithoutAFailure) {
  const ArbiterConfig config = arbiter_config("{policy: rr, queues: 2, max_packet_flits: 4}");
  int runs = 0;
  EXPECT_FALSE(shrink({config, {{.cycle = 1}}}, [&runs](const LogCase&) {
    ++runs;
    return std::optional<Cycle>();
  }));
  EXPECT_EQ(runs, 1);
}

/// A port whose config changes from rr, sections 0 to 2, in a log of `events`.
LogCase case_with_commits(Random& random, int events) {
  const ArbiterConfig config = arbiter_config("{policy: rr, queues: 2, max_packet_flits: 16}");
  const std::string table =
      "queues: 2, max_packet_flits: 16, table: [{queue: 0, weight: 20}, {queue: 1, weight: 30}]}";
  LogCase given{config,
                {},
                {config, arbiter_config("{policy: bxi-deficit, " + table),
                 arbiter_config("{policy: bxi-basic, " + table)}};
  for (const Event& event : random_log(random, config, events)) {
    if ((given.events.empty() || event.cycle != given.events.back().cycle) && random.once_in(20)) {
      given.events.push_back(
          {.cycle = event.cycle, .kind = EventKind::Commit, .queue = random.from(0, 2)});
    }
    given.events.push_back(event);
  }
  return given;
}

/// Calls `visit(event, before, now)` with the policies in force before and after each event, until
/// it returns true: in that cycle the case fails.
template <typename Visitor>
std::optional<Cycle> in_force(const LogCase& tried, Visitor&& visit) {
  PolicyRef before = tried.config.policy;
  for (const Event& event : tried.events) {
    const PolicyRef now =
        event.kind == EventKind::Commit ? tried.commits.at(event.queue).policy : before;
    if (visit(event, before, now)) {
      return event.cycle;
    }
    before = now;
  }
  return std::nullopt;
}

TEST(Shrink, KeepsTheCommitThatAFailureNeeds) {
  Random random(test_seed(20264));
  const LogCase given = case_with_commits(random, 3000);
  EXPECT_TRUE(is_raw(given));
  // A packet for queue 0, then a change from rr to bxi-deficit, then 3 flits or more for queue 1.
  const Fails fails = [](const LogCase& tried) {
    bool waits = false;
    bool changed = false;
    return in_force(tried, [&](const Event& event, PolicyRef before, PolicyRef now) {
      const bool arrives = event.kind == EventKind::Arrive;
      waits = waits || (arrives && event.queue == 0);
      changed = changed || (waits && before == kRr && now == kBxiDeficit);
      return changed && arrives && event.queue == 1 && event.flits >= 3;
    });
  };
  ShrinkProgress last;
  const std::optional<Shrunk> shrunk =
      shrink(given, fails, [&last](const ShrinkProgress& progress) { last = progress; });
  ASSERT_TRUE(shrunk);
  // Nothing else may stand in the cycle of a commit before it.
  const std::vector<Event> expected = {
      {.cycle = 0, .kind = EventKind::Arrive, .queue = 0, .flits = 1},
      {.cycle = 1, .kind = EventKind::Commit, .queue = 0},
      {.cycle = 1, .kind = EventKind::Arrive, .queue = 1, .flits = 3}};
  EXPECT_EQ(shrunk->smallest.events, expected);
  EXPECT_EQ(shrunk->smallest.config.policy, kRr);
  ASSERT_EQ(shrunk->smallest.commits.size(), 1U);
  EXPECT_EQ(shrunk->smallest.commits[0].policy, kBxiDeficit);
  EXPECT_EQ(last.events, expected.size());
  EXPECT_EQ(last.runs, shrunk->runs);
}

TEST(Shrink, ASectionThatWasCommittedIsThereFromTheStart) {
  Random random(test_seed(20265));
  const std::optional<Shrunk> shrunk =
      shrink(case_with_commits(random, 3000), [](const LogCase& tried) {
        return in_force(tried, [](const Event& event, PolicyRef /*before*/, PolicyRef now) {
          return now == kBxiBasic && event.kind == EventKind::Arrive && event.flits >= 5;
        });
      });
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(shrunk->smallest.config.policy, kBxiBasic);
  EXPECT_TRUE(shrunk->smallest.commits.empty());
  const std::vector<Event> expected = {
      {.cycle = 0, .kind = EventKind::Arrive, .queue = 0, .flits = 5}};
  EXPECT_EQ(shrunk->smallest.events, expected);
  EXPECT_FALSE(is_raw(shrunk->smallest));
}

// The commit allows the packets: without it their lengths would lie.
TEST(Shrink, NoLengthBeginsToLie) {
  LogCase given{arbiter_config("{policy: rr, queues: 1, max_packet_flits: 4}"),
                {{.cycle = 0, .kind = EventKind::Commit}},
                {arbiter_config("{policy: rr, queues: 1, max_packet_flits: 16}")}};
  for (Cycle now = 0; now < 200; ++now) {
    given.events.push_back({.cycle = now,
                            .kind = EventKind::Arrive,
                            .flits = static_cast<std::uint32_t>(1 + now % 16)});
  }
  EXPECT_EQ(lying_arrivals(given), 0U);
  const std::optional<Shrunk> shrunk =
      shrink(given, [](const LogCase& tried) -> std::optional<Cycle> {
        EXPECT_EQ(lying_arrivals(tried), 0U);
        for (const Event& event : tried.events) {
          if (event.kind == EventKind::Arrive && event.flits >= 10) {
            return event.cycle;
          }
        }
        return {};
      });
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(std::count_if(shrunk->smallest.events.begin(), shrunk->smallest.events.end(),
                          [](const Event& event) { return event.kind == EventKind::Arrive; }),
            1);
}

// Queues 1 and 2 of five go: those behind them move up by two.
TEST(Shrink, QueuesThatGoTakeTheirEntriesWithThem) {
  Parameters parameters(BxiConfig{.table = {{0, 9}, {1, 8}, {2, 7}, {3, 6}, {4, 5}, {1, 4}}});
  kBxiBasic.leave_out_queues(parameters, 1, 2);
  EXPECT_EQ(parameters.get<BxiConfig>().table,
            (std::vector<BxiConfig::Entry>{{0, 9}, {1, 6}, {2, 5}}));
  Parameters lanes(InfiniBandConfig{.high = {{0, 9}, {1, 8}, {2, 7}}, .low = {{1, 6}, {2, 5}}});
  kInfiniBand.leave_out_queues(lanes, 1, 1);
  EXPECT_EQ(lanes.get<InfiniBandConfig>().high,
            (std::vector<InfiniBandConfig::Entry>{{0, 9}, {1, 7}}));
  EXPECT_EQ(lanes.get<InfiniBandConfig>().low, (std::vector<InfiniBandConfig::Entry>{{1, 5}}));
}

// 2^31 x 2 is one more than a weight may be.
TEST(Shrink, WeightsTakeOverWhatTheirScaleMade) {
  Parameters parameters(BxiConfig{.quantum_scale = 2, .table = {{0, 5}, {1, 1U << 31U}}});
  EXPECT_FALSE(kBxiBasic.shorten_turns(parameters, 0, 1));
  EXPECT_TRUE(kBxiBasic.unscale(parameters));
  const BxiConfig& bxi = parameters.get<BxiConfig>();
  EXPECT_EQ(bxi, (BxiConfig{.quantum_scale = 1, .table = {{0, 10}, {1, UINT32_MAX}}}));
  EXPECT_FALSE(kBxiBasic.unscale(parameters));
  EXPECT_TRUE(kBxiBasic.shorten_turns(parameters, 0, 4));
  EXPECT_EQ(bxi.table[0].weight, 6U);
  EXPECT_TRUE(kBxiBasic.shorten_turns(parameters, 0, 7));
  EXPECT_EQ(bxi.table[0].weight, 0U);
  EXPECT_EQ(bxi.table[1].weight, UINT32_MAX);
}

TEST(Shrink, AWeightOfSbtStaysAWeight) {
  Parameters sbt(SbtConfig{.queue_sl = {1, 0}, .table = {{0, 2}, {1, 1}}});
  EXPECT_FALSE(kSbt.shorten_turns(sbt, 0, 1));
  EXPECT_TRUE(kSbt.shorten_turns(sbt, 1, 9));
  EXPECT_EQ(sbt.get<SbtConfig>().table, (std::vector<SlEntry>{{0, 1}, {1, 1}}));
}

TEST(RawLogs, AreThoseThatOnlyARawPortTakes) {
  LogCase log{arbiter_config("{policy: rr, queues: 2, max_packet_flits: 4}"),
              {{.kind = EventKind::Arrive, .flits = 4}, {.cycle = 1}}};
  EXPECT_FALSE(is_raw(log));
  for (const std::uint32_t flits : {0U, 5U}) {
    LogCase lies = log;
    lies.events[0].flits = flits;
    EXPECT_EQ(lying_arrivals(lies), 1U);
    EXPECT_TRUE(is_raw(lies));
  }
  for (const EventKind kind :
       {EventKind::Withdraw, EventKind::Stamp, EventKind::Enter, EventKind::Leave}) {
    LogCase chip = log;
    chip.events[0].kind = kind;
    EXPECT_TRUE(is_raw(chip));
  }
  LogCase commits = log;
  commits.commits.push_back(log.config);
  EXPECT_TRUE(is_raw(commits));
  EXPECT_NE(commits, log);
}

// What a port was shown is what the recorder writes, line for line, and what a reader reads again.
TEST(EventRecorder, WritesWhatAPortWasShown) {
  Random random(test_seed(20266));
  const ArbiterConfig config = arbiter_config("{policy: rr, queues: 3, max_packet_flits: 9}");
  const std::vector<Event> log = random_log(random, config, 500);
  StoredEvents events(log);
  Port port(config.queues, make_reference(config));
  EventRecorder recorder;
  port.observe(&recorder);
  const std::vector<TimedDecision> decided = replay(events, port);
  EXPECT_EQ(to_csv(recorder.events()), to_csv(log));
  EXPECT_EQ(decisions(config, recorder.events()), decided);
}

/// The ages that come, and what packets are called that have come to no queue.
class Names final : public PortObserver {
 public:
  void on_stamp(Cycle /*now*/, Index /*queue*/, std::uint8_t /*age*/,
                std::uint32_t packet) override {
    names.push_back(packet);
  }
  void on_withdraw(Cycle /*now*/, Index /*queue*/, std::uint32_t packet) override {
    names.push_back(packet);
  }
  void on_arrive(Cycle /*now*/, Index /*queue*/, std::uint32_t /*flits*/,
                 std::uint8_t age) override {
    ages.push_back(age);
  }
  void on_stop(Cycle /*now*/, Index /*queue*/, bool /*stopped*/) override {}
  void on_decision(Cycle /*now*/, const Decision& /*decision*/) override {}

  std::vector<std::uint32_t> names;
  std::vector<int> ages;
};

// The number behind a packet is its age, up to 255, or its place among those that are stamped.
TEST(EventRecorder, IsToldAgesAndNamesOfPacketsThatAreStampedBeforeTheyCome) {
  Port port(1, make_reference(arbiter_config("{policy: rr, queues: 1, max_packet_flits: 1}")));
  Names told;
  port.observe(&told);
  port.arrive(0, 0, 1, 300);
  port.arbitrate(0);
  port.stamp(1, 0, 7);
  port.stamp(1, 0, 8);
  port.arrive(1, 0, 1, 1);
  port.withdraw(2, 0);
  port.stamp(2, 0, 9);
  port.arrive(2, 0, 1, 0);
  EXPECT_EQ(told.ages, (std::vector<int>{255, 8, 7}));
  EXPECT_EQ(told.names, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

// All sections stand in one file.
TEST(Sections, AreReadAsTheyAreWritten) {
  Random random(test_seed(20267));
  LogCase given = case_with_commits(random, 1);
  given.commits.insert(given.commits.begin(), given.config);
  for (std::size_t sections = 1; sections <= given.commits.size(); ++sections) {
    const auto some = std::span(given.commits).first(sections);
    const std::vector<ArbiterConfig> read = parse_sections(YAML::Load(to_yaml(some)), "c.yaml");
    EXPECT_TRUE(std::equal(read.begin(), read.end(), some.begin(), some.end())) << to_yaml(some);
  }
}

struct Wrong {
  std::string name;
  std::string config;
  /// What the failing side has instead.
  std::function<void(ArbiterConfig&)> instead;
  std::size_t events;  ///< that are enough
};

void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }

class ShrinkWrong : public ::testing::TestWithParam<Wrong> {};

void print_variant(ArbiterConfig& config) { config.variant = Variant::Printed; }

// Whatever can be left out alone has been, and what is left still fails and is strict.
TEST_P(ShrinkWrong, ToAMinimum) {
  const Wrong& wrong = GetParam();
  Random random(test_seed(20263));
  const ArbiterConfig config = arbiter_config(wrong.config);
  const Fails fails = [&wrong](const LogCase& tried) {
    expect_valid(tried);
    ArbiterConfig other = tried.config;
    wrong.instead(other);
    return first_difference(tried, other);
  };
  const std::optional<Shrunk> shrunk = shrink({config, random_log(random, config, 3000)}, fails);
  ASSERT_TRUE(shrunk);
  const LogCase& smallest = shrunk->smallest;
  EXPECT_TRUE(fails(smallest));
  EXPECT_EQ(smallest.config.strict, config.strict);
  EXPECT_LE(smallest.events.size(), wrong.events + 2)
      << to_yaml(smallest.config) << to_csv(smallest.events);
  EXPECT_LE(smallest.config.queues, 3);
  for (std::size_t i = 0; i < smallest.events.size(); ++i) {
    LogCase fewer = smallest;
    fewer.events.erase(fewer.events.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(fails(fewer)) << "event " << i << " is not needed";
  }
}

// A handful of events is enough for each:
//   bxi-deficit   a packet that leaves a remainder, an arb, a packet that exceeds it, an arb: the
//                 printed loop visits the only entry once
//   sbt           two queues of one SL with a weight of 2: after a packet of queue 0 queue 1 goes
//                 next, as printed queue 0 once more; 3 packets, 2 arbs
//   dtable        after a packet of 1 flit, an MTU of 2 and a weight of 2 another one of that SL
//                 goes next, as printed the other SL; 3 packets, 2 arbs
//   infiniband    a low turn that goes on, or not, while high has a packet: 3 packets, 2 arbs
//   seastar-age   a packet younger than the timestamp has another age: 1 packet, 1 arb
//   trtcm         green before yellow, or by priority: 2 packets, 1 arb
//   rr            queue 0 first, or queue 1: 2 packets, 1 arb
// Other seeds may end with a packet and its arb more.
INSTANTIATE_TEST_SUITE_P(
    Shrink, ShrinkWrong,
    ::testing::Values(
        Wrong{"BxiDeficit",
              "{policy: bxi-deficit, queues: 3, max_packet_flits: 13, quantum_scale: 10, table: "
              "[{queue: 0, weight: 5}, {queue: 1, weight: 3}, {queue: 2, weight: 2}]}",
              print_variant, 4},
        Wrong{"Sbt",
              "{policy: sbt, queues: 4, max_packet_flits: 8, queue_sl: [0, 0, 1, 2], table: "
              "[{sl: 0, weight: 5}, {sl: 1, weight: 3}, {sl: 2, weight: 9}]}",
              print_variant, 5},
        Wrong{"DTable",
              "{policy: dtable, queues: 4, max_packet_flits: 8, queue_sl: [0, 0, 1, 2], sl_mtu: "
              "[8, 8, 8], table: [{sl: 0, weight: 10}, {sl: 1, weight: 16}, {sl: 2, weight: 9}]}",
              print_variant, 5},
        Wrong{"InfiniBand",
              "{policy: infiniband, queues: 3, max_packet_flits: 8, limit_of_high_priority: 1, "
              "high: [{vl: 0, weight: 8}], low: [{vl: 1, weight: 60}, {vl: 2, weight: 100}]}",
              [](ArbiterConfig& config) {
                config.parameters.get<InfiniBandConfig>().low_turn =
                    InfiniBandConfig::LowTurn::Packet;
              },
              5},
        Wrong{"SeastarAge",
              "{policy: seastar-age, queues: 8, max_packet_flits: 8, vcs: 2, req_age_bias: [1, 2, "
              "3, 4], rsp_age_bias: [1, 2, 3, 4], age_clock_period: 3, age_rr_select: "
              "0xffffffff}",
              print_variant, 2},
        Wrong{"Trtcm",
              "{policy: trtcm, queues: 3, max_packet_flits: 8, classes: ["
              "{priority: 2, assured_rate: 0.3, peak_rate: 0.9}, {priority: 1, assured_rate: 0.2, "
              "peak_rate: 1.0}, {priority: 0, assured_rate: 0.1, peak_rate: 0.5}]}",
              [](ArbiterConfig& config) {
                for (auto& c : config.parameters.get<TrtcmConfig>().classes) {
                  c.assured_rate = 0;
                }
              },
              3},
        Wrong{"Rr", "{policy: rr, queues: 8, max_packet_flits: 80}",
              [](ArbiterConfig& config) {
                // Another order: the table runs backwards.
                BxiConfig table;
                for (int q = config.queues - 1; q >= 0; --q) {
                  table.table.push_back({q, config.max_packet_flits});
                }
                config.policy = kBxiBasic;
                config.parameters = table;
              },
              3}),
    [](const auto& wrong) { return wrong.param.name; });

}  // namespace
}  // namespace qosarb::test
