#include "qosarb/policy/class_arbiter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "qosarb/policy/mask.hpp"

namespace qosarb {

namespace {

// A network spends much of its time in show(), so that goes by masks.
// The last set bit up to `last`, circularly; -1 of none.
int last_up_to(Mask mask, int last) {
  const Mask before = mask & ~(~Mask{1} << last);
  return 63 - std::countl_zero(before != 0 ? before : mask);
}

}  // namespace

ClassArbiter::ClassArbiter(std::unique_ptr<Arbiter> inner, int classes, int channels)
    : inner_(std::move(inner)),
      channels_(channels),
      shown_(classes),
      offer_(classes),
      last_(classes, channels - 1) {}

// A class without an active channel shows what it has, for a head that is stopped counts as
// waiting: of several the one whose turn comes last.
void ClassArbiter::show(Heads heads) {
  std::uint64_t active = 0;
  std::uint64_t waiting = 0;
  for (Index channel = count(heads) - 1; channel >= 0; --channel) {
    active = active << 1U | std::uint64_t{heads[channel].active()};
    waiting = waiting << 1U | std::uint64_t{heads[channel].flits != 0};
  }
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - channels_);
  Index first = 0;
  for (Index c = 0; c < count(shown_); ++c, first += channels_) {
    const std::uint64_t of_class = active >> first & all;
    const int offered = of_class != 0 ? first_after(of_class, last_[c])
                                      : std::max(0, last_up_to(waiting >> first & all, last_[c]));
    offer_[c] = first + offered;
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
