// The size of the RTL that stands in SystemC: a port with every policy. The parameters are those
// that CMakeLists.txt gives.
#pragma once

#include "cosim/rtl_limits.hpp"

namespace qosarb {

inline constexpr RtlLimits kRtl{.queues = 12,
                                .entries = 20,
                                .quantum_bits = 16,
                                .packet_flits = 1023,
                                .policies = QOSARB_ALL_POLICIES,
                                .vcs = 4};

}  // namespace qosarb
