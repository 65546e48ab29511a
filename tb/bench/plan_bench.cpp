// Exact analysis of two full tables, and plans over all data VLs.
#include <benchmark/benchmark.h>

#include "qosarb/analyze/analysis.hpp"
#include "qosarb/plan/bxi_plan.hpp"
#include "qosarb/plan/infiniband_plan.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb {
namespace {

// 64 entries each; weights that differ make the period long.
ArbiterConfig two_tables(std::uint32_t packet_flits) {
  InfiniBandConfig ib{.limit_of_high_priority = 1};
  for (Index e = 0; e < 64; ++e) {
    const std::uint32_t number = e;
    ib.high.push_back({e % 8, 5 + 7 * number % 61});
    ib.low.push_back({8 + e % 7, 3 + 11 * number % 53});
  }
  return {.policy = kInfiniBand, .queues = 15, .max_packet_flits = packet_flits, .parameters = ib};
}

void analyze_two_tables(benchmark::State& state) {
  const ArbiterConfig config = two_tables(static_cast<std::uint32_t>(state.range(0)));
  const PacketMix mix = longest_packets(config);
  MixAnalysis found;
  for (auto _ : state) {
    found = analyze_backlogged(config, mix);
    benchmark::DoNotOptimize(found);
  }
  state.counters["exact"] = found.exact ? 1 : 0;
  state.counters["decisions"] = static_cast<double>(found.decisions);
}
BENCHMARK(analyze_two_tables)->Arg(1)->Arg(3)->Arg(64)->Unit(benchmark::kMillisecond);

void analyze_deficit_table(benchmark::State& state) {
  BxiConfig table{.quantum_scale = 1};
  for (Index e = 0; e < 64; ++e) {
    const std::uint32_t number = e;
    table.table.push_back({e % 15, 64 + 7 * number % 61});
  }
  const ArbiterConfig config{
      .policy = kBxiDeficit, .queues = 15, .max_packet_flits = 64, .parameters = table};
  PacketMix mix = longest_packets(config);
  for (std::uint32_t q = 0; q < mix.flits.size(); ++q) {
    mix.flits[q] = {1 + 13 * q % 64};
  }
  MixAnalysis found;
  for (auto _ : state) {
    found = analyze_backlogged(config, mix);
    benchmark::DoNotOptimize(found);
  }
  state.counters["exact"] = found.exact ? 1 : 0;
  state.counters["decisions"] = static_cast<double>(found.decisions);
}
BENCHMARK(analyze_deficit_table)->Unit(benchmark::kMillisecond);

void plan_fifteen_vls(benchmark::State& state) {
  InfiniBandRequirements requirements;
  requirements.max_packet_flits = 4;
  requirements.packet_flits = 4;
  for (int vl = 0; vl < 15; ++vl) {
    requirements.lanes.push_back({vl, Rational(3 + 5 * vl % 11), vl < 10, {}});
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(plan_infiniband(requirements));
  }
}
BENCHMARK(plan_fifteen_vls)->Unit(benchmark::kMillisecond);

void plan_fifteen_distances(benchmark::State& state) {
  BxiRequirements requirements;
  requirements.max_packet_flits = 320;
  for (Index queue = 0; queue < 15; ++queue) {
    requirements.service_levels.push_back({queue, Rational(1 + 3 * queue % 7), 8 + 4 * queue});
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(plan_bxi(requirements));
  }
}
BENCHMARK(plan_fifteen_distances)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace qosarb
