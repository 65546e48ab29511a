// qosarb sweep: the same results however it is run, and nothing run twice.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "on_a_switch.hpp"
#include "refusal.hpp"
#include "run_command.hpp"

namespace qosarb::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string swept() {
  return on_a_switch(2,
                     "traffic:\n"
                     "  - {name: a, queue: 0, pattern: uniform, load: 0.2, arrival: poisson, "
                     "message_bytes: 1024}\n"
                     "run: {warmup_us: 1, measure_us: 5}\n");
}

class Sweep : public testing::Test {
 protected:
  Sweep() { std::ofstream(scratch_.path("base.yaml")) << swept(); }
  Outcome sweep(const std::string& grid, std::vector<std::string> more) {
    more.insert(more.begin(),
                {"sweep", scratch_.file("grid.yaml", "scenario: base.yaml\n" + grid)});
    return run_command(more);
  }
  ScratchDirectory scratch_;
};

const char* const kGrid =
    "vary: {\"traffic[0].load\": [0.2, 0.6], network.link.gbps: [100, 400]}\n"
    "seeds: {least: 2, most: 6, until: {result: \"classes[0].packet_latency_ns.mean\", "
    "relative: 0.02}}\n";

TEST_F(Sweep, GivesTheSameForAnyJobsAndAfterAnInterrupt) {
  const Outcome one = sweep(kGrid, {"--json", "--jobs", "1", "--out", scratch_.path("one")});
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.err, IsEmpty());
  nlohmann::json first = nlohmann::json::parse(one.out);
  ASSERT_EQ(first["points"].size(), 4U);
  std::set<std::size_t> runs;
  for (const auto& point : first["points"]) {
    runs.insert(point["runs"].get<std::size_t>());
    const auto& latency = point["results"]["classes[0].packet_latency_ns.mean"];
    EXPECT_TRUE(point["runs"] == 6 ||
                latency["half_width"] <= 0.02 * latency["mean"].get<double>());
  }
  EXPECT_GT(runs.size(), 1U);  // some needed more seeds

  const std::string folder = scratch_.path("three");
  const std::vector<std::string> again = {"--json", "--jobs", "3", "--out", folder};
  const Outcome three = sweep(kGrid, again);
  // As an interrupt leaves it: some results are missing, one has only begun.
  int left = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".json" && left++ % 2 == 0) {
      std::filesystem::resize_file(file, 10);
      std::filesystem::rename(file, file.path().string() + ".part");
    }
  }
  const Outcome resumed = sweep(kGrid, again);
  EXPECT_EQ(resumed.out, three.out);
  nlohmann::json other = nlohmann::json::parse(three.out);
  for (nlohmann::json* results : {&first, &other}) {
    for (auto& point : (*results)["points"]) {
      point.erase("scenario");  // names the directory
    }
  }
  EXPECT_EQ(first, other);
}

TEST_F(Sweep, WhatIsThereIsNotRunAgain) {
  const std::vector<std::string> arguments = {"--json", "--out", scratch_.path("out")};
  const std::string before = sweep(kGrid, arguments).out;
  for (const auto& file : std::filesystem::directory_iterator(scratch_.path("out"))) {
    if (file.path().extension() == ".json") {  // a result that no run gives
      std::string text = contents(file.path());
      text.replace(text.find("\"cycles\": "), 10, "\"cycles\": 7");
      std::ofstream(file.path()) << text;
    }
  }
  const std::string after = sweep(kGrid, arguments).out;
  EXPECT_NE(before, after);
  // What another engine has decided is there for that one alone.
  std::vector<std::string> by_rtl = arguments;
  by_rtl.insert(by_rtl.end(), {"--engine", "rtl"});
  const nlohmann::json json = nlohmann::json::parse(sweep(kGrid, by_rtl).out);
  EXPECT_EQ(json["points"], nlohmann::json::parse(before)["points"]);
}

