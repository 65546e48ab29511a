// Sets of queues, ports or channels, a bit for each.
#pragma once

#include <bit>
#include <cstdint>

namespace qosarb {

using Mask = std::uint64_t;
constexpr Mask bit(int i) { return Mask{1} << i; }
/// The bits of 0 to `count` - 1; `count` is 1..64.
constexpr Mask first_bits(int count) { return ~Mask{0} >> (64 - count); }
/// `mask` is not 0.
inline int lowest(Mask mask) { return std::countr_zero(mask); }

/// The first set bit after `last`, circularly. `mask` is not 0; `last` is 0..63.
inline int first_after(Mask mask, int last) {
  const Mask above = mask & (~Mask{1} << last);
  return lowest(above != 0 ? above : mask);
}

}  // namespace qosarb
