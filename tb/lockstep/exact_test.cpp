// A port that is clocked only when it can change, or when it does not say itself that there is no
// need, is the port that is clocked in every cycle.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "cosim/build_choice.hpp"
#include "cosim/policy/policy_rtl.hpp"
#include "cosim/port_model.hpp"
#include "cosim/rtl_arbiter.hpp"
#include "kernel/random_traffic.hpp"
#include "qosarb/events/event_log.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "random/policy_random.hpp"

namespace qosarb::test {
namespace {

struct Life {
  std::vector<TimedDecision> decisions;
  std::vector<std::uint32_t> registers;  ///< every readable one, at several times
  Cycle cycles = 0;
  std::uint64_t edges = 0;
};

// The registers that software can read in the build of `policy`.
std::vector<std::uint32_t> readable(PolicyRef policy) {
  Random random(1);
  const PortBuild& build = rtl_build(policy);
  RtlArbiter rtl(random_config(random, policy, build.limits), {"", "port"}, {.build = &build});
  std::vector<std::uint32_t> offsets;
  for (std::uint32_t offset = 0; offset < QOSARB_PORT_WINDOW_BYTES; offset += 4) {
    try {
      rtl.read_register(offset);
      offsets.push_back(offset);
    } catch (const std::logic_error&) {  // nothing is there
    }
  }
  return offsets;
}

Life live(PolicyRef policy, const std::vector<std::uint32_t>& registers, std::uint64_t seed,
          RtlArbiter::Clocking clocking) {
  Random random(seed);
  const PortBuild& build = rtl_build(policy);
  const RtlLimits& limits = build.limits;
  const ArbiterConfig config = random_config(random, policy, limits);
  auto owned = std::make_unique<RtlArbiter>(
      config, PortPlace{"", "port"}, RtlArbiter::Options{.clocking = clocking, .build = &build});
  RtlArbiter& rtl = *owned;
  Port port(config.queues, std::move(owned));
  RandomTraffic traffic(random, config);
  Life life;
  // All that software can see: configuration, state, counters.
  const auto read_all = [&] {
    rtl.snapshot();
    for (const std::uint32_t offset : registers) {
      life.registers.push_back(rtl.read_register(offset));
    }
    for (std::uint32_t q = 0; q < static_cast<std::uint32_t>(limits.queues); ++q) {
      rtl.read_register(QOSARB_PORT_PACKETS_OFFSET(q));
      life.registers.push_back(rtl.read_register(QOSARB_PORT_LONGEST_WAIT_OFFSET));
    }
  };
  for (int i = 0; i < 200 && life.cycles < 3000; ++i) {
    const bool drain = i % 40 >= 20;  // now and then all queues run empty
    const Cycle now = traffic.next_cycle();
    port.reach(now);
    if (!rtl.reprogramming()) {
      switch (random.below(40)) {
        case 0:
          rtl.reprogram(random_successor(random, policy, limits, config));
          break;
        case 1:
          read_all();
          break;
        case 2:
          if (!policy->shares_chip_clock()) {  // which a reset of one port would leave behind
            rtl.reset();
          }
          break;
        default:
          break;
      }
    }
    traffic.happen(port, drain);
    // Not every cycle in which something happens has an arbitration.
    if (drain || random.chance(50)) {
      const Decision decision = port.arbitrate(now).decision;
      traffic.sent(decision);
      life.decisions.push_back({now, decision});
    }
    life.cycles = now + 1;
  }
  // Beyond the end of a reprogramming.
  life.cycles += 500;
  port.reach(life.cycles);
  read_all();
  life.edges = rtl.edges();
  return life;
}

std::vector<PolicyRef> all_with_rtl() {
  std::vector<PolicyRef> all;
  for (const PolicyRtl* policy : policies_with_rtl()) {
    all.push_back(policy->policy());
  }
  return all;
}

class Clocking : public ::testing::TestWithParam<PolicyRef> {};

TEST_P(Clocking, WhenNeededIsExact) {
  const std::vector<std::uint32_t> registers = readable(GetParam());
  ASSERT_GT(registers.size(), 20U);
  Cycle cycles = 0;
  std::uint64_t quickest = 0;
  std::uint64_t needed = 0;
  std::uint64_t all = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const Life eager = live(GetParam(), registers, seed, RtlArbiter::Clocking::EveryCycle);
    const auto lazily = [&](RtlArbiter::Clocking clocking) {
      const Life lazy = live(GetParam(), registers, seed, clocking);
      EXPECT_EQ(lazy.decisions, eager.decisions) << "seed " << seed;
      EXPECT_EQ(lazy.registers, eager.registers) << "seed " << seed;
      return lazy.edges;
    };
    needed += lazily(RtlArbiter::Clocking::WhenNeeded);
    quickest += lazily(RtlArbiter::Clocking::AtDecisions);
    ASSERT_FALSE(HasFailure());
    ASSERT_GE(eager.edges, eager.cycles);
    cycles += eager.cycles;
    all += eager.edges;
  }
  std::cout << cycles << " cycles, " << all << " clock edges, " << needed << " when needed, "
            << quickest << " at decisions\n";
  EXPECT_LT(needed, all / 2);
  EXPECT_LE(quickest, needed);
}

INSTANTIATE_TEST_SUITE_P(Policies, Clocking, ::testing::ValuesIn(all_with_rtl()),
                         [](const auto& policy) {
                           std::string name(policy.param.name());
                           std::erase(name, '-');
                           return name;
                         });

// idle_o is high only in cycles whose clock edge changes nothing.
TEST_P(Clocking, AGatedClockIsExact) {
  const std::vector<std::uint32_t> registers = readable(GetParam());
  std::uint64_t gated = 0;
  std::uint64_t all = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const Life saving = live(GetParam(), registers, seed, RtlArbiter::Clocking::Gated);
    const Life eager = live(GetParam(), registers, seed, RtlArbiter::Clocking::EveryCycle);
    ASSERT_EQ(saving.decisions, eager.decisions) << "seed " << seed;
    ASSERT_EQ(saving.registers, eager.registers) << "seed " << seed;
    gated += saving.edges;
    all += eager.edges;
  }
  std::cout << all << " clock edges, " << gated << " of them with a gated clock\n";
  EXPECT_LT(gated, all);
}

