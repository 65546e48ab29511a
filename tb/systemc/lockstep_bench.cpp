// A scenario in SystemC: the switch model owns the queues, the Verilated RTL decides at every port,
// and the reference beside it has to answer alike in every cycle.
#include <fmt/format.h>

#define SC_INCLUDE_DYNAMIC_PROCESSES  // for sc_spawn()
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "Vqosarb_port.h"
#include "cosim/complete_fst.hpp"
#include "cosim/interrupts_remove_waves.hpp"
#include "cosim/output_place.hpp"
#include "cosim/policy/policy_rtl.hpp"
#include "cosim/programming.hpp"
#include "cosim/reproducer_files.hpp"
#include "cosim/unfinished_waveform.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/check_failure.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/events/event_log.hpp"
#include "qosarb/network/port_log.hpp"
#include "qosarb/network/report.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "systemc/apb.hpp"
#include "systemc/bound_checks.hpp"
#include "systemc/checker.hpp"
#include "systemc/decision_log.hpp"
#include "systemc/rtl_pins.hpp"
#include "systemc/size.hpp"
#include "verilated_fst_sc.h"

namespace {

using namespace qosarb;

/// Errors: InputError, naming `file`, for what the RTL cannot run.
void check_has_rtl(const ArbiterConfig& config, const std::string& file) {
  std::optional<std::string> obstacle;
  const PolicyRtl* const policy = find_rtl(config.policy);
  if (config.variant != Variant::Corrected) {
    obstacle = "RTL is built of the corrected variant only";
  } else if (policy == nullptr || !policy->built_in(kRtl)) {
    obstacle = fmt::format("there is no RTL of {}", config.policy.name());
  } else {
    obstacle = build_obstacle(config, kRtl);
  }
  if (obstacle) {
    throw InputError(file, config.section.line, "the RTL cannot run this arbiter: " + *obstacle);
  }
}

/// Errors: InputError for what this bench cannot run.
void check_can_run(const Scenario& scenario, Cycle cycles, const std::string& file) {
  if (cycles == 0) {
    throw InputError(file, 0, "no cycle is to run: --cycles says how many");
  }
  const sc_core::sc_time step = sc_core::sc_get_time_resolution();
  if (sc_core::sc_time(scenario.cycle_ns(), sc_core::SC_NS) < 2 * step) {
    throw InputError(file, 0,
                     fmt::format("a cycle of {} ns is no period for a clock in steps of {}",
                                 scenario.cycle_ns(), step.to_string()));
  }
  if (!scenario.switches.architecture->has_output_queues) {
    throw InputError(file, 0,
                     fmt::format("heads at an {} switch do not stay until they are granted, as the "
                                 "checks that are bound to the RTL want them to",
                                 scenario.switches.architecture->name));
  }
}

struct Options {
  std::string scenario;
  std::string reference;  // a config file; empty: as the scenario
  std::string decisions;
  std::string reproducer;  // directory
  std::optional<std::uint64_t> seed;
  std::optional<Cycle> cycles;
  std::optional<Cycle> abandon_transfer;
};

// The RTL of one port, the reference beside it, and the eye on both.
struct CheckedPort {
  CheckedPort(const PortPlace& where, std::size_t number, const std::string& name,
              const ArbiterConfig& programmed, const ArbiterConfig& expects, DecisionLog& log)
      : place(text_of(where)),
        config(programmed),
        signals(name),
        expected(name + "_expected"),
        rtl(name.c_str()),
        reference((name + "_reference").c_str(), expects),
        checker((name + "_checker").c_str(), {signals, expected, reference}, number, where, log) {}

  std::string place;
  ArbiterConfig config;  ///< the RTL's
  RtlSignals signals;
  RtlGrant expected;
  UnusedPins<RtlSignals::Size, kRtl.queues / kRtl.vcs> unused;
  Vqosarb_port rtl;
  RtlReference reference;
  Checker checker;
};

// Not a module itself, so that the ports stand at the top of a waveform.
class Bench {
 public:
  Bench(const Options& options, const Scenario& scenario, Cycle cycles,
        const ArbiterConfig& reference);

