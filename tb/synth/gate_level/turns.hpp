// The table of bxi-basic, bxi-deficit and ets on the pins of a netlist.
#pragma once

#include <algorithm>
#include <cstdint>

#include "driver.hpp"
#include "qosarb/policy/bxi.hpp"

namespace qosarb::gate_level {

inline void program_turns(Vgates& pins, const BxiConfig& table, std::uint32_t max_packet_flits) {
  for (std::size_t e = 0; e < kEntries; ++e) {
    const bool used = e < table.table.size();
    put(pins.entry_used_i, e, 1, used ? 1 : 0);
    put_element(pins.entry_queue_i, e, kQueueWidth,
                used ? static_cast<std::uint64_t>(table.table[e].queue) : 0);
    put_element(pins.entry_quantum_i, e, kQuantumWidth, used ? table.quantum(e) : 0);
  }
  const auto longest = [max_packet_flits](auto& gates) {
    if constexpr (requires { gates.max_packet_flits_i; }) {
      put(gates.max_packet_flits_i, 0, kFlitsWidth, max_packet_flits);
    }
  };
  longest(pins);
}

/// A quantum that holds any packet; a turn of a few packets, now and then of any length.
inline std::uint32_t random_quantum(Random& random) {
  const std::uint64_t limit = highest(kQuantumWidth);
  const std::uint64_t usual = std::min<std::uint64_t>(limit, 4 * kMaxPacketFlits);
  return static_cast<std::uint32_t>(
      random.within(kMaxPacketFlits, random.once_in(8) ? limit : usual));
}

}  // namespace qosarb::gate_level
