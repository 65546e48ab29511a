// Shares and distances of backlogged queues: worked examples whose results are known beforehand.
#include "qosarb/analyze/analysis.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "policy_under_test.hpp"
#include "qosarb/analyze/backlog.hpp"
#include "qosarb/analyze/report.hpp"
#include "qosarb/analyze/vl_tables.hpp"
#include "qosarb/analyze/warnings.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> share_texts(const MixAnalysis& analysis) {
  std::vector<std::string> texts;
  for (const BackloggedShare& queue : analysis.queues) {
    texts.push_back(queue.share.text());
  }
  return texts;
}

MixAnalysis analyze(const std::string& yaml, const std::string& packets) {
  const ArbiterConfig config = arbiter_config(yaml);
  return analyze_backlogged(config, parse_mix(packets, config));
}

TEST(Rational, ReadsDecimalsWithoutRounding) {
  EXPECT_EQ(Rational::parse("33.33"), Rational(3333, 100));
  EXPECT_EQ(Rational::parse("6/70").text(), "3/35");
  EXPECT_EQ(Rational::parse("-0.5").floor(), -1);
  EXPECT_EQ(Rational::parse("-0.5").round(), -1);
  EXPECT_EQ(Rational::parse("0.5").round(), 1);
  EXPECT_EQ(Rational::parse("0.12345678901234567").denominator(), 100'000'000'000'000'000);
  for (const char* bad : {"", ".", "1.", "a", "1/0", "1e3", "1234567890123456789",
                          "0.1234567890123456789", "1.23456789012345678901234"}) {
    EXPECT_THROW(Rational::parse(bad), std::invalid_argument) << bad;
  }
}

constexpr std::int64_t kMost = INT64_MAX;

TEST(Rational, RefusesWhatDoesNotFit) {
  constexpr std::uint64_t kLargest = INT64_MAX;
  EXPECT_EQ(Rational(kLargest).numerator(), INT64_MAX);
  EXPECT_THROW(Rational(kLargest + 1), std::overflow_error);
  EXPECT_THROW(Rational(1U, kLargest + 1), std::overflow_error);
  EXPECT_THROW(Rational(kLargest) + Rational(1), std::overflow_error);
  EXPECT_THROW(Rational(-1) - Rational(kLargest) - Rational(1), std::overflow_error);
  EXPECT_THROW(Rational(1, kLargest) * Rational(1, 2), std::overflow_error);
  EXPECT_EQ(Rational(1, kLargest) * Rational(kLargest, 2U), Rational(1, 2));
  EXPECT_EQ(Rational(INT64_MIN, INT64_MIN), Rational(1));
  EXPECT_EQ(Rational(INT64_MIN, 2), Rational(-(INT64_MAX / 2) - 1));
  EXPECT_EQ(Rational(-1) - Rational(kLargest), Rational(INT64_MIN));
  EXPECT_THROW(Rational(1, INT64_MIN), std::overflow_error);
  EXPECT_THROW(Rational(INT64_MIN, -1), std::overflow_error);
}

TEST(Rational, RoundsWhateverFits) {
  EXPECT_EQ(Rational(kMost).round(), kMost);
  EXPECT_EQ(Rational(-kMost).round(), -kMost);
  EXPECT_EQ(Rational(kMost, 2).round(), kMost / 2 + 1);
  EXPECT_EQ(Rational(kMost - 1, kMost).round(), 1);
  EXPECT_EQ(Rational(kMost / 2, kMost).round(), 0);
  EXPECT_EQ(Rational(-2, 3).round(), -1);
  EXPECT_EQ(Rational(-1, 3).round(), 0);
}

// Else the numbers would be wrong, and no one would see it.
TEST(Analysis, WeightsOfSbtThatNeedMoreThan64BitsAreRefused) {
  std::string yaml =
      "policy: sbt\nqueues: 1000\nmax_packet_flits: 1048576\ntable:\n"
      "  - {sl: 0, weight: 1}\n  - {sl: 1, weight: 4000000000}\n"
      "  - {sl: 2, weight: 4000000000}\n  - {sl: 3, weight: 4000000000}\nqueue_sl: [";
  for (int queue = 0; queue < 1000; ++queue) {
    yaml += queue < 997 ? "0, " : fmt::format("{}{}", queue - 996, queue == 999 ? "]" : ", ");
  }
  EXPECT_THROW(guaranteed_service(arbiter_config(yaml), 0), std::overflow_error);
}

TEST(Rational, HasItsSignAboveAndNoZeroBelow) {
  EXPECT_EQ(Rational(3, -6), Rational(-1, 2));
  EXPECT_EQ(Rational(1, 2) / Rational(-1, 4), Rational(-2));
  EXPECT_EQ(Rational::parse("-7"), Rational(-7));
  EXPECT_NE(Rational(1, 2), Rational(1, 3));
  EXPECT_NE(Rational(1, 2), Rational(3, 2));
  EXPECT_THROW(Rational(1, 0), std::domain_error);
  EXPECT_THROW(Rational(1) / Rational(0), std::domain_error);
}

TEST(PacketMix, SaysWhatIsWrong) {
  const ArbiterConfig config = arbiter_config("policy: rr\nqueues: 3\nmax_packet_flits: 16\n");
  EXPECT_EQ(parse_mix("16", config).flits.size(), 3U);
  EXPECT_THAT(parse_mix("1+2,3,4", config).flits[0], ElementsAre(1U, 2U));
  for (const char* bad : {"", "0", "17", "1,2", "1,,2", "1+", "x", "-1"}) {
    EXPECT_THROW(parse_mix(bad, config), std::invalid_argument) << bad;
  }
}

// The BXIv3 paper's Table 1 holds exactly, whatever the packet lengths.
TEST(Analysis, BxiDeficitHoldsItsSharesExactly) {
  const std::string table1 =
      "policy: bxi-deficit\nqueues: 3\nquantum_scale: 10\nmax_packet_flits: 13\n"
      "table: [{queue: 0, weight: 5}, {queue: 1, weight: 3}, {queue: 2, weight: 2}]\n";
  for (const char* packets : {"1", "13", "13,7,1", "1+13,2+3+5,11"}) {
    const MixAnalysis analysis = analyze(table1, packets);
    EXPECT_TRUE(analysis.exact) << packets;
    EXPECT_THAT(share_texts(analysis), ElementsAre("1/2", "3/10", "1/5")) << packets;
  }
}

// Table 2 of the BXIv3 paper in short: strides 2, 4, 8 in seven entries.
TEST(Analysis, DistancesCountTableEntries) {
  const MixAnalysis analysis = analyze(
      "policy: bxi-deficit\nqueues: 3\nquantum_scale: 1\nmax_packet_flits: 4\n"
      "table: [{queue: 0, weight: 4}, {queue: 1, weight: 4}, {queue: 0, weight: 4},\n"
      "        {queue: 2, weight: 4}, {queue: 0, weight: 4}, {queue: 1, weight: 4},\n"
      "        {queue: 0, weight: 4}]\n",
      "2");
  ASSERT_TRUE(analysis.exact);
  EXPECT_EQ(analysis.decisions, 14U);
  EXPECT_EQ(analysis.flits, 28U);
  const auto& queues = analysis.queues;
  // The last entry and the first one are neighbours, and both are queue 0's.
  EXPECT_EQ(queues[0].in_turns->min, 1U);
  EXPECT_EQ(queues[0].in_turns->max, 2U);
  EXPECT_EQ(queues[0].in_turns->mean, Rational(7, 4));
  EXPECT_EQ(queues[1].in_turns->min, 3U);
  EXPECT_EQ(queues[1].in_turns->max, 4U);
  EXPECT_EQ(queues[2].in_turns->max, 7U);
  EXPECT_EQ(queues[2].in_flits->max, 28U);
  EXPECT_EQ(queues[2].longest_gap_flits, 24U);
}

TEST(Analysis, RoundRobinFavoursLongPackets) {
  const MixAnalysis analysis = analyze("policy: rr\nqueues: 3\nmax_packet_flits: 8\n", "1,8,3");
  EXPECT_THAT(share_texts(analysis), ElementsAre("1/12", "2/3", "1/4"));
  EXPECT_EQ(analysis.decisions, 3U);
  EXPECT_EQ(analysis.queues[0].in_turns->max, 3U);
  EXPECT_EQ(analysis.queues[0].in_flits->max, 12U);
}

TEST(Analysis, LoneEntryHasNeighbouringTurns) {
  const MixAnalysis analysis = analyze(
      "policy: bxi-basic\nqueues: 1\nmax_packet_flits: 4\ntable: [{queue: 0, weight: 4}]\n", "2");
  EXPECT_EQ(analysis.queues[0].share, Rational(1));
  EXPECT_EQ(analysis.queues[0].in_turns->max, 1U);
}

// Six packets of a flit, in one length or in two, are a turn.
TEST(Analysis, TurnsOfOneEntryThatFollowEachOtherAreSeveral) {
  const std::string sl = "queue_sl: [0]\n";
  const std::string infiniband = "policy: infiniband\nlimit_of_high_priority: 1\n";
  for (const std::string& policy :
       {std::string("policy: bxi-basic\ntable: [{queue: 0, weight: 6}]\n"),
        std::string("policy: bxi-basic\nvariant: printed\ntable: [{queue: 0, weight: 6}]\n"),
        std::string("policy: bxi-deficit\ntable: [{queue: 0, weight: 6}]\n"),
        "policy: sbt\ntable: [{sl: 0, weight: 6}]\n" + sl,
        "policy: dtable\nsl_mtu: [1]\ntable: [{sl: 0, weight: 6}]\n" + sl,
        infiniband + "high: [{vl: 0, weight: 6}]\nlow: []\n",
        infiniband + "high: []\nlow: [{vl: 0, weight: 6}]\n",
        infiniband + "low_turn: packet\nhigh: []\nlow: [{vl: 0, weight: 6}]\n"}) {
    for (const char* packets : {"1", "1+1"}) {
      const MixAnalysis analysis = analyze(policy + "queues: 1\nmax_packet_flits: 1\n", packets);
      ASSERT_TRUE(analysis.queues[0].in_turns.has_value()) << policy << packets;
      EXPECT_EQ(analysis.queues[0].in_turns->max, 1U) << policy << packets;
      EXPECT_EQ(analysis.queues[0].in_flits->min, 6U) << policy << packets;
      EXPECT_EQ(analysis.queues[0].in_flits->max, 6U) << policy << packets;
    }
  }
  const MixAnalysis beside = analyze(
      "policy: bxi-deficit\nqueues: 2\nmax_packet_flits: 4\nstrict: false\n"
      "table: [{queue: 0, weight: 4}, {queue: 1, weight: 0}]\n",
      "2");
  EXPECT_EQ(beside.queues[0].in_flits->max, 4U);
}

TEST(Analysis, StarvedQueueHasNoDistance) {
  const MixAnalysis analysis = analyze(
      "policy: bxi-basic\nqueues: 2\nmax_packet_flits: 4\nstrict: false\n"
      "table: [{queue: 0, weight: 4}, {queue: 1, weight: 3}]\n",
      "4");
  EXPECT_THAT(share_texts(analysis), ElementsAre("1", "0"));
  EXPECT_FALSE(analysis.queues[1].in_turns.has_value());
}

// InfiniBand's tables have a way of their own, turn by turn; it must send what the reference sends.
TEST(Analysis, InfiniBandTurnByTurnIsTheReference) {
  Random random(test_seed(2021));
  int exact = 0;
  for (int i = 0; i < 300; ++i) {
    const int queues = random.from(1, 6);
    InfiniBandConfig ib;
    ib.flit_bytes = std::vector{16U, 64U, 100U, 4096U}[random.below(4)];
    ib.limit_of_high_priority = std::vector{0U, 1U, 2U, 5U, 255U}[random.below(5)];
    ib.low_turn =
        random.once_in(3) ? InfiniBandConfig::LowTurn::Packet : InfiniBandConfig::LowTurn::Entry;
    for (auto* table : {&ib.high, &ib.low}) {
      for (int e = random.from(0, 6); e > 0; --e) {
        table->push_back({random.from(0, queues - 1), random.from<std::uint32_t>(0, 40)});
      }
    }
    (random.once_in(4) ? ib.low : ib.high).push_back({0, 7});
    const ArbiterConfig config{.policy = kInfiniBand,
                               .queues = queues,
                               .max_packet_flits = 9,
                               .strict = false,
                               .parameters = ib};
    PacketMix mix{"random", {}};
    for (int q = 0; q < queues; ++q) {
      mix.flits.push_back({random.from<std::uint32_t>(1, 9)});
    }
    const Schedule turns = follow_turns(ib, mix, 3000);
    std::size_t next = 0;
    const Schedule reference = follow_reference(config, mix, 20000);
    for (const Sent& turn : turns.sent) {
      for (std::uint32_t packet = 0; packet < turn.decisions; ++packet, ++next) {
        if (next == reference.sent.size()) {
          break;  // the reference's state repeats, or it was followed long enough
        }
        const Sent& one = reference.sent[next];
        ASSERT_EQ(one.queue, turn.queue) << "decision " << next << "\n" << to_yaml(config);
        ASSERT_EQ(one.entry, turn.entry) << "decision " << next << "\n" << to_yaml(config);
        ASSERT_EQ(one.flits * turn.decisions, turn.flits);
      }
    }
    exact += turns.exact ? 1 : 0;
  }
  EXPECT_GT(exact, 200);
}

// No entry has a weight: nothing is ever sent, the first cycle is as all others, nobody has a
// bound.
TEST(Analysis, TablesWhoseWeightsAreAll0SendNothing) {
  for (const char* const tables : {"high: [{vl: 0, weight: 0}]", "low: [{vl: 1, weight: 0}]",
                                   "high: [{vl: 0, weight: 0}]\nlow: [{vl: 1, weight: 0}]"}) {
    AnalysisRequest request{
        .config = arbiter_config(std::string("policy: infiniband\nqueues: 2\nmax_packet_flits: 64\n"
                                             "strict: false\nlimit_of_high_priority: 1\n") +
                                 tables)};
    for (const char* const packets : {"64", "1+64"}) {  // turn by turn, and by the reference
      const PacketMix mix = parse_mix(packets, request.config);
      const MixAnalysis found = analyze_backlogged(request.config, mix);
      EXPECT_TRUE(found.exact);
      EXPECT_EQ(found.flits, 0U);
      EXPECT_EQ(found.idle_cycles, 1U);
      EXPECT_EQ(found.queues[0].share, Rational(0));
      EXPECT_FALSE(guaranteed_service(request.config, 1).guarantee.has_value());
      request.mixes.push_back(mix);
    }
    EXPECT_GE(report_analysis(request).json["warnings"].size(), 3U);
  }
}

// A cycle that is cut short gives shares within their stated error of the exact ones.
TEST(Analysis, LongCycleIsSampledWithAnError) {
  const ArbiterConfig config = arbiter_config(
      "policy: bxi-deficit\nqueues: 3\nquantum_scale: 10\nmax_packet_flits: 13\n"
      "table: [{queue: 0, weight: 5}, {queue: 1, weight: 3}, {queue: 2, weight: 2}]\n");
  const MixAnalysis analysis =
      analyze_backlogged(config, parse_mix("13,7,3", config), {.max_decisions = 200, .runs = 10});
  ASSERT_FALSE(analysis.exact);
  EXPECT_GE(analysis.flits, 1000U);
  EXPECT_LT(analysis.flits, 1013U);
  const double exact[] = {0.5, 0.3, 0.2};
  for (std::size_t q = 0; q < 3; ++q) {
    EXPECT_GT(analysis.queues[q].share_error, 0.0);
    EXPECT_LT(analysis.queues[q].share_error, 0.1);
    EXPECT_NEAR(analysis.queues[q].share.value(), exact[q], analysis.queues[q].share_error);
  }
}

// Queue 0 sends 1, 1, 1 and 3 flits, queue 1 one flit after each: a cycle is what both send at
// most, 4 flits. Of the last two cycles, queue 0 has half of the first and three quarters of the
// second: two standard errors are 2 x sqrt(2 x (1/8)^2 / (2 - 1) / 2). From the last one alone no
// error can be told, so it may be anything.
TEST(Analysis, TheErrorOfAShareIsTwoStandardErrorsOfItsCycles) {
  const ArbiterConfig config = arbiter_config("policy: rr\nqueues: 2\nmax_packet_flits: 3\n");
  const auto sampled = [&config](std::uint64_t cycles) {
    return analyze_backlogged(config, parse_mix("1+1+1+3,1", config),
                              {.max_decisions = 8, .runs = cycles});
  };
  const MixAnalysis two = sampled(2);
  ASSERT_FALSE(two.exact);
  EXPECT_EQ(two.flits, 8U);
  EXPECT_EQ(two.queues[0].share, Rational(5, 8));
  EXPECT_DOUBLE_EQ(two.queues[0].share_error, 0.25);
  const MixAnalysis one = sampled(1);
  EXPECT_EQ(one.flits, 4U);
  EXPECT_TRUE(one.whole_cycle);
  EXPECT_EQ(one.queues[0].share_error, 1.0);
}

// What is sampled is told in cycles of the table: weights of sbt are packets, and a policy without
// a table has a cycle of one packet of each queue that has some.
TEST(Analysis, TableCyclesAreInFlits) {
  const ArbiterConfig sbt = arbiter_config(
      "policy: sbt\nqueues: 2\nmax_packet_flits: 4\nqueue_sl: [0, 1]\ntable: [{sl: 0, weight: 2}, "
      "{sl: 1, weight: 1}]\n");
  EXPECT_EQ(table_cycle_flits(sbt, parse_mix("4,1", sbt)), (2U + 1U) * 4U);
  const ArbiterConfig rr = arbiter_config("policy: rr\nqueues: 3\nmax_packet_flits: 4\n");
  EXPECT_EQ(table_cycle_flits(rr, {"two of three", {{2, 3}, {}, {4}}}), 3U + 4U);
  const ArbiterConfig without_weight = arbiter_config(
      "policy: bxi-deficit\nqueues: 2\nmax_packet_flits: 4\nstrict: false\n"
      "table: [{queue: 0, weight: 4}, {queue: 1, weight: 0}]\n");
  EXPECT_EQ(table_cycle_flits(without_weight, parse_mix("4,2", without_weight)), 4U);
  // The entries of a level share what they save: two rounds of two packets for its three queues.
  const ArbiterConfig level = arbiter_config(
      "policy: dtable\nqueues: 4\nmax_packet_flits: 1\nqueue_sl: [0, 0, 0, 1]\nsl_mtu: [1, 1]\n"
      "table: [{sl: 0, weight: 1}, {sl: 1, weight: 1}, {sl: 0, weight: 1}]\n");
  EXPECT_EQ(table_cycle_flits(level, parse_mix("1", level)), 2U * 3U);
  // Each of a queue saves up by itself: three rounds of three flits for a packet of three.
  const ArbiterConfig queue = arbiter_config(
      "policy: bxi-deficit\nqueues: 2\nmax_packet_flits: 3\nstrict: false\ntable: [{queue: 0, "
      "weight: 1}, {queue: 1, weight: 1}, {queue: 0, weight: 1}]\n");
  EXPECT_EQ(table_cycle_flits(queue, parse_mix("3,1", queue)), 3U * 3U);
  // A burst that is spent in a sixteenth of the link, and that for the packet of who has the rest.
  const ArbiterConfig rates = arbiter_config(
      "policy: trtcm\nqueues: 2\nmax_packet_flits: 1\nclasses:\n"
      "  - {priority: 0, assured_rate: 0.9375, peak_rate: 1, assured_burst: 4, peak_burst: 4}\n"
      "  - {priority: 1, assured_rate: 0, peak_rate: 1}\n");
  EXPECT_EQ(table_cycle_flits(rates, parse_mix("1", rates)), 4U * 16U + 16U);
}

// seastar-age looks at ages: one queue may wait until its age is the greatest, 255 periods of 3.
TEST(Analysis, ACycleByAgeLastsUntilAnAgeIsTheGreatest) {
  const auto cycle = [](int select) {
    const ArbiterConfig config =
        arbiter_config(fmt::format("policy: seastar-age\nqueues: 2\nmax_packet_flits: 4\nvcs: 2\n"
                                   "age_clock_period: 3\nage_rr_select: {}\n",
                                   select));
    return table_cycle_flits(config, parse_mix("4,1", config));
  };
  EXPECT_EQ(cycle(1), 4U + 1U + 255U * 3U);
  EXPECT_EQ(cycle(0), 4U + 1U);
}

// A turn of the high table is 2 x 64 + 256 bytes at most. One of the low table is a packet of 2
// flits at least, 2 units of its 3: of a round of 3 x 64 + 256 bytes it has two, and before each
// the high table sends 4096 + 256 bytes. Entries without weight have no turn, and a high table of
// these none to wait for. The VL of a queue without packets has one turn.
TEST(Analysis, ACycleOfTwoTablesHasTheWaitsForTheHighOne) {
  const auto cycle = [](const std::string& high, const std::string& queue_1) {
    const ArbiterConfig config = arbiter_config(fmt::format(
        "policy: infiniband\nqueues: 2\nmax_packet_flits: 4\nstrict: false\nlow_turn: packet\n"
        "limit_of_high_priority: 1\nhigh: [{}]\nlow: [{{vl: 1, weight: 3}}, {{vl: 0, weight: "
        "0}}]\n",
        high));
    PacketMix mix = parse_mix("4,2", config);
    if (queue_1.empty()) {
      mix.flits[1].clear();
    }
    return table_cycle_flits(config, mix);
  };
  const std::uint64_t low = 3 * 64 + 256;
  EXPECT_EQ(cycle("{vl: 0, weight: 2}, {vl: 1, weight: 0}", "2"), (low + 2 * (4096 + 256)) / 64);
  EXPECT_EQ(cycle("{vl: 0, weight: 2}", ""), (low + 4096 + 256) / 64);
  EXPECT_EQ(cycle("{vl: 0, weight: 0}", "2"), low / 64);
}

// Two queues share an entry of 8 flits. As printed a packet counts as one of the longest, 8 flits:
// both take two turns.
TEST(Analysis, ACycleOfPacketsThatCountAsTheLongestHasMoreTurns) {
  const auto cycle = [](const char* variant) {
    const ArbiterConfig config =
        arbiter_config(fmt::format("policy: dtable\nvariant: {}\nqueues: 2\nmax_packet_flits: 8\n"
                                   "queue_sl: [0, 0]\nsl_mtu: [8]\ntable: [{{sl: 0, weight: 8}}]\n",
                                   variant));
    return table_cycle_flits(config, parse_mix("2,2", config));
  };
  EXPECT_EQ(cycle("corrected"), 8U);
  EXPECT_EQ(cycle("printed"), 2U * 8U);
}

// Two turns of 20 million flits: what was followed is a part of the first. It must not be said that
// queue 1, which is sure of a third of the link, starves.
TEST(Analysis, LessThanACycleSaysNothingOfSharesAndStarvation) {
  AnalysisRequest request{
      .config =
          arbiter_config("policy: bxi-deficit\nqueues: 3\nmax_packet_flits: 16\nstrict: false\n"
                         "table: [{queue: 0, weight: 40000000}, {queue: 1, weight: 20000000}]\n"),
      .mixes = {},
      .limits = {.max_decisions = 1000}};
  request.mixes.push_back(parse_mix("16", request.config));
  const MixAnalysis found =
      analyze_backlogged(request.config, request.mixes.front(), request.limits);
  ASSERT_FALSE(found.exact);
  EXPECT_FALSE(found.whole_cycle);
  for (const BackloggedShare& share : found.queues) {
    EXPECT_EQ(share.share_error, 1.0);
  }
  EXPECT_THAT(
      warnings_of(request.config, found),
      ElementsAre("queue 2 stands in no table: its packets never leave",
                  "16000 flits were followed and a cycle has 60000000: who starves and what "
                  "the shares are is not known; --max-decisions follows more"));
}

// The low table has a turn after every limit x 4096 bytes of the high one, and a trtcm class of a
// low assured rate a packet after many of the others: they are in what is sampled.
TEST(Analysis, WhatComesSeldomIsSampled) {
  const ArbiterConfig tables = arbiter_config(
      "policy: infiniband\nqueues: 2\nmax_packet_flits: 3\nlimit_of_high_priority: 200\n"
      "high: [{vl: 0, weight: 9}]\nlow: [{vl: 1, weight: 1}]\n");
  const ArbiterConfig rates = arbiter_config(
      "policy: trtcm\nqueues: 3\nmax_packet_flits: 7\nclasses:\n"
      "  - {priority: 0, assured_rate: 0.70003, peak_rate: 1}\n"
      "  - {priority: 1, assured_rate: 0.2989, peak_rate: 1, assured_burst: 60, peak_burst: 60}\n"
      "  - {priority: 2, assured_rate: 0.00101, peak_rate: 1, assured_burst: 120, peak_burst: "
      "120}\n");
  for (const auto& [config, packets] : {std::pair{tables, "1+2+3+2+1+1+3,1"}, {rates, "7,5,3"}}) {
    const PacketMix mix = parse_mix(packets, config);
    const MixAnalysis exact = analyze_backlogged(config, mix);
    const MixAnalysis found = analyze_backlogged(config, mix, {.max_decisions = 60'000});
    ASSERT_TRUE(exact.exact);
    ASSERT_FALSE(found.exact);
    EXPECT_TRUE(found.whole_cycle);
    for (std::size_t q = 0; q < found.queues.size(); ++q) {
      EXPECT_GT(found.queues[q].share, Rational(0)) << to_yaml(config) << "queue " << q;
      EXPECT_NEAR(found.queues[q].share.value(), exact.queues[q].share.value(),
                  found.queues[q].share_error + 1e-4);
    }
    for (const std::string& warning : warnings_of(config, found)) {
      EXPECT_THAT(warning, Not(HasSubstr("starves")));
    }
  }
}

// A turn of a level may be too short for a packet of each of its queues, and one of an entry with
// deficits for the longest packet: those that were not seen in as many cycles do not starve.
TEST(Analysis, WhoHasNoPacketInEachCycleDoesNotStarve) {
  for (const char* const arbiter :
       {"policy: sbt\nqueues: 4\nmax_packet_flits: 1\nqueue_sl: [0, 0, 0, 1]\n"
        "table: [{sl: 0, weight: 1}, {sl: 1, weight: 100}]\n",
        "policy: dtable\nqueues: 4\nmax_packet_flits: 1\nqueue_sl: [0, 0, 0, 1]\n"
        "sl_mtu: [1, 1]\ntable: [{sl: 0, weight: 1}, {sl: 1, weight: 100}]\n",
        "policy: bxi-deficit\nqueues: 2\nmax_packet_flits: 3\nstrict: false\n"
        "table: [{queue: 0, weight: 1}, {queue: 1, weight: 100}]\n"}) {
    const ArbiterConfig config = arbiter_config(arbiter);
    const PacketMix mix = config.queues == 4 ? parse_mix("1", config) : parse_mix("3,1", config);
    const MixAnalysis exact = analyze_backlogged(config, mix);
    ASSERT_TRUE(exact.exact);
    for (const std::uint64_t decisions : {150, 220, 290}) {
      const MixAnalysis found = analyze_backlogged(config, mix, {.max_decisions = decisions});
      ASSERT_FALSE(found.exact);
      for (const std::string& warning : warnings_of(config, found)) {
        EXPECT_THAT(warning, Not(HasSubstr("starves while")))
            << arbiter << decisions << " decisions";
      }
    }
  }
}

// Turns of InfiniBand that their last packets overdraw by far, and a low turn after each packet of
// the high table: all have a turn before somebody is said to starve.
TEST(Analysis, OverdrawnTurnsAndThoseOfTheOtherTableAreInACycle) {
  for (const char* const tables :
       {"limit_of_high_priority: 255\nhigh: [{vl: 0, weight: 1}, {vl: 1, weight: 1}, {vl: 2, "
        "weight: 1}]\n",
        "limit_of_high_priority: 0\nlow_turn: packet\nhigh: [{vl: 0, weight: 1}, {vl: 1, weight: "
        "1}]\nlow: [{vl: 2, weight: 1}]\n"}) {
    const ArbiterConfig config = arbiter_config(
        std::string("policy: infiniband\nqueues: 3\nmax_packet_flits: 64\n") + tables);
    const PacketMix mix = parse_mix("64", config);
    ASSERT_TRUE(analyze_backlogged(config, mix).exact);
    for (const std::uint64_t decisions : {1, 2, 3}) {
      const MixAnalysis found = analyze_backlogged(config, mix, {.max_decisions = decisions});
      if (!found.exact) {
        for (const std::string& warning : warnings_of(config, found)) {
          EXPECT_THAT(warning, Not(HasSubstr("starves while"))) << tables << decisions;
          EXPECT_THAT(warning, Not(HasSubstr("never send"))) << tables << decisions;
        }
      }
    }
  }
}

// All buckets of trtcm begin full. Until those of a class are spent it has more than its rate, and
// the classes below it less: that is no share, and nobody starves.
TEST(Analysis, BurstsThatAreNotSpentYetSayNothingOfShares) {
  const std::string classes[] = {
      "  - {priority: 0, assured_rate: 0.25, peak_rate: 1, assured_burst: 30000}\n"
      "  - {priority: 1, assured_rate: 0.25, peak_rate: 1}\n",
      "  - {priority: 0, assured_rate: 0.25, peak_rate: 0.5, peak_burst: 30000}\n"
      "  - {priority: 1, assured_rate: 0, peak_rate: 1}\n",
      "  - {priority: 0, assured_rate: 0, peak_rate: 1}\n"
      "  - {priority: 1, assured_rate: 0.25, peak_rate: 0.375, assured_burst: 30000, peak_burst: "
      "30000}\n"};
  for (const std::string& two : classes) {
    const ArbiterConfig config =
        arbiter_config("policy: trtcm\nqueues: 2\nmax_packet_flits: 1\nclasses:\n" + two);
    const PacketMix mix = parse_mix("1", config);
    const MixAnalysis exact = analyze_backlogged(config, mix);
    ASSERT_TRUE(exact.exact);
    const MixAnalysis found = analyze_backlogged(config, mix, {.max_decisions = 15'000});
    ASSERT_FALSE(found.exact);
    for (std::size_t q = 0; q < found.queues.size(); ++q) {
      EXPECT_GT(exact.queues[q].share, Rational(0));
      EXPECT_EQ(found.queues[q].share_error, 1.0) << two;
    }
    for (const std::string& warning : warnings_of(config, found)) {
      EXPECT_THAT(warning, Not(HasSubstr("starves while"))) << two;
    }
  }
}

std::vector<std::string> warnings_of_packets(const std::string& arbiter,
                                             const std::string& packets) {
  const ArbiterConfig config = arbiter_config(arbiter);
  return warnings_of(config, analyze_backlogged(config, parse_mix(packets, config)));
}

// What was sampled is told of only beyond its error, and a thousandth of the link.
TEST(Analysis, SharesAreWarnedOfBeyondTheirError) {
  const ArbiterConfig config = arbiter_config(
      "policy: bxi-basic\nqueues: 2\nmax_packet_flits: 4\n"
      "table: [{queue: 0, weight: 8}, {queue: 1, weight: 8}]\n");
  MixAnalysis found = analyze_backlogged(config, parse_mix("4", config));
  found.queues[0].share = Rational(53, 100);
  found.queues[1].share = Rational(47, 100);
  for (const auto& [error, warnings] : {std::pair(0.0, 2U), {0.028, 2U}, {0.0295, 0U}}) {
    found.queues[0].share_error = error;
    found.queues[1].share_error = error;
    EXPECT_EQ(warnings_of(config, found).size(), warnings) << error;
  }
  found.flits = 30;
  found.idle_cycles = 10;
  EXPECT_THAT(warnings_of(config, found),
              ElementsAre("the link idles for 10 of 40 cycles although all queues wait"));
}

// One of two tables says nothing of the share of a VL that the other one has, too.
TEST(Analysis, SharesOfTwoTablesAreNoOnesAlone) {
  EXPECT_THAT(warnings_of_packets("policy: infiniband\nqueues: 2\nmax_packet_flits: 64\n"
                                  "high: [{vl: 0, weight: 64}]\nlimit_of_high_priority: 1\n"
                                  "low: [{vl: 0, weight: 64}, {vl: 1, weight: 64}]\n",
                                  "64"),
              Not(testing::Contains(HasSubstr("its weights say"))));
}

// sbt's weights count packets, so flits say nothing of them unless all packets are as long; and an
// SL that no queue has takes nothing from the others.
TEST(Analysis, WeightsThatArePacketsAreNoSharesOfFlits) {
  const std::string sbt =
      "policy: sbt\nqueues: 2\nmax_packet_flits: 16\nqueue_sl: [0, 2]\nstrict: false\n"
      "table: [{sl: 0, weight: 1}, {sl: 1, weight: 1}, {sl: 2, weight: 1}]\n";
  const auto unreached = ElementsAre("table: entries 1 never send while all queues are backlogged");
  EXPECT_THAT(warnings_of_packets(sbt, "16,1"), unreached);
  EXPECT_THAT(warnings_of_packets(sbt, "16"), unreached);
}

// SLs 0 and 2 have a queue each, and turns of one packet of 16 flits: one may be under way, and the
// other SL sends once before the restoration and once behind it. SL 1 has no queue to wait for.
TEST(Analysis, AnSlWithoutQueuesIsNotWaitedFor) {
  const ArbiterConfig config = arbiter_config(
      "policy: sbt\nqueues: 2\nmax_packet_flits: 16\nqueue_sl: [0, 2]\nstrict: false\n"
      "table: [{sl: 0, weight: 1}, {sl: 1, weight: 9}, {sl: 2, weight: 1}]\n");
  for (const Index queue : {0, 1}) {
    EXPECT_EQ(guaranteed_service(config, queue).guarantee->max_wait_flits, 16U + 16U);
  }
}

// Three packets of SL 0 and then, as a new round begins behind it, the own one. Of three SLs, the
// one behind its own may send last, and so one time only.
TEST(Analysis, ANewRoundOfSbtBeginsBehindTheSlThatSentLast) {
  const auto wait = [](const std::string& yaml, Index queue) {
    return guaranteed_service(arbiter_config("policy: sbt\nmax_packet_flits: 1\n" + yaml), queue)
        .guarantee->max_wait_flits;
  };
  EXPECT_EQ(
      wait("queues: 2\nqueue_sl: [0, 1]\ntable: [{sl: 0, weight: 3}, {sl: 1, weight: 2}]\n", 1),
      1 + 3);
  const std::string three = "table: [{sl: 0, weight: 1}, {sl: 1, weight: 2}, {sl: 2, weight: 4}]\n";
  EXPECT_EQ(wait("queues: 3\nqueue_sl: [0, 1, 2]\n" + three, 0), 1 + 2 * 6 - 2);
  EXPECT_EQ(wait("queues: 3\nqueue_sl: [0, 0, 2]\n" + three, 0), 2 + (2 + 1) * 4);
}

// The packet on the link, a low turn, VL 1's one packet and the low turn behind it: 4 flits each.
TEST(Analysis, ALimitOf0LetsALowTurnInAfterEachPacketAndNotAfterEachFlit) {
  const ServiceBound bound = guaranteed_service(
      arbiter_config(
          "policy: infiniband\nqueues: 3\nmax_packet_flits: 4\nlimit_of_high_priority: 0\n"
          "high: [{vl: 0, weight: 4}, {vl: 1, weight: 1}]\nlow: [{vl: 2, weight: 1}]\n"),
      0);
  EXPECT_EQ(bound.guarantee->max_wait_flits, 16);
  EXPECT_EQ(bound.guarantee->rate, Rational(1, 7));  // its own packets may be of one flit
}

// VL 1 sends one packet of 256 by the high table, and by the low one after each packet of the high
// one: its wait is the packet on the link and one of the high table, not the rest of VL 0's turn.
TEST(Analysis, AVlInBothTablesIsPromisedWhatTheBetterOneDoes) {
  const auto bound = [](int limit) {
    return *guaranteed_service(
                arbiter_config(fmt::format("policy: infiniband\nqueues: 2\nmax_packet_flits: 1\n"
                                           "limit_of_high_priority: {}\n"
                                           "high: [{{vl: 0, weight: 255}}, {{vl: 1, weight: 1}}]\n"
                                           "low: [{{vl: 1, weight: 1}}]\n",
                                           limit)),
                1)
                .guarantee;
  };
  EXPECT_EQ(bound(0).max_wait_flits, 1 + 1);
  EXPECT_EQ(bound(0).rate, Rational(1, 2));
  EXPECT_EQ(bound(1).max_wait_flits, 1 + 64);  // 4096 bytes of the high table
  EXPECT_EQ(bound(1).rate, Rational(1, 65));
  EXPECT_EQ(bound(255).max_wait_flits, 1 + 255 + 1);  // and a low turn, at once
  EXPECT_EQ(bound(255).rate, Rational(1, 256));
}

// Its peak bucket overflows while class 0 sends, and fills no faster than it may be spent.
TEST(Analysis, APeakBurstThatCostsTheAssuredRateIsWarnedOf) {
  const auto classes = [](int peak_burst) {
    return fmt::format(
        "policy: trtcm\nqueues: 2\nmax_packet_flits: 4\nclasses:\n"
        "  - {{priority: 0, assured_rate: 0.3, peak_rate: 1, assured_burst: 16, peak_burst: 16}}\n"
        "  - {{priority: 1, assured_rate: 0.3, peak_rate: 0.3, assured_burst: 100, peak_burst: "
        "{}}}\n",
        peak_burst);
  };
  const auto warned = ::testing::Contains(HasSubstr("queue 1: a peak burst"));
  EXPECT_LT(analyze(classes(4), "4").queues[1].share, Rational(6, 25));
  EXPECT_THAT(warnings_of_packets(classes(4), "4"), warned);
  EXPECT_THAT(warnings_of_packets(classes(95), "4"), warned);
  EXPECT_THAT(warnings_of_packets(classes(96), "4"), Not(warned));
  EXPECT_GT(analyze(classes(96), "4").queues[1].share, Rational(29, 100));
}

TEST(Analysis, ALimitHasNoEffectBesideATableWithoutWeight) {
  const auto expect_none = [](const std::string& tables, const std::string& why) {
    for (const char* const limit : {"1", "255"}) {
      EXPECT_THAT(warnings_of_packets("policy: infiniband\nqueues: 2\nmax_packet_flits: 64\n"
                                      "strict: false\n" +
                                          tables + "limit_of_high_priority: " + limit + "\n",
                                      "64"),
                  testing::AllOf(testing::Contains("limit_of_high_priority has no effect: " + why),
                                 testing::Not(testing::Contains(HasSubstr("closes"))),
                                 testing::Not(testing::Contains(HasSubstr("is no limit")))));
    }
  };
  expect_none("high: [{vl: 0, weight: 64}]\nlow: [{vl: 1, weight: 0}]\n",
              "the low table has no weight");
  expect_none("high: [{vl: 1, weight: 0}]\nlow: [{vl: 0, weight: 64}]\n",
              "the high table has no weight");
  expect_none("low: [{vl: 0, weight: 64}]\n", "the high table is empty");
}

// What limit 0 does is not warned of as what a larger one does as well.
TEST(Analysis, ALimitThatClosesAfterEachPacketIsWarnedOf) {
  const auto closes = ::testing::Contains(HasSubstr("closes the high table, as 0 does"));
  const auto with = [](int limit, int flits) {
    return warnings_of_packets(
        fmt::format("policy: infiniband\nqueues: 2\nmax_packet_flits: {}\n"
                    "limit_of_high_priority: {}\nhigh: [{{vl: 0, weight: 64}}]\n"
                    "low: [{{vl: 1, weight: 64}}]\n",
                    flits, limit),
        std::to_string(flits));
  };
  EXPECT_THAT(with(0, 64), Not(closes));
  EXPECT_THAT(with(1, 63), Not(closes));
  EXPECT_THAT(with(1, 64), closes);  // 4096 bytes
}

// docs/analyze.md, "What is guaranteed", by hand. A queue's packets are of `own` flits.
TEST(Analysis, GuaranteesAreThoseThatFollowFromTheRules) {
  const auto expect_service = [](const std::string& yaml, Index queue, const OwnPackets& own,
                                 std::int64_t wait, const Rational& rate, std::int64_t latency) {
    const ServiceBound bound = guaranteed_service(arbiter_config(yaml), queue, own);
    ASSERT_TRUE(bound.guarantee.has_value()) << yaml << bound.why_not;
    EXPECT_EQ(bound.guarantee->max_wait_flits, wait) << yaml << "queue " << queue;
    EXPECT_EQ(bound.guarantee->rate, rate) << yaml << "queue " << queue;
    EXPECT_EQ(bound.guarantee->latency_flits, latency) << yaml << "queue " << queue;
  };
  // The packet on the link, and one of each of two other queues before each of its own.
  expect_service("policy: rr\nqueues: 3\nmax_packet_flits: 4\n", 0, {2, 3}, 4 + 8, {2, 2 + 8}, 12);

  // Others send 6 and save 3. A visit sends 5, but 3 less once: 2 + (9 + 6) - 2 x 11/5 is 12.6.
  const std::string two =
      "queues: 2\nmax_packet_flits: 4\ntable: [{queue: 0, weight: 5}, "
      "{queue: 1, weight: 6}]\n";
  expect_service("policy: bxi-deficit\n" + two, 0, {1, 4}, 4 + 9, {5, 11}, 4 + 13);
  // Without deficits each visit loses a flit of packets of two, and 9 are sure: 4 of 4 + 6.
  expect_service("policy: bxi-basic\n" + two, 0, {1, 2}, 4 + 6, {4, 4 + 6}, 4 + 6);

  // SL 2 has no queue. Queue 2 waits for the 6 of SL 0 and the 3 that it saved; 4 + 15 - 4 x 11/5
  // is 10.2. Before each packet of queue 0, of a flit, queue 1 sends one of 4: 3 + 11 - 3 x 11/6 is
  // 8.5, and 4 x 11/6 more are 15.8.
  const std::string dtable =
      "policy: dtable\nqueues: 3\nmax_packet_flits: 4\nqueue_sl: [0, 0, 1]\nsl_mtu: [4, 2, 4]\n"
      "strict: false\ntable: [{sl: 0, weight: 6}, {sl: 2, weight: 9}, {sl: 1, weight: 5}]\n";
  expect_service(dtable, 2, {1, 2}, 4 + 9, {5, 11}, 4 + 11);
  expect_service(dtable, 0, {1, 4}, 4 + 16, {6, 11 * 5}, 4 + 16);

  // The packet on the link and the other queue's; twice 3 packets of 4 flits of SL 1, and as many
  // more for each two packets of the other queue.
  expect_service(
      "policy: sbt\nqueues: 3\nmax_packet_flits: 4\nqueue_sl: [0, 0, 1]\n"
      "table: [{sl: 0, weight: 2}, {sl: 1, weight: 3}]\n",
      0, {1, 4}, 8 + 2 * 12, {1, 1 + 4 + 12}, 8 + 2 * 12 + 12 / 2);

  // Units of 64 bytes are two flits, and 3 flits fill them worst: 5 units are 7.5 flits at least.
  // VL 1 has 4 flits less one more than its 5 units at most.
  expect_service(
      "policy: infiniband\nqueues: 2\nmax_packet_flits: 4\nflit_bytes: 32\n"
      "limit_of_high_priority: 255\nhigh: [{vl: 0, weight: 5}, {vl: 1, weight: 4}]\n",
      0, {2, 3}, 4 + 10, {8, 8 + 10}, 4 + 10);
  // Nothing is before a turn of the low table where the high one has no weight.
  expect_service(
      "policy: infiniband\nqueues: 2\nmax_packet_flits: 4\n"
      "limit_of_high_priority: 1\nlow: [{vl: 0, weight: 1}, {vl: 1, weight: 1}]\n",
      0, {1, 4}, 4 + 4, {1, 1 + 4}, 4 + 4);
  // A turn of the low table that is a packet is none of 100.
  expect_service(
      "policy: infiniband\nqueues: 2\nmax_packet_flits: 4\nlow_turn: packet\n"
      "limit_of_high_priority: 255\nhigh: [{vl: 0, weight: 1}]\n"
      "low: [{vl: 1, weight: 100}]\n",
      0, {1, 4}, 4 + 4, 1, 4 + 4);

  // Green after 4 / (1/2) cycles; then behind a packet and the burst of class 0, at 3/4 of the
  // link. Class 1 is assured nothing and has nothing green. The rate is kept with 3 x 4 + 40 + 1
  // flits.
  const auto trtcm = [](const char* higher, int peak_burst) {
    return fmt::format(
        "policy: trtcm\nqueues: 3\nmax_packet_flits: 4\nclasses:\n"
        "  - {{priority: 0, assured_rate: {}, peak_rate: 1, assured_burst: 40, peak_burst: 40}}\n"
        "  - {{priority: 1, assured_rate: 0, peak_rate: 1, assured_burst: 100}}\n"
        "  - {{priority: 2, assured_rate: 0.5, peak_rate: 1, assured_burst: 53, peak_burst: {}}}\n",
        higher, peak_burst);
  };
  expect_service(trtcm("0.25", 49), 2, {2, 4}, 8 + 59, {1, 2}, 4 + 106);
  expect_service(trtcm("0.25", 48), 2, {2, 4}, 8 + 59, {2, 67}, 4 + 67);
  expect_service(trtcm("0.75", 49), 2, {2, 4}, 8 + 176, {2, 184}, 4 + 184);
}

// So many table cycles of so many flits that their product is beyond 64 bits: all there are.
TEST(Analysis, MoreCyclesThanCanBeCountedAreAllThatWereFollowed) {
  const ArbiterConfig config = arbiter_config(
      "policy: sbt\nqueues: 2\nmax_packet_flits: 1048576\nqueue_sl: [0, 1]\n"
      "table: [{sl: 0, weight: 33554431}, {sl: 1, weight: 1}]\n");
  const MixAnalysis found = analyze_backlogged(config, parse_mix("1048576", config),
                                               {.max_decisions = 1000, .runs = 524'288});
  EXPECT_EQ(found.decisions, 1000U);
}

// From one decision no error can be told: it may be anything.
TEST(Analysis, OneSampleSaysNothingOfItsError) {
  const ArbiterConfig config = arbiter_config("policy: rr\nqueues: 2\nmax_packet_flits: 4\n");
  const MixAnalysis found =
      analyze_backlogged(config, parse_mix("4,4", config), {.max_decisions = 1, .runs = 10});
  ASSERT_FALSE(found.exact);
  EXPECT_EQ(found.queues[0].share_error, 1.0);
  EXPECT_EQ(found.flits, 4U);
}

TEST(VlTables, MayBeNoDirectory) {
  EXPECT_THAT([] { load_vl_tables(testing::TempDir(), "", {}); },
              testing::ThrowsMessage<InputError>(testing::TempDir() + ": cannot be read"));
}

TEST(VlTables, WithoutAnEntryAreRefusedByAFileThatIsThere) {
  const std::string file = testing::TempDir() + "vl-tables-without-an-entry.csv";
  std::ofstream(file) << "vl,weight\n";
  for (const bool high : {false, true}) {
    try {
      load_vl_tables(high ? file : "", high ? "" : file, {});
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), file + ":1: the tables have no entry");
    }
  }
}

}  // namespace
}  // namespace qosarb::test
