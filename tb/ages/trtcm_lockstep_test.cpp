// trtcm: eight classes with their counters against the reference.
//
// QOSARB_SEED=n replays a run or makes a new one; QOSARB_DECISIONS=n makes it shorter or longer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <vector>

#include "Vtrtcm_classes.h"
#include "bench.hpp"
#include "qosarb/policy/port.hpp"
#include "qosarb/policy/trtcm.hpp"

namespace qosarb::test {
namespace {

using Colour = TwoRateArbiter::Colour;

constexpr std::size_t kQueues = 8;
constexpr std::uint32_t kMaxPacketFlits = 1023;
constexpr std::uint32_t kFullRate = 65536;
constexpr std::uint64_t kHighestBurst = 65535;
constexpr std::uint64_t kHighestCount = (1U << 12) - 1;

// Zero, full, tiny and anything.
std::uint32_t random_rate(Random& random) {
  switch (random.below(5)) {
    case 0:
      return 0;
    case 1:
      return kFullRate;
    case 2:
      return static_cast<std::uint32_t>(random.within(1, 50));
    case 3:
      return static_cast<std::uint32_t>(random.within(1, kFullRate / 8));
    default:
      return static_cast<std::uint32_t>(random.within(1, kFullRate));
  }
}

std::uint64_t random_burst(Random& random, std::uint32_t longest) {
  switch (random.below(4)) {
    case 0:
      return longest;
    case 1:
      return std::min<std::uint64_t>(kHighestBurst, 4 * longest);
    case 2:
      return kHighestBurst;
    default:
      return random.within(longest, kHighestBurst);
  }
}

ArbiterConfig random_config(Random& random, std::uint32_t longest) {
  ArbiterConfig config;
  config.policy = kTrtcm;
  config.queues = static_cast<int>(kQueues);
  config.max_packet_flits = longest;
  TrtcmConfig classes;
  for (std::size_t q = 0; q < kQueues; ++q) {
    std::uint32_t assured = random_rate(random);
    std::uint32_t peak = random_rate(random);
    if (assured > peak) {
      std::swap(assured, peak);
    }
    classes.classes.push_back({static_cast<int>(q), assured, peak, random_burst(random, longest),
                               random_burst(random, longest)});
  }
  for (std::size_t q = kQueues; q > 1; --q) {
    std::swap(classes.classes[q - 1].priority, classes.classes[random.below(q)].priority);
  }
  config.parameters = classes;
  return config;
}

struct Seen {
  std::uint64_t decisions = 0;
  std::array<std::uint64_t, 3> grants{};  // by colour
  std::uint64_t loads = 0;
  std::uint64_t highest_counters = 0;
  std::uint64_t zero = 0;       // grants of heads of 0 flits
  std::uint64_t too_long = 0;   // grants of too long heads
  std::uint64_t overdrawn = 0;  // of these, paid for by a full bucket that is smaller
};

class Life {
 public:
  Life(Random& random, Vtrtcm_classes& rtl, Seen& seen)
      : random_(random),
        rtl_(rtl),
        seen_(seen),
        longest_(random.one_of(std::array<std::uint32_t, 4>{1, 16, 64, kMaxPacketFlits})),
        all_longest_(random.below(4) == 0),
        lie_(random.one_of(std::array<std::uint64_t, 3>{0, 3, 30})),
        arrival_(random.one_of(std::array<std::uint64_t, 4>{1, 4, 20, 200})),
        stop_(random.one_of(std::array<std::uint64_t, 3>{0, 50, 1000})),
        start_(random.one_of(std::array<std::uint64_t, 3>{2, 30, 400})),
        pace_(random.one_of(
            std::array{Pace::EveryCycle, Pace::LinkRate, Pace::LinkRate, Pace::RandomGaps})),
        config_(random_config(random, longest_)) {
    auto reference = std::make_unique<Replaceable>(make());
    reference_ = reference.get();
    port_ = std::make_unique<Port>(static_cast<int>(kQueues), std::move(reference));
  }

  void run(std::uint64_t cycles) {
    rtl_.rst_ni = 1;
    settle();
    rtl_.rst_ni = 0;
    rtl_.request_i = 0;
    rtl_.valid_i = 0;
    rtl_.stopped_i = 0;
    rtl_.clear_i = 0;
    settle();
    rtl_.rst_ni = 1;
    rtl_.load_i = 1;
    settle();
    clock_edge();
    configure();
    load_ = false;
    for (now_ = 0; now_ < cycles && !::testing::Test::HasFailure(); ++now_) {
      cycle();
    }
  }

