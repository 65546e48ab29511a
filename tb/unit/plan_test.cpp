// Plans against what the papers print. Where a printed digit is wrong, the test says which and why.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "policy_under_test.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/plan/bxi_plan.hpp"
#include "qosarb/plan/dtable_plan.hpp"
#include "qosarb/plan/infiniband_plan.hpp"
#include "qosarb/plan/seastar_plan.hpp"
#include "qosarb/plan/storage_plan.hpp"
#include "qosarb/plan/trtcm_plan.hpp"
#include "qosarb/plan/weights.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/dtable.hpp"
#include "qosarb/policy/infiniband.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/policy/sl_queues.hpp"
#include "qosarb/policy/trtcm.hpp"

namespace qosarb::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string percent(const Rational& share) { return fmt::format("{:.2f}", 100.0 * share.value()); }
std::string five(const Rational& number) { return fmt::format("{:.5f}", number.value()); }

// A plan is of use only if an arbiter can be built from it.
void expect_usable(const ArbiterConfig& config) {
  EXPECT_EQ(parse_arbiter(YAML::Load(to_yaml(config))["arbiter"], "plan"), config);
}

BxiRequirements bxi(const std::vector<int>& shares, std::uint32_t max_packet_flits) {
  BxiRequirements requirements;
  requirements.max_packet_flits = max_packet_flits;
  requirements.geometric = true;
  for (Index i = 0; i < count(shares); ++i) {
    requirements.service_levels.push_back({i, Rational(shares[i]), {}});
  }
  return requirements;
}

// Columns of the BXIv3 paper's tables, as printed.
struct BxiColumns {
  std::vector<std::uint32_t> entries;
  std::vector<std::string> share;

  explicit BxiColumns(const BxiPlan& plan) {
    for (const BxiPlan::ServiceLevel& level : plan.service_levels) {
      entries.push_back(level.entries);
      share.push_back(percent(level.planned));
    }
  }
};

TEST(BxiPlan, Table2) {
  const BxiPlan plan = plan_bxi(bxi({5120, 4096, 3072, 2048, 1024}, 320));
  std::vector<std::uint64_t> total;
  std::vector<std::uint64_t> quantum;
  std::vector<std::string> entry_share;
  for (const BxiPlan::ServiceLevel& level : plan.service_levels) {
    total.push_back(level.total_flits);
    quantum.push_back(level.quantum_flits);
    entry_share.push_back(percent(Rational(level.entries, 31)));
  }
  EXPECT_EQ(plan.arbiter.parameters.get<BxiConfig>().table.size(), 31U);
  EXPECT_THAT(total, ElementsAre(5120U, 4096U, 3072U, 2048U, 1024U));
  EXPECT_THAT(BxiColumns(plan).entries, ElementsAre(16U, 8U, 4U, 2U, 1U));
  EXPECT_THAT(quantum, ElementsAre(320U, 512U, 768U, 1024U, 1024U));
  EXPECT_THAT(entry_share, ElementsAre("51.61", "25.81", "12.90", "6.45", "3.23"));
  EXPECT_THAT(BxiColumns(plan).share, ElementsAre("33.33", "26.67", "20.00", "13.33", "6.67"));
  EXPECT_TRUE(plan.exact);
  expect_usable(plan.arbiter);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(plan.check.queues[i].share, plan.service_levels[i].wanted);
  }
}

// Tables 5 to 7 print the weight of an SL, not of an entry as the text has it: with 16 entries of
// weight 1 and one of weight 1, the shares would not be equal.
TEST(BxiPlan, Tables5To7) {
  const BxiColumns fair(plan_bxi(bxi({1, 1, 1, 1, 1}, 160)));
  EXPECT_THAT(fair.entries, ElementsAre(16U, 8U, 4U, 2U, 1U));
  EXPECT_THAT(fair.share, ElementsAre("20.00", "20.00", "20.00", "20.00", "20.00"));
  const BxiColumns step(plan_bxi(bxi({5, 4, 3, 2, 1}, 160)));
  EXPECT_THAT(step.share, ElementsAre("33.33", "26.67", "20.00", "13.33", "6.67"));
  const BxiColumns powers(plan_bxi(bxi({16, 8, 4, 2, 1}, 160)));
  EXPECT_THAT(powers.share, ElementsAre("51.61", "25.81", "12.90", "6.45", "3.23"));
}

TEST(BxiPlan, Table8) {
  const BxiColumns fair(plan_bxi(bxi({1, 1, 1}, 288)));
  EXPECT_THAT(fair.entries, ElementsAre(4U, 2U, 1U));
  EXPECT_THAT(fair.share, ElementsAre("33.33", "33.33", "33.33"));
  EXPECT_THAT(BxiColumns(plan_bxi(bxi({3, 2, 1}, 288))).share,
              ElementsAre("50.00", "33.33", "16.67"));
  EXPECT_THAT(BxiColumns(plan_bxi(bxi({4, 2, 1}, 288))).share,
              ElementsAre("57.14", "28.57", "14.29"));
}

