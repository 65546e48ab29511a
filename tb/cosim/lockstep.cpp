#include "cosim/lockstep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace qosarb {

namespace {

std::string text_of(const Decision& decision) {
  return decision.queue < 0 ? "no queue"
                            : fmt::format("queue {} ({} flits, age {})", decision.queue,
                                          decision.flits, decision.age);
}

}  // namespace

std::string text_of(Heads heads) {
  std::string text;
  for (std::size_t q = 0; q < heads.size(); ++q) {
    if (heads[q].flits != 0 || heads[q].stopped) {
      text += fmt::format("{}queue {}: {}{}", text.empty() ? "" : ", ", q,
                          heads[q].flits == 0 ? "empty" : fmt::format("{} flits", heads[q].flits),
                          heads[q].stopped ? " stopped" : "");
    }
  }
  return text.empty() ? "none" : text;
}

std::string text_of(const PortPlace& place) {
  if (place.chip.empty()) {
    return place.port;
  }
  return place.port.empty() ? place.chip : place.chip + "." + place.port;
}

LockstepArbiter::LockstepArbiter(std::unique_ptr<Arbiter> reference, std::unique_ptr<Arbiter> rtl,
                                 PortPlace place, std::function<void(Cycle)> end_of_cycle)
    : reference_(std::move(reference)),
      rtl_(std::move(rtl)),
      place_(std::move(place)),
      late_(dynamic_cast<const LateState*>(rtl_.get()) != nullptr),
      end_of_cycle_(std::move(end_of_cycle)) {}

void LockstepArbiter::advance(Cycle now, Heads heads) {
  reference_->advance(now, heads);
  rtl_->advance(now, heads);
}

AgeStamp LockstepArbiter::arrive(Cycle now, Index queue, std::uint8_t age) {
  const AgeStamp stamp = reference_->arrive(now, queue, age);
  const AgeStamp by_rtl = rtl_->arrive(now, queue, age);
  if (stamp.field != by_rtl.field || stamp.epoch != by_rtl.epoch) {
    throw Mismatch(
        now, place_,
        explain(now,
                fmt::format("a packet of age {} arrives at queue {}; the reference stamps it with "
                            "{} and epoch {}, the RTL with {} and epoch {}",
                            age, queue, stamp.field, stamp.epoch, by_rtl.field, by_rtl.epoch),
                {}));
  }
  return stamp;
}

Decision LockstepArbiter::decide(Cycle now, Heads heads) {
  if (late_) {
    reference_state_.clear();
    reference_->append_state(reference_state_);
  } else {
    check_state(now, heads);
  }
  const Decision by_reference = reference_->decide(now, heads);
  const Decision by_rtl = decision_of_rtl(now, heads);
  if (late_) {
    compare_states(now, heads);
  }
  if (by_reference != by_rtl) {
    end_cycle_of_rtl(now, heads);
    throw Mismatch(now, place_,
                   explain(now,
                           fmt::format("the reference grants {}, the RTL {}", text_of(by_reference),
                                       text_of(by_rtl)),
                           heads));
  }
  if (compared_ != nullptr) {
    compared_->fetch_add(1, std::memory_order_relaxed);
  }
  return by_reference;
}

// A grant that no arbiter gives is found before it can be compared.
Decision LockstepArbiter::decision_of_rtl(Cycle now, Heads heads) {
  try {
    return rtl_->decide(now, heads);
  } catch (const Mismatch& violation) {
    try {
      end_cycle_of_rtl(now, heads);
      static_cast<void>(rtl_->describe());
    } catch (const Mismatch&) {  // what follows from the grant
    }
    throw Mismatch(violation.cycle(), violation.place(), violation.what() + text_of_sides(heads));
  }
}

// States are told after the decision: the RTL's changes with the clock edge.
void LockstepArbiter::end_cycle_of_rtl(Cycle now, Heads heads) {
  rtl_->advance(now + 1, heads);
  if (end_of_cycle_) {
    end_of_cycle_(now);
  }
}

void LockstepArbiter::enter_elsewhere(Cycle now, std::uint32_t packets) {
  for (Arbiter* const side : {reference_.get(), rtl_.get()}) {
    dynamic_cast<SharesChipClock&>(*side).enter_elsewhere(now, packets);
  }
}

void LockstepArbiter::leave_elsewhere(Cycle now, bool epoch, std::uint32_t packets) {
  for (Arbiter* const side : {reference_.get(), rtl_.get()}) {
    dynamic_cast<SharesChipClock&>(*side).leave_elsewhere(now, epoch, packets);
  }
}

void LockstepArbiter::append_counters(std::vector<CounterValue>& counters) const {
  if (const auto* const counting = dynamic_cast<const Counting*>(reference_.get())) {
    counting->append_counters(counters);
  }
}

std::string LockstepArbiter::describe() const { return reference_->describe(); }

void LockstepArbiter::check_state(Cycle now, Heads heads) const {
  reference_state_.clear();
  reference_->append_state(reference_state_);
  compare_states(now, heads);
}

void LockstepArbiter::compare_states(Cycle now, Heads heads) const {
  rtl_state_.clear();
  rtl_->append_state(rtl_state_);
  if (reference_state_ != rtl_state_) {
    std::string difference = "the states differ, though all decisions were the same";
    if (reference_->describe() == rtl_->describe()) {  // a decision later they do not
      difference += fmt::format("; before this one the reference's was {}, the RTL's {}",
                                reference_state_, rtl_state_);
    }
    throw Mismatch(now, place_, explain(now, difference, heads));
  }
}

std::string LockstepArbiter::explain(Cycle now, const std::string& difference, Heads heads) const {
  return fmt::format("mismatch in cycle {} at {}: {}", now, text_of(place_), difference) +
         text_of_sides(heads);
}

std::string LockstepArbiter::text_of_sides(Heads heads) const {
  return fmt::format("\n  candidates: {}\n  reference: {}\n  RTL:       {}", text_of(heads),
                     reference_->describe(), rtl_->describe());
}

}  // namespace qosarb
