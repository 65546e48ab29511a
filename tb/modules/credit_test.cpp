// qosarb_credit against its reference, and by hand.
//
// QOSARB_SEED=n replays a run or makes a new one; QOSARB_DECISIONS=n makes it shorter or longer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <iostream>
#include <memory>
#include <string>
#include <type_traits>

#include "../ages/bench.hpp"
#include "Vcredit_0.h"
#include "Vcredit_1.h"
#include "qosarb/policy/credit_counters.hpp"

namespace qosarb::test {
namespace {

// The parameters of the build: none is a power of two.
constexpr std::size_t kQueues = 5;
constexpr unsigned kFlitsBits = 5;  // MaxPacketFlits is 21
constexpr unsigned kCreditBits = 6;
constexpr unsigned kReturnBits = 3;

using Fault = CreditCounters::Fault;
using PerQueue = std::array<std::uint32_t, kQueues>;

std::uint32_t packed(const PerQueue& values, unsigned bits) {
  std::uint32_t word = 0;
  for (std::size_t q = 0; q < kQueues; ++q) {
    word |= values[q] << (q * bits);
  }
  return word;
}

std::uint32_t of_queue(std::uint32_t word, std::size_t queue, unsigned bits) {
  return word >> (queue * bits) & ((1U << bits) - 1);
}

/// The RTL for a port of that latency.
template <typename Model>
class Rtl {
 public:
  static constexpr bool kNext = std::is_same_v<Model, Vcredit_1>;

  Rtl() {
    prepare(context_);
    rtl_ = std::make_unique<Model>(&context_);
    rtl_->room_i = 0;
    reset();
  }

  void reset() {
    rtl_->clk_i = 0;
    rtl_->load_i = 0;
    rtl_->grant_i = 0;
    rtl_->return_i = 0;
    rtl_->rst_ni = 1;
    rtl_->eval();
    rtl_->rst_ni = 0;  // no clock edge is needed
    rtl_->eval();
    rtl_->rst_ni = 1;
    rtl_->eval();
  }
  /// Whether what is shown keeps to the rules of qosarb_credit_checks.
  void keeps_to_the_rules(bool keeps) { context_.assertOn(keeps); }
  /// What is shown in this cycle; the stops follow in it.
  void show(const PerQueue& flits, const PerQueue& returned, const PerQueue& next = {},
            const PerQueue& is_next = {1, 1, 1, 1, 1}) {
    rtl_->flits_i = packed(flits, kFlitsBits);
    rtl_->next_valid_i = static_cast<CData>(packed(is_next, 1));
    rtl_->next_flits_i = packed(next, kFlitsBits);
    rtl_->return_i = static_cast<SData>(packed(returned, kReturnBits));
    rtl_->load_i = 0;
    rtl_->grant_i = 0;
    rtl_->eval();
  }
  /// What stands at the pins of the room without a load.
  void tell_room(const PerQueue& room) { rtl_->room_i = packed(room, kCreditBits); }
  void load(const PerQueue& room) {
    tell_room(room);
    rtl_->load_i = 1;
    rtl_->eval();
  }
  /// The stops follow this, too, with Latency 1.
  void grant(std::size_t queue) {
    rtl_->grant_i = static_cast<CData>(1U << queue);
    rtl_->eval();
  }
  void edge() {
    rtl_->eval();
    rtl_->clk_i = 1;
    rtl_->eval();
    rtl_->clk_i = 0;
    rtl_->eval();
  }

  [[nodiscard]] bool stops(std::size_t queue) const { return (rtl_->stop_o >> queue & 1) != 0; }
  [[nodiscard]] std::uint32_t credit(std::size_t queue) const {
    return of_queue(rtl_->credit_o, queue, kCreditBits);
  }
  [[nodiscard]] Fault fault(std::size_t queue) const {
    const bool over = (rtl_->overflow_o >> queue & 1) != 0;
    const bool under = (rtl_->underflow_o >> queue & 1) != 0;
    EXPECT_FALSE(over && under);
    return over ? Fault::Overflow : under ? Fault::Underflow : Fault::None;
  }

