#include "qosarb/config/yaml_reader.hpp"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "qosarb/config/whole_text.hpp"

namespace qosarb {

namespace {

int line_of(const YAML::Node& node) { return node.Mark().line + 1; }

// No file that is meant needs as much. An alias can make a node stand within itself, or a few lines
// stand for more than any memory holds.
constexpr int kDeepest = 100;
const char* const kTooDeep = "more than 100 levels stand in each other";
constexpr int kMostAliased = 100'000;

/// Whether that is what UTF-8 makes of characters, each in its shortest form.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const int more = byte(i) < 0x80 ? 0 : byte(i) < 0xe0 ? 1 : byte(i) < 0xf0 ? 2 : 3;
    if ((more > 0 && (byte(i) < 0xc2 || byte(i) > 0xf4)) || text.size() - i <= std::size_t(more)) {
      return false;
    }
    std::uint32_t character = byte(i) & (more == 0 ? 0x7fU : 0x3fU >> more);
    for (int k = 1; k <= more; ++k) {
      if ((byte(i + k) & 0xc0U) != 0x80) {
        return false;
      }
      character = character << 6U | (byte(i + k) & 0x3fU);
    }
    constexpr std::array<std::uint32_t, 4> kFirst = {0, 0x80, 0x800, 0x10000};
    if (character < kFirst.at(more) || character > 0x10ffff ||
        (character >= 0xd800 && character < 0xe000)) {
      return false;
    }
    i += 1 + more;
  }
  return true;
}

/// Refuses what yaml-cpp takes, but nobody could read.
class Check {
 public:
  Check(const std::string& file, const std::string& text) : file_(file), text_(text) {}

  void node(const YAML::Node& node, int depth = 0) {
    if (depth > kDeepest) {
      throw yaml_error(file_, node, kTooDeep);
    }
    // Nodes stand in the order of the file, but those that an alias repeats.
    const int at = node.Mark().pos;
    if (at < furthest_ && ++aliased_ > kMostAliased) {
      throw yaml_error(file_, node,
                       fmt::format("aliases stand for more than {} values", kMostAliased));
    }
    furthest_ = std::max(furthest_, at);
    if (node.IsNull()) {
      throw InputError(file_, line_without_value(node.Mark()), "a value is missing");
    }
    if (node.IsScalar()) {
      readable(node);
    } else if (node.IsMap()) {
      keys(node);
      for (const auto& pair : node) {
        this->node(pair.second, depth + 1);
      }
    } else if (node.IsSequence()) {
      for (const auto& item : node) {
        this->node(item, depth + 1);
      }
    }
  }

 private:
  void readable(const YAML::Node& node) const {
    if (!is_utf8(node.Scalar())) {
      throw yaml_error(file_, node, "a text that is not UTF-8");
    }
    if (node.Scalar().find('\0') != std::string::npos) {  // the name of a file would end there
      throw yaml_error(file_, node, "a text with a null character");
    }
  }

  // yaml-cpp finds a value that is not there where the next one is: behind the line that lacks it.
  // One that is written down as none stands where it is found.
  [[nodiscard]] int line_without_value(const YAML::Mark& mark) const {
    std::vector<std::string> lines;
    std::istringstream text(text_);
    for (std::string line;
         std::cmp_less_equal(lines.size(), mark.line) && std::getline(text, line);) {
      lines.push_back(line);
    }
    if (std::cmp_less(mark.line, lines.size())) {
      std::string& last = lines.back();
      const auto column = std::min<std::size_t>(last.size(), mark.column);
      const std::string word =
          last.substr(column, last.find_first_of(" \t\r,]}#", column) - column);
      constexpr std::array<std::string_view, 4> kNone = {"~", "null", "Null", "NULL"};
      if (std::find(kNone.begin(), kNone.end(), word) != kNone.end()) {
        return mark.line + 1;
      }
      last.resize(column);
    }
    while (!lines.empty()) {
      const std::size_t begin = lines.back().find_first_not_of(" \t\r");
      if (begin != std::string::npos && lines.back()[begin] != '#') {
        break;
      }
      lines.pop_back();
    }
    return std::max(static_cast<int>(lines.size()), 1);
  }

  // yaml-cpp keeps a repeated key silently; a reader of the file would not know which one counts.
  void keys(const YAML::Node& node) {
    std::set<std::string> seen;
    for (const auto& pair : node) {
      if (!pair.first.IsScalar()) {
        throw yaml_error(file_, pair.first, "a key must be a plain word");
      }
      readable(pair.first);
      if (!seen.insert(pair.first.Scalar()).second) {
        throw yaml_error(file_, pair.first,
                         fmt::format("key '{}' is given twice", pair.first.Scalar()));
      }
    }
  }