  void trace(VerilatedFstSc& file) {
    for (const auto& port : ports_) {
      port->rtl.trace(&file, 99);
    }
  }
  /// Ends the RTL. Errors: the first thing that went wrong; a Mismatch if the sides differ.
  void finish();
  /// The same after an error that a module reported, which is a Mismatch where a bound check
  /// failed.
  [[noreturn]] void fail(const sc_core::sc_report& report);

  [[nodiscard]] DecisionLog& decisions() { return log_; }
  /// Decisions of all ports that both sides made alike.
  [[nodiscard]] std::uint64_t compared() const {
    std::uint64_t compared = 0;
    for (const auto& port : ports_) {
      compared += port->checker.compared();
    }
    return compared;
  }
  [[nodiscard]] Network& model() { return network_.model(); }

 private:
  void drive();
  void program(std::size_t port);
  void check_counters(std::size_t port);

  std::string file_;
  std::optional<Cycle> abandon_transfer_;
  sc_core::sc_clock clk_;
  sc_core::sc_signal<bool> rst_n_{"rst_n"};
  sc_core::sc_signal<bool> start_{"start"};
  sc_core::sc_signal<bool> running_{"running"};
  sc_core::sc_signal<std::uint64_t> cycle_{"cycle"};
  RtlNetwork network_;
  DecisionLog log_;
  std::vector<std::unique_ptr<CheckedPort>> ports_;
  Apb apb_;
  std::exception_ptr fault_;
  bool finished_ = false;
};

std::vector<std::string> names(const RtlNetwork& network) {
  std::vector<std::string> names;
  for (const RtlNetwork::NamedPort& port : network.ports()) {
    names.push_back(port.name);
  }
  return names;
}

Bench::Bench(const Options& options, const Scenario& scenario, Cycle cycles,
             const ArbiterConfig& reference)
    : file_(options.scenario),
      abandon_transfer_(options.abandon_transfer),
      clk_("clk", sc_core::sc_time(scenario.cycle_ns(), sc_core::SC_NS)),
      network_("network", scenario, cycles, options.scenario),
      log_(names(network_)),
      apb_(clk_, network_.ports().size()) {
  network_.clk_i(clk_);
  network_.start_i(start_);
  network_.running_o(running_);
  network_.cycle_o(cycle_);
  for (const RtlNetwork::NamedPort& port : network_.ports()) {
    const std::size_t p = ports_.size();
    const std::size_t dot = port.name.find('.');
    const PortPlace place{port.name.substr(0, dot), port.name.substr(dot + 1)};
    const ArbiterConfig& config = scenario.arbiter_at(place.chip, place.port);
    ports_.push_back(
        std::make_unique<CheckedPort>(place, p, place.chip + "_" + place.port, config,
                                      &config == &scenario.arbiter ? reference : config, log_));
    CheckedPort& checked = *ports_.back();
    checked.signals.bind_owner_with_ages(*port.pins);

    checked.rtl.clk_i(clk_);
    checked.rtl.rst_ni(rst_n_);
    checked.signals.bind(checked.rtl);
    checked.unused.bind(checked.rtl);
    apb_.bind(p, checked.rtl);

    // The reference begins with cycle 0 of the model, when the table is in force in the RTL.
    checked.reference.clk_i(clk_);
    checked.reference.rst_ni(running_);
    checked.signals.bind_inputs(checked.reference);
    checked.expected.bind_grant(checked.reference);

    checked.checker.clk_i(clk_);
    checked.checker.running_i(running_);
    checked.checker.cycle_i(cycle_);
  }
  sc_core::sc_spawn_options thread;
  thread.set_stack_size(1 << 18);
  sc_core::sc_spawn([this]() { drive(); }, "driver", &thread);
}

// Reset, programming, the run, and a last look at the counters.
void Bench::drive() {
  try {
    for (int i = 0; i < 2; ++i) {
      sc_core::wait(clk_.posedge_event());
    }
    rst_n_.write(true);
    sc_core::wait(clk_.posedge_event());
    for (std::size_t p = 0; p < ports_.size(); ++p) {
      program(p);
    }
    start_.write(true);
    sc_core::wait(running_.posedge_event());
    while (abandon_transfer_ && running_.read()) {
      if (cycle_.read() >= *abandon_transfer_) {
        apb_.abandon(0);
        break;
      }
      sc_core::wait(clk_.posedge_event());
    }
    if (running_.read()) {
      sc_core::wait(running_.negedge_event());
    }
    if (!network_.failed()) {
      for (int i = 0; i < 2; ++i) {
        sc_core::wait(clk_.posedge_event());  // the counters are a cycle late
      }
      for (std::size_t p = 0; p < ports_.size(); ++p) {
        check_counters(p);
      }
      finished_ = true;
    }
  } catch (const sc_core::sc_unwind_exception&) {
    throw;
  } catch (...) {
    fault_ = std::current_exception();
  }
  sc_core::sc_stop();
}

void Bench::program(std::size_t port) {
  try {
    for (const RegisterWrite& write : register_writes(ports_[port]->config, kRtl)) {
      apb_.write(port, write.offset, write.value);
    }
  } catch (const Apb::Refused& refused) {
    throw InputError(file_, 0, refused.what());
  }
  std::uint32_t status = 0;
  do {
    status = apb_.read(port, QOSARB_PORT_STATUS_OFFSET);
  } while (QOSARB_PORT_STATUS_PROGRESS_GET(status) != QOSARB_PORT_STATUS_PROGRESS_IDLE);
  if (QOSARB_PORT_STATUS_OUTCOME_GET(status) != QOSARB_PORT_STATUS_OUTCOME_IN_FORCE) {
    throw InputError(
        file_, 0,
        fmt::format("the RTL refuses the table, reason {} at {} (docs/registers.md)",
                    QOSARB_PORT_STATUS_REASON_GET(status), QOSARB_PORT_STATUS_WHERE_GET(status)));
  }
}

void Bench::check_counters(std::size_t port) {
  apb_.write(port, QOSARB_PORT_SNAPSHOT_OFFSET, QOSARB_PORT_SNAPSHOT_TAKE_PUT(1));
  while (QOSARB_PORT_SNAPSHOT_BUSY_GET(apb_.read(port, QOSARB_PORT_SNAPSHOT_OFFSET)) != 0) {
  }
  for (Index q = 0; q < ports_[port]->config.queues; ++q) {
    const std::uint32_t queue = q;
    const Checker::Granted counted = {apb_.read(port, QOSARB_PORT_PACKETS_OFFSET(queue)),
                                      apb_.read(port, QOSARB_PORT_FLITS_OFFSET(queue))};
    const Checker::Granted& seen = ports_[port]->checker.granted(q);
    if (counted != seen) {
      throw CheckFailure(fmt::format(
          "{}, queue {}: the RTL counts {} packets and {} flits, its "
          "pins granted {} and {}",
          ports_[port]->place, q, counted.packets, counted.flits, seen.packets, seen.flits));
    }
  }
}

void Bench::finish() {
  for (const auto& port : ports_) {
    port->rtl.final();
  }
  for (const auto& port : ports_) {
    if (const auto mismatch = port->checker.mismatch()) {
      throw *mismatch;
    }
  }
  network_.rethrow();
  if (fault_) {
    std::rethrow_exception(fault_);
  }
  if (!finished_) {
    throw CheckFailure("the simulation ended too early");
  }
}

void Bench::fail(const sc_core::sc_report& report) {
  for (const auto& port : ports_) {
    port->rtl.final();
  }
  if (report.get_msg_type() != std::string(kBoundCheckFails)) {
    throw report;
  }
  const std::string process = report.get_process_name();  // the model's own evaluation
  const auto port = std::find_if(ports_.begin(), ports_.end(), [&process](const auto& checked) {
    return process.starts_with(std::string(checked->rtl.name()) + ".");
  });
  if (port == ports_.end()) {
    throw report;
  }
  const PortPlace& place = (*port)->checker.place();
  throw Mismatch(cycle_.read(), place,
                 fmt::format("mismatch in cycle {} at {}: {}", cycle_.read(), text_of(place),
                             report.get_msg()));
}

// The same run once more, by the reference of what the RTL runs, with an eye on the port that
// differed. Returns the directory of what it was shown.
std::string reproduce(const Mismatch& mismatch, const Scenario& scenario, const Options& options) {
  LogCase log = logs_of_port(scenario, mismatch.place(), mismatch.cycle()).back();
  std::erase_if(log.events, [&](const Event& event) { return event.cycle > mismatch.cycle(); });
  std::string path = make_reproducer_directory(options.reproducer);
  write_reproducer_file(path + "/config.yaml", to_yaml(log.config));
  write_reproducer_file(path + "/events.csv", to_csv(log.events));
  std::string run =
      fmt::format("systemc_bench {} --seed {}", shell_word(options.scenario), scenario.seed);
  if (options.cycles) {
    run += fmt::format(" --cycles {}", *options.cycles);
  }
  if (!options.reference.empty()) {
    run += " --reference " + shell_word(options.reference);
  }
  if (options.abandon_transfer) {
    run += fmt::format(" --abandon-transfer {}", *options.abandon_transfer);
  }
  write_reproducer_file(
      path + "/README.txt",
      fmt::format("{}\n\nFound by: {}\nIn the directory of this file:\nReplay:   "
                  "qosarb decide --config config.yaml --events events.csv{} --engine lockstep\n",
                  mismatch.what(), run, is_raw(log) ? " --raw" : ""));
  return path;
}

// "+trace" or "+trace=FILE", which a waveform replaces; nothing if it is not there.
std::optional<std::string> trace_file() {
  const std::string plusarg = Verilated::commandArgsPlusMatch("trace");
  if (plusarg.empty()) {
    return std::nullopt;
  }
  return plusarg.starts_with("+trace=") ? plusarg.substr(7) : "systemc.fst";
}

/// The waveform of a run, once elaboration has ended. Until it is complete it is FILE.part and the
/// number of the process, and what FILE was before stays.
class Waveform {
 public:
  /// Errors: InputError if it cannot be written to `file`.
  Waveform(const std::string& file, Bench& bench)
      : file_(file),
        place_(output_place(file)),
        beside_(fmt::format("{}.part.{}", place_, getpid())) {
    bench.trace(fst_);
    fst_.open(beside_.c_str());
    if (!fst_.isOpen()) {
      throw InputError(file_, 0, "cannot be opened for writing");
    }
  }

