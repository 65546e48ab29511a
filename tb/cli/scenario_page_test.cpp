// docs/scenario.md: its example runs, what it calls required is, and what it says of a key that is
// left out is so. docs/switch-model.md and docs/traffic.md have each key of what runs give.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "refusal.hpp"
#include "run_command.hpp"

namespace qosarb::test {
namespace {

const std::string kPage = QOSARB_SOURCE_DIR "/docs/scenario.md";

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in) << file;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string example() {
  const std::string page = text_of(kPage);
  const std::string fence = "```yaml\n";
  const std::size_t begin = page.find(fence) + fence.size();
  return page.substr(begin, page.find("```", begin) - begin);
}

/// A row of the table: its key, a map's or a list item's, from the outermost on, and what is left
/// out.
struct Key {
  std::vector<std::string> path;
  std::string left_out;
  std::string architecture;  ///< of the switches that know it, if others do not
};

std::vector<Key> keys() {
  std::vector<Key> found;
  std::istringstream page(text_of(kPage));
  const std::regex row(R"(\| (`[^|]*`) \| ([^|]*) \|.*)");
  const std::regex only("`(seastar|hierarchical)` alone|required by `(hierarchical)`");
  for (std::string line; std::getline(page, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) {
      continue;
    }
    const std::string names = match[1];
    const std::regex name("`([a-z_.]+)`");
    for (auto one = std::sregex_iterator(names.begin(), names.end(), name);
         one != std::sregex_iterator(); ++one) {
      Key key{.path = {}, .left_out = match[2], .architecture = ""};
      if (std::smatch kind; std::regex_search(line, kind, only)) {
        key.architecture = kind[1].matched ? kind[1] : kind[2];
      }
      std::istringstream parts((*one)[1]);
      for (std::string part; std::getline(parts, part, '.');) {
        key.path.push_back(part);
      }
      found.push_back(key);
    }
  }
  return found;
}

/// The map in which the last part of the path is a key; of a list, its first item. It is made if it
/// is not there.
YAML::Node map_of(YAML::Node node, const std::vector<std::string>& path) {
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    YAML::Node next = node[path[i]];
    node.reset(next.IsSequence() ? YAML::Node(next[0]) : next);
  }
  return node;
}

Outcome run(const YAML::Node& scenario) {
  const ScratchDirectory scratch;
  return run_command(
      {"sim", scratch.file("s.yaml", YAML::Dump(scenario) + "\n"), "--engine", "model", "--json"});
}

nlohmann::json figures(const YAML::Node& scenario) {
  const Outcome outcome = run(scenario);
  EXPECT_EQ(outcome.status, 0) << outcome.err << YAML::Dump(scenario);
  nlohmann::json json = nlohmann::json::parse(outcome.out);
  json.erase("wall_s");
  return json;
}

/// The example, with switches that know the key.
YAML::Node scenario_with(const Key& key) {
  YAML::Node scenario = YAML::Load(example());
  if (!key.architecture.empty()) {
    YAML::Node node = scenario["network"]["switch"];
    node["architecture"] = key.architecture;
    node["flow_control"] = "credit";
    if (key.architecture == "hierarchical") {
      node["central_queue_flits"] = 768;
      node["central_speedup"] = 1;
    }
  }
  return scenario;
}

TEST(ScenarioPage, WhatItCallsRequiredIs) {
  int required = 0;
  for (const Key& key : keys()) {
    if (key.left_out.starts_with("required")) {
      ++required;
      SCOPED_TRACE(fmt::format("{}", fmt::join(key.path, ".")));
      YAML::Node scenario = scenario_with(key);
      ASSERT_TRUE(map_of(scenario, key.path).remove(key.path.back()));
      expect_refused(run(scenario), "s.yaml:", fmt::format("lacks the key '{}'", key.path.back()));
    }
  }
  EXPECT_GT(required, 20);
}

TEST(ScenarioPage, WhatItSaysOfAKeyThatIsLeftOutIsSo) {
  const nlohmann::json without = figures(YAML::Load(example()));
  int defaults = 0;
  for (const Key& key : keys()) {
    if (key.left_out.front() == '`') {
      ++defaults;
      SCOPED_TRACE(fmt::format("{}", fmt::join(key.path, ".")));
      YAML::Node scenario = YAML::Load(example());
      const std::string value = key.left_out.substr(1, key.left_out.size() - 2);
      YAML::Node map = map_of(scenario, key.path);
      ASSERT_FALSE(map[key.path.back()]) << "the example has it";
      map[key.path.back()] = YAML::Load(value);
      EXPECT_EQ(figures(scenario), without) << YAML::Dump(scenario);
    }
  }
  EXPECT_GT(defaults, 7);
}

TEST(ScenarioPage, HasNoKeyThatIsUnknown) {
  int told = 0;
  for (const Key& key : keys()) {
    ++told;
    SCOPED_TRACE(fmt::format("{}", fmt::join(key.path, ".")));
    YAML::Node scenario = scenario_with(key);
    map_of(scenario, key.path)[key.path.back()] = YAML::Load("{}");
    const Outcome outcome = run(scenario);
    EXPECT_THAT(outcome.err, ::testing::Not(::testing::HasSubstr("unknown key"))) << outcome.err;
  }
  EXPECT_GT(told, 35);
  YAML::Node scenario = YAML::Load(example());
  scenario["network"]["nonsense"] = 1;
  expect_refused(run(scenario), "s.yaml:", "unknown key");
}

/// Calls `see` for each key, but for the names of counters.
void for_each_key(const nlohmann::json& json, const std::function<void(const std::string&)>& see) {
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) {
      see(key);
    }
    if (key != "switches" && key != "nics" && value.is_structured()) {
      for_each_key(value, see);
    }
  }
}

TEST(ReportedKeys, StandOnThePages) {
  const std::string page = text_of(QOSARB_SOURCE_DIR "/docs/switch-model.md") +
                           text_of(QOSARB_SOURCE_DIR "/docs/traffic.md");
  int told = 0;
  for (const char* const scenario : {"policies/trtcm.yaml", "networks/trace-ring.yaml"}) {
    const Outcome outcome =
        run_command({"sim", QOSARB_SOURCE_DIR "/scenarios/" + std::string(scenario), "--engine",
                     "model", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    for_each_key(nlohmann::json::parse(outcome.out), [&](const std::string& key) {
      ++told;
      EXPECT_THAT(page, ::testing::HasSubstr("`" + key + "`"));
    });
  }
  EXPECT_GT(told, 100);
}

}  // namespace
}  // namespace qosarb::test
