// qosarb sim: what it prints, and what it refuses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "on_a_switch.hpp"
#include "refusal.hpp"
#include "resource_limit.hpp"
#include "run_command.hpp"
#include "scenarios_with_rtl.hpp"

namespace qosarb::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string scenario_text() {
  return on_a_switch(
      2,
      "traffic:\n"
      "  - {name: app0, queue: 0, pattern: uniform, load: 0.20, message_bytes: 1024}\n"
      "  - {name: app1, queue: 1, pattern: uniform, load: 0.40, message_bytes: 64}\n"
      "run: {warmup_us: 2, measure_us: 20, seed: 1}\n");
}

Outcome sim(const std::string& scenario, std::vector<std::string> more = {}) {
  const ScratchDirectory scratch;
  more.insert(more.begin(), {"sim", scratch.file("s.yaml", scenario), "--engine", "model"});
  return run_command(more);
}

nlohmann::json json_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  nlohmann::json json = nlohmann::json::parse(outcome.out);
  json.erase("wall_s");
  return json;
}

TEST(Sim, JsonHasTheKeysOfTheContractAndFiguresThatAddUp) {
  const nlohmann::json json = nlohmann::json::parse(sim(scenario_text(), {"--json"}).out);
  for (const char* key :
       {"cycles", "decisions", "mismatches", "flits_injected", "flits_delivered", "flits_lost",
        "flits_in_flight", "wall_s", "flit_hops", "packet_hops", "reordered", "classes", "hosts"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["cycles"], 17188);          // 2 us and 20 us in cycles of 1.28 ns, each rounded up
  EXPECT_EQ(json["compared_decisions"], 0);  // the model alone has nobody to be compared with
  EXPECT_TRUE(json["mismatches"].is_null());
  EXPECT_EQ(json["flits_lost"], 0);
  EXPECT_EQ(
      json["flits_injected"].get<std::uint64_t>(),
      json["flits_delivered"].get<std::uint64_t>() + json["flits_in_flight"].get<std::uint64_t>());
  ASSERT_EQ(json["hosts"].size(), 4U);
  double offered = 0;
  double delivered = 0;
  for (const nlohmann::json& host : json["hosts"]) {
    offered += host["offered"].get<double>() / 4;
    delivered += host["delivered_from"].get<double>() / 4;
  }
  ASSERT_EQ(json["classes"].size(), 2U);
  EXPECT_NEAR(
      offered,
      json["classes"][0]["offered"].get<double>() + json["classes"][1]["offered"].get<double>(),
      1e-12);
  EXPECT_NEAR(
      delivered,
      json["classes"][0]["accepted"].get<double>() + json["classes"][1]["accepted"].get<double>(),
      1e-12);
  double share = 0;
  for (const nlohmann::json& row : json["classes"]) {
    for (const char* key : {"name", "queue", "offered", "accepted", "share"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
    for (const char* latency : {"packet_latency_ns", "network_latency_ns"}) {
      const nlohmann::json& ns = row[latency];
      EXPECT_GT(ns["mean"], 0.0);
      EXPECT_LE(ns["p50"], ns["p99"]);
      EXPECT_LE(ns["p99"], ns["max"]);
    }
    EXPECT_LE(row["network_latency_ns"]["mean"], row["packet_latency_ns"]["mean"]);
    share += row["share"].get<double>();
  }
  EXPECT_NEAR(share, 1, 1e-12);
  EXPECT_EQ(json["classes"][0]["name"], "app0");
  EXPECT_NEAR(json["classes"][0]["offered"], 0.2, 0.002);
  EXPECT_NEAR(json["classes"][0]["accepted"], 0.2, 0.004);
  EXPECT_NEAR(json["classes"][1]["accepted"], 0.4, 0.004);
}

/// The scenario of `file` with reference and RTL in lockstep at every port, and the same result as
/// with the references alone. `engine` are the options that ask for lockstep. The result.
nlohmann::json expect_lockstep(const std::string& file, const std::vector<std::string>& engine) {
  std::vector<std::string> arguments = {"sim", file, "--json"};
  arguments.insert(arguments.end(), engine.begin(), engine.end());
  nlohmann::json both = json_of(run_command(arguments));
  // A port that silently ran the model would have nothing compared.
  EXPECT_EQ(both["engine"], "lockstep");
  EXPECT_EQ(both["compared_decisions"], both["decisions"]);
  EXPECT_EQ(both["mismatches"], 0);
  EXPECT_EQ(both["flits_lost"], 0);
  nlohmann::json by_model = json_of(run_command({"sim", file, "--json", "--engine", "model"}));
  EXPECT_TRUE(by_model["mismatches"].is_null());
  nlohmann::json same = both;
  for (const char* key : {"engine", "compared_decisions", "mismatches"}) {
    same.erase(key);
    by_model.erase(key);
  }
  EXPECT_EQ(same, by_model);
  return both;
}

// One scenario for each of the other systems' policies ships. Ports of a chip share its age clock.
TEST(Sim, RunsEveryPolicyAtEveryPort) {
  const std::vector<std::string> scenarios = scenarios_with_rtl();
  for (const std::string& scenario : scenarios) {
    SCOPED_TRACE(scenario);
    EXPECT_GT(expect_lockstep(scenario, {})["decisions"], 10000);
  }
  EXPECT_GE(scenarios.size(), 6U);
}

// The references count, so a run of the RTL alone has no counters.
TEST(Sim, EnginesTellTheSameButWhatArbitersCount) {
  std::string scenario = contents(QOSARB_SOURCE_DIR "/scenarios/policies/trtcm.yaml");
  const std::size_t run = scenario.find("run: ");
  scenario.replace(run, scenario.find('\n', run) - run,
                   "run: {warmup_us: 1, measure_us: 5, seed: 1}");
  const ScratchDirectory scratch;
  const std::string file = scratch.file("s.yaml", scenario);
  nlohmann::json model = json_of(run_command({"sim", file, "--json", "--engine", "model"}));
  nlohmann::json rtl = json_of(run_command({"sim", file, "--json", "--engine", "rtl"}));
  nlohmann::json both = json_of(run_command({"sim", file, "--json", "--engine", "lockstep"}));
  for (nlohmann::json* const json : {&model, &rtl, &both}) {
    for (const char* const key : {"engine", "compared_decisions", "mismatches"}) {
      json->erase(key);
    }
  }
  EXPECT_EQ(both, model);
  EXPECT_EQ(model.erase("counters"), 1U);
  EXPECT_EQ(rtl, model);
}

struct SmallNetwork {
  const char* topology;
  const char* routing;
  const char* arbiter;
  const char* more;  ///< of the switch
  int service_levels;
};

// Each kind of topology, of switch and of flow control, and several policies.
TEST(Sim, RunsTheRtlAtEveryPortOfANetworkOfEachKind) {
  const char* const kInputQueuedCredit =
      "architecture: input-queued, input_queue_flits: 64, flow_control: credit";
  const char* const kCioq =
      "input_queue_flits: 128, output_queue_flits: 32, crossbar_speedup: 1.5, ";
  const std::string cioq_pfc = std::string(kCioq) + "flow_control: pfc";
  const std::string cioq_credit = std::string(kCioq) + "flow_control: credit";
  const SmallNetwork networks[] = {
      {"kind: mesh, dims: [3, 2], hosts_per_switch: 2", "dimension-order",
       "policy: bxi-deficit, queues: 2, table: [{queue: 0, weight: 48}, {queue: 1, weight: 16}]",
       kInputQueuedCredit, 2},
      {"kind: torus, dims: [3, 3]", "dimension-order", "policy: rr, queues: 4", cioq_credit.c_str(),
       2},
      {"kind: kary-ntree, k: 2, n: 3", "random-up",
       "policy: infiniband, queues: 3, limit_of_high_priority: 1, "
       "high: [{vl: 2, weight: 4}], low: [{vl: 0, weight: 16}, {vl: 1, weight: 48}]",
       cioq_pfc.c_str(), 3},
      {"kind: pgft, down: [3, 2], up: [1, 2], parallel: [1, 2]", "d-mod-k",
       "policy: bxi-basic, queues: 2, table: [{queue: 0, weight: 32}, {queue: 1, weight: 16}]",
       "architecture: input-queued, input_queue_flits: 128, flow_control: pfc", 2},
      {"kind: dragonfly, groups: 3, switches: 2, hosts_per_switch: 2, global_links: 1", "adaptive",
       "policy: rr, queues: 8", kInputQueuedCredit, 2},
      {"kind: pgft, down: [4, 2], up: [1, 2], parallel: [1, 1]", "d-mod-k", "policy: rr, queues: 2",
       "architecture: hierarchical, mport_ports: 2, input_queue_flits: 64, central_queue_flits: "
       "64, "
       "output_queue_flits: 32, crossbar_speedup: 2, central_speedup: 2, flow_control: credit",
       2},
      {"kind: torus, dims: [3, 2, 2]", "dateline",
       "policy: seastar-age, queues: 28, vcs: 4, req_age_bias: [1, 3, 3, 2, 2, 1, 1], "
       "rsp_age_bias: [1, 3, 3, 2, 2, 1, 1], age_clock_period: 8, "
       "age_rr_select: 0xffffffffffffffff",
       "architecture: seastar, vcs: 4, input_queue_flits: 64, output_queue_flits: 32, "
       "flow_control: credit",
       2}};
  for (const SmallNetwork& network : networks) {
    SCOPED_TRACE(network.topology);
    std::string text = std::string("arbiter: {max_packet_flits: 16, ") + network.arbiter +
                       "}\nnetwork:\n  topology: {" + network.topology +
                       "}\n  routing: " + network.routing +
                       "\n  link: {gbps: 400, delay_ns: 10}\n" + "  flit_bytes: 64\n  switch: {" +
                       network.more + "}\ntraffic:\n";
    for (int level = 0; level < network.service_levels; ++level) {
      const std::string number = std::to_string(level);
      text += "  - {name: sl" + number + ", queue: " + number +
              ", pattern: uniform, load: 0.4, message_bytes: {range: [64, 2048]}}\n";
    }
    text += "run: {warmup_us: 1, measure_us: 3, seed: 1}\n";
    const ScratchDirectory scratch;
    const std::string file = scratch.file("s.yaml", text);
    nlohmann::json json = expect_lockstep(file, {"--engine", "lockstep"});
    EXPECT_GT(json["decisions"], 2000);
    json.erase("wall_s");
    EXPECT_EQ(json_of(run_command({"sim", file, "--json", "--threads", "2"})), json);
  }
}

TEST(Sim, ThreadsChangeNothing) {
  const std::string networks = std::string(QOSARB_SOURCE_DIR) + "/scenarios/networks/";
  for (const char* const file :
       {"dragonfly-adaptive.yaml", "ntree-random-up.yaml", "mixed-rates.yaml"}) {
    const std::vector<std::string> command = {"sim", networks + file, "--engine", "model"};
    const auto with = [&command](std::vector<std::string> more) {
      more.insert(more.begin(), command.begin(), command.end());
      return json_of(run_command(more));
    };
    const nlohmann::json one = with({"--tables"});
    EXPECT_EQ(with({"--tables", "--threads", "2"}), one) << file;
    EXPECT_EQ(with({"--tables", "--threads", "3"}), one) << file;
  }
}

// What it reserves for packets all threads share.
TEST(Sim, ThreadsFitInTheAddressSpaceOfOne) {
  const ScratchDirectory scratch;
  std::string scenario = scenario_text();
  const std::string topology = "{kind: single-switch, ports: 4}";
  scenario.replace(scenario.find(topology), topology.size(), "{kind: mesh, dims: [3]}");
  const std::string file = scratch.file("s.yaml", scenario);
  const auto run = [&file](const char* threads) {
    return run_command({"sim", file, "--engine", "model", "--json", "--threads", threads});
  };
  {
    const ResourceLimit limit(RLIMIT_AS, rlim_t{6'000'000} << 10U);
    EXPECT_EQ(run("1").status, 0);
    EXPECT_EQ(run("3").status, 0);
  }
  const ResourceLimit limit(RLIMIT_AS, rlim_t{2'000'000} << 10U);
  expect_refused(run("1"), "MiB of address space", "ulimit -v");
}

TEST(Sim, RefusesThreadsThatANetworkHasNoUseFor) {
  const std::string networks = std::string(QOSARB_SOURCE_DIR) + "/scenarios/networks/";
  expect_refused(sim(scenario_text(), {"--threads", "0"}), "--threads");
  expect_refused(sim(scenario_text(), {"--threads", "some"}), "--threads");
  expect_refused(sim(scenario_text(), {"--threads", "257"}), "is not a whole number within 1..256");
  expect_refused(sim(scenario_text(), {"--threads", "256"}), "runs on one thread at most");
  expect_refused(sim(scenario_text(), {"--threads", "2"}),
                 "s.yaml: --threads: a network with hosts at 1 switch runs on one thread at most");
  expect_refused(run_command({"sim", networks + "mesh-credit.yaml", "--threads", "65"}),
                 "mesh-credit.yaml: --threads: a network with hosts at 64 switches runs on 64 "
                 "threads at most");
  expect_refused(run_command({"sim", networks + "trace-ring.yaml", "--threads", "2"}),
                 "trace-ring.yaml: --threads: the ranks of a trace run on one thread");
  const ScratchDirectory scratch;
  expect_refused(run_command({"sim", networks + "mesh-credit.yaml", "--threads", "2", "--trace",
                              scratch.path("t.fst")}),
                 "mesh-credit.yaml: --threads: a waveform is written by one thread");
  EXPECT_FALSE(std::filesystem::exists(scratch.path("t.fst")));
}

TEST(Sim, TheSeedDecidesEverything) {
  const nlohmann::json first = json_of(sim(scenario_text(), {"--json"}));
  EXPECT_EQ(first, json_of(sim(scenario_text(), {"--json", "--seed", "1"})));
  const nlohmann::json second = json_of(sim(scenario_text(), {"--json", "--seed", "2"}));
  EXPECT_EQ(second["seed"], 2);
  EXPECT_NE(first["classes"], second["classes"]);
}

// Any seed of the command can stand in a scenario.
TEST(Sim, TakesTheSeedsThatAScenarioTakes) {
  const std::string most = "9223372036854775807";
  const nlohmann::json json = json_of(sim(scenario_text(), {"--json", "--seed", most}));
  EXPECT_EQ(json["seed"], 9'223'372'036'854'775'807);
  std::string scenario = scenario_text();
  scenario.replace(scenario.find("seed: 1}"), 8, "seed: " + most + "}");
  EXPECT_EQ(json_of(sim(scenario, {"--json"})), json);
  expect_refused(sim(scenario_text(), {"--seed", "9223372036854775808"}), "--seed",
                 "is not a whole number within 0.." + most);
}

TEST(Sim, PrintsATableForPeople) {
  const Outcome outcome = sim(scenario_text());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("asked"), HasSubstr("offered"), HasSubstr("got"),
                                 HasSubstr("app0"), HasSubstr("app1"), HasSubstr("0 lost")));
}

TEST(Sim, RefusesBadInputInOneLine) {
  std::string scenario = scenario_text();
  scenario.replace(scenario.find("load: 0.20"), 10, "load: none");
  expect_refused(sim(scenario), "s.yaml:8: traffic[0].load must be a number");
  scenario = scenario_text();
  scenario.replace(scenario.find("0.20"), 4, "0");
  expect_refused(sim(scenario), "s.yaml:8: traffic[0].load is 0, which is not within 1e-06..4");
  scenario = scenario_text();
  scenario.insert(scenario.find("  flit_bytes"), "  global_link: {delay_ns: 100}\n");
  expect_refused(sim(scenario), "s.yaml:5: global links join the groups of a dragonfly");
  scenario = scenario_text();
  scenario.replace(scenario.find("app1"), 4, "B\xfcro");
  expect_refused(sim(scenario), "s.yaml:9: a text that is not UTF-8");
  scenario = scenario_text();
  scenario.replace(scenario.find("app1"), 4, "B\xc3\xbcro");
  EXPECT_EQ(json_of(sim(scenario, {"--json"}))["classes"][1]["name"], "B\xc3\xbcro");
  for (const char* file : {"trace: none.goal", "trace: none.txt",
                           "pattern: uniform, load: 0.5, message_bytes: {file: none.txt}"}) {
    scenario = scenario_text();
    const std::size_t entry = scenario.find("pattern: uniform, load: 0.40");
    scenario.replace(entry, scenario.find('}', entry) - entry, file);
    expect_refused(sim(scenario), "s.yaml:9: ", "/none.");
  }
  expect_refused(run_command({"sim", "/nonexistent.yaml"}), "/nonexistent.yaml: cannot be opened");
  expect_refused(sim(scenario_text(), {"--seed", "many"}), "--seed");
  expect_refused(run_command({"sim"}), "scenario");
}

/// A network in a line each; what is wrong with it; and what the command says.
TEST(Sim, RefusesBadNetworksInOneLineAndWritesNothing) {
  struct BadNetwork {
    const char* topology;
    const char* routing;
    const char* switches;
    const char* says;
  };
  const char* const kGood =
      "input_queue_flits: 768, output_queue_flits: 768, crossbar_speedup: 2, flow_control: pfc";
  const BadNetwork networks[] = {
      {"kind: mesh, dims: [4, 4]", "d-mod-k", kGood,
       "s.yaml:4: routing 'd-mod-k' does not cover a mesh, which takes dimension-order"},
      {"kind: mesh, dims: [1, 1]", "dimension-order", kGood,
       "s.yaml:3: a network has at least two hosts"},
      {"kind: dragonfly, groups: 4, switches: 2, hosts_per_switch: 2, global_links: 1", "minimal",
       kGood, "s.yaml:3: "},  // no global link reaches the fourth group
      {"kind: torus, dims: [4, 4]", "dimension-order", kGood,
       "s.yaml:3: dimension-order on a torus needs 2 virtual channels for a service level; there "
       "are "
       "1"},
      {"kind: torus, dims: [65535, 65535, 65535]", "dimension-order", kGood,
       "s.yaml:3: the product of dims is more than"},
      {"kind: pgft, down: [60000, 60000, 60000], up: [1, 1, 1], parallel: [1, 1, 1]", "d-mod-k",
       kGood, "s.yaml:3: "},
      {"kind: mesh, dims: [4, 4]", "dimension-order",
       "input_queue_flits: 80, output_queue_flits: 768, crossbar_speedup: 2, flow_control: pfc",
       "s.yaml:7: an input queue of 80 flits cannot hold the PFC headroom of"},
      {"kind: mesh, dims: [4, 4]", "dimension-order",
       "architecture: input-queued, input_queue_flits: 15, flow_control: credit",
       "s.yaml:7: an input queue of 15 flits cannot hold a packet of 16"},
      {"kind: mesh, dims: [4, 4]", "dimension-order",
       "input_queue_flits: 768, output_queue_flits: 15, crossbar_speedup: 2, flow_control: pfc",
       "s.yaml:7: an output queue of 15 flits cannot hold a packet of 16"}};
  for (const BadNetwork& network : networks) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file(
        "s.yaml",
        std::string("arbiter: {policy: rr, queues: 1, max_packet_flits: 16}\nnetwork:\n") +
            "  topology: {" + network.topology + "}\n  routing: " + network.routing +
            "\n  link: {gbps: 400, delay_ns: 25}\n  flit_bytes: 64\n  switch: {" +
            network.switches +
            "}\ntraffic: [{name: all, queue: 0, pattern: uniform, load: 0.2, "
            "message_bytes: 64}]\nrun: {warmup_us: 0, measure_us: 1}\n");
    SCOPED_TRACE(network.topology);
    expect_refused(run_command({"sim", file, "--report", scratch.path("r.html"), "--csv",
                                scratch.path("csv")}),
                   network.says);
    EXPECT_FALSE(std::filesystem::exists(scratch.path("r.html")));
    EXPECT_FALSE(std::filesystem::exists(scratch.path("csv")));
  }
}

