// Flit-hops a second of the loaded switch.
#include <benchmark/benchmark.h>

#include <string>

#include "cosim/engine.hpp"
#include "qosarb/network/network.hpp"

namespace qosarb {
namespace {

// One iteration is 2000 cycles of a network that has been loaded for 20 us.
void flit_hops(benchmark::State& state, const std::string& name, Engine engine) {
  const Scenario scenario = load_scenario(QOSARB_SOURCE_DIR "/scenarios/" + name + ".yaml");
  Network network(scenario, make_factory(engine, {}));
  network.run(15'625);
  const std::uint64_t before = network.flit_hops();
  for ([[maybe_unused]] auto _ : state) {
    network.run(network.now() + 2000);
  }
  state.counters["flit_hops"] = benchmark::Counter(
      static_cast<double>(network.flit_hops() - before), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(flit_hops, model_step_deficit_8, "step-deficit-8", Engine::Model);
BENCHMARK_CAPTURE(flit_hops, model_step_deficit_64, "step-deficit-64", Engine::Model);
BENCHMARK_CAPTURE(flit_hops, model_step_deficit_spread_64, "step-deficit-spread-64", Engine::Model);
BENCHMARK_CAPTURE(flit_hops, model_step_rr_64, "step-rr-64", Engine::Model);
BENCHMARK_CAPTURE(flit_hops, rtl_step_deficit_64, "step-deficit-64", Engine::Rtl);
BENCHMARK_CAPTURE(flit_hops, lockstep_step_deficit_64, "step-deficit-64", Engine::Lockstep);

}  // namespace
}  // namespace qosarb
