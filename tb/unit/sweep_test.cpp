// Grids, and intervals of confidence.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "qosarb/config/input_error.hpp"
#include "qosarb/sweep/confidence.hpp"
#include "qosarb/sweep/grid.hpp"

namespace qosarb::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The table of any textbook, to its three decimals.
TEST(Confidence, StudentsTIsThatOfTheTable) {
  EXPECT_NEAR(student_t_95(1), 12.706, 0.0005);
  EXPECT_NEAR(student_t_95(2), 4.303, 0.0005);
  EXPECT_NEAR(student_t_95(3), 3.182, 0.0005);
  EXPECT_NEAR(student_t_95(4), 2.776, 0.0005);
  EXPECT_NEAR(student_t_95(9), 2.262, 0.0005);
  EXPECT_NEAR(student_t_95(30), 2.042, 0.0005);
  EXPECT_NEAR(student_t_95(120), 1.980, 0.0005);
}

TEST(Confidence, AnIntervalByHand) {
  const std::vector<double> samples = {10, 12, 14};  // variance 4
  const Interval interval = interval_of(samples);
  EXPECT_DOUBLE_EQ(interval.mean, 12);
  EXPECT_NEAR(interval.half_width, 4.3027 * 2 / std::sqrt(3.0), 0.001);
  EXPECT_TRUE(std::isinf(interval_of(std::vector<double>{3}).half_width));
}

TEST(Confidence, ValuesThatAreAllTheSameAreTheirMean) {
  for (const double value : {16.0, 0.1, 1e9 / 3}) {
    for (const std::size_t runs : {2U, 3U, 10U, 30U}) {
      const Interval interval = interval_of(std::vector<double>(runs, value));
      EXPECT_EQ(interval.mean, value) << runs;
      EXPECT_EQ(interval.half_width, 0) << runs;
    }
  }
}

std::string write_grid(const std::string& name, const std::string& text) {
  std::string path = testing::TempDir() + "grid-" +
                     testing::UnitTest::GetInstance()->current_test_info()->name() + "-" + name;
  std::ofstream(path) << text;
  return path;
}

std::string grid_with(const std::string& vary) {
  const std::string base = write_grid("base.yaml",
                                      "arbiter: {policy: rr}\n"
                                      "traffic:\n"
                                      "  - {name: a, load: 0.1, message_bytes: {file: sizes.txt}}\n"
                                      "  - {name: b, load: 0.2, trace: b.goal}\n"
                                      "other: [7, {name: [x]}, {name: b, value: 1}]\n");
  return write_grid("grid.yaml", "scenario: " + base + "\nvary: " + vary + "\n");
}

TEST(Grid, EveryCombinationIsAPoint) {
  const Grid grid =
      load_grid(grid_with("{\"traffic[1].load\": [0.3, 0.4], arbiter.policy: [rr, sbt, dtable],\n"
                          "  \"traffic[a].queue\": [7]}"));
  ASSERT_EQ(grid.points(), 6U);
  const YAML::Node last = YAML::Load(grid.scenario_of(5));
  EXPECT_EQ(last["arbiter"]["policy"].Scalar(), "dtable");
  EXPECT_EQ(last["traffic"][0]["load"].Scalar(), "0.1");
  EXPECT_EQ(last["traffic"][0]["queue"].Scalar(), "7");
  EXPECT_EQ(last["traffic"][1]["load"].Scalar(), "0.4");
  const YAML::Node second = YAML::Load(grid.scenario_of(1));
  EXPECT_EQ(second["arbiter"]["policy"].Scalar(), "sbt");
  EXPECT_EQ(second["traffic"][1]["load"].Scalar(), "0.3");
  // What the scenario names still stands beside it.
  const std::string folder = std::string(testing::TempDir());
  EXPECT_EQ(last["traffic"][0]["message_bytes"]["file"].Scalar(), folder + "sizes.txt");
  EXPECT_EQ(last["traffic"][1]["trace"].Scalar(), folder + "b.goal");
}

// Points come one after the other, in a long sweep hours apart.
TEST(Grid, AllPointsAreOfTheScenarioAsItWas) {
  const Grid grid = load_grid(grid_with("{\"traffic[0].load\": [0.3, 0.4]}"));
  const std::string before = grid.scenario_of(1);
  write_grid("base.yaml", "arbiter: {policy: sbt}\ntraffic:\n  - {name: a, load: 0.1}\n");
  write_grid("grid.yaml", "");
  EXPECT_EQ(grid.scenario_of(1), before);
  EXPECT_THAT(grid.text, testing::StartsWith("scenario: "));
}

