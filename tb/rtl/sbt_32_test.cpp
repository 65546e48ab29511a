// sbt's engine with as many service levels as an Omni-Path switch has, 32, each with a queue and an
// entry of its own (Sect. 3.2.1): who can send is found in the cycle of the request, wherever the
// entry stands.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "Vsbt_32.h"
#include "kernel/fields.hpp"
#include "qosarb/policy/sbt.hpp"
#include "random/random.hpp"

namespace qosarb::test {
namespace {

constexpr int kLevels = 32;
constexpr std::size_t kLevelBits = 5;
constexpr std::size_t kWeightBits = 16;

SbtConfig with_weights(const std::vector<std::uint32_t>& weights) {
  SbtConfig config;
  for (int level = 0; level < kLevels; ++level) {
    config.queue_sl.push_back(level);
    config.table.push_back({.sl = level, .weight = weights[level]});
  }
  return config;
}

class Engine {
 public:
  explicit Engine(const std::vector<std::uint32_t>& weights)
      : context_(std::make_unique<VerilatedContext>()), rtl_(context_.get()) {
    rtl_.entry_used_i = 0xffffffff;
    for (int level = 0; level < kLevels; ++level) {
      set_element(rtl_.entry_sl_i, level, kLevelBits, level);
      set_element(rtl_.queue_sl_i, level, kLevelBits, level);
      set_element(rtl_.entry_weight_i, level, kWeightBits, weights[level]);
    }
    rtl_.rst_ni = 1;
    rtl_.eval();
    rtl_.rst_ni = 0;
    rtl_.eval();
    rtl_.rst_ni = 1;
    rtl_.load_i = 1;
    clock();
    rtl_.load_i = 0;
  }

  /// The queue that is granted in this cycle of those in `active`, -1 if none is; the cycle ends.
  int decide(std::uint32_t active) {
    rtl_.valid_i = active;
    rtl_.request_i = 1;
    rtl_.eval();
    const int queue = rtl_.grant_valid_o != 0 ? rtl_.grant_queue_o : -1;
    clock();
    return queue;
  }

 private:
  void clock() {
    rtl_.clk_i = 1;
    rtl_.eval();
    rtl_.clk_i = 0;
    rtl_.eval();
  }

  std::unique_ptr<VerilatedContext> context_;
  Vsbt_32 rtl_;
};

// In every cycle the entry before the last winner's has the only packets: the search passes all 31
// others.
TEST(SbtRtl, FindsTheOnlySenderOf32InEveryCycle) {
  Engine engine(std::vector<std::uint32_t>(kLevels, 1));
  for (int round = 0; round < 4; ++round) {
    for (int level = kLevels - 1; level >= 0; --level) {
      ASSERT_EQ(engine.decide(std::uint32_t{1} << level), level) << "round " << round;
    }
  }
}

TEST(SbtRtl, DecidesAmong32AsTheReferenceInEveryCycle) {
  Random random(test_seed());
  int lone = 0;
  for (int run = 0; run < 20; ++run) {
    std::vector<std::uint32_t> weights(kLevels);
    for (std::uint32_t& weight : weights) {
      weight = random.spread<std::uint32_t>(1, 0xffff);
    }
    Engine engine(weights);
    SimpleBandwidthTable reference(with_weights(weights), Variant::Corrected);
    std::vector<Head> heads(kLevels);
    for (Cycle cycle = 0; cycle < 1000; ++cycle) {
      const auto few = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << kLevels) &
                                                  random.below(std::uint64_t{1} << kLevels));
      const std::uint32_t one = std::uint32_t{1} << random.below(kLevels);
      const std::uint32_t active = random.chance(50) ? one : few;
      lone += active == one ? 1 : 0;
      for (int level = 0; level < kLevels; ++level) {
        heads[level].flits = active >> level & 1;
      }
      const int expected = reference.decide(cycle, heads).queue;
      ASSERT_EQ(engine.decide(active), expected) << "run " << run << ", cycle " << cycle;
    }
  }
  EXPECT_GT(lone, 5000);
}

}  // namespace
}  // namespace qosarb::test
