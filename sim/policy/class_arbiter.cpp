#include "qosarb/policy/class_arbiter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace qosarb {

ClassArbiter::ClassArbiter(std::unique_ptr<Arbiter> inner, int classes, int channels)
    : inner_(std::move(inner)),
      channels_(channels),
      shown_(classes),
      offer_(classes),
      last_(classes, channels - 1) {}

// A class without an active channel shows what it has, for a head that is stopped counts as
// waiting.
void ClassArbiter::show(Heads heads) {
  for (Index c = 0; c < count(shown_); ++c) {
    const Index first = c * channels_;
    Index found = -1;
    Index waiting = first;
    for (int i = 1; i <= channels_ && found < 0; ++i) {
      const Index channel = first + (last_[c] + i) % channels_;
      found = heads[channel].active() ? channel : -1;
      waiting = heads[channel].flits != 0 ? channel : waiting;
    }
    offer_[c] = found >= 0 ? found : waiting;
    shown_[c] = heads[offer_[c]];
  }
}

void ClassArbiter::advance(Cycle now, Heads heads) {
  show(heads);
  inner_->advance(now, shown_);
}

AgeStamp ClassArbiter::arrive(Cycle now, Index queue, std::uint8_t age) {
  return inner_->arrive(now, queue / channels_, age);
}

Decision ClassArbiter::decide(Cycle now, Heads heads) {
  show(heads);
  Decision decision = inner_->decide(now, shown_);
  if (decision.queue >= 0) {
    const Index channel = offer_[decision.queue];
    last_[decision.queue] = channel % channels_;
    decision.queue = channel;
  }
  return decision;
}

std::string ClassArbiter::describe() const {
  return fmt::format("{} last channels={}", inner_->describe(), last_);
}

void ClassArbiter::append_counters(std::vector<CounterValue>& counters) const {
  if (const auto* const counting = dynamic_cast<const Counting*>(inner_.get())) {
    counting->append_counters(counters);
  }
}

}  // namespace qosarb
