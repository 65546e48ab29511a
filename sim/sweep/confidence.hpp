// Confidence intervals of means of independent runs.
#pragma once

#include <span>

namespace qosarb {

/// The t that a Student-distributed variable with `degrees` >= 1 of freedom exceeds in absolute
/// value with probability 0.05. (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3
/// and 26.7.4, inverted by bisection.)
double student_t_95(unsigned degrees);

/// The mean of all runs lies within mean +- half_width with probability 0.95, if they are normally
/// distributed. Infinite for one sample.
struct Interval {
  double mean = 0;
  double half_width = 0;
};
/// Of at least one sample.
Interval interval_of(std::span<const double> samples);

}  // namespace qosarb