TEST(Sim, RefusesBadRatesOfLinksInOneLine) {
  const std::pair<const char*, const char*> links[] = {
      {"gbps: 0", "s.yaml:4: network.host_link.gbps"},
      {"gbps: -100", "s.yaml:4: network.host_link.gbps"},
      {"gbps: fast", "s.yaml:4: network.host_link.gbps must be a number"},
      {"gbps: 401", "s.yaml:4: 401 Gb/s are more than the 400 of `link:`"},
      {"gbps: 399", "s.yaml:4: 399 of 400 Gb/s are 399/400; parts of at most 256 are kept"},
      {"rate: 0.5", "s.yaml:4: "},
      {"delay_ns: 500, gbps: 300", "s.yaml:6: an input queue of 300 flits cannot hold the PFC"}};
  for (const auto& [link, says] : links) {
    SCOPED_TRACE(link);
    expect_refused(
        sim(fmt::format(
            "arbiter: {{policy: rr, queues: 1, max_packet_flits: 16}}\nnetwork:\n"
            "  topology: {{kind: single-switch, ports: 4}}\n  host_link: {{{}}}\n"
            "  link: {{gbps: 400, delay_ns: 25}}\n  switch: {{input_queue_flits: 300, "
            "output_queue_flits: 64, crossbar_speedup: 2, flow_control: pfc}}\n  flit_bytes: 64\n"
            "traffic: [{{name: all, queue: 0, pattern: uniform, load: 0.2, message_bytes: 64}}]\n"
            "run: {{warmup_us: 0, measure_us: 1}}\n",
            link)),
        says);
  }
}

