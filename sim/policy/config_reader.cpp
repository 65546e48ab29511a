#include "qosarb/policy/config_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace qosarb {

std::int64_t ConfigReader::integer_or(const std::string& key, std::int64_t low, std::int64_t high,
                                      std::int64_t otherwise) {
  return has(key) ? integer(key, low, high) : otherwise;
}

int ConfigReader::index(const std::string& key, int low, int high) {
  return static_cast<int>(integer(key, low, high));
}

int ConfigReader::index_or(const std::string& key, int low, int high, int otherwise) {
  return has(key) ? index(key, low, high) : otherwise;
}

std::uint32_t ConfigReader::unsigned_32(const std::string& key, std::uint32_t low,
                                        std::uint32_t high) {
  return static_cast<std::uint32_t>(integer(key, low, high));
}

std::uint32_t ConfigReader::unsigned_32_or(const std::string& key, std::uint32_t low,
                                           std::uint32_t high, std::uint32_t otherwise) {
  return has(key) ? unsigned_32(key, low, high) : otherwise;
}

std::size_t ConfigReader::choice(const std::string& key,
                                 std::span<const std::string_view> choices) {
  const std::string value = text(key);
  const auto chosen = std::find(choices.begin(), choices.end(), value);
  if (chosen == choices.end()) {
    throw error(key, fmt::format("{} is '{}'; it must be one of {}", path(key), value,
                                 fmt::join(choices, ", ")));
  }
  return chosen - choices.begin();
}

std::size_t ConfigReader::choice_or(const std::string& key,
                                    std::span<const std::string_view> choices,
                                    std::size_t otherwise) {
  return has(key) ? choice(key, choices) : otherwise;
}

}  // namespace qosarb
