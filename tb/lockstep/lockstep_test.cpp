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

namespace qosarb::test {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

struct Share {
  Policy policy;
  std::uint64_t decisions;
};
constexpr std::array<Share, 8> kShares = {{{Policy::Rr, 2'000'000},
                                           {Policy::BxiBasic, 4'000'000},
                                           {Policy::BxiDeficit, 6'000'000},
                                           {Policy::Sbt, 5'000'000},
                                           {Policy::DTable, 5'000'000},
                                           {Policy::InfiniBand, 5'000'000},
                                           {Policy::SeastarAge, 5'000'000},
                                           {Policy::Trtcm, 5'000'000}}};

void PrintTo(const Share& share, std::ostream* out) { *out << name_of(share.policy); }

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
                           std::string name(name_of(share.param.policy));
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace qosarb::test
