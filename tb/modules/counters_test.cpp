// qosarb_port_counters against sums: every event in, every snapshot out.
//
// QOSARB_SEED=n replays a run or makes a new one; QOSARB_DECISIONS=n makes it shorter or longer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>

#include "../ages/bench.hpp"
#include "Vcounters.h"

namespace qosarb::test {
namespace {

// The parameters of the build: no size is a power of two, and counters wrap soon.
constexpr std::size_t kQueues = 5;
constexpr unsigned kFlitsBits = 5;  // MaxPacketFlits is 21
constexpr std::uint32_t kMostFlits = (1U << kFlitsBits) - 1;
constexpr std::uint64_t kMask = (std::uint64_t{1} << 13) - 1;
constexpr std::size_t kCounters = 4 * kQueues;  // packets, flits, blocked, waiting of each queue
constexpr int kNobody = -1;
using Counts = std::array<std::uint64_t, kCounters>;

struct Events {
  std::uint32_t valid = 0;
  std::uint32_t stopped = 0;
  int granted = kNobody;
  std::array<std::uint32_t, kQueues> flits{};
};

class Bench {
 public:
  /// What registers and words hold before the reset is drawn from `seed`.
  explicit Bench(int seed) {
    prepare(context_);
    context_.randReset(2);
    context_.randSeed(seed);
    rtl_ = std::make_unique<Vcounters>(&context_);
    rtl_->clk_i = 0;
    rtl_->clear_i = 0;
    rtl_->snapshot_i = 0;
    rtl_->read_i = 0;
    show({});
    for (const auto reset : std::array<CData, 3>{1, 0, 1}) {  // no clock edge is needed
      rtl_->rst_ni = reset;
      rtl_->eval();
    }
  }

  /// A cycle with these events, at whose end the counters are cleared or copied, if asked.
  void cycle(const Events& events, bool clear = false, bool snapshot = false) {
    show(events);
    rtl_->clear_i = clear ? 1 : 0;
    rtl_->snapshot_i = snapshot ? 1 : 0;
    rtl_->eval();
    rtl_->clk_i = 1;
    rtl_->eval();
    rtl_->clk_i = 0;
    rtl_->eval();
    // The events of the cycle before are counted now.
    for (std::size_t c = 0; c < kCounters; ++c) {
      counts_[c] = clear ? 0 : (counts_[c] + pending_[c]) & kMask;
      wraps_ += counts_[c] < pending_[c] && !clear ? 1 : 0;
    }
    if (snapshot) {
      snapshot_ = counts_;
    }
    pending_.fill(0);
    for (std::size_t q = 0; q < kQueues; ++q) {
      const bool valid = (events.valid >> q & 1) != 0;
      const bool stopped = (events.stopped >> q & 1) != 0;
      const bool granted = events.granted == static_cast<int>(q);
      pending_[q] = granted ? 1 : 0;
      pending_[kQueues + q] = granted ? std::max(1U, events.flits[q]) : 0;
      pending_[2 * kQueues + q] = valid && stopped ? 1 : 0;
      pending_[3 * kQueues + q] = valid && !stopped && !granted ? 1 : 0;
    }
  }
  [[nodiscard]] bool busy() const { return rtl_->busy_o != 0; }
  /// Takes a snapshot and reads it, while events go on.
  template <typename Draw>
  void expect_snapshot(const Draw& draw) {
    cycle(draw(), false, true);
    std::size_t cycles = 0;
    while (busy()) {
      cycle(draw());
      ASSERT_LE(++cycles, kCounters + 1);
    }
    expect_read(draw);
  }
  /// Reads the last snapshot.
  template <typename Draw>
  void expect_read(const Draw& draw) {
    for (std::size_t c = 0; c < kCounters; ++c) {
      rtl_->read_i = 1;
      rtl_->read_kind_i = static_cast<CData>(c / kQueues);
      rtl_->read_queue_i = static_cast<CData>(c % kQueues);
      cycle(draw());
      rtl_->read_i = 0;
      ASSERT_EQ(rtl_->read_value_o, snapshot_[c]) << "counter " << c;
    }
  }
  [[nodiscard]] std::uint64_t wraps() const { return wraps_; }

