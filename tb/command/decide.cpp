// qosarb decide: an event log through one arbiter.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "command/command.hpp"
#include "cosim/reproducer.hpp"
#include "cosim/run_log.hpp"
#include "qosarb/config/input_error.hpp"

namespace qosarb::command {

namespace {

struct DecideOptions {
  std::string config;
  std::string events;
  EngineOptions engine;
};

// The events up to a mismatch: of those in memory, or of the file read once more.
std::vector<Event> events_until(Cycle last, EventSource& source) {
  std::vector<Event> events;
  for (Event event; source.next(event) && event.cycle <= last;) {
    events.push_back(event);
  }
  return events;
}

Status decide(const DecideOptions& options) {
  const ArbiterConfig config = load_arbiter(options.config);
  const Engine engine = options.engine.engine.value_or(default_engine(config));
  const FactoryOptions factory{.config_file = options.config, .plusargs = options.engine.plusargs};
  if (!options.engine.trace.empty()) {
    throw InputError(options.config, 0,
                     "--trace: " + rtl_obstacle(config).value_or("waveforms are not built"));
  }
  EventLogReader reader(options.events, config);

  // A log is read row by row. Only one that cannot be read twice is kept for a reproducer.
  std::error_code fault;
  if (engine != Engine::Lockstep || std::filesystem::is_regular_file(options.events, fault)) {
    try {
      print_result(to_csv(run_log(config, reader, engine, factory)));
      return Status::Done;
    } catch (const Mismatch& mismatch) {
      EventLogReader again(options.events, config);
      throw with_reproducer(mismatch, options.engine.reproducer, config,
                            events_until(mismatch.cycle(), again), "qosarb decide");
    }
  }
  StoredEvents stored(reader);
  try {
    print_result(to_csv(run_log(config, stored, engine, factory)));
    return Status::Done;
  } catch (const Mismatch& mismatch) {
    throw with_reproducer(mismatch, options.engine.reproducer, config, stored.events(),
                          "qosarb decide");
  }
}

}  // namespace

void add_decide(CLI::App& app, Action& action) {
  CLI::App* const subcommand =
      app.add_subcommand("decide", "Run an event log through one arbiter and print its decisions");
  const auto options = std::make_shared<DecideOptions>();
  subcommand
      ->add_option("--config", options->config, "The arbiter: YAML with the one key 'arbiter'")
      ->required()
      ->type_name("C.yaml");
  subcommand
      ->add_option("--events", options->events, "What it is shown: CSV cycle,event,queue,flits,age")
      ->required()
      ->type_name("E.csv");
  add_engine_options(*subcommand, options->engine);
  subcommand->callback([options, &action]() { action = [options]() { return decide(*options); }; });
}

}  // namespace qosarb::command
