// qosarb sim: traffic through switches, every port's arbiter the reference, the RTL, or both.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "command/command.hpp"
#include "command/progress.hpp"
#include "cosim/interrupts_remove_waves.hpp"
#include "cosim/reproducer.hpp"
#include "cosim/reproducer_files.hpp"
#include "cosim/waves.hpp"
#include "qosarb/config/check_failure.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/network/places.hpp"
#include "qosarb/network/port_log.hpp"
#include "qosarb/network/report.hpp"
#include "qosarb/network/run_page.hpp"
#include "qosarb/network/tables.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb::command {

namespace {

/// More is taken for a mistake.
constexpr int kMostThreads = 256;

struct SimOptions {
  std::string scenario;
  std::optional<std::uint64_t> seed;
  bool json = false;
  bool tables = false;
  std::string report;
  std::string csv;
  std::vector<std::string> trace_ports;  ///< none: all
  int threads = 1;
  EngineOptions engine;
};

/// The ports that a waveform shows: those that `places` names (sim/network/places.hpp), or all if
/// it is empty. Ports that share their chip's age clock are shown together.
class TracedPorts {
 public:
  /// Errors: InputError naming `file` for a place that is not in the network.
  TracedPorts(std::vector<std::string> places, const Scenario& scenario, const std::string& file)
      : places_(std::move(places)), scenario_(&scenario) {
    if (places_.empty()) {
      return;
    }
    const std::set<std::string> known =
        place_names(scenario.topology.kind->build(scenario.topology));
    for (const std::string& place : places_) {
      if (!known.contains(place)) {
        throw InputError(file, 0,
                         fmt::format("--trace-ports: there is no '{}': nics, switches, hostN, "
                                     "switchN or switchN.portM are expected",
                                     place));
      }
    }
  }

  /// That port, too.
  void add(const PortPlace& place) {
    if (!places_.empty()) {
      places_.push_back(text_of(place));
    }
  }

  [[nodiscard]] bool shows(const PortPlace& place) const {
    const bool whole_chip =
        scenario_->arbiter_at(place.chip, place.port).policy->shares_chip_clock();
    return places_.empty() ||
           std::any_of(places_.begin(), places_.end(), [&](const std::string& named) {
             return names_port(named, place.chip, place.port) ||
                    (whole_chip && named.starts_with(place.chip + "."));
           });
  }

