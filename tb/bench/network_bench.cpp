// Packet-hops and flit-hops a second of whole networks.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "cosim/engine.hpp"
#include "qosarb/network/network.hpp"

namespace qosarb {
namespace {

/// Of the load that saturates a network.
constexpr double kBelow = 0.8;
constexpr double kBeyond = 1.5;
/// All statistics are on.
constexpr Cycle kAllTheTime = Cycle{1} << 32U;

/// The load of a host at which the busiest links would be full under uniform traffic: in a mesh
/// those across the middle, in a torus whose ties go up those upward. No network gets as far:
/// inputs wait for outputs, and packets for room.
double bound(const TopologyKind& kind, int k) {
  const double hosts = k * k;
  if (&kind == &kMesh) {
    return 4 * k * (hosts - 1) / (hosts * hosts);
  }
  const int half = k / 2;
  const double upward = half * (half + 1) / 2.0 / k;
  return (hosts - 1) / hosts / upward;
}

/// Under uniform traffic of so many flits a packet and so much load a host.
Scenario uniform(const TopologyConfig& topology, int flits, double load) {
  Scenario s;
  s.topology = topology;
  s.topology.routing = &topology.kind->routings().front();
  s.arbiter.queues = s.topology.routing->make(s.topology)->stages();
  s.arbiter.max_packet_flits = 16;
  s.link_delays.fill(1);
  s.switches.architecture = &kInputQueued;
  s.switches.flow_control = &kCredit;
  s.switches.input_queue_flits = 128;
  TrafficEntry entry;
  entry.name = "uniform";
  entry.arrival = Arrival::Poisson;
  entry.load_ppm = std::llround(1e6 * load);
  entry.sizes = MessageSizes::fixed(static_cast<std::uint32_t>(flits) * s.flit_bytes);
  entry.hosts.resize(topology.kind->build(s.topology).hosts);
  std::iota(entry.hosts.begin(), entry.hosts.end(), 0);
  s.traffic = {entry};
  s.warmup = 1000;
  s.measure = kAllTheTime;
  return s;
}
/// The same of k x k switches.
Scenario uniform(const TopologyKind& kind, int k, int flits, double load) {
  return uniform({.kind = &kind, .dims = {k, k}}, flits, load);
}

/// The highest load, to 1 % of the bound, of which 99 % get through in many cycles behind 5,000: in
/// 20,000 at least, in more of a small network, where queues grow slowly just beyond saturation.
double saturation(const TopologyKind& kind, int k, int flits) {
  const Cycle many = std::max(20'000, 6'400'000 / (k * k));
  static std::map<std::tuple<const TopologyKind*, int, int>, double> known;
  const auto [found, is_new] = known.try_emplace({&kind, k, flits}, 0);
  if (is_new) {
    int below = 0;
    int beyond = 100;  // percent
    while (beyond - below > 1) {
      const int middle = (below + beyond) / 2;
      Scenario s = uniform(kind, k, flits, middle * bound(kind, k) / 100);
      s.warmup = 5000;
      Network network(s, make_factory(Engine::Model, {}));
      network.run(s.warmup + many);
      const ClassStatistics statistics = network.classes().front();
      const bool gets_through = 100 * statistics.accepted_flits >= 99 * statistics.offered_flits;
      (gets_through ? below : beyond) = middle;
    }
    found->second = below * bound(kind, k) / 100;
  }
  return found->second;
}

// One iteration is so many `cycles` of a network that has been loaded for 3000.
void run(benchmark::State& state, const Scenario& scenario, Engine engine, bool packets_count,
         Cycle cycles, Cut cut) {
  Network network(scenario, make_factory(engine, {}), cut);
  network.run(3000);
  const std::uint64_t packets = network.packet_hops();
  const std::uint64_t flit_hops = network.flit_hops();
  const Cycle begin = network.now();
  for ([[maybe_unused]] auto _ : state) {
    network.run(network.now() + cycles);
  }
  const auto rate = [](auto count) {
    return benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsRate);
  };
  state.counters["simulated_ms"] = rate(scenario.ns(network.now() - begin) / 1e6);
  if (packets_count) {
    state.counters["packet_hops"] = rate(network.packet_hops() - packets);
  } else {
    state.counters["flit_hops"] = rate(network.flit_hops() - flit_hops);
  }
}
void network_hops(benchmark::State& state, const TopologyKind& kind, int k, int flits, double share,
                  Engine engine) {
  const double load = share * saturation(kind, k, flits);
  state.SetLabel(fmt::format("load {:.3f}", load));
  run(state, uniform(kind, k, flits, load), engine, flits == 1, 200, {});
}
#define QOSARB_NETWORK(name, ...) BENCHMARK_CAPTURE(network_hops, name, __VA_ARGS__)
QOSARB_NETWORK(mesh_8x8_packets, kMesh, 8, 1, kBelow, Engine::Model);
QOSARB_NETWORK(torus_8x8_packets, kTorus, 8, 1, kBelow, Engine::Model);
QOSARB_NETWORK(mesh_8x8_packets_beyond_saturation, kMesh, 8, 1, kBeyond, Engine::Model);
QOSARB_NETWORK(mesh_32x32_packets, kMesh, 32, 1, kBelow, Engine::Model);
QOSARB_NETWORK(mesh_8x8_flits, kMesh, 8, 16, kBelow, Engine::Model);
QOSARB_NETWORK(torus_8x8_flits, kTorus, 8, 16, kBelow, Engine::Model);
QOSARB_NETWORK(mesh_8x8_flits_beyond_saturation, kMesh, 8, 16, kBeyond, Engine::Model);
QOSARB_NETWORK(mesh_32x32_flits, kMesh, 32, 16, kBelow, Engine::Model);
QOSARB_NETWORK(rtl_mesh_8x8_packets, kMesh, 8, 1, kBelow, Engine::Rtl);
QOSARB_NETWORK(rtl_mesh_8x8_flits, kMesh, 8, 16, kBelow, Engine::Rtl);
#undef QOSARB_NETWORK

/// The 512 hosts of the BXIv3 paper, with PFC and loads near 1.
void pgft_hops(benchmark::State& state, Engine engine, int threads) {
  Scenario s = load_scenario(QOSARB_SOURCE_DIR "/scenarios/networks/pgft-512.yaml");
  s.measure = kAllTheTime;
  // Threads are started anew in each iteration.
  run(state, s, engine, false, 20'000, {.threads = threads});
}
BENCHMARK_CAPTURE(pgft_hops, pgft_512, Engine::Model, 1);
BENCHMARK_CAPTURE(pgft_hops, pgft_512_on_two_threads, Engine::Model, 2)->UseRealTime();
BENCHMARK_CAPTURE(pgft_hops, rtl_pgft_512, Engine::Rtl, 1);
BENCHMARK_CAPTURE(pgft_hops, rtl_pgft_512_on_two_threads, Engine::Rtl, 2)->UseRealTime();

/// A network that is too large for a cache, cut into shards and not.
void large_hops(benchmark::State& state, int shards) {
  constexpr double kLoad = 0.4;
  Scenario s = uniform(
      {.kind = &kDragonfly, .hosts_per_switch = 8, .groups = 65, .switches = 16, .global_links = 4},
      4, kLoad);
  s.link_delays = {10, 10, 80};
  s.switches.input_queue_flits = 512;
  state.SetLabel(fmt::format("load {:.3f}", kLoad));
  run(state, s, Engine::Model, false, 400, {.shards = shards});
}
BENCHMARK_CAPTURE(large_hops, dragonfly_8320, 0);
BENCHMARK_CAPTURE(large_hops, dragonfly_8320_in_one_shard, 1);

}  // namespace
}  // namespace qosarb
