// infiniband: two tables and LimitOfHighPriority.
#include "qosarb/policy/infiniband.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cosim/policy/tables.hpp"
#include "cosim/port_model.hpp"
#include "cosim/wave_text.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {
namespace {

using VlTable = std::vector<InfiniBandConfig::Entry>;

const InfiniBandConfig& tables_of(const ArbiterConfig& config) {
  return config.parameters.get<InfiniBandConfig>();
}

// An entry whose weight is used up hands on at once in the reference, and with the table's next
// packet in the RTL. Before its first turn a table stands at the highest entry of the build.
void append_turn(const VlTable& table, std::uint32_t current, std::uint64_t remaining,
                 std::vector<std::uint64_t>& numbers) {
  if (table.empty()) {
    numbers.insert(numbers.end(), {0, 0});
    return;
  }
  if (remaining > 0) {
    numbers.insert(numbers.end(), {current, remaining});
    return;
  }
  const std::size_t next = (std::min<std::size_t>(current, table.size() - 1) + 1) % table.size();
  numbers.insert(numbers.end(), {next, table[next].weight});
}

class InfiniBandRtl final : public PolicyRtl {
 public:
  InfiniBandRtl() : PolicyRtl(kInfiniBand, QOSARB_PORT_POLICY_INFINIBAND) {}

  [[nodiscard]] std::optional<std::string> obstacle(const ArbiterConfig& config,
                                                    const RtlLimits& limits) const override {
    const InfiniBandConfig& ib = tables_of(config);
    constexpr std::uint32_t kLargestFlit = 128;
    if (!std::has_single_bit(ib.flit_bytes) || ib.flit_bytes > kLargestFlit) {
      return fmt::format("flits have a power of two of bytes, at most {}, not {}", kLargestFlit,
                         ib.flit_bytes);
    }
    for (const VlTable* table : {&ib.high, &ib.low}) {
      if (table->size() > limits.entries / 2) {
        return fmt::format("a table has {} entries, not {}", limits.entries / 2, table->size());
      }
      for (const auto& entry : *table) {
        if ((entry.weight >> limits.quantum_bits) != 0) {
          return fmt::format("a weight has at most {} bits, which {} is too large for",
                             limits.quantum_bits, entry.weight);
        }
      }
    }
    return std::nullopt;
  }

  // Entries that a table does not have get no weight.
  void append_writes(const ArbiterConfig& config, const RtlLimits& limits,
                     std::vector<RegisterWrite>& writes) const override {
    const InfiniBandConfig& ib = tables_of(config);
    std::size_t at = 0;
    for (const VlTable* table : {&ib.high, &ib.low}) {
      for (std::size_t e = 0; e < limits.entries / 2; ++e, ++at) {
        const InfiniBandConfig::Entry entry =
            e < table->size() ? (*table)[e] : InfiniBandConfig::Entry{};
        writes.push_back(
            {QOSARB_PORT_TABLE_OFFSET(at), QOSARB_PORT_TABLE_QUEUE_ID_PUT(entry.vl) |
                                               QOSARB_PORT_TABLE_QUANTUM_PUT(entry.weight)});
      }
    }
    writes.push_back({QOSARB_PORT_VL_HIGH_LIMIT_OFFSET, ib.limit_of_high_priority});
    writes.push_back(
        {QOSARB_PORT_VL_LOW_TURN_OFFSET, ib.low_turn == InfiniBandConfig::LowTurn::Packet
                                             ? QOSARB_PORT_VL_LOW_TURN_RULE_PACKET
                                             : QOSARB_PORT_VL_LOW_TURN_RULE_ENTRY});
    writes.push_back({QOSARB_PORT_FLIT_BYTES_OFFSET,
                      static_cast<std::uint32_t>(std::countr_zero(ib.flit_bytes))});
  }

  [[nodiscard]] std::uint32_t served_queues(const ArbiterConfig& config) const override {
    std::uint32_t served = 0;
    for (const VlTable* table : {&tables_of(config).high, &tables_of(config).low}) {
      for (const InfiniBandConfig::Entry& entry : *table) {
        served |= entry.weight > 0 ? 1U << entry.vl : 0;
      }
    }
    return served;
  }

  [[nodiscard]] std::optional<std::string> refusal(std::uint32_t reason,
                                                   std::uint32_t where) const override {
    if (reason == QOSARB_PORT_STATUS_REASON_LARGE_VL) {
      return fmt::format("the VL of entry {} is above 14", where);
    }
    if (reason == QOSARB_PORT_STATUS_REASON_LARGE_WEIGHT) {
      return fmt::format("the weight of entry {} is above 255", where);
    }
    return PolicyRtl::refusal(reason, where);
  }

  void append_state(const PortState& port, const ArbiterConfig& config,
                    std::vector<std::uint64_t>& numbers) const override {
    const InfiniBandConfig& ib = tables_of(config);
    append_turn(ib.high, port.current(), port.remaining(), numbers);
    append_turn(ib.low, port.own_state(0), port.own_state(1), numbers);
    numbers.insert(numbers.end(), {port.own_state(2), port.own_state(3)});
  }

  [[nodiscard]] std::string describe(const ArbiterConfig& /*config*/,
                                     StateNumbers state) const override {
    return fmt::format(
        "high=(entry={} remaining={}) low=(entry={} remaining={}) high_bytes={} low_turn={}",
        state[0], state[1], state[2], state[3], state[4], state[5] != 0);
  }

  void show(WaveText& text, const ArbiterConfig& /*config*/,
            const RtlLimits& limits) const override {
    const std::string low = "u_ports.u_policies.g_infiniband.u_slot.low";
    text.member(WaveText::kDecimal, low, 0, "low_current", 8);
    text.member(WaveText::kDecimal, low, 0, "low_remaining", 8);
    text.member(WaveText::kBinary, low, 0, "in_low_turn");
    text.member(WaveText::kDecimal, low, 0, "high_bytes", 20);
    text.signal(WaveText::kDecimal, "u_ports.u_policies.g_infiniband.u_slot.in_force_q.high_limit",
                8);
    show_table(text, limits, limits.entries);
  }
};

}  // namespace

const PolicyRtl& infiniband_rtl() {
  static const InfiniBandRtl policy;
  return policy;
}

}  // namespace qosarb
