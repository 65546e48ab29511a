#pragma once

#include <stdexcept>
#include <string>

namespace qosarb {

/// Bad input: one line that names file, line and the fault. The command exits with status 2.
class InputError : public std::runtime_error {
 public:
  /// `line` counts from 1; 0 when the fault has no line (a file that cannot be opened).
  InputError(const std::string& file, int line, const std::string& fault)
      : std::runtime_error(line > 0 ? file + ":" + std::to_string(line) + ": " + fault
                                    : file + ": " + fault) {}
};

}  // namespace qosarb
