// dtable: deficit table.
#include "qosarb/policy/dtable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "cosim/policy/tables.hpp"
#include "cosim/port_model.hpp"
#include "cosim/wave_text.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {
namespace {

const DTableConfig& dtable_of(const ArbiterConfig& config) {
  return config.parameters.get<DTableConfig>();
}

class DTableRtl final : public PolicyRtl {
 public:
  DTableRtl() : PolicyRtl(kDTable, QOSARB_PORT_POLICY_DTABLE) {}

  [[nodiscard]] std::optional<std::string> obstacle(const ArbiterConfig& config,
                                                    const RtlLimits& limits) const override {
    const DTableConfig& dtable = dtable_of(config);
    if (std::cmp_greater(dtable.sl_mtu.size(), limits.queues)) {
      return fmt::format("it has {} SLs, not {}", limits.queues, dtable.sl_mtu.size());
    }
    return levels_obstacle(limits, dtable.queue_sl, dtable.table, "flits");
  }

  void append_writes(const ArbiterConfig& config, const RtlLimits& /*limits*/,
                     std::vector<RegisterWrite>& writes) const override {
    const DTableConfig& dtable = dtable_of(config);
    append_level_writes(dtable.queue_sl, dtable.table, writes);
    for (std::size_t sl = 0; sl < dtable.sl_mtu.size(); ++sl) {
      writes.push_back({QOSARB_PORT_SL_MTU_OFFSET(sl), dtable.sl_mtu[sl]});
    }
  }

  [[nodiscard]] std::uint32_t served_queues(const ArbiterConfig& config) const override {
    return queues_of_levels(dtable_of(config).queue_sl, dtable_of(config).table);
  }

  [[nodiscard]] std::optional<std::string> refusal(std::uint32_t reason,
                                                   std::uint32_t where) const override {
    switch (reason) {
      case QOSARB_PORT_STATUS_REASON_SHORT_QUANTUM:
        return fmt::format("the weight of entry {} does not hold its SL's MTU", where);
      case QOSARB_PORT_STATUS_REASON_LONG_MTU:
        return fmt::format("the MTU of entry {}'s SL is above the longest packet", where);
      default:
        return PolicyRtl::refusal(reason, where);
    }
  }

  // Before the first turn the RTL's current entry is the highest of the build.
  void append_state(const PortState& port, const ArbiterConfig& config,
                    std::vector<std::uint64_t>& numbers) const override {
    const DTableConfig& dtable = dtable_of(config);
    numbers.push_back(port.own_state(0));
    numbers.push_back(std::min<std::uint64_t>(port.current(), dtable.table.size() - 1));
    numbers.push_back(port.remaining());
    for (std::size_t sl = 0; sl < dtable.sl_mtu.size(); ++sl) {
      numbers.push_back(port.deficit(sl));
    }
    append_first_queues(port.own_state(1), dtable.queue_sl, dtable.sl_mtu.size(), numbers);
  }

  [[nodiscard]] std::string describe(const ArbiterConfig& config,
                                     StateNumbers state) const override {
    const DTableConfig& dtable = dtable_of(config);
    const std::size_t sls = dtable.sl_mtu.size();
    return fmt::format("selected_sl={} current_entry={} accumulated_weight={} deficits=[{}] {}",
                       static_cast<std::int64_t>(state[0]) - 1, state[1], state[2],
                       fmt::join(state.subspan(3, sls), " "),
                       text_of_first_queues(dtable.queue_sl, state.subspan(3 + sls)));
  }

  void show(WaveText& text, const ArbiterConfig& config, const RtlLimits& limits) const override {
    const DTableConfig& dtable = dtable_of(config);
    text.each(WaveText::kDecimal, "u_ports.u_policies.g_dtable.u_slot.g_port[0].deficit",
              dtable.sl_mtu.size(), WaveText::kFlitsBits);
    text.each(WaveText::kDecimal, "u_ports.u_policies.queue_sl", dtable.queue_sl.size(),
              index_bits(limits.queues));
    show_table(text, limits, dtable.table.size());
  }
};

}  // namespace

const PolicyRtl& dtable_rtl() {
  static const DTableRtl policy;
  return policy;
}

}  // namespace qosarb
