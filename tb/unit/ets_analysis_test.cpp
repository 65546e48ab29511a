// What analyze says of ets, by hand and against simulated service.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy_under_test.hpp"
#include "qosarb/analyze/report.hpp"
#include "qosarb/config/ratio.hpp"

namespace qosarb::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Quanta 50, 30 and 20; packets of up to 16.
ArbiterConfig three_and_control() {
  return arbiter_config(
      "policy: ets\nqueues: 4\nmax_packet_flits: 16\n"
      "classes: [{weight: 50}, {weight: 30}, {weight: 20}, {strict_priority: true}]\n");
}

// Without strict priority queue 2 waits for the packet on the link, 16, the quanta of the others,
// 50 + 30, and once what each saves, 15 + 15: 126. Strict priority takes a quarter, 40 flits may
// come at once: (126 + 40 + 16 / 4) / (3 / 4) = 226.67. Queue 3 waits for the packet on the link.
TEST(EtsAnalysis, WaitsStretchByWhatStrictPriorityTakes) {
  const StrictLoad load{Rational(1, 4), 40};
  EXPECT_EQ(guaranteed_service(three_and_control(), 2, StrictLoad{}).guarantee->max_wait_flits,
            126U);
  const ServiceGuarantee weighted = *guaranteed_service(three_and_control(), 2, load).guarantee;
  EXPECT_EQ(weighted.max_wait_flits, 227U);
  EXPECT_EQ(weighted.rate, Rational(20, 100) * Rational(3, 4));
  const ServiceGuarantee strict = *guaranteed_service(three_and_control(), 3, load).guarantee;
  EXPECT_EQ(strict.max_wait_flits, 16U);
  EXPECT_EQ(strict.rate, Rational(1));
}

// Queue 3 has all: what has strict priority below it starves, and of those below both the table
// says nothing.
TEST(EtsAnalysis, StrictPriorityIsWarnedOfBeforeAllTables) {
  const ArbiterConfig config = arbiter_config(
      "policy: ets\nqueues: 4\nmax_packet_flits: 4\n"
      "classes: [{weight: 50}, {weight: 30}, {strict_priority: true}, {strict_priority: true}]\n");
  EXPECT_THAT(warnings_of(config, analyze_backlogged(config, parse_mix("4", config))),
              ElementsAre("queue 0 starves while the others are backlogged",
                          "queue 1 starves while the others are backlogged",
                          "queue 2 starves while the others are backlogged",
                          "strict priority of queues 2, 3 may starve all others"));
}

TEST(EtsAnalysis, TurnsOfOneClassThatFollowEachOtherAreSeveral) {
  const ArbiterConfig config =
      arbiter_config("policy: ets\nqueues: 1\nmax_packet_flits: 1\nclasses: [{weight: 6}]\n");
  const MixAnalysis analysis = analyze_backlogged(config, parse_mix("1+1", config));
  ASSERT_TRUE(analysis.queues[0].in_turns.has_value());
  EXPECT_EQ(analysis.queues[0].in_turns->max, 1U);
  EXPECT_EQ(analysis.queues[0].in_flits->min, 6U);
  EXPECT_EQ(analysis.queues[0].in_flits->max, 6U);
}

// A packet of 3 flits is sent in each third turn of one flit: 101 flits without it are no cycle.
TEST(EtsAnalysis, AClassThatSavesUpForAPacketDoesNotStarve) {
  AnalysisRequest request{
      .config = arbiter_config("policy: ets\nqueues: 2\nmax_packet_flits: 3\nstrict: false\n"
                               "classes: [{weight: 1}, {weight: 100}]\n"),
      .mixes = {},
      .limits = {.max_decisions = 150}};
  request.mixes.push_back(parse_mix("3,1", request.config));
  const auto json = report_analysis(request).json;
  EXPECT_EQ(json["exact"], false);
  EXPECT_EQ(json["queues"][0]["share_error"], 1.0);
  EXPECT_THAT(json["warnings"].get<std::vector<std::string>>(),
              Not(Contains("queue 0 starves while the others are backlogged")));
}

TEST(EtsAnalysis, SaysThatStrictPriorityMayStarve) {
  AnalysisRequest request{.config = three_and_control()};
  request.mixes.push_back(longest_packets(request.config));
  const auto json = report_analysis(request).json;
  EXPECT_EQ(json["queues"][3]["share"], 1.0);
  EXPECT_EQ(json["queues"][0]["share"], 0.0);
  EXPECT_TRUE(json["queues"][0]["max_wait_flits"].is_null());
  EXPECT_THAT(json["queues"][0]["why_no_bound"].get<std::string>(), HasSubstr("may starve"));
  EXPECT_THAT(json["warnings"].get<std::vector<std::string>>(),
              Contains("strict priority of queues 3 may starve all others"));
  EXPECT_THAT(json["warnings"].get<std::vector<std::string>>(),
              Contains("queue 0 starves while the others are backlogged"));
  // All of the link, stated: the same.
  request.strict_load = StrictLoad{Rational(1), 16};
  EXPECT_TRUE(report_analysis(request).json["queues"][0]["max_wait_flits"].is_null());
}

