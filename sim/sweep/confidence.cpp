#include "qosarb/sweep/confidence.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "qosarb/policy/types.hpp"

namespace qosarb {

namespace {

/// Probability that the absolute value is below `t`.
double within(double t, unsigned degrees) {
  const double theta = std::atan(t / std::sqrt(degrees));
  const double cosine = std::cos(theta);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = degrees == 1 ? 0 : term;
  for (unsigned k = odd ? 3 : 2; k + 1 < degrees; k += 2) {
    term *= cosine * cosine * (k - 1) / k;
    sum += term;
  }
  return odd ? 2 / std::numbers::pi * (theta + std::sin(theta) * sum) : std::sin(theta) * sum;
}

}  // namespace

double student_t_95(unsigned degrees) {
  double low = 0;
  double high = 16;  // of one degree: 12.7
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (within(middle, degrees) < 0.95 ? low : high) = middle;
  }
  return high;
}

Interval interval_of(std::span<const double> samples) {
  const int n = count(samples);
  // From the first one on, so that values that are all the same are their mean, to the bit.
  double beyond = 0;
  for (const double sample : samples) {
    beyond += sample - samples.front();
  }
  const double mean = samples.front() + beyond / n;
  if (samples.size() == 1) {
    return {mean, std::numeric_limits<double>::infinity()};
  }
  double squares = 0;
  for (const double sample : samples) {
    squares += (sample - mean) * (sample - mean);
  }
  return {mean, student_t_95(n - 1) * std::sqrt(squares / (n - 1) / n)};
}

}  // namespace qosarb