TEST(BxiPlan, AnyNumberOfLevelsHoldsItsSharesAndDistances) {
  Random random(test_seed(31));
  int exact = 0;
  for (int i = 0; i < 60; ++i) {
    BxiRequirements requirements;
    requirements.max_packet_flits = random.from<std::uint32_t>(1, 300);
    const int levels = random.from(1, 15);
    for (Index queue = 0; queue < levels; ++queue) {
      requirements.service_levels.push_back(
          {queue, Rational(random.from(1, 20)), random.from<std::uint32_t>(levels + 1, 64)});
    }
    const BxiPlan plan = plan_bxi(requirements);
    expect_usable(plan.arbiter);
    EXPECT_LE(plan.arbiter.parameters.get<BxiConfig>().table.size(), 64U);
    exact += plan.exact ? 1 : 0;
    for (std::size_t level = 0; level < plan.service_levels.size(); ++level) {
      const BxiPlan::ServiceLevel& got = plan.service_levels[level];
      EXPECT_LE(got.max_distance, *requirements.service_levels[level].distance);
      EXPECT_GE(got.quantum_flits, requirements.max_packet_flits);
      EXPECT_LE(got.quantum_flits, requirements.max_quantum_flits);
      if (plan.exact) {
        EXPECT_EQ(got.planned, got.wanted);
      } else {
        EXPECT_NEAR(got.planned.value(), got.wanted.value(), 0.02);
      }
      if (plan.check.exact) {
        EXPECT_EQ(plan.check.queues[level].share, got.planned);
      }
    }
  }
  EXPECT_GT(exact, 10);
}

// Distances of 2 fill all turns; one that is not asked for is that of the longest table. Queue 1
// has no service level.
TEST(BxiPlan, DistancesMayAskForAllTurnsOrNotBeAskedFor) {
  BxiRequirements requirements = bxi({1, 1}, 1);
  requirements.geometric = false;
  requirements.max_entries = 8;
  requirements.service_levels[0].distance = 2;
  requirements.service_levels[1].queue = 2;
  for (const std::optional<std::uint32_t> distance :
       {std::optional<std::uint32_t>(), std::optional<std::uint32_t>(2)}) {
    requirements.service_levels[1].distance = distance;
    const BxiPlan plan = plan_bxi(requirements);
    EXPECT_EQ(plan.arbiter.parameters.get<BxiConfig>().table.size(), 2U);
    expect_usable(plan.arbiter);
  }
}

