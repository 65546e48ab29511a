// The checks that an integrator binds: silent on a port that is used as it should be, and each of
// them speaks once what it forbids is shown to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../ages/bench.hpp"
#include "Vcheck_bench.h"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb::test {
namespace {

class Bench {
 public:
  Bench() {
    prepare(context_);
    context_.errorLimit(1'000'000);  // a failed assertion is counted, and the run goes on
    rtl_ = std::make_unique<Vcheck_bench>(&context_);
    rtl_->rst_ni = 1;
    rtl_->eval();
    rtl_->rst_ni = 0;
    edge();
    rtl_->rst_ni = 1;
    rtl_->alone_pready_i = 1;
    edge();
  }

  Vcheck_bench& pins() { return *rtl_; }
  void settle() {
    rtl_->clk_i = 0;
    rtl_->eval();
  }
  /// From now on the credit of a packet of one flit comes back in the cycle of its grant.
  void return_at_once() { returns_at_once_ = true; }
  void edge() {
    settle();
    if (returns_at_once_) {
      rtl_->return_i = static_cast<CData>((rtl_->grant_o & 1) | (rtl_->grant_o & 2) << 1 |
                                          (rtl_->grant_o & 4) << 2);
      rtl_->eval();
    }
    context_.timeInc(1);
    rtl_->clk_i = 1;
    rtl_->eval();
  }
  [[nodiscard]] int errors() const { return context_.errorCount(); }

