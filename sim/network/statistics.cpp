#include "qosarb/network/statistics.hpp"

#include <algorithm>

namespace qosarb {

namespace {
constexpr Cycle kSmall = Cycle{1} << 20U;
}

void LatencyCounts::add_new(Cycle cycles) {
  if (cycles < kSmall) {
    small_.resize(std::max<std::size_t>(cycles + 1, 2 * small_.size()));
    ++small_[cycles];
  } else {
    ++large_[cycles];
  }
}

double LatencyCounts::mean() const {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

Cycle LatencyCounts::quantile(std::uint64_t part, std::uint64_t of) const {
  const std::uint64_t rank = (count_ * part + of - 1) / of;
  std::uint64_t seen = 0;
  for (Cycle cycles = 0; cycles < small_.size(); ++cycles) {
    seen += small_[cycles];
    if (seen >= rank) {
      return count_ == 0 ? 0 : cycles;
    }
  }
  for (const auto& [cycles, times] : large_) {
    seen += times;
    if (seen >= rank) {
      return cycles;
    }
  }
  return 0;
}

}  // namespace qosarb
