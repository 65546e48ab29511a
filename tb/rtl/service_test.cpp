// Draining, flushing and what holds a port up before its reset, with the waits of heads, against a
// model that is clocked beside the port. In half of the lives the port's clock stands whenever it
// may.
//
// QOSARB_SEED=n replays a run or makes a new one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <iostream>
#include <memory>

#include "apb_port.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/rr.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "random/random.hpp"

namespace qosarb::test {
namespace {

constexpr unsigned kQueues = ApbPort::kQueues;
constexpr std::uint32_t kMax = ApbPort::kMaxPacketFlits;

// Round robin, or bxi-deficit by the table of a reset.
std::unique_ptr<Arbiter> reference_of(bool deficits) {
  if (!deficits) {
    return std::make_unique<RoundRobin>(kQueues);
  }
  BxiConfig config;
  for (unsigned q = 0; q < kQueues; ++q) {
    config.table.push_back({static_cast<int>(q), kMax});
  }
  return std::make_unique<BxiTable>(config, kMax, true, Variant::Corrected);
}

// What CONTROL does, cycle by cycle.
struct Control {
  bool drain = false;
  bool flush = false;
  bool flushed = false;      // FLUSH stood in the last cycle
  std::uint32_t before = 0;  // a reset: bit i in the cycle i + 1 behind the write

  [[nodiscard]] bool holds() const { return flush || flushed || before != 0; }
  [[nodiscard]] bool drops() const { return flush && flushed && before == 0; }
  [[nodiscard]] bool asks_for_reset() const { return (before & 4U) != 0; }
  void end_cycle() {
    before = before << 1 & 7U;
    flushed = flush;
  }
  void written(std::uint32_t value) {
    before |= QOSARB_PORT_CONTROL_SOFT_RESET_GET(value);
    drain = QOSARB_PORT_CONTROL_DRAIN_GET(value) != 0;
    flush = QOSARB_PORT_CONTROL_FLUSH_GET(value) != 0;
  }
  [[nodiscard]] std::uint32_t value() const {
    return QOSARB_PORT_CONTROL_DRAIN_PUT(drain ? 1 : 0) |
           QOSARB_PORT_CONTROL_FLUSH_PUT(flush ? 1 : 0);
  }
};

// The longest wait of a head of each queue. A cycle is counted in the next one.
class Waits {
 public:
  void cycle(std::uint32_t active, std::uint32_t valid, std::uint32_t gone, bool snapshot) {
    for (unsigned q = 0; q < kQueues; ++q) {
      const bool ended = (ended_ >> q & 1U) != 0;
      wait_[q] += waiting_ >> q & 1U;
      longest_[q] = std::max(longest_[q], wait_[q]);
      wait_[q] = ended ? 0 : wait_[q];
      if (snapshot) {
        taken_[q] = longest_[q];
        longest_[q] = wait_[q];
      }
    }
    waiting_ = active;
    ended_ = ~valid | gone;
  }
  [[nodiscard]] std::uint32_t taken(unsigned queue) const { return taken_[queue]; }

 private:
  std::uint32_t waiting_ = 0;
  std::uint32_t ended_ = 0;
  std::array<std::uint32_t, kQueues> wait_{};
  std::array<std::uint32_t, kQueues> longest_{};
  std::array<std::uint32_t, kQueues> taken_{};
};

struct Tally {
  int grants = 0;
  int drops = 0;
  int drained = 0;  // reads that find the queues empty while DRAIN stands
  int held = 0;     // requests that would have been granted
  int resets = 0;   // that were asked for
  int waits = 0;    // that were compared
  int gated = 0;    // cycles in which the clock stood
  std::uint32_t longest = 0;
};

class Life {
 public:
  Life(Random& random, Tally& tally)
      : random_(random), tally_(tally), deficits_(random.chance(50)), load_(random.from(2U, 20U)) {
    if (deficits_) {
      port_.write(QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_BXI_DEFICIT);
      port_.write(QOSARB_PORT_COMMIT_OFFSET, QOSARB_PORT_COMMIT_START_PUT(1));
      port_.idle(kQueues + 2);
    }
    port_.idle(ApbPort::kCounters);
    if (random.chance(50)) {
      port_.gate_clock();
    }
    reference_ = reference_of(deficits_);
  }

