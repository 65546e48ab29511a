// Which registers a driver writes to bring a configuration into force.
#pragma once

#include <cstdint>
#include <vector>

#include "cosim/rtl_limits.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

/// A word and its offset in the port's registers, in bytes.
struct RegisterWrite {
  std::uint32_t offset = 0;
  std::uint32_t value = 0;
};

/// In order; the last one starts the commit, whose outcome STATUS tells. `limits` are those of the
/// port's build. Values that it cannot hold are refused by the commit.
std::vector<RegisterWrite> register_writes(const ArbiterConfig& config, const RtlLimits& limits);

}  // namespace qosarb