TEST_F(Sweep, AScenarioThatIsNotWhatWasRunIsWrittenAgain) {
  const std::vector<std::string> arguments = {"--json", "--out", scratch_.path("out")};
  const std::string before = sweep("", arguments).out;
  for (const auto& file : std::filesystem::directory_iterator(scratch_.path("out"))) {
    if (file.path().extension() == ".yaml") {
      std::filesystem::resize_file(file, 10);  // as a crash of the machine may leave it
    } else {
      std::filesystem::remove(file);
    }
  }
  const Outcome after = sweep("", arguments);
  EXPECT_EQ(after.out, before) << after.err;
}

// What a run that was ended has left is no part of another's result.
TEST_F(Sweep, APartOfAResultIsWrittenOver) {
  const std::vector<std::string> arguments = {"--json", "--out", scratch_.path("out")};
  const std::string before = sweep("", arguments).out;
  std::vector<std::filesystem::path> results;
  for (const auto& file : std::filesystem::directory_iterator(scratch_.path("out"))) {
    if (file.path().extension() == ".json") {
      results.push_back(file.path());
    }
  }
  for (const std::filesystem::path& result : results) {
    std::ofstream(result.string() + ".part") << contents(result) << "and more\n";
    std::filesystem::remove(result);
  }
  const Outcome after = sweep("", arguments);
  EXPECT_EQ(after.out, before) << after.err;
}

// Where the disk is full, a run cannot say so.
TEST_F(Sweep, ARunWhoseFaultCannotBeKeptIsToldAsSuch) {
  const std::string grid = "vary: {\"traffic[0].load\": [9]}\n";
  const std::string out = scratch_.path("out");
  sweep(grid, {"--out", out});
  const std::filesystem::path scenario = *std::filesystem::directory_iterator(out);  // all there is
  std::filesystem::create_symlink(
      "/nowhere/at/all",
      std::filesystem::path(scenario).replace_extension(".model.1.json.part.err"));
  const Outcome outcome = sweep(grid, {"--out", out});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("exit status 2: it said nothing that could be kept in " + out));
}

TEST_F(Sweep, AFailedPointIsNamedAndTheOthersGoOn) {
  const Outcome outcome = sweep("vary: {\"traffic[0].load\": [0.2, 9, 0.4]}\n",
                                {"--json", "--out", scratch_.path("out")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("point 1 failed: qosarb sim "), HasSubstr("--seed 1"),
                                 HasSubstr("exit status 2"), HasSubstr("traffic[0].load is 9")));
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["points"][0]["runs"], 1);
  EXPECT_EQ(json["points"][1]["runs"], 0);
  EXPECT_EQ(json["points"][1]["failures"].size(), 1U);
  EXPECT_EQ(json["points"][2]["runs"], 1);
  const Outcome absent =
      run_command({"sweep", scratch_.file("two.yaml", "scenario: [base.yaml, none.yaml]\n")});
  EXPECT_EQ(absent.status, 1);
  EXPECT_THAT(absent.err, AllOf(HasSubstr("point 1 failed: "),
                                HasSubstr("none.yaml: cannot be opened for reading")));
}

// Of a failure the command is one that a shell runs.
TEST_F(Sweep, ACommandIsQuotedWhereItsFilesHaveABlank) {
  const std::string out = scratch_.path("an out");
  const Outcome outcome = sweep("vary: {\"traffic[0].load\": [9]}\n", {"--out", out});
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("qosarb sim '" + out + "/"),
                                 HasSubstr(".yaml' --engine model"), HasSubstr(".reproducer': ")));
}

// They are told by seed, whichever process ends first.
TEST_F(Sweep, FailuresStandInTheOrderOfTheirSeeds) {
  const Outcome outcome = sweep("vary: {\"traffic[0].load\": [9]}\nseeds: {first: 8, least: 4}\n",
                                {"--json", "--jobs", "3", "--out", scratch_.path("out")});
  const nlohmann::json failures = nlohmann::json::parse(outcome.out)["points"][0]["failures"];
  ASSERT_EQ(failures.size(), 4U);
  for (std::size_t i = 0; i < failures.size(); ++i) {
    EXPECT_THAT(failures[i].get<std::string>(), HasSubstr(fmt::format("--seed {} ", 8 + i)));
  }
}

