// A reset of the engines, each by itself: with no edge of the clock in it as with some, nothing is
// granted, and what comes after it is the same.

#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <memory>
#include <random>

#include "Vengines.h"
#include "random/random.hpp"

namespace qosarb::test {
namespace {

constexpr std::size_t kEngines = 12;  // in the order that engines.sv tells
constexpr unsigned kQueues = 4;

// What a register holds before the first reset is drawn from `seed`.
std::unique_ptr<VerilatedContext> random_context(int seed) {
  auto context = std::make_unique<VerilatedContext>();
  context->threads(1);
  context->randReset(2);
  context->randSeed(seed);
  return context;
}

class Engines {
 public:
  explicit Engines(int seed)
      : context_(random_context(seed)), rtl_(std::make_unique<Vengines>(context_.get())) {
    context_->assertOn(false);  // before a reset nothing is promised
    engines_.rst_ni = 1;
    engines_.load_i = 0;
    engines_.clk_i = 0;
    engines_.eval();
  }
  Engines(const Engines&) = delete;
  Engines& operator=(const Engines&) = delete;
  Engines(Engines&&) = delete;
  Engines& operator=(Engines&&) = delete;
  ~Engines() {
    // A model of Verilator 5.006 takes its scopes out of the thread's context, whichever that is.
    Verilated::threadContextp(context_.get());
    rtl_.reset();
    Verilated::threadContextp(Verilated::defaultContextp());
  }

  /// Heads that stay, as engines that answer in the next cycle want them: behind each stands one
  /// like it, and only queues that have none get one.
  void heads(std::uint64_t bits) {
    const auto more = static_cast<CData>(bits & 0xf & ~std::uint64_t{engines_.valid_i});
    for (std::size_t q = 0; q < kQueues; ++q) {
      if ((more >> q & 1) != 0) {
        const auto flits = static_cast<SData>(0xf << (4 * q));
        engines_.flits_i =
            static_cast<SData>((engines_.flits_i & ~flits) | (((bits >> 12) | 0x1111) & flits));
      }
    }
    engines_.valid_i = static_cast<CData>(engines_.valid_i | more);
  }
  void no_heads() { engines_.valid_i = 0; }
  /// The rest of a cycle, and whether a packet is asked for.
  void drive(std::uint64_t bits, bool request) {
    engines_.stopped_i = static_cast<CData>(bits >> 4 & bits >> 8 & 0xf);
    engines_.age_field_i = bits >> 28 & 0xfffffffffULL;
    engines_.age_in_epoch_i = static_cast<CData>(bits >> 20 & 0xf);
    engines_.age_timestamp_i = static_cast<CData>(bits >> 56);
    engines_.request_i = request ? 1 : 0;
    engines_.eval();
    EXPECT_EQ(engines_.grant_valid_o >> kEngines, 0U)
        << "engines.sv has more engines than the test";
  }
  void clock() {
    engines_.clk_i = 1;
    engines_.eval();
    engines_.clk_i = 0;
    engines_.eval();
  }
  void reset(bool on) {
    context_->assertOn(true);
    engines_.rst_ni = on ? 0 : 1;
    engines_.eval();
  }
  [[nodiscard]] bool granted(std::size_t engine) const {
    return (engines_.grant_valid_o >> engine & 1U) != 0;
  }
  [[nodiscard]] std::uint32_t grant(std::size_t engine) const {
    return static_cast<std::uint32_t>(engines_.grant_o >> (kQueues * engine) & 0xf);
  }
  void expect_no_grant() const {
    for (std::size_t e = 0; e < kEngines; ++e) {
      EXPECT_FALSE(granted(e)) << "engine " << e;
      EXPECT_EQ(grant(e), 0U) << "engine " << e;
    }
  }

 private:
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vengines> rtl_;
  Vengines& engines_ = *rtl_;
};

// A reset with the clock gated equals one with `edges` edges, wherever it finds the engines.
TEST(Reset, NeedsNoEdgeAndGrantsNothing) {
  std::mt19937_64 random(test_seed());
  std::array<int, kEngines> grants{};
  for (int run = 0; run < 300; ++run) {
    SCOPED_TRACE(run);
    Engines gated(2 * run + 1);
    Engines clocked(2 * run + 2);
    const std::uint64_t before = run == 0 ? 0 : random() % 100;  // run 0: the reset of power-on
    for (std::uint64_t i = 0; i < before; ++i) {
      for (Engines* engines : {&gated, &clocked}) {
        const std::uint64_t bits = random();
        engines->heads(bits);
        engines->drive(bits, true);
        engines->clock();
      }
    }
    const std::uint64_t candidates = random() | 1U << random() % kQueues;
    for (Engines* engines : {&gated, &clocked}) {
      engines->reset(true);
      engines->no_heads();
      engines->heads(candidates);
      engines->drive(candidates, true);
      engines->expect_no_grant();
    }
    for (std::uint64_t edge = 1 + random() % 3; edge > 0; --edge) {
      clocked.clock();
      clocked.expect_no_grant();
    }
    gated.reset(false);
    clocked.reset(false);
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t bits = random();
      const bool request = random() % 4 != 0;
      for (Engines* engines : {&gated, &clocked}) {
        if (i % 20 == 0) {
          engines->heads(bits);
        }
        engines->drive(bits, request);
      }
      for (std::size_t e = 0; e < kEngines; ++e) {
        ASSERT_EQ(gated.granted(e), clocked.granted(e)) << "engine " << e << ", cycle " << i;
        ASSERT_EQ(gated.grant(e), clocked.grant(e)) << "engine " << e << ", cycle " << i;
        grants[e] += gated.granted(e) ? 1 : 0;
      }
      gated.clock();
      clocked.clock();
    }
  }
  for (std::size_t e = 0; e < kEngines; ++e) {
    EXPECT_GT(grants[e], 1000) << "engine " << e;
  }
}

}  // namespace
}  // namespace qosarb::test
