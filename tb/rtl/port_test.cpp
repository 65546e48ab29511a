// The register block of the output port, against the map's page and against models of its own.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "apb_port.hpp"
#include "program_port.h"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/rr.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "random/random.hpp"

namespace qosarb {
namespace {

constexpr unsigned kQueues = ApbPort::kQueues;
constexpr unsigned kEntries = ApbPort::kEntries;
constexpr std::uint32_t kMax = ApbPort::kMaxPacketFlits;
constexpr std::uint32_t kAllQueues = (1U << kQueues) - 1;

std::uint32_t entry_word(std::uint32_t queue, std::uint32_t quantum) {
  return QOSARB_PORT_TABLE_QUEUE_ID_PUT(queue) | QOSARB_PORT_TABLE_QUANTUM_PUT(quantum);
}

class PortTest : public ::testing::Test {
 protected:
  std::uint32_t read(std::uint32_t addr) {
    const ApbPort::Answer answer = port_.read(addr);
    EXPECT_FALSE(answer.error) << "reading 0x" << std::hex << addr;
    return answer.data;
  }

  void write(std::uint32_t addr, std::uint32_t data) {
    EXPECT_FALSE(port_.write(addr, data).error) << "writing 0x" << std::hex << addr;
  }

  /// Starts a commit and lets it end; returns STATUS.
  std::uint32_t commit() {
    write(QOSARB_PORT_COMMIT_OFFSET, QOSARB_PORT_COMMIT_START_PUT(1));
    port_.idle(kEntries + 2);
    const std::uint32_t status = read(QOSARB_PORT_STATUS_OFFSET);
    EXPECT_EQ(QOSARB_PORT_STATUS_PROGRESS_GET(status), QOSARB_PORT_STATUS_PROGRESS_IDLE);
    return status;
  }

  /// Those up to now.
  std::uint32_t lying_heads() {
    port_.snapshot();
    return read(QOSARB_PORT_LYING_HEADS_OFFSET);
  }

  static void expect_status(std::uint32_t status, std::uint32_t outcome, std::uint32_t reason,
                            std::uint32_t where) {
    EXPECT_EQ(QOSARB_PORT_STATUS_OUTCOME_GET(status), outcome);
    EXPECT_EQ(QOSARB_PORT_STATUS_REASON_GET(status), reason);
    EXPECT_EQ(QOSARB_PORT_STATUS_WHERE_GET(status), where);
  }

  ApbPort port_;
};

TEST_F(PortTest, ResetLeavesTheDocumentedValues) {
  EXPECT_EQ(read(QOSARB_PORT_ID_OFFSET), 0x514f5301U);  // "QOS", version 1
  const std::uint32_t sizes = read(QOSARB_PORT_SIZES_OFFSET);
  EXPECT_EQ(QOSARB_PORT_SIZES_QUEUES_GET(sizes), 8U);
  EXPECT_EQ(QOSARB_PORT_SIZES_ENTRIES_GET(sizes), kEntries);
  EXPECT_EQ(QOSARB_PORT_SIZES_QUANTUM_WIDTH_GET(sizes), 16U);
  EXPECT_EQ(read(QOSARB_PORT_PACKET_LIMIT_OFFSET), 1023U);
  EXPECT_EQ(read(QOSARB_PORT_POLICIES_OFFSET), 0x7U);
  EXPECT_EQ(read(QOSARB_PORT_STATUS_OFFSET), 0U);
  EXPECT_EQ(read(QOSARB_PORT_CURRENT_OFFSET), 7U);
  EXPECT_EQ(read(QOSARB_PORT_REMAINING_OFFSET), 0U);
  const std::pair<std::uint32_t, std::uint32_t> in_shadow_and_in_force[] = {
      {QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_IN_FORCE_OFFSET},
      {QOSARB_PORT_TABLE_ENTRIES_OFFSET, QOSARB_PORT_TABLE_ENTRIES_IN_FORCE_OFFSET},
      {QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, QOSARB_PORT_MAX_PACKET_FLITS_IN_FORCE_OFFSET},
      {QOSARB_PORT_QUEUES_IN_USE_OFFSET, QOSARB_PORT_QUEUES_IN_USE_IN_FORCE_OFFSET}};
  const std::uint32_t expected[] = {QOSARB_PORT_POLICY_RR, 8, 1023, 0xff};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(read(in_shadow_and_in_force[i].first), expected[i]);
    EXPECT_EQ(read(in_shadow_and_in_force[i].second), expected[i]);
  }
  for (std::uint32_t e = 0; e < kEntries; ++e) {
    EXPECT_EQ(read(QOSARB_PORT_TABLE_OFFSET(e)), entry_word(e % 8, 1023));
    EXPECT_EQ(read(QOSARB_PORT_TABLE_IN_FORCE_OFFSET(e)), entry_word(e % 8, 1023));
    EXPECT_EQ(read(QOSARB_PORT_DEFICIT_OFFSET(e)), 0U);
  }
  for (std::uint32_t q = 0; q < kQueues; ++q) {
    EXPECT_EQ(read(QOSARB_PORT_PACKETS_OFFSET(q)), 0U);
    EXPECT_EQ(read(QOSARB_PORT_FLITS_OFFSET(q)), 0U);
    EXPECT_EQ(read(QOSARB_PORT_BLOCKED_OFFSET(q)), 0U);
    EXPECT_EQ(read(QOSARB_PORT_WAITING_OFFSET(q)), 0U);
  }
}

TEST_F(PortTest, ResetBringsEverythingBack) {
  const std::vector<std::uint32_t> before = port_.all_registers();
  write(QOSARB_PORT_TABLE_OFFSET(0), entry_word(0, 5000));
  write(QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_BXI_DEFICIT);
  commit();
  port_.candidates(
      {.valid = kAllQueues, .stopped = 2, .flits = {9, 9, 9, 9, 9, 9, 9, 9}, .request = true});
  port_.idle(20);
  port_.candidates({});
  port_.idle();
  EXPECT_NE(port_.all_registers(), before);
  port_.reset();
  EXPECT_EQ(port_.all_registers(), before);
}

TEST_F(PortTest, AResetThatEndsInsideATransferRefusesIt) {
  ApbPort::Apb transfer = {
      .sel = true, .write = true, .addr = QOSARB_PORT_POLICY_OFFSET, .wdata = 15};
  port_.cycle({}, transfer);
  port_.reset();
  transfer.enable = true;
  EXPECT_TRUE(port_.cycle({}, transfer).error);
  EXPECT_EQ(read(QOSARB_PORT_POLICY_OFFSET), QOSARB_PORT_POLICY_RR);
}

TEST_F(PortTest, AfterResetAllQueuesTakeTurns) {
  const ApbPort::Candidates all{
      .valid = kAllQueues, .flits = {1, 2, 3, 4, 5, 6, 7, 1023}, .request = true};
  for (int i = 0; i < 20; ++i) {
    const ApbPort::Outputs outputs = port_.cycle(all, {});
    EXPECT_EQ(outputs.granted, i % 8);
    EXPECT_EQ(outputs.grant, 1U << (i % 8));
  }
}

TEST_F(PortTest, APolicyThatIsNotBuiltInIsRoundRobin) {
  const ApbPort::Candidates all{
      .valid = kAllQueues, .flits = {1, 2, 3, 4, 5, 6, 7, 1023}, .request = true};
  for (std::uint32_t code = QOSARB_PORT_POLICY_BXI_DEFICIT + 1; code < 16; ++code) {
    port_.reset();
    port_.set_policy_in_force(code);
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(port_.cycle(all, {}).granted, i % 8) << "policy " << code;
    }
    EXPECT_EQ(read(QOSARB_PORT_POLICY_IN_FORCE_OFFSET), QOSARB_PORT_POLICY_RR);
  }
}

