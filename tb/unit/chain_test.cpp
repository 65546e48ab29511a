// What each source gets on the line of the Cray XT paper's Fig. 4(a).
#include "chain.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

namespace qosarb::test::chain {
namespace {

void report(const std::string& name, const std::vector<double>& all) {
  std::cout << fmt::format("{}, P0 to P6 in %: ", name);
  for (const double share : all) {
    std::cout << fmt::format("{:.2f} ", 100 * share);
  }
  std::cout << "\n";
}

// "P6 will get 1/2 of the available bandwidth", P5 1/4, ... P1 and P0 1/64 each.
TEST(Chain, RoundRobinHalvesTheShareAtEachHop) {
  const Line line{.config = arbiter_config("{policy: rr, queues: 2, max_packet_flits: 9}")};
  const std::vector<double> all = shares(line, 40000);
  report("round robin", all);
  for (std::size_t source = 0; source < kSources; ++source) {
    const double due = source == 0 ? 1.0 / 64 : 1.0 / (1U << (7 - source));
    EXPECT_NEAR(all[source], due, 1e-4) << "P" << source;
  }
}

// The sources that round robin serves worst, P0 and P1, get more than eight times their share. P0
// gets even more than anybody else: ages begin at 0 in the first staging buffer, so that what makes
// a packet old is the queues behind it. Where two streams merge, both have waited alike; P0's
// packets have waited in two full buffers at node 1 and P1's in one, hence twice the rate for P0,
// and so on: towards P7 each source has less behind it.
TEST(Chain, ByAgeTheWorstServedSourcesGetEightTimesTheirRoundRobinShare) {
  for (const std::uint32_t period : {4U, 8U, 16U}) {
    const Line line{.config = by_age(period, 1), .through = 0, .local = 2};
    const std::vector<double> all = shares(line, 40000);
    report(fmt::format("by age from entry, period {}", period), all);
    EXPECT_GT(all[0], 8.0 / 64);
    EXPECT_GT(all[1], 8.0 / 64);
    EXPECT_NEAR(all[0] / all[1], 2, 0.3);
    // Nobody is left with less than three times what round robin gives its worst.
    EXPECT_GT(*std::min_element(all.begin(), all.end()), 3.0 / 64);
  }
}

// With 128 packets of each source under way an age from creation is 7 x 128 = 896 cycles old at P7,
// 224 units of 4 cycles: below 255, so that ages can be told apart.
TEST(Chain, AnAgeFromCreationGivesAllTheSame) {
  const auto line = [](std::uint32_t period) {
    return Line{.config = by_age(period, 0),
                .through = 0,
                .local = 2,
                .age_from = AgeFrom::Creation,
                .age_period = period,
                .window = 128};
  };
  const std::vector<double> all = shares(line(4), 80000);
  report("by age from creation, period 4", all);
  for (const double share : all) {
    EXPECT_NEAR(share * kSources, 1, 0.02);
  }
  // With a unit of one cycle all ages saturate, and ties are round robin.
  const std::vector<double> saturated = shares(line(1), 40000);
  report("by age from creation, period 1", saturated);
  EXPECT_NEAR(saturated[0], 1.0 / 64, 1e-3);
  EXPECT_NEAR(saturated[6], 1.0 / 2, 1e-2);
}

}  // namespace
}  // namespace qosarb::test::chain
