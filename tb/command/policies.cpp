// qosarb policies: what is registered.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "command/command.hpp"
#include "cosim/policy/policy_rtl.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb::command {

namespace {

constexpr const char* kRow = "{:<12} {:<4} {:<46} {}\n";

bool has_rtl(PolicyRef policy) {
  const auto all = policies_with_rtl();
  return std::any_of(all.begin(), all.end(),
                     [policy](const PolicyRtl* rtl) { return rtl->policy() == policy; });
}

std::vector<std::string_view> keys_of(PolicyRef policy) {
  std::vector<std::string_view> keys(common_keys().begin(), common_keys().end());
  keys.insert(keys.end(), policy->keys().begin(), policy->keys().end());
  return keys;
}

Status policies(bool json) {
  auto list = nlohmann::ordered_json::array();
  std::string text = fmt::format(kRow, "policy", "RTL", "paper", "keys of its own");
  for (const PolicyRef policy : qosarb::policies()) {
    list.push_back({{"name", policy.name()},
                    {"paper", policy->paper()},
                    {"rtl", has_rtl(policy)},
                    {"keys", keys_of(policy)}});
    text += fmt::format(kRow, policy.name(), has_rtl(policy) ? "yes" : "no", policy->paper(),
                        fmt::join(policy->keys(), " "));
  }
  print_result(json ? to_text({{"policies", list}}) : text);
  return Status::Done;
}

}  // namespace

void add_policies(CLI::App& app, Action& action) {
  CLI::App* const subcommand = app.add_subcommand(
      "policies", "List the policies: paper, RTL, and the keys of the 'arbiter' section");
  const auto json = std::make_shared<bool>(false);
  subcommand->add_flag("--json", *json, "Print one JSON object");
  subcommand->callback([json, &action]() { action = [json]() { return policies(*json); }; });
}

}  // namespace qosarb::command