  void run(int cycles) {
    for (int i = 0; i < cycles && !::testing::Test::HasFatalFailure(); ++i) {
      cycle(i);
    }
  }

 private:
  struct Transfer {
    bool write = false;
    std::uint32_t offset = 0;
    std::uint32_t value = 0;
    int pause = 0;  // cycles before it
  };

  // Seldom, so that what waits can drain.
  void think() {
    const auto queue = random_.from(0U, kQueues - 1);
    switch (random_.below(12)) {
      case 0: {
        std::uint32_t value = QOSARB_PORT_CONTROL_DRAIN_PUT(random_.chance(40) ? 1 : 0) |
                              QOSARB_PORT_CONTROL_FLUSH_PUT(random_.chance(20) ? 1 : 0);
        value |= QOSARB_PORT_CONTROL_SOFT_RESET_PUT(random_.chance(10) ? 1 : 0);
        transfers_.push_back({true, QOSARB_PORT_CONTROL_OFFSET, value, 0});
        transfers_.push_back({false, QOSARB_PORT_CONTROL_OFFSET, 0, random_.from(0, 200)});
        break;
      }
      case 1:
        transfers_.push_back({true, QOSARB_PORT_SNAPSHOT_OFFSET, 1, 0});
        transfers_.push_back({false, QOSARB_PORT_PACKETS_OFFSET(queue), 0, ApbPort::kCounters + 3});
        transfers_.push_back({false, QOSARB_PORT_LONGEST_WAIT_OFFSET, 0, 0});
        break;
      case 2:
        transfers_.push_back({false, QOSARB_PORT_FLITS_OFFSET(queue), 0, 0});
        transfers_.push_back({false, QOSARB_PORT_LONGEST_WAIT_OFFSET, 0, 0});
        break;
      default:
        transfers_.push_back({false, QOSARB_PORT_QUEUE_STATUS_OFFSET, 0, random_.from(0, 10)});
        break;
    }
  }

  void begin_transfer() {
    if (apb_.sel && !apb_.enable) {
      apb_.enable = true;
      return;
    }
    apb_ = {};
    if (transfers_.empty()) {
      think();
    }
    Transfer& next = transfers_.front();
    if (next.pause-- > 0) {
      return;
    }
    apb_ = {.sel = true,
            .write = next.write,
            .addr = next.offset,
            .wdata = next.value,
            .strobe = next.write ? 0xfU : 0U};
    transfers_.pop_front();
    switch (apb_.addr) {
      case QOSARB_PORT_CONTROL_OFFSET:
        expected_ = control_.value();
        break;
      case QOSARB_PORT_QUEUE_STATUS_OFFSET:
        expected_ = had_head_ ? 0 : 1;
        break;
      case QOSARB_PORT_LONGEST_WAIT_OFFSET:
        expected_ = waits_.taken(asked_);
        break;
      default:
        asked_ = (apb_.addr & 0x7fU) / 4;
        break;
    }
  }

  void arrive() {
    for (std::deque<std::uint32_t>& queue : queues_) {
      if (!control_.drain && random_.once_in(load_) && queue.size() < 20) {
        queue.push_back(random_.chance(50) ? random_.from(1U, 4U) : random_.from(1U, kMax));
      }
    }
    if (random_.once_in(50)) {
      candidates_.stopped = static_cast<std::uint32_t>(random_.below(256) & random_.below(256));
    }
    candidates_.valid = 0;
    for (unsigned q = 0; q < kQueues; ++q) {
      candidates_.valid |= queues_[q].empty() ? 0 : 1U << q;
      candidates_.flits[q] = queues_[q].empty() ? 0 : queues_[q].front();
    }
    candidates_.request = !random_.once_in(4);
  }

  // The decision of what is in force; nothing is asked while the port is held up.
  int decide(int now) {
    std::array<Head, kQueues> heads;
    for (unsigned q = 0; q < kQueues; ++q) {
      heads[q] = {.flits = candidates_.flits[q], .stopped = (candidates_.stopped >> q & 1U) != 0};
    }
    if (!candidates_.request || control_.holds()) {
      tally_.held += candidates_.request && (candidates_.valid & ~candidates_.stopped) != 0 ? 1 : 0;
      return -1;
    }
    return reference_->decide(now, heads).queue;
  }

