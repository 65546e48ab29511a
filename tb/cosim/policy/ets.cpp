// ets: strict priority above bandwidth shares.
#include "qosarb/policy/ets.hpp"

#include <fmt/format.h>

#include "cosim/policy/tables.hpp"
#include "cosim/port_model.hpp"
#include "cosim/wave_text.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {
namespace {

const EtsConfig& ets_of(const ArbiterConfig& config) { return config.parameters.get<EtsConfig>(); }

class EtsRtl final : public PolicyRtl {
 public:
  EtsRtl() : PolicyRtl(kEts, QOSARB_PORT_POLICY_ETS) {}

  [[nodiscard]] std::optional<std::string> obstacle(const ArbiterConfig& config,
                                                    const RtlLimits& limits) const override {
    return turns_obstacle(ets_of(config).table(), config, limits);
  }

  // Without a weighted queue there is no table, and none is written.
  void append_writes(const ArbiterConfig& config, const RtlLimits& /*limits*/,
                     std::vector<RegisterWrite>& writes) const override {
    const EtsConfig& ets = ets_of(config);
    std::uint32_t strict = 0;
    for (std::size_t q = 0; q < ets.classes.size(); ++q) {
      strict |= ets.classes[q].strict_priority ? 1U << q : 0;
    }
    writes.push_back({QOSARB_PORT_STRICT_PRIORITY_OFFSET, strict});
    if (const BxiConfig table = ets.table(); !table.table.empty()) {
      append_turn_writes(table, writes);
    }
  }

  [[nodiscard]] std::optional<std::string> refusal(std::uint32_t reason,
                                                   std::uint32_t where) const override {
    switch (reason) {
      case QOSARB_PORT_STATUS_REASON_SHORT_QUANTUM:
        return fmt::format("the quantum of entry {} does not hold the longest packet", where);
      case QOSARB_PORT_STATUS_REASON_STRICT_ENTRY:
        return fmt::format("entry {} is of a queue with strict priority", where);
      case QOSARB_PORT_STATUS_REASON_QUEUE_ORDER:
        return fmt::format("the queue of entry {} is not above that of each entry before it",
                           where);
      default:
        return PolicyRtl::refusal(reason, where);
    }
  }

  void append_state(const PortState& port, const ArbiterConfig& config,
                    std::vector<std::uint64_t>& numbers) const override {
    if (const BxiConfig table = ets_of(config).table(); !table.table.empty()) {
      append_turn_state(port, table, numbers);
    }
  }

  [[nodiscard]] std::string describe(const ArbiterConfig& /*config*/,
                                     StateNumbers state) const override {
    return state.empty() ? "no table" : text_of_turns(state);
  }

  void show(WaveText& text, const ArbiterConfig& config, const RtlLimits& limits) const override {
    const std::size_t entries = ets_of(config).table().table.size();
    text.signal(WaveText::kBinary, "u_ports.u_policies.g_ets.u_slot.in_force_q",
                static_cast<std::uint64_t>(limits.queues));
    text.each(WaveText::kDecimal, "u_ports.u_policies.g_ets.u_slot.g_port[0].deficit", entries,
              WaveText::kFlitsBits);
    show_table(text, limits, entries);
  }
};

}  // namespace

const PolicyRtl& ets_rtl() {
  static const EtsRtl policy;
  return policy;
}

}  // namespace qosarb
