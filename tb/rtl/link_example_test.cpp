// The link of docs/integration.md: what it puts on the wire, held against packets and round robin
// counted by hand.
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <ostream>
#include <vector>

#include "Vlink_example.h"

namespace qosarb::test {
namespace {

constexpr unsigned kQueues = 4;
constexpr unsigned kFlitsWidth = 6;  // of packets up to 63 flits

/// The queues in front of a link, and what was seen on its wire.
class Link {
 public:
  struct Started {
    std::uint64_t cycle;
    unsigned queue;
    bool operator==(const Started&) const = default;
  };

  Link() {
    context_->threads(1);
    rtl_ = std::make_unique<Vlink_example>(context_.get());
    rtl_->clk_i = 0;
    rtl_->rst_ni = 1;
    rtl_->psel_i = 0;
    rtl_->pfc_stop_i = 0;
    rtl_->eval();
    rtl_->rst_ni = 0;  // a reset needs no edge of the clock
    rtl_->eval();
    rtl_->rst_ni = 1;
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  Link(Link&&) = delete;
  Link& operator=(Link&&) = delete;
  ~Link() {
    // A model of Verilator 5.006 takes its scopes out of the thread's context, whichever that is.
    Verilated::threadContextp(context_.get());
    rtl_.reset();
    Verilated::threadContextp(Verilated::defaultContextp());
  }

  /// Heads may lie: nothing is held to the rules of qosarb_port_checks.
  void let_heads_lie() { context_->assertOn(false); }
  void bring(unsigned queue, std::uint32_t flits) { queues_.at(queue).push_back(flits); }
  void stop(std::uint8_t queues) { rtl_->pfc_stop_i = queues; }

  /// One cycle. A packet that starts while another is on the wire is a failure.
  void step() {
    std::uint8_t valid = 0;
    std::uint8_t next_valid = 0;
    std::uint32_t flits = 0;
    std::uint32_t next_flits = 0;
    for (unsigned q = 0; q < kQueues; ++q) {
      const auto& queue = queues_.at(q);
      const auto show = [&](std::size_t place, std::uint8_t& is_there, std::uint32_t& length) {
        if (queue.size() > place) {
          is_there = static_cast<std::uint8_t>(is_there | 1U << q);
          length |= queue[place] << (q * kFlitsWidth);
        }
      };
      show(0, valid, flits);
      show(1, next_valid, next_flits);
    }
    rtl_->valid_i = valid;
    rtl_->flits_i = flits;
    rtl_->next_valid_i = next_valid;
    rtl_->next_flits_i = next_flits;
    rtl_->eval();
    if (rtl_->starts_o != 0) {
      const unsigned queue = rtl_->queue_o;
      EXPECT_EQ(rtl_->pop_o, 1U << queue) << "cycle " << now_;
      EXPECT_GE(now_, wire_free_) << "the wire is busy in cycle " << now_;
      ASSERT_FALSE(queues_.at(queue).empty()) << "cycle " << now_;
      started_.push_back({now_, queue});
      wire_free_ = now_ + queues_.at(queue).front();
      queues_.at(queue).pop_front();
    } else {
      EXPECT_EQ(rtl_->pop_o, 0U) << "cycle " << now_;
    }
    rtl_->clk_i = 1;
    rtl_->eval();
    rtl_->clk_i = 0;
    rtl_->eval();
    ++now_;
  }
  void step(int cycles) {
    for (int i = 0; i < cycles; ++i) {
      step();
    }
  }

  [[nodiscard]] const std::vector<Started>& started() const { return started_; }

 private:
  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vlink_example> rtl_;
  std::array<std::deque<std::uint32_t>, kQueues> queues_;
  std::vector<Started> started_;
  std::uint64_t now_ = 0;
  std::uint64_t wire_free_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Link::Started& started) {
  return out << "queue " << started.queue << " in cycle " << started.cycle;
}

TEST(LinkExample, SendsBackToBackInTurn) {
  Link link;
  link.bring(0, 3);
  link.bring(0, 1);
  link.bring(1, 1);
  link.bring(1, 1);
  link.bring(3, 63);
  link.bring(3, 2);
  link.step(100);
  // Asked in cycle 0, the port answers in cycle 1. Each packet starts where the one before it ends:
  // 1 + 3, + 1, + 63,
  // + 1, + 1; queue 2 has none.
  EXPECT_EQ(link.started(),
            (std::vector<Link::Started>{{1, 0}, {4, 1}, {5, 3}, {68, 0}, {69, 1}, {70, 3}}));
}

TEST(LinkExample, AHeadWithoutLengthIsOneFlit) {
  Link link;
  link.let_heads_lie();
  link.bring(0, 0);
  link.bring(1, 0);
  link.bring(0, 2);
  link.step(10);
  EXPECT_EQ(link.started(), (std::vector<Link::Started>{{1, 0}, {2, 1}, {3, 0}}));
}

TEST(LinkExample, APauseCountsFromTheNextPacketOn) {
  Link link;
  for (int i = 0; i < 3; ++i) {
    link.bring(0, 4);
    link.bring(1, 4);
  }
  link.step(3);  // queue 0 is on the wire from cycle 1 to 4
  link.stop(0b0010);
  link.step(8);  // queue 0 again from 5 to 8, and from 9 on
  link.stop(0);
  link.step(20);
  EXPECT_EQ(link.started(),
            (std::vector<Link::Started>{{1, 0}, {5, 0}, {9, 0}, {13, 1}, {17, 1}, {21, 1}}));
}

TEST(LinkExample, AQueueThatWasEmptyIsServedInTheCycleBehindItsPacket) {
  Link link;
  link.step(10);
  link.bring(2, 5);
  link.step(10);
  EXPECT_EQ(link.started(), (std::vector<Link::Started>{{11, 2}}));
}

}  // namespace
}  // namespace qosarb::test
