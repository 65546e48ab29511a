#include "command/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <list>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command/faults.hpp"
#include "cosim/build_choice.hpp"
#include "cosim/interrupts_remove_waves.hpp"
#include "cosim/output_place.hpp"
#include "cosim/standard_error.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb::command {

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  return {[low, high](std::string& text) {
            std::uint64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto [stopped_at, fault] = std::from_chars(text.data(), end, value);
            if (fault != std::errc{} || stopped_at != end || value < low || value > high) {
              return fmt::format("'{}' is not a whole number within {}..{}", text, low, high);
            }
            text = std::to_string(value);
            return std::string();
          },
          ""};
}

void add_engine_options(CLI::App& subcommand, EngineOptions& options) {
  subcommand
      .add_option_function<std::string>(
          "--engine", [&options](const std::string& name) { options.engine = engine_named(name); },
          "Who decides: the C++ reference, the Verilated RTL, or both checked against each other "
          "(default: lockstep where the RTL can hold the configuration, else model)")
      ->check(CLI::IsMember({"model", "rtl", "lockstep"}).description(""))
      ->type_name("model|rtl|lockstep");
  CLI::Option* const trace =
      subcommand
          .add_option("--trace", options.trace,
                      "Write a waveform of every port, and beside it FILE.gtkw, its layout")
          ->type_name("FILE.fst");
  const CLI::Validator cycle = whole_number(0, std::numeric_limits<Cycle>::max());
  CLI::Option* const from =
      subcommand.add_option("--trace-from", options.trace_from, "First cycle of the waveform")
          ->needs(trace)
          ->transform(cycle)
          ->type_name("CYCLE");
  CLI::Option* const to =
      subcommand.add_option("--trace-to", options.trace_to, "Last cycle of the waveform")
          ->needs(trace)
          ->transform(cycle)
          ->type_name("CYCLE");
  subcommand
      .add_option("--trace-last", options.trace_last,
                  "Keep only the last N cycles before the end, or before a mismatch; until then "
                  "nothing is recorded, and a mismatch is run a second time")
      ->needs(trace)
      ->excludes(from, to)
      ->transform(whole_number(1, std::numeric_limits<Cycle>::max()))
      ->type_name("N");
  subcommand
      .add_option("--reproducer", options.reproducer,
                  "Where a mismatch leaves its config and event log (default: a new directory "
                  "qosarb-reproducer-N)")
      ->type_name("DIR");
  add_fault_option(subcommand, options);
}

void add_fault_option(CLI::App& subcommand, EngineOptions& options) {
  const std::vector<std::string> names = fault_names();
  if (names.empty()) {
    return;
  }
  subcommand
      .add_option_function<std::string>(
          "--fault",
          [&options, names](const std::string& name) {
            const auto at = std::find(names.begin(), names.end(), name) - names.begin();
            options.plusargs = {fmt::format("+fault={}", at + 1), kChecksAreOff};
          },
          "The fault of tb/faults/policy that the RTL has")
      ->check(CLI::IsMember(names))
      ->type_name("NAME");
  subcommand.add_flag_callback(
      "--bound-checks", [&options]() { std::erase(options.plusargs, kChecksAreOff); },
      "With --fault, which else is lockstep's to find: the checks that are bound to the RTL, too");
}

Engine engine_of(const EngineOptions& options, std::span<const ArbiterConfig> configs) {
  const Engine engine = options.engine.value_or(default_engine(configs));
  if (engine == Engine::Model && !options.plusargs.empty()) {
    throw InputError("--fault", 0, "the RTL has it, and --engine model runs none");
  }
  if (options.engine) {
    return engine;
  }
  if (engine == Engine::Model && absent_port_builds() > 0) {
    to_standard_error(
        fmt::format("qosarb: engine model: {}; {} builds of the RTL are missing (scripts/build)\n",
                    rtl_obstacle(configs).value(), absent_port_builds()));
  }
  return engine;
}

void check_traceable(Engine engine, std::span<const ArbiterConfig> configs,
                     const std::string& config_file) {
  if (engine == Engine::Model) {
    const auto [build, obstacle, line] = choose_build(configs);
    const std::string shows = "--trace shows the RTL, but ";
    throw obstacle
        ? InputError(config_file, line, shows + "it cannot run this arbiter: " + *obstacle)
        : InputError(config_file, 0, shows + "--engine model has none");
  }
}

void add_raw_option(CLI::App& subcommand, bool& raw) {
  subcommand.add_flag("--raw", raw,
                      "Take what only a port can see: packets of any length, and rows "
                      "cycle,commit,N that bring section N of the config's list 'commits' into "
                      "force");
}

std::vector<ArbiterConfig> load_sections(const std::string& file, bool raw) {
  if (!raw) {
    return {load_arbiter(file)};
  }
  std::vector<ArbiterConfig> sections = qosarb::load_sections(file);
  for (const ArbiterConfig& section : sections) {
    if (section.variant != Variant::Corrected) {
      throw InputError(file, 0,
                       "--raw needs variant: corrected; what a length that lies does is settled "
                       "for that one alone");
    }
  }
  return sections;
}

