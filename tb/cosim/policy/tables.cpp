#include "cosim/policy/tables.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "cosim/port_model.hpp"
#include "cosim/wave_text.hpp"
#include "qosarb/policy/sl_queues.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {

std::optional<std::string> turns_obstacle(const BxiConfig& bxi, const ArbiterConfig& config,
                                          const RtlLimits& limits) {
  const auto quantum = [&bxi](std::size_t e) { return bxi.quantum(e); };
  if (auto found = table_obstacle(limits, bxi.table.size(), "flits", quantum)) {
    return found;
  }
  for (std::size_t e = 0; e < bxi.table.size(); ++e) {
    if (bxi.quantum(e) < config.max_packet_flits) {
      return fmt::format("the quantum of entry {}, {} flits, does not hold a packet of {}", e,
                         bxi.quantum(e), config.max_packet_flits);
    }
  }
  return std::nullopt;
}

void append_turn_writes(const BxiConfig& bxi, std::vector<RegisterWrite>& writes) {
  for (std::size_t e = 0; e < bxi.table.size(); ++e) {
    writes.push_back(
        {QOSARB_PORT_TABLE_OFFSET(e), QOSARB_PORT_TABLE_QUEUE_ID_PUT(bxi.table[e].queue) |
                                          QOSARB_PORT_TABLE_QUANTUM_PUT(bxi.quantum(e))});
  }
  writes.push_back(
      {QOSARB_PORT_TABLE_ENTRIES_OFFSET, static_cast<std::uint32_t>(bxi.table.size())});
}

void append_turn_state(const PortState& port, const BxiConfig& bxi,
                       std::vector<std::uint64_t>& numbers) {
  std::size_t current = port.current();
  std::uint64_t remaining = port.remaining();
  const std::size_t first = numbers.size();
  numbers.resize(first + 2);
  for (std::size_t e = 0; e < bxi.table.size(); ++e) {
    numbers.push_back(port.deficit(e));
  }
  const bool fresh = remaining == 0;
  if (fresh) {
    // A turn that is used up is handed on at once by the reference, and with the next grant by
    // the RTL. Before the first grant the RTL's turn is nobody's, the reference's that of entry
    // 0.
    current = port.own_state(0) == 0 ? 0 : (current + 1) % bxi.table.size();
    remaining = bxi.quantum(current) + std::exchange(numbers[first + 2 + current], 0);
  }
  numbers[first] = current;
  numbers[first + 1] = remaining;
  numbers.push_back(fresh ? 1 : 0);
}

std::string text_of_turns(StateNumbers state) {
  return fmt::format("current_entry={} remaining_flits={} deficits=[{}]", state[0], state[1],
                     fmt::join(state.subspan(2, state.size() - 3), " "));
}

std::uint64_t last_winner(std::uint32_t queue, const ArbiterConfig& config) {
  return std::min(queue, static_cast<std::uint32_t>(config.queues) - 1);
}

void show_table(WaveText& text, const RtlLimits& limits, std::size_t entries) {
  text.begin("table", true);
  text.each(WaveText::kDecimal, "u_ports.entry_queue", entries, index_bits(limits.queues));
  text.each(WaveText::kDecimal, "u_ports.entry_quantum", entries, limits.quantum_bits);
  text.end("table", true);
}

std::optional<std::string> levels_obstacle(const RtlLimits& limits,
                                           const std::vector<int>& queue_sl,
                                           const std::vector<SlEntry>& table,
                                           std::string_view unit) {
  int highest = *std::max_element(queue_sl.begin(), queue_sl.end());
  for (const SlEntry& entry : table) {
    highest = std::max(highest, entry.sl);
  }
  if (highest >= limits.queues) {
    return fmt::format("it has SLs 0 to {}, not {}", limits.queues - 1, highest);
  }
  return table_obstacle(limits, table.size(), unit,
                        [&table](std::size_t e) { return std::uint64_t{table[e].weight}; });
}

void append_level_writes(const std::vector<int>& queue_sl, const std::vector<SlEntry>& table,
                         std::vector<RegisterWrite>& writes) {
  for (std::size_t q = 0; q < queue_sl.size(); ++q) {
    writes.push_back({QOSARB_PORT_QUEUE_SL_OFFSET(q), static_cast<std::uint32_t>(queue_sl[q])});
  }
  for (std::size_t e = 0; e < table.size(); ++e) {
    writes.push_back(
        {QOSARB_PORT_TABLE_OFFSET(e), QOSARB_PORT_TABLE_QUEUE_ID_PUT(table[e].sl) |
                                          QOSARB_PORT_TABLE_QUANTUM_PUT(table[e].weight)});
  }
  writes.push_back({QOSARB_PORT_TABLE_ENTRIES_OFFSET, static_cast<std::uint32_t>(table.size())});
}

std::uint32_t queues_of_levels(const std::vector<int>& queue_sl,
                               const std::vector<SlEntry>& table) {
  std::uint32_t served = 0;
  for (std::size_t q = 0; q < queue_sl.size(); ++q) {
    for (const SlEntry& entry : table) {
      served |= entry.sl == queue_sl[q] ? 1U << q : 0;
    }
  }
  return served;
}

void append_first_queues(std::uint32_t behind, const std::vector<int>& queue_sl, std::size_t sls,
                         std::vector<std::uint64_t>& numbers) {
  for (std::size_t sl = 0; sl < sls; ++sl) {
    std::uint64_t place = 0;
    std::optional<std::uint64_t> first;
    for (std::size_t q = 0; q < queue_sl.size(); ++q) {
      if (std::cmp_equal(queue_sl[q], sl)) {
        if (!first && (behind >> q & 1U) != 0) {
          first = place;
        }
        ++place;
      }
    }
    numbers.push_back(first.value_or(0));
  }
}

std::string text_of_first_queues(const std::vector<int>& queue_sl, StateNumbers places) {
  std::vector<int> queues;
  for (std::size_t sl = 0; sl < places.size(); ++sl) {
    Index queue = -1;
    std::uint64_t place = 0;
    for (Index q = 0; q < count(queue_sl); ++q) {
      if (std::cmp_equal(queue_sl[q], sl) && place++ == places[sl]) {
        queue = q;
      }
    }
    queues.push_back(queue);
  }
  return fmt::format("first_queues=[{}]", fmt::join(queues, " "));
}

}  // namespace qosarb
