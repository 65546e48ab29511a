// What a run leaves behind besides its report: slices of time, tables, counters.
#include "qosarb/network/recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "policy_under_test.hpp"
#include "qosarb/network/report.hpp"
#include "qosarb/network/run_page.hpp"
#include "qosarb/network/tables.hpp"
#include "qosarb/traffic/trace.hpp"
#include "scenarios_under_test.hpp"

namespace qosarb::test {
namespace {

using ::testing::HasSubstr;

/// Three hosts whose ports count stalls; a class that a cell of a table has to quote, one that
/// sends nothing in time, and a trace of which only the last rank is done in time.
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
  TraceBuilder builder(3);
  builder.begin_rank(0);
  const std::uint32_t waits = builder.calculate(1'000'000'000, 0);
  builder.depends(builder.send(1, 64, 0), waits);
  builder.end_rank();
  builder.begin_rank(1);
  builder.receive(0, 0);
  builder.end_rank();
  builder.begin_rank(2);
  builder.calculate(100, 0);
  builder.end_rank();
  s.traffic[2].name = "trace";
  s.traffic[2].trace = std::make_shared<Trace>(builder.finish());
  s.traffic[2].hosts = {0, 2, 1};
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

// Over wires without delay, a packet of 2 flits that nothing is in the way of takes 1 cycle, the 8
// of the switch's pipeline and 2 for its flits. Of a message of 200 packets each is a packet later
// than the one before; of 4 packets that come at once each waits for those that go first.
TEST(Tables, HaveTheLatenciesOfPacketsThatAreFollowedByHand) {
  Scenario s;
  s.topology.ports = 6;
  s.arbiter.max_packet_flits = 2;
  s.link_delays.fill(0);
  TrafficEntry four = one_message(0, 128, 2, 1, 1000);
  four.hosts = {2, 3, 4, 5};
  four.name = "four";
  s.traffic = {one_message(0, 200 * 128, 1, 0, 0), four};
  s.traffic[0].name = "long";
  s.measure = 2000;
  Network network(s, references());
  Recording recording(network, 1000, true);
  run(network, recording);
  const RunReport report = report_of(network);
  constexpr double kCycle = 1.28;  // ns
  const auto expect_latency = [](const LatencySummary& got, std::array<double, 5> cycles) {
    EXPECT_DOUBLE_EQ(got.mean, cycles[0] * kCycle);
    EXPECT_DOUBLE_EQ(got.p50, cycles[1] * kCycle);
    EXPECT_DOUBLE_EQ(got.p99, cycles[2] * kCycle);
    EXPECT_DOUBLE_EQ(got.p999, cycles[3] * kCycle);
    EXPECT_DOUBLE_EQ(got.max, cycles[4] * kCycle);
  };
  // Packet i, from 0 on, takes 11 + 2 i.
  const ClassReport& one = report.classes[0];
  EXPECT_EQ(one.packets, 200U);
  EXPECT_EQ(one.messages, 1U);
  expect_latency(one.packet_latency,
                 {11 + 199, 11 + 2 * 99, 11 + 2 * 197, 11 + 2 * 199, 11 + 2 * 199});
  expect_latency(one.network_latency, {11, 11, 11, 11, 11});
  expect_latency(one.message_latency, {409, 409, 409, 409, 409});
  EXPECT_DOUBLE_EQ(one.offered, 400.0 / (2000 * 6));
  EXPECT_DOUBLE_EQ(one.accepted, 400.0 / (2000 * 6));
  EXPECT_DOUBLE_EQ(one.share, 400.0 / 408);
  EXPECT_DOUBLE_EQ(one.host_accepted->min, 400.0 / 2000);
  EXPECT_DOUBLE_EQ(one.host_latency->max, (11 + 199) * kCycle);
  EXPECT_DOUBLE_EQ(one.host_longest->min, 409 * kCycle);
  const Quartiles over_hosts = *report.classes[1].host_latency;
  EXPECT_DOUBLE_EQ(over_hosts.min, 11 * kCycle);
  EXPECT_DOUBLE_EQ(over_hosts.lower, 11 * kCycle);
  EXPECT_DOUBLE_EQ(over_hosts.median, 13 * kCycle);
  EXPECT_DOUBLE_EQ(over_hosts.upper, 15 * kCycle);
  EXPECT_DOUBLE_EQ(over_hosts.max, 17 * kCycle);
  // The first of the four crosses as it comes, in cycles 0 and 1, the others in cycles 2, 3 and 4.
  // By then the first one has gone.
  EXPECT_EQ(report.peaks.output_queue_flits, 3U * 2);

  std::map<std::string, std::vector<nlohmann::json>> rows;
  for (const Table& table : tables_of_run(network, recording, report)) {
    rows[table.name] = table.rows;
  }
  EXPECT_EQ(rows["classes"][0], nlohmann::json({"long",
                                                0,
                                                nullptr,
                                                one.offered,
                                                one.accepted,
                                                one.share,
                                                one.packet_latency.mean,
                                                one.packet_latency.p50,
                                                one.packet_latency.p99,
                                                one.packet_latency.p999,
                                                one.packet_latency.max,
                                                200,
                                                one.network_latency.mean,
                                                one.network_latency.p50,
                                                one.network_latency.p99,
                                                one.network_latency.p999,
                                                one.network_latency.max,
                                                200,
                                                one.message_latency.mean,
                                                one.message_latency.p50,
                                                one.message_latency.p99,
                                                one.message_latency.p999,
                                                one.message_latency.max,
                                                1}));
  EXPECT_EQ(rows["hosts"][0],
            nlohmann::json({1, "long", 0.2, 200, one.packet_latency.mean, 409 * kCycle}));
  // The first slice has all of "long", and none of "four".
  ASSERT_EQ(rows["series"].size(), 4U);
  EXPECT_EQ(rows["series"][0],
            nlohmann::json({1000 * kCycle, "long", 0.4 / 6, one.packet_latency.mean}));
  EXPECT_EQ(rows["series"][3], nlohmann::json({2000 * kCycle, "four", 0.008 / 6, 14 * kCycle}));
  // 200 latencies of packets, one of a message, four of packets and of messages.
  ASSERT_EQ(rows["cdf"].size(), 200U + 1 + 4 + 4);
  EXPECT_EQ(rows["cdf"][1], nlohmann::json({"long", "packets", 13 * kCycle, 0.01}));
  EXPECT_EQ(rows["cdf"][200], nlohmann::json({"long", "messages", 409 * kCycle, 1.0}));
  for (const nlohmann::json& row : rows["links"]) {
    if (row[0] == "host1.nic") {
      EXPECT_EQ(row, nlohmann::json({"host1.nic", "switch0", 400.0 / 2000, 0}));
    } else if (row[0] == "switch0.port1") {
      EXPECT_EQ(row, nlohmann::json({"switch0.port1", "host1", 8.0 / 2000, 0}));
    }
  }
  EXPECT_EQ(rows["links"].size(), 12U);
}

// 200 flits in 1000 cycles are two fifths of a link of half the rate.
TEST(Tables, HaveTheUtilizationOfALinkByItsOwnRate) {
  Scenario s;
  s.topology.ports = 3;
  s.arbiter.max_packet_flits = 2;
  s.link_rates.fill({1, 2});
  s.traffic = {one_message(0, 100 * 128, 1, 0, 0)};
  s.measure = 1000;
  Network network(s, references());
  Recording recording(network, 1000, false);
  run(network, recording);
  const std::vector<Recording::Link> links = recording.links();
  const std::vector<Recording::Slice> slices = recording.slices();
  ASSERT_EQ(slices.size(), 1U);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const bool carries = links[i].name == "host1.nic" || links[i].name == "switch0.port0";
    EXPECT_DOUBLE_EQ(links[i].utilization, carries ? 0.4 : 0) << links[i].name;
    EXPECT_FLOAT_EQ(slices[0].utilization[i], carries ? 0.4F : 0) << links[i].name;
  }
  const RunReport report = report_of(network);
  EXPECT_DOUBLE_EQ(report.classes[0].host_accepted->max, 0.4);
  EXPECT_DOUBLE_EQ(report.hosts[1].offered, 0.4);
  EXPECT_DOUBLE_EQ(report.hosts[1].delivered_from, 0.4);
}

// A packet takes 11 cycles, as above, and the second of a burst 13. "late" has the first packet of
// a second burst, "busy" 30 bursts.
TEST(Page, HasTheLinksAndFlowsThatWereWorst) {
  Scenario s;
  s.topology.ports = 6;
  s.arbiter.max_packet_flits = 2;
  s.link_delays.fill(0);
  s.traffic = {one_message(0, 128, 4, 5, 10), one_message(0, 128, 1, 0, 10),
               one_message(0, 128, 2, 3, 10), one_message(0, 302 * 128, 5, 4, 0)};
  s.traffic[0].name = "once";
  s.traffic[1].name = "late";
  s.traffic[1].burst_bytes = 256;
  s.traffic[1].burst_period = 100;
  s.traffic[1].messages = 3;
  s.traffic[2].name = "busy";
  s.traffic[2].burst_bytes = 256;
  s.traffic[2].burst_period = 10;
  s.traffic[2].messages = 60;
  s.traffic[3].name = "long";
  s.measure = 1000;
  Network network(s, references());
  Recording recording(network, 500, true);
  run(network, recording);
  const std::string page =
      page_of_run(network, recording, to_json(report_of(network), "model", 0), "a", "b");
  const std::size_t begin = page.find("type=\"application/json\">") + 24;
  const nlohmann::json json =
      nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  constexpr double kCycle = 1.28;
  struct Flow {
    const char* name;
    const char* entry;
    int packets;
    double mean;
    double max;
  };
  const std::vector<Flow> due = {{"host5 to host4", "long", 302, 11 + 301, 11 + 2 * 301},
                                 {"host2 to host3", "busy", 60, 12, 13},
                                 {"host1 to host0", "late", 3, 35.0 / 3, 13},
                                 {"host4 to host5", "once", 1, 11, 11}};
  const nlohmann::json& flows = json["worst_flows"];
  ASSERT_EQ(flows.size(), due.size());
  for (std::size_t i = 0; i < due.size(); ++i) {
    EXPECT_EQ(flows[i]["name"], due[i].name);
    EXPECT_EQ(flows[i]["class"], due[i].entry);
    EXPECT_EQ(flows[i]["packets"], due[i].packets);
    EXPECT_DOUBLE_EQ(flows[i]["mean_ns"], due[i].mean * kCycle);
    EXPECT_DOUBLE_EQ(flows[i]["max_ns"], due[i].max * kCycle);
  }
  const nlohmann::json& links = json["worst_links"];
  ASSERT_EQ(links.size(), 12U);
  for (std::size_t i = 0; i < links.size(); ++i) {  // a NIC's and that to the destination
    const int flits = i < 2 ? 604 : i < 4 ? 120 : i < 6 ? 6 : i < 8 ? 2 : 0;
    EXPECT_DOUBLE_EQ(links[i]["utilization"].get<double>(), flits / 1000.0) << i;
    if (flits == 604) {
      const bool nic = links[i]["name"] == "host5.nic";
      EXPECT_EQ(links[i]["name"], nic ? "host5.nic" : "switch0.port4");
      EXPECT_EQ(links[i]["to"], nic ? "switch0" : "host4");
    }
  }
  // The NIC's is full in the first slice, the sign for which is the last one of 64.
  const std::string signs = json["topology"]["utilization"][0];
  EXPECT_EQ(signs.size(), 12U);
  EXPECT_EQ(std::count(signs.begin(), signs.end(), '/'), 1);
  // A point for each 200th part of 302 different latencies and one for the last.
  const nlohmann::json& points = json["cdf"][3]["packets"];
  ASSERT_EQ(points.size(), 1 + 150 + 1U);
  EXPECT_EQ(points[1][1], 3 / 302.0);
  EXPECT_EQ(points[151][1], 1);
  // 60 packets, half of which took 11.
  EXPECT_EQ(json["cdf"][2]["packets"], nlohmann::json({{11 * kCycle, 0.5}, {13 * kCycle, 1.0}}));
  EXPECT_TRUE(json["series"]["classes"][0]["packet_latency_ns"][1].is_null());
  EXPECT_FALSE(json["run"].contains("hosts"));
}

// Of a hot spot; that of host 1 lasts until the end.
TEST(Tables, HaveThePausesOfAllPortsUpToTheEnd) {
  Scenario s;
  s.topology.ports = 4;
  s.traffic = {hot_spot_traffic(0, 1, MessageSizes::fixed(1024), 0, 4)};
  s.measure = 20'000;
  Network network(s, references());
  Recording recording(network, 1000, false);
  run(network, recording);
  while (!network.find_port("host1.nic")->paused(0)) {
    network.run(network.now() + 1);
  }
  nlohmann::json due = nlohmann::json::array();
  for (const Network::NamedPort& named : network.ports_with_links()) {
    for (const Sender::Pauses& one : named.port->pauses(network.now())) {
      due.push_back({named.name, one.queue, one.times, static_cast<double>(one.cycles) * 1.28});
    }
  }
  EXPECT_EQ(due.size(), 3U);  // of the hosts that send
  for (const Table& table : tables_of_run(network, recording, report_of(network))) {
    if (table.name == "pauses") {
      EXPECT_EQ(nlohmann::json(table.rows), due);
    }
    if (table.name == "links") {  // nothing comes from host 0 that could be told to stop
      std::uint64_t frames = 0;
      for (const nlohmann::json& row : table.rows) {
        EXPECT_EQ(row[3] > 0, row[0] == "switch0.port1" || row[0] == "switch0.port2" ||
                                  row[0] == "switch0.port3")
            << row;
        frames += row[3].get<std::uint64_t>();
      }
      EXPECT_EQ(frames, network.pause_frames());
    }
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
  EXPECT_EQ(to_csv(tables["ranks"]),
            "trace,rank,host,finish_ns\ntrace,0,0,\ntrace,1,2,\ntrace,2,1,100\n");
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
  // Those of the switch, slice by slice.
  const nlohmann::json& of_switches = json["counters"]["switches"];
  EXPECT_FALSE(of_switches.empty());
  nlohmann::json in_series = of_switches;
  for (nlohmann::json& counter : in_series) {
    for (nlohmann::json& value : counter) {
      value = 0;
    }
  }
  for (const nlohmann::json& row : tables["counter-series"].rows) {
    nlohmann::json& sum = in_series[row[1].get<std::string>()][row[2].get<std::size_t>()];
    sum = sum.get<std::uint64_t>() + row[3].get<std::uint64_t>();
  }
  EXPECT_EQ(in_series, of_switches);

  const std::string text = to_table(report, "model", 0);
  EXPECT_THAT(text, HasSubstr("trace trace: not done, 0 messages, 0 bytes received\n"));
  EXPECT_THAT(text, HasSubstr("0.00 s, 0.0 million flit-hops a second\n"));
}

}  // namespace
}  // namespace qosarb::test