// When all packets have gone, the counters are swept once more, buckets fill, and then the clock
// stands.
TEST_P(Clocking, AGatedClockStandsWhenNothingWaits) {
  const bool fills = rtl_of(GetParam()).clocked_in_every_cycle();
  constexpr Cycle kFilling = 100'000;
  constexpr std::uint64_t kSettling = 1'000;  // more than a round of the largest counter memory
  constexpr Cycle kRest = 10'000;
  int rested = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const ArbiterConfig config = random_config(random, GetParam(), rtl_build(GetParam()).limits);
    auto owned =
        std::make_unique<RtlArbiter>(config, PortPlace{"", "port"},
                                     RtlArbiter::Options{.clocking = RtlArbiter::Clocking::Gated});
    const RtlArbiter& rtl = *owned;
    Port port(config.queues, std::move(owned));
    for (Index q = 0; q < count(port.heads()); ++q) {
      port.arrive(0, q, 1, 0);
    }
    Cycle now = 0;
    Index sent = 0;
    for (; now < Cycle{2} * count(port.heads()); ++now) {
      port.reach(now);
      sent += port.arbitrate(now).decision.queue >= 0 ? 1 : 0;
    }
    if (sent < count(port.heads())) {
      continue;  // a queue that no entry serves
    }
    ++rested;
    if (fills) {
      now += kFilling;
      port.reach(now);
    }
    const std::uint64_t edges = rtl.edges();
    port.reach(now + kRest);
    EXPECT_LT(rtl.edges() - edges, kSettling) << "seed " << seed;
  }
  std::cout << rested << " ports came to rest\n";
  EXPECT_GT(rested, 0);
}

// A port whose queues are all empty costs no clock edge, however long that lasts.
TEST(Clocking, AnIdlePortIsNotClocked) {
  ArbiterConfig config;
  config.queues = 8;
  config.max_packet_flits = 16;
  auto owned = std::make_unique<RtlArbiter>(config, PortPlace{"", "port"}, RtlArbiter::Options{});
  const RtlArbiter& rtl = *owned;
  Port port(config.queues, std::move(owned));
  port.reach(1);
  const std::uint64_t edges = rtl.edges();
  port.reach(1'000'000'000'000);
  EXPECT_EQ(rtl.edges(), edges);
}

// The last word of the window is no register.
TEST(RtlArbiter, ARegisterThatIsNotThereIsRefused) {
  ArbiterConfig config;
  config.queues = 2;
  config.max_packet_flits = 16;
  RtlArbiter rtl(config, {"", "port"}, RtlArbiter::Options{});
  constexpr std::uint32_t kNothing = QOSARB_PORT_WINDOW_BYTES - 4;
  EXPECT_THROW(rtl.read_register(kNothing), std::logic_error);
  rtl.queue_read(kNothing);
  const std::vector<Head> heads(2);
  EXPECT_THROW(rtl.advance(10, heads), std::logic_error);
}

}  // namespace
}  // namespace qosarb::test