TEST_F(PortTest, CommitOfThePolicyAloneGivesEqualQuanta) {
  write(QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_BXI_DEFICIT);
  expect_status(commit(), QOSARB_PORT_STATUS_OUTCOME_IN_FORCE, QOSARB_PORT_STATUS_REASON_NONE, 0);
  EXPECT_EQ(read(QOSARB_PORT_POLICY_IN_FORCE_OFFSET), QOSARB_PORT_POLICY_BXI_DEFICIT);

  // Queue q sends packets of 1 + 100 q flits; over many turns all send the same number of flits.
  ApbPort::Candidates all{.valid = kAllQueues, .request = true};
  for (std::uint32_t q = 0; q < kQueues; ++q) {
    all.flits[q] = 1 + 100 * q;
  }
  std::array<std::uint64_t, kQueues> sent{};
  std::uint64_t total = 0;
  while (total < std::uint64_t{kQueues} * kMax * 200) {
    const Index queue = port_.cycle(all, {}).granted;
    ASSERT_GE(queue, 0);
    sent[queue] += all.flits[queue];
    total += all.flits[queue];
  }
  for (const std::uint64_t flits : sent) {
    // A turn is 1023 flits, and a queue is at most two turns off its share.
    EXPECT_NEAR(static_cast<double>(flits), static_cast<double>(total) / kQueues, 2.0 * kMax);
  }
}

struct Refused {
  const char* why;
  bool write;
  std::uint32_t addr;
  std::uint32_t data;
  std::uint32_t strobe = 0xf;
};

std::vector<Refused> refused_accesses() {
  std::vector<Refused> cases = {
      {"policy not built in", true, QOSARB_PORT_POLICY_OFFSET, 3},
      {"policy not built in", true, QOSARB_PORT_POLICY_OFFSET, 15},
      {"bits beyond the policy", true, QOSARB_PORT_POLICY_OFFSET, 0x12},
      {"depth 0", true, QOSARB_PORT_TABLE_ENTRIES_OFFSET, 0},
      {"depth beyond the table", true, QOSARB_PORT_TABLE_ENTRIES_OFFSET, kEntries + 1},
      {"bits beyond the depth", true, QOSARB_PORT_TABLE_ENTRIES_OFFSET, 0x104},
      {"packet of 0 flits", true, QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, 0},
      {"packet beyond the build", true, QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, kMax + 1},
      {"bits beyond the packet", true, QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, 0x01000005},
      {"queue beyond the build", true, QOSARB_PORT_QUEUES_IN_USE_OFFSET, 0x1ff},
      {"queue beyond the build", true, QOSARB_PORT_QUEUES_IN_USE_OFFSET, 0x80000000},
      {"bits beyond COMMIT", true, QOSARB_PORT_COMMIT_OFFSET, 3},
      {"bits beyond COUNTER_CLEAR", true, QOSARB_PORT_COUNTER_CLEAR_OFFSET, 0x80000001},
      {"bits beyond SNAPSHOT", true, QOSARB_PORT_SNAPSHOT_OFFSET, 2},
      {"bits beyond CONTROL", true, QOSARB_PORT_CONTROL_OFFSET, 8},
      {"bits beyond ERROR_ENABLE", true, QOSARB_PORT_ERROR_ENABLE_OFFSET, 0x10},
      {"bits beyond ERROR_CLEAR", true, QOSARB_PORT_ERROR_CLEAR_OFFSET, 0x80000001},
      {"entry's queue beyond the build", true, QOSARB_PORT_TABLE_OFFSET(3), entry_word(8, 2000)},
      {"entry's queue beyond the build", true, QOSARB_PORT_TABLE_OFFSET(kEntries - 1),
       entry_word(255, 2000)},
      {"entry's quantum beyond the build", true, QOSARB_PORT_TABLE_OFFSET(3),
       entry_word(1, 0x10000)},
      {"entry's quantum beyond the build", true, QOSARB_PORT_TABLE_OFFSET(3),
       entry_word(1, 0x800400)},
      {"entry beyond the build", true, QOSARB_PORT_TABLE_OFFSET(kEntries), entry_word(1, 2000)},
      {"entry beyond the build", false, QOSARB_PORT_TABLE_OFFSET(kEntries), 0},
      {"entry beyond the build", false, QOSARB_PORT_TABLE_IN_FORCE_OFFSET(kEntries), 0},
      {"entry beyond the build", false, QOSARB_PORT_DEFICIT_OFFSET(127), 0},
      {"queue beyond the build", false, QOSARB_PORT_PACKETS_OFFSET(8), 0},
      {"queue beyond the build", false, QOSARB_PORT_FLITS_OFFSET(31), 0},
      {"queue beyond the build", false, QOSARB_PORT_BLOCKED_OFFSET(8), 0},
      {"queue beyond the build", false, QOSARB_PORT_WAITING_OFFSET(8), 0},
      {"misaligned", true, QOSARB_PORT_POLICY_OFFSET + 1, 1},
      {"misaligned", true, QOSARB_PORT_TABLE_OFFSET(0) + 2, entry_word(1, 2000)},
      {"misaligned", false, QOSARB_PORT_POLICY_OFFSET + 2, 0},
      {"misaligned", false, QOSARB_PORT_TABLE_OFFSET(0) + 1, 0}};
  // Writes that would be good but for a byte that is not strobed.
  for (std::uint32_t strobe = 0; strobe < 0xf; ++strobe) {
    cases.push_back({"strobe", true, QOSARB_PORT_POLICY_OFFSET, 1, strobe});
    cases.push_back({"strobe", true, QOSARB_PORT_TABLE_OFFSET(5), entry_word(1, 2000), strobe});
    cases.push_back({"strobe", true, QOSARB_PORT_COMMIT_OFFSET, 1, strobe});
    cases.push_back({"strobe", true, QOSARB_PORT_COUNTER_CLEAR_OFFSET, 1, strobe});
  }
  // Read-only registers, and every word without a register.
  const std::vector<std::uint32_t> mapped = ApbPort::all_addresses();
  for (std::uint32_t addr = 0; addr < QOSARB_PORT_WINDOW_BYTES; addr += 4) {
    const bool is_mapped = std::find(mapped.begin(), mapped.end(), addr) != mapped.end();
    const bool writable =
        addr == QOSARB_PORT_POLICY_OFFSET || addr == QOSARB_PORT_TABLE_ENTRIES_OFFSET ||
        addr == QOSARB_PORT_MAX_PACKET_FLITS_OFFSET || addr == QOSARB_PORT_QUEUES_IN_USE_OFFSET ||
        addr == QOSARB_PORT_COMMIT_OFFSET || addr == QOSARB_PORT_COUNTER_CLEAR_OFFSET ||
        addr == QOSARB_PORT_ERROR_ENABLE_OFFSET || addr == QOSARB_PORT_ERROR_CLEAR_OFFSET ||
        addr == QOSARB_PORT_PFC_WATCHDOG_OFFSET || addr == QOSARB_PORT_SNAPSHOT_OFFSET ||
        addr == QOSARB_PORT_CONTROL_OFFSET ||
        (addr >= QOSARB_PORT_TABLE_OFFSET(0) && addr < QOSARB_PORT_TABLE_OFFSET(kEntries));
    if (!writable) {
      cases.push_back({"read-only", true, addr, 1});
    }
    if (!is_mapped) {
      cases.push_back({"unmapped", false, addr, 0});
    }
  }
  return cases;
}

