// Pipes are delay lines: what is put in comes out when schedule() would have let it happen.
#include "qosarb/switch/event_queue.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace qosarb {
namespace {

using Happened = std::vector<std::pair<Cycle, std::uint32_t>>;  // cycle, data

/// What happens of `kind` before cycle `end`; `act(event)` may schedule more.
template <typename Act>
Happened run(EventQueue& events, Cycle end, SimEventKind kind, Act&& act) {
  Happened happened;
  events.run(
      end,
      [&](auto of, const EventList& list) {
        for (const SimEvent& event : list) {
          if (of == kind) {
            happened.emplace_back(events.now(), event.data);
          }
          act(event);
        }
      },
      [](std::uint32_t /*word*/, std::uint64_t /*which*/) {}, {});
  return happened;
}

TEST(EventQueue, WhatIsPutIntoAPipeComesOutAfterItsLength) {
  EventQueue events;
  events.span(100);
  const EventQueue::Pipe* const pipe = events.pipe(70, SimEventKind::Ready);
  ASSERT_NE(pipe, nullptr);
  events.put_in(*pipe, SimEvent::at(0, 0, 0, 1));
  for (const Cycle when : {3, 5, 64, 90, 200}) {  // some wrap around the ring
    events.schedule(when, SimEventKind::Generate, SimEvent::at(0, 0, 0, 2));
  }
  const Happened happened = run(events, 1000, SimEventKind::Ready, [&](const SimEvent& event) {
    if (event.data == 2) {
      for (int i = 0; i < 20; ++i) {  // more than a list's first memory
        events.put_in(*pipe, SimEvent::at(0, 0, 0, 3));
      }
    }
  });
  Happened expected = {{70, 1}};
  for (const Cycle when : {3, 5, 64, 90, 200}) {
    expected.insert(expected.end(), 20, {when + 70, 3});
  }
  EXPECT_EQ(happened, expected);
}

TEST(EventQueue, APipeIsSharedAndNeitherLongerThanTheRingNorOneTooMany) {
  EventQueue events;
  events.span(100);
  const EventQueue::Pipe* const first = events.pipe(1, SimEventKind::Ready);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(events.pipe(1, SimEventKind::Ready), first);
  EXPECT_NE(events.pipe(1, SimEventKind::Credits), first);
  EXPECT_NE(events.pipe(127, SimEventKind::Ready), nullptr);
  EXPECT_EQ(events.pipe(128, SimEventKind::Ready), nullptr);
  int more = 0;
  for (Cycle cycles = 2; events.pipe(cycles, SimEventKind::Ready) != nullptr; ++cycles) {
    ++more;
  }
  EXPECT_EQ(more, 5) << "eight in all";
  EXPECT_EQ(events.pipe(1, SimEventKind::Ready), first);
}

// However far it is: a rank of a trace may calculate for hours.
TEST(EventQueue, IdleTimeIsNotSteppedThrough) {
  EventQueue events;
  events.span(100);
  constexpr Cycle kLater = Cycle{1} << 50U;
  events.schedule(kLater, SimEventKind::Ready, SimEvent::at(0, 0, 0, 1));
  EXPECT_EQ(events.next_busy(kNever), kLater);
  EXPECT_EQ(events.next_busy(kLater - 1), kLater - 1);
  EXPECT_EQ(run(events, kLater + 100, SimEventKind::Ready, [](const SimEvent&) {}),
            Happened({{kLater, 1}}));
  EXPECT_EQ(events.now(), kLater + 100);
  EXPECT_EQ(events.next_busy(kLater + 5000), kLater + 5000);
}

TEST(EventQueue, NoneMayBeAddedToThoseThatAreHandledAhead) {
  EventQueue events;
  events.schedule(1, SimEventKind::Ready, SimEvent::at(0, 0, 0, 0));
  const auto nothing = [](SimEvent /*event*/) {};
  const auto again = [&](SimEvent event) { events.schedule(1, SimEventKind::Ready, event); };
  EXPECT_THROW(events.run(
                   2,
                   [&](auto /*kind*/, const EventList& list) {
                     for_each_ahead(list, false, nothing, nothing, nothing, again);
                   },
                   [](std::uint32_t /*word*/, std::uint64_t /*which*/) {}, {}),
               std::logic_error);
}

}  // namespace
}  // namespace qosarb