 private:
  VerilatedContext context_;
  std::unique_ptr<Vcheck_bench> rtl_;
  bool returns_at_once_ = false;
};

constexpr unsigned kQueues = 3;

// A link that sends a flit a cycle and asks one cycle ahead, queues that keep their heads, credits
// that come back, and software that reads and writes.
TEST(Checks, SayNothingOfAPortThatIsUsedAsItShouldBe) {
  const std::uint64_t seed = from_environment("QOSARB_SEED", 1);
  std::cout << "seed " << seed << " (QOSARB_SEED)\n";
  Random random(seed);
  Bench bench;
  Vcheck_bench& pins = bench.pins();
  pins.room_i = 0xfed;
  pins.load_i = 1;
  bench.edge();
  pins.load_i = 0;
  std::array<std::uint32_t, kQueues> away{};  // flits whose credit has not come back
  std::uint32_t sending = 0;
  std::uint64_t grants = 0;
  std::uint64_t transfers = 0;
  std::uint32_t granted = 0;
  for (int cycle = 0; cycle < 20'000; ++cycle) {
    std::uint32_t returned = 0;
    for (unsigned q = 0; q < kQueues; ++q) {
      const bool goes = (granted >> q & 1) != 0;
      if (goes || (pins.valid_i >> q & 1) == 0) {
        set_bit(pins.valid_i, q, random.below(3) != 0);
        set_element(pins.flits_i, q, 3, random.within(1, 6));
      }
      set_bit(pins.pfc_stop_i, q, random.below(8) == 0);
      const std::uint64_t back = random.within(0, std::min(away[q], 3U));
      away[q] -= static_cast<std::uint32_t>(back);
      returned |= static_cast<std::uint32_t>(back) << (q * 2);
    }
    pins.return_i = static_cast<CData>(returned);
    pins.request_i = sending <= 1 && random.below(4) != 0 ? 1 : 0;
    if (pins.psel_i != 0 && pins.penable_i == 0) {
      pins.penable_i = 1;
    } else {
      pins.penable_i = 0;
      pins.psel_i = random.below(2) == 0 ? 1 : 0;
      transfers += pins.psel_i;
      pins.pwrite_i = random.below(2) == 0 ? 1 : 0;
      pins.pstrb_i = pins.pwrite_i != 0 ? 0xf : 0;
      pins.paddr_i = static_cast<SData>(random.below(64) * 4);
      pins.pwdata_i = static_cast<IData>(random.bits());
    }
    bench.settle();
    granted = pins.grant_o;
    std::uint32_t flits = 0;
    for (unsigned q = 0; q < kQueues; ++q) {
      if ((granted >> q & 1) != 0) {
        flits = element(pins.flits_i, q, 3);
        away[q] += flits;
        ++grants;
      }
    }
    sending = sending + flits - (sending + flits != 0 ? 1 : 0);
    bench.edge();
  }
  std::cout << grants << " grants, " << transfers << " APB transfers\n";
  EXPECT_GT(grants, 2'000U);
  EXPECT_GT(transfers, 2'000U);
  EXPECT_EQ(bench.errors(), 0);
}

// A transfer of two cycles, and what is granted in them.
struct Answer {
  bool refused = false;
  std::uint32_t value = 0;
};

Answer transfer(Bench& bench, bool write, std::uint32_t offset, std::uint32_t value) {
  Vcheck_bench& pins = bench.pins();
  pins.psel_i = 1;
  pins.penable_i = 0;
  pins.pwrite_i = write ? 1 : 0;
  pins.pstrb_i = write ? 0xf : 0;
  pins.paddr_i = static_cast<SData>(offset);
  pins.pwdata_i = value;
  bench.edge();
  pins.penable_i = 1;
  bench.settle();
  const Answer answer{pins.pslverr_o != 0, pins.prdata_o};
  bench.edge();
  pins.psel_i = 0;
  pins.penable_i = 0;
  return answer;
}

// The neighbour of a port that answers in the next cycle, and whose link asks in the last cycle of
// a packet, holds what it is sent until it gives it back: never more than its room, whatever the
// lengths.
TEST(Credits, AreKeptByAPortThatAnswersInTheNextCycle) {
  const std::uint64_t seed = from_environment("QOSARB_SEED", 1);
  std::cout << "seed " << seed << " (QOSARB_SEED)\n";
  Random random(seed);
  std::uint64_t grants = 0;
  std::uint64_t full = 0;
  std::uint64_t one_by_one = 0;  // a packet behind one of a flit, of the same queue
  for (const std::uint32_t policy :
       {QOSARB_PORT_POLICY_RR, QOSARB_PORT_POLICY_BXI_BASIC, QOSARB_PORT_POLICY_BXI_DEFICIT}) {
    Bench bench;
    Vcheck_bench& pins = bench.pins();
    transfer(bench, true, QOSARB_PORT_POLICY_OFFSET, policy);
    EXPECT_EQ(pins.late_pslverr_o, 0);
    transfer(bench, true, QOSARB_PORT_COMMIT_OFFSET, 1);
    std::array<std::deque<std::uint32_t>, kQueues> waiting;
    std::array<std::uint32_t, kQueues> held{};
    std::array<std::uint32_t, kQueues> room{};
    for (unsigned q = 0; q < kQueues; ++q) {
      room[q] = random.from(6U, 15U);
      set_element(pins.late_room_i, q, 4, room[q]);
    }
    pins.late_load_i = 1;
    bench.edge();
    pins.late_load_i = 0;
    std::uint32_t sending = 0;  // flits that are still to go, with that of this cycle
    unsigned last = kQueues;
    for (int cycle = 0; cycle < 20'000; ++cycle) {
      std::uint32_t returned = 0;
      for (unsigned q = 0; q < kQueues; ++q) {
        if (waiting[q].size() < 4 && random.below(4) != 0) {
          waiting[q].push_back(random.below(2) == 0 ? 1 : random.from(1U, 6U));
        }
        const auto flits_of = [&](std::size_t place) {
          return waiting[q].size() > place ? waiting[q][place] : 0;
        };
        set_bit(pins.late_valid_i, q, !waiting[q].empty());
        set_element(pins.late_flits_i, q, 3, flits_of(0));
        set_bit(pins.late_next_valid_i, q, waiting[q].size() > 1);
        set_element(pins.late_next_flits_i, q, 3, flits_of(1));
        const std::uint32_t back =
            random.below(3) == 0 ? random.from(0U, std::min(held[q], 3U)) : 0;
        held[q] -= back;
        returned |= back << (q * 2);
      }
      pins.late_return_i = static_cast<CData>(returned);
      bench.settle();
      for (unsigned q = 0; q < kQueues; ++q) {
        if ((pins.late_grant_o >> q & 1) != 0) {
          ASSERT_EQ(sending, 0U) << "cycle " << cycle;
          sending = waiting[q].front();
          held[q] += sending;
          waiting[q].pop_front();
          ASSERT_LE(held[q], room[q]) << "policy " << policy << ", cycle " << cycle;
          full += held[q] == room[q] ? 1 : 0;
          one_by_one += last == q ? 1 : 0;
          last = sending == 1 ? q : kQueues;
          ++grants;
        }
      }
      pins.late_request_i = sending <= 1 ? 1 : 0;
      sending -= sending != 0 ? 1 : 0;
      bench.edge();
    }
    EXPECT_EQ(bench.errors(), 0);
  }
  std::cout << grants << " grants, " << full << " that filled the room, " << one_by_one
            << " behind a packet of one flit\n";
  EXPECT_GT(grants, 10'000U);
  EXPECT_GT(full, 500U);
  EXPECT_GT(one_by_one, 1'000U);
}

// What every address reads as.
std::vector<std::uint32_t> registers(Bench& bench) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t offset = 0; offset < QOSARB_PORT_WINDOW_BYTES; offset += 4) {
    const Answer answer = transfer(bench, false, offset, 0);
    values.push_back(answer.refused ? ~0U : answer.value);
  }
  return values;
}

// In traffic, at any time of a commit and a snapshot: no grant until the port is reset, then those
// of a port that was never used, and every register as the chip's own reset leaves it.
TEST(SoftReset, LeavesWhatAResetOfTheChipLeaves) {
  Random random(test_seed());
  Bench bench;
  Vcheck_bench& pins = bench.pins();
  pins.room_i = 0xfff;
  pins.load_i = 1;
  bench.edge();
  pins.load_i = 0;
  bench.return_at_once();
  const std::vector<std::uint32_t> fresh = registers(bench);
  for (int round = 0; round < 30; ++round) {
    pins.valid_i = 7;
    pins.flits_i = 1 << 6 | 1 << 3 | 1;
    pins.request_i = 1;
    for (const auto& [offset, most] : std::array<std::pair<std::uint32_t, std::uint32_t>, 6>{
             {{QOSARB_PORT_TABLE_ENTRIES_OFFSET, 3},
              {QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, 6},
              {QOSARB_PORT_QUEUES_IN_USE_OFFSET, 6},
              {QOSARB_PORT_PFC_WATCHDOG_OFFSET, 1000},
              {QOSARB_PORT_ERROR_ENABLE_OFFSET, 15},
              {QOSARB_PORT_TABLE_OFFSET(1), 2}}}) {
      EXPECT_FALSE(transfer(bench, true, offset, random.from(1U, most)).refused) << offset;
    }
    EXPECT_FALSE(transfer(bench, true, QOSARB_PORT_COMMIT_OFFSET, 1).refused);
    transfer(bench, true, QOSARB_PORT_SNAPSHOT_OFFSET, 1);
    for (std::uint64_t cycles = random.within(0, 30); cycles > 0; --cycles) {
      bench.edge();
    }
    if (random.chance(50)) {
      EXPECT_NE(registers(bench), fresh);
    }
    const std::uint32_t drain = QOSARB_PORT_CONTROL_DRAIN_PUT(random.chance(50) ? 1 : 0);
    EXPECT_FALSE(transfer(bench, true, QOSARB_PORT_CONTROL_OFFSET,
                          drain | QOSARB_PORT_CONTROL_SOFT_RESET_PUT(1))
                     .refused);
    for (std::uint32_t cycle = 1; cycle <= 8; ++cycle) {
      bench.settle();
      EXPECT_EQ(pins.grant_o, cycle <= 4 ? 0U : 1U << (cycle - 5) % kQueues) << cycle;
      bench.edge();
    }
    while (pins.valid_i != 0) {
      bench.settle();
      const auto left = static_cast<CData>(pins.valid_i & ~pins.grant_o);
      bench.edge();
      pins.valid_i = left;
    }
    pins.request_i = 0;
    transfer(bench, true, QOSARB_PORT_CONTROL_OFFSET, QOSARB_PORT_CONTROL_SOFT_RESET_PUT(1));
    for (int cycle = 0; cycle < 8; ++cycle) {
      bench.edge();
    }
    EXPECT_EQ(registers(bench), fresh);
  }
  EXPECT_EQ(bench.errors(), 0);
}

// What a check forbids, shown to that of one instance.
struct Forbidden {
  std::string check;
  std::function<void(Bench& bench, Vcheck_bench& pins)> show;
};
struct Shown {
  std::string instance;
  std::string module;
  Forbidden forbidden;
  std::string name;  // of the test
};

void PrintTo(const Shown& shown, std::ostream* out) { *out << shown.name; }

void set_up(Vcheck_bench& pins, bool write) {
  pins.alone_psel_i = 1;
  pins.alone_penable_i = 0;
  pins.alone_pwrite_i = write ? 1 : 0;
  pins.alone_pstrb_i = write ? 0xf : 0;
}

// Packets of the first queues, by their flits; 0: none.
template <typename Valid, typename Flits>
void show(Valid& valid, Flits& flits, std::initializer_list<unsigned> packets) {
  for (std::size_t q = 0; const unsigned packet : packets) {
    set_bit(valid, q, packet != 0);
    set_element(flits, q++, 3, packet);
  }
}

void heads(Vcheck_bench& pins, std::initializer_list<unsigned> packets) {
  show(pins.alone_valid_i, pins.alone_flits_i, packets);
}

void seconds(Vcheck_bench& pins, std::initializer_list<unsigned> packets) {
  show(pins.alone_next_valid_i, pins.alone_next_flits_i, packets);
}

// Grants `queues`, or nobody.
void grant(Vcheck_bench& pins, CData queues) {
  pins.alone_grant_valid_i = queues != 0;
  pins.alone_grant_i = queues;
}

// Of a port that answers at once.
std::vector<Forbidden> forbidden_at_a_port() {
  return {{"flits_are_possible",
           [](Bench&, Vcheck_bench& pins) {
             heads(pins, {0, 7});  // of 6
           }},
          {"head_stays",
           [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {1});
             bench.edge();
             pins.alone_valid_i = 0;
           }},
          {"length_stays",
           [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {1});
             bench.edge();
             pins.alone_flits_i = 2;
           }},
          {"request_when_free",
           [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {4});
             pins.alone_request_i = 1;
             grant(pins, 1);
             bench.edge();  // 3 flits are left
           }},
          {"wait_is_bounded",
           [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {1, 1});
             pins.alone_request_i = 1;
             grant(pins, 1);
             for (int grants = 0; grants < 9; ++grants) {
               bench.edge();
             }
           }},
          {"grant_is_one_hot",
           [](Bench&, Vcheck_bench& pins) {
             heads(pins, {1, 1});
             pins.alone_request_i = 1;
             grant(pins, 3);
           }},
          {"grant_forms_agree",
           [](Bench&, Vcheck_bench& pins) {
             heads(pins, {1, 1});
             pins.alone_request_i = 1;
             grant(pins, 1);
             pins.alone_grant_queue_i = 1;
           }},
          {"grant_is_asked_for",
           [](Bench&, Vcheck_bench& pins) {
             heads(pins, {1});
             pins.alone_pfc_stop_i = 1;
             pins.alone_request_i = 1;
             grant(pins, 1);
           }},
          {"grant_if_possible",
           [](Bench&, Vcheck_bench& pins) {
             heads(pins, {1});
             pins.alone_request_i = 1;
           }},
          {"nothing_while_held",
           [](Bench&, Vcheck_bench& pins) {
             heads(pins, {1});
             pins.alone_request_i = 1;
             pins.alone_hold_i = 1;
             grant(pins, 1);
           }},
          {"drop_is_right",
           [](Bench&, Vcheck_bench& pins) {
             heads(pins, {1});
             pins.alone_hold_i = 1;
             pins.alone_drop_i = 2;
           }},
          {"apb_setup_comes_first",
           [](Bench&, Vcheck_bench& pins) {
             set_up(pins, false);
             pins.alone_penable_i = 1;
           }},
          {"apb_setup_lasts_one_cycle",
           [](Bench& bench, Vcheck_bench& pins) {
             set_up(pins, false);
             bench.edge();
           }},
          {"apb_access_lasts_until_ready",
           [](Bench& bench, Vcheck_bench& pins) {
             set_up(pins, false);
             pins.alone_pready_i = 0;
             bench.edge();
             pins.alone_penable_i = 1;
             bench.edge();
             pins.alone_psel_i = 0;
             pins.alone_penable_i = 0;
           }},
          {"apb_transfer_is_stable",
           [](Bench& bench, Vcheck_bench& pins) {
             set_up(pins, true);
             bench.edge();
             pins.alone_penable_i = 1;
             pins.alone_pwdata_i = 1;
           }},
          {"apb_reads_have_no_strobes", [](Bench&, Vcheck_bench& pins) {
             set_up(pins, false);
             pins.alone_pstrb_i = 1;
           }}};
}

