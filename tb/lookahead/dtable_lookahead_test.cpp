// qosarb_dtable_lookahead against the reference of dtable, which decides at once what it grants in
// the next cycle.
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
#include <vector>

#include "../ages/bench.hpp"
#include "Vdtable_lookahead_large.h"
#include "Vdtable_lookahead_odd.h"
#include "ports.hpp"
#include "qosarb/policy/dtable.hpp"

namespace qosarb::test {
namespace {

/// A build of the module, with its parameters.
struct Large : LargeSize {
  using Model = Vdtable_lookahead_large;
};
struct Odd : OddSize {
  using Model = Vdtable_lookahead_odd;
};

struct Seen {
  std::uint64_t decisions = 0;
  std::uint64_t grants = 0;
  std::uint64_t back_to_back = 0;    // grants to the queue that was granted in the cycle before
  std::uint64_t follows_itself = 0;  // turns of the SL whose turn has just ended
  std::uint64_t goes_on = 0;         // grants that go on with a turn
  std::uint64_t takes_turns = 0;     // of these, to another queue of the SL
  std::uint64_t with_deficit = 0;    // turns that begin with a deficit
  std::uint64_t lost = 0;            // turns that end with flits left, as their SL is not active
  std::uint64_t stopped = 0;         // stops of a queue with a second packet while it is granted
  std::uint64_t withheld = 0;        // cycles without a request while it is an SL's turn
  std::uint64_t loads = 0;
  std::uint64_t granted_in_load = 0;  // of these, in a cycle that grants
  std::uint64_t zero = 0;             // grants of heads of 0 flits
  std::uint64_t too_long = 0;         // grants of too long heads
  std::uint64_t overdrawn = 0;        // of these, more than all that their turn had
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
  /// A table, in force from this cycle on, with the reference's state as after a reset. Each SL
  /// with queues has an entry, and each weight holds the MTU of its SL. Where no length lies, each
  /// MTU holds the packets that wait.
  void configure() {
    DTableConfig dtable;
    const std::uint64_t limit = (std::uint64_t{1} << Build::kQuantumWidth) - 1;
    // Few SLs have many queues, and make the search come back to the entry it left.
    const std::uint64_t sls = random_.within(1, Build::kQueues);
    for (std::uint64_t s = 0; s < sls; ++s) {
      dtable.sl_mtu.push_back(
          static_cast<std::uint32_t>(random_.once_in(3) ? random_.within(1, longest_) : longest_));
    }
    for (std::size_t q = 0; q < Build::kQueues; ++q) {
      dtable.queue_sl.push_back(static_cast<int>(random_.below(sls)));
      for (const std::uint32_t flits : queues_[q]) {
        auto& mtu = dtable.sl_mtu[static_cast<std::size_t>(dtable.queue_sl[q])];
        mtu = lie_ == 0 ? std::max(mtu, flits) : mtu;
      }
    }
    const std::uint64_t entries = random_.within(sls, Build::kEntries);
    for (std::uint64_t e = 0; e < entries; ++e) {
      const std::uint64_t sl = e < sls ? e : random_.below(sls);
      const std::uint64_t mtu = dtable.sl_mtu[sl];
      const std::uint64_t highest = random_.once_in(8) ? limit : std::min(limit, 3 * mtu);
      dtable.table.push_back(
          {static_cast<int>(sl), static_cast<std::uint32_t>(random_.within(mtu, highest))});
    }
    for (std::uint64_t e = entries - 1; e > 0; --e) {
      std::swap(dtable.table[e], dtable.table[random_.below(e + 1)]);
    }
    for (std::size_t e = 0; e < Build::kEntries; ++e) {
      const bool used = e < dtable.table.size();
      put(rtl_.entry_used_i, e, 1, used ? 1 : 0);
      put(rtl_.entry_sl_i, e * kQueueWidth, kQueueWidth,
          used ? static_cast<std::uint64_t>(dtable.table[e].sl) : random_.below(Build::kQueues));
      put(rtl_.entry_weight_i, e * Build::kQuantumWidth, Build::kQuantumWidth,
          used ? dtable.table[e].weight : random_.below(limit + 1));
    }
    for (std::size_t q = 0; q < Build::kQueues; ++q) {
      put(rtl_.queue_sl_i, q * kQueueWidth, kQueueWidth,
          static_cast<std::uint64_t>(dtable.queue_sl[q]));
      put(rtl_.queue_mtu_i, q * kLengthWidth<Build>, kLengthWidth<Build>,
          dtable.sl_mtu[static_cast<std::size_t>(dtable.queue_sl[q])]);
    }
    reference_ = std::make_unique<DeficitTable>(dtable, Variant::Corrected);
    config_ = dtable;
    turn_ = -1;
    before_first_grant_ = true;
    state_of_answer();
  }

