// rr at random: it has no parameters.
#include "qosarb/policy/policy.hpp"
#include "random/policy_random.hpp"

namespace qosarb::test {

const PolicyRandom& rr_random() {
  static const PolicyRandom random(policy_named("rr"));
  return random;
}

}  // namespace qosarb::test
