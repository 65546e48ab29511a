// seastar-age: Procedures 1 to 3 of the Cray XT paper, by hand, exhaustively and at random.
#include "qosarb/policy/seastar_age.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <iostream>

#include "policy_under_test.hpp"

namespace qosarb::test {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kAlwaysByAge = ~std::uint64_t{0};

/// Ports with two VCs each; queue 2p holds requests and queue 2p + 1 responses of input port p.
ArbiterConfig seastar(int ports, std::uint32_t period, std::uint64_t select,
                      const std::string& variant = "corrected") {
  return arbiter_config(
      fmt::format("{{policy: seastar-age, variant: {}, queues: {}, max_packet_flits: 9, vcs: 2, "
                  "age_clock_period: {}, age_rr_select: {}}}",
                  variant, 2 * ports, period, select));
}

const AgeBasedArbiter& seastar_state(Port& port) {
  return dynamic_cast<const AgeBasedArbiter&>(reference_of(port.arbiter()));
}

// --- Procedure 2 ---------------------------------------------------------------------------------

/// Procedure 1, lines 11 and 12.
AgeStamp stamp(int age, int timestamp, bool epoch) {
  AgeStamp stamp{.epoch = epoch};
  stamp.field = (age - timestamp) & 511;
  return stamp;
}

// Every age, every timestamp at which it arrives, and every later moment until its epoch must have
// drained: the same epoch from then on, and the whole next one.
TEST(SeastarAgeErratum, Procedure2Line8OverAllCases) {
  std::uint64_t cases = 0;
  std::uint64_t saturate_wrongly = 0;
  std::uint64_t wrap_to_young = 0;
  for (int age = 0; age <= 255; ++age) {
    for (int arrival = 0; arrival <= 255; ++arrival) {
      const AgeStamp packet = stamp(age, arrival, false);
      for (int now = arrival; now <= 511; ++now) {
        const int due = std::min(255, age + now - arrival);
        const auto timestamp = static_cast<std::uint8_t>(now % 256);
        const bool epoch = now > 255;
        ASSERT_EQ(new_age(packet, timestamp, epoch, Variant::Corrected), due);
        const int printed = new_age(packet, timestamp, epoch, Variant::Printed);
        ++cases;
        saturate_wrongly += printed == 255 && due < 255 ? 1 : 0;
        wrap_to_young += printed < due ? 1 : 0;
      }
    }
  }
  std::cout << fmt::format("{} cases: printed saturates {} wrongly, {} wrap to young\n", cases,
                           saturate_wrongly, wrap_to_young);
  EXPECT_EQ(cases, 25198592U);  // 256 x (256 x 257 / 2 + 256 x 256)
  EXPECT_NEAR(static_cast<double>(saturate_wrongly), 5.56e6, 0.005e6);
  EXPECT_NEAR(static_cast<double>(wrap_to_young), 2.80e6, 0.005e6);
}

// Age 200 at timestamp 0, seen in the next epoch at timestamp 56: 200 + 312 = 512.
TEST(SeastarAgeErratum, AnOldPacketWrapsToAge0AsPrinted) {
  EXPECT_EQ(new_age(stamp(200, 0, false), 56, true, Variant::Printed), 0);
  EXPECT_EQ(new_age(stamp(200, 0, false), 56, true, Variant::Corrected), 255);
}

// All packets arrive with age 0 at timestamp 1 or later, that is, younger than the timestamp: as
// printed every one of them leaves with age 255 at once, and age decides nothing any more.
TEST(SeastarAgeErratum, EveryPacketSaturatesAsPrinted) {
  const auto ages = [](const std::string& variant) {
    Port port = port_under_test(seastar(2, 1, kAlwaysByAge, variant));
    std::vector<int> seen;
    for (Cycle now = 10; now < 14; ++now) {
      port.arrive(now, 0, 1);
      seen.push_back(port.arbitrate(now).decision.age);
    }
    return seen;
  };
  EXPECT_THAT(ages("printed"), ElementsAre(255, 255, 255, 255));
  EXPECT_THAT(ages("corrected"), ElementsAre(1, 1, 1, 1));
}

// --- Procedure 1 and the choice ------------------------------------------------------------------

TEST(SeastarAge, TheBiasIsThePortsOwnForRequestsAndForResponses) {
  Port port = port_under_test(arbiter_config(
      "{policy: seastar-age, queues: 8, max_packet_flits: 9, vcs: 4, req_age_bias: [1, 3], "
      "rsp_age_bias: [0, 7], age_clock_period: 1000, age_rr_select: 0}"));
  for (int q = 0; q < 8; ++q) {
    port.arrive(0, q, 1, q == 7 ? 250 : 10);
  }
  std::vector<int> ages;
  for (Cycle now = 0; now < 8; ++now) {
    ages.push_back(port.arbitrate(now).decision.age);
  }
  // 250 + 7 saturates.
  EXPECT_THAT(ages, ElementsAre(11, 11, 10, 10, 13, 13, 17, 255));
}

// A packet's age grows by one per period while it waits.
TEST(SeastarAge, TheWinnerLeavesWithItsNewAge) {
  Port port = port_under_test(seastar(1, 8, kAlwaysByAge));
  port.arrive(3, 0, 1, 5);
  EXPECT_EQ(port.arbitrate(7).decision, (Decision{0, 1, 6}));  // no tick yet
  port.arrive(7, 0, 1, 5);
  EXPECT_EQ(port.arbitrate(8).decision, (Decision{0, 1, 7}));  // the tick at the end of cycle 7
  port.arrive(8, 0, 1, 5);
  EXPECT_EQ(port.arbitrate(88).decision, (Decision{0, 1, 16}));
}

TEST(SeastarAge, TheOldestWinsAndTiesGoRoundTheAgePointer) {
  Port port = port_under_test(seastar(3, 1000, kAlwaysByAge));
  for (const int q : {0, 2, 3, 5}) {
    port.arrive(0, q, 1, 10);
    port.arrive(0, q, 1, 10);
  }
  port.arrive(0, 4, 1, 11);
  // The pointer starts at Q-1; after 4 it stands there.
  EXPECT_THAT(winners(port, 9), ElementsAre(4, 5, 0, 2, 3, 5, 0, 2, 3));
}

// age_rr_select 0b0110: grant 0 by round robin, 1 and 2 by age, 3 to 63 by round robin. Each choice
// moves its own pointer only.
TEST(SeastarAge, AgeRrSelectChoosesGrantByGrant) {
  Port port = port_under_test(seastar(2, 1000, 0b0110));
  for (int q = 0; q < 4; ++q) {
    for (int i = 0; i < 40; ++i) {
      port.arrive(0, q, 1, q == 2 ? 20 : 10);
    }
  }
  EXPECT_THAT(winners(port, 5), ElementsAre(0, 2, 2, 1, 2));
  // Arbitrations without a winner do not count: grants 5 to 63 go round robin, 64 does, too, and 65
  // and 66 go by age.
  for (int q = 0; q < 4; ++q) {
    port.stop(5, q, true);
  }
  EXPECT_THAT(winners(port, 2, 5), ElementsAre(-1, -1));
  for (int q = 0; q < 4; ++q) {
    port.stop(7, q, false);
  }
  const std::vector<int> queues = winners(port, 64, 7);
  for (std::size_t g = 5; g < 69; ++g) {
    const std::size_t i = g - 5;
    if (g == 65 || g == 66) {
      EXPECT_EQ(queues[i], 2) << g;
    } else {
      const std::size_t round_robin_before = g < 65 ? i : i - 2;
      EXPECT_EQ(queues[i], (3 + round_robin_before) % 4) << g;
    }
  }
}

// --- Procedure 3 ---------------------------------------------------------------------------------

/// Procedure 3 line by line, one cycle at a time.
class PlainClock {
 public:
  explicit PlainClock(std::uint32_t period) : period_(period), countdown_(period) {}

