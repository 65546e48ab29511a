// What the sender of a link knows of the room in the neighbour's queue of one virtual channel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

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
/// is read by one transfer at a time, only one packet's can be coming in at a time. An event tells
/// of the first of them (see SimEventKind::Credits); who asks counts the others then.
class Credits {
 public:
  Credits() = default;
  /// `size` are there. `waits` is SimEvent::where of the CreditWake of who waits for them.
  Credits(std::uint32_t size, std::uint32_t waits)
      : settled_(static_cast<std::int32_t>(size)), lowest_(settled_), waits_(waits) {}

  /// In cycle `now` the first credit of a packet of `flits` is in. True if somebody waits for
  /// credits; nobody does any more then.
  bool come_back(Cycle now, std::uint32_t flits) {
    settled_ += static_cast<std::int32_t>(flits_);
    if (flits == 1) {  // all of them are in
      ++settled_;
      flits_ = 0;
    } else {
      start_ = now - 1;
      flits_ = flits;
      waited_ = kLong;
    }
    return std::exchange(awaited_, false);
  }
  /// That packet started to cross so few cycles after it was ready that the neighbour's crossbar,
  /// faster than the link, reads it no faster than it came in (see read_cycle()).
  void came_late(std::uint32_t waited) { waited_ = waited; }

  /// In cycle `now`; times do not decrease.
  [[nodiscard]] bool has(std::uint32_t flits, Cycle now, const Speedup& speedup) const {
    return settled_ >= std::int64_t{flits} || available(now, speedup) >= flits;
  }
  /// The cycle in which `flits`, which are not there in cycle `now`, are there by what is coming
  /// in; ~0 if that is too little. Then come_back() says that somebody waits.
  [[nodiscard]] Cycle when(std::uint32_t flits, const Speedup& speedup) {
    const std::int64_t lacking = std::int64_t{flits} - settled_;
    if (lacking > flits_) {
      awaited_ = true;
      return kNever;
    }
    return read_cycle(start_, ready(), lacking - 1, speedup) + 1;
  }
  /// A packet of `flits` goes in cycle `now`. False, and nothing is taken, if it has no credit.
  [[nodiscard]] bool take(std::uint32_t flits, Cycle now, const Speedup& speedup) {
    const std::int32_t left = settled_ - static_cast<std::int32_t>(flits);
    if (left >= lowest_) [[likely]] {
      settled_ = left;
      return true;
    }
    return take_slowly(flits, now, speedup);
  }
  /// Fewest that were there after one was taken.
  [[nodiscard]] std::uint32_t lowest() const { return lowest_; }
  [[nodiscard]] std::uint32_t waits() const { return waits_; }

 private:
  [[nodiscard]] std::int64_t available(Cycle now, const Speedup& speedup) const {
    return settled_ + std::int64_t{read_before(now, start_, ready(), flits_, speedup)};
  }
  [[nodiscard]] bool take_slowly(std::uint32_t flits, Cycle now, const Speedup& speedup);
  /// That packet would have been ready then, if its first credit came at `start_`.
  [[nodiscard]] Cycle ready() const { return start_ - std::min<Cycle>(start_, waited_); }
  static constexpr std::uint32_t kLong = ~std::uint32_t{0};

  std::int32_t settled_ = 0;  ///< there, but for those of the packet that came back last; less
                              ///< than 0 if taken from these
  std::int32_t lowest_ = 0;   ///< fewest that were there after one was taken
  Cycle start_ = 0;           ///< of that packet: the cycle before its first credit is in
  std::uint32_t flits_ = 0;   ///< of that packet; 0 if it had one
  std::uint32_t waited_ = 0;  ///< ready() so many cycles before
  std::uint32_t waits_ = 0;
  bool awaited_ = false;
};
static_assert(sizeof(Credits) == 32);

}  // namespace qosarb