// Two service levels, each with its datelines, but the one's channels are the other's the other way
// round: rings of both together. The first row of switches has both levels and stalls; the second
// has one and goes on.
TEST(Sim, AStallOfAPartOfTheNetworkIsExplainedAndStatusOne) {
  const std::string text =
      "arbiter: {policy: rr, queues: 2, max_packet_flits: 16}\n"
      "network:\n"
      "  topology: {kind: torus, dims: [6, 2]}\n"
      "  virtual_channels: [[[0], [1]], [[1], [0]]]\n"
      "  link: {gbps: 400, delay_ns: 25}\n"
      "  flit_bytes: 64\n"
      "  switch: {architecture: input-queued, input_queue_flits: 16, flow_control: credit}\n"
      "traffic:\n"
      "  - {name: a, queue: 0, pattern: uniform, destinations: senders, load: 1, message_bytes: "
      "1024,\n"
      "     hosts: {from: 0, to: 5}}\n"
      "  - {name: b, queue: 1, pattern: uniform, destinations: senders, load: 1, message_bytes: "
      "1024,\n"
      "     hosts: {from: 0, to: 5}}\n"
      "  - {name: c, queue: 0, pattern: uniform, destinations: senders, load: 0.1, message_bytes: "
      "1024,\n"
      "     hosts: {from: 6, to: 11}}\n"
      "run: {warmup_us: 0, measure_us: 2000}\n";
  const Outcome outcome = sim(text);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("a part of the network stands still for good"),
                                 HasSubstr(" waits for room in switch"),
                                 HasSubstr("which is the ring: switch")));
  // It is no other where nobody can hear why.
  const ScratchDirectory scratch;
  for (const char* nowhere : {"2>&-", "2>/dev/full"}) {
    EXPECT_EQ(run_command({"sim", scratch.file("s.yaml", text)}, nowhere).status, 1) << nowhere;
  }
  // What led there can be looked at.
  EXPECT_EQ(run_command({"sim", scratch.file("s.yaml", text), "--engine", "rtl", "--trace",
                         scratch.path("t.fst"), "--trace-ports", "switch0", "--trace-from", "100",
                         "--trace-to", "200"})
                .status,
            1);
  EXPECT_THAT(scratch.names(), ElementsAre("s.yaml", "t.fst", "t.gtkw"));
  const Outcome last = run_command({"sim", scratch.file("s.yaml", text), "--trace",
                                    scratch.path("l.fst"), "--trace-last", "50"});
  EXPECT_EQ(last.status, 1);
  EXPECT_EQ(last.err, outcome.err);
  EXPECT_THAT(scratch.names(), ElementsAre("l.fst", "l.gtkw", "s.yaml", "t.fst", "t.gtkw"));
}

