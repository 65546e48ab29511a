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

/// The command, started; its output and errors go nowhere.
class StartedCommand {
 public:
  explicit StartedCommand(const std::vector<std::string>& arguments);
  ~StartedCommand();
  StartedCommand(const StartedCommand&) = delete;
  StartedCommand& operator=(const StartedCommand&) = delete;

  [[nodiscard]] int process() const { return process_; }
  [[nodiscard]] bool runs();
  /// Sends it a signal and waits for its end; the status as in an Outcome.
  int end_by(int signal);

 private:
  int process_ = -1;
  int status_ = -1;  ///< as waitpid() has it
  bool ended_ = false;
};

/// A directory of its own, removed with all in it.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }
  /// The names of all that is in it, in order.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Writes a file; its path.
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

/// The whole of a file.
std::string contents(const std::string& file);

}  // namespace qosarb::test