 private:
  std::vector<std::string> places_;
  const Scenario* scenario_;
};

/// As make_factory(), with only the ports of `traced` in the waveform.
ArbiterFactory make_tracing_factory(Engine engine, const FactoryOptions& options,
                                    const TracedPorts& traced) {
  FactoryOptions unseen = options;
  unseen.waves = nullptr;
  return [seen = make_factory(engine, options), unseen = make_factory(engine, unseen), traced](
             const ArbiterConfig& config, const PortPlace& place) {
    return traced.shows(place) ? seen(config, place) : unseen(config, place);
  };
}

// The same run once more, with an eye on the port that differed: nothing else has to be recorded
// in runs that end well. What was compared was alike until then; RTL alone may have gone another
// way.
[[noreturn]] void reproduce(const Mismatch& mismatch, const Scenario& scenario, Engine engine,
                            const SimOptions& options) {
  const ArbiterFactory arbiters =
      make_factory(engine == Engine::Rtl ? Engine::Rtl : Engine::Model,
                   {.config_file = options.scenario, .plusargs = options.engine.plusargs});
  throw with_reproducer(mismatch, options.engine.reproducer,
                        logs_of_port(scenario, mismatch.place(), mismatch.cycle(), arbiters),
                        fmt::format("qosarb sim {} --seed {}{}", shell_word(options.scenario),
                                    scenario.seed, engine == Engine::Rtl ? " --engine rtl" : ""),
                        options.engine.plusargs);
}

// The ports of `network` that are `traced` are part of the waveform.
void trace(Network& network, Waves& waves, const TracedPorts& traced) {
  std::vector<Sender*> shown;
  for (const Network::NamedPort& named : network.ports()) {
    const std::size_t dot = named.name.find('.');
    if (traced.shows({.chip = named.name.substr(0, dot), .port = named.name.substr(dot + 1)})) {
      shown.push_back(named.port);
    }
  }
  network.every_cycle([&waves, shown = std::move(shown)](Cycle now) {
    if (waves.concerns(now)) {
      for (Sender* const port : shown) {
        port->reach(now + 1);
      }
      waves.end_of_cycle(now);
    }
  });
}

// The same run once more up to cycle `last`, of which only the last cycles are recorded.
std::unique_ptr<Waves> trace_last(Cycle last, const Scenario& scenario, Engine engine,
                                  const SimOptions& options, const TracedPorts& traced) {
  auto waves = std::make_unique<Waves>(options.engine.trace, window_of(options.engine, last));
  Network again(scenario,
                make_tracing_factory(engine,
                                     {.config_file = options.scenario,
                                      .waves = waves.get(),
                                      .plusargs = options.engine.plusargs},
                                     traced),
                {.shards = 1});
  trace(again, *waves, traced);
  try {
    again.run(last + 1);
  } catch (const Mismatch&) {
  }
  return waves;
}

void check_threads(const SimOptions& options, const Scenario& scenario) {
  if (options.threads > 1 && !options.engine.trace.empty()) {
    throw InputError(options.scenario, 0, "--threads: a waveform is written by one thread");
  }
  if (const auto obstacle = obstacle_to_threads(scenario, options.threads)) {
    throw InputError(options.scenario, 0, "--threads: " + *obstacle);
  }
}

// Runs to `end` or until all traces are done, telling on a terminal how far it is.
void run(Network& network, Cycle end, Recording* recording) {
  constexpr Cycle kStep = 1 << 20;
  const Cycle step = end == kNever ? kStep : std::max<Cycle>(end / 100, 1);
  Progress progress;
  while (network.now() < end && !network.finished()) {
    const Cycle busy = network.next_busy(end);  // what comes before takes no time
    const Cycle next = busy + std::min(step, end - busy);
    network.run(recording != nullptr ? std::min(next, recording->next()) : next);
    if (recording != nullptr && (network.now() == recording->next() || network.finished())) {
      recording->sample();
    }
    progress.tell([&network, end] {
      return fmt::format("cycle {} of {}", network.now(),
                         end == kNever ? std::string("a trace")
                                       : fmt::format("{} ({} %)", end, network.now() * 100 / end));
    });
  }
  network.check_stall();
  if (recording != nullptr) {
    recording->sample();
  }
}

// As run(), to the end of the scenario. A failure ends it before its time, and is what has to be
// reported: the last cycles are in the waveform first, and a mismatch leaves a reproducer.
void run_or_reproduce(Network& network, Recording* recording, Waves* waves, Engine engine,
                      const SimOptions& options, TracedPorts traced) {
  const Scenario& scenario = network.scenario();
  const bool traces_last = options.engine.trace_last.has_value();
  const auto show_last = [&](Cycle last, std::optional<Cycle> marked, const std::string& first) {
    or_complain([&] {
      trace_last(last, scenario, engine, options, traced)->close_after_failure(marked, first);
    });
  };
  try {
    run(network, scenario.end(), recording);
  } catch (const Mismatch& mismatch) {
    const FailureToTell failure(mismatch.what());
    if (traces_last) {
      traced.add(mismatch.place());
      show_last(mismatch.cycle(), mismatch.cycle(), text_of(mismatch.place()));
    } else if (waves) {
      waves->close_after_failure(mismatch.cycle(), text_of(mismatch.place()));
    }
    reproduce(mismatch, scenario, engine, options);
  } catch (const CheckFailure& check) {
    const FailureToTell failure(check.what());
    if (traces_last && network.now() > 0) {  // its own cycle has no end
      show_last(network.now() - 1, std::nullopt, "switch");
    } else if (waves) {
      waves->close_after_failure(std::nullopt, "switch");
    }
    throw;
  }
}

/// Those that some port has.
std::vector<ArbiterConfig> arbiters_of(const Scenario& scenario) {
  const Topology topology = scenario.topology.kind->build(scenario.topology);
  std::set<const ArbiterConfig*> held;
  for (Index host = 0; host < topology.hosts; ++host) {
    held.insert(&scenario.arbiter_at(fmt::format("host{}", host), "nic"));
  }
  for (Index s = 0; s < count(topology.switch_ports); ++s) {
    for (int port = 0; port < topology.switch_ports[s]; ++port) {
      held.insert(&scenario.arbiter_at(fmt::format("switch{}", s), fmt::format("port{}", port)));
    }
  }
  std::vector<ArbiterConfig> all;
  const auto add = [&](const ArbiterConfig& one) {
    if (held.contains(&one)) {
      all.push_back(one);
    }
  };
  add(scenario.arbiter);
  for (const ArbiterAt& one : scenario.arbiters) {
    add(one.arbiter);
  }
  return all;
}

/// The first of `arbiters` that no build of the RTL can run; if there is none, the first one. Each
/// place has a build of its own.
std::span<const ArbiterConfig> hardest_of(std::span<const ArbiterConfig> arbiters) {
  const auto found = std::find_if(arbiters.begin(), arbiters.end(), [](const ArbiterConfig& one) {
    return rtl_obstacle(one).has_value();
  });
  return arbiters.subspan(found == arbiters.end() ? 0 : found - arbiters.begin(), 1);
}

/// The files of --csv, in the order of names_of_tables(); none without it.
std::vector<std::string> table_files(const SimOptions& options) {
  std::vector<std::string> files;
  if (!options.csv.empty()) {
    for (const std::string& table : names_of_tables()) {
      files.push_back((std::filesystem::path(options.csv) / (table + ".csv")).string());
    }
  }
  return files;
}

// What is to be written, before the run: a run that is long should not find out at its end.
void check_outputs(const Scenario& scenario, const SimOptions& options) {
  check_reproducer(options.engine);
  check_threads(options, scenario);
  std::vector<std::string> inputs = scenario.files_of_traffic();
  inputs.push_back(options.scenario);
  std::vector<std::string> outputs = table_files(options);
  outputs.insert(outputs.end(), {options.report, options.csv});
  check_apart(inputs, outputs, options.engine);
  if (!options.report.empty()) {
    check_output(options.report);
  }
  if (!options.csv.empty()) {
    check_output_directory(options.csv);
  }
  if (std::filesystem::is_directory(options.csv)) {
    for (const std::string& file : table_files(options)) {
      check_output(file);
    }
  }
}

/// Makes a directory and those above it; at its end those that are still empty go again. Without a
/// name it makes none. Errors: InputError.
class NewDirectories {
 public:
  explicit NewDirectories(const std::string& directory) {
    std::error_code fault;
    for (std::filesystem::path one = directory;
         !one.empty() && !std::filesystem::exists(std::filesystem::symlink_status(one, fault));
         one = one.parent_path()) {  // a link to nothing is there, and stays
      made_.push_back(one);
    }
    fault.clear();
    std::filesystem::create_directories(directory, fault);
    if (fault && !directory.empty()) {
      remove_empty();
      throw InputError(directory, 0, "cannot be made: " + fault.message());
    }
  }
  ~NewDirectories() { remove_empty(); }
  NewDirectories(const NewDirectories&) = delete;
  NewDirectories& operator=(const NewDirectories&) = delete;

