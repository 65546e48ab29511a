// The sizes of a build of the RTL.
#pragma once

#include <cstdint>

namespace qosarb {

/// What a build of the RTL can hold, as its own registers tell it.
struct RtlLimits {
  int queues = 0;
  std::uint32_t entries = 0;
  std::uint32_t quantum_bits = 0;
  std::uint32_t packet_flits = 0;
  std::uint32_t policies = 0;  ///< bit p: the policy with register code p
  int vcs = 0;                 ///< seastar-age: virtual channels of an input port
};

}  // namespace qosarb