TEST(EtsAnalysis, ErrorsOfSharesAreOfWhatStrictPriorityLeavesToo) {
  const auto error_beside = [](const Rational& load) -> double {
    AnalysisRequest request{.config = three_and_control(), .strict_load = StrictLoad{load, 40}};
    request.mixes.push_back(parse_mix("13,7,3,1", request.config));
    request.limits = {.max_decisions = 500, .runs = 20};
    const auto json = report_analysis(request).json;
    EXPECT_EQ(json["exact"], false);
    return json["queues"][0]["share_error"];
  };
  EXPECT_GT(error_beside(0), 0.0);
  EXPECT_DOUBLE_EQ(error_beside({1, 4}), error_beside(0) * 3 / 4);
}

// Three quarters of the link, 50:30:20.
TEST(EtsAnalysis, SharesAreOfWhatStrictPriorityLeaves) {
  AnalysisRequest request{.config = three_and_control(), .strict_load = StrictLoad{{1, 4}, 40}};
  request.mixes.push_back(longest_packets(request.config));
  const auto json = report_analysis(request).json;
  EXPECT_EQ(json["queues"][0]["share_exact"], "3/8");
  EXPECT_EQ(json["queues"][1]["share_exact"], "9/40");
  EXPECT_EQ(json["queues"][2]["share_exact"], "3/20");
  EXPECT_EQ(json["strict_priority"]["load"], 0.25);
  EXPECT_EQ(json["strict_priority"]["burst_flits"], 40);
  EXPECT_EQ(json["queues"][2]["max_wait_flits"], 227);
  // Of queue 3 nothing was followed: its load is what was stated.
  for (const std::string key : {"share", "share_exact", "share_error", "longest_gap_flits"}) {
    EXPECT_TRUE(json["queues"][3][key].is_null()) << key;
    EXPECT_FALSE(json["queues"][2][key].is_null()) << key;
  }
  for (const auto& warning : json["warnings"]) {
    EXPECT_THAT(warning.get<std::string>(), Not(HasSubstr("queue 3 starves")));
  }
}

// Strict-priority traffic in bursts under its curve, everything else backlogged with packets of
// random lengths: nobody waits longer than promised, and shares come out as analyzed.
TEST(EtsAnalysis, HoldsInSimulatedService) {
  Random random(test_seed(20262));
  for (int run = 0; run < 30; ++run) {
    const ArbiterConfig config = three_and_control();
    const int percent = random.from(5, 80);
    const auto burst = random.from<std::uint32_t>(16, 120);
    const StrictLoad load{Rational(percent, 100), burst};
    Port port(config.queues, make_reference(config));
    std::array<Cycle, 3> head_since{};
    std::array<std::uint64_t, 4> flits{};
    std::array<std::uint64_t, 3> longest{};
    const std::int64_t most_tokens = std::int64_t{burst} * 100;
    std::int64_t tokens = most_tokens;  // hundredths of flits
    bool saving = false;                // lets a whole burst gather
    constexpr Cycle kEnd = 60'000;
    Cycle free = 0;
    const auto packet = [&random]() {
      return random.once_in(2) ? 16U : random.from<std::uint32_t>(1, 16);
    };
    for (const Index queue : {0, 1, 2}) {
      port.arrive(0, queue, packet());
    }
    for (Cycle now = 0; now < kEnd; ++now) {
      saving = saving ? tokens < most_tokens : random.once_in(50);
      for (std::uint32_t next = packet(); !saving && tokens >= 100 * std::int64_t{next};
           next = packet()) {
        tokens -= 100 * std::int64_t{next};
        port.arrive(now, 3, next);
      }
      if (now >= free) {
        const Decision decision = port.arbitrate(now).decision;
        ASSERT_GE(decision.queue, 0);
        const Index q = decision.queue;
        flits[q] += decision.flits;
        free = now + decision.flits;
        if (q < 3) {
          longest[q] = std::max(longest[q], now - head_since[q]);
          head_since[q] = now;
          port.arrive(now, decision.queue, packet());
        }
      }
      tokens = std::min<std::int64_t>(tokens + percent, most_tokens);
    }
    for (const Index q : {0, 1, 2}) {
      const auto bound = guaranteed_service(config, q, load);
      longest[q] = std::max(longest[q], kEnd - head_since[q]);  // who still waits counts
      EXPECT_LE(longest[q], bound.guarantee->max_wait_flits)
          << "queue " << q << ", " << percent << " %, burst " << burst;
    }
    const std::uint64_t weighted = flits[0] + flits[1] + flits[2];
    EXPECT_NEAR(ratio(flits[0], weighted), 0.5, 0.01);
    EXPECT_NEAR(ratio(flits[2], weighted), 0.2, 0.01);
    EXPECT_GE(weighted, (100.0 - percent) / 100.0 * kEnd * 0.98 - 500);
  }
}

}  // namespace
}  // namespace qosarb::test
