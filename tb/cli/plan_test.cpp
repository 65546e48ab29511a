// qosarb plan and qosarb analyze as their users run them; every example of their pages among it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "analysis.hpp"
#include "qosarb/plan/method.hpp"
#include "refusal.hpp"
#include "run_command.hpp"

namespace qosarb::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kRoot = QOSARB_SOURCE_DIR;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word.starts_with("scenarios/") ? kRoot + "/" + word : word);
  }
  return words;
}

// The blocks ```console of a page: a command, and what it prints.
struct Example {
  std::string command;
  std::string output;
};

std::vector<Example> examples_of(const std::string& page) {
  std::istringstream stream(contents(kRoot + "/docs/" + page));
  std::vector<Example> examples;
  bool inside = false;
  for (std::string line; std::getline(stream, line);) {
    if (line == "```console") {
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside && line.starts_with("$ qosarb ")) {
      examples.push_back({line.substr(std::string("$ qosarb ").size()), ""});
    } else if (inside) {
      examples.back().output += line + "\n";
    }
  }
  return examples;
}

class Page : public ::testing::TestWithParam<const char*> {};

TEST_P(Page, ExamplesPrintWhatThePageSays) {
  const std::vector<Example> examples = examples_of(GetParam());
  EXPECT_GE(examples.size(), 4U);
  for (const Example& example : examples) {
    const Outcome outcome = run_command(words_of(example.command));
    EXPECT_EQ(outcome.status, 0) << example.command << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, example.output) << example.command;
  }
}

INSTANTIATE_TEST_SUITE_P(Docs, Page, ::testing::Values("plan.md", "analyze.md"));

// Of each method there is a specification, and each plan but that of storage is an arbiter that the
// other subcommands accept.
TEST(Plan, YamlIsAConfiguration) {
  std::set<std::string> methods;
  const ScratchDirectory scratch;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot + "/scenarios/plan")) {
    const std::string spec = entry.path().string();
    const Outcome report = run_command({"plan", spec, "--json"});
    ASSERT_EQ(report.status, 0) << report.err;
    const Outcome yaml = run_command({"plan", spec, "--yaml"});
    const auto method = nlohmann::json::parse(report.out)["method"].get<std::string>();
    methods.insert(method);
    if (method == "storage") {
      EXPECT_EQ(yaml.status, 2);
      EXPECT_THAT(yaml.out, IsEmpty());
      continue;
    }
    const std::string config = scratch.file("planned.yaml", yaml.out);
    const Outcome analysis = run_command({"analyze", config, "--json"});
    EXPECT_EQ(analysis.status, 0) << spec << ": " << analysis.err;
  }
  for (const PlanMethod* const known : plan_methods()) {
    EXPECT_EQ(methods.erase(std::string(known->name())), 1U) << known->name();
  }
  EXPECT_THAT(methods, IsEmpty());
}

void insert_keys(const nlohmann::json& json, std::set<std::string>& keys) {
  if (!json.is_structured()) {
    return;
  }
  for (const auto& [key, value] : json.items()) {
    if (json.is_object() && key != "method" && !key.ends_with("_exact")) {
      keys.insert(key);
    }
    insert_keys(value, keys);
  }
}

TEST(Plan, PageHasTheKeysThatJsonHas) {
  std::map<std::string, std::set<std::string>> printed;
  const ScratchDirectory scratch;
  const auto print = [&](const std::string& spec) {
    const Outcome report = run_command({"plan", spec, "--json"});
    ASSERT_EQ(report.status, 0) << report.err;
    const auto json = nlohmann::json::parse(report.out);
    insert_keys(json, printed[json["method"]]);
  };
  for (const auto& entry : std::filesystem::directory_iterator(kRoot + "/scenarios/plan")) {
    print(entry.path().string());
  }
  print(scratch.file("measured.yaml",
                     contents(kRoot + "/scenarios/plan/seastar-2112.yaml") +
                         "  measured: {stalled_cycles: 30, vc0_packets: 2, vc1_packets: 3}\n"));
  std::map<std::string, std::set<std::string>> told;
  std::istringstream page(contents(kRoot + "/docs/plan.md"));
  std::string line;
  while (std::getline(page, line) && line != "## What --json prints") {
  }
  while (std::getline(page, line)) {
    std::istringstream words(line);
    std::string method;
    for (std::string word; words >> word;) {
      if (method.empty() && word != "|") {
        method = word;
      }
      if (word.starts_with('`') && line.starts_with("| ")) {
        told[method].insert(word.substr(1, word.find('`', 1) - 1));
      }
    }
  }
  EXPECT_EQ(told, printed);
}

TEST(Plan, OpenSmOptionsAreOnlyForInfiniBand) {
  const Outcome options =
      run_command({"plan", kRoot + "/scenarios/plan/infiniband-a.yaml", "--opensm"});
  EXPECT_EQ(options.status, 0);
  EXPECT_THAT(options.out, AllOf(StartsWith("qos TRUE\n"), HasSubstr("\nqos_high_limit 1\n"),
                                 HasSubstr("\nqos_vlarb_low 3:6\n")));
  EXPECT_EQ(run_command({"plan", kRoot + "/scenarios/plan/storage.yaml", "--opensm"}).status, 2);
  EXPECT_EQ(
      run_command({"plan", kRoot + "/scenarios/plan/storage.yaml", "--yaml", "--json"}).status, 2);
}

