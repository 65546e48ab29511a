// seastar-age: input sides, age clock and three output ports of one chip against the references.
//
// QOSARB_SEED=n replays a run or makes a new one; QOSARB_DECISIONS=n makes it shorter or longer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iostream>
#include <memory>
#include <vector>

#include "Vseastar_chip.h"
#include "bench.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/port.hpp"
#include "qosarb/policy/seastar_age.hpp"

namespace qosarb::test {
namespace {

constexpr std::size_t kInputs = 7;
constexpr std::size_t kVcs = 4;
constexpr std::size_t kOutputs = 3;
constexpr std::size_t kQueues = kInputs * kVcs;
constexpr std::uint32_t kMaxPacketFlits = 9;
constexpr std::size_t kFlitsBits = 4;
constexpr std::uint64_t kCountMask = (1U << 12) - 1;

/// The Verilated chip, with the queues between its inputs and its outputs.
class Chip {
 public:
  Chip() : context_(std::make_unique<VerilatedContext>()) {
    prepare(*context_);
    top_ = std::make_unique<Vseastar_chip>(context_.get(), "");
  }

  void reset() {
    top_->rst_ni = 1;
    top_->clk_i = 0;
    top_->eval();
    top_->rst_ni = 0;
    top_->period_i = 0;
    top_->arrived_i = 0;
    top_->load_i = 0;
    top_->clear_i = 0;
    top_->request_i = 0;
    top_->eval();
    top_->rst_ni = 1;
    top_->eval();
  }

  void settle() {
    top_->clk_i = 0;
    top_->eval();
  }
  /// For counts that are made wrong: what an integrator binds would speak.
  void without_checks() { context_->assertOn(false); }
  void clock_edge() {
    top_->clk_i = 1;
    top_->eval();
    top_->clk_i = 0;
  }

  void show_head(std::size_t output, std::size_t queue, const Head& head) {
    const std::size_t i = output * kQueues + queue;
    qosarb::test::set_field(top_->valid_i, i, 1, head.flits != 0 ? 1 : 0);
    qosarb::test::set_field(top_->stopped_i, i, 1, head.stopped ? 1 : 0);
    qosarb::test::set_field(top_->flits_i, i * kFlitsBits, kFlitsBits, head.flits);
    qosarb::test::set_field(top_->head_field_i, i * 9, 9, head.stamp.field);
    qosarb::test::set_field(top_->head_in_epoch_i, i, 1, head.stamp.epoch ? 1 : 0);
  }

  [[nodiscard]] std::uint32_t grant(std::size_t output) const {
    return field(top_->grant_o, output * kQueues, kQueues);
  }
  [[nodiscard]] int grant_queue(std::size_t output) const {
    return (top_->grant_valid_o >> output & 1U) == 0
               ? -1
               : static_cast<int>(top_->grant_queue_o >> (5 * output) & 31U);
  }
  [[nodiscard]] std::uint64_t counter(std::size_t output, std::size_t i) const {
    return field(top_->counters_o, (output * (4 * kVcs + 1) + i) * 12, 12);
  }

  Vseastar_chip* operator->() { return top_.get(); }

