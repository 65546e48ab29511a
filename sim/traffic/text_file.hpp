// Text of a file, plain or compressed by gzip or xz, piece by piece.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace qosarb {

/// Reads a file from its beginning to its end in bounded memory. How it is compressed is told by
/// its first bytes, not by its name.
class TextFile {
 public:
  /// Errors: InputError if it cannot be opened.
  explicit TextFile(const std::string& file);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  /// Fills the front of `space`, which is not empty; the bytes written, 0 at the end.
  /// Errors: InputError naming the file and `line`, where reading stands, if it cannot be read or
  /// its compressed data are damaged or end early.
  std::size_t read(std::span<char> space, int line);

  class Decoder;  ///< of one kind of file

 private:
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace qosarb
