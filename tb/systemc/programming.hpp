// Which registers a driver writes to bring a configuration into force.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "qosarb/policy/config.hpp"

namespace qosarb {

struct RegisterWrite {
  std::uint32_t offset = 0;
  std::uint32_t value = 0;
};

/// In order; the last one starts the commit, whose outcome STATUS tells. Values that the RTL cannot
/// hold are refused by it. Errors: InputError, naming `file`, for a policy without RTL.
std::vector<RegisterWrite> register_writes(const ArbiterConfig& config, const std::string& file);

}  // namespace qosarb
