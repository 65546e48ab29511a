// Registers, commit checks and counters of the policies that have builds of their own.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cosim/age_chip.hpp"
#include "cosim/build_choice.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/policy/policy_rtl.hpp"
#include "cosim/rtl_arbiter.hpp"
#include "cosim/run_log.hpp"
#include "kernel/random_traffic.hpp"
#include "policy_driver.hpp"
#include "qosarb/policy/age_clock.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/policy/trtcm.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "random/policy_random.hpp"

namespace qosarb::test {
namespace {

// The C header's values after a reset, each read from a port that has the register.
TEST(PolicyRegisters, HaveTheResetValuesOfTheHeader) {
  std::ifstream file(QOSARB_SOURCE_DIR "/rtl/port/qosarb_port_regs.h");
  const std::string header(std::istreambuf_iterator<char>(file), {});
  const std::regex entry(
      R"(#define QOSARB_PORT_(\w+)_OFFSET[^\n]*?0x([0-9a-f]+)u[^\n]*\n)"
      R"((?:#define QOSARB_PORT_\w+_COUNT \w+\n)?#define QOSARB_PORT_\1_RESET 0x([0-9a-f]+)u)");
  struct Documented {
    std::string name;
    std::uint32_t offset;
    std::uint32_t value;
    bool seen = false;
  };
  std::vector<Documented> all;
  for (std::sregex_iterator at(header.begin(), header.end(), entry), end; at != end; ++at) {
    const auto hex = [&at](std::size_t group) {
      return static_cast<std::uint32_t>(std::stoul((*at)[group], nullptr, 16));
    };
    all.push_back({(*at)[1], hex(2), hex(3)});
  }
  const std::regex any("_RESET 0x");
  ASSERT_EQ(count(all), std::distance(std::sregex_iterator(header.begin(), header.end(), any), {}));
  for (const PolicyRtl* rtl : policies_with_rtl()) {
    Driver driver(rtl->code());
    for (Documented& one : all) {
      if (driver.exists(one.offset)) {
        one.seen = true;
        EXPECT_EQ(driver.read(one.offset), one.value) << one.name << ", policy " << rtl->code();
      }
    }
  }
  for (const Documented& one : all) {
    EXPECT_TRUE(one.seen) << one.name;
  }
}

// Whatever tests the RTL of each policy asks co-simulation for them: one that it does not know
// would be left out everywhere.
TEST(PolicyRegisters, OfEachCodeBelongToAPolicyOfCoSimulation) {
  std::ifstream file(QOSARB_SOURCE_DIR "/rtl/port/qosarb_port_regs.h");
  const std::string header(std::istreambuf_iterator<char>(file), {});
  const std::regex entry(R"(\n  QOSARB_PORT_POLICY_\w+ = (\d+))");
  std::vector<std::uint32_t> codes;
  for (std::sregex_iterator at(header.begin(), header.end(), entry), end; at != end; ++at) {
    codes.push_back(static_cast<std::uint32_t>(std::stoul((*at)[1])));
  }
  std::vector<std::uint32_t> known;
  for (const PolicyRtl* rtl : policies_with_rtl()) {
    known.push_back(rtl->code());
  }
  EXPECT_EQ(known, codes);
}

TEST(PolicyRegisters, OfSeastarAge) {
  Driver driver(QOSARB_PORT_POLICY_SEASTAR_AGE);
  expect_register(driver, QOSARB_PORT_AGE_RR_SELECT_OFFSET(0), 0xffffffff, {0, 0x12345678}, {});
  expect_register(driver, QOSARB_PORT_AGE_RR_SELECT_OFFSET(1), 0xffffffff, {0, 0x9abcdef0}, {});
  EXPECT_EQ(driver.read(QOSARB_PORT_AGE_RR_SELECT_OFFSET(0)), 0x12345678U);
  expect_register(driver, QOSARB_PORT_AGE_CLOCK_PERIOD_OFFSET, 1, {1, 8, 0xffffffff}, {0});
  for (std::uint32_t input = 0; input < 7; ++input) {
    expect_register(driver, QOSARB_PORT_AGE_BIAS_OFFSET(input), 0, {0x77, 0x10 + input},
                    {0x08, 0x80, 0x100, 0x80000000});
  }
  EXPECT_FALSE(driver.exists(QOSARB_PORT_AGE_BIAS_OFFSET(7)));
  // What is read only, and what belongs to policies that are not built in.
  for (const std::uint32_t offset :
       {QOSARB_PORT_VC_BLOCKED_OFFSET(3), QOSARB_PORT_VC_PACKETS_OFFSET(0),
        QOSARB_PORT_VC_FLITS_OFFSET(3), QOSARB_PORT_AGE_GROUP_OFFSET(3),
        QOSARB_PORT_AGE_STALLED_OFFSET, QOSARB_PORT_AGE_STATE_OFFSET}) {
    EXPECT_TRUE(driver.exists(offset));
    EXPECT_FALSE(driver.write(offset, 0)) << offset;
  }
  for (const std::uint32_t offset :
       {QOSARB_PORT_VC_BLOCKED_OFFSET(4), QOSARB_PORT_QUEUE_SL_OFFSET(0),
        QOSARB_PORT_SL_MTU_OFFSET(0), QOSARB_PORT_VL_HIGH_LIMIT_OFFSET,
        QOSARB_PORT_CLASS_PRIORITY_OFFSET(0), QOSARB_PORT_PEAK_TOKENS_OFFSET(0)}) {
    EXPECT_FALSE(driver.exists(offset)) << offset;
    EXPECT_FALSE(driver.write(offset, 0)) << offset;
  }
}

TEST(PolicyRegisters, BiasesAndPeriodReachTheChipWithTheCommit) {
  Driver driver(QOSARB_PORT_POLICY_SEASTAR_AGE);
  EXPECT_TRUE(driver.write(QOSARB_PORT_AGE_CLOCK_PERIOD_OFFSET, 77));
  for (std::uint32_t input = 0; input < 7; ++input) {
    EXPECT_TRUE(driver.write(
        QOSARB_PORT_AGE_BIAS_OFFSET(input),
        QOSARB_PORT_AGE_BIAS_REQUEST_PUT(input) | QOSARB_PORT_AGE_BIAS_RESPONSE_PUT(7 - input)));
  }
  EXPECT_EQ(driver.pins().age_clock_period_o, 0U);  // the clock stands until the first commit
  EXPECT_EQ(driver.port().request_bias(5), 0);
  EXPECT_EQ(driver.commit(QOSARB_PORT_POLICY_SEASTAR_AGE), kInForce);
  EXPECT_EQ(driver.pins().age_clock_period_o, 77U);
  for (std::uint8_t input = 0; input < 7; ++input) {
    EXPECT_EQ(driver.port().request_bias(input), input);
    EXPECT_EQ(driver.port().response_bias(input), 7 - input);
  }
}

// Packets that arrived and left under rr, or wait while policies come and go: the chip's age clock
// counts exactly those that are there.
TEST(PolicyAgeClock, CountsWhatLeavesUnderEveryPolicy) {
  constexpr std::size_t kQueues = 28;
  Driver driver(QOSARB_PORT_POLICY_SEASTAR_AGE);
  RtlAgeChip chip("chip");
  const unsigned port = chip.add_port();
  Random random(1);
  std::array<std::deque<AgeStamp>, kQueues> queues;
  Cycle now = 0;
  std::uint64_t sent = 0;
  const auto run = [&](int cycles, std::uint32_t arrivals_percent) {
    for (int i = 0; i < cycles; ++i, ++now) {
      std::array<std::uint64_t, 2> waiting{};
      for (const auto& queue : queues) {
        for (const AgeStamp& stamp : queue) {
          ++waiting[stamp.epoch ? 1 : 0];
        }
      }
      std::vector<std::uint64_t> state;
      chip.append_state(state);
      ASSERT_EQ(state[4], waiting[0]) << "cycle " << now;
      ASSERT_EQ(state[5], waiting[1]) << "cycle " << now;
      std::deque<AgeStamp>& next = queues[random.below(kQueues)];
      if (random.chance(arrivals_percent) && next.size() < 5) {
        next.push_back(chip.arrive(now, 0, false, 0, 0));
      }
      driver.pins().age_timestamp_i = chip.timestamp();
      driver.pins().age_epoch_i = chip.epoch() ? 1 : 0;
      driver.pins().age_inhibit_i = chip.inhibit() ? 1 : 0;
      for (std::size_t q = 0; q < kQueues; ++q) {
        driver.port().set_head(q, !queues[q].empty(), 1);
        driver.port().set_stamp(q, queues[q].empty() ? AgeStamp{} : queues[q].front());
      }
      driver.pins().request_i = random.chance(60) ? 1 : 0;
      driver.port().show();
      if (driver.pins().grant_valid_o != 0) {
        queues[driver.port().grant_queue()].pop_front();
        ++sent;
      }
      driver.clock();
      if (driver.pins().left_o != 0) {
        chip.leave(now, port, driver.pins().left_epoch_o != 0);
      }
      chip.advance(now + 1);
    }
    driver.pins().request_i = 0;
  };
  run(40, 50);
  EXPECT_GT(sent, 10U);
  for (const std::uint32_t policy :
       {QOSARB_PORT_POLICY_SEASTAR_AGE, QOSARB_PORT_POLICY_RR, QOSARB_PORT_POLICY_SEASTAR_AGE}) {
    ASSERT_EQ(driver.commit(policy), kInForce);
    chip.set_period(driver.pins().age_clock_period_o, now);
    run(3000, 75);
    EXPECT_FALSE(
        std::all_of(queues.begin(), queues.end(), [](const auto& q) { return q.empty(); }));
  }
  run(1000, 0);
  EXPECT_FALSE(chip.inhibit());
}

TEST(PolicyRegisters, OfTrtcm) {
  Driver driver(QOSARB_PORT_POLICY_TRTCM);
  for (std::uint32_t q = 0; q < 8; ++q) {
    expect_register(driver, QOSARB_PORT_CLASS_PRIORITY_OFFSET(q), q, {7, q}, {8, 255, 0x100});
    for (const std::uint32_t rate :
         {QOSARB_PORT_ASSURED_RATE_OFFSET(q), QOSARB_PORT_PEAK_RATE_OFFSET(q)}) {
      expect_register(driver, rate, 0, {1 + q, 65536, 0}, {65537, 0x20000, 0xffffffff});
    }
    for (const std::uint32_t burst :
         {QOSARB_PORT_ASSURED_BURST_OFFSET(q), QOSARB_PORT_PEAK_BURST_OFFSET(q)}) {
      expect_register(driver, burst, 0, {1 + q, 65535, 0}, {65536, 0xffffffff});
    }
    EXPECT_EQ(driver.read(QOSARB_PORT_ASSURED_TOKENS_OFFSET(q)), 0U);
    EXPECT_FALSE(driver.write(QOSARB_PORT_PEAK_TOKENS_OFFSET(q), 0));
    EXPECT_FALSE(driver.write(QOSARB_PORT_GREEN_STALLS_OFFSET(q), 0));
  }
  EXPECT_FALSE(driver.exists(QOSARB_PORT_CLASS_PRIORITY_OFFSET(8)));
  EXPECT_FALSE(driver.exists(QOSARB_PORT_RED_STALLS_OFFSET(8)));
  EXPECT_FALSE(driver.exists(QOSARB_PORT_AGE_STATE_OFFSET));
}

TEST(PolicyCommit, OfTrtcmNamesTheFirstClassThatIsWrong) {
  Driver driver(QOSARB_PORT_POLICY_TRTCM);
  const auto write = [&driver](std::uint32_t offset, std::uint32_t value) {
    ASSERT_TRUE(driver.write(offset, value));
  };
  const auto commit = [&driver]() { return driver.commit(QOSARB_PORT_POLICY_TRTCM); };
  EXPECT_EQ(commit(), kInForce);  // after reset: priorities in order, no rates

  write(QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, 20);
  write(QOSARB_PORT_ASSURED_RATE_OFFSET(3), 500);
  write(QOSARB_PORT_PEAK_RATE_OFFSET(3), 499);
  write(QOSARB_PORT_ASSURED_BURST_OFFSET(3), 20);
  write(QOSARB_PORT_PEAK_BURST_OFFSET(3), 20);
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_RATES, 3));
  write(QOSARB_PORT_PEAK_RATE_OFFSET(3), 500);
  EXPECT_EQ(commit(), kInForce);
  write(QOSARB_PORT_PEAK_BURST_OFFSET(3), 19);
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_SHORT_BURST, 3));
  write(QOSARB_PORT_PEAK_BURST_OFFSET(3), 40);
  write(QOSARB_PORT_ASSURED_BURST_OFFSET(3), 19);
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_SHORT_BURST, 3));
  write(QOSARB_PORT_ASSURED_BURST_OFFSET(3), 30);
  write(QOSARB_PORT_CLASS_PRIORITY_OFFSET(7), 2);
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_REPEATED_PRIORITY, 7));
  EXPECT_EQ(driver.read(QOSARB_PORT_ASSURED_TOKENS_OFFSET(3)), 20U << 16);  // of the last good one
  write(QOSARB_PORT_CLASS_PRIORITY_OFFSET(2), 7);
  EXPECT_EQ(commit(), kInForce);
  EXPECT_EQ(driver.read(QOSARB_PORT_ASSURED_TOKENS_OFFSET(3)), 30U << 16);
  EXPECT_EQ(driver.read(QOSARB_PORT_PEAK_TOKENS_OFFSET(3)), 40U << 16);
}

