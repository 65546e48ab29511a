// For programs: no signal leaves half of a waveform.
#pragma once

#include <array>
#include <csignal>

namespace qosarb {

/// As long as it lives, a signal that ends the process (SIGHUP, SIGINT, SIGTERM) takes waveforms
/// with it that are not complete. So does a full disk of which the writer of FST learns by SIGBUS,
/// or for which it aborts: the process ends with status 2 and says why. A signal that is ignored,
/// as under nohup, stays ignored, and one that has a handler keeps it.
///
/// Handlers are the whole process's: main() makes it, once, and no library does.
class InterruptsRemoveWaves {
 public:
  InterruptsRemoveWaves();
  ~InterruptsRemoveWaves();
  InterruptsRemoveWaves(const InterruptsRemoveWaves&) = delete;
  InterruptsRemoveWaves& operator=(const InterruptsRemoveWaves&) = delete;

 private:
  static constexpr std::array kSignals = {SIGHUP, SIGINT, SIGTERM, SIGBUS, SIGABRT};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace qosarb