 private:
  VerilatedContext context_;
  std::unique_ptr<Model> rtl_;
};

// Room for 10 flits in queue 0, and 4 in queue 1; by hand.
TEST(Credit, ByHand) {
  Rtl<Vcredit_0> rtl;
  rtl.tell_room({10, 4});
  rtl.show({1}, {});
  EXPECT_TRUE(rtl.stops(0)) << "the link is not up";
  rtl.keeps_to_the_rules(false);
  rtl.show({1}, {7, 0});
  rtl.edge();
  EXPECT_EQ(rtl.credit(0), 0U) << "what comes before the load is not of this link";
  EXPECT_EQ(rtl.fault(0), Fault::Overflow);
  rtl.show({1}, {});
  rtl.edge();
  rtl.keeps_to_the_rules(true);
  rtl.load({10, 4});
  rtl.edge();
  EXPECT_EQ(rtl.credit(0), 10U);
  EXPECT_EQ(rtl.credit(1), 4U);

  rtl.show({6, 5}, {});  // 6 fit 10, 5 do not fit 4
  EXPECT_FALSE(rtl.stops(0));
  EXPECT_TRUE(rtl.stops(1));
  rtl.grant(0);
  rtl.edge();
  EXPECT_EQ(rtl.credit(0), 4U);

  rtl.show({5, 4}, {1, 0});  // 5 do not fit 4; a flit returns, which counts from the next cycle on
  EXPECT_TRUE(rtl.stops(0));
  EXPECT_FALSE(rtl.stops(1));
  rtl.grant(1);
  rtl.edge();
  EXPECT_EQ(rtl.credit(0), 5U);
  EXPECT_EQ(rtl.credit(1), 0U);

  rtl.show({5, 0}, {3, 0});  // sent and returned in one cycle: 5 - 5 + 3; 0 flits need 1
  EXPECT_FALSE(rtl.stops(0));
  EXPECT_TRUE(rtl.stops(1));
  rtl.grant(0);
  rtl.edge();
  EXPECT_EQ(rtl.credit(0), 3U);
  EXPECT_EQ(rtl.fault(0), Fault::None);

  rtl.keeps_to_the_rules(false);
  rtl.show({4, 1}, {7, 5});  // 10 again; queue 1 gets 5 back of 4
  rtl.grant(0);              // although it is stopped: 4 of 3, but 7 return: no fault
  rtl.edge();
  EXPECT_EQ(rtl.credit(0), 6U);
  EXPECT_EQ(rtl.fault(0), Fault::None);
  EXPECT_EQ(rtl.credit(1), 4U);
  EXPECT_EQ(rtl.fault(1), Fault::Overflow);

  rtl.show({7, 1}, {});
  rtl.grant(0);  // 7 of 6
  rtl.edge();
  EXPECT_EQ(rtl.credit(0), 0U);
  EXPECT_EQ(rtl.fault(0), Fault::Underflow);
  EXPECT_EQ(rtl.fault(1), Fault::None);
}

// A port that answers in the next cycle, room for 10 flits, packets of 9, 1 and 9 flits; by hand.
TEST(Credit, ByHandForTheNextCycle) {
  Rtl<Vcredit_1> rtl;
  rtl.show({9}, {}, {1});
  rtl.load({10});
  EXPECT_TRUE(rtl.stops(0)) << "a load";
  rtl.edge();
  rtl.show({9}, {}, {1});
  EXPECT_FALSE(rtl.stops(0)) << "9 of 10";
  rtl.edge();
  rtl.show({9}, {}, {1});
  rtl.grant(0);
  EXPECT_FALSE(rtl.stops(0)) << "9 and 1 of 10";
  rtl.edge();
  EXPECT_EQ(rtl.credit(0), 1U);
  rtl.show({1}, {}, {9});
  EXPECT_FALSE(rtl.stops(0)) << "1 of 1";
  rtl.grant(0);
  EXPECT_TRUE(rtl.stops(0)) << "1 and 9 of 1";
  rtl.show({1}, {}, {9}, {0});
  rtl.grant(0);
  EXPECT_FALSE(rtl.stops(0)) << "nothing stands behind it that could lack credit";
  rtl.edge();
  EXPECT_EQ(rtl.credit(0), 0U);

  // It comes up anew while a packet of 3 is granted, which was asked for in the cycle before.
  rtl.show({3}, {7}, {4});
  rtl.edge();
  rtl.show({3}, {}, {4});
  EXPECT_FALSE(rtl.stops(0)) << "3 of 7";
  rtl.edge();
  rtl.show({3}, {5}, {4});
  rtl.load({6});
  rtl.grant(0);
  EXPECT_TRUE(rtl.stops(0)) << "a load";
  rtl.edge();
  EXPECT_EQ(rtl.credit(0), 3U) << "3 of 6; what returns is of the room before";
  EXPECT_EQ(rtl.fault(0), Fault::None);
}

// A lone queue keeps a link busy with room for R + L - 1 flits, one more for a port that answers in
// the next cycle, and not with one flit less.
TEST(Credit, ARoundTripAndAPacketKeepTheLinkBusy) {
  for (const std::uint32_t longest : {1U, 3U, 21U}) {
    for (const std::uint32_t round_trip : {1U, 2U, 17U}) {
      for (const std::uint32_t latency : {0U, 1U}) {
        for (const bool enough : {true, false}) {
          const std::uint32_t room = round_trip + longest - 1 + latency - (enough ? 0 : 1);
          if (room < longest) {
            continue;  // no packet ever goes
          }
          CreditCounters credits(1);
          credits.load({room});
          std::deque<Cycle> away;  // for each flit that is away, when its credit counts again
          Cycle link_free = 0;
          Cycle idle = 0;
          bool asked = false;  // in the cycle before
          for (Cycle now = 0; now < 1000; ++now) {
            std::uint32_t returned = 0;
            while (!away.empty() && away.front() <= now) {
              away.pop_front();
              ++returned;
            }
            ASSERT_EQ(credits.update(0, 0, returned), Fault::None);
            const bool goes = latency == 0 ? now >= link_free && !credits.stops(0, longest) : asked;
            if (goes) {
              for (std::uint32_t flit = 0; flit < longest; ++flit) {
                away.push_back(now + flit + round_trip);
              }
              link_free = now + longest;
            }
            asked = now + 1 >= link_free && !credits.stops(0, longest, goes ? longest : 0);
            ASSERT_EQ(credits.update(0, goes ? longest : 0, 0), Fault::None);
            idle += now >= link_free && now > 0 ? 1 : 0;
          }
          EXPECT_EQ(idle == 0, enough)
              << longest << " flits, " << round_trip << " cycles, latency " << latency;
        }
      }
    }
  }
}

/// Random packets, credits and loads at the RTL, beside its reference.
template <typename Model>
class RandomCredits {
 public:
  explicit RandomCredits(std::uint64_t seed) : random_(seed) {}