TEST_F(PortTest, RefusedAccessesChangeNothing) {
  // A state in which every register holds something of its own.
  write(QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_BXI_DEFICIT);
  for (std::uint32_t e = 0; e < kEntries; ++e) {
    write(QOSARB_PORT_TABLE_OFFSET(e), entry_word(e % 8, 1500 + e));
  }
  write(QOSARB_PORT_TABLE_ENTRIES_OFFSET, 20);
  commit();
  port_.candidates({.valid = kAllQueues,
                    .stopped = 1,
                    .flits = {90, 91, 92, 93, 94, 95, 96, 97},
                    .request = true});
  port_.idle(100);
  port_.candidates({});
  port_.idle();
  write(QOSARB_PORT_QUEUES_IN_USE_OFFSET, 0x7f);
  write(QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, 700);
  write(QOSARB_PORT_TABLE_ENTRIES_OFFSET, 21);
  write(QOSARB_PORT_TABLE_OFFSET(kEntries - 1), entry_word(6, 65535));

  const std::vector<std::uint32_t> before = port_.all_registers();
  for (const Refused& refused : refused_accesses()) {
    SCOPED_TRACE(::testing::Message()
                 << refused.why << (refused.write ? ", writing 0x" : ", reading 0x") << std::hex
                 << refused.data << " at 0x" << refused.addr);
    const ApbPort::Answer answer = refused.write
                                       ? port_.write(refused.addr, refused.data, refused.strobe)
                                       : port_.read(refused.addr);
    EXPECT_TRUE(answer.error);
    EXPECT_EQ(answer.data, 0U);
    EXPECT_FALSE(port_.idle(2).table_applied);
    ASSERT_EQ(port_.all_registers(), before);
  }
}

TEST_F(PortTest, WritesOfTheLimitsAreTaken) {
  const std::pair<std::uint32_t, std::uint32_t> limits[] = {
      {QOSARB_PORT_POLICY_OFFSET, 1},
      {QOSARB_PORT_POLICY_OFFSET, 2},
      {QOSARB_PORT_POLICY_OFFSET, 0},
      {QOSARB_PORT_TABLE_ENTRIES_OFFSET, 1},
      {QOSARB_PORT_TABLE_ENTRIES_OFFSET, kEntries},
      {QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, 1},
      {QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, kMax},
      {QOSARB_PORT_QUEUES_IN_USE_OFFSET, 0},
      {QOSARB_PORT_QUEUES_IN_USE_OFFSET, kAllQueues},
      {QOSARB_PORT_TABLE_OFFSET(0), entry_word(7, 0)},
      {QOSARB_PORT_TABLE_OFFSET(kEntries - 1), entry_word(0, 0xffff)},
      {QOSARB_PORT_ERROR_ENABLE_OFFSET, 0xf},
      {QOSARB_PORT_PFC_WATCHDOG_OFFSET, 0xffffffff}};
  for (const auto& [addr, data] : limits) {
    write(addr, data);
    EXPECT_EQ(read(addr), data);
  }
}

// What a 1 does a 0 does not, though the write is a good one.
TEST_F(PortTest, WritesOfZeroDoNothing) {
  write(QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_BXI_BASIC);
  port_.candidates({.valid = 1, .flits = {7}, .request = true});
  port_.idle(5);
  port_.candidates({});
  port_.snapshot();
  const std::vector<std::uint32_t> before = port_.all_registers();
  for (const std::uint32_t addr :
       {QOSARB_PORT_COMMIT_OFFSET, QOSARB_PORT_COUNTER_CLEAR_OFFSET, QOSARB_PORT_SNAPSHOT_OFFSET,
        QOSARB_PORT_ERROR_CLEAR_OFFSET, QOSARB_PORT_CONTROL_OFFSET}) {
    SCOPED_TRACE(addr);
    write(addr, 0);
    EXPECT_EQ(read(QOSARB_PORT_SNAPSHOT_OFFSET), 0U);
    for (unsigned cycle = 0; cycle < kEntries + 2; ++cycle) {
      EXPECT_FALSE(port_.idle().table_applied);
    }
    ASSERT_EQ(port_.all_registers(), before);
  }
  port_.snapshot();
  EXPECT_EQ(read(QOSARB_PORT_PACKETS_OFFSET(0)), 5U);
}

TEST_F(PortTest, NoTransferWaitsAndErrorsShowOnlyInTheAccessPhase) {
  ApbPort::Apb apb{.sel = true, .write = true, .addr = QOSARB_PORT_ID_OFFSET};
  for (int i = 0; i < 3; ++i) {  // back to back
    apb.enable = false;
    ApbPort::Outputs outputs = port_.cycle({}, apb);
    EXPECT_FALSE(outputs.error);
    apb.enable = true;
    outputs = port_.cycle({}, apb);
    EXPECT_TRUE(outputs.ready);
    EXPECT_TRUE(outputs.error);
  }
  EXPECT_FALSE(port_.idle().error);
}

TEST_F(PortTest, ShortQuantumIsRefusedAtTheFirstEntryThatHasOne) {
  write(QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_BXI_BASIC);
  write(QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, 100);
  for (std::uint32_t e = 0; e < kEntries; ++e) {
    write(QOSARB_PORT_TABLE_OFFSET(e), entry_word(e % 8, 100));
  }
  write(QOSARB_PORT_TABLE_ENTRIES_OFFSET, kEntries);
  expect_status(commit(), QOSARB_PORT_STATUS_OUTCOME_IN_FORCE, QOSARB_PORT_STATUS_REASON_NONE, 0);
  for (const std::uint32_t bad : {0U, 7U, 21U, kEntries - 1}) {
    write(QOSARB_PORT_TABLE_OFFSET(bad), entry_word(bad % 8, 99));
    if (bad + 2 < kEntries) {
      write(QOSARB_PORT_TABLE_OFFSET(bad + 2), entry_word(bad % 8, 1));
    }
    expect_status(commit(), QOSARB_PORT_STATUS_OUTCOME_REFUSED,
                  QOSARB_PORT_STATUS_REASON_SHORT_QUANTUM, bad);
    for (std::uint32_t e = 0; e < kEntries; ++e) {  // what was in force still is
      EXPECT_EQ(read(QOSARB_PORT_TABLE_IN_FORCE_OFFSET(e)), entry_word(e % 8, 100));
    }
    write(QOSARB_PORT_TABLE_OFFSET(bad), entry_word(bad % 8, 100));
    if (bad + 2 < kEntries) {
      write(QOSARB_PORT_TABLE_OFFSET(bad + 2), entry_word((bad + 2) % 8, 100));
    }
  }
  // Beyond the depth a short quantum does no harm.
  write(QOSARB_PORT_TABLE_OFFSET(kEntries - 1), entry_word(7, 99));
  write(QOSARB_PORT_TABLE_ENTRIES_OFFSET, kEntries - 1);
  expect_status(commit(), QOSARB_PORT_STATUS_OUTCOME_IN_FORCE, QOSARB_PORT_STATUS_REASON_NONE, 0);
}

