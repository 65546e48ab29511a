// Who sends what to whom and when, and random numbers that are the same everywhere.
#include "qosarb/traffic/traffic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "qosarb/config/input_error.hpp"
#include "scenarios_under_test.hpp"

namespace qosarb::test {
namespace {

using ::testing::HasSubstr;

TEST(Random, GivesTheSameBitsEverywhere) {
  // Computed by an independent transcription of the two published generators (SplitMix64 of the
  // seed 42 and the stream (3, 7), xoshiro256**) in Python.
  Random random(42, 3, 7);
  EXPECT_EQ(random.bits(), 0x4be181fcb8346144U);
  EXPECT_EQ(random.bits(), 0xb854a70bf3fa471eU);
  EXPECT_EQ(random.bits(), 0xcb3be2d48eaaa478U);
}

TEST(Random, ExponentialHasTheMomentsAndTheTailOfOne) {
  Random random(1);
  constexpr int kDraws = 1'000'000;
  double sum = 0;
  double squares = 0;
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = static_cast<double>(random.exponential()) / 4294967296.0;
    sum += x;
    squares += x * x;
    beyond_two += x > 2 ? 1 : 0;
  }
  // Five standard errors each.
  EXPECT_NEAR(sum / kDraws, 1.0, 5 * 1.0 / 1000);
  EXPECT_NEAR(squares / kDraws, 2.0, 5 * std::sqrt(20.0) / 1000);
  EXPECT_NEAR(static_cast<double>(beyond_two) / kDraws, std::exp(-2.0), 5 * 0.342 / 1000);
}

TEST(Random, BelowIsUniform) {
  Random random(2);
  std::vector<int> seen(7, 0);
  for (int i = 0; i < 700'000; ++i) {
    ++seen[random.below(7)];
  }
  for (const int count : seen) {
    EXPECT_NEAR(count, 100'000, 5 * std::sqrt(100'000 * 6.0 / 7));
  }
}

// Of 3 x 2^62 numbers those that 3 divides are a third. They would be a half if four draws each
// were brought down to three numbers and none was drawn again.
TEST(Random, BelowIsUniformAmongVeryManyToo) {
  Random random(2);
  std::vector<int> seen(3, 0);
  for (int i = 0; i < 300'000; ++i) {
    ++seen[random.below(std::uint64_t{3} << 62U) % 3];
  }
  for (const int count : seen) {
    EXPECT_NEAR(count, 100'000, 5 * std::sqrt(100'000 * 2.0 / 3));
  }
}

/// Flits and messages of one source in `cycles` cycles.
std::pair<std::uint64_t, std::uint64_t> generated(TrafficSource& source, Cycle cycles) {
  std::uint64_t flits = 0;
  std::uint64_t messages = 0;
  while (source.next() < cycles) {
    flits += source.take()->flits;
    ++messages;
  }
  return {flits, messages};
}

TEST(TrafficSource, EvenArrivalsKeepTheLoadToTheFlit) {
  for (const double load : {0.07, 1.0 / 3.0, 1.0}) {
    const TrafficEntry entry = uniform_traffic(0, load, MessageSizes::fixed(1000), 8);
    TrafficSource source(entry, 0, 3, 8, 64, 1, {});
    const auto [flits, messages] = generated(source, 1'000'000);
    EXPECT_EQ(flits, messages * 16);  // 1000 bytes are 15.6 flits
    EXPECT_NEAR(static_cast<double>(flits), static_cast<double>(entry.load_ppm), 16);
  }
}

TEST(TrafficSource, EvenArrivalsAreEvenlySpaced) {
  const TrafficEntry entry = uniform_traffic(0, 0.3, MessageSizes::fixed(1024), 8);
  TrafficSource source(entry, 0, 3, 8, 64, 1, {});
  Cycle last = source.next();
  EXPECT_LT(last, 54U);  // a phase within the first interval of 16 / 0.3 cycles
  for (int i = 0; i < 1000; ++i) {
    source.take();
    const Cycle gap = source.next() - last;
    EXPECT_TRUE(gap == 53 || gap == 54) << gap;
    last = source.next();
  }
}

TEST(TrafficSource, PoissonArrivalsHaveTheLoadAndTheVarianceOfTheirCount) {
  TrafficEntry entry = uniform_traffic(0, 0.5, MessageSizes::range(64, 640), 8);
  entry.arrival = Arrival::Poisson;
  TrafficSource source(entry, 0, 0, 8, 64, 1, {});
  // One size has 1 flit, and 64 sizes each have 2 to 10: 3457 flits in 577 sizes. Messages per
  // window of 1000 cycles: mean and variance 500 flits over a message's.
  EXPECT_EQ(entry.sizes.mean_flits(64), (std::uint64_t{3457} << 32U) / 577);
  const double expected = 1000 * 0.5 / (3457.0 / 577);
  constexpr int kWindows = 20000;
  double sum = 0;
  double squares = 0;
  for (int w = 1; w <= kWindows; ++w) {
    const auto count = static_cast<double>(generated(source, w * 1000).second);
    sum += count;
    squares += count * count;
  }
  const double mean = sum / kWindows;
  EXPECT_NEAR(mean, expected, 5 * std::sqrt(expected / kWindows));
  EXPECT_NEAR(squares / kWindows - mean * mean, expected, expected * 5 * std::sqrt(2.0 / kWindows));
}