TEST(BxiPlan, SaysWhyItCannot) {
  const auto fault = [](const BxiRequirements& requirements) -> std::string {
    try {
      plan_bxi(requirements);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  BxiRequirements requirements = bxi({1, 1, 1}, 1);
  requirements.max_entries = 2;
  EXPECT_THAT(fault(requirements), HasSubstr("3 service levels do not fit"));
  requirements = bxi({1, 1, 1}, 1);
  requirements.geometric = false;
  for (auto& level : requirements.service_levels) {
    level.distance = 2;
  }
  EXPECT_THAT(fault(requirements), HasSubstr("150.0 % of the turns"));
  requirements = bxi({1, 100000}, 9);
  EXPECT_THAT(fault(requirements), HasSubstr("so far apart"));
  // One turn in two, one in three, and one in however many: no order has that (Holte and others,
  // "The pinwheel", 1989), although 1/2 + 1/3 + 1/12 is below 1.
  requirements = bxi({1, 1, 1}, 1);
  requirements.geometric = false;
  requirements.max_entries = 12;
  requirements.service_levels[0].distance = 2;
  requirements.service_levels[1].distance = 3;
  requirements.service_levels[2].distance = 12;
  EXPECT_THAT(fault(requirements), HasSubstr("no table of at most 12 entries was found"));
}

TEST(Weights, ErrorIsTheSmallestWhenExactOnesDoNotFit) {
  // 1 : 1.618 needs more than 16 as the largest weight; 8:13 is the best of all below.
  const Weights weights = proportional_weights({Rational(1000), Rational(1618)}, 1, 16);
  EXPECT_FALSE(weights.exact);
  EXPECT_THAT(weights.weight, ElementsAre(8U, 13U));
  // 4:6 is as near to 1 : 1.501 as 2:3, and all others of up to 8 are farther.
  EXPECT_THAT(proportional_weights({Rational(1000), Rational(1501)}, 1, 8).weight,
              ElementsAre(2U, 3U));
  // 1.12 is 0.12 from 1:1, a ninth of it, and 5.6 is 0.4 from 5:6, a fourteenth.
  EXPECT_THAT(proportional_weights({Rational(25), Rational(28)}, 1, 6).weight, ElementsAre(5U, 6U));
}

DTableRequirements omni_path_table5() {
  DTableRequirements requirements{.entries = 128, .gmtu = 3, .w = 4, .k = 3};
  requirements.service_levels = {{0, {0}, 2, 1, Rational(33334, 100000)},
                                 {1, {1}, 4, 2, Rational(33333, 100000)},
                                 {2, {2}, 4, 3, Rational(33333, 100000)}};
  return requirements;
}

// Misprints: n of SL 0 (49 for 64), Tweight (384.0768 and 383.9616: 384.00768 and 383.99616 with a
// digit dropped), R phi - phi (0.03502 and -0.01751 for 0.03508 and -0.01754) and R phi of SL 2
// (0.31578, the same number as SL 1's 0.31579).
TEST(DTablePlan, Table5) {
  const DTablePlan plan = plan_dtable(omni_path_table5());
  EXPECT_EQ(plan.pool, 1152U);
  const auto column = [&plan](auto member) {
    std::vector<std::string> texts;
    for (const DTablePlan::ServiceLevel& level : plan.service_levels) {
      texts.push_back(member(level));
    }
    return texts;
  };
  using Level = DTablePlan::ServiceLevel;
  EXPECT_THAT(column([](const Level& l) { return std::to_string(l.entries); }),
              ElementsAre("64", "32", "32"));
  EXPECT_THAT(column([](const Level& l) { return five(l.min_share); }),
              ElementsAre("0.05556", "0.05556", "0.08333"));
  EXPECT_THAT(column([](const Level& l) { return five(l.max_share); }),
              ElementsAre("0.66667", "0.33333", "0.33333"));
  EXPECT_THAT(column([](const Level& l) { return std::to_string(l.entry_weight); }),
              ElementsAre("7", "12", "12"));
  EXPECT_THAT(column([](const Level& l) { return five(l.total_weight); }),
              ElementsAre("384.00768", "383.99616", "383.99616"));
  EXPECT_THAT(column([](const Level& l) { return std::to_string(l.rounded_weight); }),
              ElementsAre("448", "384", "384"));
  EXPECT_THAT(column([](const Level& l) { return five(l.rounded_share); }),
              ElementsAre("0.36842", "0.31579", "0.31579"));
  EXPECT_THAT(column([](const Level& l) { return five(l.rounded_share - l.share); }),
              ElementsAre("0.03508", "-0.01754", "-0.01754"));
  EXPECT_THAT(column([](const Level& l) { return std::to_string(l.correction); }),
              ElementsAre("-43", "21", "21"));
  EXPECT_THAT(column([](const Level& l) { return std::to_string(l.final_weight); }),
              ElementsAre("405", "405", "405"));
  EXPECT_THAT(column([](const Level& l) { return five(l.final_share); }),
              ElementsAre("0.33333", "0.33333", "0.33333"));
  expect_usable(plan.arbiter);
}

// Misprint: the last entry of SL 1, number 5, goes from 2 to 3; the text computes 3 + 1 = 4.
TEST(DTablePlan, Table6) {
  const std::vector<int> order = {0, 1, 0, 2, 0, 1, 0, 2};
  std::vector<std::uint32_t> weights = {4, 2, 4, 3, 4, 2, 4, 3};
  std::vector<std::int64_t> corrections = {-3, 1, 2};
  correct_weights(order, weights, corrections, {1, 2, 3});
  EXPECT_THAT(weights, ElementsAre(4U, 2U, 3U, 4U, 3U, 3U, 3U, 4U));
  EXPECT_THAT(corrections, ElementsAre(0, 0, 0));
}

TEST(DTablePlan, CorrectionStopsAtTheMtu) {
  std::vector<std::uint32_t> weights = {4, 9, 4};
  std::vector<std::int64_t> corrections = {-5, 4};
  correct_weights({0, 1, 0}, weights, corrections, {3, 1});
  EXPECT_THAT(weights, ElementsAre(3U, 13U, 3U));
  EXPECT_THAT(corrections, ElementsAre(-3, 0));
}

// Note that the corrected entries of SL CL, 130, are above the M = 128 that the method allows.
TEST(DTablePlan, Tables9And10) {
  DTableRequirements requirements{.entries = 128, .gmtu = 16, .w = 8, .k = 2};
  const std::uint32_t distance[] = {2, 4, 8, 16, 16};
  const std::uint32_t mtu[] = {2, 4, 8, 16, 16};  // 128 to 1024 bytes in credits of 64
  const Rational share[] = {{1, 10}, {3, 10}, {1, 2}, {1, 20}, {1, 20}};
  for (int sl = 0; sl < 5; ++sl) {
    requirements.service_levels.push_back({sl, {sl}, distance[sl], mtu[sl], share[sl]});
  }
  const DTablePlan plan = plan_dtable(requirements);
  const std::uint32_t entries[] = {64, 32, 16, 8, 8};
  const char* const of_entries[] = {"50.00", "25.00", "12.50", "6.25", "6.25"};
  const char* const max_share[] = {"2.00000", "1.00000", "0.50000", "0.25000", "0.25000"};
  const std::uint64_t final_weight[] = {416, 1248, 2080, 208, 208};
  const char* const rounded[] = {"0.11", "0.30", "0.49", "0.05", "0.05"};
  const char* const corrected[] = {"0.10", "0.30", "0.50", "0.05", "0.05"};
  const std::int64_t correction[] = {-32, 0, 32, 0, 0};
  const std::uint32_t lowest[] = {6, 39, 130, 26, 26};
  const std::uint32_t highest[] = {7, 39, 130, 26, 26};
  Rational min_shares;
  Rational max_shares;
  std::uint64_t all_weight = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const DTablePlan::ServiceLevel& level = plan.service_levels[i];
    EXPECT_EQ(level.entries, entries[i]);
    EXPECT_EQ(percent(Rational(level.entries, 128)), of_entries[i]);
    EXPECT_EQ(level.max_distance, distance[i]);
    EXPECT_EQ(five(level.min_share), "0.03125");
    EXPECT_EQ(five(level.max_share), max_share[i]);
    EXPECT_EQ(level.final_weight, final_weight[i]);
    EXPECT_EQ(fmt::format("{:.2f}", level.rounded_share.value()), rounded[i]);
    EXPECT_EQ(fmt::format("{:.2f}", level.final_share.value()), corrected[i]);
    EXPECT_EQ(level.correction, correction[i]);
    EXPECT_EQ(level.lowest_entry, lowest[i]);
    EXPECT_EQ(level.highest_entry, highest[i]);
    EXPECT_EQ(plan.check.service_levels[i].share, level.final_share);
    min_shares += level.min_share;
    max_shares += level.max_share;
    all_weight += level.final_weight;
  }
  EXPECT_EQ(five(min_shares), "0.15625");
  EXPECT_EQ(max_shares, Rational(4));
  EXPECT_EQ(all_weight, 4160U);
  // "the first 32 table entries have a weight of 7 and the next 32 table entries have a weight of
  // 6"
  int position = 0;
  for (const SlEntry& entry : plan.arbiter.parameters.get<DTableConfig>().table) {
    if (entry.sl == 0) {
      EXPECT_EQ(entry.weight, position++ < 32 ? 7U : 6U);
    }
  }
  EXPECT_THAT(plan.warnings, ElementsAre(HasSubstr("130, above M = 128")));
  expect_usable(plan.arbiter);
}

// No share, however near to the least that its entries may have, leaves a correction undone.
TEST(DTablePlan, CorrectsAllThatRoundingChanged) {
  Random random(test_seed(2040));
  int corrected = 0;
  for (int plans = 0; plans < 40;) {
    const std::uint32_t gmtu = random.from(1U, 24U);
    DTableRequirements requirements{.entries = 64, .gmtu = gmtu, .w = 8, .k = random.from(1U, 3U)};
    const int levels = random.from(2, 5);
    for (Index sl = 0; sl < levels; ++sl) {
      requirements.service_levels.push_back({sl,
                                             {sl},
                                             4U << static_cast<unsigned>(std::min(sl, 3)),
                                             random.from(1U, gmtu),
                                             Rational(random.from(1, 97))});
    }
    try {
      const DTablePlan plan = plan_dtable(requirements);
      ++plans;
      for (Index i = 0; i < levels; ++i) {
        const DTablePlan::ServiceLevel& level = plan.service_levels[i];
        EXPECT_EQ(static_cast<std::int64_t>(level.final_weight),
                  static_cast<std::int64_t>(level.rounded_weight) + level.correction);
        EXPECT_GE(level.lowest_entry, requirements.service_levels[i].mtu);
        corrected += level.correction < 0 ? 1 : 0;
      }
    } catch (const std::invalid_argument&) {
      // A share beyond what its entries take.
    }
  }
  EXPECT_GT(corrected, 20);
}

// 16 flits for entries of up to M = 4: two of each half of them. Of 8 flits, two entries that are
// to hold 2 each have half.
TEST(DTablePlan, EntriesMayHaveAllOfMAndNotLessThanTheirMtu) {
  DTableRequirements requirements{.entries = 4, .gmtu = 2, .w = 2, .k = 2};
  requirements.service_levels = {{0, {0}, 2, 2, Rational(1, 2)}, {1, {1}, 2, 1, Rational(1, 2)}};
  const DTablePlan plan = plan_dtable(requirements);
  EXPECT_EQ(plan.service_levels[0].highest_entry, 4U);
  EXPECT_THAT(plan.warnings, ElementsAre());
  EXPECT_EQ(plan.arbiter.max_packet_flits, 2U);
  const auto fault = [](const DTableRequirements& refused) -> std::string {
    try {
      plan_dtable(refused);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  requirements.k = 1;
  EXPECT_EQ(fault(requirements), "");
  requirements.service_levels[0].share = Rational(1, 4);
  EXPECT_THAT(fault(requirements),
              HasSubstr("the share of SL 0, 0.33333, is outside 0.50000..1.00000"));
  requirements.k = 3;
  EXPECT_THAT(fault(requirements), HasSubstr("k = 3 is above w = 2"));
}

TEST(DTablePlan, RefusesDistancesThatNoOrderKeeps) {
  // The three of BxiPlan.SaysWhyItCannot.
  DTableRequirements requirements{.entries = 12, .gmtu = 1, .w = 2, .k = 1};
  requirements.service_levels = {{0, {0}, 2, 1, Rational(1, 2)},
                                 {1, {1}, 3, 1, Rational(1, 3)},
                                 {2, {2}, 12, 1, Rational(1, 6)}};
  EXPECT_THAT([&requirements] { plan_dtable(requirements); },
              testing::ThrowsMessage<std::invalid_argument>(
                  HasSubstr("no table of 12 entries was found that keeps the distances")));
}

TEST(DTablePlan, RefusesAShareOutOfRange) {
  DTableRequirements requirements = omni_path_table5();
  requirements.service_levels[1].share = Rational(2);
  EXPECT_THROW(plan_dtable(requirements), std::invalid_argument);
  requirements = omni_path_table5();
  requirements.k = 5;
  EXPECT_THROW(plan_dtable(requirements), std::invalid_argument);
}

SeastarRequirements seastar_2112() {
  SeastarRequirements requirements;
  requirements.dimensions = {{11, true}, {12, true}, {16, true}};
  return requirements;
}

TEST(SeastarPlan, The2112NodeMachine) {
  const SeastarPlan plan = plan_seastar(seastar_2112());
  EXPECT_EQ(plan.dimensions[0].age_bias, 3U);
  EXPECT_EQ(plan.dimensions[1].age_bias, 2U);
  EXPECT_EQ(plan.dimensions[2].age_bias, 1U);
  EXPECT_EQ(plan.hops, 10);
  EXPECT_EQ(plan.bias_age, 19);
  EXPECT_EQ(plan.ticks_per_hop, 11);
  EXPECT_EQ(plan.queued_packets, 11U);
  EXPECT_EQ(plan.queueing_cycles, 198U);
  EXPECT_EQ(plan.age_clock_period, 18U);
  const auto& age = plan.arbiter.parameters.get<SeastarConfig>();
  EXPECT_THAT(age.req_age_bias, ElementsAre(3, 3, 2, 2, 1, 1, 1));
  EXPECT_EQ(plan.arbiter.queues, 28);
  expect_usable(plan.arbiter);
}

TEST(SeastarPlan, Equations4To17) {
  SeastarRequirements requirements = seastar_2112();
  requirements.dimensions[1].torus = false;
  requirements.ejection_gbytes = Rational(100);  // let the channels limit
  requirements.measured = SeastarRequirements::Measured{1000, 30, 10};
  const SeastarPlan plan = plan_seastar(requirements);
  EXPECT_EQ(plan.dimensions[0].average_hops, Rational(11, 4));                     // 5
  EXPECT_EQ(plan.dimensions[1].average_hops, Rational(13, 3));                     // 7
  EXPECT_EQ(plan.dimensions[0].channel_load, Rational(11, 8));                     // 8
  EXPECT_EQ(plan.dimensions[1].channel_load, Rational(3));                         // 9
  EXPECT_EQ(plan.dimensions[0].ejection_probability, Rational(10, 11 * 12 * 16));  // 10
  EXPECT_EQ(plan.dimensions[1].ejection_probability, Rational(11, 12 * 16));       // 11
  Rational all;                                                                    // 12
  for (const auto& dimension : plan.dimensions) {
    all += dimension.ejection_probability;
  }
  EXPECT_EQ(all, Rational(1));
  EXPECT_EQ(plan.dimensions[2].ejection_gbytes, Rational(12, 5));  // 14: 4.8 x 8/16
  EXPECT_EQ(plan.dimensions[1].ejection_gbytes, Rational(8, 5));   // 15, mesh: 4.8 x 4/12
  EXPECT_EQ(plan.dimensions[0].ejection_gbytes, Rational(8, 5));   // 16: what y accepts
  EXPECT_EQ(plan.occupancy, Rational(25));                         // 17
  requirements.ejection_gbytes = Rational(2);
  EXPECT_EQ(plan_seastar(requirements).dimensions[2].ejection_gbytes, Rational(2));
}

TEST(SeastarPlan, RefusesWhatHasNoRoom) {
  SeastarRequirements requirements = seastar_2112();
  requirements.staging_flits = 9;
  EXPECT_EQ(plan_seastar(requirements).queued_packets, 10U + 1U);
  requirements.staging_flits = 8;
  EXPECT_THROW(plan_seastar(requirements), std::invalid_argument);
  requirements = seastar_2112();
  requirements.dimensions[0].radix = 400;
  EXPECT_THROW(plan_seastar(requirements), std::invalid_argument);
  // Hops of a torus are a fourth of its radix, and one dimension has the bias 1: 127 leave a tick
  // below 128.
  requirements.dimensions = {{508, true}};
  EXPECT_EQ(plan_seastar(requirements).bias_age, 127);
  requirements.dimensions = {{512, true}};
  EXPECT_THROW(plan_seastar(requirements), std::invalid_argument);
}

TEST(SeastarPlan, RefusesWhatHasNoBiasAndWhatWasNotMeasured) {
  SeastarRequirements requirements = seastar_2112();
  requirements.dimensions.assign(8, {2, true});
  EXPECT_THAT([&requirements] { plan_seastar(requirements); },
              testing::ThrowsMessage<std::invalid_argument>("8 dimensions need biases above 7"));
  requirements.dimensions.pop_back();
  EXPECT_EQ(plan_seastar(requirements).dimensions[0].age_bias, 7U);
  requirements.measured = SeastarRequirements::Measured{1000, 0, 0};
  EXPECT_THAT([&requirements] { plan_seastar(requirements); },
              testing::ThrowsMessage<std::invalid_argument>("measured: no packets were counted"));
}

TEST(TrtcmPlan, TableI) {
  TrtcmRequirements requirements{.max_packet_flits = 10};
  requirements.classes = {{0, Rational(20, 100), Rational(1)},
                          {1, Rational(45, 100), Rational(1)},
                          {2, Rational(35, 100), Rational(1)},
                          {3, Rational(0), Rational(1)}};
  const TrtcmPlan plan = plan_trtcm(requirements);
  EXPECT_EQ(plan.unassured, Rational(0));
  EXPECT_FALSE(plan.classes[3].service.guarantee.has_value());
  expect_usable(plan.arbiter);
  // Backlogged, the classes get what they are assured; with buckets of a packet they get thirds.
  const AnalysisLimits limits{.max_decisions = 50000, .runs = 10000};
  const MixAnalysis found = analyze_backlogged(plan.arbiter, longest_packets(plan.arbiter), limits);
  EXPECT_NEAR(found.queues[0].share.value(), 0.20, 0.001);
  EXPECT_NEAR(found.queues[1].share.value(), 0.45, 0.001);
  EXPECT_NEAR(found.queues[2].share.value(), 0.35, 0.001);
  ArbiterConfig small = plan.arbiter;
  for (TrtcmConfig::Class& one : small.parameters.get<TrtcmConfig>().classes) {
    one.assured_burst = one.peak_burst = 10;
  }
  EXPECT_NEAR(analyze_backlogged(small, longest_packets(small), limits).queues[1].share.value(),
              1.0 / 3, 0.05);
}

TEST(TrtcmPlan, RefusesMoreThanTheLink) {
  TrtcmRequirements requirements{.max_packet_flits = 10};
  requirements.classes = {{0, Rational(2, 3), Rational(1)}, {1, Rational(1, 3), Rational(1)}};
  EXPECT_NO_THROW(plan_trtcm(requirements));
  requirements.classes[1].peak = Rational(1, 3);
  EXPECT_NO_THROW(plan_trtcm(requirements));
  requirements.classes[1].assured = Rational(334, 1000);
  EXPECT_THROW(plan_trtcm(requirements), std::invalid_argument);
  requirements.classes[1] = {1, Rational(1, 10), Rational(1, 20)};
  EXPECT_THROW(plan_trtcm(requirements), std::invalid_argument);
}

// Four packets are the least burst; a class below waits for three, a flit and the bursts above it.
// A share below 1/65536 of the link is no rate, and assures nothing.
TEST(TrtcmPlan, BurstsAreThoseOfHigherClassesThatAreAssuredSomething) {
  TrtcmRequirements requirements{.max_packet_flits = 10};
  requirements.classes = {{0, Rational(1, 65537), Rational(1)},
                          {1, Rational(1, 65536), Rational(1)},
                          {2, Rational(1, 2), Rational(1)}};
  const TrtcmPlan plan = plan_trtcm(requirements);
  EXPECT_EQ(plan.classes[0].assured_burst, 40U);
  EXPECT_EQ(plan.classes[1].assured_burst, 40U);
  EXPECT_EQ(plan.classes[2].assured_burst, 3U * 10U + 1U + 40U);
  EXPECT_THAT(plan.warnings, ElementsAre(HasSubstr("queue 0: nothing is assured")));
}

TEST(StoragePlan, TheExampleOfSection35) {
  const PaperStorage bits = paper_storage({});
  EXPECT_EQ(bits.table_bits, 640U);
  EXPECT_EQ(bits.port_basic_bits, 24U);
  EXPECT_EQ(bits.port_deficit_bits, 536U);
  EXPECT_EQ(bits.switch_basic_bits, 1792U);
  EXPECT_EQ(bits.switch_deficit_bits - bits.switch_basic_bits, 24U * 1024U);
  // The number of the only queue is one bit, too.
  EXPECT_EQ(paper_storage({.entries = 10, .queues = 1, .weight_bits = 7}).table_bits,
            10U * (1 + 7));
}

// Register bits that Yosys counts in qosarb_bxi_table at these parameters, without and with
// Deficits.
TEST(StoragePlan, RtlBitsAreThoseThatYosysCounts) {
  const RtlStorage small =
      rtl_storage({.entries = 32, .queues = 16, .weight_bits = 16, .max_packet_flits = 512});
  EXPECT_EQ(small.state_basic_bits, 272U);
  EXPECT_EQ(small.state_deficit_bits, 602U);
  const RtlStorage large =
      rtl_storage({.entries = 64, .queues = 8, .weight_bits = 16, .max_packet_flits = 1023});
  EXPECT_EQ(large.state_basic_bits, 240U);
  EXPECT_EQ(large.state_deficit_bits, 955U);
}

InfiniBandRequirements configuration_a() {
  InfiniBandRequirements requirements;
  requirements.lanes = {{0, Rational(264 * 64, 528 * 70), true, {}},
                        {1, Rational(158 * 64, 528 * 70), true, {}},
                        {2, Rational(106 * 64, 528 * 70), true, {}},
                        {3, Rational(6, 70), false, {}}};
  return requirements;
}

TEST(InfiniBandPlan, MeetsTheSharesOfConfigurationA) {
  InfiniBandRequirements requirements = configuration_a();
  requirements.tolerance = Rational(0);
  const InfiniBandPlan plan = plan_infiniband(requirements);
  EXPECT_TRUE(plan.met);
  EXPECT_TRUE(plan.check.exact);
  EXPECT_EQ(plan.lanes[3].got, Rational(3, 35));
  EXPECT_EQ(plan.lanes[0].got, Rational(16, 35));
  expect_usable(plan.arbiter);
}

TEST(InfiniBandPlan, SaysByHowMuchItMisses) {
  // With packets of 4096 bytes a turn of the low table is at least a packet, and the high table's
  // phase at most 254: one in 255 is the smallest share.
  InfiniBandRequirements requirements = configuration_a();
  requirements.max_packet_flits = requirements.packet_flits = 64;
  requirements.lanes[3].share = Rational(1, 1000);
  requirements.tolerance = Rational(0);
  const InfiniBandPlan plan = plan_infiniband(requirements);
  EXPECT_FALSE(plan.met);
  const auto& tables = plan.arbiter.parameters.get<InfiniBandConfig>();
  EXPECT_EQ(tables.limit_of_high_priority, 254U);
  EXPECT_EQ(plan.lanes[3].got, Rational(1, 255));
  EXPECT_EQ(plan.lanes[3].missed, plan.lanes[3].got - plan.lanes[3].wanted);
}

// A turn of the low table that comes within an entry splits it, so that two turns more lie between
// entries of VL 0 than in the table: 4 can be met, 3 cannot.
TEST(InfiniBandPlan, DistancesAreThoseOnTheWire) {
  InfiniBandRequirements requirements = configuration_a();
  requirements.lanes[0].distance = 4;
  requirements.lanes[1].distance = 8;
  requirements.lanes[2].distance = 12;
  EXPECT_TRUE(plan_infiniband(requirements).met);
  requirements.lanes[0].distance = 3;
  const InfiniBandPlan plan = plan_infiniband(requirements);
  EXPECT_FALSE(plan.met);
  EXPECT_EQ(plan.lanes[0].max_distance, 4U);
  EXPECT_EQ(plan.lanes[0].distance_missed, 1U);
}

// However many entries a lane would need: a table that has none left for it ends the search.
TEST(InfiniBandPlan, SaysWhichTableIsTooSmall) {
  InfiniBandRequirements requirements = configuration_a();
  requirements.max_entries = 2;
  EXPECT_THAT([&] { plan_infiniband(requirements); },
              testing::ThrowsMessage<std::invalid_argument>(
                  testing::HasSubstr("3 VLs do not fit a table of 2 entries")));
  for (InfiniBandRequirements::Lane& lane : requirements.lanes) {
    lane.high = lane.vl == 0;
  }
  EXPECT_THAT([&] { plan_infiniband(requirements); },
              testing::ThrowsMessage<std::invalid_argument>(
                  testing::HasSubstr("3 low VLs do not fit a table of 2 entries")));
  requirements.lanes[0].high = false;
  EXPECT_THAT([&] { plan_infiniband(requirements); },
              testing::ThrowsMessage<std::invalid_argument>(
                  testing::HasSubstr("no VL is in the high table")));
  requirements = configuration_a();
  requirements.lanes[0].distance = requirements.lanes[1].distance = 1;
  EXPECT_THAT([&] { plan_infiniband(requirements); },
              testing::ThrowsMessage<std::invalid_argument>(
                  testing::HasSubstr("no table of at most 64 entries was found")));
}

TEST(InfiniBandPlan, TablesMayBeFullOrEmptyAndVlsLeftOut) {
  InfiniBandRequirements requirements = configuration_a();
  requirements.max_entries = 3;
  EXPECT_EQ(plan_infiniband(requirements).lanes[0].entries, 1U);
  requirements.lanes = {{0, Rational(1), true, {}}, {2, Rational(1), true, {}}};
  const InfiniBandPlan plan = plan_infiniband(requirements);
  expect_usable(plan.arbiter);
  EXPECT_THAT(opensm_options(plan.arbiter.parameters.get<InfiniBandConfig>(), 3),
              HasSubstr("\nqos_vlarb_low 0:0\n"));
}

// An entry holds four packets of 4096 bytes. Three entries give VL 2 four packets of six; a table
// of four has two entries of VL 0, and gives it four of seven.
TEST(InfiniBandPlan, SharesAgainstTheOrderOfLatencyHaveAShortTable) {
  InfiniBandRequirements requirements;
  requirements.max_packet_flits = requirements.packet_flits = 64;
  requirements.tolerance = Rational(1, 10);
  requirements.max_entries = 4;
  requirements.lanes = {
      {0, Rational(2), true, {}}, {1, Rational(2), true, {}}, {2, Rational(9), true, {}}};
  const InfiniBandPlan plan = plan_infiniband(requirements);
  EXPECT_TRUE(plan.met);
  EXPECT_EQ(plan.lanes[2].got, Rational(4, 6));
}

// Low tables are chosen by all of their VLs, not by the last; and a plan that keeps a distance is
// better than one whose shares are nearer.
TEST(InfiniBandPlan, MeetsAllThatCanBeMet) {
  InfiniBandRequirements requirements;
  requirements.max_packet_flits = requirements.packet_flits = 64;
  requirements.tolerance = Rational(1, 10);
  requirements.lanes = {
      {0, Rational(6), true, {}}, {1, Rational(9), false, {}}, {2, Rational(1), false, {}}};
  EXPECT_TRUE(plan_infiniband(requirements).met);
  requirements.lanes = {{0, Rational(1), true, {}},
                        {1, Rational(4), true, 3},
                        {2, Rational(4), false, {}},
                        {3, Rational(9), false, {}}};
  const InfiniBandPlan plan = plan_infiniband(requirements);
  EXPECT_TRUE(plan.met);
  EXPECT_LE(plan.lanes[1].max_distance, 3U);
}

TEST(InfiniBandPlan, FifteenVlsFillTheTables) {
  Random random(test_seed(15));
  for (int i = 0; i < 3; ++i) {
    InfiniBandRequirements requirements;
    requirements.max_packet_flits = 4;
    requirements.packet_flits = 4;
    requirements.tolerance = Rational(1, 200);
    for (int vl = 0; vl < 15; ++vl) {
      requirements.lanes.push_back({vl, Rational(random.from(3, 12)), vl < 10, {}});
    }
    const InfiniBandPlan plan = plan_infiniband(requirements);
    expect_usable(plan.arbiter);
    EXPECT_TRUE(plan.met);
  }
}

}  // namespace
}  // namespace qosarb::test