TEST_F(PortTest, QueueInUseWithoutAnEntryIsRefused) {
  write(QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_BXI_DEFICIT);
  write(QOSARB_PORT_TABLE_ENTRIES_OFFSET, 5);
  expect_status(commit(), QOSARB_PORT_STATUS_OUTCOME_REFUSED,
                QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE, 5);
  EXPECT_EQ(read(QOSARB_PORT_POLICY_IN_FORCE_OFFSET), QOSARB_PORT_POLICY_RR);
  EXPECT_EQ(read(QOSARB_PORT_TABLE_ENTRIES_IN_FORCE_OFFSET), 8U);
  write(QOSARB_PORT_QUEUES_IN_USE_OFFSET, 0x9f);
  expect_status(commit(), QOSARB_PORT_STATUS_OUTCOME_REFUSED,
                QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE, 7);
  write(QOSARB_PORT_QUEUES_IN_USE_OFFSET, 0x1f);
  expect_status(commit(), QOSARB_PORT_STATUS_OUTCOME_IN_FORCE, QOSARB_PORT_STATUS_REASON_NONE, 0);
  EXPECT_EQ(read(QOSARB_PORT_QUEUES_IN_USE_IN_FORCE_OFFSET), 0x1fU);
  // rr needs no table.
  write(QOSARB_PORT_QUEUES_IN_USE_OFFSET, 0xff);
  write(QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_RR);
  expect_status(commit(), QOSARB_PORT_STATUS_OUTCOME_IN_FORCE, QOSARB_PORT_STATUS_REASON_NONE, 0);
}

TEST_F(PortTest, WhileACommitIsInProgressTheConfigurationStands) {
  for (std::uint32_t e = 0; e < kEntries; ++e) {
    write(QOSARB_PORT_TABLE_OFFSET(e), entry_word(e % 8, 3000));
  }
  write(QOSARB_PORT_TABLE_ENTRIES_OFFSET, kEntries);
  write(QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_BXI_BASIC);
  write(QOSARB_PORT_COMMIT_OFFSET, 1);
  EXPECT_EQ(QOSARB_PORT_STATUS_PROGRESS_GET(read(QOSARB_PORT_STATUS_OFFSET)),
            QOSARB_PORT_STATUS_PROGRESS_CHECKING);
  const std::pair<std::uint32_t, std::uint32_t> writes[] = {
      {QOSARB_PORT_POLICY_OFFSET, 0},
      {QOSARB_PORT_TABLE_ENTRIES_OFFSET, 3},
      {QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, 5},
      {QOSARB_PORT_QUEUES_IN_USE_OFFSET, 1},
      {QOSARB_PORT_COMMIT_OFFSET, 1},
      {QOSARB_PORT_TABLE_OFFSET(kEntries - 1), entry_word(1, 1)}};
  for (const auto& [addr, data] : writes) {
    EXPECT_TRUE(port_.write(addr, data).error);
  }
  EXPECT_EQ(read(QOSARB_PORT_TABLE_OFFSET(kEntries - 1)), entry_word(7, 3000));
  write(QOSARB_PORT_COUNTER_CLEAR_OFFSET, 1);  // no configuration
  write(QOSARB_PORT_ERROR_ENABLE_OFFSET, 1);
  write(QOSARB_PORT_ERROR_CLEAR_OFFSET, 1);
  write(QOSARB_PORT_PFC_WATCHDOG_OFFSET, 0);
  port_.idle(kEntries);
  EXPECT_EQ(read(QOSARB_PORT_TABLE_IN_FORCE_OFFSET(kEntries - 1)), entry_word(7, 3000));
  EXPECT_EQ(read(QOSARB_PORT_MAX_PACKET_FLITS_IN_FORCE_OFFSET), kMax);
  EXPECT_EQ(read(QOSARB_PORT_QUEUES_IN_USE_IN_FORCE_OFFSET), kAllQueues);
  write(QOSARB_PORT_TABLE_ENTRIES_OFFSET, 3);  // and now it may be written again
}

// A commit takes as many cycles as the table has entries, and one to apply, whatever the link does.
TEST_F(PortTest, ACommitTakesEffectAfterAKnownTimeOnAnIdleLinkToo) {
  for (const bool request : {false, true}) {
    for (const std::uint32_t depth : {8U, 9U, kEntries}) {
      port_.candidates({.request = request});
      write(QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_BXI_DEFICIT);
      write(QOSARB_PORT_TABLE_ENTRIES_OFFSET, depth);
      write(QOSARB_PORT_COMMIT_OFFSET, 1);
      std::uint32_t cycles = 1;
      while (!port_.idle().table_applied) {
        ASSERT_LT(++cycles, 100U);
      }
      EXPECT_EQ(cycles, depth + 1);
      EXPECT_FALSE(port_.idle().table_applied);
      write(QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_RR);
      write(QOSARB_PORT_COMMIT_OFFSET, 1);
      EXPECT_TRUE(port_.idle().table_applied);
    }
  }
}

TEST_F(PortTest, CountersSayWhatHappenedToEachQueue) {
  // Queue 0 stopped, queue 1 empty, the others active; round robin begins with queue 2.
  const ApbPort::Candidates asking{
      .valid = 0xfd, .stopped = 0x01, .flits = {5, 0, 10, 20, 30, 40, 50, 60}, .request = true};
  ApbPort::Candidates waiting = asking;
  waiting.request = false;
  for (int i = 0; i < 4; ++i) {
    port_.cycle(asking, {});  // queues 2, 3, 4, 5 win
  }
  for (int i = 0; i < 3; ++i) {
    port_.cycle(waiting, {});  // nobody wins
  }
  port_.candidates({});
  port_.idle();
  port_.snapshot();
  const std::uint32_t packets[] = {0, 0, 1, 1, 1, 1, 0, 0};
  const std::uint32_t flits[] = {0, 0, 10, 20, 30, 40, 0, 0};
  const std::uint32_t blocked[] = {7, 0, 0, 0, 0, 0, 0, 0};
  const std::uint32_t waited[] = {0, 0, 6, 6, 6, 6, 7, 7};
  for (std::uint32_t q = 0; q < kQueues; ++q) {
    EXPECT_EQ(read(QOSARB_PORT_PACKETS_OFFSET(q)), packets[q]) << "queue " << q;
    EXPECT_EQ(read(QOSARB_PORT_FLITS_OFFSET(q)), flits[q]) << "queue " << q;
    EXPECT_EQ(read(QOSARB_PORT_BLOCKED_OFFSET(q)), blocked[q]) << "queue " << q;
    EXPECT_EQ(read(QOSARB_PORT_WAITING_OFFSET(q)), waited[q]) << "queue " << q;
  }
  write(QOSARB_PORT_COUNTER_CLEAR_OFFSET, 0);  // asks for nothing
  port_.snapshot();
  EXPECT_EQ(read(QOSARB_PORT_FLITS_OFFSET(2)), 10U);
  write(QOSARB_PORT_COUNTER_CLEAR_OFFSET, 1);
  port_.snapshot();
  for (std::uint32_t q = 0; q < kQueues; ++q) {
    EXPECT_EQ(read(QOSARB_PORT_PACKETS_OFFSET(q)), 0U);
    EXPECT_EQ(read(QOSARB_PORT_FLITS_OFFSET(q)), 0U);
    EXPECT_EQ(read(QOSARB_PORT_BLOCKED_OFFSET(q)), 0U);
    EXPECT_EQ(read(QOSARB_PORT_WAITING_OFFSET(q)), 0U);
  }
}

