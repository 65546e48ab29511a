// For programs: no signal leaves half of a waveform.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <string>

namespace qosarb {

/// Signals by which somebody ends a process: a terminal, a shell, a batch system.
constexpr std::array kInterrupts = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};

/// As long as it lives, a signal that ends the process (kInterrupts) takes waveforms with it that
/// are not complete. So does a full disk of which the writer of FST learns by SIGBUS,
/// or for which it aborts: the process ends with status 2 and says why, but for a FailureToTell. A
/// signal that is ignored, as under nohup, stays ignored, and one that has a handler keeps it.
///
/// Handlers are the whole process's: main() makes it, once, and no library does.
class InterruptsRemoveWaves {
 public:
  InterruptsRemoveWaves();
  ~InterruptsRemoveWaves();
  InterruptsRemoveWaves(const InterruptsRemoveWaves&) = delete;
  InterruptsRemoveWaves& operator=(const InterruptsRemoveWaves&) = delete;

 private:
  static constexpr std::array kFaults = {SIGBUS, SIGABRT};
  static int signal_of(std::size_t i) {
    return i < kInterrupts.size() ? kInterrupts.at(i) : kFaults.at(i - kInterrupts.size());
  }
  std::array<struct sigaction, kInterrupts.size() + kFaults.size()> before_{};
};

/// A failed check of the thread that makes it, of which nobody has been told yet. As long as it
/// lives, a full disk that ends the process under this thread's waveform hides no failure: the
/// process says `text`, too, and its status is 1.
class FailureToTell {
 public:
  explicit FailureToTell(std::string text);
  ~FailureToTell();
  FailureToTell(const FailureToTell&) = delete;
  FailureToTell& operator=(const FailureToTell&) = delete;

 private:
  std::string text_;
  const char* before_;
};

}  // namespace qosarb
