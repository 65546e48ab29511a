#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace qosarb {

/// `text` with '?' for each control character, and for whatever else ends a line to some readers.
std::string one_line(std::string_view text);

/// Bad input: one line that names file, line and the fault. The command exits with status 2.
class InputError : public std::runtime_error {
 public:
  /// `line` counts from 1; 0 when the fault has no line (a file that cannot be opened). It becomes
  /// one_line(): a fault may quote from the file, and what() would end at a NUL.
  InputError(const std::string& file, int line, const std::string& fault);

  /// 0 when the fault has none.
  [[nodiscard]] int line() const { return line_; }

 private:
  int line_;
};

}  // namespace qosarb
