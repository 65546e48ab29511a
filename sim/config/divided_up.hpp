#pragma once

#include <concepts>

namespace qosarb {

/// a / b rounded up; b is not 0.
template <std::unsigned_integral A, std::unsigned_integral B>
[[nodiscard]] constexpr A divided_up(A a, B b) {
  return static_cast<A>(a / b + (a % b != 0 ? 1 : 0));
}

}  // namespace qosarb
