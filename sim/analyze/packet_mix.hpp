// Which packets wait in each queue while an arbiter is analyzed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "qosarb/policy/config.hpp"

namespace qosarb {

/// Packet lengths in flits per queue; a queue repeats its list for ever, one with an empty list has
/// no packets.
struct PacketMix {
  std::string name;  ///< as the user wrote it
  std::vector<std::vector<std::uint32_t>> flits;

  /// Flits of the longest packet of all queues; 0 if none has any.
  [[nodiscard]] std::uint64_t longest() const;
};

/// Every queue sends the longest packets that it may hold.
PacketMix longest_packets(const ArbiterConfig& config);

/// Reads "13,7,1" (one item per queue) or "16" (one item for all queues); an item may be a
/// repeating sequence such as "1+1+16".
/// Errors: std::invalid_argument with a message for the user, if it does not parse, has neither one
/// nor as many items as queues, or a length is not within 1 and the longest that its queue may
/// hold.
PacketMix parse_mix(const std::string& text, const ArbiterConfig& config);

}  // namespace qosarb
