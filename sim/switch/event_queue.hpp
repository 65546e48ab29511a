// What will happen when, in order of time and, within a cycle, in order of phases.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
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
  Credits,      ///< where: the number of a Credits; data: flits; a packet's first credit is in
  LateCredits,  ///< the same; data: cycles; see Credits::came_late()
  CreditWake,   ///< queue; the credits that its first packet waits for may be in
  Level,        ///< queue; its input queue may cross a PFC threshold
  Ready,        ///< data: packet; it may ask for the crossbar
  TransferEnd,  ///< data: output port; input `port` and that output are free
  Room,         ///< an output queue of `port` has room, or its wire is free
  Match,        ///< the crossbar connects inputs with outputs
  Visible,      ///< data: packet; its first flit is in the output queue of `port`
  Serve,        ///< the wire of a switch's `port` is free and something may be there to send
  Inject,       ///< the same of a host's
};
inline constexpr std::size_t kSimEventKinds = 15;

/// act(kind) for each kind, a std::integral_constant, in order.
template <typename Act>
constexpr void for_each_kind(Act&& act) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    (act(std::integral_constant<SimEventKind, static_cast<SimEventKind>(k)>{}), ...);
  }
  (std::make_index_sequence<kSimEventKinds>{});
}

/// Where something happens, and what it is about: all in one register.
struct alignas(8) SimEvent {
  static constexpr unsigned kPortBits = 8;  ///< central buffers count on behind the ports
  static constexpr unsigned kQueueBits = 6;
  static constexpr std::uint32_t kMostNodes = 1U << (32 - kPortBits - kQueueBits);

  std::uint32_t where = 0;
  std::uint32_t data = 0;

  /// `node` < kMostNodes; `port` and `queue` are not negative and fit their bits.
  static constexpr SimEvent at(Index node, Index port, Index queue = 0, std::uint32_t data = 0) {
    const std::uint32_t above = node;  // shifted without a sign
    return {above << (kPortBits + kQueueBits) | queue << kPortBits | port, data};
  }
  [[nodiscard]] constexpr Index node() const {
    return static_cast<Index>(where >> (kPortBits + kQueueBits));
  }
  [[nodiscard]] constexpr Index port() const {
    return static_cast<Index>(where & ((1U << kPortBits) - 1));
  }
  [[nodiscard]] constexpr Index queue() const {
    return static_cast<Index>(where >> kPortBits & ((1U << kQueueBits) - 1));
  }
};

/// Events in the order in which they came. One without events has no memory: it is given on, to the
/// list that gets its first event next: what is written next was read last, and is in the cache.
class EventList {
 public:
  struct Memory {
    std::unique_ptr<SimEvent[]> events;
    std::size_t size = 0;
  };
  using Spare = std::vector<Memory>;

  [[nodiscard]] bool full() const { return end_ == limit_; }
  /// It is not full.
  void push(SimEvent event) { *end_++ = event; }
  /// Makes it not full.
  void grow(Spare& spare);
  void clear(Spare& spare) {
    if (memory_.size != 0) {
      spare.push_back(std::exchange(memory_, {}));
    }
    end_ = nullptr;
    limit_ = nullptr;
  }
  [[nodiscard]] const SimEvent* begin() const { return memory_.events.get(); }
  [[nodiscard]] const SimEvent* end() const { return end_; }

 private:
  SimEvent* end_ = nullptr;
  SimEvent* limit_ = nullptr;
  Memory memory_;
};

/// act(event) for each of `events`, to which it may add.
template <typename Act>
void for_each(const EventList& events, Act&& act) {
  for (std::ptrdiff_t next = 0; next < events.end() - events.begin(); ++next) {
    act(events.begin()[next]);
  }
}

/// The same of an `act` that adds none to them. If what it reads is not in the cache, which is
/// `large`, then `far`, later `near` and at last `next` ask for the memory of an event before its
/// turn.
template <typename Far, typename Near, typename Next, typename Act>
void for_each_ahead(const EventList& events, bool large, Far&& far, Near&& near, Next&& next,
                    Act&& act) {
  constexpr std::ptrdiff_t kFar = 12;
  constexpr std::ptrdiff_t kNear = 6;
  constexpr std::ptrdiff_t kNext = 3;
  const SimEvent* const end = events.end();
  if (large) [[unlikely]] {
    const std::ptrdiff_t all = end - events.begin();
    std::for_each(events.begin(), events.begin() + std::min(kFar, all), far);
    std::for_each(events.begin(), events.begin() + std::min(kNear, all), near);
    std::for_each(events.begin(), events.begin() + std::min(kNext, all), next);
  }
  for (const SimEvent* event = events.begin(); event != end; ++event) {
    if (large) [[unlikely]] {
      if (event + kFar < end) {
        far(event[kFar]);
      }
      if (event + kNear < end) {
        near(event[kNear]);
      }
      if (event + kNext < end) {
        next(event[kNext]);
      }
    }
    act(*event);
  }
  if (events.end() != end) [[unlikely]] {
    throw std::logic_error("events were added to those that are being handled");
  }
}