 private:
  enum class Pace { EveryCycle, LinkRate, RandomGaps };

  const TrtcmConfig& parameters() const { return config_.parameters.get<TrtcmConfig>(); }
  std::unique_ptr<TwoRateArbiter> make() const {
    return std::make_unique<TwoRateArbiter>(parameters(), config_.max_packet_flits);
  }
  const TwoRateArbiter& state() { return dynamic_cast<const TwoRateArbiter&>(reference_->inner()); }

  void settle() {
    rtl_.clk_i = 0;
    rtl_.eval();
  }
  void clock_edge() {
    rtl_.clk_i = 1;
    rtl_.eval();
  }

  // The configuration in force from this cycle on.
  void configure() {
    rtl_.priority_i = 0;
    for (std::size_t q = 0; q < kQueues; ++q) {
      const TrtcmConfig::Class& c = parameters().classes[q];
      rtl_.priority_i |= static_cast<IData>(c.priority) << (3 * q);
      set_bits(rtl_.assured_rate_i, 17 * q, 17, c.assured_rate);
      set_bits(rtl_.peak_rate_i, 17 * q, 17, c.peak_rate);
      set_bits(rtl_.assured_burst_i, 16 * q, 16, static_cast<std::uint32_t>(c.assured_burst));
      set_bits(rtl_.peak_burst_i, 16 * q, 16, static_cast<std::uint32_t>(c.peak_burst));
    }
  }

  void cycle() {
    port_->reach(now_);
    const bool replaced = load_;
    if (replaced) {
      config_ = random_config(random_, longest_);
      auto reference = make();
      reference->advance(now_, std::vector<Head>(kQueues));
      reference_->replace(std::move(reference));
      configure();
      ++seen_.loads;
    }
    rtl_.clear_i = replaced || now_ == 0 ? 1 : 0;
    load_ = random_.once_in(2000);
    rtl_.load_i = load_ ? 1 : 0;
    rtl_.request_i = 0;
    settle();
    compare_state(replaced);
    traffic();
    rtl_.request_i = asked() ? 1 : 0;
    settle();
    decide();
    clock_edge();
  }

  // Before anything happens in cycle now_.
  void compare_state(bool replaced) {
    numbers_.clear();
    reference_->inner().append_state(numbers_);
    ASSERT_EQ(rtl_.last_red_o, numbers_[0]) << where();
    for (std::size_t q = 0; q < kQueues; ++q) {
      ASSERT_EQ(rtl_.assured_tokens_o[q], numbers_[2 + 2 * q]) << where();
      ASSERT_EQ(rtl_.peak_tokens_o[q], numbers_[3 + 2 * q]) << where();
    }
    if (now_ % 64 == 62) {
      stalls_ = state().stalls();
    } else if (now_ % 64 == 63 && !replaced) {
      // The RTL counts the events of a cycle one cycle later than the reference.
      for (std::size_t q = 0; q < kQueues; ++q) {
        compare_counter(get_bits(rtl_.green_stalls_o, 12 * q, 12), stalls_[q].green);
        compare_counter(get_bits(rtl_.yellow_stalls_o, 12 * q, 12), stalls_[q].yellow);
        compare_counter(get_bits(rtl_.red_stalls_o, 12 * q, 12), stalls_[q].red);
      }
    }
  }

  void compare_counter(std::uint32_t counter, std::uint64_t stalls) {
    ASSERT_EQ(counter, std::min(stalls, kHighestCount)) << where();
    seen_.highest_counters += stalls >= kHighestCount ? 1 : 0;
  }

  void traffic() {
    for (std::size_t q = 0; q < kQueues; ++q) {
      const auto queue = static_cast<int>(q);
      if (port_->packets(queue) < 3 && random_.once_in(arrival_)) {
        port_->arrive(now_, queue, random_length());
      }
      const bool stopped = port_->heads()[q].stopped;
      if (stop_ != 0 && random_.once_in(stopped ? start_ : stop_)) {
        port_->stop(now_, queue, !stopped);
      }
      const Head& head = port_->heads()[q];
      set_bit(rtl_.valid_i, q, head.flits != 0);
      set_bit(rtl_.stopped_i, q, head.stopped);
      set_bits(rtl_.flits_i, 10 * q, 10, head.shown_flits());
    }
  }

