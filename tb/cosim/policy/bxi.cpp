// bxi-basic, bxi-deficit: one arbitration table.
#include "qosarb/policy/bxi.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "cosim/policy/tables.hpp"
#include "cosim/port_model.hpp"
#include "cosim/wave_text.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {
namespace {

const BxiConfig& table_of(const ArbiterConfig& config) {
  return config.parameters.get<BxiConfig>();
}

class BxiRtl final : public PolicyRtl {
 public:
  using PolicyRtl::PolicyRtl;

  [[nodiscard]] std::optional<std::string> obstacle(const ArbiterConfig& config,
                                                    const RtlLimits& limits) const override {
    const BxiConfig& bxi = table_of(config);
    const auto quantum = [&bxi](std::size_t e) { return bxi.quantum(e); };
    if (const auto found = table_obstacle(limits, bxi.table.size(), "flits", quantum)) {
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

  void append_writes(const ArbiterConfig& config, const RtlLimits& /*limits*/,
                     std::vector<RegisterWrite>& writes) const override {
    const BxiConfig& bxi = table_of(config);
    for (std::size_t e = 0; e < bxi.table.size(); ++e) {
      writes.push_back(
          {QOSARB_PORT_TABLE_OFFSET(e), QOSARB_PORT_TABLE_QUEUE_ID_PUT(bxi.table[e].queue) |
                                            QOSARB_PORT_TABLE_QUANTUM_PUT(bxi.quantum(e))});
    }
    writes.push_back(
        {QOSARB_PORT_TABLE_ENTRIES_OFFSET, static_cast<std::uint32_t>(bxi.table.size())});
  }

  [[nodiscard]] std::uint32_t served_queues(const ArbiterConfig& config) const override {
    std::uint32_t served = 0;
    for (const BxiConfig::Entry& entry : table_of(config).table) {
      served |= 1U << entry.queue;
    }
    return served;
  }

  [[nodiscard]] std::optional<std::string> refusal(std::uint32_t reason,
                                                   std::uint32_t where) const override {
    if (reason == QOSARB_PORT_STATUS_REASON_SHORT_QUANTUM) {
      return fmt::format("the quantum of entry {} does not hold the longest packet", where);
    }
    return PolicyRtl::refusal(reason, where);
  }

  void append_state(const PortModel& port, const ArbiterConfig& config,
                    std::vector<std::uint64_t>& numbers) const override {
    const BxiConfig& bxi = table_of(config);
    std::size_t current = port.current();
    std::uint64_t remaining = port.remaining();
    const std::size_t first = numbers.size();
    numbers.resize(first + 2);
    for (std::size_t e = 0; e < bxi.table.size(); ++e) {
      numbers.push_back(port.deficit(e));
    }
    if (remaining == 0) {
      // A turn that is used up is handed on at once by the reference, and with the next grant by
      // the RTL. Before the first grant the RTL's turn is nobody's, the reference's that of entry
      // 0.
      current = port.own_state(0) == 0 ? 0 : (current + 1) % bxi.table.size();
      remaining = bxi.quantum(current) + std::exchange(numbers[first + 2 + current], 0);
    }
    numbers[first] = current;
    numbers[first + 1] = remaining;
  }

  [[nodiscard]] std::string describe(const ArbiterConfig& /*config*/,
                                     StateNumbers state) const override {
    return fmt::format("current_entry={} remaining_flits={} deficits=[{}]", state[0], state[1],
                       fmt::join(state.subspan(2), " "));
  }

  void show(WaveText& text, const ArbiterConfig& config, const RtlLimits& limits) const override {
    const std::size_t entries = table_of(config).table.size();
    text.each(WaveText::kDecimal, "u_policies.g_bxi.u_slot.deficit", entries, WaveText::kFlitsBits);
    show_table(text, limits, entries);
  }
};

}  // namespace

const PolicyRtl& bxi_basic_rtl() {
  static const BxiRtl policy(kBxiBasic, QOSARB_PORT_POLICY_BXI_BASIC);
  return policy;
}

const PolicyRtl& bxi_deficit_rtl() {
  static const BxiRtl policy(kBxiDeficit, QOSARB_PORT_POLICY_BXI_DEFICIT);
  return policy;
}

}  // namespace qosarb
