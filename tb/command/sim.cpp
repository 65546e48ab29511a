// qosarb sim: traffic through switches, every port's arbiter the reference, the RTL, or both.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "command/command.hpp"
#include "cosim/reproducer.hpp"
#include "cosim/waves.hpp"
#include "qosarb/config/check_failure.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/network/report.hpp"

namespace qosarb::command {

namespace {

struct SimOptions {
  std::string scenario;
  std::optional<std::uint64_t> seed;
  bool json = false;
  EngineOptions engine;
};

// The same run once more, with an eye on the port that differed: nothing else has to be recorded
// in runs that end well.
[[noreturn]] void reproduce(const Mismatch& mismatch, const Scenario& scenario,
                            const SimOptions& options) {
  EventRecorder recorder;
  Network again(scenario, make_factory(Engine::Model, {}));
  if (Sender* const port = again.find_port(text_of(mismatch.place()))) {
    port->observe(&recorder);
  }
  again.run(mismatch.cycle() + 1);
  throw with_reproducer(
      mismatch, options.engine.reproducer,
      {{scenario.arbiter_at(mismatch.place().chip, mismatch.place().port), recorder.events()}},
      fmt::format("qosarb sim {} --seed {}", options.scenario, scenario.seed),
      options.engine.plusargs);
}

// All ports of `network` are part of the waveform.
void trace(Network& network, Waves& waves) {
  network.every_cycle([&waves, ports = network.ports()](Cycle now) {
    if (waves.concerns(now)) {
      for (const Network::NamedPort& named : ports) {
        named.port->reach(now + 1);
      }
      waves.end_of_cycle(now);
    }
  });
}

// The same run once more up to its mismatch, of which only the last cycles are recorded.
void trace_last(const Mismatch& mismatch, const Scenario& scenario, Engine engine,
                const SimOptions& options) {
  Waves waves(options.engine.trace, window_of(options.engine, mismatch.cycle()));
  Network again(scenario, make_factory(engine, {.config_file = options.scenario,
                                                .waves = &waves,
                                                .plusargs = options.engine.plusargs}));
  trace(again, waves);
  try {
    again.run(mismatch.cycle() + 1);
  } catch (const Mismatch&) {
  }
  waves.close_after_mismatch(mismatch.cycle(), text_of(mismatch.place()));
}

// Runs to `end` or until all traces are done, telling on a terminal how far it is.
void run(Network& network, Cycle end) {
  constexpr Cycle kStep = 1 << 20;
  const Cycle step = end == kNever ? kStep : std::max<Cycle>(end / 100, 1);
  auto last = std::chrono::steady_clock::now();
  bool told = false;
  while (network.now() < end && !network.finished()) {
    network.run(std::min(end, network.now() + step));
    const auto now = std::chrono::steady_clock::now();
    if (now - last > std::chrono::seconds(1)) {
      fmt::print(stderr, "\rcycle {}{}", network.now(),
                 end == kNever ? std::string(" of a trace")
                               : fmt::format(" of {} ({} %)", end, network.now() * 100 / end));
      last = now;
      told = true;
    }
  }
  if (told) {
    fmt::print(stderr, "\n");
  }
}

Status sim(const SimOptions& options) {
  Scenario scenario = load_scenario(options.scenario);
  scenario.seed = options.seed.value_or(scenario.seed);
  const Engine engine = options.engine.engine.value_or(default_engine(scenario.arbiter));
  std::unique_ptr<Waves> waves;
  if (!options.engine.trace.empty()) {
    check_traceable(engine, {&scenario.arbiter, 1}, options.scenario);
    waves = std::make_unique<Waves>(
        options.engine.trace, window_of(options.engine, scenario.end() - 1));
  }
  std::uint64_t compared = 0;
  const ArbiterFactory factory = make_factory(engine, {.config_file = options.scenario,
                                                       .waves = waves.get(),
                                                       .plusargs = options.engine.plusargs,
                                                       .compared = &compared});
  const Cycle end = scenario.end();

  const auto start = std::chrono::steady_clock::now();
  Network network(scenario, factory);
  if (waves) {
    trace(network, *waves);
  }
  try {
    run(network, end);
  } catch (const Mismatch& mismatch) {
    if (waves && !options.engine.trace_last) {
      waves->close_after_mismatch(mismatch.cycle(), text_of(mismatch.place()));
    } else if (waves) {
      trace_last(mismatch, scenario, engine, options);
    }
    reproduce(mismatch, scenario, options);
  }
  const double wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  if (waves) {
    waves->close(std::nullopt, "switch");
  }
  RunReport report = report_of(network);
  report.compared = compared;
  const std::string name(name_of(engine));
  print_result(options.json ? to_json(report, name, wall_s) : to_table(report, name, wall_s));
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
  subcommand->add_option("--seed", options->seed, "Instead of the scenario's")->type_name("N");
  subcommand->add_flag("--json", options->json, "Print one JSON object instead of a table");
  add_engine_options(*subcommand, options->engine);
  subcommand->callback([options, &action]() { action = [options]() { return sim(*options); }; });
}

}  // namespace qosarb::command