 private:
  void show(const Events& events) {
    rtl_->valid_i = static_cast<CData>(events.valid);
    rtl_->stopped_i = static_cast<CData>(events.stopped);
    rtl_->grant_i = static_cast<CData>(events.granted == kNobody ? 0 : 1U << events.granted);
    rtl_->grant_queue_i = static_cast<CData>(std::max(events.granted, 0));
    for (std::size_t q = 0; q < kQueues; ++q) {
      set_element(rtl_->flits_i, q, kFlitsBits, events.flits[q]);
    }
  }

  VerilatedContext context_;
  std::unique_ptr<Vcounters> rtl_;
  Counts counts_{};
  Counts pending_{};
  Counts snapshot_{};
  std::uint64_t wraps_ = 0;
};

TEST(Counters, ASnapshotThatWasNeverTakenReadsAsZero) {
  for (int seed = 1; seed < 20; ++seed) {
    Bench bench(seed);
    bench.expect_read([] {
      return Events{.valid = 0x1f, .stopped = 0x03, .granted = 2, .flits = {1, 2, 3, 4, 5}};
    });
  }
}

// One queue wins every cycle, with heads as long as the port can show: the registers get the most
// that they have to hold.
TEST(Counters, HoldAGrantInEveryCycle) {
  for (std::size_t q = 0; q < kQueues; ++q) {
    Bench bench(1);
    Events events{.valid = 0x1f, .granted = static_cast<int>(q)};
    events.flits.fill(kMostFlits);
    for (int i = 0; i < 10; ++i) {
      for (std::size_t cycles = 0; cycles < 7 * kCounters + q; ++cycles) {
        bench.cycle(events);
      }
      bench.expect_snapshot([&events] { return events; });
    }
  }
}

// Traffic of every kind, snapshots at any time of the sweep, clears.
TEST(Counters, AreTheSumsAtTheTimeOfASnapshot) {
  Random random(test_seed());
  const std::uint64_t cycles = from_environment("QOSARB_DECISIONS", 100'000);
  std::uint64_t snapshots = 0;
  std::uint64_t clears = 0;
  std::uint64_t wraps = 0;
  for (std::uint64_t done = 0; done < cycles && !::testing::Test::HasFailure();) {
    Bench bench(random.from(1, 1'000'000));
    const std::uint64_t often = random.within(1, 60);
    const bool clearing = random.chance(50);
    const int favourite = random.from(0, static_cast<int>(kQueues) - 1);
    const auto draw = [&] {
      Events events{.valid = static_cast<std::uint32_t>(random.below(32) | random.below(32)),
                    .stopped = static_cast<std::uint32_t>(random.below(32) & random.below(32))};
      for (std::uint32_t& flits : events.flits) {
        flits = random.from(0U, kMostFlits);
      }
      const int queue =
          random.chance(50) ? favourite : random.from(0, static_cast<int>(kQueues) - 1);
      const std::uint32_t active = events.valid & ~events.stopped;
      events.granted = (active >> queue & 1) != 0 && !random.once_in(8) ? queue : kNobody;
      return events;
    };
    for (int i = 0; i < 1500 && !::testing::Test::HasFailure(); ++i, ++done) {
      const bool clear = clearing && random.once_in(often * 4);
      bench.cycle(draw(), clear);
      clears += clear ? 1 : 0;
      if (random.once_in(often)) {
        ++snapshots;
        bench.expect_snapshot(draw);
      }
    }
    wraps += bench.wraps();
  }
  std::cout << cycles << " cycles between snapshots, " << snapshots << " snapshots, " << clears
            << " clears, " << wraps << " counters wrapped\n";
  if (!::testing::Test::HasFailure()) {
    EXPECT_GT(snapshots, cycles / 60);
    EXPECT_GT(clears, cycles / 500);
    EXPECT_GT(wraps, cycles / 2000);
  }
}

}  // namespace
}  // namespace qosarb::test
