// Whole numbers in given proportions.
#pragma once

#include <cstdint>
#include <vector>

#include "qosarb/analyze/rational.hpp"

namespace qosarb {

struct Weights {
  std::vector<std::uint32_t> weight;  ///< each at least 1
  std::uint32_t scale = 1;            ///< the quantum is weight x scale
  bool exact = false;                 ///< the proportions hold exactly
};

/// Weights in proportion to `amounts` (each above 0) with a scale such that every quantum is at
/// least `min_quantum` and at most `max_quantum`; the smallest weights that are exact, else those
/// whose largest relative error is the smallest, of those whose smallest weight is at most 65,536,
/// else none (an empty list).
/// min_quantum <= max_quantum <= 2^32 - 1.
Weights proportional_weights(const std::vector<Rational>& amounts, std::uint64_t min_quantum,
                             std::uint64_t max_quantum);

}  // namespace qosarb
