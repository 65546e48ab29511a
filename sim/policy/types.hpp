// What an arbiter sees and says, in the units of the port clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace qosarb {

/// Time in cycles of the port clock; one flit crosses a link in one cycle.
using Cycle = std::uint64_t;
/// A cycle that never comes.
inline constexpr Cycle kNever = ~Cycle{0};

/// Which queue, port or table entry, counted from 0; -1 stands for none. It subscripts a container
/// as it is.
using Index = int;

/// The elements of `container`: the Index behind its last one.
template <typename Container>
constexpr Index count(const Container& container) {
  return static_cast<Index>(container.size());
}

/// Where `value` stands in `container`; count(container) if it does not.
template <typename Container, typename Value>
constexpr Index index_of(const Container& container, const Value& value) {
  return static_cast<Index>(std::find(container.begin(), container.end(), value) -
                            container.begin());
}

/// What SeaStar's input side (Procedure 1 of the Cray XT paper) writes into a packet as it arrives.
struct AgeStamp {
  std::uint16_t field = 0;  ///< (age - timestamp) mod 512
  bool epoch = false;       ///< the epoch in which the packet arrived

  friend bool operator==(const AgeStamp&, const AgeStamp&) = default;
};

/// The candidate that one queue offers: its first packet.
struct Head {
  std::uint32_t flits = 0;  ///< length in flits, as it counts; 0: the queue is empty
  bool stopped = false;     ///< PFC pause, or no credit for a whole packet
  std::uint8_t age = 0;     ///< the age that the packet came with
  AgeStamp stamp{};         ///< seastar-age only
  /// The packet says that it has 0 flits. It counts as one of 1 flit, and `flits` is 1
  /// (docs/safety.md).
  bool says_zero = false;

  /// The length that the packet shows.
  [[nodiscard]] std::uint32_t shown_flits() const { return says_zero ? 0 : flits; }

  /// A queue is active when it is not empty and not stopped.
  [[nodiscard]] bool active() const { return flits != 0 && !stopped; }
};

/// The heads of all queues of a port, indexed by queue.
using Heads = std::span<const Head>;

/// The outcome of one arbitration. `queue` is -1 when none wins; then flits and age are 0.
struct Decision {
  Index queue = -1;
  std::uint32_t flits = 0;  ///< as it counts; a Port's are those that the packet shows
  std::uint8_t age = 0;     ///< the packet's new age (seastar-age), else the age that it came with

  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace qosarb