TEST(TrafficSource, StartsOnAsOftenAsItIsOn) {
  TrafficEntry entry = uniform_traffic(0, 0.5, MessageSizes::fixed(64), 8);
  entry.arrival = Arrival::OnOff;
  entry.mean_on = 1000;
  entry.mean_off = 3000;
  constexpr int kSources = 20'000;
  int on_at_once = 0;
  for (int source = 0; source < kSources; ++source) {
    on_at_once += TrafficSource(entry, 0, 0, 8, 64, source, {}).next() < 2 ? 1 : 0;
  }
  EXPECT_NEAR(on_at_once, kSources / 4.0, 5 * std::sqrt(kSources * 0.25 * 0.75));
}

// Of 16 flits every 53 1/3 cycles: a third of the phases, to parts of a cycle, begin with 54.
TEST(TrafficSource, EvenArrivalsBeginAtAPartOfACycle) {
  const TrafficEntry entry = uniform_traffic(0, 0.3, MessageSizes::fixed(1024), 8);
  constexpr int kSources = 3000;
  int long_gaps = 0;
  for (int seed = 0; seed < kSources; ++seed) {
    TrafficSource source(entry, 0, 3, 8, 64, seed, {});
    const Cycle first = source.next();
    source.take();
    long_gaps += source.next() - first == 54 ? 1 : 0;
  }
  EXPECT_NEAR(long_gaps, kSources / 3.0, 5 * std::sqrt(kSources * 2.0 / 9));
}

TEST(TrafficSource, MessagesHaveBothEndsOfTheirRange) {
  Random random(3);
  const MessageSizes sizes = MessageSizes::range(7, 9);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 100; ++i) {
    seen.insert(sizes.next(random));
  }
  EXPECT_THAT(seen, testing::ElementsAre(7U, 8U, 9U));
}

TEST(TrafficSource, BurstsHaveTheirBytesEveryPeriod) {
  TrafficEntry entry = uniform_traffic(0, 0, MessageSizes::fixed(1000), 8);
  entry.arrival = Arrival::Burst;
  entry.burst_bytes = 2401;  // a byte less would be a flit less
  entry.burst_period = 500;
  entry.burst_offset = 20;
  TrafficSource source(entry, 0, 0, 8, 100, 1, {});
  for (Cycle burst = 0; burst < 4; ++burst) {
    for (const std::uint32_t flits : {10U, 10U, 5U}) {
      EXPECT_EQ(source.next(), 20 + 500 * burst);
      EXPECT_EQ(source.take()->flits, flits);
    }
  }
}

TEST(TrafficSource, UniformGoesToAllOthersAlike) {
  const TrafficEntry entry = uniform_traffic(0, 1.0, MessageSizes::fixed(64), 5);
  TrafficSource source(entry, 0, 2, 5, 64, 9, {});
  std::vector<int> seen(5, 0);
  for (int i = 0; i < 40'000; ++i) {
    ++seen[source.take()->destination];
  }
  EXPECT_EQ(seen[2], 0);
  for (const int host : {0, 1, 3, 4}) {
    EXPECT_NEAR(seen[host], 10'000, 5 * std::sqrt(10'000 * 0.75));
  }
}

TEST(TrafficSource, AJobsRanksSendTheirMessagesAmongThemselves) {
  TrafficEntry entry = uniform_traffic(0, 1.0, MessageSizes::fixed(64), 20);
  entry.hosts = {17, 3, 11, 4};
  entry.among_hosts = true;
  entry.messages = 30'000;
  TrafficSource source(entry, 0, 11, 20, 64, 9, {});
  std::map<int, int> seen;
  while (source.next() != kNever) {
    ++seen[source.take()->destination];
  }
  EXPECT_EQ(seen.size(), 3U);
  for (const int host : {17, 3, 4}) {
    EXPECT_NEAR(seen[host], 10'000, 5 * std::sqrt(10'000 * 2.0 / 3));
  }
  EXPECT_EQ(seen[17] + seen[3] + seen[4], 30'000);
}

TEST(TrafficSource, StreamsOfHostsAndEntriesDiffer) {
  const TrafficEntry entry = uniform_traffic(0, 0.5, MessageSizes::range(1, 1 << 20), 64);
  std::set<std::uint32_t> first;
  for (int host = 0; host < 20; ++host) {
    for (int index = 0; index < 20; ++index) {
      TrafficSource source(entry, index, host, 64, 1, 7, {});
      first.insert(source.take()->flits);
    }
  }
  EXPECT_GT(first.size(), 390U);
}