  void cycle(int now) {
    arrive();
    begin_transfer();
    const ApbPort::Outputs outputs = port_.cycle(candidates_, apb_);
    const int granted = decide(now);
    const std::uint32_t lowest = candidates_.valid & (0U - candidates_.valid);
    const std::uint32_t dropped = control_.drops() ? lowest : 0;
    ASSERT_EQ(outputs.granted, granted) << "cycle " << now;
    ASSERT_EQ(outputs.grant, granted < 0 ? 0U : 1U << granted) << "cycle " << now;
    ASSERT_EQ(outputs.dropped, dropped) << "cycle " << now;
    ASSERT_EQ(outputs.drain, control_.drain) << "cycle " << now;
    ASSERT_EQ(outputs.soft_reset, control_.asks_for_reset()) << "cycle " << now;
    const bool ends = apb_.sel && apb_.enable;
    if (ends) {
      ASSERT_FALSE(outputs.error) << "cycle " << now << ", " << std::hex << apb_.addr;
      check_read(outputs.rdata);
    }
    const std::uint32_t gone = dropped | (granted < 0 ? 0U : 1U << granted);
    waits_.cycle(candidates_.valid & ~candidates_.stopped & ~(granted < 0 ? 0U : 1U << granted),
                 candidates_.valid, gone,
                 ends && apb_.write && apb_.addr == QOSARB_PORT_SNAPSHOT_OFFSET);
    had_head_ = candidates_.valid != 0;
    tally_.gated += outputs.clocked ? 0 : 1;
    tally_.resets += control_.asks_for_reset() ? 1 : 0;
    control_.end_cycle();
    if (ends && apb_.write && apb_.addr == QOSARB_PORT_CONTROL_OFFSET) {
      control_.written(apb_.wdata);
    }
    if (gone != 0) {
      queues_[static_cast<unsigned>(std::countr_zero(gone))].pop_front();
      tally_.grants += granted < 0 ? 0 : 1;
      tally_.drops += dropped == 0 ? 0 : 1;
    }
  }

  void check_read(std::uint32_t value) {
    if (apb_.write) {
      return;
    }
    switch (apb_.addr) {
      case QOSARB_PORT_LONGEST_WAIT_OFFSET:
        ++tally_.waits;
        tally_.longest = std::max(tally_.longest, expected_);
        [[fallthrough]];
      case QOSARB_PORT_CONTROL_OFFSET:
        ASSERT_EQ(value, expected_) << std::hex << apb_.addr;
        break;
      case QOSARB_PORT_QUEUE_STATUS_OFFSET:
        ASSERT_EQ(value, expected_);
        tally_.drained += control_.drain && expected_ != 0 ? 1 : 0;
        break;
      default:
        break;
    }
  }

  Random& random_;
  Tally& tally_;
  bool deficits_;
  std::uint32_t load_;  // a packet of each queue in so many cycles
  ApbPort port_;
  std::unique_ptr<Arbiter> reference_;
  Control control_;
  Waits waits_;
  std::array<std::deque<std::uint32_t>, kQueues> queues_;
  ApbPort::Candidates candidates_;
  ApbPort::Apb apb_;
  std::deque<Transfer> transfers_;
  std::uint32_t expected_ = 0;
  unsigned asked_ = 0;  // the queue whose counter was read last
  bool had_head_ = false;
};

TEST(OutOfService, DrainsFlushesAndHoldsUpAsItsModel) {
  Random random(test_seed());
  Tally tally;
  for (int life = 0; life < 60 && !HasFailure(); ++life) {
    SCOPED_TRACE(life);
    Life(random, tally).run(3000);
  }
  std::cout << tally.grants << " grants, " << tally.drops << " drops, " << tally.drained
            << " reads of drained queues, " << tally.held << " requests held up, " << tally.resets
            << " resets, " << tally.waits << " longest waits, at most " << tally.longest << ", "
            << tally.gated << " cycles without a clock\n";
  if (!HasFailure()) {
    EXPECT_GT(tally.grants, 20'000);
    EXPECT_GT(tally.drops, 1000);
    EXPECT_GT(tally.drained, 100);
    EXPECT_GT(tally.held, 1000);
    EXPECT_GT(tally.resets, 10);
    EXPECT_GT(tally.waits, 1000);
    EXPECT_GT(tally.longest, 100U);
    EXPECT_GT(tally.gated, 1000);
  }
}

}  // namespace
}  // namespace qosarb::test
