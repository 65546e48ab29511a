// Reference and RTL, decision by decision, over random tables and traffic.
//
// QOSARB_SEED=n replays a run or makes a new one; QOSARB_CONTESTED=n makes it shorter or longer.
#include "cosim/lockstep.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <ostream>
#include <string>
#include <utility>

#include "cosim/policy/policy_rtl.hpp"
#include "lockstep/campaign.hpp"
#include "lockstep/whole_ports.hpp"
#include "qosarb/policy/policy.hpp"
#include "random/random.hpp"

namespace qosarb {

void PrintTo(const PortBuild& build, std::ostream* out) { *out << build.name; }

namespace test {
namespace {

CampaignResult campaign(CampaignOptions options) {
  options.seed = from_environment("QOSARB_SEED", 1);
  std::cout << "seed " << options.seed << " (QOSARB_SEED)" << std::endl;
  CampaignResult result;
  try {
    run_campaign(options, result);
  } catch (const Mismatch& mismatch) {
    ADD_FAILURE() << mismatch.what();
  }
  const char* separator = "";
  for (const auto& [name, figure] : figures(result)) {
    std::cout << std::exchange(separator, ", ") << name << " " << figure;
  }
  std::cout << "\n";
  return result;
}

// The decisions that count are those in which there was something to decide.
std::uint64_t contested(std::uint64_t otherwise) {
  return from_environment("QOSARB_CONTESTED", otherwise);
}

class RandomizedLockstep : public ::testing::TestWithParam<PolicyRef> {};

TEST_P(RandomizedLockstep, ReferenceAndRtlAgree) {
  const std::uint64_t wanted = contested(100'000);
  const CampaignResult result = campaign({.policies = {GetParam()}, .contested = wanted});
  if (HasFailure()) {
    return;
  }
  EXPECT_GE(result.contested, wanted);
  EXPECT_GT(result.commits, result.decisions / 10000);
  EXPECT_GT(result.too_long, result.decisions / 1000);
  EXPECT_GT(result.zero, result.decisions / 1000);
  EXPECT_GT(result.lowered, result.commits / 20);
}

std::vector<PolicyRef> all_with_rtl() {
  std::vector<PolicyRef> all;
  for (const PolicyRtl* policy : policies_with_rtl()) {
    all.push_back(policy->policy());
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Policies, RandomizedLockstep, ::testing::ValuesIn(all_with_rtl()),
                         [](const auto& policy) {
                           std::string name(policy.param.name());
                           std::erase(name, '-');
                           return name;
                         });

// Ports that have every policy that their size allows, at sizes that are no powers of two and at
// the least and the greatest; commits change the policy under traffic. One of a single queue, whose
// packets are of one flit, has little to refuse; one whose packets have thousands takes its time.
class WholePorts : public ::testing::TestWithParam<PortBuild> {};

TEST_P(WholePorts, AgreeThroughChangesOfThePolicy) {
  const bool one_queue = GetParam().limits.queues == 1;
  const bool long_packets = GetParam().limits.packet_flits > 1023;
  const std::uint64_t wanted = contested(long_packets ? 15'000 : 100'000);
  const CampaignResult result = campaign({.policies = all_with_rtl(),
                                          .builds = {&GetParam(), 1},
                                          .decisions = one_queue ? wanted : 0,
                                          .contested = one_queue ? 0 : wanted});
  if (HasFailure()) {
    return;
  }
  EXPECT_GT(result.changes, wanted / 10'000);
  EXPECT_GT(result.refused, wanted / (one_queue ? 20'000 : 10'000));
  EXPECT_GT(result.resets, wanted / 50'000);
  EXPECT_GT(result.reads, wanted / 1'000);
  EXPECT_GT(result.waits, wanted / 10'000);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WholePorts, ::testing::ValuesIn(whole_ports()),
                         [](const auto& build) {
                           return std::to_string(build.param.limits.queues) + "queues" +
                                  std::to_string(build.param.limits.entries) + "entries";
                         });

}  // namespace
}  // namespace test
}  // namespace qosarb
