// trtcm: two rates, three colours, strict priorities.
#include "qosarb/policy/trtcm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cosim/policy/tables.hpp"
#include "cosim/port_model.hpp"
#include "cosim/wave_text.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {
namespace {

const std::vector<TrtcmConfig::Class>& classes_of(const ArbiterConfig& config) {
  return config.parameters.get<TrtcmConfig>().classes;
}

class TrtcmRtl final : public PolicyRtl {
 public:
  TrtcmRtl() : PolicyRtl(kTrtcm, QOSARB_PORT_POLICY_TRTCM) {}

  [[nodiscard]] std::optional<std::string> obstacle(const ArbiterConfig& config,
                                                    const RtlLimits& /*limits*/) const override {
    constexpr std::uint32_t kOneFlitACycle = 65536;
    constexpr std::uint64_t kLargestBurst = 65535;
    const auto& classes = classes_of(config);
    for (std::size_t q = 0; q < classes.size(); ++q) {
      const TrtcmConfig::Class& c = classes[q];
      if (c.peak_rate > kOneFlitACycle) {
        return fmt::format("rates are at most one flit a cycle, that of class {} is not", q);
      }
      for (const auto& [rate, burst] :
           {std::pair{c.assured_rate, c.assured_burst}, std::pair{c.peak_rate, c.peak_burst}}) {
        if (rate != 0 && burst < config.max_packet_flits) {
          return fmt::format("the burst of class {}, {} flits, does not hold a packet of {}", q,
                             burst, config.max_packet_flits);
        }
        if (rate != 0 && burst > kLargestBurst) {
          return fmt::format("bursts are at most {} flits, not {}", kLargestBurst, burst);
        }
      }
    }
    return std::nullopt;
  }

  // Priorities are written as ranks, from 0 on without gaps. Classes of the build that are not in
  // use have the ranks that are left, and no rate.
  void append_writes(const ArbiterConfig& config, const RtlLimits& limits,
                     std::vector<RegisterWrite>& writes) const override {
    const auto& classes = classes_of(config);
    for (std::size_t q = 0; std::cmp_less(q, limits.queues); ++q) {
      const bool used = q < classes.size();
      const TrtcmConfig::Class c = used ? classes[q] : TrtcmConfig::Class{};
      const auto rank = std::count_if(
          classes.begin(), classes.end(),
          [&c](const TrtcmConfig::Class& other) { return other.priority < c.priority; });
      writes.push_back({QOSARB_PORT_CLASS_PRIORITY_OFFSET(q),
                        static_cast<std::uint32_t>(used ? static_cast<std::size_t>(rank) : q)});
      writes.push_back({QOSARB_PORT_ASSURED_RATE_OFFSET(q), c.assured_rate});
      writes.push_back({QOSARB_PORT_PEAK_RATE_OFFSET(q), c.peak_rate});
      writes.push_back({QOSARB_PORT_ASSURED_BURST_OFFSET(q),
                        c.assured_rate == 0 ? 0 : static_cast<std::uint32_t>(c.assured_burst)});
      writes.push_back({QOSARB_PORT_PEAK_BURST_OFFSET(q),
                        c.peak_rate == 0 ? 0 : static_cast<std::uint32_t>(c.peak_burst)});
    }
  }

  [[nodiscard]] std::optional<std::string> refusal(std::uint32_t reason,
                                                   std::uint32_t where) const override {
    switch (reason) {
      case QOSARB_PORT_STATUS_REASON_RATES:
        return fmt::format("the assured rate of class {} is above its peak rate", where);
      case QOSARB_PORT_STATUS_REASON_SHORT_BURST:
        return fmt::format("a burst of class {} does not hold the longest packet", where);
      case QOSARB_PORT_STATUS_REASON_REPEATED_PRIORITY:
        return fmt::format("the priority of class {} is that of a class before it", where);
      default:
        return PolicyRtl::refusal(reason, where);
    }
  }

  // The reference's second number: cycles that are counted, but not yet filled for.
  void append_state(const PortState& port, const ArbiterConfig& config,
                    std::vector<std::uint64_t>& numbers) const override {
    numbers.insert(numbers.end(), {last_winner(port.current(), config), 0});
    for (std::size_t q = 0; q < classes_of(config).size(); ++q) {
      numbers.push_back(port.own_state(2 * q));
      numbers.push_back(port.own_state(2 * q + 1));
    }
  }

  [[nodiscard]] std::string describe(const ArbiterConfig& /*config*/,
                                     StateNumbers state) const override {
    std::string text = fmt::format("last_red={} tokens(assured/peak, 1/65536 flits)=[", state[0]);
    for (std::size_t i = 2; i < state.size(); i += 2) {
      text += fmt::format("{}{}/{}", i == 2 ? "" : " ", state[i], state[i + 1]);
    }
    return text + "]";
  }

  void show(WaveText& text, const ArbiterConfig& config, const RtlLimits& limits) const override {
    const std::size_t classes = classes_of(config).size();
    const auto queues = static_cast<std::uint64_t>(limits.queues);
    text.signal(WaveText::kBinary, "u_ports.u_policies.g_trtcm.u_slot.g_port[0].green", queues);
    text.signal(WaveText::kBinary, "u_ports.u_policies.g_trtcm.u_slot.g_port[0].yellow", queues);
    text.each(WaveText::kDecimal, "u_ports.u_policies.g_trtcm.u_slot.assured_tokens[0]", classes,
              32);
    text.each(WaveText::kDecimal, "u_ports.u_policies.g_trtcm.u_slot.peak_tokens[0]", classes, 32);
    text.begin("classes", true);
    text.each(WaveText::kDecimal, "u_ports.u_policies.g_trtcm.u_slot.in_force_q.level", classes,
              index_bits(limits.queues));
    text.each(WaveText::kDecimal, "u_ports.u_policies.g_trtcm.u_slot.in_force_q.assured_rate",
              classes, 17);
    text.each(WaveText::kDecimal, "u_ports.u_policies.g_trtcm.u_slot.in_force_q.peak_rate", classes,
              17);
    text.each(WaveText::kDecimal, "u_ports.u_policies.g_trtcm.u_slot.in_force_q.assured_burst",
              classes, 16);
    text.each(WaveText::kDecimal, "u_ports.u_policies.g_trtcm.u_slot.in_force_q.peak_burst",
              classes, 16);
    text.end("classes", true);
  }

  // Buckets fill, until all are full; those without a rate have no size.
  [[nodiscard]] bool clocked_in_every_cycle() const override { return true; }
  [[nodiscard]] bool at_rest(const PortState& port, const ArbiterConfig& config) const override {
    const auto full = [](std::uint64_t level, std::uint32_t rate, std::uint64_t burst) {
      return level == (rate == 0 ? 0 : burst << 16U);
    };
    std::size_t number = 0;
    return std::ranges::all_of(classes_of(config), [&](const TrtcmConfig::Class& c) {
      const std::size_t assured = number++;
      const std::size_t peak = number++;
      return full(port.own_state(assured), c.assured_rate, c.assured_burst) &&
             full(port.own_state(peak), c.peak_rate, c.peak_burst);
    });
  }
  // Cycles in which a queue of a colour waits.
  [[nodiscard]] bool counts_by_heads() const override { return true; }
};

}  // namespace

const PolicyRtl& trtcm_rtl() {
  static const TrtcmRtl policy;
  return policy;
}

}  // namespace qosarb