  void run(std::uint64_t cycles) {
    for (; cycle_ < cycles && !::testing::Test::HasFailure(); ++cycle_) {
      cycle();
    }
    std::cout << cycles << " cycles, " << loads_ << " loads, " << together_
              << " sent and returned together, " << stopped_ << " heads stopped, "
              << behind_a_grant_ << " stopped by the one before, " << nothing_behind_
              << " not stopped as there is none behind, " << with_a_load_ << " granted in a load, "
              << faults_[1] << " overflows, " << faults_[2] << " underflows\n";
    if (!::testing::Test::HasFailure()) {
      EXPECT_GT(loads_, cycles / 1000);
      EXPECT_GT(together_, cycles / 50);
      EXPECT_GT(stopped_, cycles / 50);
      EXPECT_GT(faults_[1], cycles / 1000);
      EXPECT_GT(faults_[2], cycles / 1000);
      EXPECT_EQ(behind_a_grant_ > cycles / 1000, kNext);
      EXPECT_EQ(nothing_behind_ > cycles / 1000, kNext);
      EXPECT_EQ(with_a_load_ > cycles / 5000, kNext);
    }
  }

 private:
  static constexpr bool kNext = Rtl<Model>::kNext;

  void cycle() {
    if (random_.once_in(2000)) {
      reset();
    }
    if (!loaded_) {
      rtl_.tell_room({any(), any(), any(), any(), any()});
    }
    draw_returns_and_heads();
    rtl_.show(flits_, returned_, next_, is_next_);
    compare_stops_of_heads();
    load_ = random_.once_in(300) || cycle_ == 0;
    if (load_) {
      draw_load();
    }
    draw_grant();
    compare_stops_behind_the_grant();
    rtl_.edge();
    if (load_) {
      liar_percent_ = random_.one_of(std::array<std::uint64_t, 3>{0, 2, 20});
      honest_ = liar_percent_ == 0;
      reference_.load({room_.begin(), room_.end()});
    }
    // From the cycle behind the load on, whose counts are right again.
    rtl_.keeps_to_the_rules(honest_);
    compare_counts();
    if (granted_ < kQueues) {
      flits_[granted_] = next_[granted_];
      next_[granted_] = any();
      is_next_[granted_] = random_.below(4) != 0 ? 1 : 0;
    }
  }

  void reset() {
    rtl_.reset();
    reference_ = CreditCounters(kQueues);
    room_ = {};
    asked_ = {};
    loaded_ = false;
  }

