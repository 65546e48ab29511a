// trtcm by hand, the dragonfly paper's single port, and RFC 2698 as DPDK implements it.
#include "qosarb/policy/trtcm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#ifdef QOSARB_HAVE_DPDK
#include <rte_meter.h>
#endif

#include <array>
#include <iostream>

#include "policy_under_test.hpp"

namespace qosarb::test {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using Colour = TwoRateArbiter::Colour;
using Stalls = TwoRateArbiter::Stalls;

/// Each class as its assured and peak rate and, where above 0, both bursts; class i has priority i.
struct Rates {
  double assured;
  double peak;
  int burst = 0;
};

ArbiterConfig trtcm(const std::vector<Rates>& classes, int max_packet_flits) {
  std::string text =
      fmt::format("policy: trtcm\nqueues: {}\nmax_packet_flits: {}\nstrict: false\nclasses:\n",
                  classes.size(), max_packet_flits);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    text += fmt::format("  - {{priority: {}, assured_rate: {}, peak_rate: {}", c,
                        classes[c].assured, classes[c].peak);
    if (classes[c].burst > 0) {
      text += fmt::format(", assured_burst: {0}, peak_burst: {0}", classes[c].burst);
    }
    text += "}\n";
  }
  return arbiter_config(text);
}

const TwoRateArbiter& trtcm_state(Port& port) {
  return dynamic_cast<const TwoRateArbiter&>(reference_of(port.arbiter()));
}

/// Table I: assured 20, 45, 35 and 0 %, peak 100, 100, 100 and 0 %.
ArbiterConfig table_1(int burst_packets) {
  const int burst = 10 * burst_packets;
  return trtcm({{0.20, 1, burst}, {0.45, 1, burst}, {0.35, 1, burst}, {0, 0}}, 10);
}

/// Fig. 2: each class sends 1000 packets of 160 bytes, ten flits, over one link; the flits of each
/// class in each window of `window` packet times.
std::vector<std::array<double, 4>> figure_2(const ArbiterConfig& config, std::size_t window) {
  Port port = port_under_test(config);
  for (int q = 0; q < 4; ++q) {
    arrive(port, 0, q, std::vector<std::uint32_t>(1000, 10));
  }
  std::vector<std::array<double, 4>> shares;
  for (std::size_t slot = 0; slot < 4000; ++slot) {
    if (slot % window == 0) {
      shares.push_back({});
    }
    const Index queue = port.arbitrate(10 * slot).decision.queue;
    EXPECT_GE(queue, 0) << slot;
    shares.back()[queue] += 1.0 / static_cast<double>(window);
  }
  return shares;
}

// While all compete, 20/45/35/0 %. Class 1 is through after 1000 / 0.45 = 2222 packet times; class
// 0 takes what it leaves, for its yellow packets have the highest priority: 65/0/35/0 %. Class 2 is
// through after 2857, and class 0 has the link until 3000. Then, last, class 3.
TEST(TrtcmPaper, SinglePortOfFigure2) {
  const auto near = [](double percent) { return DoubleNear(percent / 100, 0.011); };
  const std::vector<std::array<double, 4>> shares = figure_2(table_1(4), 100);
  for (std::size_t w = 0; w < shares.size(); ++w) {
    if (w % 4 == 0) {
      std::cout << fmt::format("packets {:4}: {:.2f}\n", w * 100, fmt::join(shares[w], " "));
    }
    if (w >= 1 && w < 22) {
      EXPECT_THAT(shares[w], ElementsAre(near(20), near(45), near(35), 0)) << w;
    } else if (w >= 23 && w < 28) {
      EXPECT_THAT(shares[w], ElementsAre(near(65), 0, near(35), 0)) << w;
    } else if (w == 29) {
      EXPECT_THAT(shares[w], ElementsAre(near(100), 0, 0, 0)) << w;
    } else if (w >= 30) {
      EXPECT_THAT(shares[w], ElementsAre(0, 0, 0, near(100))) << w;
    }
  }
}

// docs/policies/trtcm.md: with buckets of one packet the shares collapse to thirds, for a bucket
// overflows while its packet waits.
TEST(TrtcmPaper, BucketsOfOnePacketLoseTheAssuredShares) {
  const std::vector<std::array<double, 4>> shares = figure_2(table_1(1), 1000);
  EXPECT_THAT(shares[1], ElementsAre(DoubleNear(1.0 / 3, 2e-3), DoubleNear(1.0 / 3, 2e-3),
                                     DoubleNear(1.0 / 3, 2e-3), 0));
}