TEST(PolicyRegisters, OfServiceLevels) {
  Driver driver(QOSARB_PORT_POLICY_DTABLE);
  const auto queues = static_cast<std::uint32_t>(driver.limits().queues);
  const std::uint32_t longest = driver.limits().packet_flits;
  for (std::uint32_t q = 0; q < queues; ++q) {
    expect_register(driver, QOSARB_PORT_QUEUE_SL_OFFSET(q), q, {0, queues - 1},
                    {queues, 255, 0x100});
    expect_register(driver, QOSARB_PORT_SL_MTU_OFFSET(q), longest, {1, longest - q},
                    {0, longest + 1, 0x1000000});
  }
  EXPECT_FALSE(driver.exists(QOSARB_PORT_QUEUE_SL_OFFSET(queues)));
  EXPECT_FALSE(driver.exists(QOSARB_PORT_SL_MTU_OFFSET(queues)));
  EXPECT_FALSE(driver.exists(QOSARB_PORT_AGE_BIAS_OFFSET(0)));
}

TEST(PolicyRegisters, OfInfiniBand) {
  Driver driver(QOSARB_PORT_POLICY_INFINIBAND);
  EXPECT_EQ(driver.read(QOSARB_PORT_VL_ARB_HIGH_CAP_OFFSET), driver.limits().entries / 2);
  EXPECT_EQ(driver.read(QOSARB_PORT_VL_ARB_LOW_CAP_OFFSET), driver.limits().entries / 2);
  EXPECT_EQ(driver.limits().entries, 128U);
  expect_register(driver, QOSARB_PORT_VL_HIGH_LIMIT_OFFSET, 0, {255, 1}, {256, 0x80000000});
  expect_register(driver, QOSARB_PORT_VL_LOW_TURN_OFFSET, 0, {1, 0}, {2, 0x80000000});
  expect_register(driver, QOSARB_PORT_FLIT_BYTES_OFFSET, 6, {0, 7}, {8, 0x80000000});
  for (const std::uint32_t offset :
       {QOSARB_PORT_VL_ARB_HIGH_CAP_OFFSET, QOSARB_PORT_VL_LOW_CURRENT_OFFSET,
        QOSARB_PORT_VL_LOW_REMAINING_OFFSET, QOSARB_PORT_VL_HIGH_BYTES_OFFSET}) {
    EXPECT_TRUE(driver.exists(offset));
    EXPECT_FALSE(driver.write(offset, 0)) << offset;
  }
}