 private:
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vseastar_chip> top_;
};

/// What a run brought up, so that a test can insist on it.
struct Seen {
  std::uint64_t decisions = 0;
  std::uint64_t grants = 0;
  std::uint64_t by_age = 0;
  std::uint64_t saturated = 0;
  std::uint64_t inhibited = 0;         // decisions
  std::uint64_t rollovers = 0;         // of the timestamp, that is, epochs
  std::uint64_t stuck_two_epochs = 0;  // grants of packets that stayed for longer than two
  std::uint64_t loads = 0;
  std::size_t most_losses = 0;         // decisions by age that a head of age 255 lost in a row
  std::uint64_t wrapped_counters = 0;  // found
};

/// One stretch of time from reset on.
class Life {
 public:
  Life(Random& random, Chip& chip, Seen& seen) : random_(random), chip_(chip), seen_(seen) {
    config_.policy = kSeastarAge;
    config_.queues = static_cast<int>(kQueues);
    config_.max_packet_flits = kMaxPacketFlits;
    SeastarConfig parameters;
    parameters.vcs = kVcs;
    for (std::size_t i = 0; i < kInputs; ++i) {
      parameters.req_age_bias.push_back(static_cast<std::uint32_t>(random.below(8)));
      parameters.rsp_age_bias.push_back(static_cast<std::uint32_t>(random.below(8)));
    }
    parameters.age_clock_period = random.one_of(std::array<std::uint32_t, 6>{1, 1, 2, 3, 8, 1000});
    clock_ = std::make_shared<AgeClock>(parameters.age_clock_period);
    config_.parameters = parameters;
    arrival_ = random.one_of(std::array<std::uint64_t, 4>{2, 3, 8, 60});
    stop_ = random.one_of(std::array<std::uint64_t, 4>{0, 100, 2000, 20000});
    start_ = random.one_of(std::array<std::uint64_t, 3>{3, 100, 900}) *
             (stop_ > 500 ? parameters.age_clock_period % 1000 + 1 : 1);
    request_percent_ = random.one_of(std::array<std::uint64_t, 4>{100, 100, 50, 12});
    young_ = random.below(2) == 0;
    backlog_ = random.within(1, 20);
    for (std::size_t o = 0; o < kOutputs; ++o) {
      auto reference = std::make_unique<Replaceable>(new_reference(o));
      outputs_.push_back({.reference = reference.get(),
                          .port = Port(static_cast<int>(kQueues), std::move(reference))});
    }
  }

  void run(std::uint64_t cycles) {
    chip_.reset();
    const auto& parameters = config_.parameters.get<SeastarConfig>();
    chip_->period_i = parameters.age_clock_period;
    for (std::size_t i = 0; i < kInputs; ++i) {
      set_field(chip_->req_age_bias_i, 3 * i, 7, parameters.req_age_bias[i]);
      set_field(chip_->rsp_age_bias_i, 3 * i, 7, parameters.rsp_age_bias[i]);
    }
    for (std::size_t o = 0; o < kOutputs; ++o) {
      for (std::size_t q = 0; q < kQueues; ++q) {
        chip_.show_head(o, q, {});
      }
    }
    // The period and the first selection take effect with this edge; then it is cycle 0.
    chip_->load_i = (1U << kOutputs) - 1;
    chip_.settle();
    chip_.clock_edge();
    for (now_ = 0; now_ < cycles && !::testing::Test::HasFailure(); ++now_) {
      cycle();
    }
  }

 private:
  struct Birth {
    std::uint64_t tick;  // at which the packet would have had age 0
    Cycle arrival;
  };
  struct Output {
    Replaceable* reference;
    Port port;
    std::array<std::deque<AgeStamp>, kQueues> stamps{};  // as the RTL made them
    std::array<std::deque<Birth>, kQueues> born{};
    std::array<Head, kQueues> shown{};
    std::array<std::size_t, kQueues> losses{};  // in a row, by age, of a head of age 255
    AgeBasedArbiter::Counters counted{};        // as they stood a cycle ago
    Decision last{};                            // of the last cycle
    bool load = false;
    bool replaced = false;  // a new selection is in force from this cycle on
  };

  template <typename T>
  static void set_field(T& word, std::size_t shift, unsigned mask, std::uint64_t value) {
    word = static_cast<T>((word & ~(static_cast<T>(mask) << shift)) |
                          static_cast<T>(static_cast<T>(value) << shift));
  }

  static const AgeBasedArbiter& state(Output& output) {
    return dynamic_cast<const AgeBasedArbiter&>(output.reference->inner());
  }

  // Draws what the port goes by, and tells the RTL.
  std::unique_ptr<Arbiter> new_reference(std::size_t o) {
    const std::uint64_t all = ~std::uint64_t{0};
    const std::uint64_t select =
        random_.one_of(std::array<std::uint64_t, 4>{all, all, random_.bits(), 0});
    auto& parameters = config_.parameters.get<SeastarConfig>();
    parameters.age_rr_select = select;
    chip_->age_rr_select_i[2 * o] = static_cast<EData>(select);
    chip_->age_rr_select_i[2 * o + 1] = static_cast<EData>(select >> 32);
    auto reference = config_.policy->make_reference(config_, clock_);
    reference->advance(clock_->now(), {});  // its counters begin here
    return reference;
  }

