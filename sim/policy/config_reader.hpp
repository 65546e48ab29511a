// What a policy reads its section of a configuration through, whatever the file's format is.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "qosarb/config/input_error.hpp"

namespace qosarb {

template <typename Value>
concept Enumeration = std::is_enum_v<Value>;

/// Reads one map. Each getter marks its key as known; finish() refuses the others. All getters
/// throw InputError, naming file, line and key, for a key that is not there and a value that is not
/// as asked.
class ConfigReader {
 public:
  ConfigReader() = default;
  virtual ~ConfigReader() = default;

  [[nodiscard]] virtual bool has(const std::string& key) = 0;

  virtual std::int64_t integer(const std::string& key, std::int64_t low, std::int64_t high) = 0;
  std::int64_t integer_or(const std::string& key, std::int64_t low, std::int64_t high,
                          std::int64_t otherwise);
  /// The same, of the types that parameters have; `low` and `high` are within them.
  int index(const std::string& key, int low, int high);
  int index_or(const std::string& key, int low, int high, int otherwise);
  std::uint32_t unsigned_32(const std::string& key, std::uint32_t low, std::uint32_t high);
  std::uint32_t unsigned_32_or(const std::string& key, std::uint32_t low, std::uint32_t high,
                               std::uint32_t otherwise);
  /// An integer without sign of up to 64 bits, decimal or 0x; the latter may stand in quotes.
  virtual std::uint64_t unsigned_64(const std::string& key) = 0;
  /// Finite, within [low, high].
  virtual double number(const std::string& key, double low, double high) = 0;
  /// A list of integers, each within [low, high].
  virtual std::vector<std::int64_t> integers_64(const std::string& key, std::int64_t low,
                                                std::int64_t high, std::size_t at_least,
                                                std::size_t at_most) = 0;
  /// The same, of the type that parameters have.
  template <std::integral Number = std::int64_t>
  std::vector<Number> integers(const std::string& key, std::type_identity_t<Number> low,
                               std::type_identity_t<Number> high, std::size_t at_least,
                               std::size_t at_most) {
    std::vector<Number> numbers;
    for (const std::int64_t number : integers_64(key, low, high, at_least, at_most)) {
      numbers.push_back(static_cast<Number>(number));
    }
    return numbers;
  }
  virtual bool boolean_or(const std::string& key, bool otherwise) = 0;
  virtual std::string text(const std::string& key) = 0;
  /// The index in `choices` of the text at `key`.
  std::size_t choice(const std::string& key, std::span<const std::string_view> choices);
  std::size_t choice_or(const std::string& key, std::span<const std::string_view> choices,
                        std::size_t otherwise);
  std::size_t choice(const std::string& key, std::initializer_list<std::string_view> choices) {
    return choice(key, std::span(choices.begin(), choices.size()));
  }
  std::size_t choice_or(const std::string& key, std::initializer_list<std::string_view> choices,
                        std::size_t otherwise) {
    return choice_or(key, std::span(choices.begin(), choices.size()), otherwise);
  }

  /// The same as one of an enumeration whose values are the indices.
  template <Enumeration Value>
  Value choice(const std::string& key, std::initializer_list<std::string_view> choices) {
    return static_cast<Value>(choice(key, choices));
  }
  template <Enumeration Value>
  Value choice_or(const std::string& key, std::span<const std::string_view> choices,
                  Value otherwise) {
    return has(key) ? static_cast<Value>(choice(key, choices)) : otherwise;
  }
  template <Enumeration Value>
  Value choice_or(const std::string& key, std::initializer_list<std::string_view> choices,
                  Value otherwise) {
    return choice_or(key, std::span(choices.begin(), choices.size()), otherwise);
  }

  /// A list of maps.
  virtual std::vector<std::unique_ptr<ConfigReader>> items(const std::string& key,
                                                           std::size_t at_least,
                                                           std::size_t at_most) = 0;

  /// Refuses keys that no getter asked for. Call it when all have been.
  virtual void finish() const = 0;

  /// The error for a fault in this map, at the line of `key` if it is there.
  /// Of the map.
  [[nodiscard]] virtual int line() const = 0;
  [[nodiscard]] virtual InputError error(const std::string& key,
                                         const std::string& fault) const = 0;
  /// What messages call the value at `key`, such as "network.link.gbps".
  [[nodiscard]] virtual std::string path(const std::string& key) const = 0;

 protected:
  ConfigReader(const ConfigReader&) = default;
  ConfigReader& operator=(const ConfigReader&) = default;
};

}  // namespace qosarb
