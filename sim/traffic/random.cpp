#include "qosarb/traffic/random.hpp"

namespace qosarb {

namespace {

std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  // Each number is mixed in before the next, so that (1, 2) and (2, 1) share nothing.
  std::uint64_t mixed = seed;
  mixed = split_mix(mixed) + a;
  mixed = split_mix(mixed) + b;
  for (std::uint64_t& word : state_) {
    word = split_mix(mixed);
  }
}

// u1 > u2 > ... > uk <= u(k+1): for k odd u1 is accepted, and then has density e^-u on (0, 1); for
// k even one more unit has passed.
std::uint64_t Random::exponential() {
  for (std::uint64_t units = 0;; ++units) {
    const std::uint64_t first = bits();
    std::uint64_t last = first;
    bool odd = true;
    for (std::uint64_t next = bits(); next < last; next = bits()) {
      last = next;
      odd = !odd;
    }
    if (odd) {
      return (units << 32U) + (first >> 32U);
    }
  }
}

}  // namespace qosarb