constexpr std::uint32_t kLyingHead = QOSARB_PORT_ERROR_STATUS_LYING_HEAD_PUT(1);
constexpr std::uint32_t kPausedQueue = QOSARB_PORT_ERROR_STATUS_PAUSED_QUEUE_PUT(1);

// A head lies when it is longer than the longest packet in force in the cycle of its grant, or has
// no flit; it is counted when it is granted.
TEST_F(PortTest, HeadsThatLieAreCountedWhenTheyAreGranted) {
  for (const std::uint32_t policy :
       {QOSARB_PORT_POLICY_RR, QOSARB_PORT_POLICY_BXI_BASIC, QOSARB_PORT_POLICY_BXI_DEFICIT}) {
    port_.reset();
    write(QOSARB_PORT_POLICY_OFFSET, policy);
    write(QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, 100);
    commit();
    write(QOSARB_PORT_ERROR_ENABLE_OFFSET, kPausedQueue);
    // As long as may be; then waiting without a request, and stopped.
    port_.cycle({.valid = 1, .flits = {100}, .request = true}, {});
    port_.cycle({.valid = 3, .stopped = 2, .flits = {1, 101}, .request = true}, {});
    port_.cycle({.valid = 3, .flits = {0, 101}}, {});
    port_.idle(2);
    EXPECT_EQ(lying_heads(), 0U);
    EXPECT_EQ(read(QOSARB_PORT_ERROR_STATUS_OFFSET), 0U);
    EXPECT_EQ(port_.cycle({.valid = 2, .flits = {0, 101}, .request = true}, {}).granted, 1);
    EXPECT_EQ(port_.cycle({.valid = 4, .flits = {0, 0, 0}, .request = true}, {}).granted, 2);
    EXPECT_EQ(port_.cycle({.valid = 8, .flits = {0, 0, 0, 1023}, .request = true}, {}).granted, 3);
    EXPECT_EQ(port_.cycle({.valid = 8, .flits = {0, 0, 0, 7}, .request = true}, {}).granted, 3);
    port_.idle(2);
    EXPECT_EQ(lying_heads(), 3U);
    EXPECT_EQ(read(QOSARB_PORT_ERROR_STATUS_OFFSET), kLyingHead);
    EXPECT_FALSE(port_.idle().interrupt);
    write(QOSARB_PORT_ERROR_ENABLE_OFFSET, kLyingHead);
    EXPECT_TRUE(port_.idle().interrupt);
    write(QOSARB_PORT_ERROR_CLEAR_OFFSET, kPausedQueue);
    EXPECT_TRUE(port_.idle().interrupt);
    write(QOSARB_PORT_ERROR_CLEAR_OFFSET, kLyingHead);
    EXPECT_FALSE(port_.idle().interrupt);
    EXPECT_EQ(read(QOSARB_PORT_ERROR_STATUS_OFFSET), 0U);
    EXPECT_EQ(lying_heads(), 3U);
    write(QOSARB_PORT_COUNTER_CLEAR_OFFSET, 1);
    EXPECT_EQ(lying_heads(), 0U);
  }
}

// The commit that makes a head too long: what counts is what is in force in the cycle of the grant.
TEST_F(PortTest, AHeadLiesByWhatIsInForceInTheCycleOfItsGrant) {
  write(QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, 100);
  ApbPort::Candidates candidates{.valid = 1, .flits = {101}, .request = true};
  port_.candidates(candidates);
  write(QOSARB_PORT_COMMIT_OFFSET, 1);
  EXPECT_TRUE(port_.idle().table_applied);  // the last cycle of 1023 flits
  port_.candidates({});
  port_.idle(2);
  EXPECT_EQ(lying_heads(), 0U);
  port_.cycle(candidates, {});
  port_.idle(1);
  EXPECT_EQ(lying_heads(), 1U);
}

TEST_F(PortTest, AnErrorInTheCycleOfItsClearingStays) {
  ApbPort::Apb clears{
      .sel = true, .write = true, .addr = QOSARB_PORT_ERROR_CLEAR_OFFSET, .wdata = kLyingHead};
  // Granted in the setup phase, found in the access phase.
  port_.cycle({.valid = 1, .flits = {0}, .request = true}, clears);
  clears.enable = true;
  port_.cycle({}, clears);
  EXPECT_EQ(read(QOSARB_PORT_ERROR_STATUS_OFFSET), kLyingHead);
  write(QOSARB_PORT_ERROR_CLEAR_OFFSET, kLyingHead);
  EXPECT_EQ(read(QOSARB_PORT_ERROR_STATUS_OFFSET), 0U);
}

// The interval ends in the cycle of the clearing, or beside it.
TEST_F(PortTest, APausedQueueInTheCycleOfItsClearingStays) {
  constexpr unsigned kInterval = 10;
  for (unsigned cycle = 2; cycle < 2 * kInterval; ++cycle) {  // of the access phase
    SCOPED_TRACE(cycle);
    port_.reset();
    port_.candidates({.valid = 5, .stopped = 4, .flits = {5, 5, 5}});
    write(QOSARB_PORT_PFC_WATCHDOG_OFFSET, kInterval);
    if (cycle > 2) {
      port_.idle(cycle - 2);
    }
    write(QOSARB_PORT_ERROR_CLEAR_OFFSET, kPausedQueue);
    port_.candidates({});
    port_.idle(kInterval);
    const bool stays = cycle == kInterval;
    EXPECT_EQ(read(QOSARB_PORT_ERROR_STATUS_OFFSET), stays ? kPausedQueue : 0U);
    EXPECT_EQ(read(QOSARB_PORT_PAUSED_QUEUES_OFFSET), stays ? 4U : 0U);
  }
}

