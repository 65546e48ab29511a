#include "cosim/engine.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/run_log.hpp"
#include "unit/policy_under_test.hpp"

namespace qosarb::test {

std::unique_ptr<Arbiter> arbiter_under_test(const ArbiterConfig& config) {
  return make_factory(default_engine(config), {})(config, kLonePort);
}

const Arbiter& reference_of(Arbiter& arbiter) {
  auto* const lockstep = dynamic_cast<LockstepArbiter*>(&arbiter);
  return lockstep == nullptr ? arbiter : lockstep->reference();
}

}  // namespace qosarb::test