// Packets of 2 flits, buckets of 4 flits, rates 0.25 and 0.5; nothing else competes.
//  cycle   0      1         2         3         4         8
//  assured 4 G    2.25 G    0.5  Y    0.75 Y    1.0 R     2.0 G
//  peak    4      2.5       1.0 ...
TEST(Trtcm, ColoursFollowBothBuckets) {
  Port port = port_under_test(trtcm({{0.25, 0.5, 4}}, 2));
  arrive(port, 0, 0, std::vector<std::uint32_t>(20, 2));
  const auto tokens = [&port] {
    return std::pair(static_cast<double>(trtcm_state(port).assured_tokens(0)) / 65536,
                     static_cast<double>(trtcm_state(port).peak_tokens(0)) / 65536);
  };
  EXPECT_EQ(tokens(), std::pair(4.0, 4.0));
  EXPECT_EQ(trtcm_state(port).colour(0, 2), Colour::Green);
  port.arbitrate(0);
  port.reach(1);
  EXPECT_EQ(tokens(), std::pair(2.25, 2.5));
  EXPECT_EQ(trtcm_state(port).colour(0, 2), Colour::Green);
  port.arbitrate(1);
  port.reach(2);
  // Neither holds 2 flits: red, which pays nothing.
  EXPECT_EQ(tokens(), std::pair(0.5, 1.0));
  EXPECT_EQ(trtcm_state(port).colour(0, 2), Colour::Red);
  port.arbitrate(2);
  port.reach(4);
  EXPECT_EQ(tokens(), std::pair(1.0, 2.0));
  EXPECT_EQ(trtcm_state(port).colour(0, 2), Colour::Yellow);
  port.arbitrate(4);
  port.reach(5);
  // Yellow pays from the peak bucket only.
  EXPECT_EQ(tokens(), std::pair(1.25, 0.5));
  port.reach(1000);
  EXPECT_EQ(tokens(), std::pair(4.0, 4.0));
}

// A head of exactly what the bucket holds is no exceedance.
TEST(Trtcm, ABucketThatJustHoldsThePacketIsEnough) {
  Port port = port_under_test(trtcm({{0.5, 0.5, 4}}, 4));
  arrive(port, 0, 0, {4, 4, 4});
  port.arbitrate(0);
  port.reach(7);
  EXPECT_EQ(trtcm_state(port).colour(0, 4), Colour::Red);
  port.reach(8);
  EXPECT_EQ(trtcm_state(port).colour(0, 4), Colour::Green);
}

// Green before yellow before red, each by priority; red by round robin, whose pointer starts at Q-1
// and moves on red grants only.
TEST(Trtcm, GreenThenYellowThenRedInTurn) {
  // Class 0 and 2: no rate, always red. Class 1: yellow while its peak bucket lasts. Class 3: green
  // once in a while.
  Port port = port_under_test(trtcm({{0, 0}, {0, 0.001, 2}, {0, 0}, {0.001, 0.001, 1}}, 1));
  for (int q = 0; q < 4; ++q) {
    arrive(port, 0, q, std::vector<std::uint32_t>(10, 1));
  }
  EXPECT_THAT(winners(port, 10), ElementsAre(3, 1, 1, 0, 1, 2, 3, 0, 1, 2));
}

TEST(Trtcm, PrioritiesNeedNotFollowTheQueues) {
  Port port = port_under_test(arbiter_config(
      "{policy: trtcm, queues: 3, max_packet_flits: 1, classes: ["
      "{priority: 7, assured_rate: 1, peak_rate: 1}, {priority: 0, assured_rate: 1, peak_rate: 1}, "
      "{priority: 3, assured_rate: 1, peak_rate: 1}]}"));
  for (int q = 0; q < 3; ++q) {
    arrive(port, 0, q, {1, 1});
  }
  EXPECT_THAT(winners(port, 6), ElementsAre(1, 1, 2, 2, 0, 0));
}

// Sect. IV-E. Three classes with a head each, no arbitration in cycles 1 to 9 (the link is busy):
// class 0 wins at 0; 1 and 2 stall in that cycle and all three in the nine that follow.
TEST(Trtcm, StallsCountEveryCycleByItsColour) {
  Port port = port_under_test(trtcm({{1, 1, 8}, {0.25, 0.5, 4}, {0, 0}}, 4));
  arrive(port, 0, 0, {4, 4});
  arrive(port, 0, 1, {4, 4});
  arrive(port, 0, 2, {4});
  EXPECT_EQ(port.arbitrate(0).decision.queue, 0);
  port.reach(10);
  EXPECT_THAT(trtcm_state(port).stalls(),
              ElementsAre(Stalls{9, 0, 0}, Stalls{10, 0, 0}, Stalls{0, 0, 10}));
  // At 10 class 0 wins once more; at 11 class 1, green, and both its buckets are empty. Its next
  // head is red until 4 / 0.5 = 8 fills are done, yellow until 4 / 0.25 = 16 are: of cycles 12 to
  // 39 it is red in 12..18, yellow in 19..26, green from 27 on.
  EXPECT_EQ(port.arbitrate(10).decision.queue, 0);
  EXPECT_EQ(port.arbitrate(11).decision.queue, 1);
  port.reach(40);
  EXPECT_THAT(trtcm_state(port).stalls(),
              ElementsAre(Stalls{9, 0, 0}, Stalls{11 + 13, 8, 7}, Stalls{0, 0, 40}));
}

