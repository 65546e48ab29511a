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

}  // namespace
}  // namespace qosarb