// What differs at a port that answers in the next cycle.
std::vector<Forbidden> forbidden_with_latency_1() {
  return {{"flits_are_possible",
           [](Bench&, Vcheck_bench& pins) {
             pins.alone_next_valid_i = 4;  // of 0 flits
           }},
          {"second_follows",
           [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {2});
             seconds(pins, {3});
             pins.alone_request_i = 1;
             bench.edge();
             pins.alone_request_i = 0;
             grant(pins, 1);
             bench.edge();
             grant(pins, 0);
             pins.alone_flits_i = 4;
           }},
          {"request_when_free",
           [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {3});
             pins.alone_request_i = 1;
             bench.edge();
             grant(pins, 1);  // 2 flits are left in the next cycle, that of the answer
           }},
          {"wait_is_bounded",
           [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {1, 1});
             seconds(pins, {1});
             pins.alone_request_i = 1;
             bench.edge();
             grant(pins, 1);
             for (int grants = 0; grants < 9; ++grants) {
               bench.edge();
             }
           }},
          {"grant_is_asked_for",
           [](Bench&, Vcheck_bench& pins) {
             heads(pins, {1});
             pins.alone_request_i = 1;
             grant(pins, 1);  // in the cycle of the request
           }},
          {"grant_is_asked_for",
           [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {1});
             pins.alone_request_i = 1;
             pins.alone_table_applied_i = 1;
             bench.edge();
             pins.alone_table_applied_i = 0;
             grant(pins, 1);
           }},
          {"grant_if_possible",
           [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {0, 1});
             pins.alone_request_i = 1;
             bench.edge();
             pins.alone_request_i = 0;
             pins.alone_pfc_stop_i = 2;  // counts from the next answer on
           }},
          {"nothing_while_held",
           [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {1});
             pins.alone_request_i = 1;
             pins.alone_hold_i = 1;
             bench.edge();
             pins.alone_request_i = 0;
             pins.alone_hold_i = 0;
             grant(pins, 1);
           }},
          {"drop_is_right", [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {1, 1});
             pins.alone_request_i = 1;
             bench.edge();
             pins.alone_request_i = 0;
             pins.alone_hold_i = 1;
             grant(pins, 1);
             pins.alone_drop_i = 2;  // beside the answer
           }}};
}