TEST(TokenBuckets, ManyCyclesAtOnceAreAsManySingleOnes) {
  Random random(test_seed(2698));
  for (int round = 0; round < 2000; ++round) {
    const auto rate = random.below<std::uint32_t>(random.once_in(2) ? 200000 : 20);
    const std::uint64_t burst = random.below(50);
    TokenBucket leap(rate, burst);
    TokenBucket step(rate, burst);
    for (int i = 0; i < 10; ++i) {
      const auto flits = random.from(0U, 49U);
      const bool too_long = random.once_in(3);
      ASSERT_EQ(leap.fits(flits, too_long), step.fits(flits, too_long));
      const Cycle cycles = random.below(300);
      const Cycle expected_short = leap.cycles_short_of(flits, too_long, cycles);
      Cycle cycles_short = 0;
      if (step.fits(flits, too_long) && random.once_in(2)) {
        leap.pay(flits);
        step.pay(flits);
      } else {
        TokenBucket watched = step;
        for (Cycle c = 0; c < cycles; ++c) {
          cycles_short += watched.fits(flits, too_long) ? 0 : 1;
          watched.fill(1);
        }
        ASSERT_EQ(expected_short, cycles_short);
      }
      leap.fill(cycles);
      for (Cycle c = 0; c < cycles; ++c) {
        step.fill(1);
      }
      ASSERT_EQ(leap.level(), step.level());
    }
  }
}

TEST(TokenBuckets, FillsOfAnyLengthSaturate) {
  TokenBucket slow(1, 1ULL << 32);
  slow.pay(1U << 20);
  slow.fill(1ULL << 35);
  EXPECT_EQ(slow.level(), (1ULL << 48) - (1ULL << 36) + (1ULL << 35));
  slow.fill(UINT64_MAX);
  EXPECT_EQ(slow.level(), 1ULL << 48);
  TokenBucket fast(UINT32_MAX, 1ULL << 32);
  fast.pay(1U << 20);
  fast.fill((1ULL << 31) - 1);
  EXPECT_EQ(fast.level(), 1ULL << 48);
  // Empty, and in need of 2^32 tokens, of which one comes in a cycle.
  TokenBucket empty(1, 1U << 20);
  empty.pay(1U << 20);
  for (const unsigned cycles : {30, 31, 32, 33}) {
    EXPECT_EQ(empty.cycles_short_of(1U << 16, false, Cycle{1} << cycles),
              Cycle{1} << std::min(cycles, 32U));
  }
}

/// The buckets and stalls of docs/policies/trtcm.md, cycle by cycle.
class PlainMeter {
 public:
  explicit PlainMeter(const TrtcmConfig& config) : config_(config) {
    for (const auto& c : config.classes) {
      assured_.push_back(c.assured_rate == 0 ? 0 : c.assured_burst * 65536);
      peak_.push_back(c.peak_rate == 0 ? 0 : c.peak_burst * 65536);
    }
    stalls_.resize(config.classes.size());
  }

  void end_cycle(Heads heads, int winner) {
    for (Index q = 0; q < count(heads); ++q) {
      const auto& c = config_.classes[q];
      const std::uint64_t need = std::uint64_t{heads[q].flits} * 65536;
      if (heads[q].active()) {
        const bool red = peak_[q] < need;
        const bool yellow = !red && assured_[q] < need;
        if (q != winner) {
          (red ? stalls_[q].red : yellow ? stalls_[q].yellow : stalls_[q].green) += 1;
        } else if (!red) {
          peak_[q] -= need;
          assured_[q] -= yellow ? 0 : need;
        }
      }
      const std::uint64_t assured_size = c.assured_rate == 0 ? 0 : c.assured_burst * 65536;
      const std::uint64_t peak_size = c.peak_rate == 0 ? 0 : c.peak_burst * 65536;
      assured_[q] = std::min(assured_[q] + c.assured_rate, assured_size);
      peak_[q] = std::min(peak_[q] + c.peak_rate, peak_size);
    }
  }

