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
    next = wire_[(first_ + i) & (wire_.size() - 1)];
  }
  const auto nth = static_cast<std::uint64_t>(lacking - 1);
  return read_cycle(next.start, next.start - next.ready, nth, speedup) + 1;
}

void Credits::grow() {
  std::vector<Return> wire(std::max<std::size_t>(2 * wire_.size(), 4));
  for (std::uint32_t i = 0; i < count_; ++i) {
    wire[i] = wire_[(first_ + i) & (wire_.size() - 1)];
  }
  wire_ = std::move(wire);
  first_ = 0;
}

}  // namespace qosarb
