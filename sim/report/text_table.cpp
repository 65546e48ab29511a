#include "qosarb/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qosarb {

std::string TextTable::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string text;
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      text += fmt::format("{}{:>{}}", column > 0 ? "  " : "", row[column], widths[column]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace qosarb