TEST(PolicyCommit, OfSbtWantsOneEntryWithAWeightForEachLevelInUse) {
  Driver driver(QOSARB_PORT_POLICY_SBT);
  const auto commit = [&driver]() { return driver.commit(QOSARB_PORT_POLICY_SBT); };
  EXPECT_EQ(commit(), kInForce);  // after reset: each queue its own level, equal weights
  ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_OFFSET(2), entry_of(1, 9)));
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_REPEATED_SL, 2));
  ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_OFFSET(2), entry_of(2, 0)));
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_ZERO_WEIGHT, 2));
  ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_OFFSET(2), entry_of(2, 1)));
  ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_ENTRIES_OFFSET, 3));
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE, 3));
  for (std::uint32_t q = 3; q < static_cast<std::uint32_t>(driver.limits().queues); ++q) {
    ASSERT_TRUE(driver.write(QOSARB_PORT_QUEUE_SL_OFFSET(q), q % 3));
  }
  EXPECT_EQ(commit(), kInForce);
}

TEST(PolicyCommit, OfDtableHoldsWeightsAgainstTheMtuOfTheirLevel) {
  Driver driver(QOSARB_PORT_POLICY_DTABLE);
  const auto commit = [&driver]() { return driver.commit(QOSARB_PORT_POLICY_DTABLE); };
  EXPECT_EQ(commit(), kInForce);
  ASSERT_TRUE(driver.write(QOSARB_PORT_SL_MTU_OFFSET(1), 40));
  ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_OFFSET(5), entry_of(1, 39)));
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_SHORT_QUANTUM, 5));
  ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_OFFSET(5), entry_of(1, 40)));
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE, 5));
  ASSERT_TRUE(driver.write(QOSARB_PORT_QUEUE_SL_OFFSET(5), 1));
  EXPECT_EQ(commit(), kInForce);
  // No MTU of a level that has an entry is above the longest packet.
  const auto queues = static_cast<std::uint32_t>(driver.limits().queues);
  for (std::uint32_t sl = 0; sl < queues; ++sl) {
    ASSERT_TRUE(driver.write(QOSARB_PORT_SL_MTU_OFFSET(sl), 40));
  }
  ASSERT_TRUE(driver.write(QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, 40));
  EXPECT_EQ(commit(), kInForce);
  ASSERT_TRUE(driver.write(QOSARB_PORT_SL_MTU_OFFSET(1), 41));
  ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_OFFSET(5), entry_of(1, 41)));
  const std::uint32_t first = 1;  // whose level is 1, as that of entry 5
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_LONG_MTU, first));
}