TEST(Grid, FilesAmongItsValuesStandBesideIt) {
  const Grid grid =
      load_grid(grid_with("{\"traffic[1].trace\": [c.goal, /d.goal],\n"
                          "  \"traffic[0].message_bytes\": [{file: e.txt}]}"));
  const std::string folder = std::string(testing::TempDir());
  const YAML::Node first = YAML::Load(grid.scenario_of(0));
  EXPECT_EQ(first["traffic"][1]["trace"].Scalar(), folder + "c.goal");
  EXPECT_EQ(first["traffic"][0]["message_bytes"]["file"].Scalar(), folder + "e.txt");
  EXPECT_EQ(YAML::Load(grid.scenario_of(1))["traffic"][1]["trace"].Scalar(), "/d.goal");
  EXPECT_EQ(grid.axes[0].values[0].Scalar(), "c.goal");
}

TEST(Grid, AValueStandsAtAnIndexOrAtAName) {
  const YAML::Node node = YAML::Load(
      load_grid(grid_with("{\"other[0]\": [9], \"other[b].value\": [{a: 2}]}")).scenario_of(0));
  EXPECT_EQ(node["other"][0].Scalar(), "9");
  EXPECT_EQ(node["other"][1]["name"][0].Scalar(), "x");
  EXPECT_EQ(node["other"][2]["value"]["a"].Scalar(), "2");
}

// As for a run of the scenario itself: what an alias stands for is not the alias' own.
TEST(Grid, AnAliasIsACopy) {
  const std::string base = write_grid("base.yaml",
                                      "arbiter: &arb {policy: rr, queues: 2}\n"
                                      "arbiters: [{at: nics, arbiter: *arb}]\n"
                                      "traffic: [{name: &n a, load: &l 0.2, trace: *n},\n"
                                      "  {name: b, load: *l}]\n");
  const Grid grid = load_grid(write_grid("grid.yaml", "scenario: " + base +
                                                          "\nvary:\n"
                                                          "  arbiters[0].arbiter: [{policy: sbt}]\n"
                                                          "  traffic[a].load: [0.5]\n"
                                                          "  other: [[&t {load: 1}, *t]]\n"
                                                          "  other[0].load: [3]\n"));
  const std::string text = grid.scenario_of(0);
  EXPECT_THAT(text, Not(HasSubstr("&")));
  const YAML::Node node = YAML::Load(text);
  EXPECT_EQ(node["arbiter"]["policy"].Scalar(), "rr");
  EXPECT_EQ(node["arbiters"][0]["arbiter"]["policy"].Scalar(), "sbt");
  EXPECT_FALSE(node["arbiters"][0]["arbiter"]["queues"].IsDefined());
  EXPECT_EQ(node["traffic"][0]["name"].Scalar(), "a");
  EXPECT_EQ(node["traffic"][0]["trace"].Scalar(), std::string(testing::TempDir()) + "a");
  EXPECT_EQ(node["traffic"][0]["load"].Scalar(), "0.5");
  EXPECT_EQ(node["traffic"][1]["load"].Scalar(), "0.2");
  EXPECT_EQ(node["other"][0]["load"].Scalar(), "3");
  EXPECT_EQ(node["other"][1]["load"].Scalar(), "1");
}

TEST(Grid, SeveralScenariosAreAnAxis) {
  const std::string one = write_grid("one.yaml", "traffic: [{message_bytes: 64}, 5]\n");
  const std::string two = write_grid("two.yaml", "traffic: {message_bytes: {file: [a]}}\n");
  Grid grid = load_grid(write_grid("grid.yaml", "scenario: [" + one + ", " + two + "]\n"));
  ASSERT_EQ(grid.points(), 2U);
  EXPECT_EQ(grid.least_seeds, 1);
  // What names no file stays as it is.
  EXPECT_EQ(YAML::Load(grid.scenario_of(0))["traffic"][0]["message_bytes"].Scalar(), "64");
  EXPECT_EQ(YAML::Load(grid.scenario_of(1))["traffic"]["message_bytes"]["file"][0].Scalar(), "a");
  grid = load_grid(write_grid("seeds.yaml", "scenario: " + one +
                                                "\nseeds: {first: 3, most: 9,\n"
                                                "  until: {result: cycles, relative: 0.1}}\n"));
  EXPECT_EQ(grid.points(), 1U);
  EXPECT_EQ(grid.first_seed, 3);
  EXPECT_EQ(grid.least_seeds, 2);  // for an interval of confidence
  EXPECT_EQ(grid.most_seeds, 9);
}