std::vector<Forbidden> forbidden_at_an_engine() {
  return {{"flits_are_possible",
           [](Bench&, Vcheck_bench& pins) {
             seconds(pins, {7});  // of 6
           }},
          {"head_stays",
           [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {2});
             seconds(pins, {3});
             pins.alone_request_i = 1;
             bench.edge();
             pins.alone_request_i = 0;
             grant(pins, 1);
             bench.edge();
             grant(pins, 0);
             pins.alone_flits_i = 4;  // not the packet behind it
             pins.alone_next_valid_i = 0;
           }},
          {"wait_is_bounded",
           [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {1, 1});
             grant(pins, 1);
             for (int grants = 0; grants < 9; ++grants) {
               bench.edge();
             }
           }},
          {"grant_is_one_hot", [](Bench&, Vcheck_bench& pins) { grant(pins, 3); }},
          {"grant_forms_agree", [](Bench&, Vcheck_bench& pins) { pins.alone_grant_valid_i = 1; }},
          {"grant_is_asked_for",
           [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {1});
             pins.alone_load_i = 1;  // a request in the cycle of a load has no answer
             pins.alone_request_i = 1;
             bench.edge();
             pins.alone_load_i = 0;
             pins.alone_request_i = 0;
             grant(pins, 1);
           }},
          {"grant_if_possible", [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {0, 1});
             pins.alone_request_i = 1;
             bench.edge();
             pins.alone_request_i = 0;
           }}};
}

