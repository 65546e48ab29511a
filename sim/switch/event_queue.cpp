#include "qosarb/switch/event_queue.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace qosarb {

namespace {
// Short rings stay in the cache; what is further away is rare enough for the heap.
constexpr Cycle kShortest = 64;
constexpr Cycle kLongest = 4096;
}  // namespace

void EventList::grow(Spare& spare) {
  const std::ptrdiff_t used = end_ - begin();
  if (used == 0 && !spare.empty()) {
    memory_ = std::move(spare.back());
    spare.pop_back();
  } else {
    const std::size_t size = std::max<std::size_t>(2 * memory_.size, 16);
    Memory larger{std::make_unique<SimEvent[]>(size), size};
    std::copy_n(begin(), used, larger.events.get());
    memory_ = std::move(larger);
  }
  end_ = memory_.events.get() + used;
  limit_ = memory_.events.get() + memory_.size;
}

void EventQueue::span(Cycle cycles) {
  const Cycle slots = std::bit_ceil(std::clamp(cycles + 1, kShortest, kLongest));
  kinds_.resize(slots);
  lists_.resize(slots * kRow);
  mask_ = slots - 1;
}

EventQueue::Pipe* EventQueue::pipe(Cycle cycles, SimEventKind kind) {
  for (Pipe& one : std::span(pipes_).first(pipes_used_)) {
    if (one.cycles_ == cycles && one.kind_ == kind) {
      return &one;
    }
  }
  if (cycles > mask_ || pipes_used_ == kMostPipes) {
    return nullptr;
  }
  Pipe& one = pipes_.at(pipes_used_++);
  one.cycles_ = cycles;
  one.kind_ = kind;
  go_to(now_);
  return &one;
}

void EventQueue::make_room(Cycle slot, SimEventKind kind) {
  kinds_[slot] |= bit_of(kind);
  list(slot, kind).grow(spare_);
}

void EventQueue::schedule_far(Cycle when, SimEventKind kind, SimEvent event) {
  far_.push_back({when, order_++, event, kind});
  std::push_heap(far_.begin(), far_.end(), std::greater<>{});
}

void EventQueue::fetch_far() {
  while (!far_.empty() && far_.front().when == now_) {
    put(now_ & mask_, far_.front().kind, far_.front().event);
    std::pop_heap(far_.begin(), far_.end(), std::greater<>{});
    far_.pop_back();
  }
}

Cycle EventQueue::busy_cycle(Cycle from, Cycle end) const {
  const Cycle far = far_.empty() ? end : std::min(end, far_.front().when);
  const Cycle horizon = std::min(far, now_ + mask_ + 1);  // where the ring ends
  for (Cycle cycle = from; cycle < horizon; ++cycle) {
    if (kinds_[cycle & mask_] != 0) {
      return cycle;
    }
  }
  return far;
}

}  // namespace qosarb
