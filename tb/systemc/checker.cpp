#include "systemc/checker.hpp"

#include <fmt/format.h>

#include <utility>

namespace qosarb {

namespace {

std::string text_of(const RtlGrant& grant) {
  const std::string left = grant.left.read()
                               ? fmt::format("; a packet of age {}, epoch {}, left",
                                             grant.left_age.read(), grant.left_epoch.read())
                               : "";
  return grant.grant_valid.read()
             ? fmt::format("queue {} (one-hot {:#x}){}", grant.grant_queue.read(),
                           grant.grant.read(), left)
             : fmt::format("no queue (one-hot {:#x}){}", grant.grant.read(), left);
}

// What is said of the packet that was granted in the cycle before.
bool same_left(const RtlGrant& a, const RtlGrant& b) {
  return a.left.read() == b.left.read() &&
         (!a.left.read() ||
          (a.left_epoch.read() == b.left_epoch.read() && a.left_age.read() == b.left_age.read()));
}

}  // namespace

Checker::Checker(const sc_core::sc_module_name& name, const Sides& sides, std::size_t port,
                 PortPlace place, DecisionLog& log)
    : sc_core::sc_module(name),
      sides_(sides),
      port_(port),
      place_(std::move(place)),
      log_(log),
      granted_(kRtl.queues) {
  SC_METHOD(look);
  dont_initialize();
  sensitive << clk_i.pos();
}

void Checker::look() {
  if (!running_i.read() || difference_) {
    return;
  }
  const RtlSignals& rtl = sides_.rtl;
  const auto heads = rtl.heads();
  const Index queue = rtl.granted();
  if (queue != sides_.expected.granted() || rtl.grant.read() != sides_.expected.grant.read() ||
      !same_left(rtl, sides_.expected)) {
    cycle_ = cycle_i.read();
    difference_ = fmt::format(
        "mismatch in cycle {} at {}: the reference grants {}, the RTL {}\n  candidates: {}", cycle_,
        text_of(place_), text_of(sides_.expected), text_of(rtl), text_of(heads));
    sc_core::sc_stop();
    return;
  }
  if (rtl.request.read()) {
    const std::uint32_t flits = queue < 0 ? 0 : heads[queue].flits;
    log_.add({cycle_i.read(), port_, queue, flits});
    ++compared_;
    if (queue >= 0) {
      granted_[queue].packets += 1;
      granted_[queue].flits += flits;
    }
  }
}

std::optional<Mismatch> Checker::mismatch() const {
  if (!difference_) {
    return std::nullopt;
  }
  return Mismatch(
      cycle_, place_,
      *difference_ + "\n  reference, after its decision: " + sides_.reference.describe());
}

}  // namespace qosarb
