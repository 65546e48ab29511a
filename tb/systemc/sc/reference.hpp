// A reference arbiter as hardware sees it: logic that answers, and a register that a clock changes.
#pragma once

#include <memory>
#include <string>

#include "qosarb/policy/age_clock.hpp"
#include "qosarb/policy/arbiter.hpp"

namespace qosarb::sc {

/// Arbiter::decide() says who wins and changes the state in one step. Hardware does the first as
/// often as its inputs change, and the second once, at the clock edge. This class takes the two
/// apart: answer() asks a copy of the arbiter, clock() makes the decision.
class ClockedReference {
 public:
  explicit ClockedReference(const ArbiterConfig& config);

  /// seastar-age: what the chip's age clock, which is not the reference's, says in this cycle.
  void show_clock(std::uint8_t timestamp, bool epoch, bool inhibit);

  /// What clock() would decide; nothing changes.
  [[nodiscard]] Decision answer(Heads heads) const;

  /// The present cycle ends with these heads; if `request`, with a decision among them.
  Decision clock(Heads heads, bool request);

  /// Starts over, in cycle 0.
  void reset();

  /// Cycles that have ended since the reset.
  [[nodiscard]] Cycle now() const { return now_; }
  [[nodiscard]] std::string describe() const { return arbiter_->describe(); }
  [[nodiscard]] const ArbiterConfig& config() const { return config_; }

 private:
  ArbiterConfig config_;
  std::unique_ptr<Arbiter> arbiter_;
  std::shared_ptr<AgeClock> clock_;  ///< as it was shown last
  Cycle now_ = 0;
};

}  // namespace qosarb::sc