const char* const kRing =
    "num_ranks 3\n"
    "rank 0 { a: calc 100\n b: send 640b to 1\n b requires a\n c: recv 640b from 2 }\n"
    "rank 1 { a: recv 640b from 0\n b: send 640b to 2\n b requires a }\n"
    "rank 2 { a: recv 640b from 1\n b: send 640b to 0\n b requires a }\n";

/// scenario_text() with a trace instead of its second entry, and without `run:`.
std::string trace_scenario() {
  std::string scenario = scenario_text();
  const std::size_t begin = scenario.find("  - {name: app0");
  scenario.replace(begin, std::string::npos, "  - {name: ring, queue: 1, trace: ring.goal}\n");
  return scenario;
}

TEST(Sim, ATraceRunsToItsEndAndSaysWhenEachRankWasDone) {
  const ScratchDirectory scratch;
  std::ofstream(scratch.path("ring.goal")) << kRing;
  const nlohmann::json json =
      json_of(run_command({"sim", scratch.file("s.yaml", trace_scenario()), "--json"}));
  EXPECT_EQ(json["engine"], "lockstep");
  ASSERT_EQ(json["traces"].size(), 1U);
  const nlohmann::json& trace = json["traces"][0];
  // 100 ns are 78.1 cycles of 1.28 ns; then three times 10 flits, two wires of 20 and 9 within.
  const double hop = 10 + 40 + 9;
  EXPECT_EQ(trace["name"], "ring");
  EXPECT_DOUBLE_EQ(trace["finish_ns"], (79 + 3 * hop) * 1.28);
  EXPECT_DOUBLE_EQ(trace["rank_finish_ns"][0], (79 + 3 * hop) * 1.28);
  EXPECT_DOUBLE_EQ(trace["rank_finish_ns"][1], (79 + hop) * 1.28);
  EXPECT_EQ(trace["messages"], 3);
  EXPECT_EQ(trace["bytes"], 1920);
  EXPECT_EQ(json["classes"][0]["name"], "ring");
  EXPECT_EQ(json["classes"][0]["messages"], 3);
  EXPECT_DOUBLE_EQ(json["classes"][0]["message_latency_ns"]["max"], hop * 1.28);
}

// Cycles in which nothing happens cost nothing, whatever is recorded: these are 10^16.
TEST(Sim, ATraceThatCalculatesForMonthsEndsAtOnce) {
  const ScratchDirectory scratch;
  std::string trace = "num_ranks 2\nrank 0 {\n";
  for (int i = 0; i < 40; ++i) {
    trace += "calc 281474976710655\n";
  }
  std::ofstream(scratch.path("ring.goal"))
      << trace +
             "a: calc 281474976710655 b: send 64b to 1 b requires a }\n"
             "rank 1 { recv 64b from 0 }\n";
  const std::string file = scratch.file("s.yaml", trace_scenario());
  const ResourceLimit limit(RLIMIT_CPU, 60);
  for (const std::string more : {"--json", "--tables"}) {
    const nlohmann::json json = json_of(run_command({"sim", file, "--engine", "model", more}));
    EXPECT_GE(json["traces"][0]["finish_ns"], 41 * 281474976710655.0);
    EXPECT_EQ(json["flits_delivered"], 1);
  }
}

// Nobody knows before when a trace ends.
TEST(Sim, ATraceThatEndsBeforeTheWindowKeepsAnOldWaveform) {
  const ScratchDirectory scratch;
  std::ofstream(scratch.path("ring.goal")) << kRing;
  const std::string wave = scratch.file("t.fst", "old");
  expect_refused(run_command({"sim", scratch.file("s.yaml", trace_scenario()), "--trace", wave,
                              "--trace-from", "1000"}),
                 "t.fst: not written: the run ended before cycle 1000");
  EXPECT_EQ(contents(wave), "old");
  EXPECT_THAT(scratch.names(), ElementsAre("ring.goal", "s.yaml", "t.fst"));
}

TEST(Sim, ATraceWhoseRanksWaitForEachOtherKeepsAnOldWaveform) {
  const ScratchDirectory scratch;
  std::ofstream(scratch.path("ring.goal"))
      << "num_ranks 2\n"
         "rank 0 { a: send 640b to 1\n b: recv 64b from 1\n c: send 64b to 1\n c requires b }\n"
         "rank 1 { a: recv 640b from 0\n b: recv 64b from 0\n c: send 64b to 0\n c requires b }\n";
  const std::string wave = scratch.file("t.fst", "old");
  expect_refused(run_command({"sim", scratch.file("s.yaml", trace_scenario()), "--trace", wave}),
                 "ring.goal:7: ", "wait for each other");
  EXPECT_EQ(contents(wave), "old");
  EXPECT_THAT(scratch.names(), ElementsAre("ring.goal", "s.yaml", "t.fst"));
}

// It may be large, and nobody would look for it.
TEST(Sim, AnInterruptLeavesNothingOfAWaveform) {
  std::string scenario = scenario_text();
  scenario.replace(scenario.find("measure_us: 20"), 14, "measure_us: 1000000");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU}) {
    const ScratchDirectory scratch;
    StartedCommand command({"sim", scratch.file("s.yaml", scenario), "--engine", "rtl", "--trace",
                            scratch.path("t.fst"), "--report", scratch.path("r.html")});
    const auto has_begun = [&scratch] {
      const std::vector<std::string> names = scratch.names();
      return std::any_of(names.begin(), names.end(), [&scratch](const std::string& name) {
        return name.starts_with("t.fst.part") && std::filesystem::file_size(scratch.path(name)) > 0;
      });
    };
    while (!has_begun() && command.runs()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(command.end_by(signal), 128 + signal);
    EXPECT_THAT(scratch.names(), ElementsAre("s.yaml"));
  }
}

// Unless the user asks the allocator for something else.
TEST(Sim, AsksTheAllocatorForHugePages) {
  const char* const kTunables = "GLIBC_TUNABLES";
  for (const std::string asked : {"", "glibc.malloc.arena_max=2"}) {
    ASSERT_EQ(asked.empty() ? unsetenv(kTunables) : setenv(kTunables, asked.c_str(), 1), 0);
    const ScratchDirectory scratch;
    const std::string scenario = scratch.path("s.yaml");
    ASSERT_EQ(mkfifo(scenario.c_str(), 0600), 0);
    const StartedCommand command({"sim", scenario});
    const std::ofstream opened(scenario);  // waits for a reader, who is past its start
    std::string variables = contents(fmt::format("/proc/{}/environ", command.process()));
    std::replace(variables.begin(), variables.end(), '\0', '\n');
    EXPECT_THAT('\n' + variables,
                HasSubstr(fmt::format("\n{}={}\n", kTunables,
                                      asked.empty() ? "glibc.malloc.hugetlb=1" : asked)));
  }
}

