#include "qosarb/plan/method.hpp"

#include <fmt/format.h>

#include "qosarb/analyze/read_rational.hpp"

namespace qosarb {

Rational read_share(MapReader& reader) {
  Rational value = read_rational(reader, "share", Rational(0), Rational(kMostShare));
  if (value == Rational(0)) {
    throw reader.error("share", "a share must be above 0");
  }
  return value;
}

int fresh(MapReader& reader, const std::string& key, int high, std::set<int>& seen) {
  const int value = reader.index(key, 0, high);
  if (!seen.insert(value).second) {
    throw reader.error(key, fmt::format("{} {} is given twice", key, value));
  }
  return value;
}

std::string percent(const Rational& share) { return fmt::format("{:.2f}", 100.0 * share.value()); }

std::string fixed5(const Rational& number) { return fmt::format("{:.5f}", number.value()); }

void put(nlohmann::ordered_json& object, const std::string& key,
         const std::optional<Rational>& number) {
  object[key] = nullptr;
  object[key + "_exact"] = nullptr;
  if (number) {
    object[key] = number->value();
    object[key + "_exact"] = number->text();
  }
}

void put_analyzed(nlohmann::ordered_json& object, const MixAnalysis& check,
                  const BackloggedShare& of) {
  put(object, "analyzed_share", check.known_share(of));
  if (!check.exact) {
    object["analyzed_share_exact"] = nullptr;
  }
}

std::string warnings_text(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) {
    text += "warning: " + warning + "\n";
  }
  return text;
}

}  // namespace qosarb
