// A scenario in SystemC: the switch model owns the queues, the Verilated RTL decides at every port,
// and the reference beside it has to answer alike in every cycle.
#include <fmt/format.h>

#define SC_INCLUDE_DYNAMIC_PROCESSES  // for sc_spawn()
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "Vqosarb_port.h"
#include "cosim/programming.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/check_failure.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/network/report.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/rr.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "qosarb/sc/network.hpp"
#include "qosarb/sc/port.hpp"
#include "systemc/apb.hpp"
#include "systemc/checker.hpp"
#include "systemc/decision_log.hpp"
#include "systemc/rtl_pins.hpp"
#include "verilated_fst_sc.h"

namespace {

using namespace qosarb;

// The default build of the port.
constexpr RtlLimits kLimits{
    .queues = 8, .entries = 64, .quantum_bits = 16, .packet_flits = 1023, .policies = 7, .vcs = 4};

/// Errors: InputError, naming `file`, for a policy that the default build does not have.
void check_has_rtl(const ArbiterConfig& config, const std::string& file) {
  const bool built =
      config.policy == kRr || config.policy == kBxiBasic || config.policy == kBxiDeficit;
  if (!built || config.variant != Variant::Corrected) {
    throw InputError(file, 0,
                     fmt::format("there is no RTL of {}, {} variant", config.policy.name(),
                                 name_of(config.variant)));
  }
}

struct Options {
  std::string scenario;
  std::string reference;  // a config file; empty: as the scenario
  std::string decisions;
  std::optional<std::uint64_t> seed;
  std::optional<Cycle> cycles;
};

// The RTL of one port, the reference beside it, and the eye on both.
struct CheckedPort {
  CheckedPort(const sc::Network::NamedPort& port, std::size_t number, const std::string& name,
              const ArbiterConfig& config, DecisionLog& log)
      : place(port.name),
        signals(name),
        expected(name + "_expected"),
        rtl(name.c_str()),
        reference((name + "_reference").c_str(), config),
        checker((name + "_checker").c_str(), {signals, expected, reference}, number, port.name,
                log) {}

  std::string place;
  sc::PortSignals<> signals;
  sc::GrantSignals<> expected;
  UnusedPins unused;
  Vqosarb_port rtl;
  sc::Port<> reference;
  Checker checker;
};

// Not a module itself, so that the ports stand at the top of a waveform.
class Bench {
 public:
  Bench(const Options& options, const Scenario& scenario, const ArbiterConfig& reference);

  void trace(VerilatedFstSc& file) {
    for (const auto& port : ports_) {
      port->rtl.trace(&file, 99);
    }
  }
  /// Ends the RTL. Errors: the first thing that went wrong.
  void finish();

  [[nodiscard]] DecisionLog& decisions() { return log_; }
  [[nodiscard]] Network& model() { return network_.model(); }

 private:
  void drive();
  void program(std::size_t port);
  void check_counters(std::size_t port);

  std::string file_;
  ArbiterConfig config_;
  sc_core::sc_clock clk_;
  sc_core::sc_signal<bool> rst_n_{"rst_n"};
  sc_core::sc_signal<bool> start_{"start"};
  sc_core::sc_signal<bool> running_{"running"};
  sc_core::sc_signal<std::uint64_t> cycle_{"cycle"};
  sc::Network network_;
  DecisionLog log_;
  std::vector<std::unique_ptr<CheckedPort>> ports_;
  Apb apb_;
  std::exception_ptr fault_;
  bool finished_ = false;
};

std::vector<std::string> names(const sc::Network& network) {
  std::vector<std::string> names;
  for (const sc::Network::NamedPort& port : network.ports()) {
    names.push_back(port.name);
  }
  return names;
}

Bench::Bench(const Options& options, const Scenario& scenario, const ArbiterConfig& reference)
    : file_(options.scenario),
      config_(scenario.arbiter),
      clk_("clk", sc_core::sc_time(scenario.cycle_ns(), sc_core::SC_NS)),
      network_("network", scenario, options.cycles.value_or(scenario.warmup + scenario.measure),
               options.scenario),
      log_(names(network_)),
      apb_(clk_, network_.ports().size()) {
  network_.clk_i(clk_);
  network_.start_i(start_);
  network_.running_o(running_);
  network_.cycle_o(cycle_);
  for (const sc::Network::NamedPort& port : network_.ports()) {
    const std::size_t p = ports_.size();
    std::string module_name = port.name;
    std::replace(module_name.begin(), module_name.end(), '.', '_');
    ports_.push_back(std::make_unique<CheckedPort>(port, p, module_name, reference, log_));
    CheckedPort& checked = *ports_.back();
    checked.signals.bind_owner(*port.pins);

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
    sc_core::wait(running_.negedge_event());
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
    for (const RegisterWrite& write : register_writes(config_, kLimits)) {
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
  for (int q = 0; q < config_.queues; ++q) {
    const auto queue = static_cast<std::uint32_t>(q);
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
      throw CheckFailure(*mismatch);
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

// "+trace" or "+trace=FILE"; nothing if it is not there.
std::optional<std::string> trace_file() {
  const std::string plusarg = Verilated::commandArgsPlusMatch("trace");
  if (plusarg.empty()) {
    return std::nullopt;
  }
  return plusarg.starts_with("+trace=") ? plusarg.substr(7) : "systemc.fst";
}

void run(const Options& options) {
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

  // SystemC tells that sc_stop() was called; that is how every run ends.
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
  const std::optional<std::string> trace = trace_file();
  Verilated::defaultContextp()->threads(1);
  Verilated::traceEverOn(trace.has_value());
  Bench bench(options, scenario, reference);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaboration ends; only now may a trace be opened
  std::unique_ptr<VerilatedFstSc> fst;
  if (trace) {
    fst = std::make_unique<VerilatedFstSc>();
    bench.trace(*fst);
    fst->open(trace->c_str());
    if (!fst->isOpen()) {
      throw InputError(*trace, 0, "cannot be opened for writing");
    }
  }
  const auto start = std::chrono::steady_clock::now();
  sc_core::sc_start();
  const double wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (fst) {
    fst->close();
  }
  bench.finish();
  if (!options.decisions.empty()) {
    bench.decisions().write(options.decisions);
  }
  const RunReport report = report_of(bench.model());
  fmt::print("{}", to_table(report, "systemc lockstep", wall_s));
  fmt::print("{} decisions, 0 mismatches\n", bench.decisions().size());
}

}  // namespace

int sc_main(int argc, char** argv) {
  Options options;
  CLI::App app("A scenario in SystemC: RTL and reference in lockstep at every port");
  app.add_option("scenario", options.scenario, "Arbiter, network, traffic and run")->required();
  app.add_option("--seed", options.seed, "Instead of the scenario's");
  app.add_option("--cycles", options.cycles, "Instead of the scenario's warmup and window");
  app.add_option("--decisions", options.decisions, "Write all decisions, as CSV");
  app.add_option("--reference", options.reference,
                 "Give the reference this arbiter instead of the scenario's, to see that the "
                 "checker finds it");
  app.footer("+trace or +trace=FILE.fst writes a waveform of the RTL (systemc.fst).");
  Verilated::commandArgs(argc, argv);
  std::vector<std::string> arguments;  // CLI11 takes them from the back
  for (int i = argc - 1; i > 0; --i) {
    if (argv[i][0] != '+') {
      arguments.emplace_back(argv[i]);
    }
  }
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
