// Decisions a second: each reference, the RTL, and both in lockstep.
//
// Each with the arbiter of arbiters/NAME.yaml. Eight queues always have a packet; lengths are taken
// from a fixed list, so that all engines of a policy decide the same.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "cosim/engine.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/policy/arbiter.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb {
namespace {

constexpr int kQueues = 8;
constexpr std::uint32_t kMaxPacketFlits = 80;

ArbiterConfig config_of(const std::string& policy) {
  const std::string file = QOSARB_SOURCE_DIR "/tb/bench/arbiters/" + policy + ".yaml";
  return parse_arbiter(YAML::LoadFile(file), file);
}

void decisions(benchmark::State& state, const std::string& policy, Engine engine) {
  const ArbiterConfig config = config_of(policy);
  const std::unique_ptr<Arbiter> arbiter = make_factory(engine, {})(config, {"", "port"});

  std::array<std::uint32_t, 1024> lengths{};
  std::uint32_t random = 1;
  for (std::uint32_t& length : lengths) {
    random = random * 1664525 + 1013904223;
    length = 1 + (random >> 16U) % kMaxPacketFlits;
  }
  std::array<Head, kQueues> heads;
  Cycle now = 0;
  for (int q = 0; q < kQueues; ++q) {
    heads[q].flits = lengths[q];
    heads[q].stamp = arbiter->arrive(now, q, 0);
  }
  for (auto _ : state) {
    const Decision decision = arbiter->decide(now, heads);
    ++now;
    arbiter->advance(now, heads);
    Head& head = heads[decision.queue];
    head.flits = lengths[now % lengths.size()];
    head.stamp = arbiter->arrive(now, decision.queue, 0);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(now));
}

// Each policy that is registered, by each engine that has it.
[[maybe_unused]] const bool kRegistered = [] {
  const auto add = [](const char* engine, Engine by, const std::string& policy) {
    std::string name = fmt::format("decisions/{}_{}", engine, policy);
    std::replace(name.begin(), name.end(), '-', '_');
    benchmark::RegisterBenchmark(name.c_str(), decisions, policy, by);
  };
  for (const PolicyRef policy : policies()) {
    add("model", Engine::Model, std::string(policy.name()));
  }
  for (const PolicyRef policy : policies()) {
    add("rtl", Engine::Rtl, std::string(policy.name()));
  }
  add("lockstep", Engine::Lockstep, "bxi-deficit");
  return true;
}();

}  // namespace
}  // namespace qosarb
