#include "qosarb/switch/event_queue.hpp"

#include <algorithm>

namespace qosarb {

void EventQueue::schedule(Cycle when, const SimEvent& event) {
  if (when - now_ < kSlots) {
    put(slots_[when % kSlots], event);
  } else {
    far_.push_back({when, order_++, event});
    std::push_heap(far_.begin(), far_.end(), std::greater<>{});
  }
}

void EventQueue::fetch_far() {
  while (!far_.empty() && far_.front().when == now_) {
    put(slots_[now_ % kSlots], far_.front().event);
    std::pop_heap(far_.begin(), far_.end(), std::greater<>{});
    far_.pop_back();
  }
}

Cycle EventQueue::next_busy_cycle(Cycle end) const {
  Cycle horizon = std::min(end, now_ + kSlots);
  if (!far_.empty()) {
    horizon = std::min(horizon, far_.front().when);
  }
  for (Cycle cycle = now_ + 1; cycle < horizon; ++cycle) {
    if (slots_[cycle % kSlots].kinds != 0) {
      return cycle;
    }
  }
  return horizon;
}

}  // namespace qosarb