  void cycle() {
    for (std::size_t o = 0; o < kOutputs; ++o) {
      Output& output = outputs_[o];
      output.port.reach(now_);
      output.replaced = output.load;
      if (output.load) {
        output.losses.fill(0);
      }
      if (output.load) {
        output.reference->replace(new_reference(o));
        ++seen_.loads;
      }
      // The counters start over with the selection: what happened before is still on its way.
      set_bit(chip_->clear_i, o, output.load || now_ == 0);
      output.load = random_.once_in(3000);
      set_bit(chip_->load_i, o, output.load);
    }
    compare_state();
    count_time();
    arrive();
    for (std::size_t o = 0; o < kOutputs; ++o) {
      stop_and_show(o);
    }
    const bool asked = random_.below(100) < request_percent_;
    chip_->request_i = 0;
    std::array<bool, kOutputs> request{};
    for (std::size_t o = 0; o < kOutputs; ++o) {
      request[o] = asked && !random_.once_in(10);
      set_bit(chip_->request_i, o, request[o]);
    }
    chip_.settle();
    for (std::size_t o = 0; o < kOutputs; ++o) {
      decide(o, request[o]);
    }
    chip_.clock_edge();
    chip_->arrived_i = 0;
    // The ages with which the winners leave follow the grants by a cycle.
    for (std::size_t o = 0; o < kOutputs; ++o) {
      const Decision& last = outputs_[o].last;
      ASSERT_EQ(chip_->left_o >> o & 1U, last.queue >= 0 ? 1U : 0U) << where(o);
      if (last.queue >= 0) {
        ASSERT_EQ(chip_->left_age_o >> (8 * o) & 255U, last.age) << where(o);
      }
    }
  }

  // Before anything happens in cycle now_.
  void compare_state() {
    ASSERT_EQ(chip_->timestamp_o, clock_->timestamp()) << where(0);
    ASSERT_EQ(chip_->epoch_o != 0, clock_->epoch()) << where(0);
    ASSERT_EQ(chip_->inhibit_o != 0, clock_->inhibit()) << where(0);
    ASSERT_EQ(chip_->countdown_o, clock_->countdown()) << where(0);
    ASSERT_EQ(chip_->packet_count_o & 0xFFFU, clock_->packet_count(false)) << where(0);
    ASSERT_EQ(chip_->packet_count_o >> 12 & 0xFFFU, clock_->packet_count(true)) << where(0);
    for (std::size_t o = 0; o < kOutputs; ++o) {
      numbers_.clear();
      state(outputs_[o]).append_state(numbers_);
      const std::size_t n = numbers_.size();
      ASSERT_EQ(chip_->last_rr_o >> (5 * o) & 31U, numbers_[n - 3]) << where(o);
      ASSERT_EQ(chip_->last_age_o >> (5 * o) & 31U, numbers_[n - 2]) << where(o);
      ASSERT_EQ(chip_->grants_o >> (6 * o) & 63U, numbers_[n - 1]) << where(o);
    }
    if (now_ % 64 == 62) {
      for (Output& output : outputs_) {
        output.counted = state(output).counters();
      }
    } else if (now_ % 64 == 63) {
      compare_counters();
    }
  }

  // The RTL counts the events of a cycle one cycle later than the reference.
  void compare_counters() {
    for (std::size_t o = 0; o < kOutputs; ++o) {
      if (outputs_[o].replaced) {
        continue;  // those of the RTL are cleared at the end of this cycle
      }
      const AgeBasedArbiter::Counters& counted = outputs_[o].counted;
      std::vector<std::uint64_t> expected = counted.blocked_cycles;
      expected.insert(expected.end(), counted.packets.begin(), counted.packets.end());
      expected.insert(expected.end(), counted.flits.begin(), counted.flits.end());
      expected.push_back(counted.stalled_cycles);
      expected.insert(expected.end(), counted.age_groups.begin(), counted.age_groups.end());
      ASSERT_EQ(expected.size(), 4 * kVcs + 1);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(chip_.counter(o, i), expected[i] & kCountMask) << where(o) << ", counter " << i;
        seen_.wrapped_counters += expected[i] > kCountMask ? 1 : 0;
      }
    }
  }

  void count_time() {
    if (clock_->timestamp() != timestamp_) {
      ++ticks_;
      seen_.rollovers += clock_->timestamp() == 0 ? 1 : 0;
      timestamp_ = clock_->timestamp();
    }
  }

