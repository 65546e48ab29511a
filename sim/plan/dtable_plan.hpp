// A deficit table from shares, distances and MTUs (Omni-Path paper, Sects. 3.3.2 and 3.3.3).
#pragma once

#include <cstdint>
#include <vector>

#include "qosarb/analyze/analysis.hpp"
#include "qosarb/analyze/rational.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

/// All weights and MTUs are flits; names are those of the paper's Table 4.
struct DTableRequirements {
  struct ServiceLevel {
    int sl = 0;
    std::vector<int> queues;     ///< that carry it
    std::uint32_t distance = 1;  ///< most entries from one of its own to the next
    std::uint32_t mtu = 1;       ///< longest packet
    Rational share;              ///< in proportion to the others', above 0
  };
  std::uint32_t entries = 128;               ///< N
  std::uint32_t gmtu = 1;                    ///< general MTU
  std::uint32_t w = 1;                       ///< an entry holds up to w GMTUs
  std::uint32_t k = 1;                       ///< the pool is k GMTUs per entry
  std::vector<ServiceLevel> service_levels;  ///< no SL and no queue twice
};

struct DTablePlan {
  struct ServiceLevel {
    std::uint32_t entries = 0;         ///< n_i
    std::uint32_t max_distance = 0;    ///< in the table, circularly
    Rational min_share;                ///< min phi_i
    Rational max_share;                ///< max phi_i
    Rational share;                    ///< phi_i
    Rational total_weight;             ///< Tweight_i, before rounding
    std::uint32_t entry_weight = 0;    ///< rounded up
    std::uint64_t rounded_weight = 0;  ///< of all its entries
    Rational rounded_share;            ///< R phi_i
    std::int64_t correction = 0;       ///< Dweight_i
    std::uint64_t final_weight = 0;    ///< Fweight_i
    Rational final_share;              ///< F phi_i
    std::uint32_t lowest_entry = 0;    ///< weights after the correction
    std::uint32_t highest_entry = 0;
  };
  std::uint64_t pool = 0;
  std::uint64_t max_entry_weight = 0;        ///< M
  std::vector<ServiceLevel> service_levels;  ///< in the order of the requirements
  std::vector<std::string> warnings;
  ArbiterConfig arbiter;
  MixAnalysis check;  ///< the plan analyzed with packets of each SL's MTU
};

/// The paper's methodology and its bandwidth correction.
/// Errors: std::invalid_argument with a message for the user, if the distances do not fit the
/// table, k > w, an MTU is above the general one, or a share is outside its SL's min..max.
DTablePlan plan_dtable(const DTableRequirements& requirements);

/// The bandwidth correction: adds `corrections[u]` to the weights of user u's entries, one unit at
/// a time from the last entry backwards, round robin, never below `least[u]`. What could not be
/// taken away is left in `corrections`. (Omni-Path paper, Table 6.)
void correct_weights(const std::vector<int>& order, std::vector<std::uint32_t>& weights,
                     std::vector<std::int64_t>& corrections,
                     const std::vector<std::uint32_t>& least);

}  // namespace qosarb
