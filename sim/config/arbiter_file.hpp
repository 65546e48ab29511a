// The `arbiter:` section in YAML.
#pragma once

#include <string>

#include "qosarb/policy/config.hpp"

namespace YAML {
class Node;
}

namespace qosarb {

/// Reads the `arbiter:` section `node` of `file`.
/// Errors: InputError naming file, line and fault, for whatever interfaces.md does not allow.
ArbiterConfig parse_arbiter(const YAML::Node& node, const std::string& file);

/// Reads a file that holds the one key `arbiter`. Errors: InputError.
ArbiterConfig load_arbiter(const std::string& file);

}  // namespace qosarb
