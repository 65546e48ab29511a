// Applications: how long they take in an idle network, which messages they have, where they stand.
#include "qosarb/traffic/application.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "qosarb/config/input_error.hpp"
#include "qosarb/config/ratio.hpp"
#include "qosarb/network/placement.hpp"
#include "qosarb/network/report.hpp"
#include "traces_under_test.hpp"

namespace qosarb::test {
namespace {

using ::testing::HasSubstr;

/// Cycles of 1 ns, messages of 10 flits, which take 10 + 29 cycles through an idle switch: two
/// wires of 10, and 9 within.
constexpr double kMessage = 10 + 29;

TraceReport run(Trace trace) {
  Scenario s;
  s.arbiter.queues = 1;
  s.arbiter.max_packet_flits = 16;
  s.topology.ports = trace.ranks();
  s.flit_bytes = 100;
  s.link_mbps = 800'000;
  s.link_delays.fill(10);
  s.measure = kNever;
  TrafficEntry entry;
  for (int host = 0; host < trace.ranks(); ++host) {
    entry.hosts.push_back(host);
  }
  entry.trace = std::make_shared<Trace>(std::move(trace));
  s.traffic.push_back(entry);
  Network network(s, references());
  network.run(s.end());
  return report_of(network).traces.at(0);
}

TEST(Applications, AllreduceTakesAStepForEachPowerOfTwo) {
  for (const auto& [ranks, steps, messages] :
       {std::tuple{2, 1, 2U}, {4, 2, 8U}, {8, 3, 24U}, {16, 4, 64U}}) {
    const TraceReport report = run(allreduce({.ranks = ranks, .bytes = 1000}));
    EXPECT_EQ(report.finish_ns, steps * kMessage) << ranks;
    EXPECT_EQ(report.messages, messages) << ranks;
  }
  // Of 6 ranks two join before and are told after.
  const TraceReport six = run(allreduce({.ranks = 6, .bytes = 1000}));
  // Before, one step that waits for it, and after follow each other; the other pair of ranks is
  // ahead, and its messages may be in the way.
  EXPECT_GE(*six.finish_ns, 3 * kMessage);
  EXPECT_LE(*six.finish_ns, 4 * kMessage);
  EXPECT_EQ(six.messages, 2U + 8 + 2);
  const TraceReport thrice =
      run(allreduce({.ranks = 8, .count = 3, .calculate_ns = 500, .bytes = 1000}));
  EXPECT_EQ(thrice.finish_ns, 3 * (500 + 3 * kMessage));
}

// Who has whose data after the steps, with what a message carries: all that its sender has then.
TEST(Applications, AllreduceBringsEveryRankWhatAllHave) {
  for (int ranks = 2; ranks <= 17; ++ranks) {
    for (const std::set<int>& data : knowledge_after(allreduce({.ranks = ranks}))) {
      EXPECT_EQ(data.size(), ranks) << ranks;
    }
  }
}

TEST(Applications, AllToAllIsAPermutationInEveryStep) {
  for (const int ranks : {2, 5, 8}) {
    const TraceReport report = run(all_to_all({.ranks = ranks, .bytes = 1000}));
    EXPECT_EQ(report.finish_ns, (ranks - 1) * kMessage);
    EXPECT_EQ(report.messages, ranks * (ranks - 1));
  }
}

TEST(Applications, HaloExchangesWithBothNeighboursOfEachDimension) {
  const std::vector<int> line = {5};
  const std::vector<int> plane = {4, 2};
  const std::vector<int> block = {2, 3, 2};
  // The NIC sends one message after the other; nobody else's are in the way.
  EXPECT_EQ(run(halo({.ranks = 5, .bytes = 1000}, line)).finish_ns, 10 + kMessage);
  EXPECT_EQ(run(halo({.ranks = 8, .bytes = 1000}, plane)).finish_ns, 30 + kMessage);
  const TraceReport report = run(halo({.ranks = 12, .count = 2, .bytes = 1000}, block));
  EXPECT_EQ(report.messages, 2U * 12 * 6);
  EXPECT_EQ(report.bytes, 2U * 12 * 6 * 1000);
  // In a dimension of one place nobody is a neighbour.
  const std::vector<int> flat = {1, 5, 1};
  EXPECT_EQ(run(halo({.ranks = 5, .bytes = 1000}, flat)).messages, 5U * 2);
}

TEST(OnOff, HasItsMeanLoadAndIsSilentBetween) {
  TrafficEntry entry = uniform_traffic(0, 0.8, MessageSizes::fixed(64), 4);
  entry.arrival = Arrival::OnOff;
  entry.mean_on = 1000;
  entry.mean_off = 3000;
  TrafficSource source(entry, 0, 1, 4, 64, 5, {});
  std::uint64_t flits = 0;
  std::uint64_t pauses = 0;
  constexpr Cycle kCycles = 40'000'000;
  for (Cycle last = 0; source.next() < kCycles;) {
    const Cycle at = source.next();
    pauses += at > last + 2 ? 1 : 0;  // while on, gaps are 1 or 2 cycles
    last = at;
    flits += source.take()->flits;
  }
  // 10,000 periods; the standard error of their number and of their total length is 1 % each.
  EXPECT_NEAR(ratio(flits, kCycles), 0.2, 0.2 * 0.05);
  EXPECT_NEAR(static_cast<double>(pauses), 10'000, 500);
}

// A message that is due after a great many off times is looked for bit by bit, in cycles before it.
TEST(OnOff, MessagesMayComeFarApart) {
  TrafficEntry entry = uniform_traffic(0, 0.0001, MessageSizes::fixed(64), 4);
  entry.arrival = Arrival::OnOff;
  entry.mean_on = 1;
  entry.mean_off = 3;
  TrafficSource source(entry, 0, 1, 4, 64, 5, {});
  int messages = 0;
  int looks = 0;
  Cycle last = 0;
  for (; messages < 1000; ++looks) {
    EXPECT_GE(source.next(), last);
    last = source.next();
    messages += source.take() != nullptr ? 1 : 0;
  }
  EXPECT_GT(looks, 5000);  // some 10,000 off times a message
  // Times are of whole cycles, rounded down.
  const auto mean = [](double of) { return 1 / std::expm1(1 / of); };
  const double expected = 1e7 * (1 + mean(3) / mean(1));
  EXPECT_NEAR(static_cast<double>(last), expected, expected * 0.01);
}

TEST(Applications, ThatCalculateForTooLongAreRefusedByTheLineThatAsksForThem) {
  const char* const file = "long.yaml";
  TraceBuilder builder(2);
  for (const int rank : {0, 1}) {
    builder.begin_rank(rank);
    std::uint32_t before = builder.calculate(TraceBuilder::kMaxAmount, 0);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint32_t next = builder.calculate(TraceBuilder::kMaxAmount, 0);
      builder.depends(next, before);
      before = next;
    }
    builder.end_rank();
  }
  Trace trace = builder.finish();
  trace.file = file;
  trace.line = 8;
  Scenario s;
  s.topology.ports = 2;
  s.traffic.emplace_back().trace = std::make_shared<Trace>(std::move(trace));
  s.traffic.back().hosts = {0, 1};
  s.measure = kNever;
  try {
    const Network network(s, references());
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "long.yaml:8: the calculations of rank 0 take longer than any run");
  }
}

const char* const kJobs =
    "arbiter: {policy: rr, queues: 4, max_packet_flits: 16}\n"
    "network:\n"
    "  topology: {kind: dragonfly, groups: 3, switches: 2, hosts_per_switch: 2, global_links: 1}\n"
    "  link: {gbps: 400, delay_ns: 25}\n"
    "  flit_bytes: 64\n"
    "  switch: {input_queue_flits: 768, output_queue_flits: 768, crossbar_speedup: 2, "
    "flow_control: credit}\n"
    "traffic:\n"
    "  - {name: a, queue: 0, application: halo, dims: [2, 2], message_bytes: 64, ranks: 4,\n"
    "     placement: by-group, iterations: 2}\n"
    "  - {name: b, queue: 1, application: all-to-all, message_bytes: 64, ranks: 5,\n"
    "     placement: random}\n"
    "  - {name: c, queue: 1, application: allreduce, message_bytes: 8, placement: linear}\n";

std::string write_workload(const std::string& text) {
  std::string path = testing::TempDir() + "jobs-" +
                     testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml";
  std::ofstream(path) << text;
  return path;
}

// A mesh has no global links: a group is the hosts of one switch.
TEST(Jobs, StandBySwitchWhereThereAreNoGroups) {
  std::string text = kJobs;
  const std::string dragonfly =
      "{kind: dragonfly, groups: 3, switches: 2, hosts_per_switch: 2, global_links: 1}";
  text.replace(text.find(dragonfly), dragonfly.size(),
               "{kind: mesh, dims: [3, 2], hosts_per_switch: 2}");
  const Scenario s = load_scenario(write_workload(text));
  const std::vector<int>& hosts = s.traffic[0].hosts;
  ASSERT_EQ(hosts.size(), 4U);
  EXPECT_EQ(hosts[0] + 1, hosts[1]);
  EXPECT_EQ(hosts[0] / 2, hosts[1] / 2);
  EXPECT_EQ(hosts[2] / 2, hosts[3] / 2);
  // In random order: with 6 switches, some seed in 20 does not begin with the first, and all are
  // orders of the hosts.
  std::set<int> first;
  const Topology topology = s.topology.kind->build(s.topology);
  const auto by_group =
      std::find_if(placements().begin(), placements().end(),
                   [](const PlacementKind& one) { return one.name == "by-group"; });
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<int> order = by_group->order(topology, seed);
    first.insert(order.front());
    std::sort(order.begin(), order.end());
    for (Index h = 0; h < 12; ++h) {
      EXPECT_EQ(order[h], h);
    }
  }
  EXPECT_GT(first.size(), 1U);
}