TEST(Permutation, FormulasAndSeeds) {
  TrafficEntry entry;
  entry.permutation = PermutationKind::Shift;
  entry.shift = 3;
  EXPECT_THAT(permutation_of(entry, 4, 1, 0), testing::ElementsAre(3, 0, 1, 2));
  entry.permutation = PermutationKind::BitComplement;
  EXPECT_THAT(permutation_of(entry, 4, 1, 0), testing::ElementsAre(3, 2, 1, 0));
  entry.permutation = PermutationKind::BitReverse;
  EXPECT_THAT(permutation_of(entry, 8, 1, 0), testing::ElementsAre(-1, 4, -1, 6, 1, -1, 3, -1));
  entry.permutation = PermutationKind::Transpose;
  EXPECT_THAT(permutation_of(entry, 4, 1, 0), testing::ElementsAre(-1, 2, 1, -1));
  EXPECT_THAT([&] { permutation_of(entry, 8, 1, 0); },
              testing::ThrowsMessage<std::invalid_argument>(HasSubstr("a power of 4; 8 is not")));
  entry.permutation = PermutationKind::BitReverse;
  EXPECT_THAT([&] { permutation_of(entry, 6, 1, 0); },
              testing::ThrowsMessage<std::invalid_argument>(HasSubstr("a power of 2; 6 is not")));

  entry.permutation = PermutationKind::Random;
  std::set<std::vector<int>> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<int> to = permutation_of(entry, 6, seed, 0);
    EXPECT_EQ(to, permutation_of(entry, 6, seed, 0));
    EXPECT_EQ(std::set<int>(to.begin(), to.end()), (std::set<int>{0, 1, 2, 3, 4, 5}));
    for (int host = 0; host < 6; ++host) {
      EXPECT_NE(to[host], host);
    }
    seen.insert(to);
  }
  EXPECT_GT(seen.size(), 30U);
}

class WorkloadFile : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::string path = testing::TempDir() + "workload-" +
                       testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt";
    std::ofstream(path) << text;
    return path;
  }
  void expect_refused(const std::string& text, const std::string& where) {
    const std::string path = write(text);
    try {
      MessageSizes::from_file(path);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(where));
    }
  }
};

TEST_F(WorkloadFile, MayBeNoDirectory) {
  try {
    MessageSizes::from_file(testing::TempDir());
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), testing::TempDir() + ": cannot be read");
  }
}

TEST_F(WorkloadFile, SizesComeAsOftenAsTheListSays) {
  const MessageSizes sizes =
      MessageSizes::from_file(write("# a comment\n\n\t# 7\n25\r\n\r\n10 0.5\n \n20 0.75\n60 1\n"));
  EXPECT_FALSE(sizes.fixed());
  EXPECT_FALSE(MessageSizes::range(1, 2).fixed());
  EXPECT_TRUE(MessageSizes::fixed(2).fixed());
  EXPECT_EQ(sizes.largest(), 60U);
  EXPECT_EQ(sizes.mean_flits(10), std::uint64_t{(2 * 1 + 2 + 6)} << 30U);
  Random random(5);
  std::map<std::uint32_t, int> seen;
  for (int i = 0; i < 100'000; ++i) {
    ++seen[sizes.next(random)];
  }
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_NEAR(seen[10], 50'000, 5 * 158);
  EXPECT_NEAR(seen[20], 25'000, 5 * 137);
  EXPECT_NEAR(seen[60], 25'000, 5 * 137);
}

TEST_F(WorkloadFile, FaultsAreRefusedWithTheirLine) {
  expect_refused("", ".txt: the mean size in bytes is expected first");
  expect_refused("# 25\n\n", ":2: the mean size in bytes is expected first");
  expect_refused("25\n", ":1: the last cumulative probability must be 1");
  expect_refused("25\n10 0.5\n20 0.75\n", ":3: the last cumulative probability");
  expect_refused("25\n10 0.5\n20 0.4\n60 1\n", ":3: cumulative");
  expect_refused("25\n10 0.5\n10 0.7\n60 1\n", ":3: sizes must increase");
  expect_refused("25\n10 0.5\n20\n60 1\n", ":3: a size in bytes and its");
  expect_refused("25\n0 0.5\n60 1\n", ":2: a message of 0 bytes");
  expect_refused("25\n10 nan\n60 1\n", ":2:");
  expect_refused("30\n10 0.5\n20 0.75\n60 1\n", ":1: the mean is given as 30");
  expect_refused("ten\n", ":1: the mean size");
  expect_refused("25 26\n", ":1: the mean size");
  expect_refused("-25\n", ":1: the mean size");
  expect_refused("25\n10 0.5 7\n60 1\n", ":2: a size in bytes and its");
  expect_refused("25\n10.5 0.5\n60 1\n", ":2: a message of 10.5 bytes");
  expect_refused("25\n1073741825 1\n", ":2: a message of 1073741825 bytes");
  expect_refused("25\n10 1.5\n", ":2: cumulative probabilities");
}

TEST_F(WorkloadFile, TheShippedOneHasItsPublishedMean) {
  const MessageSizes sizes =
      MessageSizes::from_file(QOSARB_SOURCE_DIR "/scenarios/workloads/google-search-rpc.txt");
  EXPECT_NEAR(static_cast<double>(sizes.mean_flits(1)) / 4294967296.0, 440.7907, 0.001);
}

}  // namespace
}  // namespace qosarb::test
