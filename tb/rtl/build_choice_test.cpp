// The build of the RTL that runs a config is the smallest that holds it, in whatever order they
// stand.
#include "cosim/build_choice.hpp"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace
}  // namespace qosarb::test