// What docs/programming.md says of the table that a reset leaves: with POLICY and COMMIT alone, all
// queues backlogged, these policies give equal shares of the flits, whatever the lengths. Another
// one does not, or refuses the table.
TEST(PolicyCommit, OfThePolicyAloneGivesEqualSharesWhereThePageSaysSo) {
  std::ifstream file(QOSARB_SOURCE_DIR "/docs/programming.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  std::smatch sentence;
  ASSERT_TRUE(std::regex_search(
      page, sentence,
      std::regex("equal shares of the flits under\\s([^.]*), and under no other policy\\.")));
  const std::string named = sentence[1];
  const std::regex name("[a-z-]+");
  std::set<std::string> said(std::sregex_token_iterator(named.begin(), named.end(), name), {});
  said.erase("and");
  std::set<std::string> equal;
  for (const PolicyRtl* rtl : policies_with_rtl()) {
    const std::uint32_t code = rtl->code();
    Driver driver(code);
    const std::uint32_t longest = driver.limits().packet_flits;
    const auto queues = static_cast<std::size_t>(driver.limits().queues);
    if (driver.commit(code) != kInForce) {
      continue;
    }
    const auto flits_of = [&](std::size_t queue) {
      return static_cast<std::uint32_t>(1 + queue * (longest / 2) / queues);
    };
    for (std::size_t q = 0; q < queues; ++q) {
      driver.port().set_head(q, true, flits_of(q));
    }
    driver.pins().request_i = 1;
    std::vector<std::uint64_t> sent(queues);
    for (std::uint64_t total = 0; total < std::uint64_t{queues} * longest * 100;) {
      driver.port().show();
      const std::size_t queue = driver.port().grant_queue();
      ASSERT_NE(driver.pins().grant_valid_o, 0);
      sent[queue] += flits_of(queue);
      total += flits_of(queue);
      driver.clock();
    }
    // A turn is the longest packet, and a queue is at most two turns off its share.
    const auto [least, most] = std::minmax_element(sent.begin(), sent.end());
    if (*most - *least <= 4 * std::uint64_t{longest}) {
      equal.emplace(rtl->policy().name());
    }
  }
  EXPECT_EQ(equal, said);
}

// A head of dtable lies when it is longer than the MTU of its SL.
TEST(PolicyErrors, OfDtableGoByTheMtuOfTheLevel) {
  Driver driver(QOSARB_PORT_POLICY_DTABLE);
  ASSERT_TRUE(driver.write(QOSARB_PORT_SL_MTU_OFFSET(1), 40));
  ASSERT_TRUE(driver.write(QOSARB_PORT_SL_MTU_OFFSET(2), 7));
  ASSERT_TRUE(driver.write(QOSARB_PORT_QUEUE_SL_OFFSET(3), 1));
  const auto grant = [&driver](std::size_t queue, std::uint32_t flits) {
    driver.port().set_head(queue, true, flits);
    driver.pins().request_i = 1;
    driver.port().show();
    EXPECT_EQ(driver.port().grant_queue(), queue);
    driver.clock();
    driver.pins().request_i = 0;
    driver.port().set_head(queue, false, 0);
    driver.clock(2);
    EXPECT_TRUE(driver.write(QOSARB_PORT_SNAPSHOT_OFFSET, 1));
    driver.clock(static_cast<int>(driver.port().counters()) + 3);
    return driver.read(QOSARB_PORT_LYING_HEADS_OFFSET);
  };
  // Under rr the MTU of a level says nothing.
  EXPECT_EQ(grant(1, 41), 0U);
  ASSERT_EQ(driver.commit(QOSARB_PORT_POLICY_RR), kInForce);
  EXPECT_EQ(grant(1, 41), 0U);
  ASSERT_TRUE(driver.write(QOSARB_PORT_QUEUES_IN_USE_OFFSET, 0xf));
  ASSERT_EQ(driver.commit(QOSARB_PORT_POLICY_DTABLE), kInForce);
  EXPECT_EQ(grant(1, 40), 0U);
  EXPECT_EQ(grant(3, 40), 0U);
  EXPECT_EQ(grant(2, 7), 0U);
  EXPECT_EQ(grant(0, driver.limits().packet_flits), 0U);
  EXPECT_EQ(grant(1, 41), 1U);
  EXPECT_EQ(grant(3, 41), 2U);
  EXPECT_EQ(grant(2, 8), 3U);
  EXPECT_EQ(grant(2, 0), 4U);
}

TEST(PolicyCommit, OfInfiniBandCountsOnlyEntriesWithAWeightAndTakesNoneAbove255) {
  Driver driver(QOSARB_PORT_POLICY_INFINIBAND);
  const auto commit = [&driver]() { return driver.commit(QOSARB_PORT_POLICY_INFINIBAND); };
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_LARGE_WEIGHT, 0));  // quanta of a reset
  const auto queues = static_cast<std::uint32_t>(driver.limits().queues);
  const std::uint32_t low = driver.read(QOSARB_PORT_VL_ARB_HIGH_CAP_OFFSET);
  for (std::uint32_t e = 0; e < driver.limits().entries; ++e) {
    ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_OFFSET(e), entry_of(e % queues, 0)));
  }
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE, 0));
  for (std::uint32_t vl = 0; vl < queues; ++vl) {
    const std::uint32_t entry = vl % 2 == 0 ? vl : low + vl;
    ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_OFFSET(entry), entry_of(vl, 255)));
  }
  EXPECT_EQ(commit(), kInForce);
  ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_OFFSET(low + 1), entry_of(1, 0)));
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE, 1));
  ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_OFFSET(127), entry_of(1, 256)));
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_LARGE_WEIGHT, 127));
  ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_OFFSET(127), entry_of(1, 1)));
  EXPECT_EQ(commit(), kInForce);
}