  /// What the RTL's state is to be when it answers the decision that the reference makes next.
  void state_of_answer() {
    numbers_.clear();
    reference_->append_state(numbers_);
    numbers_.resize(3 + config_.sl_mtu.size());  // the round robins cannot be read
    if (before_first_grant_) {
      numbers_[1] = Build::kEntries - 1;
    }
  }

  void cycle() {
    const bool load = random_.once_in(1000);
    rtl_.load_i = load ? 1 : 0;
    const bool request = no_request_ == 0 || !random_.once_in(no_request_);
    rtl_.request_i = request ? 1 : 0;
    for (std::size_t q = 0; q < Build::kQueues; ++q) {
      show(q);
    }
    rtl_.clk_i = 0;
    rtl_.eval();

    // The answer of the cycle before.
    const int granted = rtl_.grant_valid_o != 0 ? static_cast<int>(rtl_.grant_queue_o) : -1;
    ASSERT_EQ(granted, answer_) << where();
    ASSERT_EQ(std::uint64_t{rtl_.grant_o}, answer_ < 0 ? 0 : std::uint64_t{1} << answer_)
        << where();
    compare_state();

    // This cycle's decision.
    const int previous = answer_;
    answer_ = -1;
    state_of_answer();
    if (request && !load) {
      decide(previous);
    }
    seen_.withheld += !request && turn_ >= 0 ? 1 : 0;
    rtl_.clk_i = 1;
    rtl_.eval();
    if (load) {
      configure();
      ++seen_.loads;
      seen_.granted_in_load += previous >= 0 ? 1 : 0;
    }
  }

  /// New packets and stops of queue q, and what the RTL sees of it.
  void show(std::size_t q) {
    auto& queue = queues_[q];
    const std::uint32_t mtu = config_.sl_mtu[static_cast<std::size_t>(config_.queue_sl[q])];
    if (queue.size() < 4 && random_.once_in(arrival_)) {
      queue.push_back(random_length<Build>(random_, std::min<std::uint64_t>(longest_, mtu), lie_));
    }
    const bool is_granted = answer_ == static_cast<int>(q);
    if (stop_ != 0 && random_.once_in(heads_[q].stopped ? start_ : stop_)) {
      heads_[q].stopped = !heads_[q].stopped;
      seen_.stopped += heads_[q].stopped && is_granted && !queue.empty() ? 1 : 0;
    }
    heads_[q] = head_of(queue, heads_[q].stopped);
    put(rtl_.stopped_i, q, 1, heads_[q].stopped ? 1 : 0);
    show_packets<Build>(rtl_, q, is_granted ? std::optional(answer_flits_) : std::nullopt, queue,
                        random_);
  }

