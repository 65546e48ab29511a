// What a commit of ets refuses, and where.
#include <gtest/gtest.h>

#include "policy_driver.hpp"

namespace qosarb::test {
namespace {

TEST(PolicyCommit, OfEtsWantsEachQueueInUseInOrderOrStrict) {
  Driver driver(QOSARB_PORT_POLICY_ETS);
  const auto commit = [&driver]() { return driver.commit(QOSARB_PORT_POLICY_ETS); };
  const auto entry = [&driver](std::uint32_t at, std::uint32_t queue, std::uint32_t quantum) {
    ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_OFFSET(at), entry_of(queue, quantum)));
  };
  expect_register(driver, QOSARB_PORT_STRICT_PRIORITY_OFFSET, 0, {0x4}, {0x100});
  ASSERT_TRUE(driver.write(QOSARB_PORT_QUEUES_IN_USE_OFFSET, 0x7));
  ASSERT_TRUE(driver.write(QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, 10));
  ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_ENTRIES_OFFSET, 2));
  entry(0, 0, 10);
  entry(1, 1, 11);
  EXPECT_EQ(commit(), kInForce);
  entry(1, 1, 9);
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_SHORT_QUANTUM, 1));
  entry(1, 0, 10);  // a second entry of a queue
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_QUEUE_ORDER, 1));
  entry(0, 1, 10);  // and one behind that of a higher queue
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_QUEUE_ORDER, 1));
  entry(1, 2, 10);
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_STRICT_ENTRY, 1));
  ASSERT_TRUE(driver.write(QOSARB_PORT_TABLE_ENTRIES_OFFSET, 1));
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE, 0));
  ASSERT_TRUE(driver.write(QOSARB_PORT_STRICT_PRIORITY_OFFSET, 0x5));
  EXPECT_EQ(commit(), kInForce);
  // Nobody needs a table where all are strict.
  entry(0, 1, 0);
  EXPECT_EQ(commit(), refused(QOSARB_PORT_STATUS_REASON_SHORT_QUANTUM, 0));
  ASSERT_TRUE(driver.write(QOSARB_PORT_STRICT_PRIORITY_OFFSET, 0x7));
  EXPECT_EQ(commit(), kInForce);
}

}  // namespace
}  // namespace qosarb::test
