// The transcriptions that the RTL is proved against (tb/formal/NAME_semantics.sv), beside the
// references: so that what is proved of the RTL is what the reference does.
//
// QOSARB_SEED=n replays a run or makes a new one; QOSARB_DECISIONS=n and QOSARB_CONFIGURATIONS=n
// make it shorter or longer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "Vbxi_semantics.h"
#include "Vdtable_semantics.h"
#include "Vets_semantics.h"
#include "Vinfiniband_semantics.h"
#include "Vrr_semantics.h"
#include "Vsbt_semantics.h"
#include "Vseastar_age_semantics.h"
#include "Vtrtcm_semantics.h"
#include "qosarb/policy/policy.hpp"
#include "random/policy_random.hpp"
#include "transcriptions/bxi.hpp"
#include "transcriptions/ets.hpp"
#include "transcriptions/infiniband.hpp"
#include "transcriptions/levels.hpp"
#include "transcriptions/rr.hpp"
#include "transcriptions/seastar_age.hpp"
#include "transcriptions/trtcm.hpp"
#include "transcriptions/walk.hpp"

namespace qosarb::test {
namespace {

// The parameters that CMakeLists.txt gives.
template <typename V>
struct Build {
  using Model = V;
  static constexpr Index kQueues = 5;
  static constexpr std::uint32_t kEntries = 13;
  static constexpr Index kQuantumWidth = 5;
  static constexpr std::uint32_t kMaxPacketFlits = 21;
};

struct Tested {
  std::string policy;
  std::function<std::unique_ptr<AnyTranscription>(VerilatedContext&)> make;
};
template <template <typename> typename Adapter, typename Model>
std::unique_ptr<AnyTranscription> made(VerilatedContext& context) {
  return std::make_unique<Adapter<Build<Model>>>(context);
}
void PrintTo(const Tested& tested, std::ostream* out) { *out << tested.policy; }

const std::vector<Tested> kTranscriptions = {
    {"rr", made<RrTranscription, Vrr_semantics>},
    {"bxi-basic", made<BxiTranscription, Vbxi_semantics>},
    {"bxi-deficit", made<BxiTranscription, Vbxi_semantics>},
    {"sbt", made<SbtTranscription, Vsbt_semantics>},
    {"dtable", made<DTableTranscription, Vdtable_semantics>},
    {"infiniband", made<InfiniBandTranscription, Vinfiniband_semantics>},
    {"seastar-age", made<SeastarTranscription, Vseastar_age_semantics>},
    {"trtcm", made<TrtcmTranscription, Vtrtcm_semantics>},
    {"ets", made<EtsTranscription, Vets_semantics>},
};

class Transcriptions : public ::testing::TestWithParam<Tested> {
 protected:
  VerilatedContext context_;
  std::unique_ptr<AnyTranscription> module_ = GetParam().make(context_);
  PolicyRef policy_ = policy_named(GetParam().policy);
};

TEST(TranscriptionsTest, ThereIsOneForEachPolicy) {
  std::vector<std::string> transcribed;
  transcribed.reserve(std::size(kTranscriptions));
  for (const Tested& tested : kTranscriptions) {
    transcribed.push_back(tested.policy);
  }
  std::vector<std::string> all;
  for (const PolicyRandom* policy : random_policies()) {
    all.emplace_back(policy->policy().name());
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

// A chip's age clock has more states than can be visited.
class StatesOfTranscriptions : public Transcriptions {};

TEST_P(StatesOfTranscriptions, DecideAsTheReferenceInEveryState) {
  constexpr RtlLimits kSmall{
      .queues = 3, .entries = 4, .quantum_bits = 2, .packet_flits = 2, .vcs = 2};
  Random random(test_seed());
  const std::uint64_t configurations = from_environment("QOSARB_CONFIGURATIONS", 60);
  WalkFigures figures;
  try {
    while (figures.configurations < configurations) {
      ArbiterConfig config = random_config(random, policy_, kSmall);
      module_->make_small(config);
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

std::string name_of(const ::testing::TestParamInfo<Tested>& tested) {
  std::string name = tested.param.policy;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
std::vector<Tested> all_but(const std::string& policy) {
  std::vector<Tested> others;
  std::copy_if(kTranscriptions.begin(), kTranscriptions.end(), std::back_inserter(others),
               [&](const Tested& tested) { return tested.policy != policy; });
  return others;
}

INSTANTIATE_TEST_SUITE_P(All, Transcriptions, ::testing::ValuesIn(kTranscriptions), name_of);
INSTANTIATE_TEST_SUITE_P(All, StatesOfTranscriptions, ::testing::ValuesIn(all_but("seastar-age")),
                         name_of);

}  // namespace
}  // namespace qosarb::test
