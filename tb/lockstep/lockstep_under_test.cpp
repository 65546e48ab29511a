// The arbiters of the worked examples with the RTL: a test that compares no decision of the RTL
// with one of the reference fails.
#include <gtest/gtest.h>

#include <atomic>

#include "cosim/engine.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/run_log.hpp"
#include "unit/policy_under_test.hpp"

namespace qosarb::test {
namespace {

std::atomic<std::uint64_t> compared = 0;  // decisions of the test that runs

class ComparesRtl final : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& /*test*/) override { compared = 0; }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (!test.result()->Skipped() && !test.result()->Failed()) {
      EXPECT_GT(compared, 0U) << "no decision of the RTL was compared";
    }
  }
};

[[maybe_unused]] const bool kListens = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new ComparesRtl);  // which takes it over
  return true;
}();

}  // namespace

std::unique_ptr<Arbiter> arbiter_under_test(const ArbiterConfig& config) {
  return make_factory(default_engine(config), {.compared = &compared})(config, kLonePort);
}

const Arbiter& reference_of(Arbiter& arbiter) {
  auto* const lockstep = dynamic_cast<LockstepArbiter*>(&arbiter);
  return lockstep == nullptr ? arbiter : lockstep->reference();
}

}  // namespace qosarb::test