  TrtcmConfig config_;
  std::vector<std::uint64_t> assured_;
  std::vector<std::uint64_t> peak_;
  std::vector<Stalls> stalls_;
};

// Packets, stops and arbitrations come rarely, and the port is told of nothing in between.
TEST(Trtcm, SkippedCyclesAreCountedAsIfEachHadBeenSteppedThrough) {
  Random random(test_seed(1999));
  for (int round = 0; round < 60; ++round) {
    std::vector<Rates> rates;
    for (int c = random.from(1, 4); c > 0; --c) {
      const double assured = random.once_in(4) ? 0 : random.from(0, 1000) / 10000.0;
      rates.push_back({assured, assured + random.from(0, 1000) / 10000.0, random.from(1, 40)});
    }
    const ArbiterConfig config = trtcm(rates, 20);
    PlainMeter meter(config.parameters.get<TrtcmConfig>());
    Port port = port_under_test(config);
    for (Cycle now = 0; now < 5000; ++now) {
      for (int q = 0; q < config.queues; ++q) {
        if (random.once_in(60)) {
          port.arrive(now, q, random.from<std::uint32_t>(1, 20));
        }
        if (random.once_in(200)) {
          port.stop(now, q, random.once_in(3));
        }
      }
      const std::vector<Head> heads(port.heads().begin(), port.heads().end());
      const int winner = random.once_in(20) ? port.arbitrate(now).decision.queue : -1;
      meter.end_cycle(heads, winner);
      if (random.once_in(100)) {
        port.reach(now + 1);
        ASSERT_EQ(trtcm_state(port).stalls(), meter.stalls_) << "cycle " << now;
        for (int q = 0; q < config.queues; ++q) {
          ASSERT_EQ(trtcm_state(port).assured_tokens(q), meter.assured_[q]);
          ASSERT_EQ(trtcm_state(port).peak_tokens(q), meter.peak_[q]);
        }
      }
    }
  }
}

// Independent vectors: a DPDK meter whose "byte" is 1/65536 flit and whose CPU cycle is the port's
// adds the same tokens in the same cycles, so that every colour must agree. Its profile is filled
// in by hand, because DPDK's own function derives it from the frequency of this machine's CPU. A
// class that is alone sends each packet at once, as a meter sees it.
TEST(Trtcm, ColoursAgreeWithDpdksRfc2698Meter) {
#ifdef QOSARB_HAVE_DPDK
  Random random(test_seed(22));
  std::array<int, 3> seen{};
  for (int round = 0; round < 200; ++round) {
    const double assured = random.from(1, 5000) / 10000.0;
    const double peak = assured + random.from(0, 5000) / 10000.0;
    const ArbiterConfig config = trtcm({{assured, peak, random.from(20, 80)}}, 20);
    const auto& c = config.parameters.get<TrtcmConfig>().classes[0];
    rte_meter_trtcm_profile profile{};
    profile.cbs = c.assured_burst << 16;
    profile.pbs = c.peak_burst << 16;
    profile.cir_period = 1;
    profile.cir_bytes_per_period = c.assured_rate;
    profile.pir_period = 1;
    profile.pir_bytes_per_period = c.peak_rate;
    rte_meter_trtcm meter{};
    meter.tc = profile.cbs;
    meter.tp = profile.pbs;
    Port port = port_under_test(config);
    Cycle now = 0;
    for (int packet = 0; packet < 1000; ++packet) {
      const auto flits = random.from<std::uint32_t>(1, 20);
      now += random.from<Cycle>(1, random.once_in(10) ? 500 : 30);
      port.reach(now);
      const Colour colour = trtcm_state(port).colour(0, flits);
      port.arrive(now, 0, flits);
      ASSERT_EQ(port.arbitrate(now).decision.queue, 0);
      const rte_color dpdk = rte_meter_trtcm_color_blind_check(&meter, &profile, now, flits << 16);
      ASSERT_EQ(static_cast<int>(colour), static_cast<int>(dpdk)) << "packet " << packet;
      ++seen[dpdk];
    }
  }
  static_assert(RTE_COLOR_GREEN == 0 && RTE_COLOR_YELLOW == 1 && RTE_COLOR_RED == 2);
  std::cout << fmt::format("green, yellow, red packets: {}\n", fmt::join(seen, " "));
  EXPECT_THAT(seen, Each(::testing::Gt(10000)));
#else
  GTEST_SKIP() << "DPDK's rte_meter.h is not installed (Debian: libdpdk-dev)";
#endif
}

}  // namespace
}  // namespace qosarb::test