/// A ring of cycles for what is constant or near, and a heap for what is far.
class EventQueue {
 public:
  EventQueue() { span(1); }

  /// The ring is made long enough for times up to `cycles` ahead. Before the first event.
  void span(Cycle cycles);

  /// The cycle whose events are being handled.
  [[nodiscard]] Cycle now() const { return now_; }

  /// `when` >= now(). For now() itself, of a kind not before the one being handled.
  [[gnu::always_inline]] void schedule(Cycle when, SimEventKind kind, SimEvent event) {
    if (when - now_ <= mask_) [[likely]] {
      put(when & mask_, kind, event);
    } else {
      schedule_far(when, kind, event);
    }
  }

  /// As schedule(), unless the same is to come by then already: `planned` is when, and what is past
  /// counts for nothing.
  void schedule_no_later(Cycle& planned, Cycle when, SimEventKind kind, SimEvent event) {
    if (planned <= now_ || planned > when) {
      planned = when;
      schedule(when, kind, event);
    }
  }

  /// A delay line: what happens of one kind so many cycles from now on. Where that is knows the
  /// queue in each cycle, so that putting something in costs little.
  class Pipe {
   private:
    friend class EventQueue;
    EventList* list_ = nullptr;  ///< of the cycle in which it comes out
    Cycle cycles_ = 0;
    SimEventKind kind_ = SimEventKind::Generate;
  };
  /// One that is `cycles` >= 1 long; null if there is none, as the ring is too short or there are
  /// kMostPipes of other lengths or kinds. After span(), before the first event.
  Pipe* pipe(Cycle cycles, SimEventKind kind);
  /// As schedule() for now() + its length.
  [[gnu::always_inline]] void put_in(const Pipe& pipe, SimEvent event) {
    EventList& to = *pipe.list_;
    if (to.full()) [[unlikely]] {
      make_room((now_ + pipe.cycles_) & mask_, pipe.kind_);
    }
    to.push(event);
  }

  /// There are so many switches. Before the first event.
  void switches(std::size_t count) {
    match_words_ = (count + 63) / 64;
    matches_.assign(2 * match_words_, 0);
    match_now_ = matches_.data();
  }
  /// The switches of numbers 64 x `word` and up whose bits are set in `which` match in now().
  /// Saying it twice changes nothing.
  [[gnu::always_inline]] void match_now(std::uint32_t word, std::uint64_t which) {
    match_now_[word] |= which;
  }
  /// The same in the next cycle.
  [[gnu::always_inline]] void match_next(std::uint32_t word, std::uint64_t which) {
    matches_of(now_ + 1)[word] |= which;
    kinds_[(now_ + 1) & mask_] |= bit_of(SimEventKind::Match);
  }
  /// A run() that is under way ends before cycle `end`, which is after now().
  void stop_at(Cycle end) { end_ = std::min(end_, end); }

  /// Handles all events before cycle `end`, in order; then now() == end. `handle(kind, events)` is
  /// given all those of a kind that a cycle has, and may schedule more, of this kind too; `kind` is
  /// a std::integral_constant, so that the way to the handlers of each kind is known beforehand;
  /// `match(word, which)` the switches that match: bit b of `which` is number 64 x `word` + b.
  /// `after(cycle)`, if not empty, is called once for each cycle, when it is over.
  template <typename Handler, typename Matcher>
  void run(Cycle end, Handler&& handle, Matcher&& match, const std::function<void(Cycle)>& after);

  /// The first cycle from now() on in which something happens; `end` if that is not before it. Not
  /// to be called while events are handled.
  [[nodiscard]] Cycle next_busy(Cycle end) const { return busy_cycle(now_, end); }
  /// True if some switch matches in now(). Not to be called while events are handled.
  [[nodiscard]] bool any_match() const {
    return std::any_of(match_now_, match_now_ + match_words_,
                       [](std::uint64_t word) { return word != 0; });
  }
  /// visit(cycle, kind, event) for every event that is still to come but matches, in no particular
  /// order.
  /// Not to be called while events are handled.
  template <typename Visitor>
  void for_each(Visitor&& visit) const;

