// How far a long run is, told on a terminal and nowhere else.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "cosim/standard_error.hpp"

namespace qosarb::command {

/// A line of standard error that is written again and again, if that is a terminal.
class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { end_line(); }

  /// Puts `text()` in the line's place, but not within a fifth of a second of the last time, or of
  /// the beginning.
  template <typename Text>
  void tell(Text text) {
    const auto now = Clock::now();
    if (on_terminal_ && now - last_ > std::chrono::milliseconds(200)) {
      to_standard_error(fmt::format("\r{}  ", text()));
      last_ = now;
      line_is_open_ = true;
    }
  }
  /// What is printed next stands in a line of its own.
  void end_line() {
    if (line_is_open_) {
      to_standard_error("\n");
      line_is_open_ = false;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool on_terminal_ = isatty(STDERR_FILENO) != 0;
  bool line_is_open_ = false;
  Clock::time_point last_ = Clock::now();
};

}  // namespace qosarb::command
