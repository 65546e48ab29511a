// Whether a waveform was written to its end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

namespace qosarb {

/// Whether `file` is a whole FST file, as its writer does not tell when the disk is full. It is a
/// chain of blocks, each being a type byte and an 8-byte big-endian length (which counts itself),
/// up to the file's end.
inline bool is_complete(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(stream.tellg());
  std::uint64_t at = 0;
  while (stream && at < size) {
    std::array<char, 9> header{};
    stream.seekg(static_cast<std::streamoff>(at));
    stream.read(header.data(), header.size());
    constexpr char kSkipBlock = '\xff';  // left of a block that was never finished
    if (!stream || header[0] == kSkipBlock) {
      return false;
    }
    std::uint64_t length = 0;
    for (std::size_t i = 1; i < header.size(); ++i) {
      length = length << 8 | static_cast<std::uint8_t>(header[i]);
    }
    if (length < 8 || length > size - at - 1) {
      return false;
    }
    at += 1 + length;
  }
  return size > 0 && at == size;
}

}  // namespace qosarb
