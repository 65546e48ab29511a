// What the sender of a link knows of the room in the neighbour's queue of one virtual channel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
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
/// is read by one transfer at a time, only one packet's can be coming in at a time; those of later
/// packets are on the wire. Nothing happens when credits come in: who asks counts them then.
class alignas(64) Credits {
 public:
  explicit Credits(std::uint32_t size)
      : settled_(size), lowest_(size), size_(size), wire_(std::make_unique<Return[]>(mask_ + 1)) {}

  /// The credits of a packet of `flits` are on their way, in cycle `now` over a wire of `delay`. It
  /// starts to cross now, and was ready `waited` cycles before (see read_cycle()); the first credit
  /// is in after cycle `now` + `delay`. Packets come in order of time. True if somebody waits for
  /// them; nobody does any more then.
  bool come_back(Cycle now, std::uint32_t delay, std::uint32_t waited, std::uint32_t flits) {
    if (count_ > mask_) [[unlikely]] {
      make_room(now);
    }
    wire_[(first_ + count_++) & mask_] = {now + delay, waited, flits};
    return std::exchange(awaited_, false);
  }
  /// In cycle `now`; times do not decrease.
  [[nodiscard]] bool has(std::uint32_t flits, Cycle now, const Speedup& speedup) {
    return settled_ >= flits || available(now, speedup) >= flits;
  }
  /// The cycle in which `flits`, which are not there in cycle `now`, are there by what is on its
  /// way; ~0 if that is too little. Then come_back() says that somebody waits.
  [[nodiscard]] Cycle when(std::uint32_t flits, Cycle now, const Speedup& speedup);
  /// A packet of `flits` goes in cycle `now`. False, and nothing is taken, if it has no credit.
  [[nodiscard]] bool take(std::uint32_t flits, Cycle now, const Speedup& speedup) {
    const std::int64_t left = settled_ - flits;
    if (left >= lowest_) [[likely]] {
      settled_ = left;
      return true;
    }
    return take_slowly(flits, now, speedup);
  }
  /// Most that were away at once.
  [[nodiscard]] std::uint32_t most_taken() const {
    return static_cast<std::uint32_t>(size_ - lowest_);
  }

 private:
  /// The credits of one packet.
  struct Return {
    Cycle start = 0;
    std::uint32_t ready = 0;  ///< so many cycles before that
    std::uint32_t flits = 0;
  };
  void settle(Cycle now) {
    while (count_ != 0 && wire_[first_].start < now) {
      settled_ += returning_.flits;
      returning_ = wire_[first_];
      first_ = (first_ + 1) & mask_;
      --count_;
    }
  }
  [[nodiscard]] std::int64_t available(Cycle now, const Speedup& speedup) {
    settle(now);
    return settled_ + read_before(now, returning_.start, returning_.start - returning_.ready,
                                  returning_.flits, speedup);
  }
  [[nodiscard]] bool take_slowly(std::uint32_t flits, Cycle now, const Speedup& speedup);
  void make_room(Cycle now);

  std::int64_t settled_;  ///< there, but for those that are coming back; less than 0 if taken
                          ///< from these
  std::int64_t lowest_;   ///< fewest that were there after one was taken
  Return returning_;      ///< the last packet that came back, or is coming
  std::uint32_t size_;
  bool awaited_ = false;
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t mask_ = 3;          ///< the ring's length, a power of two, less 1
  std::unique_ptr<Return[]> wire_;  ///< a ring
};

}  // namespace qosarb
