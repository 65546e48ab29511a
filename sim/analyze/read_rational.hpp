// Numbers of a YAML file that must not be rounded.
#pragma once

#include <string>

#include "qosarb/analyze/rational.hpp"
#include "qosarb/config/yaml_reader.hpp"

namespace qosarb {

/// The decimal or fraction at `key`, within [low, high]. Errors: InputError.
Rational read_rational(MapReader& reader, const std::string& key, const Rational& low,
                       const Rational& high);

}  // namespace qosarb
