#include "policy_under_test.hpp"

namespace qosarb::test {

std::unique_ptr<Arbiter> arbiter_under_test(const ArbiterConfig& config) {
  return make_reference(config);
}

const Arbiter& reference_of(Arbiter& arbiter) { return arbiter; }

}  // namespace qosarb::test
