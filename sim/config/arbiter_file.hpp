// The `arbiter:` section in YAML.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "qosarb/policy/config.hpp"

namespace YAML {
class Node;
}

namespace qosarb {

/// Reads the `arbiter:` section `node` of `file`.
/// Errors: InputError naming file, line and fault, for whatever is not allowed.
ArbiterConfig parse_arbiter(const YAML::Node& node, const std::string& file);

/// Reads a file that holds the one key `arbiter`. Errors: InputError.
ArbiterConfig load_arbiter(const std::string& file);

/// Reads a file that holds the key `arbiter` and may hold a list `commits` of such sections, which
/// the commit rows of a raw event log bring into force: the arbiter, then those in order. All have
/// as many queues; with one seastar-age all are, at one age_clock_period, as the age clock of the
/// chip goes on through commits and counts its own packets only. Errors: InputError.
std::vector<ArbiterConfig> load_sections(const std::string& file);
/// The same of the top map `node` of `file`.
std::vector<ArbiterConfig> parse_sections(const YAML::Node& node, const std::string& file);

/// The text that load_sections() reads back to equal sections.
std::string to_yaml(std::span<const ArbiterConfig> sections);

}  // namespace qosarb
