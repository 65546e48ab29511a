// qosarb shrink: a mismatch between reference and RTL in as few events as possible, told as a
// story.
#include "qosarb/events/shrink.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "command/command.hpp"
#include "command/progress.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/reproducer_files.hpp"
#include "cosim/run_log.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/events/explanation.hpp"

namespace qosarb::command {

namespace {

struct ShrinkOptions {
  std::string config;
  std::string events;
  std::string out;
  bool raw = false;
  EngineOptions engine;  ///< only its plusargs
};

/// The mismatch to which a case leads in lockstep; nothing if both sides agree to its end.
/// Errors: InputError if the RTL cannot run the config.
std::optional<Mismatch> mismatch_of(const LogCase& log_case, const FactoryOptions& factory,
                                    Explanation* explanation = nullptr) {
  try {
    StoredEvents events(log_case.events);
    run_log(sections_of(log_case), events, Engine::Lockstep, factory, explanation);
  } catch (const Mismatch& mismatch) {
    return mismatch;
  }
  return {};
}

/// Where the smallest case goes. Errors: InputError if that cannot be.
std::pair<std::string, std::string> output_paths(const ShrinkOptions& options) {
  const std::filesystem::path events = options.events;
  const std::string prefix =
      options.out.empty() ? (events.parent_path() / events.stem()).string() + "-min" : options.out;
  std::pair<std::string, std::string> paths = {prefix + ".yaml", prefix + ".csv"};
  check_apart({options.config, options.events}, {paths.first, paths.second});
  check_output(paths.first);
  check_output(paths.second);
  return paths;
}

/// What arrived, what the reference decided and why, and what the RTL did.
std::string story_of(const LogCase& log_case, const FactoryOptions& factory) {
  Explanation explanation;
  const std::optional<Mismatch> mismatch = mismatch_of(log_case, factory, &explanation);
  std::string text = "What happens, and what the reference does:\n";
  for (const Explanation::Passage& passage : explanation.passages()) {
    for (const std::string& line : passage.lines) {
      text += "  " + line + "\n";
    }
  }
  text += "\nWhat the RTL does: the same, up to this:\n";
  return text + (mismatch ? mismatch->what() : "") + "\n";
}

Status shrink(const ShrinkOptions& options) {
  const std::vector<ArbiterConfig> sections = load_sections(options.config, options.raw);
  LogCase given{sections.front(), {}, {sections.begin() + 1, sections.end()}};
  {
    std::optional<RawLog> raw;
    if (options.raw) {
      raw = raw_log(sections, Engine::Lockstep, options.config);
    }
    EventLogReader reader(options.events, given.config, raw);
    given.events = StoredEvents(reader).events();
  }
  const auto [config_path, events_path] = output_paths(options);
  const FactoryOptions factory{.config_file = options.config, .plusargs = options.engine.plusargs};
  if (!mismatch_of(given, factory)) {
    throw InputError(options.events, 0,
                     "does not fail: the reference and the RTL agree in all of its decisions");
  }

  Progress told;
  const std::optional<Shrunk> shrunk = qosarb::shrink(
      given,
      [&factory](const LogCase& log_case) -> std::optional<Cycle> {
        try {
          const std::optional<Mismatch> mismatch = mismatch_of(log_case, factory);
          return mismatch ? std::optional(mismatch->cycle()) : std::nullopt;
        } catch (const InputError&) {
          return {};  // the RTL cannot hold such a config
        }
      },
      [&told](const ShrinkProgress& progress) {
        told.tell([&progress] {
          return fmt::format("{} events left after {} runs", progress.events, progress.runs);
        });
      });
  told.end_line();
  const LogCase& smallest = shrunk->smallest;
  const std::string config = to_yaml(sections_of(smallest));
  const std::string story = fmt::format(
      "{} of {} events are left after {} runs.\n\n{} and {}:\n{}\n{}\nTo replay it: qosarb decide "
      "--config {} --events {}{} --engine lockstep --explain\n",
      smallest.events.size(), given.events.size(), shrunk->runs, config_path, events_path, config,
      story_of(smallest, factory), shell_word(config_path), shell_word(events_path),
      is_raw(smallest) ? " --raw" : "");
  write_files({{config_path, config}, {events_path, to_csv(smallest.events)}});
  print_result(story);
  return Status::Done;
}

}  // namespace

void add_shrink(CLI::App& app, Action& action) {
  CLI::App* const subcommand = app.add_subcommand(
      "shrink",
      "Reduce an event log on which reference and RTL differ, and tell what happens in it");
  const auto options = std::make_shared<ShrinkOptions>();
  subcommand->add_option("--config", options->config, "The arbiter, as for decide")
      ->required()
      ->type_name("C.yaml");
  subcommand->add_option("--events", options->events, "The log that fails, as for decide")
      ->required()
      ->type_name("E.csv");
  subcommand
      ->add_option("--out", options->out,
                   "Writes PREFIX.yaml and PREFIX.csv (default: E-min beside E.csv)")
      ->type_name("PREFIX");
  add_raw_option(*subcommand, options->raw);
  add_fault_option(*subcommand, options->engine);
  subcommand->callback([options, &action]() { action = [options]() { return shrink(*options); }; });
}

}  // namespace qosarb::command