// Of a point that fails the results tell, too.
TEST_F(Sweep, ResultsDoNotNeedStandardError) {
  const std::string grid =
      scratch_.file("grid.yaml", "scenario: base.yaml\nvary: {\"traffic[0].load\": [0.2, 9]}\n");
  for (const char* nowhere : {"2>&-", "2>/dev/full"}) {
    const Outcome outcome =
        run_command({"sweep", grid, "--json", "--out", scratch_.path("out")}, nowhere);
    EXPECT_EQ(outcome.status, 1) << nowhere;
    const nlohmann::json json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["points"][0]["runs"], 1);
    EXPECT_EQ(json["points"][1]["failures"].size(), 1U);
  }
}

TEST_F(Sweep, AReportHasAllPointsAndWhatWasRun) {
  const std::string grid = "vary: {\"traffic[0].load\": [0.2, 9]}\n";
  const Outcome outcome =
      sweep(grid, {"--json", "--out", scratch_.path("out"), "--report", scratch_.path("r.html")});
  const std::string page = contents(scratch_.path("r.html"));
  const std::string begin = "<script id=\"data\" type=\"application/json\">";
  const std::size_t from = page.find(begin) + begin.size();
  const auto data = nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
  EXPECT_EQ(data["points"], nlohmann::json::parse(outcome.out)["points"]);
  EXPECT_EQ(data["points"][1]["failures"].size(), 1U);
  EXPECT_EQ(data.at("names").at("classes[0]"), "a");
  EXPECT_EQ(data.at("text"), "scenario: base.yaml\n" + grid);
  EXPECT_NE(page.find("data.text"), std::string::npos);
}

// The items of one scenario's list are not those of another one's.
TEST_F(Sweep, EachPointHasItsNames) {
  std::string other = swept();
  other.replace(other.find("run:"), 0,
                "  - {name: c, queue: 1, pattern: uniform, load: 0.1, message_bytes: 64}\n");
  std::ofstream(scratch_.path("other.yaml")) << other;
  other.replace(other.find("name: a"), 7, "name: b");
  std::ofstream(scratch_.path("third.yaml")) << other;
  const auto run = [this](const std::string& scenarios) {
    const Outcome outcome = run_command(
        {"sweep", scratch_.file("grid.yaml", "scenario: [" + scenarios + "]\n"), "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  };
  nlohmann::json json = run("base.yaml, other.yaml");
  EXPECT_EQ(json["names"], nlohmann::json({{"classes[0]", "a"}, {"classes[1]", "c"}}));
  EXPECT_EQ(json["points"][0]["names"], nlohmann::json({{"classes[0]", "a"}}));
  EXPECT_EQ(json["points"][1]["names"], json["names"]);
  json = run("base.yaml, third.yaml, base.yaml");
  EXPECT_EQ(json["names"], nlohmann::json({{"classes[0]", nullptr}, {"classes[1]", "c"}}));
  EXPECT_EQ(json["points"][0]["names"], nlohmann::json({{"classes[0]", "a"}}));
  EXPECT_EQ(json["points"][1]["names"], nlohmann::json({{"classes[0]", "b"}, {"classes[1]", "c"}}));
  EXPECT_EQ(json["points"][2]["names"], json["points"][0]["names"]);
}

// A name of a file is any bytes; JSON is UTF-8.
TEST_F(Sweep, AFolderMayHaveAnyName) {
  const Outcome outcome = sweep(kGrid, {"--json", "--out", scratch_.path("\xff")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  EXPECT_THAT(json["points"][0]["scenario"].get<std::string>(),
              HasSubstr(scratch_.path("\xef\xbf\xbd/")));
}

TEST_F(Sweep, AHugeGridIsAskedForTwice) {
  std::string values = "[0";
  for (int i = 1; i < 1000; ++i) {
    values += ", " + std::to_string(i);
  }
  const Outcome outcome = sweep("vary: {x: " + values + "], y: " + values + "]}\n", {});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("grid.yaml:2: "), HasSubstr("1000000 points"), HasSubstr("--yes")));
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("grid.sweep")));
}

TEST_F(Sweep, AReportThatCannotBeWrittenIsRefusedFirst) {
  for (const std::string& report : {scratch_.path("none/r.html"), scratch_.path("")}) {
    const Outcome outcome = sweep(kGrid, {"--out", scratch_.path("out"), "--report", report});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(scratch_.path("out")));
  }
}