  // At most one packet arrives at each input of the chip, as its links have it.
  void arrive() {
    struct Arrival {
      std::size_t input;
      std::size_t output;
      int queue;
      std::uint8_t age;
    };
    std::array<Arrival, kInputs> arrivals{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < kInputs; ++i) {
      if (!random_.once_in(arrival_)) {
        continue;
      }
      const std::size_t vc = random_.below(kVcs);
      const auto queue = static_cast<int>(i * kVcs + vc);
      const std::size_t o = random_.below(kOutputs);
      if (outputs_[o].port.packets(queue) >= backlog_) {
        continue;
      }
      const auto age = static_cast<std::uint8_t>(random_.below(young_ ? 4 : 256));
      set_field(chip_->vc_i, 2 * i, 3, vc);
      set_field(chip_->age_i, 8 * i, 255, age);
      arrivals[count++] = {i, o, queue, age};
    }
    if (count == 0) {
      return;
    }
    chip_->arrived_i = static_cast<CData>(count);
    chip_.settle();
    const auto& parameters = config_.parameters.get<SeastarConfig>();
    for (std::size_t a = 0; a < count; ++a) {
      const Arrival& arrival = arrivals[a];
      Output& output = outputs_[arrival.output];
      const auto q = static_cast<std::size_t>(arrival.queue);
      output.stamps[q].push_back(
          {static_cast<std::uint16_t>(chip_->field_o >> (9 * arrival.input) & 511U),
           (chip_->in_epoch_o >> arrival.input & 1U) != 0});
      const std::uint32_t bias = q % kVcs < kVcs / 2 ? parameters.req_age_bias[arrival.input]
                                                     : parameters.rsp_age_bias[arrival.input];
      output.born[q].push_back({ticks_ - std::min<std::uint64_t>(255, arrival.age + bias), now_});
      output.port.arrive(now_, arrival.queue,
                         static_cast<std::uint32_t>(random_.within(1, kMaxPacketFlits)),
                         arrival.age);
    }
  }

  void stop_and_show(std::size_t o) {
    Output& output = outputs_[o];
    const Heads heads = output.port.heads();
    for (std::size_t q = 0; q < kQueues; ++q) {
      const bool stopped = heads[q].stopped;
      if (stop_ != 0 && random_.once_in(stopped ? start_ : stop_)) {
        output.port.stop(now_, static_cast<int>(q), !stopped);
      }
      Head head = heads[q];
      if (head.flits != 0) {
        ASSERT_EQ(output.stamps[q].front().field, head.stamp.field) << where(o);
        ASSERT_EQ(output.stamps[q].front().epoch, head.stamp.epoch) << where(o);
        head.stamp = output.stamps[q].front();
      }
      Head& shown = output.shown[q];
      if (now_ == 0 || head.flits != shown.flits || head.stopped != shown.stopped ||
          head.stamp.field != shown.stamp.field || head.stamp.epoch != shown.stamp.epoch) {
        chip_.show_head(o, q, head);
        shown = head;
      }
    }
  }

  void decide(std::size_t o, bool request) {
    Output& output = outputs_[o];
    output.last = {};
    if (!request) {
      ASSERT_EQ(chip_.grant_queue(o), -1) << where(o);
      ASSERT_EQ(chip_.grant(o), 0U) << where(o);
      return;
    }
    numbers_.clear();
    state(output).append_state(numbers_);
    const bool by_age = !clock_->inhibit() && (selection(o) >> numbers_.back() & 1U) != 0;
    // The true age of every candidate, from the moment at which it was born.
    std::array<std::uint64_t, kQueues> ages{};
    std::uint64_t oldest = 0;
    for (std::size_t q = 0; q < kQueues; ++q) {
      if (output.port.heads()[q].active()) {
        ages[q] = std::min<std::uint64_t>(255, ticks_ - output.born[q].front().tick);
        oldest = std::max(oldest, ages[q]);
      } else {
        output.losses[q] = 0;
      }
    }
    const Decision decision = output.port.arbitrate(now_).decision;
    ++seen_.decisions;
    seen_.inhibited += clock_->inhibit() ? 1 : 0;
    ASSERT_EQ(chip_.grant_queue(o), decision.queue) << where(o);
    ASSERT_EQ(chip_.grant(o), decision.queue < 0 ? 0U : 1U << decision.queue) << where(o);
    output.last = decision;
    if (decision.queue < 0) {
      return;
    }
    const auto q = static_cast<std::size_t>(decision.queue);
    const Birth born = output.born[q].front();
    ASSERT_EQ(decision.age, std::min<std::uint64_t>(255, ticks_ - born.tick)) << where(o);
    output.losses[q] = 0;
    if (by_age) {
      ASSERT_EQ(decision.age, oldest) << where(o);
      // docs/policies/seastar-age.md: each other queue goes at most once before a head of age 255.
      for (std::size_t other = 0; other < kQueues; ++other) {
        if (other != q && ages[other] == 255) {
          ASSERT_LT(++output.losses[other], kQueues) << where(o) << ", queue " << other;
          seen_.most_losses = std::max(seen_.most_losses, output.losses[other]);
        }
      }
    }
    ++seen_.grants;
    seen_.by_age += by_age ? 1 : 0;
    seen_.saturated += decision.age == 255 ? 1 : 0;
    seen_.stuck_two_epochs += now_ - born.arrival > 512 * chip_->period_i ? 1 : 0;
    output.stamps[q].pop_front();
    output.born[q].pop_front();
  }

