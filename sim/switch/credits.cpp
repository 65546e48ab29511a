#include "qosarb/switch/credits.hpp"

namespace qosarb {

bool Credits::take_slowly(std::uint32_t flits, Cycle now, const Speedup& speedup) {
  const std::int64_t left = available(now, speedup) - flits;
  if (left < 0) {
    return false;
  }
  settled_ -= static_cast<std::int32_t>(flits);
  lowest_ = static_cast<std::int32_t>(std::min<std::int64_t>(lowest_, left));
  return true;
}

}  // namespace qosarb