 private:
  void remove_empty() const {
    std::error_code ignored;
    for (const std::filesystem::path& one : made_) {
      std::filesystem::remove(one, ignored);
    }
  }

  std::vector<std::filesystem::path> made_;  ///< the lowest first
};

void write_results(Network& network, const Recording* recording, const RunReport& report,
                   const std::string& json, const SimOptions& options) {
  std::vector<OutputFile> files;
  if (!options.report.empty()) {
    files.push_back(
        {options.report, page_of_run(network, *recording, json,
                                     std::filesystem::path(options.scenario).filename().string(),
                                     network.scenario().text)});
  }
  const NewDirectories directories(options.csv);
  if (!options.csv.empty()) {
    const std::vector<std::string> names = table_files(options);
    const std::vector<Table> tables = tables_of_run(network, *recording, report);
    for (std::size_t i = 0; i < tables.size(); ++i) {
      files.push_back({names[i], to_csv(tables[i])});
    }
  }
  write_files(files);
}

Status sim(const SimOptions& options) {
  Scenario scenario = load_scenario(options.scenario);
  scenario.seed = options.seed.value_or(scenario.seed);
  const std::vector<ArbiterConfig> arbiters = arbiters_of(scenario);
  const std::span<const ArbiterConfig> hardest = hardest_of(arbiters);
  const Engine engine = engine_of(options.engine, hardest);
  check_outputs(scenario, options);
  const TracedPorts traced(options.trace_ports, scenario, options.scenario);
  // Which cycles are the last is known beforehand where nobody ends the run before its time.
  const bool traces_again = options.engine.trace_last && scenario.has_traces();
  std::unique_ptr<Waves> waves;
  if (!options.engine.trace.empty()) {
    check_traceable(engine, hardest, options.scenario);
  }
  if (traces_again) {
    check_output(options.engine.trace);
    check_output(Waves::layout_beside(options.engine.trace));
  } else if (!options.engine.trace.empty()) {
    waves = std::make_unique<Waves>(options.engine.trace,
                                    window_of(options.engine, scenario.end() - 1));
  }
  std::atomic<std::uint64_t> compared = 0;
  const ArbiterFactory factory = make_tracing_factory(engine,
                                                      {.config_file = options.scenario,
                                                       .waves = waves.get(),
                                                       .plusargs = options.engine.plusargs,
                                                       .compared = &compared},
                                                      traced);

  const auto start = std::chrono::steady_clock::now();
  Network network(scenario, factory,
                  {.threads = options.threads, .shards = options.engine.trace.empty() ? 0 : 1});
  std::unique_ptr<Recording> recording;
  if (!options.report.empty() || !options.csv.empty() || options.tables) {
    recording = std::make_unique<Recording>(network, 0, !options.report.empty());
  }
  if (waves) {
    trace(network, *waves, traced);
  }
  run_or_reproduce(network, recording.get(), waves.get(), engine, options, traced);
  const double wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  if (traces_again) {
    waves = trace_last(network.now() - 1, scenario, engine, options, traced);
  }
  if (waves) {
    waves->finish(std::nullopt, "switch");
  }
  RunReport report = report_of(network);
  report.compared = compared;
  add_counters(report, network);
  const std::string name(name_of(engine));
  const std::string json = to_json(report, name, wall_s);
  write_results(network, recording.get(), report, json, options);
  if (options.tables) {
    print_result(with_tables(json, tables_of_run(network, *recording, report)));
  } else {
    print_result(options.json ? json : to_table(report, name, wall_s));
  }
  if (waves) {
    waves->put_in_place();
  }
  if (report.flits.lost() != 0) {
    throw CheckFailure(fmt::format("{} flits are lost at the end", report.flits.lost()));
  }
  return Status::Done;
}

}  // namespace

