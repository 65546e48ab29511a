// qosarb_bxi_lookahead against the references of bxi-basic and bxi-deficit, which decide at once
// what it grants in the next cycle.
//
// QOSARB_SEED=n replays a run or makes a new one; QOSARB_DECISIONS=n makes it shorter or longer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../ages/bench.hpp"
#include "Vlookahead_basic.h"
#include "Vlookahead_large.h"
#include "Vlookahead_odd.h"
#include "ports.hpp"
#include "qosarb/policy/bxi.hpp"

namespace qosarb::test {
namespace {

/// A build of the module, with its parameters.
struct Large : LargeSize {
  using Model = Vlookahead_large;
  static constexpr bool kDeficits = true;
};
struct Odd : OddSize {
  using Model = Vlookahead_odd;
  static constexpr bool kDeficits = true;
};
/// The same without registers for deficits.
struct Basic : Odd {
  using Model = Vlookahead_basic;
  static constexpr bool kDeficits = false;
};

struct Seen {
  std::uint64_t decisions = 0;
  std::uint64_t grants = 0;
  std::uint64_t back_to_back = 0;  // grants to the queue that was granted in the cycle before
  std::uint64_t new_turns = 0;     // of these grants, those that begin a turn
  std::uint64_t saved = 0;         // decisions that find some deficit
  std::uint64_t loads = 0;
  std::uint64_t zero = 0;           // grants of heads of 0 flits
  std::uint64_t too_long = 0;       // grants of too long heads
  std::uint64_t overdrawn = 0;      // of these, by a fresh turn that does not hold them
  std::uint64_t saves_nothing = 0;  // turns with flits left that end because of a too long head
};

/// One port from its reset on. In each cycle the RTL answers what the reference decided one cycle
/// before; the packet granted by that answer still shows itself to the RTL.
template <typename Build>
class Life {
 public:
  Life(Random& random, typename Build::Model& rtl, Seen& seen)
      : random_(random),
        rtl_(rtl),
        seen_(seen),
        longest_(random.below(3) == 0 ? random.within(1, Build::kMaxPacketFlits)
                                      : std::uint64_t{Build::kMaxPacketFlits}),
        arrival_(random.one_of(std::array<std::uint64_t, 5>{1, 4, 10, 30, 200})),
        stop_(random.one_of(std::array<std::uint64_t, 3>{0, 12, 300})),
        start_(random.one_of(std::array<std::uint64_t, 3>{2, 10, 100})),
        no_request_(random.one_of(std::array<std::uint64_t, 3>{0, 3, 40})),
        lie_(random.one_of(std::array<std::uint64_t, 3>{0, 4, 40})) {}

  void run(std::uint64_t cycles) {
    reset<Build>(rtl_, random_.below(3));
    configure();
    for (now_ = 0; now_ < cycles && !::testing::Test::HasFailure(); ++now_) {
      cycle();
    }
  }

 private:
  void settle() {
    rtl_.clk_i = 0;
    rtl_.eval();
  }