// Random traffic at a port whose reference and RTL run in lockstep, until it is sent; then
// look(config, reference, registers). Nothing waits then, so that reading does not count.
template <typename Look>
void after_random_traffic(PolicyRef policy, Look&& look) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PortBuild& build = rtl_build(policy);
    const ArbiterConfig config = random_config(random, policy, build.limits);
    auto rtl =
        std::make_unique<RtlArbiter>(config, kLonePort, RtlArbiter::Options{.build = &build});
    RtlArbiter& registers = *rtl;
    auto reference = make_reference(config);
    const Arbiter& counted = *reference;
    Port port(config.queues,
              std::make_unique<LockstepArbiter>(std::move(reference), std::move(rtl), kLonePort));
    RandomTraffic traffic(random, config, true);
    Cycle now = 0;
    for (int i = 0; i < 2000; ++i) {
      now = traffic.next_cycle();
      port.reach(now);
      traffic.happen(port);
      traffic.sent(port.arbitrate(now).decision);
    }
    ++now;
    for (Index queue = 0; queue < config.queues; ++queue) {
      port.stop(now, queue, false);
    }
    while (port.any_active()) {
      port.arbitrate(now++);
    }
    port.reach(now + 5);
    registers.snapshot();
    look(config, counted, registers);
  }
}

