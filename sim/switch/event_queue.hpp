// What will happen when, in order of time and, within a cycle, in order of phases.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
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
  Level,        ///< data: queue; its input queue may cross a PFC threshold
  Ready,        ///< data: packet; it may ask for the crossbar
  TransferEnd,  ///< data: output port; input `port` and that output are free
  Room,         ///< an output queue of `port` has room for a packet that waits for it
  Match,        ///< the crossbar connects inputs with outputs
  Visible,      ///< data: packet; its first flit is in the output queue of `port`
  Serve,        ///< the wire of `port` is free and something may be there to send
};
inline constexpr std::size_t kSimEventKinds = 11;

struct SimEvent {
  SimEventKind kind = SimEventKind::Generate;
  std::uint16_t port = 0;
  std::uint32_t node = 0;
  std::uint32_t data = 0;
};

/// A timing wheel for the near future and a heap for the far one.
class EventQueue {
 public:
  EventQueue() : slots_(kSlots) {}

  /// The cycle whose events are being handled.
  [[nodiscard]] Cycle now() const { return now_; }

  /// `when` >= now(). For now() itself, of a kind not before the one being handled.
  void schedule(Cycle when, const SimEvent& event);

  /// Handles all events before cycle `end`, in order; then now() == end. `handle(event)` may
  /// schedule. `after(cycle)`, if not empty, is called once for each cycle, when it is over.
  template <typename Handler>
  void run(Cycle end, Handler&& handle, const std::function<void(Cycle)>& after);

  /// visit(cycle, event) for every event that is still to come, in no particular order. Not to be
  /// called while events are handled.
  template <typename Visitor>
  void for_each(Visitor&& visit) const;

 private:
  static constexpr std::size_t kSlots = 512;  // a power of two
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
  void put(Slot& slot, const SimEvent& event) {
    const auto kind = static_cast<std::size_t>(event.kind);
    slot.kinds |= 1U << kind;
    slot.events[kind].push_back(event);
  }
  void fetch_far();
  [[nodiscard]] Cycle next_busy_cycle(Cycle end) const;

  std::vector<Slot> slots_;
  std::vector<Far> far_;  ///< a heap, the earliest in front
  std::uint64_t order_ = 0;
  Cycle now_ = 0;
};

template <typename Handler>
void EventQueue::run(Cycle end, Handler&& handle, const std::function<void(Cycle)>& after) {
  while (now_ < end) {
    fetch_far();
    Slot& slot = slots_[now_ % kSlots];
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
  for (Cycle cycle = now_; cycle < now_ + kSlots; ++cycle) {
    for (const std::vector<SimEvent>& events : slots_[cycle % kSlots].events) {
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
