// Random numbers with the same bits on every machine: no std:: distributions, no libm.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace qosarb {

__extension__ using Uint128 = unsigned __int128;

/// xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021),
/// its state filled by SplitMix64 from a seed and the numbers of a stream.
class Random {
 public:
  /// Streams with different (a, b) of one seed are independent of each other.
  explicit Random(std::uint64_t seed, std::uint64_t a = 0, std::uint64_t b = 0);

  /// 64 random bits.
  std::uint64_t bits();

  /// Uniform in 0..n-1, n >= 1, without bias (Lemire, "Fast random integer generation in an
  /// interval", 2019).
  std::uint64_t below(std::uint64_t n);
  /// The same, of a type that n has or could have.
  template <std::integral Number>
  Number below(std::type_identity_t<Number> n) {
    return static_cast<Number>(below(std::uint64_t{0} + n));
  }

  /// Exponentially distributed with mean 1, in units of 2^-32, by von Neumann's comparisons
  /// ("Various techniques used in connection with random digits", 1951): exact but for the unit.
  std::uint64_t exponential();

 private:
  std::array<std::uint64_t, 4> state_{};
};

inline std::uint64_t Random::bits() {
  auto& [s0, s1, s2, s3] = state_;
  const std::uint64_t result = std::rotl(s1 * 5, 7) * 9;
  const std::uint64_t t = s1 << 17U;
  s2 ^= s0;
  s3 ^= s1;
  s1 ^= s2;
  s0 ^= s3;
  s2 ^= t;
  s3 = std::rotl(s3, 45);
  return result;
}

inline std::uint64_t Random::below(std::uint64_t n) {
  Uint128 product = Uint128{bits()} * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t rejected = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < rejected) {
      product = Uint128{bits()} * n;
    }
  }
  return static_cast<std::uint64_t>(product >> 64U);
}

}  // namespace qosarb
