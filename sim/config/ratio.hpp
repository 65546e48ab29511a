#pragma once

#include <cstdint>

namespace qosarb {

/// The share or the mean that two counts make, for people to read; 0 where `of` is 0.
[[nodiscard]] constexpr double ratio(std::uint64_t count, std::uint64_t of) {
  return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
}

}  // namespace qosarb
