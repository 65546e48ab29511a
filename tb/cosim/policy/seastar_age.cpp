// seastar-age: oldest packet first, by the age clock of the chip.
#include "qosarb/policy/seastar_age.hpp"

#include <fmt/format.h>

#include <utility>

#include "cosim/policy/tables.hpp"
#include "cosim/port_model.hpp"
#include "cosim/wave_text.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {
namespace {

const SeastarConfig& ages_of(const ArbiterConfig& config) {
  return config.parameters.get<SeastarConfig>();
}

class SeastarRtl final : public PolicyRtl {
 public:
  SeastarRtl() : PolicyRtl(kSeastarAge, QOSARB_PORT_POLICY_SEASTAR_AGE) {}

  [[nodiscard]] std::optional<std::string> obstacle(const ArbiterConfig& config,
                                                    const RtlLimits& limits) const override {
    const int inputs = limits.queues / limits.vcs;
    if (std::cmp_greater(ages_of(config).req_age_bias.size(), inputs)) {
      return fmt::format("it has {} input ports, not {}", inputs,
                         ages_of(config).req_age_bias.size());
    }
    return std::nullopt;
  }

  void append_writes(const ArbiterConfig& config, const RtlLimits& /*limits*/,
                     std::vector<RegisterWrite>& writes) const override {
    const SeastarConfig& seastar = ages_of(config);
    const std::uint64_t select = seastar.age_rr_select;
    writes.push_back({QOSARB_PORT_AGE_RR_SELECT_OFFSET(0), static_cast<std::uint32_t>(select)});
    writes.push_back(
        {QOSARB_PORT_AGE_RR_SELECT_OFFSET(1), static_cast<std::uint32_t>(select >> 32)});
    writes.push_back({QOSARB_PORT_AGE_CLOCK_PERIOD_OFFSET, seastar.age_clock_period});
    for (std::size_t input = 0; input < seastar.req_age_bias.size(); ++input) {
      writes.push_back({QOSARB_PORT_AGE_BIAS_OFFSET(input),
                        QOSARB_PORT_AGE_BIAS_REQUEST_PUT(seastar.req_age_bias[input]) |
                            QOSARB_PORT_AGE_BIAS_RESPONSE_PUT(seastar.rsp_age_bias[input])});
    }
  }

  void append_state(const PortState& port, const ArbiterConfig& config,
                    std::vector<std::uint64_t>& numbers) const override {
    numbers.insert(numbers.end(), {last_winner(port.current(), config),
                                   last_winner(port.own_state(0), config), port.own_state(1)});
  }

  [[nodiscard]] std::string describe(const ArbiterConfig& /*config*/,
                                     StateNumbers state) const override {
    return fmt::format("last_rr={} last_age={} grants={}", state[0], state[1], state[2]);
  }

  void show(WaveText& text, const ArbiterConfig& config, const RtlLimits& limits) const override {
    const auto queues = static_cast<std::uint64_t>(limits.queues);
    text.each(WaveText::kDecimal, "u_ports.u_policies.g_seastar_age.u_slot.last_age", 1,
              index_bits(limits.queues));
    text.each(WaveText::kDecimal, "u_ports.u_policies.g_seastar_age.u_slot.grants", 1, 6);
    text.signal(WaveText::kDecimal, "age_timestamp_i", 8);
    text.signal(WaveText::kBinary, "age_epoch_i");
    text.signal(WaveText::kBinary, "age_inhibit_i");
    text.signal(WaveText::kBinary, "left_o");
    text.signal(WaveText::kDecimal, "left_age_o", 8);
    text.signal(WaveText::kBinary, "age_in_epoch_i", queues);
    text.each(WaveText::kDecimal, "age_field_i", config.queues, 9);
  }

  // Cycles in which a channel is blocked, or all queues that have heads are.
  [[nodiscard]] bool counts_by_heads() const override { return true; }
};

}  // namespace

const PolicyRtl& seastar_age_rtl() {
  static const SeastarRtl policy;
  return policy;
}

}  // namespace qosarb