TEST(Sim, AnInterruptWaitsUntilAllTablesAreThere) {
  const auto names_in = [](const std::filesystem::path& directory) {
    std::set<std::string> names;
    std::error_code fault;  // it is not there yet
    for (const auto& file : std::filesystem::directory_iterator(directory, fault)) {
      names.insert(file.path().filename());
    }
    return names;
  };
  const ScratchDirectory scratch;
  const std::string scenario = scratch.file("s.yaml", scenario_text());
  run_command({"sim", scenario, "--csv", scratch.path("all")});
  for (const int signal : {SIGINT, SIGHUP, SIGQUIT}) {
    const std::string tables = scratch.path(fmt::format("csv{}", signal));
    StartedCommand command({"sim", scenario, "--csv", tables});
    while (names_in(tables).empty() && command.runs()) {
    }
    command.end_by(signal);
    EXPECT_EQ(names_in(tables), names_in(scratch.path("all"))) << signal;
  }
}

// Nothing would be left of the input, or of one of the outputs.
TEST(Sim, OutputsAreNeitherInputsNorEachOther) {
  const ScratchDirectory scratch;
  std::ofstream(scratch.path("ring.goal")) << kRing;
  const std::string scenario = scratch.file("s.yaml", trace_scenario());
  std::filesystem::create_symlink("s.yaml", scratch.path("link.yaml"));
  const auto refused = [&](const std::vector<std::string>& outputs, const std::string& fault) {
    std::vector<std::string> arguments = {"sim", scenario};
    arguments.insert(arguments.end(), outputs.begin(), outputs.end());
    expect_refused(run_command(arguments), fault);
    EXPECT_THAT(scratch.names(), ElementsAre("link.yaml", "ring.goal", "s.yaml"));
    EXPECT_EQ(contents(scenario), trace_scenario());
    EXPECT_EQ(contents(scratch.path("ring.goal")), kRing);
  };
  refused({"--report", scenario}, "s.yaml: is an input");
  refused({"--report", scratch.path("./s.yaml")}, "s.yaml: is an input");
  refused({"--report", scratch.path("link.yaml")}, "link.yaml: is an input");
  refused({"--trace", scenario}, "s.yaml: is an input");
  refused({"--trace", scratch.path("ring.goal")}, "ring.goal: is an input");
  refused({"--report", scratch.path("r"), "--trace", scratch.path("r")},
          "r: is named for two outputs");
  refused({"--report", scratch.path("r"), "--csv", scratch.path("r")},
          "r: is named for two outputs");
  refused({"--report", scratch.path("r.gtkw"), "--trace", scratch.path("r.fst")},
          "r.gtkw: is named for two outputs");
  refused({"--reproducer", scratch.path("r.fst"), "--trace", scratch.path("r.fst")},
          "r.fst: is named for two outputs");
}

// The files that --csv writes have names of their own choice.
TEST(Sim, TablesAreNeitherInputsNorOtherOutputs) {
  const ScratchDirectory scratch;
  std::string scenario = scenario_text();
  const std::string bytes = "message_bytes: 1024";
  scenario.replace(scenario.find(bytes), bytes.size(), "message_bytes: {file: cdf.csv}");
  const std::string sizes = "64\n64 1\n";
  const std::string list = scratch.file("cdf.csv", sizes);
  const std::string file = scratch.file("links.csv", scenario);
  const std::string other = scratch.file("s.yaml", scenario);
  const std::string here = scratch.path("");
  std::filesystem::create_directory(scratch.path("w"));
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& fault) {
    std::vector<std::string> all = {"sim"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    expect_refused(run_command(all), fault);
    EXPECT_THAT(scratch.names(), ElementsAre("cdf.csv", "links.csv", "s.yaml", "w"));
    EXPECT_TRUE(std::filesystem::is_empty(scratch.path("w")));
    EXPECT_EQ(contents(list), sizes);
    EXPECT_EQ(contents(file), scenario);
  };
  refused({other, "--report", list}, "cdf.csv: is an input");
  refused({other, "--trace", list}, "cdf.csv: is an input");
  refused({other, "--csv", here}, "cdf.csv: is an input");
  std::ofstream(scratch.path("s.yaml")) << scenario_text();
  refused({file, "--csv", here}, "links.csv: is an input");
  const std::string tables = scratch.path("w");
  refused({other, "--csv", tables, "--report", tables + "/links.csv"},
          "links.csv: is named for two outputs");
  refused({other, "--csv", tables, "--trace", tables + "/cdf.csv"},
          "cdf.csv: is named for two outputs");
  refused({other, "--csv", scratch.path("new"), "--report", scratch.path("new/hosts.csv")},
          "hosts.csv: is named for two outputs");
}

// A link stays one, and one to nothing gets its target.
TEST(Sim, OutputsGoWhereTheirLinksEnd) {
  const ScratchDirectory scratch;
  const ScratchDirectory target;
  const std::string scenario = scratch.file("s.yaml", scenario_text());
  const auto link = [&scratch](const std::string& name, const std::string& to) {
    std::filesystem::create_symlink(to, scratch.path(name));
    return scratch.path(name);
  };
  std::filesystem::create_directory(scratch.path("csv"));
  link("csv/links.csv", target.file("links", "old"));
  link("t.gtkw", target.path("layout"));
  link("one.html", "two.html");
  link("two.html", target.path("page"));
  const Outcome outcome =
      run_command({"sim", scenario, "--report", scratch.path("one.html"), "--csv",
                   scratch.path("csv"), "--trace", link("t.fst", target.file("waves", "old"))});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(target.names(), ElementsAre("layout", "links", "page", "waves"));
  for (const char* name : {"one.html", "two.html", "t.fst", "t.gtkw", "csv/links.csv"}) {
    EXPECT_TRUE(std::filesystem::is_symlink(scratch.path(name))) << name;
    EXPECT_GT(contents(scratch.path(name)).size(), 10U) << name;
  }
  for (const auto& [to, fault] : std::vector<std::pair<std::string, std::string>>{
           {"/dev/null", "is not a plain file"},
           {target.path(""), "is not a plain file"},
           {"/proc/self/fd/1", "is where standard output or error goes"},
           {target.path("none/page"), "cannot be "},
           {"bad", "its links lead nowhere"},
           {"s.yaml", "is an input"}}) {
    const std::string bad = link("bad", to);
    for (const char* option : {"--report", "--trace"}) {
      expect_refused(run_command({"sim", scenario, option, bad}), "bad: ", fault);
    }
    EXPECT_TRUE(std::filesystem::is_symlink(bad)) << to;
    std::filesystem::remove(bad);
  }
  expect_refused(run_command({"sim", scenario, "--report", scratch.path("one.html"), "--trace",
                              link("same.fst", target.path("page"))}),
                 "same.fst: is named for two outputs");
  std::filesystem::remove(target.path("page"));
  expect_refused(run_command({"sim", scenario, "--report", scratch.path("one.html"), "--trace",
                              scratch.path("same.fst")}),
                 "same.fst: is named for two outputs");
  EXPECT_THAT(target.names(), ElementsAre("layout", "links", "waves"));
}

// What another run at the same time is writing there stays its own.
TEST(Sim, AReportIsWrittenBesideThatOfAnotherRun) {
  const ScratchDirectory scratch;
  const std::string other = scratch.file("r.html.part", "of another run");
  const std::string report = scratch.path("r.html");
  EXPECT_EQ(
      run_command({"sim", scratch.file("s.yaml", scenario_text()), "--report", report}).status, 0);
  EXPECT_EQ(contents(other), "of another run");
  EXPECT_THAT(scratch.names(), ElementsAre("r.html", "r.html.part", "s.yaml"));
}

TEST(Sim, ABadTraceIsOneLineAndNothingIsWritten) {
  const ScratchDirectory scratch;
  std::string bad = kRing;
  bad.replace(bad.find("b requires a"), 12, "b requires b");
  std::ofstream(scratch.path("ring.goal")) << bad;
  expect_refused(run_command({"sim", scratch.file("s.yaml", trace_scenario()), "--report",
                              scratch.path("r.html"), "--json"}),
                 "ring.goal:3: this operation waits for itself");
  EXPECT_FALSE(std::filesystem::exists(scratch.path("r.html")));
}