// Stopped for less than an interval: never found. For two of them: always, wherever it began.
TEST_F(PortTest, TheWatchdogFindsQueuesThatArePausedForTooLong) {
  constexpr std::uint32_t kInterval = 50;
  const ApbPort::Candidates paused{.valid = 0x2d, .stopped = 0x32, .flits = {5, 5, 5, 5, 5, 5}};
  port_.candidates(paused);
  port_.idle(1000);
  EXPECT_EQ(read(QOSARB_PORT_ERROR_STATUS_OFFSET), 0U);  // no watchdog after a reset
  port_.candidates({});
  write(QOSARB_PORT_ERROR_ENABLE_OFFSET, kPausedQueue);
  write(QOSARB_PORT_PFC_WATCHDOG_OFFSET, kInterval);
  for (unsigned begin = 0; begin < kInterval + 3; ++begin) {
    port_.idle(begin);
    port_.candidates(paused);
    port_.idle(kInterval - 1);
    port_.candidates({});
    ASSERT_FALSE(port_.idle().interrupt) << begin;
    port_.candidates(paused);
    port_.idle(2 * kInterval);
    port_.candidates({});
    ASSERT_TRUE(port_.idle().interrupt) << begin;
    ASSERT_EQ(read(QOSARB_PORT_ERROR_STATUS_OFFSET), kPausedQueue);
    ASSERT_EQ(read(QOSARB_PORT_PAUSED_QUEUES_OFFSET), 0x20U);  // valid and stopped
    write(QOSARB_PORT_ERROR_CLEAR_OFFSET, kPausedQueue);
    ASSERT_EQ(read(QOSARB_PORT_PAUSED_QUEUES_OFFSET), 0U);
    ASSERT_FALSE(port_.idle().interrupt);
  }
  // A stop without a head holds nobody up, be it for one cycle of an interval.
  ApbPort::Candidates empty = paused;
  empty.valid = 0;
  for (unsigned i = 0; i < 6 * kInterval; ++i) {
    ASSERT_FALSE(port_.cycle(i % 30 == 0 ? empty : paused, {}).interrupt) << i;
  }
  write(QOSARB_PORT_PFC_WATCHDOG_OFFSET, 0);
  port_.candidates(paused);
  port_.idle(1000);
  EXPECT_EQ(read(QOSARB_PORT_ERROR_STATUS_OFFSET), 0U);
}

// A head that may go, or none, in any one cycle of an interval, the last one too, and it is not
// found.
TEST_F(PortTest, TheWatchdogLooksAtEachCycleOfAnInterval) {
  constexpr std::uint32_t kInterval = 10;
  const ApbPort::Candidates paused{.valid = 5, .stopped = 4, .flits = {5, 5, 5}};
  ApbPort::Candidates goes_on = paused;
  goes_on.stopped = 0;
  ApbPort::Candidates empty = paused;
  empty.valid = 1;
  for (const ApbPort::Candidates& other : {paused, goes_on, empty}) {
    const bool throughout = other.valid == paused.valid && other.stopped == paused.stopped;
    for (std::uint32_t at = 1; at <= kInterval; ++at) {
      port_.reset();
      port_.candidates({});
      write(QOSARB_PORT_PFC_WATCHDOG_OFFSET, kInterval);
      for (std::uint32_t cycle = 1; cycle <= kInterval; ++cycle) {
        port_.cycle(cycle == at ? other : paused, {});
      }
      EXPECT_EQ(read(QOSARB_PORT_PAUSED_QUEUES_OFFSET), throughout ? 4U : 0U) << at;
      EXPECT_EQ(read(QOSARB_PORT_PFC_WATCHDOG_OFFSET), kInterval);
    }
  }
}

