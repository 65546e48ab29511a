// What policies with tables have in common.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cosim/policy/policy_rtl.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/sl_queues.hpp"

namespace qosarb {

/// Why a table of `entries` with quanta `quantum(e)`, counted in `unit`, does not fit.
template <typename Quantum>
std::optional<std::string> table_obstacle(const RtlLimits& limits, std::size_t entries,
                                          std::string_view unit, Quantum&& quantum) {
  if (entries > limits.entries) {
    return fmt::format("it has {} table entries, not {}", limits.entries, entries);
  }
  for (std::size_t e = 0; e < entries; ++e) {
    if (quantum(e) >> limits.quantum_bits != 0) {
      return fmt::format("the quantum of entry {}, {} {}, does not fit into {} bits", e, quantum(e),
                         unit, limits.quantum_bits);
    }
  }
  return std::nullopt;
}

/// Turns in flits with deficits: bxi's table, which may stand below strict priorities, too.
std::optional<std::string> turns_obstacle(const BxiConfig& bxi, const ArbiterConfig& config,
                                          const RtlLimits& limits);
void append_turn_writes(const BxiConfig& bxi, std::vector<RegisterWrite>& writes);
/// Own word 0 of the port's state is 0 until an entry has had a turn.
void append_turn_state(const PortState& port, const BxiConfig& bxi,
                       std::vector<std::uint64_t>& numbers);
std::string text_of_turns(StateNumbers state);

/// The last winner as the reference numbers it: after a reset it is the highest queue, of the port
/// or of those in use.
std::uint64_t last_winner(std::uint32_t queue, const ArbiterConfig& config);

/// The signals of the first `entries` entries of the port's table.
void show_table(WaveText& text, const RtlLimits& limits, std::size_t entries);

/// Policies whose table entries are SLs, which serve their queues round robin (qosarb_sl_queues).
/// SLs are numbered as queues are.
std::optional<std::string> levels_obstacle(const RtlLimits& limits,
                                           const std::vector<int>& queue_sl,
                                           const std::vector<SlEntry>& table,
                                           std::string_view unit);
void append_level_writes(const std::vector<int>& queue_sl, const std::vector<SlEntry>& table,
                         std::vector<RegisterWrite>& writes);
std::uint32_t queues_of_levels(const std::vector<int>& queue_sl, const std::vector<SlEntry>& table);
/// For each of `sls` SLs, the place among its queues of the one that it tries first. `behind` are
/// the queues that come behind the one that their SL served last, as bits: if no queue of the SL
/// does, the first one is tried first.
void append_first_queues(std::uint32_t behind, const std::vector<int>& queue_sl, std::size_t sls,
                         std::vector<std::uint64_t>& numbers);
/// These places as the queues that they stand for, -1 where an SL has none.
std::string text_of_first_queues(const std::vector<int>& queue_sl, StateNumbers places);

}  // namespace qosarb
