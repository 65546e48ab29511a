#include "qosarb/config/input_error.hpp"

namespace qosarb {

namespace {

/// The bytes of the control character, or of the end of a line or paragraph, that `text` begins
/// with; 0 if it begins with none.
std::size_t control_at(std::string_view text) {
  const auto byte = [text](std::size_t at) -> unsigned {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
  };
  if (byte(0) < ' ' || byte(0) == 0x7f) {
    return 1;
  }
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) {
    return 2;
  }
  return text.starts_with("\u2028") || text.starts_with("\u2029") ? 3 : 0;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t control = control_at(text);
    line += control > 0 ? '?' : text[0];
    text.remove_prefix(control > 0 ? control : 1);
  }
  return line;
}

InputError::InputError(const std::string& file, int line, const std::string& fault)
    : std::runtime_error(one_line(line > 0 ? file + ":" + std::to_string(line) + ": " + fault
                                           : file + ": " + fault)),
      line_(line) {}

}  // namespace qosarb