// Over cycles in which packets come and go, and over as many as pass at once.
TEST(AgeChip, IsTheReferencesClockHoweverManyCyclesPassAtOnce) {
  Random random(test_seed(20271));
  for (const std::uint32_t period : {1U, 2U, 7U, 300U}) {
    RtlAgeChip rtl("chip");
    rtl.set_period(period, 0);
    const std::array ports = {rtl.add_port(), rtl.add_port(), rtl.add_port()};
    AgeClock reference(period);
    int inhibited = 0;
    Cycle now = 0;
    for (int i = 0; i < 3000; ++i) {
      now += random.one_of(std::array<Cycle, 6>{0, 1, 1, 2, random.below(600), 600 * period});
      const bool same_cycle = now == reference.now() && i > 0;
      const bool drains = i / 50 % 2 != 0;
      reference.advance(now);
      rtl.advance(now);
      for (const unsigned port : ports) {
        const bool epoch = random.once_in(2);
        if (drains && !same_cycle && random.once_in(2) && reference.packet_count(epoch) > 0) {
          reference.leave(epoch);
          rtl.leave(now, port, epoch);
        }
      }
      if (random.once_in(4)) {
        const auto age = random.from<std::uint8_t>(0, 255);
        ASSERT_EQ(rtl.arrive(now, age, false, 0, 0), reference.arrive(age));
      }
      std::vector<std::uint64_t> state;
      std::vector<std::uint64_t> expected;
      rtl.append_state(state);
      reference.append_state(expected);
      ASSERT_EQ(state, expected) << "cycle " << now << ", period " << period;
      inhibited += reference.inhibit() ? 1 : 0;
    }
    EXPECT_GT(inhibited, 300);
    EXPECT_LT(inhibited, 2700);
    EXPECT_THROW(rtl.advance(now - 1), std::logic_error);
    EXPECT_THROW(rtl.leave(now + 1, 0, false), std::logic_error);
  }
}