  void end_cycle() {
    const auto others = [this] { return (epoch && start_[0] > 0) || (!epoch && start_[1] > 0); };
    if (inhibit) {       // 1
      inhibit = false;   // 2
      if (others()) {    // 3
        inhibit = true;  // 4
      }
    } else {
      --countdown_;              // 7
      if (countdown_ == 0) {     // 8
        countdown_ = period_;    // 9
        if (timestamp == 255) {  // 10
          inhibit = false;       // 11
          if (others()) {        // 12
            inhibit = true;      // 13
          } else {
            timestamp = 0;   // 15
            epoch = !epoch;  // 16
          }
        } else {
          ++timestamp;  // 19
        }
      }
    }
    start_ = count;
  }

  int timestamp = 0;
  bool epoch = false;
  bool inhibit = false;
  std::array<std::uint64_t, 2> count{};

 private:
  std::uint32_t period_;
  std::uint32_t countdown_;
  std::array<std::uint64_t, 2> start_{};
};

// The clock is told of arrivals and departures only, in leaps between them.
TEST(AgeClock, GoesOnFromWhereItIsShown) {
  AgeClock clock(7);
  clock.advance(5);
  clock.show(9, true, false);
  EXPECT_EQ(clock.timestamp(), 9);
  EXPECT_TRUE(clock.arrive(0).epoch);
  clock.advance(5 + 6);
  EXPECT_EQ(clock.timestamp(), 9);
  clock.advance(5 + 7);  // a whole period later
  EXPECT_EQ(clock.timestamp(), 10);
}

// What it stands for tells it neither its countdown nor its counts.
TEST(AgeClock, TellsNoCountsOfAClockThatItStandsFor) {
  AgeClock clock(7);
  clock.show(9, true, false);
  clock.leave(true);
  EXPECT_EQ(clock.describe(), "timestamp=9 epoch=1 inhibit=false");
}

TEST(AgeClock, LeapsAreAsExactAsSteps) {
  Random random(test_seed(2007));
  std::uint64_t epochs = 0;
  std::uint64_t inhibited = 0;
  for (int round = 0; round < 40; ++round) {
    const auto period = random.from<std::uint32_t>(1, 5);
    const auto rare = random.from<std::uint64_t>(2, 3000);
    AgeClock clock(period);
    PlainClock plain(period);
    std::deque<bool> packets;
    for (Cycle now = 0; now < 30000; ++now) {
      if (random.once_in(rare)) {
        clock.advance(now);
        ASSERT_EQ(clock.timestamp(), plain.timestamp) << now;
        ASSERT_EQ(clock.epoch(), plain.epoch) << now;
        ASSERT_EQ(clock.inhibit(), plain.inhibit) << now;
        if (random.once_in(2) && packets.size() < 20) {
          packets.push_back(clock.arrive(0).epoch);
          ASSERT_EQ(packets.back(), plain.epoch);
          ++plain.count[plain.epoch ? 1 : 0];
        }
        for (int left = random.from(0, 2); left > 0 && !packets.empty(); --left) {
          clock.leave(packets.front());
          --plain.count[packets.front() ? 1 : 0];
          packets.pop_front();
        }
      }
      const bool epoch = plain.epoch;
      plain.end_cycle();
      epochs += plain.epoch != epoch ? 1 : 0;
      inhibited += plain.inhibit ? 1 : 0;
    }
  }
  EXPECT_GT(epochs, 100U);
  EXPECT_GT(inhibited, 1000U);
}

TEST(AgeClock, ALeapOverAnyTimeIsShort) {
  AgeClock empty(7);
  // 10^18 cycles are 142857142857142857 ticks and a cycle more; 512 ticks bring back the start.
  empty.advance(1000000000000000000ULL);
  EXPECT_EQ(empty.timestamp(), 142857142857142857ULL % 256);
  EXPECT_EQ(empty.epoch(), 142857142857142857ULL % 512 >= 256);
  EXPECT_EQ(empty.countdown(), 6U);
  // A packet that stays freezes the clock at the end of the epoch that follows its own.
  AgeClock frozen(7);
  const AgeStamp packet = frozen.arrive(0);
  frozen.advance(1000000000000000000ULL);
  EXPECT_EQ(frozen.timestamp(), 255);
  EXPECT_TRUE(frozen.epoch());
  EXPECT_TRUE(frozen.inhibit());
  EXPECT_EQ(new_age(packet, frozen.timestamp(), frozen.epoch(), Variant::Corrected), 255);
}

TEST(AgeClock, DoesNotGoBack) {
  AgeClock clock(1);
  clock.advance(5);
  clock.advance(5);
  EXPECT_THROW(clock.advance(4), std::logic_error);
}

// errata.md: after draining, the timestamp stays at 255 for period + 1 more cycles. Period 3. One
// packet of epoch 0 is left in epoch 1, whose timestamp would roll over at the end of cycle
// 3 x 512 - 1 = 1535: inhibited from 1536 on.
TEST(AgeClock, AfterDrainingTheTimestampStaysForAPeriodAndOneCycle) {
  AgeClock clock(3);
  const AgeStamp packet = clock.arrive(0);
  clock.advance(1535);
  EXPECT_FALSE(clock.inhibit());
  clock.advance(1536);
  EXPECT_TRUE(clock.inhibit());
  clock.advance(2000);
  clock.leave(packet.epoch);  // seen by the tick of 2001, for that of 2000 works on the old count
  clock.advance(2001);
  EXPECT_TRUE(clock.inhibit());
  clock.advance(2002);
  EXPECT_FALSE(clock.inhibit());
  EXPECT_EQ(clock.timestamp(), 255);
  clock.advance(2004);
  EXPECT_EQ(clock.timestamp(), 255);
  clock.advance(2005);
  EXPECT_EQ(clock.timestamp(), 0);
  EXPECT_FALSE(clock.epoch());
}

/// A chip of two ports whose clock all share.
struct Chip {
  explicit Chip(std::uint32_t period)
      : config(seastar(1, period, kAlwaysByAge)),
        factory(make_reference_factory()),
        first(config.queues, factory(config, {"chip", "port0"})),
        second(config.queues, factory(config, {"chip", "port1"})),
        elsewhere(config.queues, factory(config, {"other chip", "port0"})) {}