  const std::string& file_;
  const std::string& text_;
  int furthest_ = 0;
  int aliased_ = 0;
};

bool is_hex(std::string_view text) { return text.starts_with("0x") || text.starts_with("0X"); }

/// All of `text` as a decimal number, with a sign if `T` has one, or as a hexadecimal one without.
/// `value` is only set where that says no fault.
template <typename T>
std::errc parse_integer(std::string_view text, T& value) {
  const bool hex = is_hex(text);
  const bool plus = std::is_signed_v<T> && text.starts_with('+');
  text.remove_prefix(hex ? 2 : plus ? 1 : 0);
  if ((hex || plus) && text.starts_with('-')) {
    return std::errc::invalid_argument;
  }
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, value, hex ? 16 : 10);
  return rest != end ? std::errc::invalid_argument : fault;
}

/// All of `text` as a decimal number, such as 12, -0.5 or 1e6.
bool parse_number(std::string_view text, double& value) {
  const bool plus = text.starts_with('+');
  text.remove_prefix(plus ? 1 : 0);
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, value);
  return fault == std::errc{} && rest == end && std::isfinite(value) &&
         !(plus && text.starts_with('-'));
}

/// Where the content of the document begins that is read last.
class DocumentStart : public YAML::EventHandler {
 public:
  [[nodiscard]] const YAML::Mark& mark() const { return mark_; }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override { begun_ = false; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { begin(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { begin(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {
    begin(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {
    begin(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    begin(mark);
  }
  void OnMapEnd() override {}

 private:
  void begin(const YAML::Mark& mark) {
    mark_ = begun_ ? mark_ : mark;
    begun_ = true;
  }

  YAML::Mark mark_;
  bool begun_ = false;
};

}  // namespace

YAML::Node load_yaml_map(const std::string& file, std::string* read) {
  YAML::Node node;
  std::string text;
  try {
    std::error_code fault;
    if (std::filesystem::is_directory(file, fault)) {
      throw InputError(file, 0, "cannot be opened for reading");
    }
    // Not all documents at once: yaml-cpp takes a comma for one document after the other, for ever.
    text = whole_text(file);
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStart document;
    if (parser.HandleNextDocument(document) && parser.HandleNextDocument(document)) {
      throw InputError(file, document.mark().line + 1,
                       "a second document stands in the file; one is expected");
    }
    node = YAML::Load(text);
  } catch (const YAML::DeepRecursion& e) {  // its own words are "bad file"
    throw InputError(file, e.mark.line + 1, kTooDeep);
  } catch (const YAML::Exception& e) {
    throw InputError(file, e.mark.line + 1, "not valid YAML: " + e.msg);
  }
  if (!node.IsMap()) {
    throw InputError(file, 1, "a map of keys is expected at the top");
  }
  Check(file, text).node(node);
  if (read != nullptr) {
    *read = std::move(text);
  }
  return node;
}

InputError yaml_error(const std::string& file, const YAML::Node& node, const std::string& fault) {
  return {file, line_of(node), fault};
}

std::int64_t yaml_integer(const std::string& file, const YAML::Node& node, const std::string& what,
                          std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const std::errc fault = node.IsScalar() && node.Tag() != "!" ? parse_integer(node.Scalar(), value)
                                                               : std::errc::invalid_argument;
  if (fault == std::errc::result_out_of_range) {
    throw yaml_error(
        file, node,
        fmt::format("{} is {}, which is not within {}..{}", what, node.Scalar(), low, high));
  }
  if (fault != std::errc{}) {
    throw yaml_error(file, node, what + " must be an integer");
  }
  if (value < low || value > high) {
    throw yaml_error(file, node,
                     fmt::format("{} is {}, which is not within {}..{}", what, value, low, high));
  }
  return value;
}

MapReader::MapReader(const YAML::Node& node, std::string file, std::string where)
    : node_(node), file_(std::move(file)), where_(std::move(where)) {
  if (!node_.IsMap()) {
    throw yaml_error(file_, node_, where_ + " must be a map of keys");
  }
}

std::string MapReader::path(const std::string& key) const {
  return where_ == kWholeFile ? key : where_ + "." + key;
}

bool MapReader::has(const std::string& key) {
  known_.insert(key);
  return node_[key].IsDefined();
}

YAML::Node MapReader::node(const std::string& key) {
  if (!has(key)) {
    throw InputError(file_, line(), fmt::format("{} lacks the key '{}'", where_, key));
  }
  return node_[key];
}

std::int64_t MapReader::integer(const std::string& key, std::int64_t low, std::int64_t high) {
  return yaml_integer(file_, node(key), path(key), low, high);
}

double MapReader::number(const std::string& key, double low, double high) {
  const YAML::Node value_node = node(key);
  double value = 0;
  if (!value_node.IsScalar() || value_node.Tag() == "!" ||
      !parse_number(value_node.Scalar(), value)) {
    throw error(key, fmt::format("{} must be a number", path(key)));
  }
  if (value < low || value > high) {
    throw error(key,
                fmt::format("{} is {}, which is not within {}..{}", path(key), value, low, high));
  }
  return value;
}

std::uint64_t MapReader::unsigned_64(const std::string& key) {
  const YAML::Node value_node = node(key);
  const std::string text = value_node.IsScalar() ? value_node.Scalar() : "";
  std::uint64_t value = 0;
  const std::errc fault = value_node.Tag() == "!" && !is_hex(text) ? std::errc::invalid_argument
                                                                   : parse_integer(text, value);
  if (fault == std::errc::result_out_of_range) {
    throw error(key, fmt::format("{} does not fit 64 bits", path(key)));
  }
  if (fault != std::errc{}) {
    throw error(key, fmt::format("{} must be an integer without sign", path(key)));
  }
  return value;
}

std::vector<std::int64_t> MapReader::integers_64(const std::string& key, std::int64_t low,
                                                 std::int64_t high, std::size_t at_least,
                                                 std::size_t at_most) {
  const YAML::Node list = this->list(key, at_least, at_most);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < list.size(); ++i) {
    values.push_back(yaml_integer(file_, list[i], fmt::format("{}[{}]", path(key), i), low, high));
  }
  return values;
}

bool MapReader::boolean_or(const std::string& key, bool otherwise) {
  if (!has(key)) {
    return otherwise;
  }
  const YAML::Node value = node_[key];
  const bool plain = value.IsScalar() && value.Tag() != "!";
  if (plain && value.Scalar() == "true") {
    return true;
  }
  if (plain && value.Scalar() == "false") {
    return false;
  }
  throw error(key, fmt::format("{} must be true or false", path(key)));
}

std::string MapReader::text(const std::string& key) {
  const YAML::Node value = node(key);
  if (!value.IsScalar() || value.Scalar().empty()) {
    throw error(key, fmt::format("{} must be a text", path(key)));
  }
  return value.Scalar();
}

MapReader MapReader::map(const std::string& key) {
  const YAML::Node map = node(key);
  if (!map.IsMap()) {
    throw error(key, path(key) + " must be a map of keys");
  }
  return {map, file_, path(key)};
}

YAML::Node MapReader::list(const std::string& key, std::size_t at_least, std::size_t at_most) {
  const YAML::Node list = node(key);
  if (!list.IsSequence()) {
    throw error(key, fmt::format("{} must be a list", path(key)));
  }
  if (list.size() < at_least || list.size() > at_most) {
    throw error(key, fmt::format("{} has {} items; {} to {} are allowed", path(key), list.size(),
                                 at_least, at_most));
  }
  return list;
}

std::vector<MapReader> MapReader::maps(const std::string& key, std::size_t at_least,
                                       std::size_t at_most) {
  const YAML::Node list = this->list(key, at_least, at_most);
  std::vector<MapReader> readers;
  for (std::size_t i = 0; i < list.size(); ++i) {
    readers.emplace_back(list[i], file_, fmt::format("{}[{}]", path(key), i));
  }
  return readers;
}

std::vector<std::unique_ptr<ConfigReader>> MapReader::items(const std::string& key,
                                                            std::size_t at_least,
                                                            std::size_t at_most) {
  std::vector<std::unique_ptr<ConfigReader>> readers;
  for (MapReader& reader : maps(key, at_least, at_most)) {
    readers.push_back(std::make_unique<MapReader>(std::move(reader)));
  }
  return readers;
}

void MapReader::finish() const {
  for (const auto& pair : node_) {
    if (!known_.contains(pair.first.Scalar())) {
      throw yaml_error(file_, pair.first,
                       fmt::format("{} has an unknown key '{}'", where_, pair.first.Scalar()));
    }
  }
}

InputError MapReader::error(const std::string& key, const std::string& fault) const {
  return {file_, line(key), fault};
}

int MapReader::line() const { return line_of(node_); }

// yaml-cpp finds a value that is not there where the next one is.
int MapReader::line(const std::string& key) const {
  const YAML::Node value = node_[key];
  if (value.IsDefined() && !value.IsNull()) {
    return line_of(value);
  }
  for (const auto& pair : node_) {
    if (pair.first.Scalar() == key) {
      return line_of(pair.first);
    }
  }
  return line();
}

}  // namespace qosarb