/// The data of a page.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = "<script id=\"data\" type=\"application/json\">";
  const std::size_t from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(Sim, AReportIsOnePageWithAllFiguresAndNoReferenceOutside) {
  const ScratchDirectory scratch;
  std::string scenario = scenario_text();
  scenario.replace(scenario.find("app0"), 4, "\"</script><b>\"");
  const std::string file = scratch.file("s.yaml", scenario);
  const Outcome outcome = run_command({"sim", file, "--engine", "model", "--json", "--report",
                                       scratch.path("r.html"), "--csv", scratch.path("csv")});
  const nlohmann::json json = json_of(outcome);
  EXPECT_EQ(json, json_of(run_command({"sim", file, "--engine", "model", "--json"})));
  const std::string page = contents(scratch.path("r.html"));
  for (const char* outside : {"http://", "https://", "src=", "href=", "@import", "url("}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
  // A call has fewer arguments than a chart may have points.
  for (const char* call : {"Math.min(...", "Math.max(...", "append(..."}) {
    EXPECT_EQ(page.find(call), std::string::npos) << call;
  }
  nlohmann::json data = data_of(page);
  data["run"].erase("wall_s");
  EXPECT_EQ(data["run"]["classes"], json["classes"]);
  EXPECT_EQ(data["run"]["classes"][0]["name"], "</script><b>");
  EXPECT_EQ(data["scenario"], scenario);
  EXPECT_EQ(data["topology"]["links"].size(), 4U);
  EXPECT_EQ(data["topology"]["links"][3], nlohmann::json({3, 4, 0, 3}));  // nodes, then ports
  EXPECT_EQ(data["topology"]["whole"].size(), 8U);
  const std::size_t slices = data["series"]["ends_ns"].size();
  EXPECT_GE(slices, 64U);
  EXPECT_LE(slices, 129U);
  EXPECT_EQ(data["topology"]["utilization"].size(), slices);
  EXPECT_EQ(data["topology"]["utilization"][0].get<std::string>().size(), 8U);
  EXPECT_EQ(data["cdf"][0]["packets"].back()[1], 1);
  EXPECT_DOUBLE_EQ(data["cdf"][1]["packets"].back()[0],
                   json["classes"][1]["packet_latency_ns"]["max"]);
  EXPECT_EQ(data["worst_links"].size(), 8U);
  // All that was delivered: over the slices, and by the links to the hosts.
  double got = 0;
  double before = 0;
  for (std::size_t i = 0; i < slices; ++i) {
    const double end = data["series"]["ends_ns"][i];
    for (const auto& one : data["series"]["classes"]) {
      got += one["got"][i].get<double>() * (end - before) / 1.28 * 4;
    }
    before = end;
  }
  EXPECT_NEAR(got, json["flits_delivered"].get<double>(), 16 * 4);
  double sent = 0;
  for (const auto& utilization : data["topology"]["whole"]) {
    sent += utilization.get<double>() * json["cycles"].get<double>();
  }
  EXPECT_NEAR(sent, json["flit_hops"].get<double>(), json["flit_hops"].get<double>() * 1e-3);

  const std::string series = contents(scratch.path("csv/series.csv"));
  EXPECT_EQ(std::count(series.begin(), series.end(), '\n'), 1 + 2 * slices);
  EXPECT_THAT(contents(scratch.path("csv/classes.csv")), HasSubstr("</script><b>,0,"));
  const std::string hosts = contents(scratch.path("csv/hosts.csv"));
  EXPECT_EQ(std::count(hosts.begin(), hosts.end(), '\n'), 1 + 8);
}

// Two links between the same two switches, of which one carries all that goes one way.
TEST(Sim, APageKnowsTheLinksOfARingOfTwoApart) {
  const ScratchDirectory scratch;
  std::string scenario = scenario_text();
  const std::string single = "{kind: single-switch, ports: 4}";
  scenario.replace(scenario.find(single), single.size(),
                   "{kind: torus, dims: [2], hosts_per_switch: 2}");
  scenario.replace(scenario.find("queues: 2"), 9, "queues: 4");
  const std::string file = scratch.file("s.yaml", scenario);
  json_of(run_command({"sim", file, "--engine", "model", "--json", "--report",
                       scratch.path("r.html"), "--csv", scratch.path("csv")}));
  const nlohmann::json data = data_of(contents(scratch.path("r.html")));
  std::map<std::string, double> whole;  // of the port that sends
  for (std::istringstream lines(contents(scratch.path("csv/links.csv"))); true;) {
    std::string from;
    std::string to;
    std::string utilization;
    std::string frames;
    if (!std::getline(lines, from, ',') || !std::getline(lines, to, ',') ||
        !std::getline(lines, utilization, ',') || !std::getline(lines, frames)) {
      break;
    }
    if (from != "from") {
      whole[from] = std::stod(utilization);
    }
  }
  const auto name = [](int node, int port) {
    return node < 4 ? fmt::format("host{}.nic", node)
                    : fmt::format("switch{}.port{}", node - 4, port);
  };
  const nlohmann::json& links = data["topology"]["links"];
  ASSERT_EQ(links.size(), 6U);
  std::set<double> between;
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (const int end : {0, 1}) {
      const std::string from = name(links[i][end], links[i][2 + end]);
      const double shown = data["topology"]["whole"][2 * i + end];
      EXPECT_NEAR(shown, whole.at(from), 1e-4) << from;
      if (links[i][0] >= 4) {
        between.insert(shown);
      }
    }
  }
  EXPECT_GE(between.size(), 3U) << "a page that mixed them up would not be seen";
}

// Two hosts send to a third one at full rate, under PFC, in two classes.
const char* const kIncast =
    "arbiter: {policy: rr, queues: 2, max_packet_flits: 16}\n"
    "network:\n"
    "  topology: {kind: mesh, dims: [2], hosts_per_switch: 2}\n"
    "  link: {gbps: 400, delay_ns: 5}\n"
    "  flit_bytes: 64\n"
    "  switch: {input_queue_flits: 128, output_queue_flits: 32, crossbar_speedup: 2, "
    "flow_control: pfc}\n"
    "traffic:\n"
    "  - {name: a, queue: 0, pattern: hot-spot, to: 2, hosts: [0, 1], load: 0.9, "
    "message_bytes: 1024}\n"
    "  - {name: b, queue: 1, pattern: hot-spot, to: 2, hosts: [0], load: 0.5, "
    "message_bytes: 1024}\n"
    "run: {warmup_us: 0, measure_us: 10, seed: 1}\n";

