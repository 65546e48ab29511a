// What will happen when, in order of time and, within a cycle, in order of phases.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "qosarb/policy/types.hpp"

namespace qosarb {

/// What happens in a cycle, in this order. Within one kind the order of events does not matter to
/// any result: they touch different queues, or the handler collects them first.
enum class SimEventKind : std::uint8_t {
  Generate,     ///< messages come to a host's queues
  HeadArrives,  ///< data: packet; its first flit enters the input queue of a port
  Delivered,    ///< data: packet; its last flit is in at a host
  PauseFrame,   ///< data: the frame (see PauseSender); its last flit is in
  Credit,       ///< queue, data: flits, more: see Credits; the first of these credits is in
  CreditWake,   ///< queue; the credits that its first packet waits for are in
  Level,        ///< queue; its input queue may cross a PFC threshold
  Ready,        ///< data: packet; it may ask for the crossbar
  TransferEnd,  ///< data: output port; input `port` and that output are free
  Room,         ///< an output queue of `port` has room, or its wire is free
  Match,        ///< the crossbar connects inputs with outputs
  Visible,      ///< data: packet; its first flit is in the output queue of `port`
  Serve,        ///< the wire of `port` is free and something may be there to send
};
inline constexpr std::size_t kSimEventKinds = 13;

struct SimEvent {
  SimEventKind kind = SimEventKind::Generate;
  std::uint8_t queue = 0;
  std::uint16_t port = 0;
  std::uint32_t node = 0;
  std::uint32_t data = 0;
  std::uint32_t more = 0;
};

/// A ring of cycles for what is constant or near, and a heap for what is far.
class EventQueue {
 public:
  EventQueue() { span(1); }

  /// The ring is made long enough for times up to `cycles` ahead. Before the first event.
  void span(Cycle cycles);

  /// The cycle whose events are being handled.
  [[nodiscard]] Cycle now() const { return now_; }

  /// `when` >= now(). For now() itself, of a kind not before the one being handled.
  void schedule(Cycle when, const SimEvent& event) {
    if (when - now_ <= mask_) {
      put(slots_[when & mask_], event);
    } else {
      schedule_far(when, event);
    }
  }

  /// Handles all events before cycle `end`, in order; then now() == end. `handle(event)` may
  /// schedule. `after(cycle)`, if not empty, is called once for each cycle, when it is over.
  template <typename Handler>
  void run(Cycle end, Handler&& handle, const std::function<void(Cycle)>& after);

  /// visit(cycle, event) for every event that is still to come, in no particular order. Not to be
  /// called while events are handled.
  template <typename Visitor>
  void for_each(Visitor&& visit) const;

 private:
  struct Slot {
    std::uint32_t kinds = 0;  ///< bit k: events of kind k are there
    std::array<std::vector<SimEvent>, kSimEventKinds> events;
  };
  struct Far {
    Cycle when = 0;
    std::uint64_t order = 0;
    SimEvent event;
    bool operator>(const Far& other) const {
      return when != other.when ? when > other.when : order > other.order;
    }
  };
  static void put(Slot& slot, const SimEvent& event) {
    const auto kind = static_cast<std::size_t>(event.kind);
    slot.kinds |= 1U << kind;
    slot.events[kind].push_back(event);
  }
  void schedule_far(Cycle when, const SimEvent& event);
  void fetch_far();
  [[nodiscard]] Cycle next_busy_cycle(Cycle end) const;

  std::vector<Slot> slots_;  ///< a power of two
  Cycle mask_ = 0;
  std::vector<Far> far_;  ///< a heap, the earliest in front
  std::uint64_t order_ = 0;
  Cycle now_ = 0;
};

template <typename Handler>
void EventQueue::run(Cycle end, Handler&& handle, const std::function<void(Cycle)>& after) {
  while (now_ < end) {
    fetch_far();
    Slot& slot = slots_[now_ & mask_];
    while (slot.kinds != 0) {
      // Handling may add events of this cycle, of this or a later kind.
      const auto kind = static_cast<std::size_t>(__builtin_ctz(slot.kinds));
      std::vector<SimEvent>& events = slot.events[kind];
      for (std::size_t i = 0; i < events.size(); ++i) {
        const SimEvent event = events[i];
        handle(event);
      }
      events.clear();
      slot.kinds &= ~(1U << kind);
    }
    if (after) {
      after(now_);
      ++now_;
    } else {
      now_ = next_busy_cycle(end);
    }
  }
}

template <typename Visitor>
void EventQueue::for_each(Visitor&& visit) const {
  for (Cycle cycle = now_; cycle <= now_ + mask_; ++cycle) {
    for (const std::vector<SimEvent>& events : slots_[cycle & mask_].events) {
      for (const SimEvent& event : events) {
        visit(cycle, event);
      }
    }
  }
  for (const Far& far : far_) {
    visit(far.when, far.event);
  }
}

}  // namespace qosarb
