// Tables for people.
#pragma once

#include <string>
#include <vector>

namespace qosarb {

/// Rows of text in columns as wide as needed, aligned to the right, the first row being the
/// heading.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heading) { rows_.push_back(std::move(heading)); }
  /// As many cells as the heading has.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// The table, each line ended.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace qosarb
