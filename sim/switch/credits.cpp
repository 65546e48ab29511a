#include "qosarb/switch/credits.hpp"

namespace qosarb {

Cycle Credits::when(std::uint32_t flits, Cycle now, const Speedup& speedup) {
  settle(now);
  std::int64_t lacking = flits - settled_;
  Return next = returning_;
  for (std::uint32_t i = 0; lacking > next.flits; ++i) {
    if (i == count_) {
      awaited_ = true;
      return ~Cycle{0};
    }
    lacking -= next.flits;
    next = wire_[(first_ + i) & mask_];
  }
  return read_cycle(next.start, next.start - next.ready, lacking - 1, speedup) + 1;
}

bool Credits::take_slowly(std::uint32_t flits, Cycle now, const Speedup& speedup) {
  const std::int64_t left = available(now, speedup) - flits;
  if (left < 0) {
    return false;
  }
  settled_ -= flits;
  lowest_ = std::min(lowest_, left);
  return true;
}

// The ring only grows for what has not arrived.
void Credits::make_room(Cycle now) {
  settle(now);
  if (count_ <= mask_) {
    return;
  }
  auto wire = std::make_unique<Return[]>(std::size_t{2} * (mask_ + 1));
  for (std::uint32_t i = 0; i < count_; ++i) {
    wire[i] = wire_[(first_ + i) & mask_];
  }
  wire_ = std::move(wire);
  mask_ = 2 * mask_ + 1;
  first_ = 0;
}

}  // namespace qosarb
