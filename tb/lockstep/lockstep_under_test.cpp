#include <gtest/gtest.h>

#include "cosim/engine.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/run_log.hpp"
#include "unit/policy_under_test.hpp"

namespace qosarb::test {

namespace {

int rtl_arbiters = 0;  // of the test that runs

// A test of this program in which the reference decided alone would say nothing of the RTL.
class RtlWasAsked final : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& /*test*/) override { rtl_arbiters = 0; }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (rtl_arbiters == 0) {
      ADD_FAILURE() << test.name() << " builds no arbiter of the RTL: it is no test of it";
    }
  }
};

}  // namespace

std::unique_ptr<Arbiter> arbiter_under_test(const ArbiterConfig& config) {
  const Engine engine = default_engine(config);
  rtl_arbiters += engine == Engine::Lockstep ? 1 : 0;
  return make_factory(engine, {})(config, kLonePort);
}

const Arbiter& reference_of(Arbiter& arbiter) {
  auto* const lockstep = dynamic_cast<LockstepArbiter*>(&arbiter);
  return lockstep == nullptr ? arbiter : lockstep->reference();
}

}  // namespace qosarb::test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ::testing::UnitTest::GetInstance()->listeners().Append(new qosarb::test::RtlWasAsked);
  return RUN_ALL_TESTS();
}
