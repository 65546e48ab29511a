// qosarb policies: what is registered, and the keys that a configuration may have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

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

}  // namespace
}  // namespace qosarb::test