std::vector<Forbidden> forbidden_at_credits() {
  return {
      {"room_stands_still",
       [](Bench& bench, Vcheck_bench& pins) {
         pins.alone_load_i = 1;
         bench.edge();
         pins.alone_load_i = 0;
         bench.edge();
         pins.alone_room_i = 1;
       }},
      {"grant_has_credit",
       [](Bench&, Vcheck_bench& pins) {
         heads(pins, {1});
         pins.alone_request_i = 1;
         grant(pins, 1);
         pins.alone_stop_i = 1;
       }},
      {"room_is_not_overrun", [](Bench&, Vcheck_bench& pins) { pins.alone_underflow_i = 2; }},
      {"nothing_comes_from_nowhere", [](Bench&, Vcheck_bench& pins) { pins.alone_overflow_i = 4; }},
      {"credit_within_room", [](Bench&, Vcheck_bench& pins) { pins.alone_credit_i = 1; }},
      {"credit_within_room", [](Bench& bench, Vcheck_bench& pins) {
         pins.alone_load_i = 1;
         pins.alone_room_i = 3;
         bench.edge();
         pins.alone_load_i = 0;
         pins.alone_credit_i = 4;
       }}};
}

// Beside a port that answers in the next cycle.
std::vector<Forbidden> forbidden_at_late_credits() {
  return {{"grant_has_credit", [](Bench& bench, Vcheck_bench& pins) {
             heads(pins, {1});
             pins.alone_stop_i = 1;
             pins.alone_request_i = 1;
             bench.edge();
             pins.alone_stop_i = 0;
             grant(pins, 1);
           }}};
}

