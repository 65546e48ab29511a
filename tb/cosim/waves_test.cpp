// Waveforms and the process that writes them: what a signal leaves.
#include "cosim/waves.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "cosim/age_chip.hpp"
#include "cosim/interrupts_remove_waves.hpp"

namespace qosarb::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ExitedWithCode;
using ::testing::IsEmpty;
using ::testing::KilledBySignal;

class Directory {
 public:
  Directory() : path_(testing::TempDir() + "waves-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) {
      throw std::runtime_error("there is no room for a directory");
    }
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(path_)) {
      names.insert(file.path().filename().string());
    }
    return names;
  }
  /// Without the hierarchies, which not every Verilator has in files of their own.
  [[nodiscard]] std::size_t waveforms() const {
    const auto all = names();
    return std::count_if(all.begin(), all.end(),
                         [](const std::string& name) { return !name.ends_with(".hier"); });
  }

 private:
  std::string path_;
};

constexpr std::array kSignals = {SIGHUP,  SIGINT,  SIGTERM, SIGBUS,
                                 SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};

/// The process begins as from a terminal: a shell ignores some of them for its jobs in the
/// background.
[[maybe_unused]] const bool kBegun = [] {
  for (const int signal : kSignals) {
    std::signal(signal, SIG_DFL);
  }
  return true;
}();

/// What the process does at each of them.
std::vector<sighandler_t> handlers() {
  std::vector<sighandler_t> found;
  for (const int signal : kSignals) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    found.push_back(action.sa_handler);
  }
  return found;
}

/// A waveform with something in it.
struct Begun {
  explicit Begun(const std::string& file) : waves(file), chip("chip", &waves) {
    waves.end_of_cycle(0);
  }
  Waves waves;
  RtlAgeChip chip;
};

// What a disk that is full does to a file that is mapped: there is no place behind the file's end.
void store_where_there_is_no_room(const std::string& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT, 0666);
  const long page = sysconf(_SC_PAGESIZE);
  void* const mapped = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  *static_cast<volatile char*>(mapped) = 1;
}

// The handlers of a process are its program's: a library that is linked to a simulator, or to a
// test, has none.
TEST(Waves, LeaveTheSignalsToTheProgram) {
  const Directory directory;
  Begun one(directory.path("t.fst"));
  EXPECT_THAT(handlers(), Each(SIG_DFL));
  EXPECT_EQ(directory.waveforms(), 1U);
  EXPECT_EXIT(
      {
        const Begun another(directory.path("u.fst"));
        std::raise(SIGTERM);
      },
      KilledBySignal(SIGTERM), IsEmpty());
  EXPECT_EQ(directory.waveforms(), 2U);
  one.waves.close();
  EXPECT_THAT(handlers(), Each(SIG_DFL));
}

TEST(Waves, AreRemovedByTheProgramThatEnds) {
  for (const int signal : kSignals) {
    const Directory directory;
    EXPECT_EXIT(
        {
          const InterruptsRemoveWaves guard;
          const Begun one(directory.path("t.fst"));
          const Begun other(directory.path("u.fst"));
          if (directory.waveforms() == 2) {
            std::raise(signal);
          }
        },
        KilledBySignal(signal), IsEmpty());
    EXPECT_THAT(directory.names(), IsEmpty()) << signal;
  }
}

// One that is complete stays, whatever was written in its place in the list before it.
TEST(Waves, AreRemovedWhereTheyAreNotComplete) {
  const Directory directory;
  EXPECT_EXIT(
      {
        const InterruptsRemoveWaves guard;
        for (const char* const name : {"a.fst", "b.fst"}) {
          Begun(directory.path(name)).waves.close();
        }
        const Begun unfinished(directory.path("c.fst"));
        std::raise(SIGINT);
      },
      KilledBySignal(SIGINT), IsEmpty());
  EXPECT_THAT(directory.names(), ElementsAre("a.fst", "a.gtkw", "b.fst", "b.gtkw"));
}

TEST(Waves, SayThatTheDiskIsFull) {
  const Directory directory;
  EXPECT_EXIT(
      {
        const InterruptsRemoveWaves guard;
        const Begun unfinished(directory.path("t.fst"));
        store_where_there_is_no_room(directory.path("mapped"));
      },
      ExitedWithCode(2),
      ::testing::Eq("qosarb: " + directory.path("t.fst") +
                    ": the waveform could not be written completely\n"));
  EXPECT_THAT(directory.names(), ElementsAre("mapped"));
}

TEST(Waves, HideNoFailedCheckWhereTheDiskIsFull) {
  const Directory directory;
  EXPECT_EXIT(
      {
        const InterruptsRemoveWaves guard;
        const FailureToTell failure("a mismatch");
        { const FailureToTell told("another one"); }
        const Begun unfinished(directory.path("t.fst"));
        store_where_there_is_no_room(directory.path("mapped"));
      },
      ExitedWithCode(1), ::testing::EndsWith("completely\nqosarb: a mismatch\n"));
  EXPECT_THAT(directory.names(), ElementsAre("mapped"));
}

// A program's own fault is none of the disk's.
TEST(Waves, EndAsTheyAreWhereNoneIsWritten) {
  const Directory directory;
  EXPECT_EXIT(
      {
        const InterruptsRemoveWaves guard;
        Begun complete(directory.path("t.fst"));
        complete.waves.close();
        store_where_there_is_no_room(directory.path("mapped"));
      },
      KilledBySignal(SIGBUS), IsEmpty());
}

TEST(Waves, ASignalThatIsIgnoredOrHandledStaysSo) {
  const auto before_hup = std::signal(SIGHUP, SIG_IGN);
  const sighandler_t handler = [](int) {};
  const auto before_term = std::signal(SIGTERM, handler);
  const std::vector<sighandler_t> before = handlers();
  {
    const InterruptsRemoveWaves guard;
    const std::vector<sighandler_t> now = handlers();
    EXPECT_EQ(now[0], SIG_IGN);
    EXPECT_NE(now[1], SIG_DFL);
    EXPECT_EQ(now[2], handler);
    EXPECT_NE(now[3], SIG_DFL);
  }
  EXPECT_EQ(handlers(), before);
  EXPECT_THAT(before,
              ElementsAre(SIG_IGN, SIG_DFL, handler, SIG_DFL, SIG_DFL, SIG_DFL, SIG_DFL, SIG_DFL));
  std::signal(SIGHUP, before_hup);
  std::signal(SIGTERM, before_term);
}

}  // namespace
}  // namespace qosarb::test
