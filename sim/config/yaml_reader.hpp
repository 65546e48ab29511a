// Strict reading of YAML: every key is known, every value has its type and range, and every fault
// names its file and line.
#pragma once

#include <yaml-cpp/yaml.h>

#include <concepts>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "qosarb/config/input_error.hpp"
#include "qosarb/policy/config_reader.hpp"

namespace qosarb {

/// Loads a YAML file whose top level is a map. `text`, if not null, becomes the file's bytes.
/// Errors: InputError if it cannot be read, does not parse, repeats a key, is not a map, or nests
/// too deeply or has too many aliases for a file that is meant.
YAML::Node load_yaml_map(const std::string& file, std::string* text = nullptr);

/// The error for a fault at `node` of `file`.
InputError yaml_error(const std::string& file, const YAML::Node& node, const std::string& fault);

/// What a file's top map is called in messages; the maps in it are called by their keys alone.
inline constexpr const char* kWholeFile = "the file";

/// A ConfigReader of one map of a YAML file; `where` names the map in messages ("arbiter",
/// "network.link").
class MapReader final : public ConfigReader {
 public:
  MapReader(const YAML::Node& node, std::string file, std::string where);

  [[nodiscard]] bool has(const std::string& key) override;
  std::int64_t integer(const std::string& key, std::int64_t low, std::int64_t high) override;
  std::uint64_t unsigned_64(const std::string& key) override;
  double number(const std::string& key, double low, double high) override;
  std::vector<std::int64_t> integers_64(const std::string& key, std::int64_t low, std::int64_t high,
                                        std::size_t at_least, std::size_t at_most) override;
  bool boolean_or(const std::string& key, bool otherwise) override;
  std::string text(const std::string& key) override;
  std::vector<std::unique_ptr<ConfigReader>> items(const std::string& key, std::size_t at_least,
                                                   std::size_t at_most) override;
  void finish() const override;
  [[nodiscard]] InputError error(const std::string& key, const std::string& fault) const override;
  [[nodiscard]] std::string path(const std::string& key) const override;
  [[nodiscard]] int line() const override;

  /// A nested map, a list of maps, or any node. The node must be there.
  MapReader map(const std::string& key);
  std::vector<MapReader> maps(const std::string& key, std::size_t at_least, std::size_t at_most);
  YAML::Node node(const std::string& key);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] int line(const std::string& key) const;  ///< of its value; else of the map

 private:
  YAML::Node list(const std::string& key, std::size_t at_least, std::size_t at_most);

  YAML::Node node_;
  std::string file_;
  std::string where_;
  std::set<std::string> known_;
};

/// A scalar as an integer within [low, high]: decimal or 0x. Errors: InputError.
std::int64_t yaml_integer(const std::string& file, const YAML::Node& node, const std::string& what,
                          std::int64_t low, std::int64_t high);

/// The same, of the type of its bounds.
template <std::integral Number>
Number yaml_integer(const std::string& file, const YAML::Node& node, const std::string& what,
                    Number low, Number high) {
  return static_cast<Number>(yaml_integer(file, node, what, std::int64_t{low}, std::int64_t{high}));
}

}  // namespace qosarb
