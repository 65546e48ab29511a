// One arbitration table from shares and latency wishes (BXIv3 paper, Sects. 3.1 and 3.4).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "qosarb/analyze/analysis.hpp"
#include "qosarb/analyze/rational.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

struct BxiRequirements {
  struct ServiceLevel {
    Index queue = 0;
    Rational share;                         ///< in proportion to the others', above 0
    std::optional<std::uint32_t> distance;  ///< most entries from one of its own to the next
  };
  PolicyRef policy = kBxiDeficit;
  std::uint32_t max_packet_flits = 1;
  std::uint32_t max_entries = 64;
  std::uint64_t max_quantum_flits = 65535;  ///< what the table's weight field holds
  /// Strides 2, 4, 8, ... in the order of the list, as the paper does, instead of distances.
  bool geometric = false;
  std::vector<ServiceLevel> service_levels;  ///< no queue twice
};

struct BxiPlan {
  struct ServiceLevel {
    std::uint32_t entries = 0;
    std::uint32_t max_distance = 0;   ///< in the table, circularly
    std::uint32_t weight = 0;         ///< of each entry
    std::uint64_t quantum_flits = 0;  ///< of each entry
    std::uint64_t total_flits = 0;    ///< in a round
    Rational wanted;                  ///< share of the link
    Rational planned;                 ///< share of the weights
  };
  ArbiterConfig arbiter;
  std::vector<ServiceLevel> service_levels;  ///< in the order of the requirements
  bool exact = false;                        ///< every planned share is the wanted one, and kept
  std::uint32_t lower_bound = 0;             ///< distances only: no table has fewer entries
  bool proven_shortest = false;              ///< distances only
  MixAnalysis check;                         ///< the plan analyzed with the longest packets
};

/// Spreads the entries, then finds the smallest weights that hold the shares, or those with the
/// smallest error if the exact ones do not fit the quantum; the scale makes the smallest quantum
/// hold the longest packet. Errors: std::invalid_argument with a message for the user, if the
/// distances or the queues do not fit the table, or the shares are too far apart for the quantum.
BxiPlan plan_bxi(const BxiRequirements& requirements);

}  // namespace qosarb
