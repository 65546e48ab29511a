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
constexpr std::size_t kQueueCounters = 4 * kQueues;  // packets, flits, blocked, waiting of each
constexpr std::size_t kOthers = 7;
constexpr std::uint32_t kOthersOfFlits = 0x18;  // of which one wins at most
constexpr std::size_t kCounters = kQueueCounters + kOthers;
constexpr std::uint64_t kLongestWait = (1U << 6) - 1;  // at which a wait stays
constexpr int kNobody = -1;
using Counts = std::array<std::uint64_t, kCounters>;
using Waits = std::array<std::uint64_t, kQueues>;

struct Events {
  std::uint32_t valid = 0;
  std::uint32_t stopped = 0;
  int granted = kNobody;
  std::uint32_t dropped = 0;
  std::uint32_t others = 0;
  std::uint32_t late_others = 0;  // of the cycle before
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
    rtl_->read_wait_i = 0;
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
    for (std::size_t i = 0; i < kOthers; ++i) {
      if ((events.late_others >> i & 1) != 0) {
        pending_[kQueueCounters + i] = (kOthersOfFlits >> i & 1) != 0 ? pending_flits_ : 1;
      }
    }
    for (std::size_t c = 0; c < kCounters; ++c) {
      counts_[c] = clear ? 0 : (counts_[c] + pending_[c]) & kMask;
      wraps_ += counts_[c] < pending_[c] && !clear ? 1 : 0;
    }
    for (std::size_t q = 0; q < kQueues; ++q) {
      const bool ends = (head_ends_ >> q & 1) != 0;
      waits_[q] = clear ? 0 : waits_[q] + pending_[3 * kQueues + q];
      longest_[q] = clear ? 0 : std::max(longest_[q], waits_[q]);
      if (snapshot) {
        longest_snapshot_[q] = longest_[q];
        longest_[q] = ends ? 0 : waits_[q];
      }
      waits_[q] = ends ? 0 : waits_[q];
      saturated_ += longest_[q] > kLongestWait ? 1 : 0;
    }
    if (snapshot) {
      snapshot_ = counts_;
    }
    head_ends_ =
        ~events.valid | events.dropped | (events.granted == kNobody ? 0U : 1U << events.granted);
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
    pending_flits_ =
        std::max(1U, events.flits[static_cast<std::size_t>(std::max(events.granted, 0))]);
    for (std::size_t i = 0; i < kOthers; ++i) {
      if ((events.others >> i & 1) != 0) {
        pending_[kQueueCounters + i] = (kOthersOfFlits >> i & 1) != 0 ? pending_flits_ : 1;
      }
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
      ASSERT_LE(++cycles, kCounters + 3);
    }
    expect_read(draw);
  }
  /// Reads the last snapshot.
  template <typename Draw>
  void expect_read(const Draw& draw) {
    for (std::size_t c = 0; c < kCounters; ++c) {
      rtl_->read_i = 1;
      rtl_->read_index_i = static_cast<CData>(c);
      rtl_->read_wait_i = 1;
      rtl_->read_wait_queue_i = static_cast<CData>(c % kQueues);
      cycle(draw());
      rtl_->read_i = 0;
      rtl_->read_wait_i = 0;
      ASSERT_EQ(rtl_->read_value_o, snapshot_[c]) << "counter " << c;
      ASSERT_EQ(rtl_->read_wait_o, std::min(longest_snapshot_[c % kQueues], kLongestWait))
          << "queue " << c % kQueues;
    }
  }
  [[nodiscard]] std::uint64_t wraps() const { return wraps_; }
  [[nodiscard]] std::uint64_t saturated() const { return saturated_; }

 private:
  void show(const Events& events) {
    rtl_->valid_i = static_cast<CData>(events.valid);
    rtl_->stopped_i = static_cast<CData>(events.stopped);
    rtl_->grant_i = static_cast<CData>(events.granted == kNobody ? 0 : 1U << events.granted);
    rtl_->drop_i = static_cast<CData>(events.dropped);
    rtl_->others_i = static_cast<CData>(events.others);
    rtl_->late_others_i = static_cast<CData>(events.late_others);
    for (std::size_t q = 0; q < kQueues; ++q) {
      set_element(rtl_->flits_i, q, kFlitsBits, events.flits[q]);
    }
  }

  VerilatedContext context_;
  std::unique_ptr<Vcounters> rtl_;
  Counts counts_{};
  Counts pending_{};
  std::uint64_t pending_flits_ = 1;
  Counts snapshot_{};
  std::uint32_t head_ends_ = 0;  // in the cycle before
  Waits waits_{};
  Waits longest_{};
  Waits longest_snapshot_{};
  std::uint64_t wraps_ = 0;
  std::uint64_t saturated_ = 0;  ///< cycles of queues
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
    Events events{.valid = 0x1f,
                  .granted = static_cast<int>(q),
                  .others = static_cast<std::uint32_t>(0x67U | (q % 2 == 0 ? 0x08U : 0x10U))};
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
  std::uint64_t saturated = 0;
  int lives = 0;
  for (std::uint64_t done = 0; done < cycles && !::testing::Test::HasFailure();) {
    Bench bench(random.from(1, 1'000'000));
    const std::uint64_t often = random.within(1, 60);
    const bool clearing = random.chance(50);
    const int favourite = random.from(0, static_cast<int>(kQueues) - 1);
    const bool patient = lives++ % 2 == 0;  // heads seldom go without a grant
    const auto draw = [&] {
      Events events{.valid = static_cast<std::uint32_t>(random.below(32) | random.below(32)),
                    .stopped = static_cast<std::uint32_t>(random.below(32) & random.below(32))};
      for (std::uint32_t& flits : events.flits) {
        flits = random.from(0U, kMostFlits);
      }
      if (patient && !random.once_in(20)) {
        events.valid |= 0x1e;
      }
      const int queue = random.chance(patient ? 80 : 50)
                            ? favourite
                            : random.from(0, static_cast<int>(kQueues) - 1);
      const std::uint32_t active = events.valid & ~events.stopped;
      events.granted = (active >> queue & 1) != 0 && !random.once_in(8) ? queue : kNobody;
      events.others = random.from(0U, 0x67U) & ~kOthersOfFlits;
      if (events.granted != kNobody && random.chance(70)) {
        events.others |= random.chance(50) ? 0x08 : 0x10;
      }
      events.late_others = random.chance(50) ? 0x04 : 0;
      if (events.granted == kNobody && events.valid != 0 && random.once_in(8)) {
        events.dropped = events.valid & (0U - events.valid);
      }
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
    saturated += bench.saturated();
  }
  std::cout << cycles << " cycles between snapshots, " << snapshots << " snapshots, " << clears
            << " clears, " << wraps << " counters wrapped, " << saturated
            << " cycles of a queue with the highest wait\n";
  if (!::testing::Test::HasFailure()) {
    EXPECT_GT(snapshots, cycles / 60);
    EXPECT_GT(clears, cycles / 1000);
    EXPECT_GT(wraps, cycles / 2000);
    EXPECT_GT(saturated, cycles / 100);
  }
}

}  // namespace
}  // namespace qosarb::test
