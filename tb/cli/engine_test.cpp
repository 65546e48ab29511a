// --engine and --trace of qosarb decide.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "run_command.hpp"

namespace qosarb::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string table(const std::string& more) {
  return "arbiter:\n  policy: bxi-deficit\n  queues: 3\n  max_packet_flits: 13\n" + more;
}
const char* const kWeights =
    "  quantum_scale: 10\n"
    "  table: [{queue: 0, weight: 5}, {queue: 1, weight: 3}, {queue: 2, weight: 2}]\n";

// Three queues that always have packets, of 13, 7 and 1 flits.
std::string backlog(int decisions) {
  std::string log = "cycle,event,queue,flits,age\n";
  for (int c = 0; c < decisions; ++c) {
    const std::string cycle = std::to_string(c);
    log += cycle + ",arrive,0,13,0\n" + cycle + ",arrive,1,7,0\n" + cycle + ",arrive,2,1,0\n";
    log += c % 50 == 49 ? cycle + ",stop,0,,\n" : c % 50 == 4 ? cycle + ",start,0,,\n" : "";
    log += cycle + ",arb,,,\n";
  }
  return log;
}

class Engines : public ::testing::Test {
 protected:
  Outcome decide(const std::string& config, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"decide", "--config", scratch_.file("c.yaml", config),
                                          "--events", scratch_.file("e.csv", backlog(500))};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_command(arguments);
  }
  ScratchDirectory scratch_;
};

TEST_F(Engines, DecideAlike) {
  const std::string config = table(kWeights);
  const Outcome model = decide(config, {"--engine", "model"});
  EXPECT_EQ(model.status, 0);
  EXPECT_THAT(model.out, HasSubstr("\n499,"));
  EXPECT_EQ(decide(config, {"--engine", "rtl"}).out, model.out);
  EXPECT_EQ(decide(config, {"--engine", "lockstep"}).out, model.out);
  EXPECT_EQ(decide(config, {}).out, model.out);
}

TEST_F(Engines, RefuseWhatTheRtlCannotRun) {
  const auto expect_refused = [this](const std::string& config, const std::string& fault) {
    for (const char* engine : {"rtl", "lockstep"}) {
      const Outcome outcome = decide(config, {"--engine", engine});
      EXPECT_EQ(outcome.status, 2);
      EXPECT_THAT(outcome.out, IsEmpty());
      EXPECT_THAT(outcome.err, AllOf(HasSubstr("c.yaml: "), HasSubstr(fault)));
    }
    // The model can, and is the default then.
    EXPECT_EQ(decide(config, {}).status, 0) << config;
  };
  expect_refused(table(std::string("  variant: printed\n") + kWeights), "corrected");
  expect_refused(table("  strict: false\n  table: [{queue: 0, weight: 12}]\n"),
                 "entry 0, 12 flits");
  expect_refused(table("  quantum_scale: 10000\n"
                       "  table: [{queue: 0, weight: 6}, {queue: 1, weight: 7}, "
                       "{queue: 2, weight: 1}]\n"),
                 "entry 1, 70000 flits");
  expect_refused("arbiter:\n  policy: rr\n  queues: 33\n  max_packet_flits: 16\n", "33");
  expect_refused("arbiter:\n  policy: rr\n  queues: 3\n  max_packet_flits: 1024\n", "1024");
  expect_refused(
      "arbiter:\n  policy: sbt\n  queues: 3\n  max_packet_flits: 16\n"
      "  queue_sl: [0, 0, 0]\n  table: [{sl: 0, weight: 1}]\n",
      "no RTL of sbt");
}

TEST_F(Engines, RunATableThatServesNotAllQueues) {
  const std::string config =
      table("  strict: false\n  table: [{queue: 2, weight: 20}, {queue: 0, weight: 13}]\n");
  const Outcome both = decide(config, {"--engine", "lockstep"});
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_EQ(both.out, decide(config, {"--engine", "model"}).out);
}

TEST_F(Engines, WriteAWaveform) {
  const std::string trace = scratch_.path("t.fst");
  const Outcome traced = decide(table(kWeights), {"--trace", trace});
  EXPECT_EQ(traced.status, 0) << traced.err;
  EXPECT_EQ(traced.out, decide(table(kWeights), {"--engine", "model"}).out);

  // As others see it: every signal of the layout that ships, the policy's name, 1 ns a cycle.
  const std::string vcd = scratch_.path("t.vcd");
  ASSERT_EQ(std::system(("fst2vcd -e " + trace + " -o " + vcd + " >/dev/null 2>&1").c_str()), 0);
  std::set<std::string> signals;
  std::string path;
  std::string last_time;
  std::ifstream lines(vcd);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "$scope") {
      words >> word >> word;
      path += word + ".";
    } else if (word == "$upscope") {
      path.erase(path.rfind('.', path.size() - 2) + 1);
    } else if (word == "$var") {
      std::string name;
      std::string range;
      words >> word >> word >> word >> name >> range;
      signals.insert(path + name + (range == "$end" ? "" : range));
    } else if (word.starts_with('#')) {
      last_time = word;
    }
  }
  std::ifstream layout(QOSARB_SOURCE_DIR "/tb/waves/port.gtkw");
  int laid_out = 0;
  for (std::string line; std::getline(layout, line);) {
    if (line.starts_with("port.")) {
      ++laid_out;
      EXPECT_TRUE(signals.contains(line)) << line;
    }
  }
  EXPECT_GT(laid_out, 40);
  EXPECT_THAT(contents(vcd), AllOf(HasSubstr("PolicyBxiDeficit"), HasSubstr("1ps")));
  EXPECT_EQ(last_time, "#499500");  // the clock edge of cycle 499
}

TEST_F(Engines, RefuseWaveformsThatCannotBe) {
  const auto expect_refused = [this](const std::vector<std::string>& options,
                                     const std::string& fault) {
    const Outcome outcome = decide(table(kWeights), options);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr(fault));
  };
  const std::string trace = scratch_.path("t.fst");
  expect_refused({"--trace", scratch_.path("none/t.fst")}, "cannot be opened for writing");
  expect_refused({"--trace", scratch_.path("")}, "not a plain file");
  expect_refused({"--trace", "/dev/null"}, "not a plain file");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  expect_refused({"--trace", trace, "--engine", "model"}, "--engine model has none");
  EXPECT_FALSE(std::filesystem::exists(trace));
}

// A bad log leaves nothing, and what was there before as it was.
TEST_F(Engines, KeepAnOldWaveformWhenTheLogIsBad) {
  const std::string trace = scratch_.file("t.fst", "old");
  const Outcome outcome =
      run_command({"decide", "--config", scratch_.file("c.yaml", table(kWeights)), "--events",
                   scratch_.file("e.csv", backlog(3) + "1,arb,,,\n"), "--trace", trace});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(contents(trace), "old");
}

}  // namespace
}  // namespace qosarb::test