  /// Errors: InputError if it did not become complete, or does not get to its place.
  void finish() {
    fst_.close();
    if (!is_complete(beside_)) {
      throw UnfinishedWaveform::error(file_);
    }
    if (std::rename(beside_.c_str(), place_.c_str()) != 0) {
      throw InputError(file_, 0, "cannot be written");
    }
  }

 private:
  std::string file_;
  std::string place_;
  std::string beside_;
  UnfinishedWaveform unfinished_{file_, beside_};
  VerilatedFstSc fst_;
};

void run(const Options& options) {
  const std::optional<std::string> trace = trace_file();
  Scenario scenario = load_scenario(options.scenario);
  scenario.seed = options.seed.value_or(scenario.seed);
  ArbiterConfig reference = scenario.arbiter;
  if (!options.reference.empty()) {
    reference = load_arbiter(options.reference);
    if (reference.queues != scenario.arbiter.queues ||
        reference.max_packet_flits < scenario.arbiter.max_packet_flits) {
      throw InputError(options.reference, 0,
                       "has other queues or shorter packets than the scenario");
    }
  }
  check_has_rtl(scenario.arbiter, options.scenario);
  const Cycle cycles = options.cycles.value_or(scenario.warmup + scenario.measure);
  check_can_run(scenario, cycles, options.scenario);
  for (const ArbiterAt& one : scenario.arbiters) {
    check_has_rtl(one.arbiter, options.scenario);
  }

  // SystemC tells that sc_stop() was called; that is how every run ends.
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
  Verilated::defaultContextp()->threads(1);
  Verilated::traceEverOn(trace.has_value());
  Bench bench(options, scenario, cycles, reference);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaboration ends; only now may a trace be opened
  std::optional<Waveform> waveform;
  if (trace) {
    waveform.emplace(*trace, bench);
  }
  const auto start = std::chrono::steady_clock::now();
  std::optional<sc_core::sc_report> error;
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report& report) {
    error = report;
  }
  const double wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::optional<InputError> no_waveform;
  if (waveform) {
    // A full disk may end the process here, which must not hide a mismatch.
    std::optional<FailureToTell> failure;
    if (error) {
      failure.emplace(error->get_msg());
    }
    try {
      waveform->finish();
    } catch (const InputError& fault) {
      no_waveform = fault;
    }
  }
  try {
    if (error) {
      bench.fail(*error);
    }
    bench.finish();
  } catch (const Mismatch& mismatch) {
    if (no_waveform) {
      fmt::print(stderr, "{}\n", no_waveform->what());
    }
    throw CheckFailure(fmt::format("{}\n  {} decisions were compared before\n  reproducer: {}",
                                   mismatch.what(), bench.compared(),
                                   reproduce(mismatch, scenario, options)));
  }
  if (no_waveform) {
    throw *no_waveform;
  }
  if (!options.decisions.empty()) {
    bench.decisions().write(options.decisions);
  }
  RunReport report = report_of(bench.model());
  report.compared = bench.compared();
  fmt::print("{}", to_table(report, "systemc lockstep", wall_s));
}

}  // namespace

