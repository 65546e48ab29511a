// What a network's nodes share.
#include "qosarb/switch/fabric.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace qosarb {
namespace {

TEST(Fabric, KnowsTheOnlyChannelOfEachStageAndTakesNoMoreStagesThanItKeeps) {
  Fabric fabric;
  fabric.vcs = {.stages = 2, .masks = {0x1, 0x6, 0x8, 0x10}};  // of two service levels
  fabric.find_only_vcs();
  EXPECT_EQ(fabric.only_vc(0, 0), 0);
  EXPECT_EQ(fabric.only_vc(0, 1), Fabric::kSeveralVcs);
  EXPECT_EQ(fabric.only_vc(1, 0), 3);
  EXPECT_EQ(fabric.only_vc(1, 1), 4);

  fabric.vcs = {.stages = Fabric::kMostStages + 1, .masks = {1, 2, 4, 8, 16}};
  EXPECT_THROW(fabric.find_only_vcs(), std::logic_error);
}

// A cycle that is kept is told from another one nearly 2^32 before, and from one that is to come.
TEST(Fabric, KnowsCyclesThatAreLongPast) {
  for (const Cycle now : {Cycle{5'000'000'000}, Cycle{1} << 33U}) {
    for (const std::int64_t ago : {0L, 1L, 1L << 31, 4'200'000'000L, -1L, -60'000'000L}) {
      EXPECT_EQ(since(static_cast<std::uint32_t>((now - ago) & kKept), now), ago);
    }
  }
}

}  // namespace
}  // namespace qosarb
