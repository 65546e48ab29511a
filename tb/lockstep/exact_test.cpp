// A port that is clocked only when it can change is the port that is clocked in every cycle.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <vector>

#include "cosim/build_choice.hpp"
#include "cosim/policy/policy_rtl.hpp"
#include "cosim/rtl_arbiter.hpp"
#include "lockstep/random_traffic.hpp"
#include "qosarb/events/event_log.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/dtable.hpp"
#include "qosarb/policy/infiniband.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/rr.hpp"
#include "qosarb/policy/sbt.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/policy/trtcm.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb::test {
namespace {

struct Life {
  std::vector<TimedDecision> decisions;
  std::vector<std::uint32_t> registers;  ///< every readable one, at several times
  Cycle cycles = 0;
  std::uint64_t edges = 0;
};

// All that software can see of a policy: configuration, state, counters.
void read_all(RtlArbiter& rtl, PolicyRef policy, std::vector<std::uint32_t>& values) {
  const RtlLimits& limits = rtl_limits(policy);
  const auto read = [&](std::uint32_t offset) { values.push_back(rtl.read_register(offset)); };
  for (std::uint32_t offset = 0; offset <= QOSARB_PORT_REMAINING_OFFSET; offset += 4) {
    const bool is_register = offset != 0x02c;  // the one gap
    if (is_register) {
      read(offset);
    }
  }
  for (std::uint32_t entry = 0; entry < limits.entries; ++entry) {
    read(QOSARB_PORT_TABLE_IN_FORCE_OFFSET(entry));
    read(QOSARB_PORT_DEFICIT_OFFSET(entry));
  }
  for (int queue = 0; queue < limits.queues; ++queue) {
    read(QOSARB_PORT_PACKETS_OFFSET(queue));
    read(QOSARB_PORT_FLITS_OFFSET(queue));
    read(QOSARB_PORT_BLOCKED_OFFSET(queue));
    read(QOSARB_PORT_WAITING_OFFSET(queue));
    if (policy == kTrtcm) {
      read(QOSARB_PORT_GREEN_STALLS_OFFSET(queue));
      read(QOSARB_PORT_YELLOW_STALLS_OFFSET(queue));
      read(QOSARB_PORT_RED_STALLS_OFFSET(queue));
      read(QOSARB_PORT_ASSURED_TOKENS_OFFSET(queue));
      read(QOSARB_PORT_PEAK_TOKENS_OFFSET(queue));
    }
  }
  if (policy == kInfiniBand) {
    for (const std::uint32_t offset :
         {QOSARB_PORT_VL_LOW_CURRENT_OFFSET, QOSARB_PORT_VL_LOW_REMAINING_OFFSET,
          QOSARB_PORT_VL_HIGH_BYTES_OFFSET}) {
      read(offset);
    }
  }
  if (policy == kSeastarAge) {
    for (int vc = 0; vc < limits.vcs; ++vc) {
      read(QOSARB_PORT_VC_BLOCKED_OFFSET(vc));
      read(QOSARB_PORT_VC_PACKETS_OFFSET(vc));
      read(QOSARB_PORT_VC_FLITS_OFFSET(vc));
    }
    for (int group = 0; group < 4; ++group) {
      read(QOSARB_PORT_AGE_GROUP_OFFSET(group));
    }
    read(QOSARB_PORT_AGE_STALLED_OFFSET);
    read(QOSARB_PORT_AGE_STATE_OFFSET);
  }
}

Life live(PolicyRef policy, std::uint64_t seed, RtlArbiter::Clocking clocking) {
  Random random(seed);
  const ArbiterConfig config = random_config(random, policy);
  auto owned = std::make_unique<RtlArbiter>(config, PortPlace{"", "port"},
                                            RtlArbiter::Options{.clocking = clocking});
  RtlArbiter& rtl = *owned;
  Port port(config.queues, std::move(owned));
  RandomTraffic traffic(random, config);
  Life life;
  for (int i = 0; i < 200 && life.cycles < 3000; ++i) {
    const Cycle now = traffic.next_cycle();
    port.reach(now);
    if (!rtl.reprogramming()) {
      switch (random.below(40)) {
        case 0:
          rtl.reprogram(random_config(random, policy, config.queues, config.max_packet_flits));
          break;
        case 1:  // so that they saturate in some gap
          rtl.set_counters(UINT32_MAX - static_cast<std::uint32_t>(random.below(300)));
          break;
        case 2:
          read_all(rtl, policy, life.registers);
          break;
        default:
          break;
      }
    }
    traffic.happen(port);
    // Not every cycle in which something happens has an arbitration.
    if (random.chance(50)) {
      const Decision decision = port.arbitrate(now).decision;
      traffic.sent(decision);
      life.decisions.push_back({now, decision});
    }
    life.cycles = now + 1;
  }
  // Beyond the end of a reprogramming.
  life.cycles += 500;
  port.reach(life.cycles);
  read_all(rtl, policy, life.registers);
  life.edges = rtl.edges();
  return life;
}

class Clocking : public ::testing::TestWithParam<PolicyRef> {};

TEST_P(Clocking, WhenNeededIsExact) {
  Cycle cycles = 0;
  std::uint64_t needed = 0;
  std::uint64_t all = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const Life lazy = live(GetParam(), seed, RtlArbiter::Clocking::WhenNeeded);
    const Life eager = live(GetParam(), seed, RtlArbiter::Clocking::EveryCycle);
    ASSERT_EQ(lazy.decisions, eager.decisions) << "seed " << seed;
    ASSERT_EQ(lazy.registers, eager.registers) << "seed " << seed;
    ASSERT_GE(eager.edges, eager.cycles);
    cycles += eager.cycles;
    needed += lazy.edges;
    all += eager.edges;
  }
  std::cout << cycles << " cycles, " << all << " clock edges, " << needed << " when needed\n";
  if (GetParam() != kTrtcm) {  // whose buckets are filled in every cycle
    EXPECT_LT(needed, all / 4);
  }
}

std::vector<PolicyRef> with_rtl() {
  std::vector<PolicyRef> all;
  for (const PolicyRtl* rtl : policies_with_rtl()) {
    all.push_back(rtl->policy());
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Policies, Clocking, ::testing::ValuesIn(with_rtl()),
                         [](const auto& policy) {
                           std::string name(policy.param.name());
                           std::erase(name, '-');
                           return name;
                         });

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

}  // namespace
}  // namespace qosarb::test
