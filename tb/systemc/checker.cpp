#include "systemc/checker.hpp"

#include <fmt/format.h>

#include <utility>

namespace qosarb {

namespace {

std::string text_of(const sc::GrantSignals<>& grant) {
  return grant.grant_valid.read()
             ? fmt::format("queue {} (one-hot {:#x})", grant.grant_queue.read(), grant.grant.read())
             : fmt::format("no queue (one-hot {:#x})", grant.grant.read());
}

std::string text_of(Heads heads) {
  std::string text;
  for (std::size_t q = 0; q < heads.size(); ++q) {
    if (heads[q].flits != 0) {
      text += fmt::format("{}queue {}: {} flits{}", text.empty() ? "" : ", ", q, heads[q].flits,
                          heads[q].stopped ? " stopped" : "");
    }
  }
  return text.empty() ? "none" : text;
}

}  // namespace

Checker::Checker(const sc_core::sc_module_name& name, const Sides& sides, std::size_t port,
                 std::string place, DecisionLog& log)
    : sc_core::sc_module(name), sides_(sides), port_(port), place_(std::move(place)), log_(log) {
  SC_METHOD(look);
  dont_initialize();
  sensitive << clk_i.pos();
}

void Checker::look() {
  if (!running_i.read() || difference_) {
    return;
  }
  const sc::PortSignals<>& rtl = sides_.rtl;
  const auto heads =
      sc::PortSignals<>::Size::heads(rtl.valid.read(), rtl.pfc_stop.read(), rtl.flits.read());
  const int queue = rtl.granted();
  if (queue != sides_.expected.granted() || rtl.grant.read() != sides_.expected.grant.read()) {
    difference_ = fmt::format(
        "mismatch in cycle {} at {}: the reference grants {}, the RTL {}\n  candidates: {}",
        cycle_i.read(), place_, text_of(sides_.expected), text_of(rtl), text_of(heads));
    sc_core::sc_stop();
  }
  if (rtl.request.read()) {
    const std::uint32_t flits = queue < 0 ? 0 : heads[static_cast<std::size_t>(queue)].flits;
    log_.add({cycle_i.read(), port_, queue, flits});
    if (queue >= 0) {
      granted_[static_cast<std::size_t>(queue)].packets += 1;
      granted_[static_cast<std::size_t>(queue)].flits += flits;
    }
  }
}

std::optional<std::string> Checker::mismatch() const {
  if (!difference_) {
    return std::nullopt;
  }
  return *difference_ + "\n  reference, after its decision: " + sides_.reference.describe();
}

}  // namespace qosarb
