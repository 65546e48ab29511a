// VL arbitration tables as plain text: CSV lines `vl,weight` (InfiniBand paper, Sect. 3).
#pragma once

#include <string>
#include <vector>

#include "qosarb/config/divided_up.hpp"
#include "qosarb/policy/config.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb {

/// What the tables do not say.
struct VlTableOptions {
  std::uint32_t limit_of_high_priority = 1;  ///< 0..255
  std::uint32_t packet_bytes = 4096;         ///< the longest packet
  std::uint32_t flit_bytes = 64;
  [[nodiscard]] std::uint32_t max_packet_flits() const {
    return divided_up(packet_bytes, flit_bytes);
  }
  InfiniBandConfig::LowTurn low_turn = InfiniBandConfig::LowTurn::Entry;
};

struct VlTables {
  ArbiterConfig config;               ///< not strict: analysis says what starves
  std::vector<std::string> warnings;  ///< entries of VL15, which are left out
};

/// Reads a high and a low table; an empty name is an empty table. A first line `vl,weight` and
/// empty lines are skipped. Errors: InputError naming file, line and fault.
VlTables load_vl_tables(const std::string& high_file, const std::string& low_file,
                        const VlTableOptions& options);

}  // namespace qosarb
