// What the sender of a link knows of the room in the neighbour's queue of one virtual channel.
#pragma once

#include <algorithm>
#include <cstdint>

#include "qosarb/policy/types.hpp"

namespace qosarb {

/// How fast a crossbar reads: `flits` in `cycles`, a fraction >= 1 of the link's rate.
struct Speedup {
  std::uint32_t flits = 2;   ///< may cross from one input to one output ...
  std::uint32_t cycles = 1;  ///< ... in so many cycles
};

/// The cycle in which flit `flit` of a packet leaves its input queue, if the transfer starts in
/// cycle `start` and flit i may cross from cycle `ready` + i on.
constexpr Cycle read_cycle(Cycle start, Cycle ready, std::uint64_t flit, const Speedup& speedup) {
  const std::uint64_t step = ((flit + 1) * speedup.cycles + speedup.flits - 1) / speedup.flits - 1;
  return std::max(start + step, ready + flit);
}

/// The inverse: how many of its `flits` have left before cycle `now`.
constexpr std::uint32_t read_before(Cycle now, Cycle start, Cycle ready, std::uint32_t flits,
                                    const Speedup& speedup) {
  if (now <= start) {
    return 0;
  }
  const Cycle passed = now - start;
  const Cycle by_rate =
      speedup.cycles == 1 ? passed * speedup.flits : passed * speedup.flits / speedup.cycles;
  return static_cast<std::uint32_t>(std::min({by_rate, now - ready, Cycle{flits}}));
}

/// Credits count flits. A packet takes all of its own when it is granted; they come back one by
/// one, each a wire's delay and a cycle after its flit has left the neighbour's queue. As a queue
/// is read by one transfer at a time, only the last packet's can be on their way back.
class Credits {
 public:
  explicit Credits(std::uint32_t size) : settled_(size), size_(size) {}

  /// The first credit of a packet of `flits` is in. `start` and `ready` are those of read_cycle(),
  /// later by the wire's delay.
  void come_back(Cycle start, Cycle ready, std::uint32_t flits) {
    settled_ += returning_;
    start_ = start;
    ready_ = ready;
    returning_ = flits;
  }
  [[nodiscard]] std::int64_t available(Cycle now, const Speedup& speedup) const {
    return settled_ + read_before(now, start_, ready_, returning_, speedup);
  }
  [[nodiscard]] bool has(std::uint32_t flits, Cycle now, const Speedup& speedup) const {
    return settled_ >= flits || available(now, speedup) >= flits;
  }
  /// The cycle in which `flits` are there by what is on its way back; ~0 if that is too little.
  [[nodiscard]] Cycle when(std::uint32_t flits, const Speedup& speedup) const {
    if (settled_ + returning_ < flits) {
      return ~Cycle{0};
    }
    const std::int64_t nth = flits - settled_;
    return nth <= 0 ? 0
                    : read_cycle(start_, ready_, static_cast<std::uint64_t>(nth - 1), speedup) + 1;
  }
  /// A packet of `flits` goes. Errors: none here; the caller has asked has().
  void take(std::uint32_t flits) { settled_ -= flits; }
  /// At most so many are away.
  [[nodiscard]] std::int64_t most_taken() const { return size_ - settled_; }
  /// Credits that are away.
  [[nodiscard]] std::uint32_t taken(Cycle now, const Speedup& speedup) const {
    return static_cast<std::uint32_t>(std::int64_t{size_} - available(now, speedup));
  }

 private:
  std::int64_t settled_;  ///< there, but for those that are coming back; less than 0 if taken
                          ///< from these
  Cycle start_ = 0;
  Cycle ready_ = 0;
  std::uint32_t returning_ = 0;  ///< of the last packet
  std::uint32_t size_;
};

}  // namespace qosarb
