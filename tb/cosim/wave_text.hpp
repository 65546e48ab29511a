// The text of a GTKWave save file, signal by signal.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace qosarb {

/// Bits of an index below `count`.
constexpr std::uint64_t index_bits(int count) {
  return std::max<std::uint64_t>(1, std::bit_width(static_cast<unsigned>(count - 1)));
}

/// A model's name that puts its modules into scope `part` of scope `chip`, which may be empty.
std::string model_name(const std::string& chip, const std::string& part);

/// Appends signals and groups of one module to a text.
class WaveText {
 public:
  // Formats of GTKWave's trace flags.
  static constexpr const char* kBinary = "@28";
  static constexpr const char* kHex = "@22";
  static constexpr const char* kDecimal = "@24";
  static constexpr const char* kEnum = "@100000028";

  static constexpr std::uint64_t kFlitsBits = 10;  ///< of a length, and of a deficit

  explicit WaveText(std::string& text) : text_(text) {}

  /// The module that the following signals are in, such as "switch0.port3.port_pins.qosarb_port".
  void scope(const std::string& path) { path_ = path; }
  void begin(const std::string& group, bool closed = false) {
    text_ += fmt::format("{}\n-{}\n", closed ? "@c00200" : "@800200", group);
  }
  void end(const std::string& group, bool closed = false) {
    text_ += fmt::format("{}\n-{}\n", closed ? "@1401200" : "@1000200", group);
  }
  /// `bits` of 0: a signal without a range.
  void signal(const char* format, const std::string& name, std::uint64_t bits = 0) {
    text_ += fmt::format("{}\n{}.{}{}\n", format, path_, name,
                         bits > 0 ? fmt::format("[{}:0]", bits - 1) : "");
  }
  /// name[0] .. name[count-1], each of `bits`.
  void each(const char* format, const std::string& name, std::uint64_t count, std::uint64_t bits) {
    for (std::uint64_t i = 0; i < count; ++i) {
      signal(format, element(name, i), bits);
    }
  }
  /// What is named `name` of array[index], which is a struct.
  void member(const char* format, const std::string& array, std::uint64_t index,
              const std::string& name, std::uint64_t bits = 0) {
    signal(format, fmt::format("{}.{}", structure(array, index), name), bits);
  }

 private:
  /// Where the waveform has name[index], which is a signal, or a struct.
  static std::string element(const std::string& name, std::uint64_t index);
  static std::string structure(const std::string& name, std::uint64_t index);

  std::string& text_;
  std::string path_;
};

}  // namespace qosarb
