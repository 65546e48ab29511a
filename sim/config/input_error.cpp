#include "qosarb/config/input_error.hpp"

#include <algorithm>

namespace qosarb {

namespace {

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, '?');
  return text;
}

}  // namespace

InputError::InputError(const std::string& file, int line, const std::string& fault)
    : std::runtime_error(one_line(line > 0 ? file + ":" + std::to_string(line) + ": " + fault
                                           : file + ": " + fault)),
      line_(line) {}

}  // namespace qosarb