TEST(AgeChip, Has64Ports) {
  RtlAgeChip chip("chip");
  for (unsigned port = 0; port < 64; ++port) {
    EXPECT_EQ(chip.add_port(), port);
  }
  EXPECT_THROW(chip.add_port(), std::length_error);
}

TEST(PolicyCounters, OfTrtcmAreTheReferencesStalls) {
  TwoRateArbiter::Stalls all;
  after_random_traffic(
      kTrtcm, [&all](const ArbiterConfig& config, const Arbiter& counted, RtlArbiter& registers) {
        const auto& reference = dynamic_cast<const TwoRateArbiter&>(counted);
        for (Index queue = 0; queue < config.queues; ++queue) {
          const TwoRateArbiter::Stalls by_rtl{
              registers.read_register(QOSARB_PORT_GREEN_STALLS_OFFSET(queue)),
              registers.read_register(QOSARB_PORT_YELLOW_STALLS_OFFSET(queue)),
              registers.read_register(QOSARB_PORT_RED_STALLS_OFFSET(queue))};
          EXPECT_EQ(by_rtl, reference.stalls()[queue]) << "queue " << queue;
          all.green += by_rtl.green;
          all.yellow += by_rtl.yellow;
          all.red += by_rtl.red;
        }
      });
  EXPECT_GT(all.green, 1000U);
  EXPECT_GT(all.yellow, 1000U);
  EXPECT_GT(all.red, 1000U);
}

