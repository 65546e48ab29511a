// Flit-hops a second of the loaded switch, the references deciding.
#include <benchmark/benchmark.h>

#include <string>

#include "qosarb/network/network.hpp"

namespace qosarb {
namespace {

// One iteration is 2000 cycles of a network that has been loaded for 20 us.
void flit_hops(benchmark::State& state, const std::string& name) {
  const Scenario scenario = load_scenario(QOSARB_SOURCE_DIR "/scenarios/" + name + ".yaml");
  Network network(scenario, [](const ArbiterConfig& config, const PortPlace&) {
    return make_reference(config);
  });
  network.run(15'625);
  const std::uint64_t before = network.flit_hops();
  for (auto _ : state) {
    network.run(network.now() + 2000);
  }
  state.counters["flit_hops"] = benchmark::Counter(
      static_cast<double>(network.flit_hops() - before), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(flit_hops, step_deficit_8, "step-deficit-8");
BENCHMARK_CAPTURE(flit_hops, step_deficit_64, "step-deficit-64");
BENCHMARK_CAPTURE(flit_hops, step_deficit_spread_64, "step-deficit-spread-64");
BENCHMARK_CAPTURE(flit_hops, step_rr_64, "step-rr-64");

}  // namespace
}  // namespace qosarb