// A dragonfly of one group has no global links either, but that group.
TEST(Jobs, StandTogetherInTheOnlyGroup) {
  std::string text = kJobs;
  const std::string three = "groups: 3, switches: 2, hosts_per_switch: 2";
  text.replace(text.find(three), three.size(), "groups: 1, switches: 6, hosts_per_switch: 2");
  EXPECT_EQ(load_scenario(write_workload(text)).traffic[0].hosts, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Jobs, ShareTheHosts) {
  const Scenario s = load_scenario(write_workload(kJobs));
  std::set<int> all;
  for (const TrafficEntry& entry : s.traffic) {
    all.insert(entry.hosts.begin(), entry.hosts.end());
  }
  EXPECT_EQ(all.size(), 12U);  // nobody has a host twice
  EXPECT_EQ(s.traffic[0].hosts.size(), 4U);
  EXPECT_EQ(s.traffic[0].hosts.front() / 4, s.traffic[0].hosts.back() / 4);  // one group
  EXPECT_EQ(s.traffic[1].hosts.size(), 5U);
  EXPECT_EQ(s.traffic[2].hosts.size(), 3U);
  EXPECT_TRUE(std::is_sorted(s.traffic[2].hosts.begin(), s.traffic[2].hosts.end()));

  Network network(s, references());
  network.run(s.end());
  const RunReport report = report_of(network);
  ASSERT_EQ(report.traces.size(), 3U);
  EXPECT_EQ(report.traces[0].messages, 2U * 4 * 4);
  EXPECT_EQ(report.traces[1].messages, 20U);
  EXPECT_EQ(report.traces[2].messages, 1U + 2 + 1);
  EXPECT_EQ(report.flits.in_flight, 0U);
}

TEST(Jobs, WhatDoesNotFitIsRefused) {
  const auto says = [](const std::string& what, const std::string& by) {
    std::string text = kJobs;
    text.replace(text.find(what), what.size(), by);
    try {
      load_scenario(write_workload(text));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(says("ranks: 5", "ranks: 12"), HasSubstr(":10: b has 12 ranks for 8 hosts"));
  EXPECT_THAT(says("dims: [2, 2]", "dims: [2, 3]"), HasSubstr(":8: traffic[0].dims has 6 places"));
  EXPECT_THAT(says("all-to-all", "gather"), HasSubstr(":10: "));
  EXPECT_THAT(says("placement: linear", "placement: linear, ranks: 1"), HasSubstr(":12: "));
}

}  // namespace
}  // namespace qosarb::test