  void decide(int previous) {
    const std::uint64_t left = reference_->accumulated_weight();
    bool turn_active = false;
    for (std::size_t q = 0; q < Build::kQueues; ++q) {
      turn_active |= config_.queue_sl[q] == turn_ && heads_[q].active();
    }
    const Decision decision = reference_->decide(now_, heads_);
    answer_ = decision.queue;
    ++seen_.decisions;
    seen_.lost += turn_ >= 0 && left > 0 && !turn_active ? 1 : 0;
    if (answer_ < 0) {
      turn_ = -1;
      return;
    }
    before_first_grant_ = false;
    auto& queue = queues_[static_cast<std::size_t>(answer_)];
    answer_flits_ = queue.front();
    queue.pop_front();
    ++seen_.grants;
    seen_.back_to_back += answer_ == previous ? 1 : 0;
    // A turn begins with at least a weight, and that is more than what a turn that ends leaves.
    const int sl = config_.queue_sl[static_cast<std::size_t>(answer_)];
    const bool too_long = answer_flits_ > config_.sl_mtu[static_cast<std::size_t>(sl)];
    seen_.zero += answer_flits_ == 0 ? 1 : 0;
    seen_.too_long += too_long ? 1 : 0;
    seen_.overdrawn += too_long && reference_->accumulated_weight() == 0 ? 1 : 0;
    const std::uint64_t paid = std::max(answer_flits_, 1U);
    const bool goes_on = sl == turn_ && reference_->accumulated_weight() + paid == left;
    if (goes_on) {
      ++seen_.goes_on;
      seen_.takes_turns += previous >= 0 && answer_ != previous ? 1 : 0;
    } else {
      seen_.follows_itself += sl == turn_ ? 1 : 0;
      seen_.with_deficit += reference_->deficits()[static_cast<std::size_t>(sl)] != 0 ? 1 : 0;
    }
    turn_ = sl;
  }

  void compare_state() {
    const bool selected = rtl_.selected_o != 0;
    std::vector<std::uint64_t> numbers = {
        selected ? std::uint64_t{rtl_.selected_sl_o} + 1 : std::uint64_t{rtl_.selected_sl_o},
        rtl_.current_o, rtl_.remaining_o};
    for (std::size_t s = 0; s < config_.sl_mtu.size(); ++s) {
      numbers.push_back(get(rtl_.deficit_o, s * kDeficitWidth, kDeficitWidth));
    }
    ASSERT_EQ(numbers, numbers_) << where();
  }

  [[nodiscard]] std::string where() const {
    return fmt::format("cycle {}: {}", now_, reference_->describe());
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
  DTableConfig config_;
  std::unique_ptr<DeficitTable> reference_;
  std::array<std::deque<std::uint32_t>, Build::kQueues> queues_;
  std::vector<Head> heads_ = std::vector<Head>(Build::kQueues);
  std::vector<std::uint64_t> numbers_;  // the reference's state before its last decision
  int turn_ = -1;                       // the SL whose turn it is, after that decision
  bool before_first_grant_ = true;      // under this table
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
      "{} decisions, {} grants; {} to the queue of the cycle before; {} go on with a turn, {} of "
      "them with another queue; {} turns begin with a deficit, {} follow one of the same SL, {} "
      "end with flits left as their SL is not active; {} stops of a queue while it is granted; {} "
      "cycles without a "
      "request; {} loads, {} in a cycle with a grant; {} grants of 0 flits, {} of too long heads, "
      "{} of which left nothing of their turn\n",
      seen.decisions, seen.grants, seen.back_to_back, seen.goes_on, seen.takes_turns,
      seen.with_deficit, seen.follows_itself, seen.lost, seen.stopped, seen.withheld, seen.loads,
      seen.granted_in_load, seen.zero, seen.too_long, seen.overdrawn);
  if (decisions >= 1'000'000) {
    EXPECT_GT(seen.back_to_back, seen.decisions / 50);
    EXPECT_GT(seen.goes_on, seen.decisions / 50);
    EXPECT_GT(seen.takes_turns, seen.decisions / 100);
    EXPECT_GT(seen.with_deficit, seen.decisions / 50);
    EXPECT_GT(seen.follows_itself, seen.decisions / 200);
    EXPECT_GT(seen.lost, seen.decisions / 200);
    EXPECT_GT(seen.stopped, seen.decisions / 2000);
    EXPECT_GT(seen.withheld, seen.decisions / 200);
    EXPECT_GT(seen.granted_in_load, 100U);
    EXPECT_GT(seen.zero, seen.decisions / 500);
    EXPECT_GT(seen.too_long, seen.decisions / 1000);
    EXPECT_GT(seen.overdrawn, seen.decisions / 20000);
  }
}

TEST(DTableLookaheadRtl, LargeAgreesWithTheReferenceOfTheCycleBefore) { run<Large>(); }

TEST(DTableLookaheadRtl, OddAgreesWithTheReferenceOfTheCycleBefore) { run<Odd>(); }

}  // namespace
}  // namespace qosarb::test
