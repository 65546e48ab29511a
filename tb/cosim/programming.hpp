// Which registers a driver writes to bring a configuration into force.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "qosarb/policy/config.hpp"

namespace qosarb {

/// A word and its offset in the port's registers, in bytes.
struct RegisterWrite {
  std::uint32_t offset = 0;
  std::uint32_t value = 0;
};

/// What the POLICY register takes for a policy.
std::uint32_t policy_code(Policy policy);

/// In order; the last one starts the commit, whose outcome STATUS tells. `entries` and `queues` are
/// those of the port's build. Values that it cannot hold are refused by the commit.
std::vector<RegisterWrite> register_writes(const ArbiterConfig& config, std::size_t entries,
                                           std::size_t queues);

}  // namespace qosarb
