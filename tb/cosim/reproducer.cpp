#include "cosim/reproducer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "cosim/run_log.hpp"
#include "cosim/waves.hpp"
#include "qosarb/config/input_error.hpp"

namespace qosarb {

namespace {

std::string make_new_directory(const std::string& wished) {
  const std::string base = wished.empty() ? "qosarb-reproducer" : wished;
  std::string path = wished.empty() ? base + "-1" : base;
  for (int number = wished.empty() ? 2 : 1;; ++number) {
    std::error_code fault;
    if (std::filesystem::create_directories(path, fault)) {
      return path;
    }
    if (fault) {
      throw InputError(path, 0, "the reproducer's directory cannot be made: " + fault.message());
    }
    path = fmt::format("{}-{}", base, number);
  }
}

std::string shrink_command(const std::string& path) {
  return fmt::format("qosarb shrink --config {}/config.yaml --events {}/events.csv", path, path);
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    throw InputError(path, 0, "cannot be written");
  }
}

// Replays the log with a waveform of its last cycles; says what came of it.
std::string trace(const std::string& file, const ArbiterConfig& config, std::vector<Event> events,
                  Cycle last, const std::vector<std::string>& plusargs) {
  constexpr Cycle kTracedCycles = 200;
  Waves waves(file, {.from = last < kTracedCycles ? 0 : last - kTracedCycles, .to = last});
  std::string outcome =
      "By itself, with its config from reset on, the log does not fail: the mismatch needs what "
      "was\n"
      "before it (a commit during traffic) or beside it (other ports of the chip).";
  try {
    StoredEvents source(std::move(events));
    run_log(config, source, Engine::Lockstep, {.waves = &waves, .plusargs = plusargs});
  } catch (const Mismatch& again) {
    outcome = fmt::format("By itself the log fails in cycle {}.", again.cycle());
  }
  try {
    waves.close(last);
  } catch (const InputError& fault) {
    // An RTL that grants what is not there ends its first cycle without one; the log is what
    // counts.
    outcome += fmt::format("\nThere is no waveform. {}", fault.what());
  }
  return outcome;
}

}  // namespace

std::string write_reproducer(const std::string& directory, const ArbiterConfig& config,
                             std::vector<Event> events, const Mismatch& mismatch,
                             const std::string& origin, const std::vector<std::string>& plusargs) {
  const Cycle last = mismatch.cycle();
  events.erase(std::find_if(events.begin(), events.end(),
                            [last](const Event& event) { return event.cycle > last; }),
               events.end());
  const bool has_arb =
      !events.empty() && events.back().cycle == last && events.back().kind == EventKind::Arb;
  if (!has_arb) {
    events.push_back({.cycle = last, .kind = EventKind::Arb});
  }
  const std::string path = make_new_directory(directory);
  write_file(path + "/config.yaml", to_yaml(config));
  write_file(path + "/events.csv", to_csv(events));
  const std::string replayed = trace(path + "/waves.fst", config, events, last, plusargs);
  write_file(path + "/README.txt",
             fmt::format("{0}\n\nFound by: {1}\n{2}\nReplay:   qosarb decide --config "
                         "{3}/config.yaml --events {3}/events.csv --engine lockstep\n"
                         "Look:     gtkwave {3}/waves.fst {3}/waves.gtkw\nShrink:   {4}\n",
                         mismatch.what(), origin, replayed, path, shrink_command(path)));
  return path;
}

Mismatch with_reproducer(const Mismatch& mismatch, const std::string& directory,
                         const ArbiterConfig& config, std::vector<Event> events,
                         const std::string& origin, const std::vector<std::string>& plusargs) {
  std::string outcome;
  try {
    outcome = write_reproducer(directory, config, std::move(events), mismatch, origin, plusargs);
    outcome += "\n  to shrink it: " + shrink_command(outcome);
  } catch (const InputError& error) {
    outcome = error.what();
  }
  return {mismatch.cycle(), mismatch.place(),
          fmt::format("{}\n  reproducer: {}", mismatch.what(), outcome)};
}

}  // namespace qosarb