  void draw_returns_and_heads() {
    for (std::size_t q = 0; q < kQueues; ++q) {
      const bool lies = random_.below(100) < liar_percent_;
      const std::uint64_t most =
          lies ? (1U << kReturnBits) - 1
               : std::min<std::uint64_t>(room_[q] - std::min(room_[q], reference_.credit(q)),
                                         (1U << kReturnBits) - 1);
      returned_[q] = random_.once_in(2) ? static_cast<std::uint32_t>(random_.within(0, most)) : 0;
      if (random_.once_in(4)) {
        flits_[q] = any();
        next_[q] = any();
        is_next_[q] = random_.below(4) != 0 ? 1 : 0;
        asked_[q] = false;
      }
    }
  }

  void compare_stops_of_heads() {
    for (std::size_t q = 0; q < kQueues; ++q) {
      ASSERT_EQ(rtl_.stops(q), reference_.stops(q, flits_[q])) << at(q);
      stopped_ += rtl_.stops(q) ? 1 : 0;
    }
  }

  void draw_load() {
    loaded_ = true;
    for (std::uint32_t& flits_of_room : room_) {
      flits_of_room = static_cast<std::uint32_t>(
          random_.once_in(3) ? (1U << kCreditBits) - 1 : random_.below(1U << kCreditBits));
    }
    rtl_.load(room_);
    ++loads_;
  }

  void draw_grant() {
    granted_ = kQueues;
    if (random_.below(4) == 0) {
      return;
    }
    const auto q = static_cast<std::size_t>(random_.below(kQueues));
    const std::uint32_t need = CreditCounters::need(flits_[q]);
    const bool may = kNext ? asked_[q] && (!load_ || need <= room_[q]) : !rtl_.stops(q);
    if (may || (!load_ && random_.below(100) < liar_percent_)) {
      granted_ = q;
      rtl_.grant(q);
      together_ += returned_[q] > 0 && !load_ ? 1 : 0;
      with_a_load_ += load_ ? 1 : 0;
    }
  }

  void compare_stops_behind_the_grant() {
    for (std::size_t q = 0; q < kQueues; ++q) {
      const bool goes = q == granted_ && kNext;
      const bool none = goes && is_next_[q] == 0;
      const bool lacks = reference_.stops(q, goes ? next_[q] : flits_[q],
                                          goes ? CreditCounters::need(flits_[q]) : 0);
      const bool stops = load_ || (lacks && !none);
      ASSERT_EQ(rtl_.stops(q), stops) << at(q);
      behind_a_grant_ += goes && !none && stops != reference_.stops(q, next_[q]) ? 1 : 0;
      nothing_behind_ += lacks && none && !load_ ? 1 : 0;
      asked_[q] = !stops && !none;
    }
  }

  void compare_counts() {
    for (std::size_t q = 0; q < kQueues; ++q) {
      const Fault fault = reference_.update(q, q == granted_ ? CreditCounters::need(flits_[q]) : 0,
                                            load_ ? 0 : returned_[q]);
      ASSERT_EQ(rtl_.fault(q), fault) << at(q);
      ASSERT_EQ(rtl_.credit(q), reference_.credit(q)) << at(q);
      ++faults_[static_cast<std::size_t>(fault)];
    }
  }

  std::uint32_t any() { return static_cast<std::uint32_t>(random_.below(1U << kFlitsBits)); }
  [[nodiscard]] std::string at(std::size_t queue) const {
    return "queue " + std::to_string(queue) + ", cycle " + std::to_string(cycle_);
  }

  Random random_;
  Rtl<Model> rtl_;
  CreditCounters reference_{kQueues};
  std::uint64_t cycle_ = 0;
  PerQueue room_{};
  bool loaded_ = false;  // since the reset
  std::uint64_t liar_percent_ = 0;
  bool honest_ = true;
  std::array<bool, kQueues> asked_{};  // for the next cycle: what stands there has credit

  // In this cycle.
  PerQueue flits_{};
  PerQueue next_{};
  PerQueue is_next_{};
  PerQueue returned_{};
  bool load_ = false;
  std::size_t granted_ = kQueues;

  // What was seen.
  std::uint64_t loads_ = 0;
  std::uint64_t together_ = 0;
  std::uint64_t stopped_ = 0;
  std::uint64_t behind_a_grant_ = 0;
  std::uint64_t nothing_behind_ = 0;
  std::uint64_t with_a_load_ = 0;
  std::array<std::uint64_t, 3> faults_{};
};

TEST(Credit, IsItsReference) {
  const std::uint64_t seed = from_environment("QOSARB_SEED", 1);
  const std::uint64_t cycles = from_environment("QOSARB_DECISIONS", 300'000);
  std::cout << "seed " << seed << " (QOSARB_SEED)\n";
  RandomCredits<Vcredit_0>(seed).run(cycles);
  RandomCredits<Vcredit_1>(seed).run(cycles);
}

}  // namespace
}  // namespace qosarb::test
