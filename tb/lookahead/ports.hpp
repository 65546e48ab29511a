// What the tests of the look-ahead engines have in common: their sizes, and their ports, of which
// Verilator chooses the types by their widths.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <type_traits>

#include "../ages/bench.hpp"

namespace qosarb::test {

/// Parameters of the builds.
struct LargeSize {
  static constexpr std::size_t kQueues = 8;
  static constexpr std::size_t kEntries = 32;
  static constexpr std::size_t kQuantumWidth = 16;
  static constexpr std::uint32_t kMaxPacketFlits = 255;
};
struct OddSize {
  static constexpr std::size_t kQueues = 5;
  static constexpr std::size_t kEntries = 13;
  static constexpr std::size_t kQuantumWidth = 5;
  static constexpr std::uint32_t kMaxPacketFlits = 21;
};

/// The bits of an index below `count`.
constexpr std::size_t index_width(std::size_t count) {
  return static_cast<std::size_t>(std::bit_width(count - 1));
}

/// Bits [bit, bit + width) of a port, whatever type Verilator chose for it.
template <typename T>
void put(T& port, std::size_t bit, std::size_t width, std::uint64_t value) {
  if constexpr (std::is_integral_v<T>) {
    for (std::size_t i = 0; i < width; ++i) {
      set_bit(port, bit + i, ((value >> i) & 1U) != 0);
    }
  } else {
    set_bits(port, bit, width, static_cast<std::uint32_t>(value));
  }
}

template <typename T>
std::uint64_t get(const T& port, std::size_t bit, std::size_t width) {
  if constexpr (std::is_integral_v<T>) {
    return (std::uint64_t{port} >> bit) & ((std::uint64_t{1} << width) - 1);
  } else {
    return get_bits(port, bit, width);
  }
}

/// A reset over `edges` clock edges; none is enough, in the middle of traffic too. Every queue
/// shows packets in it, none of which may be granted or count.
template <typename Build>
void reset(typename Build::Model& rtl, std::uint64_t edges) {
  rtl.rst_ni = 1;
  rtl.eval();
  rtl.load_i = 0;
  rtl.request_i = 1;
  for (std::size_t q = 0; q < Build::kQueues; ++q) {
    put(rtl.valid_i, q, 1, 1);
    put(rtl.next_valid_i, q, 1, 1);
    put(rtl.stopped_i, q, 1, 0);
  }
  for (std::size_t e = 0; e < Build::kEntries; ++e) {
    put(rtl.entry_used_i, e, 1, 1);
  }
  rtl.clk_i = 0;
  rtl.rst_ni = 0;
  rtl.eval();
  ASSERT_EQ(rtl.grant_valid_o, 0);
  ASSERT_EQ(rtl.grant_o, 0);
  for (std::uint64_t edge = 0; edge < edges; ++edge) {
    rtl.clk_i = 1;
    rtl.eval();
    ASSERT_EQ(rtl.grant_valid_o, 0);
    rtl.clk_i = 0;
    rtl.eval();
    ASSERT_EQ(rtl.grant_valid_o, 0);
  }
  rtl.rst_ni = 1;
  rtl.eval();
  ASSERT_EQ(rtl.grant_valid_o, 0);
}

/// The bits of a packet's length.
template <typename Build>
constexpr std::size_t kLengthWidth = index_width(Build::kMaxPacketFlits + 1);

/// The length of a packet that arrives: once in `lie` packets any that the port can show, 0 and too
/// long ones too (semantics.md, "Lengths that lie"), else 1 .. `longest`.
template <typename Build>
std::uint32_t random_length(Random& random, std::uint64_t longest, std::uint64_t lie) {
  if (random.once_in(lie)) {
    return static_cast<std::uint32_t>(
        random.once_in(3) ? 0 : random.below(std::uint64_t{1} << kLengthWidth<Build>));
  }
  return static_cast<std::uint32_t>(random.within(1, longest));
}

/// The head of a queue as the reference sees it.
inline Head head_of(const std::deque<std::uint32_t>& queue, bool stopped) {
  if (queue.empty()) {
    return {.stopped = stopped};
  }
  const bool says_zero = queue.front() == 0;
  return {.flits = says_zero ? 1 : queue.front(), .stopped = stopped, .says_zero = says_zero};
}

/// Shows the first two packets of queue q, in flits. `leaving` is the one that is being granted,
/// which the queue still has. Without a packet its length means nothing, so it must not matter:
/// random bits stand there.
template <typename Build>
void show_packets(typename Build::Model& rtl, std::size_t q, std::optional<std::uint32_t> leaving,
                  const std::deque<std::uint32_t>& queue, Random& random) {
  std::array<std::optional<std::uint32_t>, 2> shown;
  std::size_t count = 0;
  if (leaving) {
    shown[count++] = leaving;
  }
  for (std::size_t i = 0; i < queue.size() && count < shown.size(); ++i) {
    shown[count++] = queue[i];
  }
  constexpr std::size_t kWidth = kLengthWidth<Build>;
  const auto length = [&](std::optional<std::uint32_t> flits) {
    return flits ? *flits : random.below(std::uint64_t{1} << kWidth);
  };
  put(rtl.valid_i, q, 1, shown[0] ? 1 : 0);
  put(rtl.next_valid_i, q, 1, shown[1] ? 1 : 0);
  put(rtl.flits_i, q * kWidth, kWidth, length(shown[0]));
  put(rtl.next_flits_i, q * kWidth, kWidth, length(shown[1]));
}

}  // namespace qosarb::test
