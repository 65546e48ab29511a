#include "cosim/reproducer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include "cosim/interrupts_remove_waves.hpp"
#include "cosim/reproducer_files.hpp"
#include "cosim/run_log.hpp"
#include "cosim/waves.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/input_error.hpp"

namespace qosarb {

namespace {

/// The arguments of a command that reads the reproducer in `directory`; empty: in that in which it
/// runs.
std::string arguments_of(const std::filesystem::path& directory, bool raw) {
  return fmt::format("--config {} --events {}{}", shell_word(directory / "config.yaml"),
                     shell_word(directory / "events.csv"), raw ? " --raw" : "");
}

std::string shrink_command(const std::filesystem::path& directory, bool raw) {
  return "qosarb shrink " + arguments_of(directory, raw);
}

// The log up to cycle `last`, with the arb of that cycle, which observers do not see if it failed.
void end_with_arb(Cycle last, std::vector<Event>& events) {
  events.erase(std::find_if(events.begin(), events.end(),
                            [last](const Event& event) { return event.cycle > last; }),
               events.end());
  if (events.empty() || events.back().cycle != last || events.back().kind != EventKind::Arb) {
    events.push_back({.cycle = last, .kind = EventKind::Arb});
  }
}

// What comes of the log by itself.
std::string replay_of(const LogCase& log_case, const FactoryOptions& options, bool& fails) {
  fails = false;
  try {
    StoredEvents source(log_case.events);
    run_log(sections_of(log_case), source, Engine::Lockstep, options);
  } catch (const Mismatch& again) {
    fails = true;
    return fmt::format("By itself the log fails in cycle {}.", again.cycle());
  } catch (const InputError& fault) {
    return fmt::format("The log cannot be replayed. {}", fault.what());
  }
  return "By itself, with its config from reset on, the log does not fail: the mismatch needs what "
         "was\nbefore it or beside it (other ports of the chip).";
}

// The first log that fails by itself; else the first.
LogCase choose(std::vector<LogCase> logs, const FactoryOptions& options) {
  for (std::size_t i = 0; logs.size() > 1 && i < logs.size(); ++i) {
    bool fails = false;
    replay_of(logs[i], options, fails);
    if (fails) {
      return std::move(logs[i]);
    }
  }
  return std::move(logs.front());
}

// Replays the log with a waveform of its last cycles; says what came of it.
std::string trace(const std::string& file, const LogCase& log_case, Cycle last,
                  const std::vector<std::string>& plusargs) {
  constexpr Cycle kTracedCycles = 200;
  Waves waves(file, {.from = last < kTracedCycles ? 0 : last - kTracedCycles, .to = last});
  bool fails = false;
  std::string outcome = replay_of(log_case, {.waves = &waves, .plusargs = plusargs}, fails);
  try {
    waves.close(last);
  } catch (const InputError& fault) {
    // A check that fails may end the first cycle without one; the log is what counts.
    outcome += fmt::format("\nThere is no waveform. {}", fault.what());
  }
  return outcome;
}

/// `mismatch` with the place of its reproducer, or why there is none.
std::string text_of(const Mismatch& mismatch, const std::string& reproducer) {
  return fmt::format("{}\n  reproducer: {}", mismatch.what(), reproducer);
}

// The place and the command that shrinks it.
std::string write(const std::string& directory, std::vector<LogCase> logs, const Mismatch& mismatch,
                  const std::string& origin, const std::vector<std::string>& plusargs) {
  const Cycle last = mismatch.cycle();
  for (LogCase& log : logs) {
    end_with_arb(last, log.events);
  }
  const LogCase log_case = choose(std::move(logs), {.plusargs = plusargs});
  const bool raw = is_raw(log_case);
  const std::string path = make_reproducer_directory(directory);
  write_reproducer_file(path + "/config.yaml", to_yaml(sections_of(log_case)));
  write_reproducer_file(path + "/events.csv", to_csv(log_case.events));
  std::string written = path + "\n  to shrink it: " + shrink_command(path, raw);
  const std::string waves = path + "/waves.fst";
  std::string replayed;
  {
    const FailureToTell failure(text_of(mismatch, written));  // the log is what counts
    replayed = trace(waves, log_case, last, plusargs);
  }
  const std::string needs_raw = raw ? "The log is a raw one: it has commits, packets whose length "
                                      "lies, heads that go\nwithout a grant, or events of a chip.\n"
                                    : "";
  const std::string look =
      std::filesystem::exists(waves) ? "Look:     gtkwave waves.fst waves.gtkw\n" : "";
  // It may be read, and its directory may be, anywhere.
  write_reproducer_file(
      path + "/README.txt",
      fmt::format("{}\n\nFound by: {}\n{}\n{}In the directory of this file:\n"
                  "Replay:   qosarb decide {} --engine lockstep\n{}Shrink:   {}\n",
                  mismatch.what(), origin, replayed, needs_raw, arguments_of({}, raw), look,
                  shrink_command({}, raw)));
  return written;
}

}  // namespace

Mismatch with_reproducer(const Mismatch& mismatch, const std::string& directory,
                         std::vector<LogCase> logs, const std::string& origin,
                         const std::vector<std::string>& plusargs) {
  std::string reproducer;
  try {
    reproducer = write(directory, std::move(logs), mismatch, origin, plusargs);
  } catch (const std::exception& error) {
    reproducer = error.what();
  }
  return {mismatch.cycle(), mismatch.place(), text_of(mismatch, reproducer)};
}

}  // namespace qosarb