  [[nodiscard]] std::uint64_t selection(std::size_t o) {
    return std::uint64_t{chip_->age_rr_select_i[2 * o + 1]} << 32 | chip_->age_rr_select_i[2 * o];
  }

  [[nodiscard]] std::string where(std::size_t o) {
    return fmt::format("cycle {} output {}: {}", now_, o, outputs_[o].reference->describe());
  }

  Random& random_;
  Chip& chip_;
  Seen& seen_;
  ArbiterConfig config_;
  std::shared_ptr<AgeClock> clock_;
  std::vector<Output> outputs_;
  std::vector<std::uint64_t> numbers_;
  std::uint64_t arrival_ = 1;  // once in so many cycles, at each input
  std::uint64_t stop_ = 0;     // once in so many cycles, each queue
  std::uint64_t start_ = 1;
  std::uint64_t request_percent_ = 100;
  std::uint64_t backlog_ = 1;
  bool young_ = false;
  Cycle now_ = 0;
  std::uint64_t ticks_ = 1000;  // so that nothing was born before 0
  int timestamp_ = 0;
};

TEST(SeastarRtl, AgreesWithTheReferenceOverTheThreePortsOfAChip) {
  const std::uint64_t seed = from_environment("QOSARB_SEED", 1);
  const std::uint64_t decisions = from_environment("QOSARB_DECISIONS", 2'000'000);
  std::cout << "seed " << seed << " (QOSARB_SEED)" << std::endl;
  Random random(seed);
  Chip chip;
  Seen seen;
  while (seen.decisions < decisions && !HasFailure()) {
    Life life(random, chip, seen);
    life.run(random.within(1, 1 + std::min<std::uint64_t>(30000, decisions)));
  }
  std::cout << fmt::format(
      "{} decisions, {} grants, {} by age, {} with age 255, {} while inhibited; {} epochs, {} "
      "grants "
      "after more than two epochs in the chip, {} loads, {} wrapped counters, at most {} "
      "losses of a "
      "head of age 255\n",
      seen.decisions, seen.grants, seen.by_age, seen.saturated, seen.inhibited, seen.rollovers,
      seen.stuck_two_epochs, seen.loads, seen.wrapped_counters, seen.most_losses);
  if (decisions >= 1'000'000) {
    EXPECT_GT(seen.grants, seen.decisions / 4);
    EXPECT_GT(seen.by_age, seen.decisions / 10);
    EXPECT_GT(seen.inhibited, seen.decisions / 100);
    EXPECT_GT(seen.rollovers, 500U);
    EXPECT_GT(seen.stuck_two_epochs, 100U);
    EXPECT_GT(seen.loads, 100U);
    EXPECT_GT(seen.wrapped_counters, 100U);
  }
}

constexpr int kResyncCycles = 8;  // of seastar_chip.sv

// Packets that are dropped untold leave their epoch's count too high, which inhibits the clock when
// the other epoch ends. Then no head is of theirs, and the count comes back to 0; while one is, it
// stays.
TEST(SeastarRtl, ACountThatIsTooHighComesBackOnceNoHeadIsOfItsEpoch) {
  Chip chip;
  chip.without_checks();
  chip.reset();
  for (std::size_t o = 0; o < kOutputs; ++o) {
    for (std::size_t q = 0; q < kQueues; ++q) {
      chip.show_head(o, q, {});
    }
  }
  const auto clock = [&chip]() {
    chip.settle();
    chip.clock_edge();
    chip.settle();
  };
  const auto inhibited_for = [&]() {
    int cycles = 0;
    int waited = 0;
    while (chip->inhibit_o == 0 && ++waited < 10'000) {
      clock();
    }
    while (chip->inhibit_o != 0 && cycles < 10'000) {
      ++cycles;
      clock();
    }
    return cycles;
  };
  chip->period_i = 1;
  clock();
  EXPECT_EQ(chip->epoch_o, 0);
  chip->arrived_i = 3;  // and nobody hears of them again
  clock();
  chip->arrived_i = 0;
  clock();
  EXPECT_EQ(chip->packet_count_o, 3U);
  EXPECT_EQ(inhibited_for(), kResyncCycles + 1);
  EXPECT_EQ(chip->packet_count_o, 0U);

  // Three more, and one that waits, stopped, at output 1.
  const bool epoch = chip->epoch_o != 0;
  chip->arrived_i = 4;
  clock();
  chip->arrived_i = 0;
  Head head{.flits = 1, .stopped = true};
  head.stamp.epoch = epoch;
  chip.show_head(1, 9, head);
  EXPECT_EQ(inhibited_for(), 10'000);
  head.stopped = false;
  chip.show_head(1, 9, head);
  chip->request_i = 2;
  chip.settle();
  EXPECT_EQ(chip.grant_queue(1), 9);
  clock();
  chip.show_head(1, 9, {});
  chip->request_i = 0;
  EXPECT_LE(inhibited_for(), kResyncCycles + 3);
  EXPECT_EQ(chip->packet_count_o, 0U);
}

// A packet that leaves uncounted takes no count below 0.
TEST(SeastarRtl, ACountThatIsTooLowStaysAt0) {
  Chip chip;
  chip.without_checks();
  chip.reset();
  for (std::size_t o = 0; o < kOutputs; ++o) {
    for (std::size_t q = 0; q < kQueues; ++q) {
      chip.show_head(o, q, {.flits = 1});
    }
  }
  chip->request_i = 7;
  chip.settle();
  for (int i = 0; i < 5; ++i) {
    chip.clock_edge();
    chip.settle();
    EXPECT_EQ(chip->packet_count_o, 0U);
  }
  chip->arrived_i = 5;
  chip->request_i = 0;
  chip.settle();
  chip.clock_edge();
  chip->arrived_i = 0;
  chip.settle();
  EXPECT_EQ(chip->packet_count_o, 5U);
}

// A chip without traffic: the clock alone.
TEST(SeastarRtl, APeriodOf0StopsTheClockAndANewOneRestartsTheCountdown) {
  Chip chip;
  chip.reset();
  const auto run = [&chip](int cycles) {
    for (int i = 0; i < cycles; ++i) {
      chip.settle();
      chip.clock_edge();
    }
  };
  for (std::size_t o = 0; o < kOutputs; ++o) {
    for (std::size_t q = 0; q < kQueues; ++q) {
      chip.show_head(o, q, {});
    }
  }
  run(100);
  EXPECT_EQ(chip->timestamp_o, 0);
  chip->period_i = 5;
  run(1);
  EXPECT_EQ(chip->countdown_o, 5U);
  run(5 * 7 + 3);
  EXPECT_EQ(chip->timestamp_o, 7);
  EXPECT_EQ(chip->countdown_o, 2U);
  chip->period_i = 100;
  run(1);
  EXPECT_EQ(chip->countdown_o, 100U);
  EXPECT_EQ(chip->timestamp_o, 7);
  run(100);
  EXPECT_EQ(chip->timestamp_o, 8);
  chip->period_i = 0;
  run(1000);
  EXPECT_EQ(chip->timestamp_o, 8);
  chip->period_i = 1;
  run(1 + 247);
  EXPECT_EQ(chip->timestamp_o, 255);
  EXPECT_EQ(chip->epoch_o, 0);
  run(1);
  EXPECT_EQ(chip->timestamp_o, 0);
  EXPECT_EQ(chip->epoch_o, 1);
  EXPECT_EQ(chip->inhibit_o, 0);
}

}  // namespace
}  // namespace qosarb::test