void add_sim(CLI::App& app, Action& action) {
  CLI::App* const subcommand =
      app.add_subcommand("sim", "Run traffic through switches and report shares and latencies");
  const auto options = std::make_shared<SimOptions>();
  subcommand->add_option("scenario", options->scenario, "Arbiter, network, traffic and run")
      ->required()
      ->type_name("SCENARIO.yaml");
  subcommand->add_option("--seed", options->seed, "Instead of the scenario's")
      ->transform(whole_number(0, kMaxSeed))
      ->type_name("N");
  subcommand
      ->add_option("--threads", options->threads,
                   "Parts of the network that run side by side, with the same result")
      ->transform(whole_number(1, kMostThreads))
      ->type_name("N")
      ->capture_default_str();
  subcommand->add_flag("--json", options->json, "Print one JSON object instead of a table");
  subcommand->add_flag("--tables", options->tables,
                       "The same with the tables of --csv in it: time series, links, pauses, "
                       "distributions");
  subcommand
      ->add_option("--report", options->report,
                   "Write a page to look at: shares, latencies, the network over time")
      ->type_name("F.html");
  subcommand
      ->add_option(
          "--csv", options->csv,
          "Write classes, hosts, ranks, time series, links, pauses, distributions and counters "
          "as tables; under --engine rtl arbiters have no counters")
      ->type_name("DIR");
  add_engine_options(*subcommand, options->engine);
  subcommand
      ->add_option("--trace-ports", options->trace_ports,
                   "Only these ports in the waveform, by commas: switch3.port2, switch3, host5, "
                   "nics, switches; under seastar-age whole chips; with --trace-last the one that "
                   "differs, too")
      ->needs(subcommand->get_option("--trace"))
      ->delimiter(',')
      ->type_name("PORT,...");
  subcommand->callback([options, &action]() { action = [options]() { return sim(*options); }; });
}

}  // namespace qosarb::command