int sc_main(int argc, char** argv) {
  Options options;
  CLI::App app("A scenario in SystemC: RTL and reference in lockstep at every port");
  app.add_option("scenario", options.scenario, "Arbiter, network, traffic and run")->required();
  app.add_option("--seed", options.seed, "Instead of the scenario's")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{kMaxSeed}));
  const CLI::Range cycles(Cycle{0}, Cycle{INT64_MAX});
  app.add_option("--cycles", options.cycles, "Instead of the scenario's warmup and window")
      ->check(cycles);
  app.add_option("--decisions", options.decisions, "Write all decisions, as CSV");
  app.add_option("--reference", options.reference,
                 "Give the reference this arbiter instead of the scenario's, but where 'arbiters' "
                 "gives another one, to see that the checker finds it");
  app.add_option("--reproducer", options.reproducer, "Directory for what reproduces a mismatch");
  app.add_option("--abandon-transfer", options.abandon_transfer,
                 "Give up a transfer of the first port's APB in this cycle, to see that the checks "
                 "which are bound to the RTL find it")
      ->check(cycles);
  app.failure_message(
      [](const CLI::App*, const CLI::Error& error) { return fmt::format("{}\n", error.what()); });
  app.footer("+trace or +trace=FILE.fst writes a waveform of the RTL (systemc.fst).");
  Verilated::commandArgs(argc, argv);
  std::vector<std::string> arguments;  // CLI11 takes them from the back
  for (int i = argc - 1; i > 0; --i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with('+')) {
      arguments.emplace_back(argument);
    } else if (argument != "+trace" && !argument.starts_with("+trace=") &&
               !argument.starts_with("+verilator+")) {
      fmt::print(stderr, "{}: there is no such argument\n", argument);
      return 2;
    }
  }
  const InterruptsRemoveWaves guard;
  try {
    app.parse(arguments);
    run(options);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
