// How large a token bucket must be for its rate to be kept.
#pragma once

#include <cstdint>

namespace qosarb {

/// The assured burst, in flits, with which a backlogged class loses no token of its assured rate,
/// whatever traffic the others have: `higher_bursts` is the sum of the assured bursts of all
/// classes of higher priority. docs/analyze.md, "trtcm".
std::uint64_t sufficient_burst(std::uint64_t longest_packet, std::uint64_t higher_bursts);

}  // namespace qosarb
