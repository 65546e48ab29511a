// qosarb decide: an event log through one arbiter.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "command/command.hpp"
#include "cosim/build_choice.hpp"
#include "cosim/interrupts_remove_waves.hpp"
#include "cosim/reproducer.hpp"
#include "cosim/run_log.hpp"
#include "cosim/standard_error.hpp"
#include "cosim/waves.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/input_error.hpp"

namespace qosarb::command {

namespace {

struct DecideOptions {
  std::string config;
  std::string events;
  bool explain = false;
  bool raw = false;
  EngineOptions engine;
};

// A waveform of more cycles than this is a mistake in the log.
constexpr Cycle kMaxTracedCycles = 100'000'000;
// It counts picoseconds in 64 bits.
constexpr Cycle kLastTracedCycle = std::numeric_limits<Cycle>::max() / 1000 - 1;

/// The cycles to trace of a log that ends in cycle `last`. Errors: InputError.
TraceWindow window_of_log(const DecideOptions& options, Cycle last) {
  const TraceWindow window = window_of(options.engine, last);
  if (std::min(last, window.to) - std::min(last, window.from) > kMaxTracedCycles) {
    throw InputError(
        options.events, 0,
        fmt::format("ends in cycle {}; a waveform has at most {} cycles", last, kMaxTracedCycles));
  }
  if (std::min(last, window.to) > kLastTracedCycle) {
    throw InputError(
        options.events, 0,
        fmt::format("ends in cycle {}; a waveform shows cycles up to {}", last, kLastTracedCycle));
  }
  return window;
}

// The events up to a mismatch.
std::vector<Event> events_until(Cycle last, EventSource& source) {
  std::vector<Event> events;
  for (Event event; source.next(event) && event.cycle <= last;) {
    events.push_back(event);
  }
  return events;
}

/// The engine of a raw log for which nobody chose one. The RTL's pins show so many flits; what is
/// longer is the model's.
Engine engine_of(const std::vector<Event>& events, std::uint32_t shown, const std::string& file) {
  const auto longer = std::find_if(events.begin(), events.end(), [shown](const Event& event) {
    return event.kind == EventKind::Arrive && event.flits > shown;
  });
  if (longer == events.end()) {
    return Engine::Lockstep;
  }
  to_standard_error(
      fmt::format("qosarb: engine model: {} has a packet of {} flits, the RTL's have up to {}\n",
                  file, longer->flits, shown));
  return Engine::Model;
}

// The same log once more up to the mismatch in cycle `last`, of which only the last cycles are
// recorded.
void trace_last(Cycle last, std::span<const ArbiterConfig> sections,
                const std::vector<Event>& events, Engine engine, const EngineOptions& options,
                FactoryOptions factory) {
  Waves waves(options.trace, window_of(options, last));
  factory.waves = &waves;
  try {
    StoredEvents source(events);
    run_log(sections, source, engine, factory);
  } catch (const Mismatch&) {
  }
  waves.close_after_failure(last);
}

Status decide(const DecideOptions& options) {
  const std::vector<ArbiterConfig> sections = load_sections(options.config, options.raw);
  const ArbiterConfig& config = sections.front();
  Engine engine = engine_of(options.engine, sections);
  check_reproducer(options.engine);
  const bool traced = !options.engine.trace.empty();
  if (traced) {
    check_apart({options.config, options.events}, {}, options.engine);
    check_traceable(engine, sections, options.config);
  }
  if (options.explain && engine == Engine::Rtl) {
    throw InputError(options.config, 0,
                     "--explain tells what the reference does, but --engine rtl has none");
  }
  FactoryOptions factory{.config_file = options.config, .plusargs = options.engine.plusargs};
  const bool takes_any_length =
      options.raw && !options.engine.engine && engine == Engine::Lockstep && !traced;
  std::optional<RawLog> raw;
  if (options.raw) {
    raw = raw_log(sections, takes_any_length ? Engine::Model : engine, options.config);
    if (engine != Engine::Model && !takes_any_length) {
      raw->beyond = " of the RTL; --engine model takes more";
    }
  }
  EventLogReader reader(options.events, config, raw);

  // A log is run row by row. It is read as a whole before anything else happens if a waveform must
  // not be begun in vain, if it could not be read once more for a reproducer, or to choose who
  // decides.
  std::error_code fault;
  std::unique_ptr<StoredEvents> stored;
  std::unique_ptr<Waves> waves;
  if (traced || takes_any_length ||
      (engine != Engine::Model && !std::filesystem::is_regular_file(options.events, fault))) {
    stored = std::make_unique<StoredEvents>(reader);
  }
  if (takes_any_length) {
    engine = engine_of(stored->events(), longest_shown(sections, options.config), options.events);
  }
  if (traced) {
    const Cycle last = stored->events().empty() ? 0 : stored->events().back().cycle;
    waves = std::make_unique<Waves>(options.engine.trace, window_of_log(options, last));
    factory.waves = waves.get();
  }
  Explanation explanation;
  try {
    EventSource& source = stored ? static_cast<EventSource&>(*stored) : reader;
    const std::vector<TimedDecision> decisions =
        run_log(sections, source, engine, factory, options.explain ? &explanation : nullptr);
    if (waves) {
      waves->finish();
    }
    print_result(options.explain ? to_csv(explanation.passages()) : to_csv(decisions));
    if (waves) {
      waves->put_in_place();
    }
    return Status::Done;
  } catch (const Mismatch& mismatch) {
    const FailureToTell failure(mismatch.what());
    if (options.explain) {
      or_complain([&] { print_result(to_csv(explanation.passages())); });
    }
    if (waves && !options.engine.trace_last) {
      waves->close_after_failure(mismatch.cycle());
    } else if (waves) {
      waves.reset();
      or_complain([&] {
        trace_last(mismatch.cycle(), sections, stored->events(), engine, options.engine, factory);
      });
    }
    std::vector<Event> events;
    if (stored) {
      events = stored->events();
    } else {
      EventLogReader again(options.events, config, raw);
      events = events_until(mismatch.cycle(), again);
    }
    throw with_reproducer(mismatch, options.engine.reproducer,
                          {{config, std::move(events), {sections.begin() + 1, sections.end()}}},
                          "qosarb decide", options.engine.plusargs);
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
  subcommand->add_flag("--explain", options->explain,
                       "Before each decision print the reference's steps, in lines with '# '");
  add_raw_option(*subcommand, options->raw);
  add_engine_options(*subcommand, options->engine);
  subcommand->callback([options, &action]() { action = [options]() { return decide(*options); }; });
}

}  // namespace qosarb::command
