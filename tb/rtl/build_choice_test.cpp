// The build of the RTL that runs a config is the smallest that holds it, in whatever order they
// stand.
#include "cosim/build_choice.hpp"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cosim/policy/policy_rtl.hpp"
#include "cosim/port_model.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb::test {
namespace {

constexpr std::uint32_t kRr = 1U << QOSARB_PORT_POLICY_RR;
constexpr std::uint32_t kTables =
    kRr | 1U << QOSARB_PORT_POLICY_BXI_BASIC | 1U << QOSARB_PORT_POLICY_BXI_DEFICIT;

PortBuild build(std::string_view name, int queues, std::uint32_t entries, std::uint32_t policies) {
  PortBuild made;
  made.name = name;
  made.limits = {.queues = queues,
                 .entries = entries,
                 .quantum_bits = 16,
                 .packet_flits = 1023,
                 .policies = policies,
                 .vcs = 4};
  return made;
}

/// So many entries, which serve `queues` queues in turn.
ArbiterConfig table(int queues, int entries) {
  std::string text =
      "policy: bxi-deficit\nqueues: " + std::to_string(queues) + "\nmax_packet_flits: 16\ntable:\n";
  for (int entry = 0; entry < entries; ++entry) {
    text += "  - {queue: " + std::to_string(entry % queues) + ", weight: 100}\n";
  }
  return parse_arbiter(YAML::Load(text), "test");
}

std::string_view chosen(const std::vector<ArbiterConfig>& configs,
                        const std::vector<PortBuild>& builds) {
  const BuildChoice choice = choose_build(configs, builds);
  EXPECT_EQ(choice.build == nullptr, choice.obstacle.has_value());
  return choice.build == nullptr ? "none" : choice.build->name;
}

TEST(BuildChoice, TakesTheSmallestThatHoldsAllCommits) {
  std::vector<PortBuild> builds = {build("default", 8, 32, kTables),
                                   build("large", 8, 128, kTables), build("small", 8, 8, kTables),
                                   build("other", 4, 4, kRr), build("smallest", 4, 8, kTables)};
  for (int order = 0; order < 2; ++order) {
    EXPECT_EQ(chosen({table(3, 3)}, builds), "smallest");
    EXPECT_EQ(chosen({table(4, 8)}, builds), "smallest");
    EXPECT_EQ(chosen({table(5, 8)}, builds), "small");
    EXPECT_EQ(chosen({table(4, 9)}, builds), "default");
    EXPECT_EQ(chosen({table(8, 33)}, builds), "large");
    EXPECT_EQ(chosen({table(8, 129)}, builds), "none");
    EXPECT_EQ(chosen({table(9, 9)}, builds), "none");
    EXPECT_EQ(chosen({table(3, 3), table(8, 8)}, builds), "small");
    EXPECT_EQ(chosen({table(3, 3), table(3, 40)}, builds), "large");
    std::reverse(builds.begin(), builds.end());
  }
}

// The largest build by what a decision takes is not the one with the most queues.
TEST(BuildChoice, SaysHowManyQueuesThereAreAtMost) {
  const std::vector<PortBuild> builds = {
      build("large", 8, 128, kTables), build("wide", 20, 20, kTables), build("other", 32, 32, kRr)};
  EXPECT_EQ(chosen({table(20, 20)}, builds), "wide");
  EXPECT_EQ(choose_build(std::vector{table(21, 21)}, builds).obstacle,
            "its builds have at most 20 queues, not 21");
}

// Each bound of a build is held, and what is one beyond it is not.
TEST(BuildChoice, HoldsWhatTheLimitsOfTheBuildAllow) {
  const RtlLimits limits = {
      .queues = 4, .entries = 4, .quantum_bits = 4, .packet_flits = 15, .vcs = 4};
  const auto holds = [&limits](const std::string& policy, int queues, int max_packet_flits,
                               const std::string& more) {
    const std::string text = "{policy: " + policy + ", queues: " + std::to_string(queues) +
                             ", max_packet_flits: " + std::to_string(max_packet_flits) +
                             ", strict: false, " + more + "}";
    return !build_obstacle(parse_arbiter(YAML::Load(text), "test"), limits);
  };
  const auto turn = [&holds](int max_packet_flits, int quantum) {
    return holds("bxi-deficit", 1, max_packet_flits,
                 "table: [{queue: 0, weight: " + std::to_string(quantum) + "}]");
  };
  EXPECT_TRUE(turn(15, 15));
  EXPECT_FALSE(turn(15, 16));
  EXPECT_FALSE(turn(15, 14));
  EXPECT_FALSE(turn(16, 15));

  // SLs are numbered as queues are: those of entries, of queues and of MTUs.
  const auto levels = [&holds](const std::string& queue_sl, const std::string& entry_sl) {
    return holds("sbt", 2, 4,
                 "queue_sl: [0, " + queue_sl + "], table: [{sl: " + entry_sl + ", weight: 15}]");
  };
  EXPECT_TRUE(levels("3", "3"));
  EXPECT_FALSE(levels("4", "0"));
  EXPECT_FALSE(levels("0", "4"));
  const auto mtus = [&holds](const std::string& mtu) {
    return holds("dtable", 1, 4, "queue_sl: [0], table: [{sl: 0, weight: 4}], sl_mtu: " + mtu);
  };
  EXPECT_TRUE(mtus("[4, 4, 4, 4]"));
  EXPECT_FALSE(mtus("[4, 4, 4, 4, 4]"));

  // Each of the two tables has half of the entries.
  const auto tables = [&holds](int flit_bytes, const std::string& high) {
    return holds("infiniband", 1, 4,
                 "flit_bytes: " + std::to_string(flit_bytes) +
                     ", limit_of_high_priority: 0, low: [], high: " + high);
  };
  EXPECT_TRUE(tables(128, "[{vl: 0, weight: 15}, {vl: 0, weight: 1}]"));
  EXPECT_FALSE(tables(128, "[{vl: 0, weight: 1}, {vl: 0, weight: 1}, {vl: 0, weight: 1}]"));
  EXPECT_FALSE(tables(128, "[{vl: 0, weight: 16}]"));
  EXPECT_FALSE(tables(256, "[{vl: 0, weight: 1}]"));
  EXPECT_FALSE(tables(96, "[{vl: 0, weight: 1}]"));

  // An input port has four queues, in use or not.
  const auto inputs = [&holds](int queues, const std::string& biases) {
    return holds("seastar-age", queues, 4,
                 "vcs: 2, age_clock_period: 1, age_rr_select: 0, "
                 "req_age_bias: " +
                     biases + ", rsp_age_bias: " + biases);
  };
  EXPECT_TRUE(inputs(2, "[1]"));
  EXPECT_FALSE(inputs(4, "[1, 1]"));

  const auto rates = [&holds](const std::string& assured, const std::string& peak, int burst) {
    return holds("trtcm", 1, 4,
                 "classes: [{priority: 0, assured_rate: " + assured + ", peak_rate: " + peak +
                     ", assured_burst: " + std::to_string(burst) + ", peak_burst: 4}]");
  };
  EXPECT_TRUE(rates("0.5", "1", 65535));
  EXPECT_FALSE(rates("0.5", "1", 65536));
  EXPECT_TRUE(rates("0", "1", 65536));
  EXPECT_TRUE(rates("0.5", "1", 4));
  EXPECT_FALSE(rates("0.5", "1", 3));
  EXPECT_TRUE(rates("0", "1", 3));
  EXPECT_FALSE(rates("0.5", "1.0000152587890625", 4));
}

}  // namespace
}  // namespace qosarb::test