// Each byte of what is left of an interval borrows from the next one.
TEST_F(PortTest, TheWatchdogHasIntervalsOfAnyLength) {
  write(QOSARB_PORT_ERROR_ENABLE_OFFSET, kPausedQueue);
  port_.candidates({.valid = 1, .stopped = 1, .flits = {5}});
  for (const unsigned interval : {1U, 2U, 255U, 256U, 257U, 1000U, 65'537U}) {
    write(QOSARB_PORT_PFC_WATCHDOG_OFFSET, 0);
    write(QOSARB_PORT_ERROR_CLEAR_OFFSET, kPausedQueue);
    write(QOSARB_PORT_PFC_WATCHDOG_OFFSET, interval);
    port_.idle(interval - 1);
    EXPECT_FALSE(port_.idle().interrupt) << interval;
    EXPECT_TRUE(port_.idle().interrupt) << interval;
    EXPECT_EQ(read(QOSARB_PORT_PAUSED_QUEUES_OFFSET), 1U);
  }
}

// It does not wait for the one before it.
TEST_F(PortTest, ANewIntervalOfTheWatchdogBeginsWhenItIsWritten) {
  write(QOSARB_PORT_ERROR_ENABLE_OFFSET, kPausedQueue);
  port_.candidates({.valid = 1, .stopped = 1, .flits = {5}});
  write(QOSARB_PORT_PFC_WATCHDOG_OFFSET, 200);
  port_.idle(10);
  write(QOSARB_PORT_PFC_WATCHDOG_OFFSET, 20);
  port_.idle(19);
  EXPECT_FALSE(port_.idle().interrupt);
  EXPECT_TRUE(port_.idle().interrupt);
}

TEST_F(PortTest, ErrorsAreEnabledAndClearedOneByOne) {
  const ApbPort::Candidates paused{.valid = 1, .stopped = 1, .flits = {5}};
  write(QOSARB_PORT_PFC_WATCHDOG_OFFSET, 50);
  port_.candidates(paused);
  port_.idle(100);
  write(QOSARB_PORT_PFC_WATCHDOG_OFFSET, 0);
  port_.cycle({.valid = 3, .stopped = 1, .flits = {5, 0}, .request = true}, {});
  port_.cycle(paused, {});
  port_.idle(2);
  EXPECT_EQ(read(QOSARB_PORT_ERROR_STATUS_OFFSET), kLyingHead | kPausedQueue);
  EXPECT_FALSE(port_.idle().interrupt);
  for (const std::uint32_t one : {kLyingHead, kPausedQueue}) {
    write(QOSARB_PORT_ERROR_ENABLE_OFFSET, one);
    EXPECT_TRUE(port_.idle().interrupt);
  }
  write(QOSARB_PORT_ERROR_CLEAR_OFFSET, kLyingHead);
  EXPECT_EQ(read(QOSARB_PORT_ERROR_STATUS_OFFSET), kPausedQueue);
  EXPECT_EQ(read(QOSARB_PORT_PAUSED_QUEUES_OFFSET), 1U);
  EXPECT_TRUE(port_.idle().interrupt);
  write(QOSARB_PORT_ERROR_ENABLE_OFFSET, kLyingHead);
  EXPECT_FALSE(port_.idle().interrupt);
  write(QOSARB_PORT_ERROR_CLEAR_OFFSET, kPausedQueue);
  EXPECT_EQ(read(QOSARB_PORT_ERROR_STATUS_OFFSET), 0U);
  EXPECT_EQ(read(QOSARB_PORT_PAUSED_QUEUES_OFFSET), 0U);
}

// 48 bits, the upper ones in COUNTER_HIGH; all of a snapshot are of the same cycle.
TEST_F(PortTest, CountersWrapAt48Bits) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;
  port_.idle(40);  // the first round of the sweep clears
  port_.set_counters(kMask - 5);
  const ApbPort::Candidates traffic{
      .valid = 0x0f, .stopped = 0x01, .flits = {1, 2, 3, 1000}, .request = true};
  for (int i = 0; i < 30; ++i) {
    port_.cycle(traffic, {});  // queues 1 to 3 win in turn
  }
  port_.candidates({});
  port_.idle();
  port_.snapshot();
  const auto expect_counter = [this](std::uint32_t offset, std::uint64_t events) {
    const std::uint64_t low = read(offset);
    const std::uint64_t high = read(QOSARB_PORT_COUNTER_HIGH_OFFSET);
    EXPECT_EQ(high << 32 | low, (kMask - 5 + events) & kMask) << std::hex << offset;
  };
  const std::uint64_t flits[] = {0, 20, 30, 10'000, 0};
  for (std::uint32_t q = 0; q < 5; ++q) {
    const bool wins = q >= 1 && q <= 3;
    expect_counter(QOSARB_PORT_PACKETS_OFFSET(q), wins ? 10 : 0);
    expect_counter(QOSARB_PORT_FLITS_OFFSET(q), flits[q]);
    expect_counter(QOSARB_PORT_BLOCKED_OFFSET(q), q == 0 ? 30 : 0);
    expect_counter(QOSARB_PORT_WAITING_OFFSET(q), wins ? 20 : 0);
  }
}

// While a snapshot is taken the counters cannot be read, nor cleared, and no other one begins; what
// goes on meanwhile is not in it.
TEST_F(PortTest, ASnapshotStandsUntilTheNextOne) {
  port_.candidates({.valid = 1, .flits = {7}, .request = true});
  port_.idle(10);
  write(QOSARB_PORT_SNAPSHOT_OFFSET, 0);  // asks for nothing
  EXPECT_EQ(read(QOSARB_PORT_SNAPSHOT_OFFSET), 0U);
  write(QOSARB_PORT_SNAPSHOT_OFFSET, 1);
  EXPECT_EQ(read(QOSARB_PORT_SNAPSHOT_OFFSET), QOSARB_PORT_SNAPSHOT_BUSY_PUT(1));
  EXPECT_TRUE(port_.read(QOSARB_PORT_PACKETS_OFFSET(0)).error);
  EXPECT_TRUE(port_.read(QOSARB_PORT_WAITING_OFFSET(7)).error);
  EXPECT_TRUE(port_.read(QOSARB_PORT_LYING_HEADS_OFFSET).error);
  EXPECT_TRUE(port_.write(QOSARB_PORT_SNAPSHOT_OFFSET, 1).error);
  EXPECT_TRUE(port_.write(QOSARB_PORT_COUNTER_CLEAR_OFFSET, 1).error);
  port_.idle(ApbPort::kCounters + 1);
  EXPECT_EQ(read(QOSARB_PORT_SNAPSHOT_OFFSET), 0U);
  // Ten cycles, and those of two writes and a read up to the access of the second write: 10 + 2 + 2
  // + 2 cycles, less the last one, whose grant is not yet counted.
  EXPECT_EQ(read(QOSARB_PORT_PACKETS_OFFSET(0)), 15U);
  EXPECT_EQ(read(QOSARB_PORT_FLITS_OFFSET(0)), 7U * 15);
  write(QOSARB_PORT_COUNTER_CLEAR_OFFSET, 1);
  EXPECT_EQ(read(QOSARB_PORT_PACKETS_OFFSET(0)), 15U);
}

// The example of docs/programming.md, at a made-up address.
constexpr std::uintptr_t kExampleAddress = 0x40000000;
ApbPort* example_port = nullptr;

TEST_F(PortTest, TheExampleOfTheDocumentationWorks) {
  example_port = &port_;
  // Two classes in use, 3:1, the first one spread over two entries.
  write(QOSARB_PORT_QUEUES_IN_USE_OFFSET, 0x3);
  std::array<entry, 3> table = {{{0, 384}, {1, 256}, {0, 384}}};
  std::uint32_t where = 99;
  EXPECT_EQ(program_port(kExampleAddress, table.data(), 3, 256, &where), 0);
  EXPECT_EQ(where, 99U);
  EXPECT_EQ(read(QOSARB_PORT_POLICY_IN_FORCE_OFFSET), QOSARB_PORT_POLICY_BXI_DEFICIT);
  EXPECT_EQ(read(QOSARB_PORT_TABLE_ENTRIES_IN_FORCE_OFFSET), 3U);
  EXPECT_EQ(read(QOSARB_PORT_TABLE_IN_FORCE_OFFSET(2)), entry_word(0, 384));

  const ApbPort::Candidates both{.valid = 0x3, .flits = {200, 56}, .request = true};
  std::array<std::uint64_t, 2> sent{};
  for (int i = 0; i < 10'000; ++i) {
    const Index queue = port_.cycle(both, {}).granted;
    ASSERT_LT(queue, 2U);
    sent[queue] += both.flits[queue];
  }
  EXPECT_NEAR(static_cast<double>(sent[0]) / static_cast<double>(sent[1]), 3.0, 0.01);

  table[1].quantum = 255;
  EXPECT_EQ(program_port(kExampleAddress, table.data(), 3, 256, &where), -1);
  EXPECT_EQ(where, 1U);
  example_port = nullptr;
}

/// A model of the configuration: what is in the shadow, what is in force, how a commit will end.
class ConfigurationModel {
 public:
  struct Configuration {
    std::uint32_t policy = QOSARB_PORT_POLICY_RR;
    std::uint32_t depth = kQueues;
    std::uint32_t max_packet = kMax;
    std::uint32_t in_use = kAllQueues;
    std::array<std::uint32_t, kEntries> queue{};
    std::array<std::uint32_t, kEntries> quantum{};

    /// A register of the shadow is written; others are none of it.
    void write(std::uint32_t addr, std::uint32_t word) {
      if (addr >= QOSARB_PORT_TABLE_OFFSET(0)) {
        const std::uint32_t e = (addr - QOSARB_PORT_TABLE_OFFSET(0)) / 4;
        queue[e] = QOSARB_PORT_TABLE_QUEUE_ID_GET(word);
        quantum[e] = QOSARB_PORT_TABLE_QUANTUM_GET(word);
      } else if (addr == QOSARB_PORT_TABLE_ENTRIES_OFFSET) {
        depth = word;
      } else if (addr == QOSARB_PORT_POLICY_OFFSET) {
        policy = word;
      } else if (addr == QOSARB_PORT_QUEUES_IN_USE_OFFSET) {
        in_use = word;
      }
    }
  };

  ConfigurationModel() {
    for (std::uint32_t e = 0; e < kEntries; ++e) {
      shadow.queue[e] = e % kQueues;
      shadow.quantum[e] = kMax;
    }
    in_force = shadow;
    renew();
  }

  /// How a commit of the shadow ends, and for how many cycles it is in progress.
  struct Check {
    bool passes = true;
    std::uint32_t cycles = 0;
  };
  [[nodiscard]] Check check() const {
    if (shadow.policy == QOSARB_PORT_POLICY_RR) {
      return {true, 1};
    }
    std::uint32_t served = 0;
    for (std::uint32_t e = 0; e < shadow.depth; ++e) {
      if (shadow.quantum[e] < shadow.max_packet) {
        return {false, e + 1};
      }
      served |= 1U << shadow.queue[e];
    }
    if ((shadow.in_use & ~served) != 0) {
      return {false, shadow.depth};
    }
    return {true, shadow.depth + 1};
  }

  void apply() {
    in_force = shadow;
    renew();
  }

  Configuration shadow;
  Configuration in_force;
  std::unique_ptr<Arbiter> arbiter;  ///< by what is in force, its state new since then

 private:
  void renew() {
    if (in_force.policy == QOSARB_PORT_POLICY_RR) {
      arbiter = std::make_unique<RoundRobin>(kQueues);
      return;
    }
    BxiConfig config;
    config.table.reserve(in_force.depth);
    for (std::uint32_t e = 0; e < in_force.depth; ++e) {
      config.table.push_back({static_cast<int>(in_force.queue[e]), in_force.quantum[e]});
    }
    const bool deficits = in_force.policy == QOSARB_PORT_POLICY_BXI_DEFICIT;
    arbiter = std::make_unique<BxiTable>(config, in_force.max_packet, deficits, Variant::Corrected);
  }
};

// A register to write, and with what: mostly entries, and strict ones, so that commits are applied
// often.
ApbPort::Apb any_write(test::Random& random, const ConfigurationModel& model) {
  const auto below = [&](std::uint32_t n) { return random.from(0U, n - 1); };
  const auto write = [](std::uint32_t addr, std::uint32_t wdata) {
    return ApbPort::Apb{.sel = true, .write = true, .addr = addr, .wdata = wdata};
  };
  const std::uint32_t entry = below(kEntries);
  const std::uint32_t kind = below(100);
  if (kind < 80) {
    const std::uint32_t quantum =
        below(1000) == 0 ? below(kMax) : model.shadow.max_packet + below(3000);
    return write(QOSARB_PORT_TABLE_OFFSET(entry),
                 entry_word(entry < kQueues ? entry : below(kQueues), quantum));
  }
  if (kind < 84) {
    return write(QOSARB_PORT_TABLE_ENTRIES_OFFSET,
                 below(20) == 0 ? 1 + below(8) : kQueues + below(kEntries - kQueues + 1));
  }
  if (kind < 88) {
    return write(QOSARB_PORT_POLICY_OFFSET, below(3));
  }
  if (kind < 89) {
    return write(QOSARB_PORT_QUEUES_IN_USE_OFFSET, below(kAllQueues + 1));
  }
  if (kind < 90) {
    return write(QOSARB_PORT_TABLE_OFFSET(kEntries + below(kEntries)), 0);  // answers with an error
  }
  return write(QOSARB_PORT_COMMIT_OFFSET, 1);
}

// Sometimes a new transfer begins.
void go_on(ApbPort::Apb& apb, test::Random& random, const ConfigurationModel& model) {
  if (apb.sel && !apb.enable) {
    apb.enable = true;
  } else if (random.from(0U, 3U) == 0) {
    apb = {};
  } else {
    apb = any_write(random, model);
  }
}

// Heads of up to 1023 flits come; one that did not win stays, its length with it.
void come(ApbPort::Candidates& candidates, test::Random& random) {
  const auto below = [&](std::uint32_t n) { return random.from(0U, n - 1); };
  candidates.request = below(8) != 0;
  candidates.stopped = below(2) == 0 ? 0 : below(kAllQueues + 1);
  for (std::uint32_t q = 0; q < kQueues; ++q) {
    if ((candidates.valid >> q & 1U) == 0 && below(4) != 0) {
      candidates.valid |= 1U << q;
      candidates.flits[q] = 1 + below(below(2) == 0 ? 3 : kMax);
    }
  }
}

// What the reference decides.
int decision(ConfigurationModel& model, Cycle now, const ApbPort::Candidates& candidates) {
  if (!candidates.request) {
    return -1;
  }
  std::array<Head, kQueues> heads;
  for (std::uint32_t q = 0; q < kQueues; ++q) {
    const bool valid = (candidates.valid >> q & 1U) != 0;
    heads[q] = {.flits = valid ? candidates.flits[q] : 0,
                .stopped = (candidates.stopped >> q & 1U) != 0};
  }
  return model.arbiter->decide(now, heads).queue;
}

// While a request comes in most cycles, random writes and commits go on. Every decision must be
// that of a reference which takes a new table as a whole, with new state, right after
// `table_applied_o`.
TEST_F(PortTest, TrafficNeverSeesHalfATable) {
  test::Random random(test::test_seed());
  ConfigurationModel model;
  ApbPort::Apb apb;                  // idle, or in its setup or access phase
  ConfigurationModel::Check commit;  // cycles left of the commit in progress, and how it ends
  bool refuses_writes = false;       // the transfer's setup phase fell into a commit
  int applied = 0;
  int refused = 0;
  int applied_with_request = 0;
  ApbPort::Candidates candidates;

  for (Cycle now = 0; now < 400'000; ++now) {
    go_on(apb, random, model);
    come(candidates, random);
    if (!apb.enable) {
      refuses_writes = commit.cycles > 0;
    }
    const ApbPort::Outputs outputs = port_.cycle(candidates, apb);

    // The decision is that of what was in force.
    const int expected = decision(model, now, candidates);
    ASSERT_EQ(outputs.granted, expected) << "cycle " << now << ", " << model.arbiter->describe();
    ASSERT_EQ(outputs.grant, expected < 0 ? 0 : 1U << expected);
    if (expected >= 0) {
      candidates.valid &= ~(1U << expected);
    }

    // The commit takes effect in the cycle that is due, or not at all.
    bool due = false;
    if (commit.cycles > 0 && --commit.cycles == 0) {
      due = commit.passes;
      refused += commit.passes ? 0 : 1;
    }
    ASSERT_EQ(outputs.table_applied, due) << "cycle " << now;
    if (due) {
      model.apply();
      ++applied;
      applied_with_request += candidates.request ? 1 : 0;
    }

    // A write takes effect at the end of its access phase.
    if (!apb.sel || !apb.enable) {
      continue;
    }
    if (apb.addr >= QOSARB_PORT_TABLE_OFFSET(kEntries)) {
      ASSERT_TRUE(outputs.error) << "cycle " << now;
      continue;
    }
    ASSERT_EQ(outputs.error, refuses_writes) << "cycle " << now;
    if (outputs.error) {
      continue;
    }
    if (apb.addr == QOSARB_PORT_COMMIT_OFFSET) {
      commit = model.check();
    } else {
      model.shadow.write(apb.addr, apb.wdata);
    }
  }
  EXPECT_GT(applied, 1000);
  EXPECT_GT(refused, 100);
  EXPECT_GT(applied_with_request, 500);
}

}  // namespace
}  // namespace qosarb

void bus_write(std::uintptr_t addr, std::uint32_t word) {
  const auto offset = static_cast<std::uint32_t>(addr - qosarb::kExampleAddress);
  EXPECT_FALSE(qosarb::example_port->write(offset, word).error);
}

std::uint32_t bus_read(std::uintptr_t addr) {
  const auto offset = static_cast<std::uint32_t>(addr - qosarb::kExampleAddress);
  return qosarb::example_port->read(offset).data;
}