  ArbiterConfig config;
  ArbiterFactory factory;
  Port first;
  Port second;
  Port elsewhere;
};

TEST(AgeClock, IsSharedByThePortsOfAChip) {
  Chip chip(1);
  EXPECT_EQ(&seastar_state(chip.first).clock(), &seastar_state(chip.second).clock());
  EXPECT_NE(&seastar_state(chip.first).clock(), &seastar_state(chip.elsewhere).clock());
  chip.first.arrive(0, 0, 1);
  EXPECT_EQ(seastar_state(chip.second).clock().packet_count(false), 1U);
  EXPECT_EQ(seastar_state(chip.elsewhere).clock().packet_count(false), 0U);
}

TEST(AgeClock, BeginsAnewWithAnotherNetworkOfTheSameFactory) {
  const ArbiterConfig config = seastar(1, 1, kAlwaysByAge);
  const ArbiterFactory factory = make_reference_factory();
  for (int network = 0; network < 2; ++network) {
    Port port(config.queues, factory(config, {"chip", "port0"}));
    EXPECT_EQ(seastar_state(port).clock().now(), 0U);
    port.arrive(100, 0, 1);
  }
}

// A packet stuck at one port inhibits the other, which goes on by round robin; when it leaves, in
// cycle c, the inhibition ends with cycle c + 1. The second port is asked rarely.
TEST(AgeClock, APacketStuckAtOnePortInhibitsTheOthers) {
  Chip chip(1);
  chip.first.arrive(0, 0, 1);
  chip.first.stop(0, 0, true);
  // Epoch 1 begins in cycle 256; inhibited from 512 on.
  chip.second.arrive(600, 0, 1, 200);
  chip.second.arrive(600, 1, 1, 1);
  chip.second.arrive(600, 1, 1, 200);
  chip.second.arrive(600, 0, 1, 1);
  EXPECT_TRUE(seastar_state(chip.second).clock().inhibit());
  // Round robin: 0, then 1, although 1's head has age 1 and the next of 0 has, too.
  EXPECT_EQ(chip.second.arbitrate(700).decision.queue, 0);
  EXPECT_EQ(chip.second.arbitrate(701).decision.queue, 1);
  chip.first.stop(800, 0, false);
  EXPECT_EQ(chip.first.arbitrate(800).decision, (Decision{0, 1, 255}));
  chip.second.reach(801);
  EXPECT_TRUE(seastar_state(chip.second).clock().inhibit());
  chip.second.reach(802);
  EXPECT_FALSE(seastar_state(chip.second).clock().inhibit());
  EXPECT_EQ(chip.second.arbitrate(802).decision.queue, 1);  // 201 before 2
}

// Within a cycle the order in which the ports act changes nothing: the tick works on the counts
// with which the cycle began.
TEST(AgeClock, TheOrderOfThePortsWithinACycleDoesNotMatter) {
  Random random(test_seed(11));
  Chip one(2);
  Chip two(2);
  for (Cycle now = 0; now < 20000; ++now) {
    std::array<std::array<bool, 3>, 2> what{};
    for (auto& port : what) {
      port = {random.once_in(40), random.once_in(20), random.once_in(1200)};
    }
    const auto act = [&](Port& port, const std::array<bool, 3>& todo) {
      if (todo[0]) {
        port.arrive(now, now % 2 == 0 ? 0 : 1, 1, static_cast<std::uint8_t>(now % 7));
      }
      if (todo[2]) {
        port.stop(now, 0, now % 3 != 0);
      }
      return todo[1] ? port.arbitrate(now).decision : Decision{};
    };
    const Decision a = act(one.first, what[0]);
    const Decision b = act(one.second, what[1]);
    ASSERT_EQ(act(two.second, what[1]), b) << now;
    ASSERT_EQ(act(two.first, what[0]), a) << now;
  }
}

// While inhibited, packets of the other epoch go first, in round robin, and their grants count.
TEST(SeastarAge, InhibitionDrainsTheOldEpochFirst) {
  Port port = port_under_test(seastar(2, 1, kAlwaysByAge));
  for (const int q : {1, 3}) {
    port.arrive(0, q, 1);
    port.arrive(0, q, 1);
  }
  for (int q = 0; q < 4; ++q) {
    port.arrive(300, q, 1, 250);
  }
  EXPECT_TRUE((port.reach(600), seastar_state(port).clock().inhibit()));
  // 1 and 3 have two heads of epoch 0 each; then everybody, while the tick still sees the old
  // counts.
  EXPECT_THAT(winners(port, 4, 600), ElementsAre(1, 3, 1, 3));
  EXPECT_THAT(winners(port, 1, 604), ElementsAre(0));
  EXPECT_FALSE((port.reach(605), seastar_state(port).clock().inhibit()));
}

// No rollover of the timestamp, however many there are and however long a packet is stuck, may let
// a young packet pass for an old one: at each decision every head's new age is its true one,
// saturated, and a choice by age takes the greatest.
TEST(SeastarAge, NoYoungPacketEverPassesForAnOldOne) {
  Random random(test_seed(1993));
  for (const std::uint32_t period : {1U, 3U}) {
    const ArbiterConfig config = seastar(3, period, kAlwaysByAge);
    Port port = port_under_test(config);
    const AgeClock& clock = seastar_state(port).clock();
    std::vector<std::deque<std::uint64_t>> born(6);
    std::uint64_t ticks = 1000;  // so that nothing was born before 0
    std::uint64_t rollovers = 0;
    std::uint64_t stuck_for_an_epoch = 0;
    std::uint64_t by_age = 0;
    int timestamp = 0;
    for (Cycle now = 0; now < 400000; ++now) {
      port.reach(now);
      if (clock.timestamp() != timestamp) {
        ++ticks;
        rollovers += clock.timestamp() == 0 ? 1 : 0;
        timestamp = clock.timestamp();
      }
      for (int q = 0; q < 6; ++q) {
        if (random.once_in(8) && port.packets(q) < 12) {
          const auto age = random.from<std::uint8_t>(0, random.once_in(3) ? 255 : 19);
          port.arrive(now, q, 1, age);
          born[q].push_back(ticks - std::min(255, age + 1));
        }
        // Stops last long: up to several epochs of 256 x period cycles.
        const bool stopped = port.heads()[q].stopped;
        if (random.once_in(stopped ? 700 * period : 5000)) {
          port.stop(now, q, !stopped);
        }
      }
      if (!random.once_in(4)) {
        std::array<std::uint64_t, 6> true_age{};
        std::uint64_t oldest = 0;
        for (std::size_t q = 0; q < 6; ++q) {
          const Head& head = port.heads()[q];
          if (head.flits != 0) {
            true_age[q] = std::min<std::uint64_t>(255, ticks - born[q].front());
            ASSERT_EQ(new_age(head.stamp, clock.timestamp(), clock.epoch(), Variant::Corrected),
                      true_age[q]);
            oldest = head.active() ? std::max(oldest, true_age[q]) : oldest;
            stuck_for_an_epoch += ticks - born[q].front() > 511 ? 1 : 0;
          }
        }
        const bool inhibited = clock.inhibit();
        const Decision decision = port.arbitrate(now).decision;
        if (decision.queue >= 0) {
          const Index q = decision.queue;
          ASSERT_EQ(decision.age, true_age[q]);
          if (!inhibited) {
            ASSERT_EQ(true_age[q], oldest) << now;
            ++by_age;
          }
          born[q].pop_front();
        }
      }
    }
    std::cout << fmt::format(
        "period {}: {} rollovers, {} decisions by age, {} with a head stuck for "
        "more than an epoch\n",
        period, rollovers, by_age, stuck_for_an_epoch);
    EXPECT_GT(rollovers, 100U);
    EXPECT_GT(by_age, 10000U);
    EXPECT_GT(stuck_for_an_epoch, 1000U);
  }
}

// --- Table 4 -------------------------------------------------------------------------------------

// VC 0 of port 0 is blocked in cycles 2 to 9; from 4 on nothing else waits, which is a stall.
TEST(SeastarAge, CountersOfTable4) {
  Port port = port_under_test(seastar(2, 1, kAlwaysByAge));
  port.arrive(0, 0, 5, 60);
  port.arrive(0, 3, 2, 130);
  port.stop(2, 0, true);
  EXPECT_EQ(port.arbitrate(3).decision, (Decision{3, 2, 134}));
  port.stop(10, 0, false);
  EXPECT_EQ(port.arbitrate(300).decision, (Decision{0, 5, 255}));
  port.arrive(400, 1, 9, 0);
  EXPECT_EQ(port.arbitrate(400).decision.queue, 1);
  const AgeBasedArbiter::Counters& counters = seastar_state(port).counters();
  EXPECT_THAT(counters.blocked_cycles, ElementsAre(8, 0));
  EXPECT_EQ(counters.stalled_cycles, 6U);
  EXPECT_THAT(counters.packets, ElementsAre(1, 2));
  EXPECT_THAT(counters.flits, ElementsAre(5, 11));
  EXPECT_THAT(counters.age_groups, ElementsAre(1, 0, 1, 1));
}

// Counting leaps over cycles in which nothing happens; a port that is looked at in every cycle
// counts the same.
TEST(SeastarAge, CountersDoNotDependOnHowOftenThePortIsAsked) {
  Random random(test_seed(4));
  Port often = port_under_test(seastar(2, 2, 0x5555));
  Port rarely = port_under_test(seastar(2, 2, 0x5555));
  for (Cycle now = 0; now < 30000; ++now) {
    often.reach(now);
    for (int q = 0; q < 4; ++q) {
      const bool packet = random.once_in(50);
      const auto flits = random.from<std::uint32_t>(1, 9);
      const bool change = random.once_in(100);
      const bool stop = random.once_in(2);
      for (Port* port : {&often, &rarely}) {
        if (packet) {
          port->arrive(now, q, flits);
        }
        if (change) {
          port->stop(now, q, stop);
        }
      }
    }
    if (random.once_in(20)) {
      ASSERT_EQ(often.arbitrate(now).decision, rarely.arbitrate(now).decision);
    }
  }
  often.reach(30000);
  rarely.reach(30000);
  EXPECT_EQ(seastar_state(often).counters(), seastar_state(rarely).counters());
  EXPECT_GT(seastar_state(often).counters().stalled_cycles, 100U);
}

}  // namespace
}  // namespace qosarb::test
