#include "qosarb/config/opensm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "qosarb/config/split.hpp"
#include "qosarb/config/whole_text.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb {

namespace {

constexpr int kEntries = 64;
constexpr int kBlockEntries = 32;         // the tables are written in blocks of 32 entries
constexpr std::size_t kLineChars = 1022;  // OpenSM takes what follows for another line
constexpr std::string_view kSpace = " \t\n\v\f\r";

constexpr const char* kDefaultMaxVls = "15";
constexpr const char* kDefaultHighLimit = "0";
constexpr const char* kDefaultHigh =
    "0:4,1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0,10:0,11:0,12:0,13:0,14:0";
constexpr const char* kDefaultLow =
    "0:0,1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,9:4,10:4,11:4,12:4,13:4,14:4";
constexpr const char* kDefaultSl2Vl = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7";

constexpr std::array<std::string_view, 5> kSets = {"qos_", "qos_ca_", "qos_sw0_", "qos_swe_",
                                                   "qos_rtr_"};
constexpr std::array<std::string_view, 5> kNames = {"max_vls", "high_limit", "vlarb_high",
                                                    "vlarb_low", "sl2vl"};

struct Option {
  std::string value;
  int line = 0;  ///< 0: OpenSM's default
};

using Options = std::map<std::string, Option, std::less<>>;

bool is_qos_option(std::string_view key) {
  for (const std::string_view set : kSets) {
    for (const std::string_view name : kNames) {
      if (key.size() == set.size() + name.size() && key.starts_with(set) && key.ends_with(name)) {
        return true;
      }
    }
  }
  return false;
}

/// The value behind a key: without spaces around it and without the quotes that enclose it.
std::string clean(std::string_view value) {
  const std::size_t begin = value.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) {
    return "";
  }
  value = value.substr(begin, value.find_last_not_of(kSpace) + 1 - begin);
  if (value.size() >= 2 && value.front() == value.back() &&
      (value.front() == '"' || value.front() == '\'')) {
    value = value.substr(1, value.size() - 2);
  }
  return std::string(value);
}

/// A whole number, decimal, 0x or 0; nothing if the text is no number or beyond 64 bits.
std::optional<std::int64_t> whole_number(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const std::int64_t value = std::strtoll(text.c_str(), &end, 0);
  if (end == text.c_str() || *end != '\0' || errno == ERANGE) {
    return std::nullopt;
  }
  return value;
}

/// OpenSM keeps what it had if a number cannot be read as the integer that the option is.
bool is_readable(const std::string& key, const std::string& value) {
  const auto number = whole_number(value);
  if (key.ends_with("max_vls")) {
    return number && *number >= 0 && *number <= UINT32_MAX;
  }
  return !key.ends_with("high_limit") || (number && *number >= INT32_MIN && *number <= INT32_MAX);
}

/// The values that OpenSM takes, and writes into its own template, for an option that is not given.
bool is_not_given(const std::string& key, const std::string& value) {
  if (key.ends_with("max_vls")) {
    return whole_number(value) == 0;
  }
  if (key.ends_with("high_limit")) {
    return whole_number(value) == -1;
  }
  return value == "(null)";
}

class OptionFile {
 public:
  OptionFile(const std::string& file, OpenSmTarget target, OpenSmReading reading)
      : file_(file), set_(kSets[static_cast<std::size_t>(target) + 1]), strict_(is(reading)) {
    std::istringstream in(whole_text(file));
    std::string line;
    int number = 0;
    while (std::getline(in, line)) {
      ++number;
      if (strict_) {
        take(line, number);
      } else {
        for (std::size_t at = 0; at == 0 || at < line.size(); at += kLineChars) {
          take(std::string_view(line).substr(at, kLineChars), number);
        }
      }
    }
    if (strict_ && !has_qos_option_) {
      throw InputError(file, std::max(number, 1),
                       "ends without an option of arbitration; all would be OpenSM's defaults");
    }
  }

  /// The option of the target's set, else of the default set, else OpenSM's default. `usable` says
  /// which values OpenSM would not replace.
  template <typename Usable>
  Option get(std::string_view name, const char* otherwise, Usable usable) const {
    for (const std::string& set : {set_, std::string("qos_")}) {
      const auto found = options_.find(set + std::string(name));
      if (found != options_.end() && (strict_ || usable(found->second.value))) {
        return found->second;
      }
    }
    return {otherwise, 0};
  }

