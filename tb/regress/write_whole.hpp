// The file of a result.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "qosarb/config/input_error.hpp"

namespace qosarb::test {

/// Writes `text` to `file`, which is there as a whole or not at all, whatever interrupts the job.
/// Errors: InputError if it cannot be written.
inline void write_whole(const std::string& file, const std::string& text) {
  const std::string part = fmt::format("{}.part.{}", file, getpid());
  std::ofstream out(part, std::ios::binary);
  out << text;
  out.close();
  std::error_code fault;
  if (out) {
    std::filesystem::rename(part, file, fault);
  }
  if (!out || fault) {
    std::filesystem::remove(part, fault);
    throw InputError(file, 0, "cannot be written");
  }
}

}  // namespace qosarb::test