nlohmann::json plan_of(const std::string& spec) {
  const ScratchDirectory scratch;
  const Outcome outcome =
      run_command({"plan", scratch.file("spec.yaml", "plan:\n" + spec), "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

std::string text_of_plan(const std::string& spec, const std::string& format) {
  const ScratchDirectory scratch;
  const std::string file = scratch.file("spec.yaml", "plan:\n" + spec);
  const Outcome outcome =
      format.empty() ? run_command({"plan", file}) : run_command({"plan", file, format});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.out;
}

// A packet of an SL whose VL stands in no table would never leave.
TEST(Plan, EverySlGetsAVlThatIsPlanned) {
  const auto sl2vl = [](const std::string& vls) {
    const std::string options = text_of_plan(
        "  method: infiniband\n  max_packet_flits: 1\n  vls: [" + vls + "]\n", "--opensm");
    return options.substr(options.find("qos_sl2vl"));
  };
  EXPECT_EQ(sl2vl("{vl: 0, share: 2}, {vl: 1, share: 1}"),
            "qos_sl2vl 0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1\n");
  EXPECT_EQ(sl2vl("{vl: 3, share: 2}, {vl: 0, share: 1}, {vl: 1, share: 1, table: low}"),
            "qos_sl2vl 0,1,3,3,1,3,0,1,3,0,1,3,0,1,3,0\n");
  EXPECT_EQ(sl2vl("{vl: 14, share: 1}"),
            "qos_sl2vl 14,14,14,14,14,14,14,14,14,14,14,14,14,14,14,14\n");
}

// What is planned for OpenSM is what is analyzed when OpenSM's options are read.
TEST(Analyze, ReadsOpenSmOptions) {
  const ScratchDirectory scratch;
  const Outcome options =
      run_command({"plan", kRoot + "/scenarios/plan/infiniband-a.yaml", "--opensm"});
  const std::string file = scratch.file("opensm.conf", options.out);
  const Outcome outcome = run_command(
      {"analyze", file, "--packet-bytes", "64", "--data-vls", "4", "--port-kind", "ca", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json found = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(found["queues"][3]["share_exact"], "3/35");
  EXPECT_EQ(found["queues"][0]["share_exact"], "16/35");
  // One packet per low turn: 1 of 65.
  const nlohmann::json packet = analysis_of({file, "--packet-bytes", "64", "--low-turn-packet"});
  EXPECT_EQ(packet["queues"][3]["share_exact"], "1/65");
  const std::string bad = scratch.file("bad.conf", "qos TRUE\nqos_vlarb_high 0:300\n");
  const Outcome refused = run_command({"analyze", bad});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("bad.conf:2:"));
  EXPECT_EQ(run_command({"analyze", bad, "--as-opensm-does"}).status, 0);
}

void expect_spec_refused(const std::string& spec, int line, const std::string& fault) {
  const ScratchDirectory scratch;
  const std::string file = scratch.file("spec.yaml", "plan:\n" + spec);
  expect_refused(run_command({"plan", file}), "spec.yaml:" + std::to_string(line) + ":", fault);
}

TEST(Plan, NamesTheLineOfAFault) {
  expect_spec_refused("  method: wfq\n", 2, "must be one of bxi");
  expect_spec_refused("  method: bxi\n  max_packet_flits: 0\n", 3, "not within 1..");
  expect_spec_refused(
      "  method: bxi\n  max_packet_flits: 4\n  service_levels:\n    - {queue: 0, share: 1}\n"
      "    - {queue: 0, share: 2}\n",
      6, "queue 0 is given twice");
  expect_spec_refused(
      "  method: bxi\n  max_packet_flits: 4\n  service_levels:\n    - {queue: 0, share: x}\n", 5,
      "share is 'x'");
  expect_spec_refused(
      "  method: bxi\n  max_packet_flits: 4\n  service_levels:\n    - {queue: 0, share: 0}\n", 5,
      "above 0");
  expect_spec_refused(
      "  method: bxi\n  max_packet_flits: 4\n  spread: distances\n  service_levels:\n"
      "    - {queue: 0, share: 1, distance: 1}\n    - {queue: 1, share: 1, distance: 2}\n",
      2, "150.0 % of the turns");
  expect_spec_refused("  method: storage\n  entry: 3\n", 3, "unknown key 'entry'");
  expect_spec_refused(
      "  method: trtcm\n  max_packet_flits: 4\n  classes:\n    - {queue: 0, assured: 0.7}\n"
      "    - {queue: 1, assured: 0.4}\n",
      2, "110.00 % of the link");
  expect_spec_refused("  method: infiniband\n  max_packet_flits: 4\n  vls: [{vl: 15, share: 1}]\n",
                      4, "VL15");
  expect_spec_refused(
      "  method: infiniband\n  max_packet_flits: 4\n  limit: 255\n"
      "  vls: [{vl: 0, share: 9}, {vl: 1, share: 1, table: low}]\n",
      2, "limit 255 lets the low table send nothing");
  expect_spec_refused("  method: seastar-age\n  vcs: 3\n  dimensions: [{radix: 4}]\n", 3, "even");
  expect_spec_refused(
      "  method: dtable\n  entries: 8\n  gmtu: 2\n  w: 2\n  k: 1\n  service_levels:\n"
      "    - {sl: 0, mtu: 3, distance: 2, share: 1}\n",
      2, "above the general MTU");
  expect_refused(run_command({"plan", "/nowhere.yaml"}), "/nowhere.yaml", "cannot be opened");
  expect_spec_refused(
      "  method: bxi\n  max_packet_flits: 4\n  max_quantum_flits: 3\n"
      "  service_levels: [{queue: 0, share: 1}]\n",
      4, "a quantum must hold the longest packet");
  expect_spec_refused(
      "  method: bxi\n  max_packet_flits: 4\n  service_levels: [{queue: 0, share: 1, distance: "
      "1}]\n",
      4, "distances need 'spread: distances'");
  expect_spec_refused(
      "  method: bxi\n  max_packet_flits: 4\n  service_levels: [{queue: 0, share: 1/1000000007},\n"
      "    {queue: 1, share: 1/998244353}, {queue: 2, share: 1/999999937}]\n",
      2, "the shares need fractions of more than 64 bits");
  const auto dtable = [](const std::string& levels, const std::string& fault) {
    expect_spec_refused(
        "  method: dtable\n  entries: 8\n  gmtu: 4\n  w: 2\n  k: 1\n"
        "  service_levels: [" +
            levels + "]\n",
        7, fault);
  };
  const std::string level = "mtu: 2, distance: 2, share: 1";
  dtable("{sl: 0, queues: 5, " + level + "}", "queues must be a list of queues");
  dtable("{sl: 0, queues: [], " + level + "}", "queues must be a list of queues");
  dtable("{sl: 0, queues: [0, 0], " + level + "}", "queue 0 is given twice");
  dtable("{sl: 0, queues: [1], " + level + "}, {sl: 1, " + level + "}",
         "queue 1 carries another SL");
  dtable("{sl: 0, queues: [2], " + level + "}",
         "queues go up to 2, but only 1 of them carry an SL");
  expect_spec_refused(
      "  method: dtable\n  entries: 8\n  gmtu: 1048576\n  w: 4096\n  k: 4096\n"
      "  service_levels: [{sl: 0, mtu: 1, distance: 8, share: 1}]\n",
      2, "M = GMTU x w = 4294967296 flits");
  std::string dimensions;
  for (int i = 0; i < 9; ++i) {
    dimensions += "{radix: 4}, ";
  }
  expect_spec_refused("  method: seastar-age\n  dimensions: [" + dimensions + "]\n", 3, "");
}

TEST(Plan, KeepsWhatInfiniBandAsksFor) {
  const std::string spec =
      "  method: infiniband\n  max_packet_flits: 4\n  limit: 2\n  low_turn: packet\n"
      "  vls: [{vl: 0, share: 1, distance: 40}, {vl: 1, share: 1, table: low}]\n";
  const nlohmann::json plan = plan_of(spec + "  tolerance: 0.5\n");
  EXPECT_EQ(plan["limit_of_high_priority"], 2);
  EXPECT_EQ(plan["met"], true);
  EXPECT_LE(plan["vls"][0]["max_distance"], 40);
  EXPECT_THAT(text_of_plan(spec + "  tolerance: 0.5\n", "--yaml"),
              HasSubstr("  low_turn: packet\n"));
  // A phase of two packets before each low one leaves it no half of the link.
  EXPECT_EQ(plan_of(spec)["met"], false);
  EXPECT_THAT(text_of_plan(spec, ""), HasSubstr("not every requirement is met"));
}

// Packets of 21 bytes, of which a unit of weight holds three and a part: the state of thirteen VLs
// does not repeat soon, and a share of a part of a cycle is none that is exact.
TEST(Plan, SharesOfInfiniBandThatWereSampledAreNotExact) {
  std::string vls;
  const std::array<int, 13> shares = {55, 31, 295, 335, 26, 140, 303, 117, 350, 55, 387, 268, 70};
  for (std::size_t vl = 0; vl < shares.size(); ++vl) {
    vls += fmt::format("    - {{vl: {}, share: {}, table: {}}}\n", vl, shares.at(vl),
                       vl < 9 ? "high" : "low");
  }
  const nlohmann::json plan = plan_of(
      "  method: infiniband\n  flit_bytes: 7\n  max_packet_flits: 3\n  tolerance: 0.02\n"
      "  limit: 50\n  vls:\n" +
      vls);
  EXPECT_FALSE(plan["exact"].get<bool>());
  for (const nlohmann::json& vl : plan["vls"]) {
    EXPECT_GT(vl["share"].get<double>(), 0.0);
    EXPECT_TRUE(vl["share_exact"].is_null());
    EXPECT_TRUE(vl["share_missed_by_exact"].is_null());
  }
}

TEST(Plan, BxiBasicHasATableToo) {
  const std::string spec =
      "  method: bxi\n  policy: bxi-basic\n  max_packet_flits: 4\n"
      "  service_levels: [{queue: 0, share: 2}, {queue: 1, share: 1}]\n";
  EXPECT_EQ(plan_of(spec)["policy"], "bxi-basic");
  EXPECT_THAT(text_of_plan(spec, "--yaml"), HasSubstr("  policy: bxi-basic\n"));
  EXPECT_EQ(plan_of(spec)["exact"], true);
  EXPECT_THAT(text_of_plan(spec, ""), HasSubstr("shares hold exactly\n"));
}

// Quanta of 4 and 6 flits send one packet of 4 each: halves, where two and three fifths are asked.
TEST(Plan, SharesThatBxiBasicLosesAreNotExact) {
  const std::string levels =
      "  max_packet_flits: 4\n  max_entries: 2\n"
      "  service_levels: [{queue: 0, share: 2}, {queue: 1, share: 3}]\n";
  const std::string basic = "  method: bxi\n  policy: bxi-basic\n" + levels;
  const nlohmann::json plan = plan_of(basic);
  EXPECT_EQ(plan["service_levels"][0]["share_exact"], "2/5");
  EXPECT_EQ(plan["service_levels"][0]["analyzed_share_exact"], "1/2");
  EXPECT_EQ(plan["exact"], false);
  EXPECT_THAT(text_of_plan(basic, ""),
              HasSubstr("shares hold with the error that the table shows"));
  EXPECT_EQ(plan_of("  method: bxi\n" + levels)["exact"], true);
}

// 8:13 is the nearest to 1000:1618 with quanta of up to 16: 8/21 for 500/1309.
TEST(Plan, AnErrorIsWhatAShareHasAboveTheWantedOne) {
  const std::string spec =
      "  method: bxi\n  max_packet_flits: 1\n  max_entries: 2\n  max_quantum_flits: 16\n"
      "  service_levels: [{queue: 0, share: 1000}, {queue: 1, share: 1618}]\n";
  EXPECT_EQ(plan_of(spec)["service_levels"][0]["error_exact"], "-4/3927");
  EXPECT_THAT(text_of_plan(spec, ""), HasSubstr("  38.10     38.20  "));
}

TEST(Plan, AQuantumMayBeAPacket) {
  const nlohmann::json plan = plan_of(
      "  method: bxi\n  max_packet_flits: 4\n  max_quantum_flits: 4\n"
      "  service_levels: [{queue: 0, share: 1}]\n");
  EXPECT_EQ(plan["service_levels"][0]["flits_per_entry"], 4);
}

// 64 entries of 128 are to hold 2 flits of 4096, and may have 128.
TEST(Plan, JsonOfDtableHasTheEndsOfSharesAndEntries) {
  const Outcome outcome =
      run_command({"plan", kRoot + "/scenarios/plan/dtable-table9.yaml", "--json"});
  const nlohmann::json level = nlohmann::json::parse(outcome.out)["service_levels"][0];
  EXPECT_EQ(level["min_share_exact"], "1/32");
  EXPECT_EQ(level["max_share_exact"], "2");
  EXPECT_EQ(level["lowest_entry_weight"], 6);
  EXPECT_EQ(level["highest_entry_weight"], 7);
}

// A round has more packets than are followed: what a part of it gives is not what the plan gives.
TEST(Plan, SharesOfAPartOfACycleAreNotShown) {
  const std::string spec =
      "  method: bxi\n  max_packet_flits: 2\n  max_quantum_flits: 4294967295\n"
      "  service_levels: [{queue: 0, share: 1000000000}, {queue: 1, share: 1}]\n";
  const nlohmann::json plan = plan_of(spec);
  EXPECT_EQ(plan["exact"], true);
  EXPECT_TRUE(plan["service_levels"][1]["analyzed_share"].is_null());
  EXPECT_TRUE(plan["service_levels"][1]["analyzed_share_exact"].is_null());
  EXPECT_THAT(text_of_plan(spec, ""), HasSubstr(" -\n"));
}

// More than a round is followed, but not until it repeats.
TEST(Plan, SharesOfBxiThatWereSampledAreNotExact) {
  const nlohmann::json plan = plan_of(
      "  method: bxi\n  max_packet_flits: 7\n  max_quantum_flits: 4294967295\n"
      "  service_levels: [{queue: 0, share: 627049}, {queue: 1, share: 654200}]\n");
  EXPECT_EQ(plan["service_levels"][0]["share_exact"], "627049/1281249");
  EXPECT_GT(plan["service_levels"][0]["analyzed_share"].get<double>(), 0.0);
  EXPECT_TRUE(plan["service_levels"][0]["analyzed_share_exact"].is_null());
}

TEST(Plan, APeakRateIsRoundedDownToA65536th) {
  const std::string spec =
      "  method: trtcm\n  max_packet_flits: 4\n"
      "  classes: [{queue: 0, assured: 0.25, peak: 0.3}, {queue: 1, assured: 0.5}]\n";
  const nlohmann::json plan = plan_of(spec);
  EXPECT_EQ(plan["classes"][0]["peak_rate_exact"], "3/10");
  EXPECT_EQ(plan["classes"][1]["peak_rate_exact"], "1");
  // 0.3 x 65536 is 19660.8, and 19660 / 65536 what follows.
  EXPECT_THAT(text_of_plan(spec, "--yaml"), HasSubstr("peak_rate: 0.29998779296875"));
  EXPECT_THAT(text_of_plan(spec, ""), HasSubstr("30.00"));
}

// The burst of each class that is assured something doubles those below it.
TEST(Plan, ABurstThatNoBucketHoldsIsRefused) {
  const auto classes = [](int count) {
    std::string spec = "  method: trtcm\n  max_packet_flits: 512\n  classes:\n";
    for (int queue = 0; queue < count; ++queue) {
      spec += fmt::format("    - {{queue: {}, assured: 1/64}}\n", queue);
    }
    return spec;
  };
  const ScratchDirectory scratch;
  const std::string config = scratch.file("c.yaml", text_of_plan(classes(22), "--yaml"));
  EXPECT_EQ(run_command({"analyze", config, "--max-decisions", "100"}).status, 0);
  for (const int count : {23, 64}) {
    expect_spec_refused(classes(count), 2, "queue 22 needs bursts of 7518289920 flits");
  }
}

// 32 entries of four bits and a weight of 16; a port has a weight and eight bits of the current
// entry and, with deficits, a weight of each entry; a switch has 48 ports.
TEST(Plan, JsonOfStorageHasTheBitsOfPortNicAndSwitch) {
  const nlohmann::json paper = plan_of("  method: storage\n")["paper"];
  const auto bits = [&paper](const std::string& of) { return paper[of + "_bits"].get<int>(); };
  EXPECT_EQ(bits("table"), 32 * 20);
  EXPECT_EQ(bits("port_basic"), 24);
  EXPECT_EQ(bits("port_deficit"), 24 + 32 * 16);
  EXPECT_EQ(bits("nic_basic"), 640 + 24);
  EXPECT_EQ(bits("nic_deficit"), 640 + 536);
  EXPECT_EQ(bits("switch_basic"), 640 + 48 * 24);
  EXPECT_EQ(bits("switch_deficit"), 640 + 48 * 536);
}

TEST(Plan, MeasuredOccupancyIsStallsPerPacket) {
  const std::string spec =
      "  method: seastar-age\n  vcs: 4\n  channel_gbytes: 3\n  ejection_gbytes: 2\n"
      "  measured: {stalled_cycles: 30, vc0_packets: 4, vc1_packets: 2}\n"
      "  dimensions: [{radix: 4, kind: mesh}]\n";
  const nlohmann::json plan = plan_of(spec);
  EXPECT_EQ(plan["occupancy_exact"], "5");
  EXPECT_EQ(plan["dimensions"][0]["port_ejection_probability_exact"], "1/2");
  EXPECT_EQ(plan["dimensions"][0]["kind"], "mesh");
  // A packet that comes to a dimension of four by its only channel leaves there as fast as it can.
  EXPECT_EQ(plan["dimensions"][0]["ejection_gbytes_exact"], "2");
  EXPECT_THAT(text_of_plan(spec, ""),
              HasSubstr("measured occupancy: 5.00 stalled cycles per packet"));
}

TEST(Analyze, ConfigurationAGivesSl3ThreeThirtyFifths) {
  const std::string tables = kRoot + "/scenarios/analyze/infiniband-a-";
  const nlohmann::json found =
      analysis_of({tables + "high.csv", "--low", tables + "low.csv", "--packet-bytes", "64"});
  EXPECT_EQ(found["queues"][3]["queue"], 3);
  EXPECT_EQ(found["queues"][3]["share_exact"], "3/35");
  EXPECT_DOUBLE_EQ(found["queues"][3]["share"], 3.0 / 35.0);
  EXPECT_TRUE(found["period_decisions"].is_number_integer());
  EXPECT_FALSE(found.contains("mixes"));
  // One packet per low turn: 1 of 65.
  const nlohmann::json packet = analysis_of({tables + "high.csv", "--low", tables + "low.csv",
                                             "--packet-bytes", "64", "--low-turn-packet"});
  EXPECT_EQ(packet["queues"][3]["share_exact"], "1/65");
}

TEST(Analyze, SeveralMixesStandSideBySide) {
  const nlohmann::json found = analysis_of({kRoot + "/scenarios/analyze/bxi-table1.yaml",
                                            "--packets", "13,7,1", "--packets", "1+2,3,4+5"});
  ASSERT_EQ(found["mixes"].size(), 2U);
  EXPECT_EQ(found["mixes"][1]["packets"], "1+2,3,4+5");
  EXPECT_EQ(found["mixes"][1]["queues"][1]["share_exact"], "3/10");
  EXPECT_EQ(found["packets"], "13,7,1");
}

TEST(Analyze, SampledSharesCarryAnError) {
  const std::string command =
      "analyze scenarios/analyze/bxi-table1.yaml --packets 13,7,1 --max-decisions 1000 --runs 20";
  const nlohmann::json found =
      nlohmann::json::parse(run_command(words_of(command + " --json")).out);
  EXPECT_EQ(found["exact"], false);
  EXPECT_TRUE(found["period_decisions"].is_null());
  const nlohmann::json& queue = found["queues"][0];
  EXPECT_TRUE(queue["share_exact"].is_null());
  EXPECT_GT(queue["share_error"], 0.0);
  EXPECT_NEAR(queue["share"], 0.5, queue["share_error"]);
  EXPECT_THAT(run_command(words_of(command)).out,
              HasSubstr(fmt::format("    0  {:.4f}  {:.4f}  ", 100.0 * queue["share"].get<double>(),
                                    100.0 * queue["share_error"].get<double>())));
}

std::vector<std::string> warnings_of(const std::string& arbiter) {
  const ScratchDirectory scratch;
  return analysis_of({scratch.file("c.yaml", "arbiter:\n" + arbiter)})["warnings"];
}

TEST(Analyze, WarnsAsAnExpertWould) {
  const std::string loose =
      "  policy: bxi-basic\n  queues: 3\n  max_packet_flits: 4\n"
      "  strict: false\n";
  EXPECT_THAT(
      warnings_of(loose + "  table: [{queue: 0, weight: 6}, {queue: 1, weight: 8}, "
                          "{queue: 2, weight: 3}]\n"),
      AllOf(Contains(HasSubstr("queue 2 starves")), Contains(HasSubstr("entries 2 never send")),
            Contains(HasSubstr("quanta 3, 6 are not a multiple")),
            Contains(HasSubstr("queue 1 gets 66.67 %"))));
  EXPECT_THAT(warnings_of(loose + "  table: [{queue: 2, weight: 3}, {queue: 0, weight: 4}, "
                                  "{queue: 2, weight: 3}, {queue: 2, weight: 3}, "
                                  "{queue: 2, weight: 2}, {queue: 1, weight: 4}]\n"),
              Contains(HasSubstr("entries 0, 2-4 never send")));
  const std::string two = "  policy: infiniband\n  queues: 2\n  max_packet_flits: 64\n";
  EXPECT_THAT(warnings_of(two + "  limit_of_high_priority: 1\n  high: [{vl: 0, weight: 64}]\n"
                                "  low: [{vl: 1, weight: 64}]\n"),
              Contains(HasSubstr("as 0 does")));
  EXPECT_THAT(warnings_of(two + "  strict: false\n  limit_of_high_priority: 255\n"
                                "  high: [{vl: 0, weight: 64}]\n  low: [{vl: 1, weight: 64}]\n"),
              AllOf(Contains(HasSubstr("255 is no limit")), Contains(HasSubstr("queue 1 starves")),
                    Contains(HasSubstr("low: entries 0 never send"))));
  EXPECT_THAT(warnings_of(two + "  limit_of_high_priority: 3\n"
                                "  high: [{vl: 0, weight: 64}, {vl: 1, weight: 64}]\n  low: []\n"),
              Contains(HasSubstr("the low table is empty")));
  EXPECT_THAT(warnings_of("  policy: trtcm\n  queues: 2\n  max_packet_flits: 4\n  classes:\n"
                          "    - {priority: 0, assured_rate: 0.9, peak_rate: 1.0}\n"
                          "    - {priority: 1, assured_rate: 0.2, peak_rate: 0.5}\n"),
              AllOf(Contains(HasSubstr("110.00 % of the link")),
                    Contains(HasSubstr("can overflow")), Contains(HasSubstr("limits nothing"))));
  EXPECT_THAT(warnings_of("  policy: seastar-age\n  queues: 4\n  max_packet_flits: 4\n  vcs: 2\n"
                          "  req_age_bias: [1, 1]\n  rsp_age_bias: [1, 1]\n"
                          "  age_clock_period: 8\n  age_rr_select: 0\n"),
              Contains(HasSubstr("never looks at ages")));
  // Nothing to complain of.
  EXPECT_THAT(warnings_of("  policy: rr\n  queues: 3\n  max_packet_flits: 4\n"), IsEmpty());
  // The whole link is assured, and each burst is what is enough: three packets, a flit and the
  // bursts above.
  EXPECT_THAT(warnings_of("  policy: trtcm\n  queues: 2\n  max_packet_flits: 4\n  classes:\n"
                          "    - {priority: 0, assured_rate: 0.5, peak_rate: 0.75, assured_burst: "
                          "13, peak_burst: 13}\n"
                          "    - {priority: 1, assured_rate: 0.5, peak_rate: 0.75, assured_burst: "
                          "26, peak_burst: 26}\n"),
              IsEmpty());
}

// A warning names the table; a name of a file is any bytes, and JSON is UTF-8.
TEST(Analyze, ATableMayHaveAnyName) {
  const ScratchDirectory scratch;
  const std::string table = scratch.file("\xff.csv", "vl,weight\n0,1\n15,1\n");
  const nlohmann::json found = analysis_of({table});
  EXPECT_THAT(found["warnings"].dump(), HasSubstr("\xef\xbf\xbd.csv:3"));
}

TEST(Analyze, LeavesOutVl15) {
  const ScratchDirectory scratch;
  const nlohmann::json found =
      analysis_of({scratch.file("high.csv", "0,64\n15,64\n"), "--low",
                   scratch.file("low.csv", "1,64\n"), "--packet-bytes", "64"});
  EXPECT_THAT(found["warnings"].get<std::vector<std::string>>(),
              Contains(AllOf(HasSubstr("high.csv:2:"), HasSubstr("VL15"))));
  EXPECT_EQ(found["queues"][0]["share_exact"], "1/2");
}

TEST(Analyze, RefusesBadInput) {
  const ScratchDirectory scratch;
  const auto csv = [&scratch](const std::string& text, const std::string& where,
                              const std::string& fault) {
    expect_refused(run_command({"analyze", scratch.file("t.csv", text)}), where, fault);
  };
  csv("vl,weight\n0,1\n0;1\n", "t.csv:3:", "not of the form");
  csv("0,1\nvl,weight\n", "t.csv:2:", "VL must be within 0..15");
  csv("16,1\n", "t.csv:1:", "VL must be within 0..15");
  csv("0,256\n", "t.csv:1:", "weight must be within 0..255");
  csv("0,-1\n", "t.csv:1:", "weight must be within");
  csv("", "t.csv", "no entry");
  csv("vl,weight\n\n ,1\n", "t.csv:3:", "VL must be within 0..15");
  csv("0,1234567890\n", "t.csv:1:", "weight must be within 0..255");
  std::string long_table;
  for (int i = 0; i < 65; ++i) {
    long_table += "0,1\n";
  }
  csv(long_table, "t.csv:65:", "a table has up to 64 entries");
  expect_refused(run_command({"analyze", "/nowhere.csv"}), "/nowhere.csv", "cannot be opened");
  // It has no end.
  expect_refused(run_command({"analyze", "/dev/zero"}), "/dev/zero: ", "is longer than 64 MiB");
  const std::string vast =
      scratch.file("vast.yaml",
                   "arbiter: {policy: dtable, queues: 2, max_packet_flits: 2, queue_sl: [0, 1], "
                   "sl_mtu: [2, 2],\n"
                   "  table: [{sl: 0, weight: 4294967295}, {sl: 1, weight: 2}]}\n");
  expect_refused(run_command({"analyze", vast}), "vast.yaml: ", "fractions of more than 64 bits");
  const std::string config = kRoot + "/scenarios/analyze/bxi-table1.yaml";
  expect_refused(run_command({"analyze", config, "--packets", "14"}), "--packets", "1..13 flits");
  // An option that would count for another form only.
  const std::string table = scratch.file("t.csv", "0,1\n");
  const std::string opensm = kRoot + "/scenarios/analyze/opensm-a.conf";
  for (const auto& [file, option, forms] :
       std::vector<std::tuple<std::string, std::vector<std::string>, std::string>>{
           {config, {"--low", table}, "tables in CSV"},
           {config, {"--limit", "3"}, "tables in CSV"},
           {config, {"--packet-bytes", "64"}, "tables in CSV or options of OpenSM"},
           {config, {"--low-turn-packet"}, "tables in CSV or options of OpenSM"},
           {config, {"--data-vls", "4"}, "options of OpenSM"},
           {table, {"--data-vls", "4"}, "options of OpenSM"},
           {table, {"--port-kind", "ca"}, "options of OpenSM"},
           {table, {"--as-opensm-does"}, "options of OpenSM"},
           {opensm, {"--low", table}, "tables in CSV"},
           {opensm, {"--limit", "3"}, "tables in CSV"}}) {
    std::vector<std::string> arguments = {"analyze", file};
    arguments.insert(arguments.end(), option.begin(), option.end());
    expect_refused(run_command(arguments), option[0] + ": goes with " + forms + ", which ",
                   file + " is not");
  }
  for (const char* kind : {"2", "port"}) {
    expect_refused(run_command({"analyze", opensm, "--port-kind", kind}), "--port-kind",
                   "not in {ca,rtr,sw0,swe}");
  }
  for (const char* lanes : {"3", "abc", "08", "8.0", "99999999999999999999"}) {
    expect_refused(run_command({"analyze", opensm, "--data-vls", lanes}),
                   "--data-vls: ", std::string(lanes) + " not in {1,2,4,8,15}");
  }
  const auto curves = [&](const std::string& text, const std::string& fault) {
    expect_refused(run_command({"analyze", config, "--curves", scratch.file("curves.yaml", text)}),
                   "curves.yaml:2:", fault);
  };
  curves("curves:\n  - {queue: 3, rate: 0.1, burst: 13}\n", "not within 0..2");
  curves("curves:\n  - {queue: 0, rate: 0.1, burst: 12}\n", "not within 13..");
  curves("curves:\n  - {queue: 0, rate: 1.5, burst: 13}\n", "not within 0..1");
  curves("curves:\n  - {queue: 0, rate: -0.5, burst: 13}\n", "not within 0..1");
  curves("curves: [{queue: 0, rate: 0.1, burst: 13},\n  {queue: 0, rate: 0.1, burst: 13}]\n",
         "queue 0 has two curves");
}

// The queue of half of the flits gets them; one that asks for more than its share has no bound.
TEST(Analyze, MoreThanTheGuaranteedRateHasNoDelayBound) {
  const ScratchDirectory scratch;
  const nlohmann::json found =
      analysis_of({kRoot + "/scenarios/analyze/bxi-table1.yaml", "--curves",
                   scratch.file("curves.yaml",
                                "curves:\n  - {queue: 0, rate: 0.25, burst: 13}\n"
                                "  - {queue: 2, rate: 0.9, burst: 13}\n")});
  EXPECT_TRUE(found["queues"][0]["delay_bound_flits"].is_number_integer());
  EXPECT_TRUE(found["queues"][2]["delay_bound_flits"].is_null());
  EXPECT_THAT(
      found["warnings"].get<std::vector<std::string>>(),
      Contains(HasSubstr("queue 2: its arrival rate, 9/10, is above the guaranteed one, 1/5")));
}

// What it has not is null, and no key is missing.
TEST(Analyze, AQueueThatStarvesHasNeitherGapNorBound) {
  const ScratchDirectory scratch;
  const std::string config = scratch.file(
      "c.yaml",
      "arbiter: {policy: infiniband, queues: 2, max_packet_flits: 1, limit_of_high_priority: 255,\n"
      "  high: [{vl: 0, weight: 1}], low: [{vl: 1, weight: 1}]}\n");
  const std::string curves = scratch.file("curves.yaml",
                                          "curves:\n  - {queue: 0, rate: 0.25, burst: 1}\n"
                                          "  - {queue: 1, rate: 0.25, burst: 1}\n");
  const nlohmann::json queues = analysis_of({config, "--curves", curves})["queues"];
  EXPECT_EQ(queues[0]["longest_gap_flits"], 0);
  for (const char* const key :
       {"longest_gap_flits", "min_distance", "max_wait_flits", "guaranteed_rate",
        "guaranteed_rate_exact", "latency_flits", "delay_bound_flits"}) {
    ASSERT_TRUE(queues[1].contains(key)) << key;
    EXPECT_TRUE(queues[1][key].is_null()) << key;
    EXPECT_FALSE(queues[0][key].is_null()) << key;
  }
  EXPECT_FALSE(analysis_of({config})["queues"][1].contains("delay_bound_flits"));
  const std::string text = run_command({"analyze", config}).out;
  EXPECT_THAT(text,
              HasSubstr("\n    1    0.0000        0             -             -            -\n"));
}

TEST(Analyze, OfTheSimpleBandwidthTable) {
  const std::string table =
      "  policy: sbt\n  queues: 3\n  max_packet_flits: 4\n  strict: false\n  queue_sl: [0, 0, 1]\n";
  const ScratchDirectory scratch;
  const nlohmann::json found = analysis_of({scratch.file(
      "c.yaml", "arbiter:\n" + table + "  table: [{sl: 0, weight: 2}, {sl: 1, weight: 3}]\n")});
  EXPECT_EQ(found["service_levels"][1]["share_exact"], "3/5");
  EXPECT_EQ(found["queues"][0]["share_exact"], "1/5");
  // Nothing is wrong with it; without its entry an SL has no service.
  EXPECT_THAT(found["warnings"], IsEmpty());
  EXPECT_THAT(warnings_of(table + "  table: [{sl: 0, weight: 2}]\n"),
              Contains(HasSubstr("queue 2 starves")));
}

TEST(Analyze, SaysWhyNothingIsGuaranteed) {
  const ScratchDirectory scratch;
  const auto why = [&](const std::string& arbiter) {
    const nlohmann::json found =
        analysis_of({scratch.file("c.yaml",
                                  "arbiter:\n  queues: 2\n  max_packet_flits: 4\n"
                                  "  strict: false\n" +
                                      arbiter)});
    return found["queues"][1]["why_no_bound"].get<std::string>();
  };
  EXPECT_THAT(why("  policy: bxi-deficit\n  table: [{queue: 0, weight: 4}]\n"),
              HasSubstr("no table entry serves it"));
  EXPECT_THAT(why("  policy: dtable\n  queue_sl: [0, 1]\n  sl_mtu: [4, 4]\n"
                  "  table: [{sl: 0, weight: 4}]\n"),
              HasSubstr("no table entry serves its SL"));
  EXPECT_THAT(why("  policy: sbt\n  queue_sl: [0, 1]\n  table: [{sl: 0, weight: 4}]\n"),
              HasSubstr("no table entry serves its SL"));
  EXPECT_THAT(why("  policy: bxi-deficit\n  variant: printed\n"
                  "  table: [{queue: 0, weight: 4}, {queue: 1, weight: 4}]\n"),
              HasSubstr("the pseudocode as printed has no proven bound"));
  EXPECT_THAT(
      why("  policy: bxi-deficit\n  table: [{queue: 0, weight: 3}, {queue: 1, weight: 4}]\n"),
      HasSubstr("table entry 0 is too small for the longest packet"));
  EXPECT_THAT(
      why("  policy: infiniband\n  limit_of_high_priority: 1\n  high: [{vl: 0, weight: 64}]\n"
          "  low: [{vl: 1, weight: 0}]\n"),
      HasSubstr("no table entry serves it"));
  // Of trtcm the classes are the queues': what class 1 has, behind what class 0 is assured.
  const auto of_class_1 = [&](const std::string& higher, const std::string& own) {
    return why("  policy: trtcm\n  classes:\n    - {priority: 0, " + higher +
               ", peak_rate: 1.0}\n"
               "    - {priority: 1, " +
               own + "}\n");
  };
  EXPECT_THAT(of_class_1("assured_rate: 0.5", "assured_rate: 0, peak_rate: 1.0"),
              HasSubstr("its assured rate is 0"));
  EXPECT_THAT(
      of_class_1("assured_rate: 0.5", "assured_rate: 0.5, peak_rate: 0.5, assured_burst: 3"),
      HasSubstr("does not hold its longest packet"));
  EXPECT_THAT(of_class_1("assured_rate: 0.5", "assured_rate: 0.5, peak_rate: 0.5, peak_burst: 3"),
              HasSubstr("does not hold its longest packet"));
  EXPECT_THAT(of_class_1("assured_rate: 1.0", "assured_rate: 0.5, peak_rate: 0.5"),
              HasSubstr("classes of higher priority are assured the whole link"));
}

}  // namespace
}  // namespace qosarb::test
