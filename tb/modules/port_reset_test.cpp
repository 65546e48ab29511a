// qosarb_port_reset: a reset of one cycle for a request, and none for one flipped bit.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "../ages/bench.hpp"
#include "Vport_reset.h"
#include "Vport_reset___024root.h"

// All combinational logic, by the values that registers and inputs have; made by Verilator, which
// declares it in no header.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
void Vport_reset___024root___eval_settle(Vport_reset___024root* self);

namespace qosarb::test {
namespace {

class PortReset : public ::testing::Test {
 protected:
  PortReset() : context_(std::make_unique<VerilatedContext>()) {
    prepare(*context_);
    rtl_ = std::make_unique<Vport_reset>(context_.get());
    rtl_->clk_i = 0;
    rtl_->soft_reset_i = 0;
    for (const auto reset : std::array<CData, 3>{1, 0, 1}) {
      rtl_->rst_ni = reset;
      rtl_->eval();
    }
  }
  PortReset(const PortReset&) = delete;
  PortReset& operator=(const PortReset&) = delete;
  ~PortReset() override { rtl_->final(); }

  void edge() {
    for (const auto level : std::array<CData, 2>{1, 0}) {
      rtl_->clk_i = level;
      rtl_->eval();
    }
  }
  /// The two registers of the request.
  [[nodiscard]] std::array<CData*, 2> registers() const {
    return {&rtl_->rootp->qosarb_port_reset__DOT__reset_q,
            &rtl_->rootp->qosarb_port_reset__DOT__u_second__DOT__not_q};
  }
  void flip(CData* which) {
    *which ^= 1U;
    Vport_reset___024root___eval_settle(rtl_->rootp);
  }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vport_reset> rtl_;
};

TEST_F(PortReset, LastsOneCycleForARequestAndAsLongAsTheChips) {
  EXPECT_EQ(rtl_->rst_no, 1);
  rtl_->soft_reset_i = 1;
  rtl_->eval();
  EXPECT_EQ(rtl_->rst_no, 1) << "it waits for the edge";
  edge();
  EXPECT_EQ(rtl_->rst_no, 0);
  rtl_->soft_reset_i = 0;  // as its port, now in reset, has it
  edge();
  EXPECT_EQ(rtl_->rst_no, 1);
  rtl_->rst_ni = 0;  // without an edge
  rtl_->eval();
  EXPECT_EQ(rtl_->rst_no, 0);
  edge();
  EXPECT_EQ(rtl_->rst_no, 0);
  rtl_->rst_ni = 1;
  rtl_->eval();
  EXPECT_EQ(rtl_->rst_no, 1);
}

TEST_F(PortReset, NeedsBothOfItsBits) {
  for (CData* const which : registers()) {
    flip(which);
    EXPECT_EQ(rtl_->rst_no, 1);
    edge();
    EXPECT_EQ(rtl_->rst_no, 1) << "the bit is right again";
  }
  for (CData* const which : registers()) {
    flip(which);
  }
  EXPECT_EQ(rtl_->rst_no, 0) << "the test flips what it says";
  edge();
  EXPECT_EQ(rtl_->rst_no, 1);
}

}  // namespace
}  // namespace qosarb::test