TEST(Sim, TablesSayWhatEachLinkCarriedAndWhoWasPaused) {
  const ScratchDirectory scratch;
  const std::string file = scratch.file("s.yaml", kIncast);
  const nlohmann::json json = json_of(
      run_command({"sim", file, "--engine", "model", "--tables", "--csv", scratch.path("csv")}));
  const auto sum = [&](const char* table, std::size_t column, const auto& wanted) {
    double all_of_it = 0;
    for (const nlohmann::json& row : json["tables"][table]["rows"]) {
      all_of_it += wanted(row) ? row[column].get<double>() : 0;
    }
    return all_of_it;
  };
  const auto all = [](const nlohmann::json&) { return true; };
  EXPECT_EQ(sum("link-flits", 2, all), json["flit_hops"]);
  // All but what is under way has come out of switch 1's port 0, where host 2 is.
  const auto last = [](const nlohmann::json& row) { return row[0] == "switch1.port0"; };
  EXPECT_NEAR(sum("link-flits", 2, last), json["flits_delivered"].get<double>(), 32);
  const auto of_b = [](const nlohmann::json& row) { return row[0] == "host0.nic" && row[1] == 1; };
  EXPECT_GT(sum("link-flits", 2, of_b), 1000);
  EXPECT_EQ(sum("link-flits", 2,
                [](const nlohmann::json& row) { return row[0] == "host1.nic" && row[1] == 1; }),
            0);
  EXPECT_GT(json["pause_frames"], 20);
  EXPECT_EQ(sum("links", 3, all), json["pause_frames"]);
  // The senders towards host 2 are stopped, and sum up to less than the run's length each.
  std::set<std::string> paused;
  for (const nlohmann::json& row : json["tables"]["pauses"]["rows"]) {
    paused.insert(row[0]);
    EXPECT_GT(row[2], 0) << row;
    EXPECT_GT(row[3], 0.0) << row;
    EXPECT_LT(row[3], 10'000.0) << row;
  }
  EXPECT_THAT(paused, testing::IsSubsetOf({"host0.nic", "host1.nic", "switch0.port2"}));
  EXPECT_TRUE(paused.contains("host0.nic"));
  // A frame tells of a beginning or an end, at most of one in each class; some are under way.
  const double changes = 2 * sum("pauses", 2, all);
  const auto frames = json["pause_frames"].get<double>();
  EXPECT_LE(frames, changes + 3);
  EXPECT_GE(2 * frames, changes - 3);
  // The files have the same rows.
  for (const auto& [name, table] : json["tables"].items()) {
    const std::string text = contents(scratch.path("csv/" + name + ".csv"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + table["rows"].size()) << name;
  }
  EXPECT_THAT(contents(scratch.path("csv/links.csv")),
              StartsWith("from,to,utilization,pause_frames\nswitch0.port0,host0,"));
}

/// The cells of one column of a table.
std::vector<std::string> column_of(const nlohmann::json& table, const std::string& name) {
  const auto& columns = table["columns"];
  const auto at = std::find(columns.begin(), columns.end(), name) - columns.begin();
  std::vector<std::string> cells;
  for (const nlohmann::json& row : table["rows"]) {
    cells.push_back(row[at].is_string() ? row[at].get<std::string>() : row[at].dump());
  }
  return cells;
}

// The outer ports of a line's ends lead nowhere.
TEST(Sim, APortWithoutALinkIsInNoTable) {
  const ScratchDirectory scratch;
  std::string scenario = scenario_text();
  const std::string topology = "{kind: single-switch, ports: 4}";
  scenario.replace(scenario.find(topology), topology.size(), "{kind: mesh, dims: [2]}");
  const std::string arbiter = "{policy: rr, queues: 2, max_packet_flits: 16}";
  scenario.replace(scenario.find(arbiter), arbiter.size(),
                   "{policy: trtcm, queues: 2, max_packet_flits: 16, classes: "
                   "[{priority: 0, assured_rate: 0.2, peak_rate: 0.3}, "
                   "{priority: 1, assured_rate: 0.5, peak_rate: 1}]}");
  const nlohmann::json json =
      json_of(run_command({"sim", scratch.file("s.yaml", scenario), "--engine", "model", "--tables",
                           "--report", scratch.path("r.html")}));
  const nlohmann::json& tables = json["tables"];
  const std::vector<std::string> from = {"switch0.port0", "switch0.port1", "switch1.port0",
                                         "switch1.port2", "host0.nic",     "host1.nic"};
  EXPECT_EQ(column_of(tables["links"], "from"), from);
  EXPECT_THAT(column_of(tables["links"], "to"),
              ElementsAre("host0", "switch1", "host1", "switch0", "switch0", "switch1"));
  const std::set<std::string> ports(from.begin(), from.end());
  const auto names = [&tables](const char* table, const char* column) {
    const std::vector<std::string> cells = column_of(tables[table], column);
    return std::set<std::string>(cells.begin(), cells.end());
  };
  EXPECT_EQ(names("link-flits", "from"), ports);
  EXPECT_EQ(names("counters", "port"), ports);
  EXPECT_EQ(data_of(contents(scratch.path("r.html")))["worst_links"].size(), from.size());
}

// Nor is a host that a permutation maps to itself, here the first and the last one.
TEST(Sim, ARankThatOnlyReceivesIsNoHostThatSends) {
  const ScratchDirectory scratch;
  std::ofstream(scratch.path("ring.goal")) << "num_ranks 2\n"
                                              "rank 0 {\na: send 640b to 1 tag 1\n}\n"
                                              "rank 1 {\na: recv 640b from 0 tag 1\n}\n";
  const nlohmann::json trace = json_of(run_command(
      {"sim", scratch.file("s.yaml", trace_scenario()), "--engine", "model", "--tables"}));
  EXPECT_THAT(column_of(trace["tables"]["hosts"], "host"), ElementsAre("0"));
  const nlohmann::json& accepted = trace["classes"][0]["over_hosts"]["accepted"];
  EXPECT_GT(accepted["min"], 0.0);
  EXPECT_EQ(accepted["min"], accepted["max"]);

  std::string scenario = scenario_text();
  const std::string uniform = "pattern: uniform";
  scenario.replace(scenario.find(uniform), uniform.size(),
                   "pattern: permutation, permutation: transpose");
  const nlohmann::json transpose = json_of(
      run_command({"sim", scratch.file("p.yaml", scenario), "--engine", "model", "--tables"}));
  EXPECT_THAT(column_of(transpose["tables"]["hosts"], "host"),
              ElementsAre("1", "2", "0", "1", "2", "3"));
  EXPECT_NEAR(transpose["classes"][0]["over_hosts"]["accepted"]["min"], 0.2, 0.01);
}

// One port has an arbiter of its own of which no RTL is built: all run by references, unless RTL is
// asked for.
TEST(Sim, RunsWithoutRtlWhereOnePlacesArbiterHasNone) {
  for (const std::string place : {"host1", "host3", "switch0.port3", "switch3.port0"}) {
    std::string scenario = scenario_text();
    scenario.replace(scenario.find("traffic:"), 0,
                     "arbiters:\n  - {at: " + place +
                         ", arbiter: {policy: bxi-deficit, variant: printed, queues: 2,\n"
                         "     max_packet_flits: 16, table: [{queue: 0, weight: 16}, {queue: 1, "
                         "weight: 16}]}}\n");
    if (place.starts_with("switch3")) {
      const std::string one = "single-switch, ports: 4";
      scenario.replace(scenario.find(one), one.size(), "mesh, dims: [4]");
    }
    const ScratchDirectory scratch;
    const std::string file = scratch.file("s.yaml", scenario);
    EXPECT_EQ(json_of(run_command({"sim", file, "--json"})), json_of(sim(scenario, {"--json"})));
    // In the line of that arbiter, which is behind that of its place.
    const std::string before =
        scenario.substr(0, scenario.find("arbiter: {policy: bxi-deficit, v"));
    const auto line = std::ranges::count(before, '\n') + 1;
    expect_refused(run_command({"sim", file, "--engine", "lockstep"}),
                   fmt::format("s.yaml:{}: the RTL cannot run", line));
    expect_refused(run_command({"sim", file, "--trace", scratch.path("w.fst")}),
                   fmt::format("s.yaml:{}: --trace shows the RTL, but it cannot run", line));
  }
}

// By default, and with a waveform of these ports.
void expect_lockstep(const std::string& scenario, const std::string& ports) {
  const ScratchDirectory scratch;
  const nlohmann::json json =
      json_of(run_command({"sim", scratch.file("s.yaml", scenario), "--json", "--trace",
                           scratch.path("w.fst"), "--trace-ports", ports, "--trace-to", "9"}));
  EXPECT_EQ(json["engine"], "lockstep");
  EXPECT_EQ(json["compared_decisions"], json["decisions"]);
}

// No build of the RTL has both policies, but each place needs one only.
TEST(Sim, RunsInLockstepWhereEachPlacesArbiterHasRtl) {
  std::string scenario = scenario_text();
  scenario.replace(scenario.find("traffic:"), 0,
                   "arbiters:\n"
                   "  - {at: nics, arbiter: {policy: trtcm, queues: 2, max_packet_flits: 16,\n"
                   "     classes: [{priority: 0, assured_rate: 0.2, peak_rate: 1}, {priority: 1, "
                   "assured_rate: 0.2, peak_rate: 1}]}}\n"
                   "  - {at: switches, arbiter: {policy: infiniband, queues: 2, max_packet_flits: "
                   "16,\n"
                   "     limit_of_high_priority: 1, low: [{vl: 0, weight: 1}, {vl: 1, weight: "
                   "1}]}}\n");
  expect_lockstep(scenario, "host0,switch0.port0");
}

// The stages of the two service levels share their channels crosswise, so that packets wait in a
// ring from the first microseconds on; the run is too short for a look on the way.
TEST(Sim, ARunThatEndsWhileTheNetworkStandsStillFails) {
  const ScratchDirectory scratch;
  const std::string shift = "pattern: permutation, permutation: shift, shift: 6, load: 1, ";
  const Outcome outcome =
      sim("arbiter: {policy: rr, queues: 2, max_packet_flits: 4}\n"
          "network:\n"
          "  topology: {kind: torus, dims: [8], hosts_per_switch: 2}\n"
          "  virtual_channels: [[[0], [1]], [[1], [0]]]\n"
          "  link: {gbps: 100, delay_ns: 5}\n"
          "  flit_bytes: 64\n"
          "  switch: {input_queue_flits: 8, output_queue_flits: 6, crossbar_speedup: 1, "
          "flow_control: credit}\n"
          "traffic:\n"
          "  - {name: a, queue: 0, " +
          shift + "message_bytes: 256}\n  - {name: b, queue: 1, " + shift +
          "message_bytes: 256}\n"
          "run: {warmup_us: 0, measure_us: 40}\n");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("cycle 7813: the network stands still for good"),
                                 HasSubstr("which is the ring")));
}