// Two at a time would run everything twice and write into each other's files.
TEST_F(Sweep, OnlyOneIsAtWorkInAFolder) {
  const std::string out = scratch_.path("out");
  std::filesystem::create_directory(out);
  const int folder = open(out.c_str(), O_RDONLY | O_CLOEXEC);
  for (const int other : {LOCK_EX, LOCK_SH}) {
    ASSERT_EQ(flock(folder, other), 0);
    expect_refused(sweep(kGrid, {"--out", out}), out + ": another sweep is at work there");
  }
  EXPECT_TRUE(std::filesystem::is_empty(out));
  close(folder);
  EXPECT_EQ(sweep(kGrid, {"--out", out}).status, 0);
}

// As under a parent that does not want to know of its children: what it ignores is ignored by all
// that it starts.
TEST_F(Sweep, EndsWhereEndsOfChildrenAreIgnored) {
  const std::string grid = scratch_.file("grid.yaml", "scenario: base.yaml\nseeds: {least: 3}\n");
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  StartedCommand command({"sweep", grid, "--out", scratch_.path("out")});
  std::signal(SIGCHLD, before);
  for (int wait = 0; wait < 6000 && command.runs(); ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(command.end_by(SIGKILL), 0);
}

// Two runs of the same scenario at a time would take each other's results away.
TEST_F(Sweep, PointsOfOneScenarioHaveTheSameRuns) {
  const std::string out = scratch_.path("out");
  const Outcome outcome =
      sweep("vary: {\"traffic[0].load\": [0.2, 0.2, 0.3, 0.2, 0.12, 0.21]}\nseeds: {least: 3}\n",
            {"--out", out, "--jobs", "8", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json points = nlohmann::json::parse(outcome.out)["points"];
  ASSERT_EQ(points.size(), 6U);
  for (const int twin : {1, 3}) {
    EXPECT_EQ(points[twin]["point"], twin);
    EXPECT_EQ(points[twin]["values"], points[0]["values"]);
    EXPECT_EQ(points[twin]["runs"], 3);
    EXPECT_EQ(points[twin]["results"], points[0]["results"]);
  }
  EXPECT_EQ(points[0]["values"]["traffic[0].load"], "0.2");
  EXPECT_EQ(points[2]["values"]["traffic[0].load"], "0.3");
  EXPECT_NE(points[2]["results"], points[0]["results"]);
  EXPECT_NE(points[4]["results"], points[5]["results"]);  // the same letters in another order
  const std::filesystem::directory_iterator files(out);
  EXPECT_EQ(std::distance(begin(files), end(files)), 4 + 4 * 3);
}

TEST_F(Sweep, AReportInPlaceOfAnInputIsRefused) {
  for (const char* const name : {"grid.yaml", "base.yaml"}) {
    expect_refused(sweep(kGrid, {"--report", scratch_.path(name)}), "is an input");
  }
  EXPECT_EQ(contents(scratch_.path("base.yaml")), swept());
  EXPECT_THAT(scratch_.names(), ElementsAre("base.yaml", "grid.yaml"));
}

// Whether a scenario names it, the first one or another, or a value that a key takes.
TEST_F(Sweep, AReportInPlaceOfAFileThatAScenarioNamesIsRefused) {
  const std::string sizes = scratch_.file("sizes.txt", "64\n64 1\n");
  std::string other = swept();
  const std::string bytes = "message_bytes: 1024";
  other.replace(other.find(bytes), bytes.size(), "message_bytes: {file: sizes.txt}");
  const std::string second = scratch_.file("other.yaml", other);
  const std::string first = scratch_.path("base.yaml");
  const std::string loads = "vary: {\"traffic[0].load\": [0.2, 0.6]}\n";
  for (const std::string& grid :
       {"scenario: " + second + "\n" + loads, "scenario: [" + first + ", " + second + "]\n" + loads,
        "scenario: " + first + "\nvary: {\"traffic[0].message_bytes\": [64, {file: " + sizes +
            "}], \"traffic[0].load\": [0.2, 0.6]}\n"}) {
    expect_refused(run_command({"sweep", scratch_.file("grid.yaml", grid), "--report", sizes}),
                   "sizes.txt: is an input");
  }
  EXPECT_EQ(contents(sizes), "64\n64 1\n");
  EXPECT_THAT(scratch_.names(), ElementsAre("base.yaml", "grid.yaml", "other.yaml", "sizes.txt"));
}

// The next sweep would take the page for the scenario.
TEST_F(Sweep, AReportInPlaceOfARunIsRefused) {
  const std::string folder = scratch_.path("grid.sweep");
  ASSERT_EQ(sweep(kGrid, {}).status, 0);
  std::vector<std::string> kept;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    kept.push_back(file.path());
  }
  for (const std::string& file : kept) {
    const std::string before = contents(file);
    expect_refused(sweep(kGrid, {"--report", file}), file, "is kept by the sweep");
    EXPECT_TRUE(contents(file) == before) << file;
  }
  const std::string link = scratch_.path("link");
  std::filesystem::create_symlink(kept.front(), link);
  expect_refused(sweep(kGrid, {"--report", link}), link, "is kept by the sweep");
  for (const std::string& file :
       {folder + "/report.html", folder + "/0123456789abcdeg.html",
        folder + "/0123456789abcdef0.html", scratch_.path("0123456789abcdef.html")}) {
    EXPECT_EQ(sweep(kGrid, {"--report", file}).status, 0) << file;
  }
  std::filesystem::remove(link);
  std::filesystem::create_symlink(scratch_.path("page"), link);
  EXPECT_EQ(sweep(kGrid, {"--report", link}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_NE(contents(scratch_.path("page")), "");
}

TEST_F(Sweep, AReportInPlaceOfItsFolderIsRefused) {
  expect_refused(sweep(kGrid, {"--report", scratch_.path("grid.sweep")}),
                 "grid.sweep: is named for two outputs");
  EXPECT_THAT(scratch_.names(), ElementsAre("base.yaml", "grid.yaml"));
}

// The value that does not come into the scenario would stand beside results that it had no part in.
TEST_F(Sweep, AKeyThatAnotherOneReplacesIsRefused) {
  const std::string load = "vary:\n  traffic[0].load: [0.2, 0.6]\n";
  expect_refused(sweep(load + "  traffic[a].load: [0.3]\n", {}),
                 "grid.yaml:4: ", "'traffic[a].load' replaces what 'traffic[0].load' sets");
  const std::string arbiter = "  arbiter: [{policy: rr, queues: 3, max_packet_flits: 16}]\n";
  expect_refused(sweep("vary:\n  arbiter.queues: [2, 3]\n" + arbiter, {}),
                 "grid.yaml:4: ", "'arbiter' replaces what 'arbiter.queues' sets");
  // Also where it leaves nothing of that.
  expect_refused(sweep("vary:\n  arbiter.quantum_scale: [2, 3]\n" + arbiter, {}),
                 "grid.yaml:4: ", "'arbiter' replaces what 'arbiter.quantum_scale' sets");
  // What comes later may stand in what came before.
  EXPECT_EQ(sweep("vary:\n" + arbiter +
                      "  arbiter.queues: [1, 2]\n  run.measure_us: [4]\n"
                      "  run.warmup_us: [2]\n",
                  {})
                .status,
            0);
}

TEST_F(Sweep, ABadGridIsOneLine) {
  expect_refused(sweep("seeds: {least: 3, most: 5}\n", {}), "grid.yaml:2: ", "most needs until");
  const Outcome outcome = sweep("vary: {\"traffic[3].load\": [0.2]}\n", {});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("grid.yaml:2: "));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
}

}  // namespace
}  // namespace qosarb::test
