// The transcriptions that the RTL is proved against (tb/formal/NAME_semantics.sv), beside the
// references: so that what is proved of the RTL is what the reference does.
//
// QOSARB_SEED=n replays a run or makes a new one; QOSARB_DECISIONS=n and QOSARB_CONFIGURATIONS=n
// make it shorter or longer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <set>
#include <string>

#include "cosim/policy/policy_rtl.hpp"
#include "qosarb/policy/policy.hpp"
#include "random/policy_random.hpp"
#include "transcriptions/transcription.hpp"
#include "transcriptions/walk.hpp"

namespace qosarb::test {
namespace {

class Transcriptions : public ::testing::TestWithParam<Transcribed> {
 protected:
  VerilatedContext context_;
  std::unique_ptr<AnyTranscription> module_ = GetParam().make(context_);
  PolicyRef policy_ = policy_named(GetParam().policy);
};

TEST(TranscriptionsTest, ThereIsOneForEachPolicyThatHasRtl) {
  std::set<std::string> transcribed;
  for (const Transcribed& each : transcriptions()) {
    transcribed.insert(each.policy);
  }
  std::set<std::string> all;
  for (const PolicyRtl* policy : policies_with_rtl()) {
    all.emplace(policy->policy().name());
  }
  EXPECT_EQ(transcribed, all);
}

TEST_P(Transcriptions, DecideAsTheReferenceUnderRandomTraffic) {
  Random random(test_seed());
  const std::uint64_t decisions = from_environment("QOSARB_DECISIONS", 100'000);
  ModuleFigures figures;
  try {
    while (figures.decisions < decisions) {
      run_life(*module_, policy_, random,
               {.cycles = random.within(1, random.once_in(8) ? 30'000 : 5000),
                .load_once_in = random.one_of(std::array{300U, 1000U, 20'000U})},
               figures);
    }
  } catch (const Difference& difference) {
    FAIL() << "after " << figures.decisions << " decisions, in " << difference.what();
  }
  std::cout << text_of(figures) << "\n";
  EXPECT_GE(figures.states, figures.decisions);
  EXPECT_GT(figures.contested, decisions / 10);
  EXPECT_GT(figures.loads, decisions / 10'000);
}

class StatesOfTranscriptions : public Transcriptions {};

TEST_P(StatesOfTranscriptions, DecideAsTheReferenceInEveryState) {
  constexpr RtlLimits kSmall{
      .queues = 3, .entries = 4, .quantum_bits = 2, .packet_flits = 2, .vcs = 2};
  Random random(test_seed());
  const std::uint64_t configurations =
      from_environment("QOSARB_CONFIGURATIONS", GetParam().configurations);
  WalkFigures figures;
  try {
    while (figures.configurations < configurations) {
      ArbiterConfig config = random_config(random, policy_, kSmall);
      module_->make_small(config, random);
      walk(*module_, config, random, figures);
    }
  } catch (const Difference& difference) {
    FAIL() << "in configuration " << figures.configurations << ": " << difference.what();
  }
  std::cout << fmt::format("{} configurations, {} states, {} transitions, {} cycles\n",
                           figures.configurations, figures.states, figures.transitions,
                           figures.cycles);
  EXPECT_GT(figures.states, figures.configurations);
}

std::string name_of(const ::testing::TestParamInfo<Transcribed>& tested) {
  std::string name = tested.param.policy;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Transcriptions, ::testing::ValuesIn(transcriptions()), name_of);
INSTANTIATE_TEST_SUITE_P(All, StatesOfTranscriptions, ::testing::ValuesIn(transcriptions()),
                         name_of);

}  // namespace
}  // namespace qosarb::test
