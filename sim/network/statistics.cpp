#include "qosarb/network/statistics.hpp"

#include <algorithm>

#include "qosarb/config/ratio.hpp"

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

std::uint64_t LatencyCounts::count() const {
  std::uint64_t count = 0;
  for_each([&count](Cycle /*cycles*/, std::uint64_t times) { count += times; });
  return count;
}

Cycle LatencyCounts::max() const {
  Cycle max = 0;
  for_each([&max](Cycle cycles, std::uint64_t /*times*/) { max = cycles; });
  return max;
}

double LatencyCounts::mean() const {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  for_each([&](Cycle cycles, std::uint64_t times) {
    count += times;
    sum += cycles * times;
  });
  return ratio(sum, count);
}

Cycle LatencyCounts::quantile(std::uint64_t part, std::uint64_t of) const {
  const std::uint64_t rank = (count() * part + of - 1) / of;
  std::uint64_t seen = 0;
  for (Cycle cycles = 0; cycles < small_.size(); ++cycles) {
    seen += small_[cycles];
    if (seen >= rank) {
      return cycles;
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