  /// A strict table, in force from this cycle on, with the reference's state as after a reset.
  void configure() {
    ArbiterConfig config;
    const bool deficits = Build::kDeficits && random_.below(4) != 0;
    config.policy = deficits ? kBxiDeficit : kBxiBasic;
    config.queues = static_cast<int>(Build::kQueues);
    config.max_packet_flits = static_cast<std::uint32_t>(
        random_.once_in(3) ? random_.within(1, Build::kMaxPacketFlits) : Build::kMaxPacketFlits);
    const std::uint64_t limit = (std::uint64_t{1} << Build::kQuantumWidth) - 1;
    const std::uint64_t usual = std::min<std::uint64_t>(limit, 3 * config.max_packet_flits);
    BxiConfig bxi;
    // Few queues make the search come back to the entry it left.
    const std::uint64_t queues = random_.within(1, Build::kQueues);
    const std::uint64_t entries = random_.within(1, Build::kEntries);
    for (std::uint64_t e = 0; e < entries; ++e) {
      const std::uint64_t highest = random_.once_in(8) ? limit : usual;
      bxi.table.push_back(
          {static_cast<int>(random_.below(queues)),
           static_cast<std::uint32_t>(random_.within(config.max_packet_flits, highest))});
    }
    for (std::size_t e = 0; e < Build::kEntries; ++e) {
      const bool used = e < bxi.table.size();
      put(rtl_.entry_used_i, e, 1, used ? 1 : 0);
      put(rtl_.entry_queue_i, e * kQueueWidth, kQueueWidth,
          used ? static_cast<std::uint64_t>(bxi.table[e].queue) : random_.below(Build::kQueues));
      put(rtl_.entry_quantum_i, e * Build::kQuantumWidth, Build::kQuantumWidth,
          used ? bxi.quantum(e) : random_.below(limit + 1));
    }
    // Without the registers it does not matter.
    rtl_.deficits_on_i = deficits || (!Build::kDeficits && random_.once_in(2)) ? 1 : 0;
    put(rtl_.max_packet_flits_i, 0, kLengthWidth<Build>, config.max_packet_flits);
    max_packet_flits_ = config.max_packet_flits;
    reference_ = std::make_unique<BxiTable>(bxi, max_packet_flits_, deficits, Variant::Corrected);
    table_ = bxi;
    turn_is_nobodys_ = true;
    state_of_answer();
  }

  /// What the RTL's state is to be when it answers the decision that the reference makes next.
  void state_of_answer() {
    numbers_.clear();
    reference_->append_state(numbers_);
    nobodys_then_ = turn_is_nobodys_;
  }

  void cycle() {
    const std::uint64_t now = now_;
    const bool load = random_.once_in(1000);
    rtl_.load_i = load ? 1 : 0;
    const bool request = no_request_ == 0 || !random_.once_in(no_request_);
    rtl_.request_i = request ? 1 : 0;
    for (std::size_t q = 0; q < Build::kQueues; ++q) {
      auto& queue = queues_[q];
      if (queue.size() < 4 && random_.once_in(arrival_)) {
        queue.push_back(random_length<Build>(
            random_, std::min<std::uint64_t>(longest_, max_packet_flits_), lie_));
      }
      const bool stopped = heads_[q].stopped;
      const bool changes = stop_ != 0 && random_.once_in(stopped ? start_ : stop_);
      heads_[q] = head_of(queue, stopped != changes);
      put(rtl_.stopped_i, q, 1, heads_[q].stopped ? 1 : 0);
      const bool is_granted = answer_ == static_cast<int>(q);
      show_packets<Build>(rtl_, q, is_granted ? std::optional(answer_flits_) : std::nullopt, queue,
                          random_);
    }
    settle();

    // The answer of the cycle before.
    const int granted = rtl_.grant_valid_o != 0 ? static_cast<int>(rtl_.grant_queue_o) : -1;
    ASSERT_EQ(granted, answer_) << where(now);
    ASSERT_EQ(std::uint64_t{rtl_.grant_o}, answer_ < 0 ? 0 : std::uint64_t{1} << answer_)
        << where(now);
    compare_state(now);

    // This cycle's decision.
    const int previous = answer_;
    answer_ = -1;
    state_of_answer();
    if (request && !load) {
      const std::size_t entry = reference_->current_entry();
      const std::uint64_t remaining = reference_->remaining_flits();
      const bool fresh = numbers_.back() != 0;
      const Head& current = heads_[static_cast<std::size_t>(table_.table[entry].queue)];
      seen_.saves_nothing +=
          !fresh && current.active() && remaining > 0 &&
                  current.flits > std::max<std::uint64_t>(max_packet_flits_, remaining)
              ? 1
              : 0;
      const Decision decision = reference_->decide(now, heads_);
      answer_ = decision.queue;
      ++seen_.decisions;
      if (answer_ >= 0) {
        turn_is_nobodys_ = false;
        auto& queue = queues_[static_cast<std::size_t>(answer_)];
        answer_flits_ = queue.front();
        queue.pop_front();
        ++seen_.grants;
        seen_.zero += answer_flits_ == 0 ? 1 : 0;
        seen_.too_long += answer_flits_ > max_packet_flits_ ? 1 : 0;
        seen_.overdrawn += fresh && answer_flits_ > remaining &&
                                   reference_->paying_entry() == static_cast<int>(entry)
                               ? 1
                               : 0;
        if (answer_ == previous) {
          ++seen_.back_to_back;
          seen_.new_turns += reference_->current_entry() != entry ? 1 : 0;
        }
        for (const std::uint64_t deficit : reference_->deficits()) {
          if (deficit != 0) {
            ++seen_.saved;
            break;
          }
        }
      }
    }
    rtl_.clk_i = 1;
    rtl_.eval();
    if (load) {
      configure();
      ++seen_.loads;
    }
  }

