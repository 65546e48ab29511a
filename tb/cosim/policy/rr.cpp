// rr: round robin.
#include "qosarb/policy/rr.hpp"

#include <fmt/format.h>

#include "cosim/policy/tables.hpp"
#include "cosim/port_model.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {
namespace {

class RrRtl final : public PolicyRtl {
 public:
  RrRtl() : PolicyRtl(kRr, QOSARB_PORT_POLICY_RR) {}

  void append_state(const PortState& port, const ArbiterConfig& config,
                    std::vector<std::uint64_t>& numbers) const override {
    numbers.push_back(last_winner(port.current(), config));
  }

  [[nodiscard]] std::string describe(const ArbiterConfig& /*config*/,
                                     StateNumbers state) const override {
    return fmt::format("last={}", state[0]);
  }
};

}  // namespace

const PolicyRtl& rr_rtl() {
  static const RrRtl policy;
  return policy;
}

}  // namespace qosarb
