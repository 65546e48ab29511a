// The only list of policies in the library.

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/dtable.hpp"
#include "qosarb/policy/ets.hpp"
#include "qosarb/policy/infiniband.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/rr.hpp"
#include "qosarb/policy/sbt.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/policy/trtcm.hpp"

namespace qosarb {

std::span<const PolicyRef> policies() {
  static const std::vector<PolicyRef> all = {kRr,         kBxiBasic,   kBxiDeficit, kSbt, kDTable,
                                             kInfiniBand, kSeastarAge, kTrtcm,      kEts};
  return all;
}

PolicyRef policy_named(std::string_view name) {
  const auto all = policies();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [name](PolicyRef policy) { return policy.name() == name; });
  if (found == all.end()) {
    throw std::invalid_argument(fmt::format("there is no policy '{}'", name));
  }
  return *found;
}

PolicyRef::PolicyRef() : PolicyRef(kRr) {}

}  // namespace qosarb
