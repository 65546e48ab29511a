// Random numbers of the tests: those of the library, and a few ways to draw.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "qosarb/traffic/random.hpp"

namespace qosarb::test {

class Random : public qosarb::Random {
 public:
  using qosarb::Random::Random;

  /// Within low .. high.
  std::uint64_t within(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }
  /// The same for numbers of any type, which is that of `low`.
  template <typename T>
  T from(T low, std::type_identity_t<T> high) {
    return static_cast<T>(low + static_cast<T>(below(static_cast<std::uint64_t>(high - low) + 1)));
  }
  bool chance(std::uint64_t percent) { return below(100) < percent; }
  /// True once in `n` calls, on average; never for n = 0.
  bool once_in(std::uint64_t n) { return n != 0 && below(n) == 0; }
  template <typename T, std::size_t N>
  T one_of(const std::array<T, N>& values) {
    return values[below(N)];
  }
  template <typename T>
  const T& one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }
  /// Within low .. high: short, middling and extreme values alike.
  template <typename T>
  T spread(T low, std::type_identity_t<T> high) {
    switch (below(5)) {
      case 0:
        return low;
      case 1:
        return high;
      case 2:
        return from(low, std::min<T>(high, low + 7));
      case 3:
        return from(low, std::min<T>(high, low + 63));
      default:
        return from(low, high);
    }
  }
  /// Fisher-Yates.
  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[below(i)]);
    }
  }
};

/// A number from the environment, to replay a run or to change its length.
inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text, nullptr, 0);
}

/// The seed of a test, which is printed as the test begins: `otherwise`, or QOSARB_SEED of the
/// environment, to replay a run or to make another.
inline std::uint64_t test_seed(std::uint64_t otherwise = 1) {
  const std::uint64_t seed = from_environment("QOSARB_SEED", otherwise);
  std::cout << "seed " << seed << " (QOSARB_SEED)" << std::endl;
  return seed;
}

}  // namespace qosarb::test
