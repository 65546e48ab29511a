// Reference and RTL, decision by decision, over random tables and traffic.
//
// QOSARB_SEED=n replays a run or makes a new one; QOSARB_DECISIONS=n makes it shorter or longer.
#include "cosim/lockstep.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <ostream>
#include <string>

#include "lockstep/campaign.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/dtable.hpp"
#include "qosarb/policy/infiniband.hpp"
#include "qosarb/policy/rr.hpp"
#include "qosarb/policy/sbt.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/policy/trtcm.hpp"

namespace qosarb::test {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

struct Share {
  PolicyRef policy;
  std::uint64_t decisions;
};
const std::array<Share, 8> kShares = {{{kRr, 2'000'000},
                                       {kBxiBasic, 4'000'000},
                                       {kBxiDeficit, 6'000'000},
                                       {kSbt, 5'000'000},
                                       {kDTable, 5'000'000},
                                       {kInfiniBand, 5'000'000},
                                       {kSeastarAge, 5'000'000},
                                       {kTrtcm, 5'000'000}}};

void PrintTo(const Share& share, std::ostream* out) { *out << share.policy.name(); }

class RandomizedLockstep : public ::testing::TestWithParam<Share> {};

TEST_P(RandomizedLockstep, ReferenceAndRtlAgree) {
  const CampaignOptions options{
      .seed = from_environment("QOSARB_SEED", 1),
      .policy = GetParam().policy,
      .decisions = from_environment("QOSARB_DECISIONS", GetParam().decisions)};
  std::cout << "seed " << options.seed << " (QOSARB_SEED)" << std::endl;
  try {
    CampaignResult result;
    run_campaign(options, result);
    std::cout << result.decisions << " decisions, " << result.grants << " grants, " << result.lives
              << " lives, " << result.commits << " commits during traffic\n";
    EXPECT_EQ(result.decisions, options.decisions);
    EXPECT_GT(result.grants, result.decisions / 4);
    EXPECT_GT(result.commits, result.decisions / 10000);
  } catch (const Mismatch& mismatch) {
    FAIL() << mismatch.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, RandomizedLockstep, ::testing::ValuesIn(kShares),
                         [](const auto& share) {
                           std::string name(share.param.policy.name());
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace qosarb::test
