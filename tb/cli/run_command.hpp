// Runs the command as a child process.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace qosarb::test {

struct Outcome {
  int status = -1;  ///< exit status; 128 + signal if a signal ended it
  std::string out;
  std::string err;
};

/// Runs build/qosarb with `arguments`. `redirection` is shell text behind them, such as
/// ">/dev/full"; what it takes away is missing in the outcome.
Outcome run_command(const std::vector<std::string>& arguments, const std::string& redirection = "");

/// A directory of its own, removed with all in it.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file; its path.
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

/// The whole of a file.
std::string contents(const std::string& file);

}  // namespace qosarb::test
