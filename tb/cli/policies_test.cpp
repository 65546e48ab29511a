// qosarb policies: what is registered, and the keys that a configuration may have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cosim/policy/policy_rtl.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/policy/policy.hpp"
#include "random/policy_random.hpp"
#include "run_command.hpp"

namespace qosarb::test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr RtlLimits kLimits = {
    .queues = 8, .entries = 16, .quantum_bits = 16, .packet_flits = 255, .vcs = 4};

nlohmann::json listed() {
  const Outcome outcome = run_command({"policies", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out)["policies"];
}

TEST(Policies, AreThoseThatAreRegistered) {
  const nlohmann::json list = listed();
  ASSERT_EQ(list.size(), policies().size());
  const auto rtl = policies_with_rtl();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const PolicyRef policy = policies()[i];
    EXPECT_EQ(list[i].size(), 4U);
    EXPECT_EQ(list[i]["name"].get<std::string>(), policy.name());
    EXPECT_EQ(list[i]["paper"].get<std::string>(), policy->paper());
    const bool has_rtl = std::any_of(rtl.begin(), rtl.end(), [policy](const PolicyRtl* known) {
      return known->policy() == policy;
    });
    EXPECT_EQ(list[i]["rtl"].get<bool>(), has_rtl) << policy;
  }
  EXPECT_GT(rtl.size(), 1U);
}

// Each key stands in a configuration that is written, and means something to the one that reads:
// a map is refused for what it is. Keys of other policies are unknown.
TEST(Policies, HaveTheKeysThatAConfigurationHas) {
  const nlohmann::json list = listed();
  std::set<std::string> all = {"nonsense"};
  for (const nlohmann::json& policy : list) {
    all.merge(policy["keys"].get<std::set<std::string>>());
  }
  Random random(1);
  for (const nlohmann::json& policy : list) {
    const auto name = policy["name"].get<std::string>();
    const auto keys = policy["keys"].get<std::set<std::string>>();
    EXPECT_EQ(keys.size(), policy["keys"].size()) << name;
    const YAML::Node right =
        YAML::Load(to_yaml(random_config(random, policy_named(name), kLimits)))["arbiter"];
    std::set<std::string> written;
    for (const auto& pair : right) {
      written.insert(pair.first.Scalar());
    }
    EXPECT_EQ(written, keys) << name;
    EXPECT_NO_THROW(parse_arbiter(right, "c.yaml")) << name;
    for (const std::string& key : all) {
      YAML::Node wrong = YAML::Clone(right);
      wrong[key] = YAML::Load("{a: map}");
      const std::string fault = keys.contains(key) ? "arbiter." + key + " must be "
                                                   : "arbiter has an unknown key '" + key + "'";
      EXPECT_THAT([&wrong] { parse_arbiter(wrong, "c.yaml"); },
                  ThrowsMessage<InputError>(HasSubstr(fault)))
          << name;
    }
  }
}

/// What stands in the page's blocks of so and so.
std::vector<std::string> blocks(const std::string& page, const std::string& kind) {
  std::vector<std::string> found;
  const std::string fence = "```" + kind + "\n";
  for (std::size_t begin = page.find(fence); begin != std::string::npos;
       begin = page.find(fence, begin)) {
    begin += fence.size();
    found.push_back(page.substr(begin, page.find("```", begin) - begin));
  }
  return found;
}

// Each key has a row that names it, and the policy if it is not one of all; each example takes the
// log.
TEST(Policies, AreConfiguredAsTheirPageSays) {
  const std::string page = contents(QOSARB_SOURCE_DIR "/docs/arbiter.md");
  std::vector<std::string> rows;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| ")) {
      rows.push_back(line);
    }
  }
  const auto common = common_keys();
  const nlohmann::json list = listed();
  for (const nlohmann::json& policy : list) {
    const auto name = policy["name"].get<std::string>();
    EXPECT_THAT(page, HasSubstr('`' + name + '`'));
    for (const auto& key : policy["keys"].get<std::vector<std::string>>()) {
      const bool of_all = std::find(common.begin(), common.end(), key) != common.end();
      EXPECT_TRUE(std::any_of(rows.begin(), rows.end(),
                              [&](const std::string& row) {
                                return of_all ? row.starts_with("| `" + key + "` ")
                                              : row.substr(0, row.find(" | ")).find(name) !=
                                                        std::string::npos &&
                                                    row.find('`' + key + '`') != std::string::npos;
                              }))
          << name << ' ' << key;
    }
  }

  const ScratchDirectory directory;
  const std::vector<std::string> logs = blocks(page, "csv");
  ASSERT_EQ(logs.size(), 1U);
  const std::string log = directory.file("events.csv", logs.front());
  std::set<std::string> shown;
  for (const std::string& example : blocks(page, "yaml")) {
    const Outcome outcome =
        run_command({"decide", "--config", directory.file("c.yaml", example), "--events", log});
    EXPECT_EQ(outcome.status, 0) << example << outcome.err;
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 4) << outcome.out;
    shown.insert(YAML::Load(example)["arbiter"]["policy"].as<std::string>());
  }
  EXPECT_EQ(shown.size() + 1, list.size());  // bxi-basic is as bxi-deficit
}

}  // namespace
}  // namespace qosarb::test