RawLog raw_log(std::span<const ArbiterConfig> sections, Engine engine, const std::string& file) {
  RawLog raw{.commits = count(sections) - 1,
             .has_chip = sections.front().policy->shares_chip_clock()};
  if (engine != Engine::Model) {
    raw.longest = longest_shown(sections, file);
  }
  return raw;
}

TraceWindow window_of(const EngineOptions& options, Cycle last) {
  TraceWindow window{.from = options.trace_from.value_or(0),
                     .to = options.trace_to.value_or(TraceWindow{}.to)};
  if (options.trace_last) {
    window.from = last + 1 > *options.trace_last ? last + 1 - *options.trace_last : 0;
    window.to = last;
  }
  if (window.from > last) {
    throw InputError(options.trace, 0,
                     fmt::format("not written: the run ends before cycle {}", window.from));
  }
  if (window.from > window.to) {
    throw InputError(options.trace, 0,
                     fmt::format("--trace-from {} is after --trace-to {}", window.from, window.to));
  }
  return window;
}

std::string file_text(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::string to_text(const nlohmann::ordered_json& result) {
  return result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void or_complain(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    to_standard_error(fmt::format("qosarb: {}\n", error.what()));
  }
}

void print_result(const std::string& text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw InputError("standard output", 0,
                     std::string("cannot be written: ") + std::strerror(errno));
  }
}

namespace {

/// Holds back what interrupts the process as long as it lives.
class InterruptsWait {
 public:
  InterruptsWait() {
    sigset_t interrupts;
    sigemptyset(&interrupts);
    for (const int signal : kInterrupts) {
      sigaddset(&interrupts, signal);
    }
    pthread_sigmask(SIG_BLOCK, &interrupts, &before_);
  }
  ~InterruptsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  InterruptsWait(const InterruptsWait&) = delete;
  InterruptsWait& operator=(const InterruptsWait&) = delete;

 private:
  sigset_t before_{};
};

/// A file beside its final place, of this process alone; removed again unless it gets there.
class NewFile {
 public:
  explicit NewFile(const OutputFile& file)
      : path_(file.path),
        place_(output_place(file.path)),
        beside_(fmt::format("{}.part.{}", place_, getpid())) {
    errno = 0;
    std::ofstream stream(beside_, std::ios::binary);
    stream << file.text;
    stream.close();
    if (!stream) {
      const std::string fault = std::strerror(errno);
      remove();
      throw InputError(path_, 0, "cannot be written: " + fault);
    }
  }
  ~NewFile() { remove(); }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void put_in_place() {
    std::error_code fault;
    std::filesystem::rename(beside_, place_, fault);
    if (fault) {
      throw InputError(path_, 0, "cannot be written: " + fault.message());
    }
  }

 private:
  void remove() const {
    std::error_code ignored;
    std::filesystem::remove(beside_, ignored);
  }

  std::string path_;
  std::string place_;
  std::string beside_;
};

}  // namespace

void check_apart(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  const auto same = [](const std::string& one, const std::string& other) {
    std::error_code fault;
    const auto place = [&fault](const std::string& file) {
      return std::filesystem::weakly_canonical(behind_links(std::filesystem::absolute(file, fault)),
                                               fault);
    };
    return !one.empty() && !other.empty() &&
           (std::filesystem::equivalent(one, other, fault) || place(one) == place(other));
  };
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    const auto is_this = [&](const std::string& other) { return same(*output, other); };
    if (std::any_of(inputs.begin(), inputs.end(), is_this)) {
      throw InputError(*output, 0, "is an input; an output needs another name");
    }
    if (std::any_of(outputs.begin(), output, is_this)) {
      throw InputError(*output, 0, "is named for two outputs");
    }
  }
}

void check_apart(const std::vector<std::string>& inputs, std::vector<std::string> outputs,
                 const EngineOptions& options) {
  if (!options.trace.empty()) {
    outputs.push_back(options.reproducer);
    outputs.push_back(options.trace);
    outputs.push_back(Waves::layout_beside(options.trace));
  }
  check_apart(inputs, outputs);
}

void check_output(const std::string& file) {
  std::error_code fault;
  const std::filesystem::path directory = std::filesystem::path(output_place(file)).parent_path();
  if (!directory.empty() && !std::filesystem::is_directory(directory, fault)) {
    throw InputError(file, 0, "cannot be written: its directory is not there");
  }
}

void check_output_directory(const std::string& directory) {
  std::error_code fault;
  std::filesystem::path there = directory;
  while (!there.empty() && !std::filesystem::exists(there, fault)) {
    there = there.parent_path();
  }
  if (!there.empty() && !std::filesystem::is_directory(there, fault)) {
    throw InputError(directory, 0, "cannot be made: " + there.string() + " is not a directory");
  }
}

void check_reproducer(const EngineOptions& options) {
  if (!options.reproducer.empty()) {
    check_output_directory(options.reproducer);
  }
}

void write_files(const std::vector<OutputFile>& files) {
  const InterruptsWait waiting;
  std::list<NewFile> written;
  for (const OutputFile& file : files) {
    check_output(file.path);
    written.emplace_back(file);
  }
  for (NewFile& file : written) {
    file.put_in_place();
  }
}

}  // namespace qosarb::command
