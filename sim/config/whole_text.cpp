#include "qosarb/config/whole_text.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>

#include "qosarb/config/input_error.hpp"

namespace qosarb {

std::string whole_text(const std::string& file) {
  constexpr std::size_t kMostBytes = 64U << 20U;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw InputError(file, 0, "cannot be opened for reading");
  }
  std::string text;
  for (std::array<char, 1U << 16U> piece{}; stream && text.size() <= kMostBytes;) {
    stream.read(piece.data(), piece.size());
    text.append(piece.data(), stream.gcount());
  }
  if (stream.bad()) {
    throw InputError(file, 0, "cannot be read");
  }
  if (text.size() > kMostBytes) {
    throw InputError(file, 0, fmt::format("is longer than {} MiB", kMostBytes >> 20U));
  }
  return text;
}

}  // namespace qosarb