std::vector<Forbidden> forbidden_at_an_age_clock() {
  return {{"arrivals_are_possible", [](Bench&, Vcheck_bench& pins) { pins.alone_arrived_i = 3; }},
          {"chip_has_room",
           [](Bench& bench, Vcheck_bench& pins) {
             // Four of epoch 0, and then as many of epoch 1: neither are too many by themselves.
             for (int time = 1; time < 256; ++time) {
               pins.alone_arrived_i = time <= 2 ? 2 : 0;
               pins.alone_timestamp_i = static_cast<CData>(time);
               bench.edge();
             }
             pins.alone_timestamp_i = 0;
             pins.alone_epoch_i = 1;
             pins.alone_arrived_i = 2;
             bench.edge();
           }},
          {"leaves_what_was_there",
           [](Bench& bench, Vcheck_bench& pins) {
             pins.alone_arrived_i = 1;
             bench.edge();
             pins.alone_arrived_i = 0;
             pins.alone_left_i = 1;
             pins.alone_left_epoch_i = 1;  // it came in epoch 0
           }},
          {"leaves_what_was_there",
           [](Bench&, Vcheck_bench& pins) {
             pins.alone_arrived_i = 1;  // too late to have been granted in the cycle before
             pins.alone_left_i = 1;
           }},
          {"count_is_true", [](Bench&, Vcheck_bench& pins) { pins.alone_resync_i = 1; }},
          {"time_goes_on",
           [](Bench& bench, Vcheck_bench& pins) {
             pins.alone_timestamp_i = 1;
             bench.edge();
             pins.alone_timestamp_i = 3;
           }},
          {"no_two_epochs_behind", [](Bench& bench, Vcheck_bench& pins) {
             for (int time = 1; time < 256; ++time) {
               pins.alone_timestamp_i = static_cast<CData>(time);
               bench.edge();
             }
             pins.alone_packet_count_i = 1 << 3;  // of epoch 1
             bench.edge();
             pins.alone_timestamp_i = 0;
             pins.alone_epoch_i = 1;
           }}};
}

