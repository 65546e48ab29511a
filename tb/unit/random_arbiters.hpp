// Configurations drawn at random.
#pragma once

#include <string>

#include "policy_under_test.hpp"

namespace qosarb::test {

/// The `arbiter:` section (without the key) of a small arbiter of `policy`, which is not
/// seastar-age.
std::string random_config(Random& random, const std::string& policy);

}  // namespace qosarb::test