TEST(Grid, AMillionPointsAreCountedAndMoreDoNotWrapRound) {
  std::string values = "[0";
  for (int i = 1; i < 100; ++i) {
    values += ", " + std::to_string(i);
  }
  values += "]";
  Grid grid = load_grid(grid_with("{x: " + values + ", y: " + values + ", z: " + values + "}"));
  EXPECT_EQ(grid.points(), 1'000'000U);
  for (int i = 0; i < 7; ++i) {
    grid.axes.push_back(grid.axes.front());
  }
  EXPECT_EQ(grid.points(), UINT64_MAX);
}

TEST(Grid, FaultsAreRefusedByLine) {
  const auto says = [](const std::string& vary) {
    try {
      load_grid(grid_with(vary));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(says("{\"traffic[2].load\": [1]}"), HasSubstr("has no place for 'traffic[2].load'"));
  EXPECT_THAT(says("{\"traffic[c].load\": [1]}"), HasSubstr(":2: "));
  EXPECT_THAT(says("{\"traffic[0.load\": [1]}"), HasSubstr("is no key such as"));
  EXPECT_THAT(says("{x: [1],\n  arbiter.policy: rr}"),
              HasSubstr("grid.yaml:3: 'arbiter.policy' needs a list of one value or more"));
  for (const char* key : {"run.seed", "run[seed]"}) {
    EXPECT_THAT(says("{\"" + std::string(key) + "\": [1, 2]}"), HasSubstr("is no key such as"))
        << key;
  }
  EXPECT_THAT(says("{run: [{measure_us: 5}, {measure_us: 6,\n    seed: 9}]}"),
              HasSubstr("grid.yaml:3: run.seed does not vary"));
  for (const char* key : {"traffic[0]load", "traffic[0].", "traffic[]", "traffic..load", ".load"}) {
    EXPECT_THAT(says("{\"" + std::string(key) + "\": [1]}"), HasSubstr("is no key such as")) << key;
  }
  for (const char* key : {"traffic[0x].load", "traffic[0][1].load", "arbiter.policy.name"}) {
    EXPECT_THAT(says("{\"" + std::string(key) + "\": [1]}"), HasSubstr("has no place for")) << key;
  }
  EXPECT_THAT(says("7"), HasSubstr("vary must be a map from keys to lists of values"));
  EXPECT_THAT(says("{x: [1]}\nseeds: {least: 5, most: 4, until: {result: a, relative: 0.1}}"),
              HasSubstr("grid.yaml:3: seeds.most is 4, which is not within 5..100000"));
}

// It is the grid that is to be mended where a scenario cannot be opened.
TEST(Grid, AScenarioThatIsNotThereIsRefusedByTheGridsLine) {
  const std::string missing = testing::TempDir() + "no-such.yaml: cannot be opened for reading";
  for (const auto& [scenario, line] :
       {std::pair("no-such.yaml", "1"), {"\n  [no-such.yaml, no-such.yaml]", "2"}}) {
    const std::string file = write_grid("grid.yaml", fmt::format("scenario: {}\n", scenario));
    try {
      load_grid(file);
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), file + ":" + line + ": " + missing);
    }
  }
}

TEST(Grid, ResultsAreTheNumbersOfClassesAndTraces) {
  const auto results = results_of(
      R"({"wall_s": 3.5, "seed": 4, "cycles": 7, "hosts": [{"offered": 1}],
          "classes": [{"name": "a", "accepted": 0.5, "packet_latency_ns": {"mean": null, "max": 9}}]})",
      "x");
  const std::vector<std::pair<std::string, double>> expected = {
      {"classes[0].accepted", 0.5}, {"classes[0].packet_latency_ns.max", 9}, {"cycles", 7}};
  EXPECT_EQ(results, expected);
  EXPECT_THROW(results_of("{\"classes\": [", "x"), InputError);
}

TEST(Grid, WhatIsKeptAndNoResultIsRefused) {
  for (const char* const kept :
       {"", "[]", R"({"classes": 3})", R"({"classes": "a"})", R"({"classes": [3]})",
        R"({"classes": [{}]})", R"({"classes": [{"name": 3}]})", R"({"traces": {"name": "a"}})"}) {
    try {
      names_of(kept, "x");
      ADD_FAILURE() << kept;
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "x: this is no result of a run") << kept;
    }
  }
}

}  // namespace
}  // namespace qosarb::test
