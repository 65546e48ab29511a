// Quanta from percentages (IEEE 802.1Q, enhanced transmission selection).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "qosarb/analyze/rational.hpp"
#include "qosarb/analyze/service.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

struct EtsRequirements {
  struct Class {
    Index queue = 0;
    std::optional<Rational> percent;  ///< above 0; nothing: strict priority
  };
  std::uint32_t max_packet_flits = 1;
  std::uint32_t max_quantum_flits = 65535;  ///< what the table's weight field holds
  std::optional<StrictLoad> strict_load;    ///< for the longest waits
  std::vector<Class> classes;               ///< one for each queue
};

struct EtsPlan {
  struct Class {
    std::uint32_t weight = 0;  ///< 0 under strict priority
    std::uint64_t quantum_flits = 0;
    Rational share;        ///< of what strict priority leaves
    ServiceBound service;  ///< under the strict load that was given
  };
  ArbiterConfig arbiter;
  std::vector<Class> classes;  ///< in the order of the requirements
  bool exact = true;           ///< every share is the percentage asked for
};

/// The smallest weights in the proportion of the percentages, or those with the smallest error if
/// their quanta are beyond max_quantum_flits; the scale makes the smallest quantum hold the longest
/// packet. Errors: std::invalid_argument with a message for the user, if the percentages do not add
/// up to 100 or are too far apart for the quanta.
EtsPlan plan_ets(const EtsRequirements& requirements);

}  // namespace qosarb