// A pipe, as a shell makes one of what stands here, can be read but once; a file may be another one
// at the end of a run.
TEST(Sim, APageHasTheScenarioAsItWasRead) {
  const ScratchDirectory scratch;
  const std::string page = scratch.path("r.html");
  run_command({"sim", "/dev/stdin", "--engine", "model", "--report", page},
              "<<'END'\n" + scenario_text() + "END\n:");
  EXPECT_THAT(contents(page), HasSubstr("crossbar_speedup"));
}

// No RTL is built of the scenario's arbiter, but all ports have others.
TEST(Sim, RunsInLockstepWhateverArbiterNoPortHas) {
  std::string scenario = scenario_text();
  scenario.replace(0, scenario.find('\n'),
                   "arbiter: {policy: bxi-deficit, variant: printed, queues: 2, max_packet_flits: "
                   "16,\n"
                   "  table: [{queue: 0, weight: 16}, {queue: 1, weight: 16}]}");
  scenario.replace(scenario.find("traffic:"), 0,
                   "arbiters:\n"
                   "  - {at: nics, arbiter: {policy: rr, queues: 2, max_packet_flits: 16}}\n"
                   "  - {at: switches, arbiter: {policy: rr, queues: 2, max_packet_flits: 16}}\n");
  expect_lockstep(scenario, "host0");
}

// The routers and switches of the papers, and links of several rates, with RTL at every port that
// has any.
TEST(Sim, RunsThePapersSwitchesAndSlowLinksInLockstep) {
  for (const char* name : {"seastar-torus", "omni-path-tree", "mixed-rates"}) {
    SCOPED_TRACE(name);
    const ScratchDirectory scratch;
    std::string text =
        contents(QOSARB_SOURCE_DIR "/scenarios/networks/" + std::string(name) + ".yaml");
    const std::size_t run = text.find("run: ");
    text.replace(run, text.find('\n', run) - run, "run: {warmup_us: 0, measure_us: 4, seed: 1}");
    const std::string file = scratch.file("s.yaml", text);
    nlohmann::json both = json_of(run_command({"sim", file, "--json", "--engine", "lockstep"}));
    nlohmann::json model = json_of(run_command({"sim", file, "--json", "--engine", "model"}));
    EXPECT_EQ(both["compared_decisions"], both["decisions"]);
    EXPECT_GT(both["compared_decisions"], 5000);
    EXPECT_EQ(both["flits_lost"], 0);
    for (const char* key : {"engine", "compared_decisions", "mismatches"}) {
      both.erase(key);
      model.erase(key);
    }
    EXPECT_EQ(both, model);
  }
}

TEST(Sim, ResultsThatCannotBeWrittenAreAnError) {
  const ScratchDirectory scratch;
  const Outcome outcome = run_command(
      {"sim", scratch.file("s.yaml", scenario_text()), "--engine", "model"}, ">/dev/full");
  EXPECT_EQ(outcome.status, 2);
}

TEST(Sim, AFullDiskLeavesNoEmptyDirectory) {
  const ScratchDirectory scratch;
  const std::string scenario = scratch.file("s.yaml", scenario_text());
  for (const rlim_t bytes : {512, 1024}) {  // the first table is longer, or a later one
    Outcome outcome;
    {
      const ResourceLimit full(RLIMIT_FSIZE, bytes);
      outcome = run_command({"sim", scenario, "--csv", scratch.path("new/tables")});
    }
    expect_refused(outcome, "new/tables/", "cannot be written");
    EXPECT_THAT(scratch.names(), ElementsAre("s.yaml")) << bytes;
  }
}

// No file system takes a name of 256 characters.
TEST(Sim, ADirectoryThatCannotBeMadeIsNamedAndThoseAboveItAreNotLeft) {
  const ScratchDirectory scratch;
  const std::string tables = scratch.path("new/" + std::string(256, 'a'));
  expect_refused(run_command({"sim", scratch.file("s.yaml", scenario_text()), "--csv", tables}),
                 tables + ": cannot be made: ");
  EXPECT_THAT(scratch.names(), ElementsAre("s.yaml"));
}

// It was taken for a directory that the run had made, and removed.
TEST(Sim, ALinkToNothingInPlaceOfADirectoryStays) {
  const ScratchDirectory scratch;
  const std::string scenario = scratch.file("s.yaml", scenario_text());
  const std::string link = scratch.path("link");
  std::filesystem::create_symlink("nothing", link);
  for (const std::string& tables : {link, link + "/tables"}) {
    expect_refused(run_command({"sim", scenario, "--csv", tables}), tables + ": cannot be made: ");
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_THAT(scratch.names(), ElementsAre("link", "s.yaml"));
  }
}

// Refused before the run, and left as it is: a device would be replaced by a file.
TEST(Sim, ReportsAndTablesGoToPlainFilesInDirectories) {
  const ScratchDirectory scratch;
  const std::string scenario = scratch.file("s.yaml", scenario_text());
  const std::string pipe = scratch.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_refused(run_command({"sim", scenario, "--report", pipe}), "pipe: is not a plain file");
  expect_refused(run_command({"sim", scenario, "--report", scratch.path("none/r.html")}),
                 "none/r.html: cannot be written: its directory is not there");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  const std::string report = scratch.path("r.html");
  const std::string file = scratch.file("plain", "");
  for (const std::string& tables : {file, file + "/more/tables"}) {
    const Outcome outcome = run_command({"sim", scenario, "--csv", tables, "--report", report});
    expect_refused(outcome, tables + ": cannot be made: ", "plain is not a directory");
    expect_refused(run_command({"sim", scenario, "--reproducer", tables}),
                   tables + ": cannot be made: ", "plain is not a directory");
  }
  EXPECT_FALSE(std::filesystem::exists(report));
  std::filesystem::create_directories(scratch.path("csv/pauses.csv"));
  expect_refused(run_command({"sim", scenario, "--csv", scratch.path("csv"), "--report", report}),
                 "pauses.csv: is not a plain file");
  EXPECT_FALSE(std::filesystem::exists(report));
}

}  // namespace
}  // namespace qosarb::test
