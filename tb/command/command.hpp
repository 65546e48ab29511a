// What the subcommands of qosarb share.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cosim/engine.hpp"
#include "cosim/waves.hpp"
#include "qosarb/events/event_log.hpp"

namespace qosarb::command {

/// Exit status.
enum class Status {
  Done = 0,         ///< and every check held
  CheckFailed = 1,  ///< a decision differs, a packet is lost, an invariant is broken
  BadInput = 2,     ///< bad usage, bad input, or results that could not be written
};

/// What the parsed subcommand does. Errors: InputError for Status::BadInput, Mismatch or
/// CheckFailure for Status::CheckFailed.
using Action = std::function<Status()>;

/// For CLI::Option::transform(): the value must be a whole number, in decimal digits, within
/// `low`..`high`. CLI11 by itself wraps -1 round, cuts what is too large and takes 010 for 8.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high);

/// The options of every subcommand that runs arbiters.
struct EngineOptions {
  std::optional<Engine> engine;       ///< not given: the subcommand's default
  std::string trace;                  ///< waveform file; empty: none
  std::optional<Cycle> trace_from;    ///< first cycle that it shows
  std::optional<Cycle> trace_to;      ///< last cycle that it shows
  std::optional<Cycle> trace_last;    ///< only so many cycles before the end or a mismatch
  std::string reproducer;             ///< directory for a failure; empty: one is chosen
  std::vector<std::string> plusargs;  ///< for test builds of the RTL
};
void add_engine_options(CLI::App& subcommand, EngineOptions& options);
/// --fault of the test build of the command; nothing in the command itself.
void add_fault_option(CLI::App& subcommand, EngineOptions& options);

/// The engine asked for, else lockstep where RTL of `configs` is built and the model where not:
/// then standard error says so if builds are missing.
Engine engine_of(const EngineOptions& options, std::span<const ArbiterConfig> configs);
/// Whether `engine` has RTL of `configs` to show in a waveform. Errors: InputError if it has not.
void check_traceable(Engine engine, std::span<const ArbiterConfig> configs,
                     const std::string& config_file);

/// --raw of the subcommands that read an event log.
void add_raw_option(CLI::App& subcommand, bool& raw);
/// The arbiter of a config file, and if `raw` the sections of its `commits`, all of the corrected
/// variant. Errors: InputError.
std::vector<ArbiterConfig> load_sections(const std::string& file, bool raw);
/// What a raw log of `sections` may hold if `engine` decides: the RTL has pins for so many flits.
/// Errors: InputError naming `file` if the RTL cannot run the sections.
RawLog raw_log(std::span<const ArbiterConfig> sections, Engine engine, const std::string& file);

/// The cycles to trace of a run whose last cycle is `last`. Errors: InputError if there are none.
TraceWindow window_of(const EngineOptions& options, Cycle last);

/// The bytes of a file; none if it cannot be read.
std::string file_text(const std::string& file);

/// A result that --json prints. JSON is UTF-8; what is not, as a name of a file need not be, is
/// replaced.
std::string to_text(const nlohmann::ordered_json& result);

/// Writes results to standard output, all of them. Errors: InputError if that fails.
void print_result(const std::string& text);

/// A file and its whole text.
struct OutputFile {
  std::string path;
  std::string text;
};
/// To be asked before anything is written to `outputs` of what is read from `inputs`; files and
/// directories, an empty name is none. Errors: InputError for an output that is an input, too, or
/// is named twice: nothing would be left of it.
void check_apart(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);
/// The same where the files of a waveform are outputs, too, and a reproducer beside it.
void check_apart(const std::vector<std::string>& inputs, std::vector<std::string> outputs,
                 const EngineOptions& options);
/// To be asked before long work whose outcome goes to `file`, or to where its links end. Errors:
/// InputError if that is there and not a plain file (output_place()), or in no directory that is
/// there.
void check_output(const std::string& file);
/// The same for a directory, which may yet have to be made. Errors: InputError if something else
/// stands in its way.
void check_output_directory(const std::string& directory);
/// The same for the directory of a reproducer, if one is named: a run that is long should not find
/// out when it fails.
void check_reproducer(const EngineOptions& options);
/// Writes all of `files`, replacing what was there, or leaves everything as it was, unless one that
/// could be written beside its place cannot be put there. Interrupts wait until it is done. Errors:
/// InputError.
void write_files(const std::vector<OutputFile>& files);

/// What is left to do when a run has failed, which is what has to be reported: an InputError of
/// `act` goes to standard error, and no further.
void or_complain(const std::function<void()>& act);

/// Each adds its subcommand to `app`; `action` becomes what it does if the user chose it.
void add_decide(CLI::App& app, Action& action);
void add_shrink(CLI::App& app, Action& action);
void add_sim(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_analyze(CLI::App& app, Action& action);
void add_policies(CLI::App& app, Action& action);

}  // namespace qosarb::command
