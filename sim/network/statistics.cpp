#include "qosarb/network/statistics.hpp"

#include <algorithm>

#include "qosarb/config/divided_up.hpp"
#include "qosarb/config/ratio.hpp"

namespace qosarb {

namespace {
constexpr Cycle kSmall = Cycle{1} << 20U;
}

void LatencyCounts::add_new(Cycle cycles) {
  if (cycles < kSmall) {
    small_.resize(
        std::min<std::size_t>(kSmall, std::max<std::size_t>(cycles + 1, 2 * small_.size())));
    ++small_[cycles];
  } else {
    ++large_[cycles];
  }
}

void LatencyCounts::add(const LatencyCounts& other) {
  small_.resize(std::max(small_.size(), other.small_.size()));
  for (std::size_t cycles = 0; cycles < other.small_.size(); ++cycles) {
    small_[cycles] += other.small_[cycles];
  }
  for (const auto& [cycles, times] : other.large_) {
    large_[cycles] += times;
  }
}

void ClassStatistics::add(const ClassStatistics& other) {
  offered_flits += other.offered_flits;
  accepted_flits += other.accepted_flits;
  packet_latency.add(other.packet_latency);
  network_latency.add(other.network_latency);
  message_latency.add(other.message_latency);
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
  const std::uint64_t rank = divided_up(count() * part, of);
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
