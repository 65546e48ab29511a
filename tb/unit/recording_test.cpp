// What a run leaves behind besides its report: slices of time, tables, counters.
#include "qosarb/network/recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "policy_under_test.hpp"
#include "qosarb/network/report.hpp"
#include "qosarb/network/tables.hpp"
#include "qosarb/traffic/trace.hpp"
#include "scenarios_under_test.hpp"

namespace qosarb::test {
namespace {

using ::testing::HasSubstr;

/// Three hosts whose ports count stalls; a class that a cell of a table has to quote, one that
/// sends nothing in time, and a trace of which neither rank is done in time.
Scenario counting() {
  Scenario s;
  s.topology.ports = 3;
  s.arbiter = arbiter_config(
      "policy: trtcm\nqueues: 2\nmax_packet_flits: 4\nclasses:\n"
      "  - {priority: 0, assured_rate: 0.2, peak_rate: 0.3}\n"
      "  - {priority: 1, assured_rate: 0.5, peak_rate: 1}");
  s.traffic = {uniform_traffic(0, 0.4, MessageSizes::fixed(256), 3),
               one_message(1, 64, 0, 1, Cycle{1} << 30U), TrafficEntry{},
               hot_spot_traffic(1, 0.4, MessageSizes::fixed(256), 0, 3)};
  s.traffic[0].name = "a, \"b\"";
  s.traffic[1].name = "silent";
  TraceBuilder builder(2);
  builder.begin_rank(0);
  const std::uint32_t waits = builder.calculate(1'000'000'000, 0);
  builder.depends(builder.send(1, 64, 0), waits);
  builder.end_rank();
  builder.begin_rank(1);
  builder.receive(0, 0);
  builder.end_rank();
  s.traffic[2].name = "trace";
  s.traffic[2].trace = std::make_shared<Trace>(builder.finish());
  s.traffic[2].hosts = {0, 1};
  s.measure = 40'000;
  return s;
}

/// As `sim` runs it.
void run(Network& network, Recording& recording) {
  const Cycle end = network.scenario().end();
  while (network.now() < end) {
    network.run(std::min(recording.next(), end));
    recording.sample();
  }
  recording.sample();  // nothing happened since
}

using Counted = std::map<std::pair<std::string, Index>, std::uint64_t>;

TEST(Recording, SlicesAddUpToTheRun) {
  for (const Cycle slice : {Cycle{0}, Cycle{700}}) {
    Network network(counting(), references());
    Recording recording(network, slice, true);
    run(network, recording);
    const std::vector<Recording::Slice> slices = recording.slices();
    // As many as a page shows, each as long as the others but for the last.
    EXPECT_LE(slices.size(), slice == 0 ? 128U : 58U);
    double got = 0;
    Cycle begin = 0;
    Counted counted;
    for (const Recording::Slice& one : slices) {
      const Cycle length = one.end - begin;
      EXPECT_TRUE(length == slices[0].end || &one == &slices.back()) << length;
      got += one.got[0] * static_cast<double>(length) * 3;
      EXPECT_LT(one.latency[1], 0);  // no packet of that class
      for (const CounterValue& counter : one.counters) {
        counted[{std::string(counter.name), counter.of}] += counter.value;
      }
      begin = one.end;
    }
    EXPECT_EQ(begin, network.now());
    EXPECT_NEAR(got, static_cast<double>(network.class_totals()[0].delivered_flits), 1e-6);
    Counted of_ports;
    for (const Network::NamedPort& named : network.ports()) {
      for (const CounterValue& counter : network.counters(named)) {
        of_ports[{std::string(counter.name), counter.of}] +=
            named.port->node() < network.host_count() ? 0 : counter.value;
      }
    }
    EXPECT_EQ(counted, of_ports);
    EXPECT_GT(std::max_element(counted.begin(), counted.end(),
                               [](const auto& a, const auto& b) { return a.second < b.second; })
                  ->second,
              0U);
    // Of three hosts to the two others each, and of two to the first one.
    EXPECT_EQ(recording.slowest_flows(10).size(), 6U + 2);
  }
}

// No share of no cycle is 0.
TEST(Tables, HaveNoSharesWhereNoCycleIsMeasured) {
  Scenario s = counting();
  s.warmup = 20'000;
  Network network(s, references());
  Recording recording(network, 1000, false);
  network.run(10'000);
  recording.sample();
  const RunReport report = report_of(network);
  EXPECT_GT(report.flits.delivered, 0U);
  const nlohmann::json json = nlohmann::json::parse(to_json(report, "model", 1));
  for (const nlohmann::json& row : json["classes"]) {
    for (const char* key : {"/offered", "/accepted", "/share", "/over_hosts/accepted"}) {
      EXPECT_TRUE(row.at(nlohmann::json::json_pointer(key)).is_null()) << key;
    }
  }
  for (const nlohmann::json& host : json["hosts"]) {
    EXPECT_TRUE(host.at("offered").is_null());
    EXPECT_TRUE(host.at("delivered_from").is_null());
  }
  std::map<std::string, Table> tables;
  for (Table& table : tables_of_run(network, recording, report)) {
    tables[table.name] = std::move(table);
  }
  EXPECT_THAT(to_csv(tables["classes"]), HasSubstr("\nsilent,1,,,,,"));
  EXPECT_THAT(to_csv(tables["hosts"]), HasSubstr("\n0,silent,,0,,\n"));
  EXPECT_THAT(to_table(report, "model", 1), HasSubstr("  -        -       -       -  "));
}

TEST(Tables, HaveNoValueWhereThereIsNone) {
  Network network(counting(), references());
  Recording recording(network, 1000, false);
  run(network, recording);
  RunReport report = report_of(network);
  add_counters(report, network);
  std::map<std::string, Table> tables;
  for (Table& table : tables_of_run(network, recording, report)) {
    tables[table.name] = std::move(table);
  }
  const std::string classes = to_csv(tables["classes"]);
  EXPECT_THAT(classes, HasSubstr("\n\"a, \"\"b\"\"\",0,,0."));
  EXPECT_THAT(classes, HasSubstr(",,,,,,0,,,,,,0,,,,,,0\n"));  // of the silent class
  EXPECT_EQ(to_csv(tables["ranks"]), "trace,rank,host,finish_ns\ntrace,0,0,\ntrace,1,1,\n");
  EXPECT_THAT(to_csv(tables["hosts"]), HasSubstr("\n0,silent,0,0,,\n"));
  EXPECT_THAT(to_csv(tables["series"]), HasSubstr(",silent,0,\n"));

  const nlohmann::json json = nlohmann::json::parse(to_json(report, "model", 1));
  EXPECT_TRUE(json["traces"][0]["finish_ns"].is_null());
  // Each port of a table and the sum of all: the same counts.
  std::uint64_t in_table = 0;
  for (const nlohmann::json& row : tables["counters"].rows) {
    in_table += row[3].get<std::uint64_t>();
  }
  std::uint64_t in_report = 0;
  for (const auto& side : json["counters"]) {
    for (const auto& counter : side) {
      for (const nlohmann::json& value : counter) {
        in_report += value.get<std::uint64_t>();
      }
    }
  }
  EXPECT_GT(in_table, 0U);
  EXPECT_EQ(in_table, in_report);
  EXPECT_FALSE(json["counters"]["nics"].empty());
  std::uint64_t in_series = 0;
  for (const nlohmann::json& row : tables["counter-series"].rows) {
    in_series += row[3].get<std::uint64_t>();
  }
  EXPECT_GT(in_series, 0U);

  const std::string text = to_table(report, "model", 0);
  EXPECT_THAT(text, HasSubstr("trace trace: not done, 0 messages, 0 bytes received\n"));
  EXPECT_THAT(text, HasSubstr("0.00 s, 0.0 million flit-hops a second\n"));
}

}  // namespace
}  // namespace qosarb::test
