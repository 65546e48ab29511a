// The decisions of a scenario as the C++ bench has them: RTL and reference in lockstep, without
// SystemC. For comparison with what lockstep_bench writes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <optional>

#include "cosim/engine.hpp"
#include "cosim/lockstep.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/network/network.hpp"
#include "systemc/decision_log.hpp"

namespace {

class Observer final : public qosarb::PortObserver {
 public:
  Observer(qosarb::DecisionLog& log, std::size_t port) : log_(log), port_(port) {}
  void on_arrive(qosarb::Cycle, int, std::uint32_t, std::uint8_t) override {}
  void on_stop(qosarb::Cycle, int, bool) override {}
  void on_decision(qosarb::Cycle now, const qosarb::Decision& decision) override {
    log_.add({now, port_, decision.queue, decision.flits});
  }

 private:
  qosarb::DecisionLog& log_;
  std::size_t port_;
};

int run(int argc, char** argv) {
  std::string file;
  std::string decisions;
  std::optional<std::uint64_t> seed;
  std::optional<qosarb::Cycle> cycles;
  CLI::App app(
      "The decisions of a scenario without SystemC, in lockstep where a build of the RTL holds it");
  app.add_option("scenario", file)->required();
  app.add_option("--seed", seed, "Instead of the scenario's")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{qosarb::kMaxSeed}));
  app.add_option("--cycles", cycles, "Instead of the scenario's warmup and measuring window")
      ->check(CLI::Range(qosarb::Cycle{0}, qosarb::Cycle{INT64_MAX}));
  app.add_option("--decisions", decisions, "Where to write them")->required();
  app.failure_message(
      [](const CLI::App*, const CLI::Error& error) { return fmt::format("{}\n", error.what()); });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  qosarb::Scenario scenario = qosarb::load_scenario(file);
  scenario.seed = seed.value_or(scenario.seed);
  std::atomic<std::uint64_t> compared = 0;
  qosarb::Network network(scenario,
                          qosarb::make_factory(qosarb::default_engine(scenario.arbiter),
                                               {.config_file = file, .compared = &compared}));
  std::vector<std::string> names;
  for (const auto& port : network.ports()) {
    names.push_back(port.name);
  }
  qosarb::DecisionLog log(std::move(names));
  std::vector<std::unique_ptr<Observer>> observers;
  for (const auto& port : network.ports()) {
    observers.push_back(std::make_unique<Observer>(log, observers.size()));
    port.port->observe(observers.back().get());
  }
  network.run(cycles.value_or(scenario.warmup + scenario.measure));
  log.write(decisions);
  fmt::print("{} decisions compared with the RTL, none differs\n", compared.load());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const qosarb::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