  // A turn that is used up is handed on at once by the reference, and with the next grant by the
  // RTL.
  void compare_state(std::uint64_t now) {
    std::size_t current = rtl_.current_o;
    std::uint64_t remaining = rtl_.remaining_o;
    std::vector<std::uint64_t> numbers(2);
    for (std::size_t e = 0; e < table_.table.size(); ++e) {
      numbers.push_back(get(rtl_.deficit_o, e * kDeficitWidth, kDeficitWidth));
    }
    const bool fresh = remaining == 0;
    if (fresh) {
      current = nobodys_then_ ? 0 : (current + 1) % table_.table.size();
      remaining = table_.quantum(current) + std::exchange(numbers[2 + current], 0);
    }
    numbers[0] = current;
    numbers[1] = remaining;
    numbers.push_back(fresh ? 1 : 0);
    ASSERT_EQ(numbers, numbers_) << where(now);
  }

  [[nodiscard]] std::string where(std::uint64_t now) {
    return fmt::format("cycle {}: {}", now, reference_->describe());
  }

  static constexpr std::size_t kQueueWidth = index_width(Build::kQueues);
  static constexpr std::size_t kDeficitWidth = index_width(Build::kMaxPacketFlits);

  Random& random_;
  typename Build::Model& rtl_;
  Seen& seen_;
  std::uint64_t longest_;
  std::uint64_t arrival_;  // once in so many cycles, each queue
  std::uint64_t stop_;
  std::uint64_t start_;
  std::uint64_t no_request_;
  std::uint64_t lie_;  // once in so many packets
  std::uint32_t max_packet_flits_ = 0;
  BxiConfig table_;
  std::unique_ptr<BxiTable> reference_;
  std::array<std::deque<std::uint32_t>, Build::kQueues> queues_;
  std::vector<Head> heads_ = std::vector<Head>(Build::kQueues);
  std::vector<std::uint64_t> numbers_;  // the reference's state before its last decision
  bool turn_is_nobodys_ = true;         // no grant yet under this table
  bool nobodys_then_ = true;            // the same, before the last decision
  int answer_ = -1;                     // what the RTL grants in this cycle
  std::uint32_t answer_flits_ = 0;
  Cycle now_ = 0;
};

template <typename Build>
void run() {
  const std::uint64_t seed = from_environment("QOSARB_SEED", 1);
  const std::uint64_t decisions = from_environment("QOSARB_DECISIONS", 3'000'000);
  std::cout << "seed " << seed << " (QOSARB_SEED)" << std::endl;
  Random random(seed);
  VerilatedContext context;
  prepare(context);
  typename Build::Model rtl(&context, "");
  Seen seen;
  while (seen.decisions < decisions && !::testing::Test::HasFailure()) {
    Life<Build> life(random, rtl, seen);
    life.run(random.within(1, 5000));
  }
  std::cout << fmt::format(
      "{} decisions, {} grants; {} to the queue of the cycle before, {} of them in a new turn; "
      "{} with a deficit saved; {} loads; {} grants of 0 flits, {} of too long heads, {} of these "
      "by a fresh turn that did not hold them; {} turns ended by a too long head\n",
      seen.decisions, seen.grants, seen.back_to_back, seen.new_turns, seen.saved, seen.loads,
      seen.zero, seen.too_long, seen.overdrawn, seen.saves_nothing);
  if (decisions >= 1'000'000) {
    EXPECT_GT(seen.back_to_back, seen.decisions / 50);
    EXPECT_GT(seen.new_turns, seen.decisions / 200);
    if (Build::kDeficits) {
      EXPECT_GT(seen.saved, seen.decisions / 50);
    }
    EXPECT_GT(seen.loads, 100U);
    EXPECT_GT(seen.zero, seen.decisions / 500);
    EXPECT_GT(seen.too_long, seen.decisions / 1000);
    EXPECT_GT(seen.overdrawn, seen.decisions / 20000);
    EXPECT_GT(seen.saves_nothing, seen.decisions / 5000);
  }
}

TEST(LookaheadRtl, LargeAgreesWithTheReferenceOfTheCycleBefore) { run<Large>(); }

TEST(LookaheadRtl, OddAgreesWithTheReferenceOfTheCycleBefore) { run<Odd>(); }

TEST(LookaheadRtl, BasicAgreesWithTheReferenceOfTheCycleBefore) { run<Basic>(); }

// The waveform of docs/integration.md, worked by hand. Entry 0 is of queue 0, entry 1 of queue 1,
// both with a quantum of 8 flits. Queue 0 has packets of 3, 4 and 2 flits, queue 1 one of 5.
TEST(LookaheadRtl, TheWaveformOfTheIntegrationGuide) {
  struct Shown {
    int request;
    std::array<int, 2> heads;    // flits of the heads of queues 0 and 1; 0: none
    std::array<int, 2> seconds;  // of the packets behind them
    int granted;                 // the queue that is granted in this cycle; -1: none
  };
  const std::vector<Shown> cycles = {
      {1, {3, 5}, {4, 0}, -1},  // chooses the packet of 3 flits
      {1, {3, 5}, {4, 0}, 0},   // 5 remain, the packet of 4 flits fits: chooses it
      {1, {4, 5}, {2, 0}, 0},   // 1 remains, the packet of 2 flits does not fit: queue 1 it is
      {1, {2, 5}, {0, 0}, 1},   // queue 0 again, on 8 + 1 flits
      {0, {2, 0}, {0, 0}, 0},   // nothing is asked for
      {1, {0, 0}, {0, 0}, -1},  // nothing is there
      {0, {0, 0}, {0, 0}, -1},
  };
  VerilatedContext context;
  prepare(context);
  Vlookahead_odd rtl(&context, "");
  reset<Odd>(rtl, 2);
  rtl.max_packet_flits_i = Odd::kMaxPacketFlits;
  rtl.deficits_on_i = 1;
  for (std::size_t e = 0; e < Odd::kEntries; ++e) {
    put(rtl.entry_used_i, e, 1, e < 2 ? 1 : 0);
    put(rtl.entry_queue_i, e * index_width(Odd::kQueues), index_width(Odd::kQueues), e % 2);
    put(rtl.entry_quantum_i, e * Odd::kQuantumWidth, Odd::kQuantumWidth, 8);
  }
  const std::size_t width = index_width(Odd::kMaxPacketFlits + 1);
  for (std::size_t c = 0; c < cycles.size(); ++c) {
    rtl.clk_i = 0;
    rtl.request_i = cycles[c].request != 0;
    for (std::size_t q = 0; q < 2; ++q) {
      const auto head = static_cast<std::uint64_t>(cycles[c].heads[q]);
      const auto second = static_cast<std::uint64_t>(cycles[c].seconds[q]);
      put(rtl.valid_i, q, 1, head != 0 ? 1 : 0);
      put(rtl.flits_i, q * width, width, head);
      put(rtl.next_valid_i, q, 1, second != 0 ? 1 : 0);
      put(rtl.next_flits_i, q * width, width, second);
    }
    rtl.eval();
    EXPECT_EQ(rtl.grant_valid_o != 0 ? static_cast<int>(rtl.grant_queue_o) : -1, cycles[c].granted)
        << "in cycle " << c;
    rtl.clk_i = 1;
    rtl.eval();
  }
}

}  // namespace
}  // namespace qosarb::test
