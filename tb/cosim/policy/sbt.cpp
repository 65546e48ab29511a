// sbt: simple bandwidth table.
#include "qosarb/policy/sbt.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cosim/policy/tables.hpp"
#include "cosim/port_model.hpp"
#include "cosim/wave_text.hpp"
#include "qosarb/policy/sl_queues.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {
namespace {

const SbtConfig& sbt_of(const ArbiterConfig& config) { return config.parameters.get<SbtConfig>(); }

// The SLs that the reference knows of.
std::size_t sl_count(const SbtConfig& sbt) {
  int highest = *std::max_element(sbt.queue_sl.begin(), sbt.queue_sl.end());
  for (const SlEntry& entry : sbt.table) {
    highest = std::max(highest, entry.sl);
  }
  return highest + 1;
}

class SbtRtl final : public PolicyRtl {
 public:
  SbtRtl() : PolicyRtl(kSbt, QOSARB_PORT_POLICY_SBT) {}

  [[nodiscard]] std::optional<std::string> obstacle(const ArbiterConfig& config,
                                                    const RtlLimits& limits) const override {
    return levels_obstacle(limits, sbt_of(config).queue_sl, sbt_of(config).table, "packets");
  }

  void append_writes(const ArbiterConfig& config, const RtlLimits& /*limits*/,
                     std::vector<RegisterWrite>& writes) const override {
    append_level_writes(sbt_of(config).queue_sl, sbt_of(config).table, writes);
  }

  [[nodiscard]] std::uint32_t served_queues(const ArbiterConfig& config) const override {
    return queues_of_levels(sbt_of(config).queue_sl, sbt_of(config).table);
  }

  [[nodiscard]] std::optional<std::string> refusal(std::uint32_t reason,
                                                   std::uint32_t where) const override {
    switch (reason) {
      case QOSARB_PORT_STATUS_REASON_ZERO_WEIGHT:
        return fmt::format("entry {} has no weight", where);
      case QOSARB_PORT_STATUS_REASON_REPEATED_SL:
        return fmt::format("the SL of entry {} has an entry before it", where);
      default:
        return PolicyRtl::refusal(reason, where);
    }
  }

  void append_state(const PortState& port, const ArbiterConfig& config,
                    std::vector<std::uint64_t>& numbers) const override {
    const SbtConfig& sbt = sbt_of(config);
    numbers.insert(numbers.end(), {port.current(), 0});
    for (std::size_t e = 0; e < sbt.table.size(); ++e) {
      numbers.push_back(port.deficit(e));
    }
    append_first_queues(port.own_state(0), sbt.queue_sl, sl_count(sbt), numbers);
  }

  [[nodiscard]] std::string describe(const ArbiterConfig& config,
                                     StateNumbers state) const override {
    const SbtConfig& sbt = sbt_of(config);
    return fmt::format("current_entry={} weights_left=[{}] {}", state[0],
                       fmt::join(state.subspan(2, sbt.table.size()), " "),
                       text_of_first_queues(sbt.queue_sl, state.subspan(2 + sbt.table.size())));
  }

  void show(WaveText& text, const ArbiterConfig& config, const RtlLimits& limits) const override {
    const SbtConfig& sbt = sbt_of(config);
    text.each(WaveText::kDecimal, "u_ports.u_policies.g_sbt.u_slot.g_port[0].left",
              sbt.table.size(), limits.quantum_bits);
    text.each(WaveText::kDecimal, "u_ports.u_policies.queue_sl", sbt.queue_sl.size(),
              index_bits(limits.queues));
    show_table(text, limits, sbt.table.size());
  }
};

}  // namespace

const PolicyRtl& sbt_rtl() {
  static const SbtRtl policy;
  return policy;
}

}  // namespace qosarb
