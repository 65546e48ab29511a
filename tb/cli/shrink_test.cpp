// qosarb shrink: what it refuses. tb/faults/ has what it shrinks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "run_command.hpp"

namespace qosarb::test {
namespace {

using ::testing::HasSubstr;

class Shrink : public ::testing::Test {
 protected:
  const ScratchDirectory scratch_;
  const std::string config_ =
      scratch_.file("c.yaml", "arbiter: {policy: rr, queues: 3, max_packet_flits: 16}\n");
  const std::string events_ =
      scratch_.file("e.csv", "cycle,event,queue,flits,age\n0,arrive,1,4,0\n0,arb,,,\n");

  // Exit status 2, one line with `fault`, and no file that was not there before.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& fault) {
    const auto files = [this] {
      const std::filesystem::directory_iterator all(scratch_.path(""));
      return std::distance(begin(all), end(all));
    };
    const auto before = files();
    std::vector<std::string> whole = {"shrink"};
    whole.insert(whole.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run_command(whole);
    EXPECT_EQ(outcome.status, 2) << fault;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(fault));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(files(), before);
  }
};

TEST_F(Shrink, RefusesALogThatDoesNotFail) {
  expect_refused({"--config", config_, "--events", events_}, "e.csv: does not fail");
}

TEST_F(Shrink, RefusesBadInput) {
  const std::string cut =
      scratch_.file("cut.csv", "cycle,event,queue,flits,age\n0,arrive,1,4,0\n0,arrive,1,");
  expect_refused({"--config", config_, "--events", cut}, "cut.csv:3: ");
  expect_refused({"--config", scratch_.path("none.yaml"), "--events", events_}, "none.yaml: ");
  const std::string wide =
      scratch_.file("wide.yaml", "arbiter: {policy: rr, queues: 999, max_packet_flits: 16}\n");
  expect_refused({"--config", wide, "--events", events_}, "wide.yaml:1: ");
  expect_refused({"--config", config_}, "--events");
}

TEST_F(Shrink, RefusesWhereItCannotWriteOrWouldOverwriteItsInput) {
  expect_refused({"--config", config_, "--events", events_, "--out", scratch_.path("none/least")},
                 "none/least.yaml: cannot be written: its directory is not there");
  std::filesystem::create_directory(scratch_.path("least.csv"));
  expect_refused({"--config", config_, "--events", events_, "--out", scratch_.path("least")},
                 "least.csv: is not a plain file");
  expect_refused({"--config", config_, "--events", events_, "--out", scratch_.path("e")},
                 "e.csv: is an input");
  expect_refused({"--config", config_, "--events", events_, "--out", scratch_.path("c")},
                 "c.yaml: is an input");
}

}  // namespace
}  // namespace qosarb::test