 private:
  struct Far {
    Cycle when = 0;
    std::uint64_t order = 0;
    SimEvent event;
    SimEventKind kind = SimEventKind::Generate;
    bool operator>(const Far& other) const {
      return when != other.when ? when > other.when : order > other.order;
    }
  };
  static constexpr std::uint32_t bit_of(SimEventKind kind) {
    return 1U << static_cast<unsigned>(kind);
  }
  /// Of one kind in one place of the ring.
  [[nodiscard]] EventList& list(Cycle slot, SimEventKind kind) {
    return lists_[slot * kRow + static_cast<std::size_t>(kind)];
  }
  [[gnu::always_inline]] void put(Cycle slot, SimEventKind kind, SimEvent event) {
    EventList& to = list(slot, kind);
    if (to.full()) [[unlikely]] {
      make_room(slot, kind);
    }
    to.push(event);
  }
  void make_room(Cycle slot, SimEventKind kind);
  [[nodiscard]] std::uint64_t* matches_of(Cycle cycle) {
    return matches_.data() + cycle % 2 * match_words_;
  }
  void go_to(Cycle cycle) {
    now_ = cycle;
    match_now_ = matches_of(cycle);
    for (std::uint32_t i = 0; i < pipes_used_; ++i) {
      pipes_[i].list_ = &list((cycle + pipes_[i].cycles_) & mask_, pipes_[i].kind_);
    }
  }
  void schedule_far(Cycle when, SimEventKind kind, SimEvent event);
  void fetch_far();
  [[nodiscard]] Cycle busy_cycle(Cycle from, Cycle end) const;

  static constexpr std::size_t kRow = std::bit_ceil(kSimEventKinds);

  static constexpr std::uint32_t kMostPipes = 8;
  std::array<Pipe, kMostPipes> pipes_;
  std::uint32_t pipes_used_ = 0;
  std::vector<std::uint32_t> kinds_;  ///< [cycle mod ring], bit k: its list is not empty
  std::vector<EventList> lists_;      ///< [cycle mod ring][kind]
  EventList::Spare spare_;
  std::vector<std::uint64_t> matches_;  ///< [cycle mod 2][switch / 64], a bit for each switch
  std::size_t match_words_ = 0;         ///< of a cycle
  std::uint64_t* match_now_ = nullptr;  ///< those of now()
  Cycle mask_ = 0;                      ///< the ring's length - 1
  std::vector<Far> far_;                ///< a heap, the earliest in front
  std::uint64_t order_ = 0;
  Cycle now_ = 0;
  Cycle end_ = 0;  ///< of run()
};

template <typename Handler, typename Matcher>
void EventQueue::run(Cycle end, Handler&& handle, Matcher&& match,
                     const std::function<void(Cycle)>& after) {
  end_ = end;
  while (now_ < end_) {
    fetch_far();
    const Cycle slot = now_ & mask_;
    std::uint32_t& kinds = kinds_[slot];
    for_each_kind([&](auto kind) {
      // Handling may add events of this cycle, of this or a later kind.
      if constexpr (kind == SimEventKind::Match) {
        for (std::uint32_t word = 0; word < match_words_; ++word) {
          if (match_now_[word] != 0) {
            match(word, std::exchange(match_now_[word], 0));
          }
        }
      } else if ((kinds & bit_of(kind)) != 0) {
        EventList& events = list(slot, kind);
        handle(kind, events);
        events.clear(spare_);
      }
    });
    kinds = 0;
    if (after) {
      after(now_);
      go_to(now_ + 1);
    } else {
      go_to(busy_cycle(now_ + 1, end_));
    }
  }
}

template <typename Visitor>
void EventQueue::for_each(Visitor&& visit) const {
  for (Cycle cycle = now_; cycle <= now_ + mask_; ++cycle) {
    for (std::size_t kind = 0; kind < kSimEventKinds; ++kind) {
      for (const SimEvent& event : lists_[(cycle & mask_) * kRow + kind]) {
        visit(cycle, static_cast<SimEventKind>(kind), event);
      }
    }
  }
  for (const Far& far : far_) {
    visit(far.when, far.kind, far.event);
  }
}

}  // namespace qosarb
