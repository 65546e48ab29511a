// The ports of the look-ahead engines, of which Verilator chooses the types by their widths.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../ages/bench.hpp"

namespace qosarb::test {

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

}  // namespace qosarb::test
