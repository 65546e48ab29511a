// How fast a link is, and when the flits of a packet have gone over one slower than the port clock.
#pragma once

#include <compare>
#include <cstdint>

#include "qosarb/config/divided_up.hpp"
#include "qosarb/policy/types.hpp"

namespace qosarb {

/// `flits` in `cycles`, a fraction <= 1 in lowest terms. In each cycle a busy wire carries so much
/// of a flit. What is over when a packet ends, less than a cycle's worth, is the `spare` of the
/// next one if that starts in the very next cycle; otherwise it is lost. So a wire that is never
/// idle carries exactly its rate. A spare counts 1 / `cycles` of a flit; it is below `flits`.
struct LinkRate {
  std::uint32_t flits = 1;
  std::uint32_t cycles = 1;
  friend bool operator==(const LinkRate&, const LinkRate&) = default;
  /// The slower one is less.
  friend constexpr std::strong_ordering operator<=>(const LinkRate& a, const LinkRate& b) {
    return std::uint64_t{a.flits} * b.cycles <=> std::uint64_t{b.flits} * a.cycles;
  }

  /// Of `cycles`: a spare fits 8 bits.
  static constexpr std::uint32_t kFinest = 256;

  [[nodiscard]] constexpr bool slow() const { return cycles != 1; }
  /// Flits a cycle, for people to read.
  [[nodiscard]] constexpr double per_cycle() const { return static_cast<double>(flits) / cycles; }
  /// Cycles that `count` flits take, the first of which starts with `spare`.
  [[nodiscard]] constexpr Cycle cycles_of(std::uint64_t count, std::uint32_t spare = 0) const {
    return divided_up(count * cycles - spare, flits);
  }
  /// What is over then.
  [[nodiscard]] constexpr std::uint32_t spare_after(std::uint64_t count,
                                                    std::uint32_t spare) const {
    return static_cast<std::uint32_t>(cycles_of(count, spare) * flits + spare - count * cycles);
  }
  /// Of a packet that leaves `over`: flits that have not gone `before` cycles before its end, if
  /// it is so long.
  [[nodiscard]] constexpr std::uint64_t left(Cycle before, std::uint32_t over) const {
    return before == 0 ? 0 : divided_up(before * flits - over, cycles);
  }
  /// The inverse: so many cycles before its end no more than `count` of its flits are left.
  [[nodiscard]] constexpr Cycle last_cycles(std::uint64_t count, std::uint32_t over) const {
    return (count * cycles + over) / flits;
  }
};

}  // namespace qosarb
