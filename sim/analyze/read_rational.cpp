#include "qosarb/analyze/read_rational.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace qosarb {

Rational read_rational(MapReader& reader, const std::string& key, const Rational& low,
                       const Rational& high) {
  const std::string text = reader.text(key);
  Rational value;
  try {
    value = Rational::parse(text);
  } catch (const std::invalid_argument&) {
    throw reader.error(
        key, fmt::format("{} is '{}'; a decimal number or a fraction is expected", key, text));
  }
  if (value < low || value > high) {
    throw reader.error(key, fmt::format("{} is {}, which is not within {}..{}", key, text,
                                        low.text(), high.text()));
  }
  return value;
}

}  // namespace qosarb