  [[nodiscard]] bool strict() const { return strict_; }
  [[nodiscard]] InputError error(int line, const std::string& fault) const {
    return {file_, line, fault};
  }

 private:
  static bool is(OpenSmReading reading) { return reading == OpenSmReading::Strict; }

  void take(std::string_view line, int number) {
    line = line.substr(0, line.find('#'));
    const std::size_t begin = line.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) {
      return;
    }
    const std::size_t end = std::min(line.find_first_of(" \t\n", begin), line.size());
    const std::string key(line.substr(begin, end - begin));
    if (!key.starts_with("qos_") || key == "qos_policy_file") {
      return;
    }
    if (!is_qos_option(key)) {
      if (strict_) {
        throw error(number, fmt::format("'{}' is no QoS option of OpenSM{}", key,
                                        key.find('=') == std::string::npos
                                            ? ""
                                            : " (a space stands between key and value)"));
      }
      return;
    }
    has_qos_option_ = true;
    const std::string value = clean(line.substr(end));
    const auto found = options_.find(key);
    if (strict_ && found != options_.end()) {
      throw error(number,
                  fmt::format("'{}' is given twice, first in line {}", key, found->second.line));
    }
    if (!strict_ && !is_readable(key, value)) {
      return;
    }
    if (is_not_given(key, value)) {
      options_.erase(key);
      return;
    }
    options_.insert_or_assign(key, Option{value, number});
  }

  std::string file_;
  std::string set_;
  bool strict_;
  bool has_qos_option_ = false;
  Options options_;
};

// --- As OpenSM does
// -------------------------------------------------------------------------------

/// Takes a number from the front of `text`, and the character behind it, whatever it is.
unsigned take_number(const char*& text) {
  char* end = nullptr;
  const auto value = static_cast<unsigned>(std::strtoul(text, &end, 0));
  text = *end != '\0' ? end + 1 : end;
  return value;
}

/// Entries beyond the text are VL 0 with weight 0; more than 64 are dropped. The second block has
/// cap % 32 entries, which is none where the port has 64: they are lost.
std::vector<InfiniBandConfig::Entry> bent_table(const std::string& value, int cap,
                                                unsigned vl_mask) {
  const char* text = value.c_str();
  std::vector<InfiniBandConfig::Entry> table;
  for (int e = 0; e < kEntries; ++e) {
    const unsigned vl = take_number(text) % 15;
    const unsigned weight = take_number(text) % 256;
    table.push_back({static_cast<int>(vl & vl_mask), weight});
  }
  const int written = cap <= kBlockEntries ? cap : kBlockEntries + cap % kBlockEntries;
  table.resize(written);
  table.resize(cap);
  return table;
}

std::array<std::uint8_t, 16> bent_sl2vl(const std::string& value, unsigned vl_mask) {
  const char* text = value.c_str();
  std::array<std::uint8_t, 16> sl_vl{};
  for (std::uint8_t& vl : sl_vl) {
    const unsigned given = take_number(text) % 16;
    vl = static_cast<std::uint8_t>(given == 15 ? 15 : given & vl_mask);
  }
  return sl_vl;
}

// --- Strict
// ---------------------------------------------------------------------------------------

/// A number within low..high, of their type.
template <std::integral Number>
Number strict_number(const OptionFile& file, int line, const std::string& what,
                     const std::string& text, Number low, Number high) {
  const auto value = whole_number(text);
  if (!value) {
    throw file.error(line, fmt::format("{} must be a number, not '{}'", what, text));
  }
  if (*value < low || *value > high) {
    throw file.error(line,
                     fmt::format("{} is {}, which is not within {}..{}", what, *value, low, high));
  }
  return static_cast<Number>(*value);
}

std::vector<InfiniBandConfig::Entry> strict_table(const OptionFile& file, const Option& option,
                                                  const std::string& name, const OpenSmPort& port,
                                                  int cap) {
  const std::vector<std::string> pairs = split(option.value, ',');
  if (count(pairs) > cap) {
    throw file.error(option.line, fmt::format("{} has {} entries; the port's table has {}", name,
                                              pairs.size(), cap));
  }
  std::vector<InfiniBandConfig::Entry> table;
  for (const std::string& pair : pairs) {
    const std::vector<std::string> parts = split(pair, ':');
    if (parts.size() != 2) {
      throw file.error(option.line, fmt::format("{}: '{}' is not VL:weight", name, pair));
    }
    const Index vl = strict_number(file, option.line, name + ": the VL", parts[0], 0, 15);
    if (vl == 15) {
      throw file.error(option.line,
                       name + ": VL15 is for subnet management and stands in no table");
    }
    if (vl >= port.data_vls) {
      throw file.error(option.line, fmt::format("{}: VL {} is beyond the port's {} VLs", name, vl,
                                                port.data_vls));
    }
    const std::uint32_t weight =
        strict_number(file, option.line, name + ": the weight", parts[1], 0U, 255U);
    table.push_back({vl, weight});
  }
  table.resize(cap);
  return table;
}

