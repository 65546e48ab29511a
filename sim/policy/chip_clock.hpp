// What an arbiter that shares the clock of its chip has to know of the chip's other ports.
#pragma once

#include <cstdint>

#include "qosarb/policy/types.hpp"

namespace qosarb {

/// An arbiter whose chip has an age clock, for who asks it alone and lets the other ports' packets
/// come and go beside it. They only change what the clock counts.
class SharesChipClock {
 public:
  SharesChipClock() = default;
  SharesChipClock& operator=(const SharesChipClock&) = delete;
  virtual ~SharesChipClock() = default;

  /// `packets` that go to other ports are stamped in cycle `now`, to which the arbiter has
  /// advanced.
  virtual void enter_elsewhere(Cycle now, std::uint32_t packets) = 0;
  /// So many packets of an epoch, at most one a port, leave by other ports in cycle `now`. More
  /// than are there are no more than those.
  virtual void leave_elsewhere(Cycle now, bool epoch, std::uint32_t packets) = 0;

 protected:
  SharesChipClock(const SharesChipClock&) = default;
};

}  // namespace qosarb
