// InfiniBand's two tables and LimitOfHighPriority from shares and latency wishes: the mathematical
// approach that the InfiniBand paper leaves as future work (its Sect. 6).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "qosarb/analyze/analysis.hpp"
#include "qosarb/analyze/rational.hpp"
#include "qosarb/policy/config.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb {

struct InfiniBandRequirements {
  struct Lane {
    int vl = 0;
    Rational share;  ///< of the link, in proportion to the others', above 0
    bool high = true;
    std::optional<std::uint32_t>
        distance;  ///< most turns on the wire from one of its own to the next
  };
  std::uint32_t flit_bytes = 64;
  std::uint32_t max_packet_flits = 1;
  std::uint32_t packet_flits = 1;  ///< the packets for which shares and distances are to hold
  InfiniBandConfig::LowTurn low_turn = InfiniBandConfig::LowTurn::Entry;
  std::uint32_t max_entries = 64;      ///< of each table
  std::optional<std::uint32_t> limit;  ///< not given: searched
  Rational tolerance{1, 1000};         ///< of a share, as part of the link
  std::vector<Lane> lanes;             ///< by rising latency; no VL twice
};

struct InfiniBandPlan {
  struct Lane {
    Rational wanted;  ///< share of the link
    Rational got;     ///< as analyzed
    Rational missed;  ///< how far the share is beyond the tolerance; 0 when it is met
    std::uint64_t max_distance = 0;     ///< turns on the wire, as analyzed
    std::uint64_t distance_missed = 0;  ///< turns beyond what was asked
    std::uint32_t entries = 0;
  };
  ArbiterConfig arbiter;
  std::vector<Lane> lanes;       ///< in the order of the requirements
  MixAnalysis check;             ///< of the arbiter, with packets of packet_flits
  bool met = false;              ///< every share and every distance
  std::uint64_t candidates = 0;  ///< configurations that were analyzed
};

/// Builds candidates from the arithmetic of the two tables, analyzes each, and keeps the one that
/// misses least: first shares beyond the tolerance, then distances, then the largest error of a
/// share. Errors: std::invalid_argument with a message for the user, if the lanes or the asked
/// distances cannot be placed in a table, or no lane is of high priority.
InfiniBandPlan plan_infiniband(const InfiniBandRequirements& requirements);

/// The tables as options of OpenSM, SL n on VL n, or on another one where VL n is in no table. At
/// least one table has an entry.
std::string opensm_options(const InfiniBandConfig& config, int vls);

}  // namespace qosarb