// All of them, with numbers behind names that come twice.
std::vector<Shown> all_forbidden() {
  struct Instance {
    std::string path;
    std::string module;
    std::vector<Forbidden> forbidden;
  };
  std::vector<Shown> all;
  for (const Instance& instance : std::vector<Instance>{
           {"g_port_alone[0]", "qosarb_port_checks", forbidden_at_a_port()},
           {"g_port_alone[1]", "qosarb_port_checks", forbidden_with_latency_1()},
           {"u_ports_alone",
            "qosarb_ports_checks",
            {{"resets_all",
              [](Bench&, Vcheck_bench& pins) {
                pins.rst_ni = 0;
                pins.alone_port_rst_ni = 1;
              }}}},
           {"u_engine_alone", "qosarb_engine_checks", forbidden_at_an_engine()},
           {"g_credit_alone[0]", "qosarb_credit_checks", forbidden_at_credits()},
           {"g_credit_alone[1]", "qosarb_credit_checks", forbidden_at_late_credits()},
           {"u_age_clock_alone", "qosarb_age_clock_checks", forbidden_at_an_age_clock()}}) {
    for (const Forbidden& forbidden : instance.forbidden) {
      const std::string name =
          std::regex_replace(instance.path + "_" + forbidden.check, std::regex(R"([\[\]]+)"), "_");
      const auto before = std::count_if(
          all.begin(), all.end(), [&](const Shown& shown) { return shown.name.starts_with(name); });
      all.push_back({instance.path, instance.module, forbidden,
                     name + (before == 0 ? "" : std::to_string(before + 1))});
    }
  }
  return all;
}

class EachCheck : public ::testing::TestWithParam<Shown> {};

TEST_P(EachCheck, Speaks) {
  Bench bench;
  ::testing::internal::CaptureStderr();
  bench.edge();
  const int before = bench.errors();
  GetParam().forbidden.show(bench, bench.pins());
  bench.edge();
  bench.edge();
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(before, 0) << said;
  EXPECT_GT(bench.errors(), 0);
  // "... failed in TOP.check_bench.INSTANCE....: MODULE: CHECK: ..."
  std::istringstream lines(said);
  bool speaks = false;
  for (std::string line; std::getline(lines, line);) {
    speaks = speaks || (line.find("check_bench." + GetParam().instance + ".") < line.size() &&
                        line.find(": " + GetParam().module + ": " + GetParam().forbidden.check +
                                  ": ") < line.size());
  }
  EXPECT_TRUE(speaks) << said;
}

INSTANTIATE_TEST_SUITE_P(Checks, EachCheck, ::testing::ValuesIn(all_forbidden()),
                         [](const auto& shown) { return shown.param.name; });

TEST(Checks, CountAWaitFromTheUpsetByWhichTheArbiterStartedOver) {
  Bench bench;
  Vcheck_bench& pins = bench.pins();
  ::testing::internal::CaptureStderr();
  heads(pins, {1, 1});
  pins.alone_request_i = 1;
  for (const bool upset : {true, false}) {
    grant(pins, 1);
    for (int grants = 0; grants < 6; ++grants) {
      bench.edge();
    }
    grant(pins, 0);
    pins.alone_upset_i = static_cast<CData>(upset);
    bench.edge();
    pins.alone_upset_i = 0;
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("qosarb_port_checks: wait_is_bounded"), std::string::npos) << said;
}

// What is asserted in rtl/checks is what is shown above.
TEST(Checks, AreAllShownWhatTheyForbid) {
  std::set<std::string> shown;
  for (const Shown& each : all_forbidden()) {
    shown.insert(each.module + ": " + each.forbidden.check);
  }
  std::set<std::string> asserted;
  const std::regex assertion(R"((\w+): assert property)");
  for (const auto& file : std::filesystem::directory_iterator(QOSARB_SOURCE_DIR "/rtl/checks")) {
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      std::smatch match;
      if (std::regex_search(line, match, assertion)) {
        asserted.insert(file.path().stem().string() + ": " + match[1].str());
      }
    }
  }
  EXPECT_GT(asserted.size(), 30U);
  EXPECT_EQ(shown, asserted);
}

}  // namespace
}  // namespace qosarb::test