  // Now and then a length that lies, as far as the port can show it.
  std::uint32_t random_length() {
    if (random_.once_in(lie_)) {
      return static_cast<std::uint32_t>(random_.once_in(3) ? 0
                                                           : random_.below(kMaxPacketFlits + 1));
    }
    return all_longest_ ? longest_ : static_cast<std::uint32_t>(random_.within(1, longest_));
  }

  bool asked() {
    switch (pace_) {
      case Pace::EveryCycle:
        return true;
      case Pace::LinkRate:
        return now_ >= link_free_;
      case Pace::RandomGaps:
        return random_.once_in(3);
    }
    return true;  // not reached: every pace is named above
  }

  void decide() {
    const int queue = rtl_.grant_valid_o != 0 ? static_cast<int>(rtl_.grant_queue_o) : -1;
    ASSERT_EQ(rtl_.grant_o, queue < 0 ? 0U : 1U << queue) << where();
    if (rtl_.request_i == 0) {
      ASSERT_EQ(queue, -1) << where();
      return;
    }
    std::array<Colour, kQueues> colours{};
    for (std::size_t q = 0; q < kQueues; ++q) {
      colours[q] = state().colour(static_cast<int>(q), port_->heads()[q].flits);
    }
    std::array<std::uint64_t, kQueues> peak_tokens{};
    for (std::size_t q = 0; q < kQueues; ++q) {
      peak_tokens[q] = state().peak_tokens(static_cast<int>(q));
    }
    const Decision decision = port_->arbitrate(now_).decision;
    ++seen_.decisions;
    ASSERT_EQ(queue, decision.queue) << where();
    if (queue >= 0) {
      const Colour colour = colours[static_cast<std::size_t>(queue)];
      ++seen_.grants[static_cast<std::size_t>(colour)];
      seen_.zero += decision.flits == 0 ? 1 : 0;
      seen_.too_long += decision.flits > longest_ ? 1 : 0;
      seen_.overdrawn += colour != Colour::Red && std::uint64_t{decision.flits} << 16 >
                                                      peak_tokens[static_cast<std::size_t>(queue)]
                             ? 1
                             : 0;
      link_free_ = now_ + decision.flits;
    }
  }

  [[nodiscard]] std::string where() {
    return fmt::format("cycle {}: {}", now_, reference_->describe());
  }

  Random& random_;
  Vtrtcm_classes& rtl_;
  Seen& seen_;
  std::uint32_t longest_;
  bool all_longest_;
  std::uint64_t lie_;      // once in so many packets
  std::uint64_t arrival_;  // once in so many cycles, each queue
  std::uint64_t stop_;
  std::uint64_t start_;
  Pace pace_;
  ArbiterConfig config_;
  Replaceable* reference_ = nullptr;
  std::unique_ptr<Port> port_;
  std::vector<TwoRateArbiter::Stalls> stalls_;
  std::vector<std::uint64_t> numbers_;
  Cycle now_ = 0;
  Cycle link_free_ = 0;
  bool load_ = false;
};

TEST(TrtcmRtl, AgreesWithTheReference) {
  const std::uint64_t seed = from_environment("QOSARB_SEED", 1);
  const std::uint64_t decisions = from_environment("QOSARB_DECISIONS", 1'000'000);
  std::cout << "seed " << seed << " (QOSARB_SEED)" << std::endl;
  Random random(seed);
  VerilatedContext context;
  prepare(context);
  Vtrtcm_classes rtl(&context, "");
  Seen seen;
  while (seen.decisions < decisions && !HasFailure()) {
    Life life(random, rtl, seen);
    life.run(random.within(1, 20000));
  }
  std::cout << fmt::format(
      "{} decisions; {} green, {} yellow, {} red grants; {} loads, {} counters at their highest; "
      "{} "
      "grants of 0 flits, {} of too long heads, {} of these overdrew a bucket\n",
      seen.decisions, seen.grants[0], seen.grants[1], seen.grants[2], seen.loads,
      seen.highest_counters, seen.zero, seen.too_long, seen.overdrawn);
  if (decisions >= 1'000'000) {
    for (const std::uint64_t grants : seen.grants) {
      EXPECT_GT(grants, seen.decisions / 50);
    }
    EXPECT_GT(seen.loads, 100U);
    EXPECT_GT(seen.highest_counters, 100U);
    EXPECT_GT(seen.zero, seen.decisions / 200);
    EXPECT_GT(seen.too_long, seen.decisions / 200);
    EXPECT_GT(seen.overdrawn, seen.decisions / 10000);
  }
}

}  // namespace
}  // namespace qosarb::test
