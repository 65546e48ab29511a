// Two implementations of one arbiter, checked against each other at every decision.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "qosarb/policy/arbiter.hpp"
#include "qosarb/policy/chip_clock.hpp"
#include "qosarb/policy/counting.hpp"

namespace qosarb {

/// The place as people name it: "switch0.port3", or "port" for an arbiter that stands alone.
std::string text_of(const PortPlace& place);

/// The candidates among `heads` as people read them.
std::string text_of(Heads heads);

/// The reference and the RTL differ. The text explains it in several lines: cycle, place, both
/// decisions, the candidates, and the state of both sides.
class Mismatch : public std::runtime_error {
 public:
  Mismatch(Cycle cycle, PortPlace place, const std::string& explanation)
      : std::runtime_error(explanation), cycle_(cycle), place_(std::move(place)) {}

  [[nodiscard]] Cycle cycle() const { return cycle_; }
  [[nodiscard]] const PortPlace& place() const { return place_; }

 private:
  Cycle cycle_;
  PortPlace place_;
};

/// An arbiter whose state lacks a decision until the next cycle comes: what append_state() tells
/// right after a decision is the state before it.
class LateState {
 public:
  LateState() = default;
  LateState(const LateState&) = delete;
  LateState& operator=(const LateState&) = delete;
  virtual ~LateState() = default;
};

/// Asks the reference and the RTL, and insists that they say the same.
///
/// The states before each decision are compared, as append_state() tells them, and the decisions.
class LockstepArbiter final : public Arbiter, public Counting, public SharesChipClock {
 public:
  /// `end_of_cycle` is called before a mismatch is reported, if RTL needs more than advance() to
  /// get to the end of the cycle (Waves).
  LockstepArbiter(std::unique_ptr<Arbiter> reference, std::unique_ptr<Arbiter> rtl, PortPlace place,
                  std::function<void(Cycle)> end_of_cycle = {});

  void advance(Cycle now, Heads heads) override;
  AgeStamp arrive(Cycle now, Index queue, std::uint8_t age) override;
  /// Errors: Mismatch.
  Decision decide(Cycle now, Heads heads) override;
  void enter_elsewhere(Cycle now, std::uint32_t packets) override;
  void leave_elsewhere(Cycle now, bool epoch, std::uint32_t packets) override;
  [[nodiscard]] std::string describe() const override;
  /// It is the reference that tells.
  void narrate(Narrator* narrator) override { reference_->narrate(narrator); }
  /// It is the reference that counts, if it does.
  void append_counters(std::vector<CounterValue>& counters) const override;

  /// Compares the state of both sides as it is in cycle `now`, before that cycle's decision; not
  /// for an RTL whose state is late. Errors: Mismatch.
  void check_state(Cycle now, Heads heads) const;

  /// From now on `reference` is asked. For an RTL that starts over with another configuration.
  void restart(std::unique_ptr<Arbiter> reference) { reference_ = std::move(reference); }
  /// Counts each decision that was compared and was the same; not owned, null: nobody does.
  void count_in(std::atomic<std::uint64_t>* compared) { compared_ = compared; }
  [[nodiscard]] Arbiter& reference() { return *reference_; }
  [[nodiscard]] Arbiter& rtl() { return *rtl_; }

 private:
  Decision decision_of_rtl(Cycle now, Heads heads);
  void end_cycle_of_rtl(Cycle now, Heads heads);
  [[nodiscard]] std::string explain(Cycle now, const std::string& difference, Heads heads) const;
  [[nodiscard]] std::string text_of_sides(Heads heads) const;
  void compare_states(Cycle now, Heads heads) const;

  std::unique_ptr<Arbiter> reference_;
  std::unique_ptr<Arbiter> rtl_;
  PortPlace place_;
  bool late_ = false;  ///< the RTL's state is that of LateState
  std::function<void(Cycle)> end_of_cycle_;
  std::atomic<std::uint64_t>* compared_ = nullptr;
  mutable std::vector<std::uint64_t> reference_state_;  ///< kept to spare allocations
  mutable std::vector<std::uint64_t> rtl_state_;
};

}  // namespace qosarb
