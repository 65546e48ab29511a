// Decisions a second: each reference, the RTL, and both in lockstep.
//
// Eight queues always have a packet; lengths are taken from a fixed list, so that all engines of a
// policy decide the same.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <memory>
#include <string>

#include "cosim/engine.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/policy/arbiter.hpp"

namespace qosarb {
namespace {

constexpr int kQueues = 8;
constexpr std::uint32_t kMaxPacketFlits = 80;

// 32 entries that serve the eight queues in turn, with quanta of 80 to 111 flits.
std::string table(const std::string& key, int modulo) {
  std::string text;
  for (int e = 0; e < 32; ++e) {
    text += fmt::format("{}{{{}: {}, weight: {}}}", e == 0 ? "" : ", ", key, e % modulo, 80 + e);
  }
  return "table: [" + text + "]";
}

std::string parameters(const std::string& policy) {
  if (policy == "bxi-basic" || policy == "bxi-deficit") {
    return table("queue", kQueues);
  }
  if (policy == "sbt") {
    return "queue_sl: [0, 0, 1, 1, 2, 2, 3, 3], table: [{sl: 0, weight: 50}, {sl: 1, weight: 25}, "
           "{sl: 2, weight: 15}, {sl: 3, weight: 10}]";
  }
  if (policy == "dtable") {
    return "queue_sl: [0, 0, 1, 1, 2, 2, 3, 3], sl_mtu: [80, 80, 80, 80], " + table("sl", 4);
  }
  if (policy == "infiniband") {
    std::string entries;
    for (int vl = 0; vl < kQueues; ++vl) {
      entries += fmt::format("{}{{vl: {}, weight: {}}}", vl == 0 ? "" : ", ", vl, 100 + vl);
    }
    return "limit_of_high_priority: 4, high: [{vl: 0, weight: 200}], low: [" + entries + "]";
  }
  if (policy == "seastar-age") {
    return "vcs: 4, req_age_bias: [1, 2], rsp_age_bias: [1, 2], age_clock_period: 8, "
           "age_rr_select: 0xffffffffffffffff";
  }
  if (policy == "trtcm") {
    std::string classes;
    for (int c = 0; c < kQueues; ++c) {
      classes += fmt::format("{}{{priority: {}, assured_rate: 0.1, peak_rate: 0.5}}",
                             c == 0 ? "" : ", ", c);
    }
    return "classes: [" + classes + "]";
  }
  return "";
}

ArbiterConfig config_of(const std::string& policy) {
  const std::string more = parameters(policy);
  return parse_arbiter(
      YAML::Load(fmt::format("{{policy: {}, queues: {}, max_packet_flits: {}{}{}}}", policy,
                             kQueues, kMaxPacketFlits, more.empty() ? "" : ", ", more)),
      "benchmark");
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

BENCHMARK_CAPTURE(decisions, model_rr, "rr", Engine::Model);
BENCHMARK_CAPTURE(decisions, model_bxi_basic, "bxi-basic", Engine::Model);
BENCHMARK_CAPTURE(decisions, model_bxi_deficit, "bxi-deficit", Engine::Model);
BENCHMARK_CAPTURE(decisions, model_sbt, "sbt", Engine::Model);
BENCHMARK_CAPTURE(decisions, model_dtable, "dtable", Engine::Model);
BENCHMARK_CAPTURE(decisions, model_infiniband, "infiniband", Engine::Model);
BENCHMARK_CAPTURE(decisions, model_seastar_age, "seastar-age", Engine::Model);
BENCHMARK_CAPTURE(decisions, model_trtcm, "trtcm", Engine::Model);
BENCHMARK_CAPTURE(decisions, rtl_rr, "rr", Engine::Rtl);
BENCHMARK_CAPTURE(decisions, rtl_bxi_basic, "bxi-basic", Engine::Rtl);
BENCHMARK_CAPTURE(decisions, rtl_bxi_deficit, "bxi-deficit", Engine::Rtl);
BENCHMARK_CAPTURE(decisions, rtl_sbt, "sbt", Engine::Rtl);
BENCHMARK_CAPTURE(decisions, rtl_dtable, "dtable", Engine::Rtl);
BENCHMARK_CAPTURE(decisions, rtl_infiniband, "infiniband", Engine::Rtl);
BENCHMARK_CAPTURE(decisions, rtl_seastar_age, "seastar-age", Engine::Rtl);
BENCHMARK_CAPTURE(decisions, rtl_trtcm, "trtcm", Engine::Rtl);
BENCHMARK_CAPTURE(decisions, lockstep_bxi_deficit, "bxi-deficit", Engine::Lockstep);

}  // namespace
}  // namespace qosarb
