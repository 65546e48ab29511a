#include "qosarb/config/arbiter_file.hpp"

#include <fmt/format.h>

#include <string_view>

#include "qosarb/config/yaml_reader.hpp"
#include "qosarb/policy/age_clock.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb {

namespace {

// More are a mistake in the file.
constexpr std::size_t kMaxCommits = 10'000;

/// Why `section` cannot come into force at the port that `first` made; empty if it can.
std::string obstacle(const ArbiterConfig& first, const ArbiterConfig& section) {
  if (section.queues != first.queues) {
    return fmt::format("has {} queues, but the port has {}", section.queues, first.queues);
  }
  if (section.policy->shares_chip_clock() != first.policy->shares_chip_clock()) {
    return fmt::format("changes from {} to {}, but the chip's age clock counts its packets only",
                       first.policy.name(), section.policy.name());
  }
  // A new clock counts down from its period.
  if (first.policy->shares_chip_clock() &&
      first.policy->make_chip_clock(first)->countdown() !=
          section.policy->make_chip_clock(section)->countdown()) {
    return "changes the period of the chip's age clock, which goes on";
  }
  return {};
}

}  // namespace

ArbiterConfig parse_arbiter(const YAML::Node& node, const std::string& file) {
  MapReader reader(node, file, "arbiter");
  return parse_arbiter(reader);
}

ArbiterConfig load_arbiter(const std::string& file) {
  MapReader top(load_yaml_map(file), file, kWholeFile);
  ArbiterConfig config = parse_arbiter(top.node("arbiter"), file);
  top.finish();
  return config;
}

std::vector<ArbiterConfig> load_sections(const std::string& file) {
  return parse_sections(load_yaml_map(file), file);
}

std::vector<ArbiterConfig> parse_sections(const YAML::Node& node, const std::string& file) {
  MapReader top(node, file, kWholeFile);
  std::vector<ArbiterConfig> sections = {parse_arbiter(top.node("arbiter"), file)};
  if (top.has("commits")) {
    for (MapReader& reader : top.maps("commits", 1, kMaxCommits)) {
      sections.push_back(parse_arbiter(reader));
      if (const std::string fault = obstacle(sections.front(), sections.back()); !fault.empty()) {
        throw InputError(file, reader.line(),
                         fmt::format("commits[{}] {}", sections.size() - 2, fault));
      }
    }
  }
  top.finish();
  return sections;
}

std::string to_yaml(std::span<const ArbiterConfig> sections) {
  std::string text = to_yaml(sections.front());
  for (const ArbiterConfig& section : sections.subspan(1)) {
    if (&section == &sections[1]) {
      text += "commits:\n";
    }
    const std::string lines = to_yaml(section);
    std::string_view rest = lines;
    rest.remove_prefix(rest.find('\n') + 1);  // "arbiter:"
    for (std::string_view lead = "  - "; !rest.empty(); lead = "    ") {
      const std::size_t length = rest.find('\n') + 1;
      text += lead;
      text += rest.substr(2, length - 2);
      rest.remove_prefix(length);
    }
  }
  return text;
}

}  // namespace qosarb
