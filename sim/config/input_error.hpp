#pragma once

#include <stdexcept>
#include <string>

namespace qosarb {

/// Bad input: one line that names file, line and the fault. The command exits with status 2.
class InputError : public std::runtime_error {
 public:
  /// `line` counts from 1; 0 when the fault has no line (a file that cannot be opened). Control
  /// characters, which a fault may quote from the file, become '?': a line feed would make two
  /// lines of it, and what() would end at a NUL.
  InputError(const std::string& file, int line, const std::string& fault);

  /// 0 when the fault has none.
  [[nodiscard]] int line() const { return line_; }

 private:
  int line_;
};

}  // namespace qosarb
