// bxi-basic and bxi-deficit against the worked examples of the BXIv3 paper and against the numbers
// that its errata cost.
#include "qosarb/policy/bxi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy_under_test.hpp"

namespace qosarb::test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

const char* const kTable1 =
    "queues: 3\nquantum_scale: 10\nmax_packet_flits: 13\n"
    "table: [{queue: 0, weight: 5}, {queue: 1, weight: 3}, {queue: 2, weight: 2}]\n";

ArbiterConfig table1(const std::string& policy, const std::string& variant) {
  return arbiter_config("policy: " + policy + "\nvariant: " + variant + "\n" + kTable1);
}

TEST(BxiErrata, WhatEachVariantGivesForWeights5To3To2) {
  // semantics.md: packets of 13, 7 and 1 flits; corrected 0.500/0.300/0.200.
  EXPECT_THAT(backlogged_shares(table1("bxi-deficit", "corrected"), {13, 7, 1}, 200000),
              ElementsAre(DoubleNear(0.5, 5e-4), DoubleNear(0.3, 5e-4), DoubleNear(0.2, 5e-4)));
  EXPECT_THAT(
      backlogged_shares(table1("bxi-deficit", "printed"), {13, 7, 1}, 200000),
      ElementsAre(DoubleNear(0.415, 5e-4), DoubleNear(0.372, 5e-4), DoubleNear(0.213, 5e-4)));
}

}  // namespace
}  // namespace qosarb::test