TEST(PolicyCounters, OfSeastarAgeAreThoseOfThePapersTable4) {
  std::uint64_t blocked = 0;
  std::uint64_t stalled = 0;
  std::array<std::uint64_t, 4> groups{};
  after_random_traffic(kSeastarAge, [&](const ArbiterConfig& config, const Arbiter& counted,
                                        RtlArbiter& registers) {
    const auto& reference = dynamic_cast<const AgeBasedArbiter&>(counted).counters();
    EXPECT_EQ(registers.read_register(QOSARB_PORT_AGE_STALLED_OFFSET), reference.stalled_cycles);
    stalled += reference.stalled_cycles;
    for (std::uint32_t group = 0; group < 4; ++group) {
      EXPECT_EQ(registers.read_register(QOSARB_PORT_AGE_GROUP_OFFSET(group)),
                reference.age_groups[group]);
      groups[group] += reference.age_groups[group];
    }
    if (config.parameters.get<SeastarConfig>().vcs != 4) {
      return;  // the RTL counts by its own four
    }
    for (std::uint32_t vc = 0; vc < 4; ++vc) {
      EXPECT_EQ(registers.read_register(QOSARB_PORT_VC_BLOCKED_OFFSET(vc)),
                reference.blocked_cycles[vc]);
      EXPECT_EQ(registers.read_register(QOSARB_PORT_VC_PACKETS_OFFSET(vc)), reference.packets[vc]);
      EXPECT_EQ(registers.read_register(QOSARB_PORT_VC_FLITS_OFFSET(vc)), reference.flits[vc]);
      blocked += reference.blocked_cycles[vc];
    }
  });
  EXPECT_GT(blocked, 1000U);
  EXPECT_GT(stalled, 100U);
  for (const std::uint64_t packets : groups) {
    EXPECT_GT(packets, 100U);
  }
}

}  // namespace
}  // namespace qosarb::test
