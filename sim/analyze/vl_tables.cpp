#include "qosarb/analyze/vl_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "qosarb/config/input_error.hpp"
#include "qosarb/config/whole_text.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb {

namespace {

constexpr int kManagementVl = 15;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string::npos
             ? ""
             : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Nothing unless `text` is a plain number of at most `high`.
std::optional<unsigned long> number(const std::string& text, unsigned long high) {
  if (text.empty() || text.size() > 9 ||
      text.find_first_not_of("0123456789") != std::string::npos || std::stoul(text) > high) {
    return std::nullopt;
  }
  return std::stoul(text);
}

std::vector<InfiniBandConfig::Entry> load_table(const std::string& file,
                                                std::vector<std::string>& warnings) {
  std::istringstream stream(whole_text(file));
  std::vector<InfiniBandConfig::Entry> entries;
  std::string text;
  for (int line = 1; std::getline(stream, text); ++line) {
    const std::string row = trimmed(text);
    if (row.empty() || (line == 1 && row == "vl,weight")) {
      continue;
    }
    const std::size_t comma = row.find(',');
    if (comma == std::string::npos) {
      throw InputError(file, line, fmt::format("'{}' is not of the form vl,weight", row));
    }
    const auto vl = number(trimmed(row.substr(0, comma)), kManagementVl);
    const auto weight = number(trimmed(row.substr(comma + 1)), kMaxVlWeight);
    if (!vl.has_value()) {
      throw InputError(file, line, fmt::format("'{}': the VL must be within 0..15", row));
    }
    if (!weight.has_value()) {
      throw InputError(file, line, fmt::format("'{}': the weight must be within 0..255", row));
    }
    if (*vl == kManagementVl) {
      warnings.push_back(fmt::format(
          "{}:{}: VL15 carries subnet management and passes before all tables; the entry is left "
          "out",
          file, line));
      continue;
    }
    if (entries.size() == kMaxVlArbitrationEntries) {
      throw InputError(file, line,
                       fmt::format("a table has up to {} entries", kMaxVlArbitrationEntries));
    }
    entries.push_back({static_cast<int>(*vl), static_cast<std::uint32_t>(*weight)});
  }
  return entries;
}

}  // namespace

VlTables load_vl_tables(const std::string& high_file, const std::string& low_file,
                        const VlTableOptions& options) {
  VlTables tables;
  InfiniBandConfig ib{.flit_bytes = options.flit_bytes,
                      .limit_of_high_priority = options.limit_of_high_priority,
                      .low_turn = options.low_turn};
  if (!high_file.empty()) {
    ib.high = load_table(high_file, tables.warnings);
  }
  if (!low_file.empty()) {
    ib.low = load_table(low_file, tables.warnings);
  }
  int vls = 0;
  for (const auto* table : {&ib.high, &ib.low}) {
    for (const InfiniBandConfig::Entry& entry : *table) {
      vls = std::max(vls, entry.vl + 1);
    }
  }
  if (vls == 0) {
    throw InputError(high_file.empty() ? low_file : high_file, 1, "the tables have no entry");
  }
  tables.config = {.policy = kInfiniBand,
                   .queues = vls,
                   .max_packet_flits = options.max_packet_flits(),
                   .strict = false,
                   .parameters = ib};
  return tables;
}

}  // namespace qosarb
