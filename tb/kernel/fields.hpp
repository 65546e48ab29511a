// Fields of the packed vectors that are the pins of a Verilated module, whatever type Verilator
// chose for them: an integer of up to 64 bits, or an array of words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace qosarb::test {

/// Bits [bit, bit + width) of `vector`; width <= 32.
template <typename T>
std::uint32_t field(const T& vector, std::size_t bit, std::size_t width) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint32_t>(std::uint64_t{vector} >> bit & mask);
  } else {
    std::uint64_t words = vector[bit / 32];
    if (bit % 32 + width > 32) {
      words |= std::uint64_t{vector[bit / 32 + 1]} << 32;
    }
    return static_cast<std::uint32_t>(words >> (bit % 32) & mask);
  }
}

/// Writes the lowest `width` bits of `value` there.
template <typename T>
void set_field(T& vector, std::size_t bit, std::size_t width, std::uint64_t value) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  if constexpr (std::is_integral_v<T>) {
    vector = static_cast<T>((std::uint64_t{vector} & ~(mask << bit)) | (value & mask) << bit);
  } else {
    const auto put = [&vector](std::size_t word, std::uint64_t cleared, std::uint64_t bits) {
      vector[word] = static_cast<std::uint32_t>((vector[word] & ~cleared) | bits);
    };
    const std::uint64_t cleared = mask << (bit % 32);
    const std::uint64_t bits = (value & mask) << (bit % 32);
    put(bit / 32, cleared & UINT32_MAX, bits & UINT32_MAX);
    if ((cleared >> 32) != 0) {
      put(bit / 32 + 1, cleared >> 32, bits >> 32);
    }
  }
}

/// Element `index` of an array whose elements have `width` bits.
template <typename T>
void set_element(T& vector, std::size_t index, std::size_t width, std::uint64_t value) {
  set_field(vector, index * width, width, value);
}
template <typename T>
std::uint32_t element(const T& vector, std::size_t index, std::size_t width) {
  return field(vector, index * width, width);
}

}  // namespace qosarb::test
