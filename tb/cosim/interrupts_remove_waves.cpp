#include "cosim/interrupts_remove_waves.hpp"

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "cosim/unfinished_waveform.hpp"

namespace qosarb {

namespace {

// What the writer of FST does ends the thread that it does it in.
thread_local std::atomic<const char*> to_tell = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free);

void say(const char* text) { static_cast<void>(!::write(STDERR_FILENO, text, std::strlen(text))); }

void complain(const char* text) {
  say("qosarb: ");
  say(text);
  say("\n");
}

void remove_waves(int signal, siginfo_t* info, void* context) {
  static_cast<void>(context);
  const char* const complaint = UnfinishedWaveform::remove_all();
  // An FST writer that maps files into memory finds no place there where the disk is full; a newer
  // one aborts.
  const bool full = (signal == SIGBUS && info->si_code == BUS_ADRERR) ||
                    (signal == SIGABRT && UnfinishedWaveform::Writer::works());
  if (complaint != nullptr && full) {
    complain(complaint);
    const char* const failure = to_tell;
    if (failure != nullptr) {
      complain(failure);
    }
    constexpr int kCheckFailed = 1;
    constexpr int kBadInput = 2;
    _exit(failure != nullptr ? kCheckFailed : kBadInput);
  }
  static_cast<void>(std::signal(signal, SIG_DFL));
  static_cast<void>(std::raise(signal));
}

}  // namespace

InterruptsRemoveWaves::InterruptsRemoveWaves() {
  for (std::size_t i = 0; i < before_.size(); ++i) {
    sigaction(signal_of(i), nullptr, &before_[i]);
    if ((before_[i].sa_flags & SA_SIGINFO) == 0 && before_[i].sa_handler == SIG_DFL) {
      struct sigaction action {};
      action.sa_sigaction = remove_waves;
      action.sa_flags = SA_SIGINFO | SA_RESTART;
      sigaction(signal_of(i), &action, nullptr);
    }
  }
}

InterruptsRemoveWaves::~InterruptsRemoveWaves() {
  for (std::size_t i = 0; i < before_.size(); ++i) {
    sigaction(signal_of(i), &before_[i], nullptr);
  }
}

FailureToTell::FailureToTell(std::string text) : text_(std::move(text)), before_(to_tell) {
  to_tell = text_.c_str();
}

FailureToTell::~FailureToTell() { to_tell = before_; }

}  // namespace qosarb
