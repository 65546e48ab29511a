#include "qosarb/plan/weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "qosarb/config/divided_up.hpp"

namespace qosarb {

namespace {

constexpr std::uint64_t kMostCandidates = 1U << 16U;

// Least common multiple of the denominators; nothing beyond `limit`.
std::optional<std::int64_t> common_denominator(const std::vector<Rational>& ratios,
                                               std::uint64_t limit) {
  std::int64_t multiple = 1;
  for (const Rational& ratio : ratios) {
    const std::int64_t factor = ratio.denominator() / std::gcd(multiple, ratio.denominator());
    if (std::cmp_greater(factor, limit / multiple)) {
      return std::nullopt;
    }
    multiple *= factor;
  }
  return multiple;
}

}  // namespace

Weights proportional_weights(const std::vector<Rational>& amounts, std::uint64_t min_quantum,
                             std::uint64_t max_quantum) {
  const Rational smallest = *std::min_element(amounts.begin(), amounts.end());
  std::vector<Rational> ratios;  // to the smallest, which gets the smallest weight
  ratios.reserve(amounts.size());
  for (const Rational& amount : amounts) {
    ratios.push_back(amount / smallest);
  }
  const double largest = std::max_element(ratios.begin(), ratios.end())->value();
  const auto fits = [&](std::uint64_t weight, std::uint64_t scale) {
    return std::round(static_cast<double>(weight) * largest) * static_cast<double>(scale) <=
           static_cast<double>(max_quantum);
  };

  const auto exact = common_denominator(ratios, max_quantum);
  if (exact.has_value()) {
    const std::uint64_t unit = *exact;
    const std::uint64_t scale = divided_up(min_quantum, unit);
    if (fits(unit, scale)) {
      Weights weights{{}, static_cast<std::uint32_t>(scale), true};
      for (const Rational& ratio : ratios) {
        weights.weight.push_back(static_cast<std::uint32_t>((ratio * Rational(*exact)).floor()));
      }
      return weights;
    }
  }

  Weights best;
  double best_error = INFINITY;
  for (std::uint64_t unit = 1; unit <= std::min(max_quantum, kMostCandidates); ++unit) {
    const std::uint64_t scale = divided_up(min_quantum, unit);
    if (!fits(unit, scale)) {
      continue;
    }
    double error = 0.0;
    for (const Rational& ratio : ratios) {
      const double ideal = static_cast<double>(unit) * ratio.value();
      error = std::max(error, std::abs(std::round(ideal) - ideal) / ideal);
    }
    if (error < best_error) {
      best_error = error;
      best = Weights{{}, static_cast<std::uint32_t>(scale), false};
      for (const Rational& ratio : ratios) {
        best.weight.push_back(
            static_cast<std::uint32_t>(std::lround(static_cast<double>(unit) * ratio.value())));
      }
    }
  }
  return best;
}

}  // namespace qosarb
