// bxi-basic, bxi-deficit: one arbitration table.
#include "qosarb/policy/bxi.hpp"

#include <fmt/format.h>

#include "cosim/policy/tables.hpp"
#include "cosim/port_model.hpp"
#include "cosim/wave_text.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {
namespace {

const BxiConfig& bxi_of(const ArbiterConfig& config) { return config.parameters.get<BxiConfig>(); }

class BxiRtl final : public PolicyRtl {
 public:
  using PolicyRtl::PolicyRtl;

  [[nodiscard]] std::optional<std::string> obstacle(const ArbiterConfig& config,
                                                    const RtlLimits& limits) const override {
    return turns_obstacle(bxi_of(config), config, limits);
  }

  void append_writes(const ArbiterConfig& config, const RtlLimits& /*limits*/,
                     std::vector<RegisterWrite>& writes) const override {
    append_turn_writes(bxi_of(config), writes);
  }

  [[nodiscard]] std::uint32_t served_queues(const ArbiterConfig& config) const override {
    std::uint32_t served = 0;
    for (const BxiConfig::Entry& entry : bxi_of(config).table) {
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

  void append_state(const PortState& port, const ArbiterConfig& config,
                    std::vector<std::uint64_t>& numbers) const override {
    append_turn_state(port, bxi_of(config), numbers);
  }

  [[nodiscard]] std::string describe(const ArbiterConfig& /*config*/,
                                     StateNumbers state) const override {
    return text_of_turns(state);
  }

  void show(WaveText& text, const ArbiterConfig& config, const RtlLimits& limits) const override {
    const std::size_t entries = bxi_of(config).table.size();
    text.each(WaveText::kDecimal, "u_ports.u_policies.g_bxi.u_slot.g_port[0].deficit", entries,
              WaveText::kFlitsBits);
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