std::array<std::uint8_t, 16> strict_sl2vl(const OptionFile& file, const Option& option,
                                          const OpenSmPort& port) {
  const std::vector<std::string> vls = split(option.value, ',');
  if (vls.size() != 16) {
    throw file.error(option.line, fmt::format("sl2vl has {} VLs; 16 are expected", vls.size()));
  }
  std::array<std::uint8_t, 16> sl_vl{};
  for (std::size_t sl = 0; sl < 16; ++sl) {
    const auto vl = strict_number(file, option.line, "sl2vl: the VL", vls[sl], std::uint8_t{0},
                                  std::uint8_t{15});
    if (vl != 15 && vl >= port.data_vls) {
      throw file.error(option.line, fmt::format("sl2vl: VL {} of SL {} is beyond the port's {} VLs",
                                                vl, sl, port.data_vls));
    }
    sl_vl[sl] = vl;
  }
  return sl_vl;
}

}  // namespace

OpenSmQos load_opensm(const std::string& file, const OpenSmPort& port, OpenSmReading reading) {
  const OptionFile options(file, port.target, reading);
  const auto any = [](const std::string&) { return true; };
  // Out of range, OpenSM goes on to the default set and to its own default.
  const auto within = [](std::int64_t low, std::int64_t high) {
    return [low, high](const std::string& value) {
      const auto number = whole_number(value);
      return number && *number >= low && *number <= high;
    };
  };
  const auto number = [&](const char* name, const char* otherwise, int low, int high) {
    const Option option = options.get(name, otherwise, within(low, high));
    return strict_number(options, option.line, name, option.value, low, high);
  };
  const unsigned vl_mask = port.data_vls == 15 ? 15U : port.data_vls - 1U;
  // OpenSM's defaults name VLs that the port may not have; they are no mistake of the user's.
  const auto bend = [&](const Option& option) { return !options.strict() || option.line == 0; };

  OpenSmQos qos;
  qos.max_vls = number("max_vls", kDefaultMaxVls, 1, 15);
  qos.limit_of_high_priority = number("high_limit", kDefaultHighLimit, 0, 255);
  const Option high = options.get("vlarb_high", kDefaultHigh, any);
  qos.high = bend(high) ? bent_table(high.value, port.high_cap, vl_mask)
                        : strict_table(options, high, "vlarb_high", port, port.high_cap);
  const Option low = options.get("vlarb_low", kDefaultLow, any);
  qos.low = bend(low) ? bent_table(low.value, port.low_cap, vl_mask)
                      : strict_table(options, low, "vlarb_low", port, port.low_cap);
  const Option sl2vl = options.get("sl2vl", kDefaultSl2Vl, any);
  qos.sl_vl = bend(sl2vl) ? bent_sl2vl(sl2vl.value, vl_mask) : strict_sl2vl(options, sl2vl, port);
  return qos;
}

ArbiterConfig arbiter_config(const OpenSmQos& qos, const OpenSmPort& port,
                             std::uint32_t max_packet_flits, std::uint32_t flit_bytes) {
  const auto used = [](std::vector<InfiniBandConfig::Entry> table) {
    while (!table.empty() && table.back().weight == 0) {
      table.pop_back();
    }
    return table;
  };
  InfiniBandConfig infiniband;
  infiniband.flit_bytes = flit_bytes;
  infiniband.limit_of_high_priority = qos.limit_of_high_priority;
  infiniband.high = used(qos.high);
  infiniband.low = used(qos.low);
  ArbiterConfig config;
  config.policy = kInfiniBand;
  config.queues = port.data_vls;
  config.max_packet_flits = max_packet_flits;
  config.strict = false;
  config.parameters = infiniband;
  return config;
}

}  // namespace qosarb
