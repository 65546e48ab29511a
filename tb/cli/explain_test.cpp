// qosarb decide --explain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "run_command.hpp"

namespace qosarb::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// BXIv3 paper, Fig. 6, until t1.
const char* const kConfig =
    "arbiter: {policy: bxi-deficit, queues: 2, max_packet_flits: 2,\n"
    "          table: [{queue: 0, weight: 2}, {queue: 1, weight: 2}]}\n";
const char* const kEvents =
    "cycle,event,queue,flits,age\n"
    "0,arrive,0,1,0\n"
    "0,arrive,0,2,0\n"
    "0,arrive,1,2,0\n"
    "0,arb,,,\n"
    "1,arb,,,\n";

class Explain : public ::testing::Test {
 protected:
  Outcome decide(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"decide", "--config", scratch_.file("c.yaml", kConfig),
                                          "--events", scratch_.file("e.csv", kEvents)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_command(arguments);
  }
  ScratchDirectory scratch_;
};

TEST_F(Explain, PrintsTheVisitsBeforeEachRow) {
  const Outcome outcome = decide({"--explain", "--engine", "model"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out,
            "cycle,queue,flits,age\n"
            "# state: current_entry=0 remaining_flits=2 deficits=[0 0]\n"
            "# cycle 0: 1 flit arrives at queue 0\n"
            "# cycle 0: 2 flits arrive at queue 0\n"
            "# cycle 0: 2 flits arrive at queue 1\n"
            "# cycle 0: arbitration; queue 0: 1 flit; queue 1: 2 flits\n"
            "#   entry 0 (queue 0, 2 flits left): the head of 1 flit fits and is granted, 1 left\n"
            "#   outcome: queue 0, 1 flit\n"
            "#   state after: current_entry=0 remaining_flits=1 deficits=[0 0]\n"
            "0,0,1,0\n"
            "# cycle 1: arbitration; queue 0: 2 flits; queue 1: 2 flits\n"
            "#   entry 0 (queue 0, 1 flit left): the head of 2 flits does not fit, 1 saved as its "
            "deficit\n"
            "#   entry 1 begins its turn: quantum 2 + deficit 0\n"
            "#   entry 1 (queue 1, 2 flits left): the head of 2 flits fits and is granted, 0 left\n"
            "#   entry 0 begins its turn: quantum 2 + deficit 1\n"
            "#   outcome: queue 1, 2 flits\n"
            "#   state after: current_entry=0 remaining_flits=3 deficits=[0 0]\n"
            "1,1,2,0\n");
}

TEST_F(Explain, TellsOfTheReferenceInLockstepAndLeavesTheRowsAsTheyAre) {
  const Outcome lockstep = decide({"--explain", "--engine", "lockstep"});
  EXPECT_EQ(lockstep.out, decide({"--explain", "--engine", "model"}).out);
  EXPECT_EQ(decide({"--explain"}).out, lockstep.out);
  std::string rows;
  std::istringstream lines(lockstep.out);
  for (std::string line; std::getline(lines, line);) {
    rows += line.starts_with("# ") ? "" : line + "\n";
  }
  EXPECT_EQ(rows, decide({}).out);
}

TEST_F(Explain, HasNothingToTellOfTheRtlAlone) {
  const Outcome outcome = decide({"--explain", "--engine", "rtl"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("--explain"), HasSubstr("--engine rtl has none")));
}

}  // namespace
}  // namespace qosarb::test
