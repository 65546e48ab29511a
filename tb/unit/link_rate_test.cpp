// Links slower than the port clock: the times of their flits, and what they make of latencies,
// shares and headroom. That a network of them is exact flit by flit is in networks_test.cpp and
// switch_test.cpp.
#include "qosarb/switch/link_rate.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "qosarb/network/recording.hpp"
#include "qosarb/network/report.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/policy.hpp"
#include "scenarios_under_test.hpp"

namespace qosarb::test {
namespace {

using ::testing::HasSubstr;

/// The cycle, from 0, in which each flit has gone over a wire that carries `rate` in each cycle.
std::vector<Cycle> stepped(const LinkRate& rate, std::uint32_t spare, std::uint32_t flits) {
  std::vector<Cycle> gone;
  std::uint32_t part = spare;
  for (Cycle cycle = 0; gone.size() < flits; ++cycle) {
    part += rate.flits;
    if (part >= rate.cycles) {
      part -= rate.cycles;
      gone.push_back(cycle);
    }
  }
  return gone;
}

TEST(LinkRate, TheSlowerOneIsLess) {
  EXPECT_LT((LinkRate{2, 5}), (LinkRate{1, 2}));
  EXPECT_LT((LinkRate{1, 2}), (LinkRate{}));
}

TEST(LinkRate, ItsFormulasCountWhatSteppingCounts) {
  for (const LinkRate rate : {LinkRate{1, 1}, {1, 2}, {1, 7}, {2, 3}, {5, 8}, {255, 256}}) {
    for (std::uint32_t spare = 0; spare < rate.flits; spare += 1 + rate.flits / 7) {
      for (const std::uint32_t flits : {1U, 2U, 3U, 16U}) {
        const std::vector<Cycle> gone = stepped(rate, spare, flits);
        const Cycle end = gone.back() + 1;
        EXPECT_EQ(rate.cycles_of(flits, spare), end);
        const std::uint32_t over = rate.spare_after(flits, spare);
        EXPECT_EQ(over, end * rate.flits + spare - flits * rate.cycles);
        EXPECT_LT(over, rate.flits);
        for (Cycle before = 0; before <= end; ++before) {
          const auto left = std::count_if(gone.begin(), gone.end(),
                                          [&](Cycle cycle) { return cycle >= end - before; });
          EXPECT_EQ(rate.left(before, over), left);
        }
        for (std::uint32_t left = 0; left < flits; ++left) {
          EXPECT_EQ(rate.last_cycles(left, over), end - (gone[flits - left - 1] + 1));
        }
      }
    }
  }
}

void set_rate(Scenario& s, const Topology::End& end, const LinkRate& rate) {
  bool found = false;
  for (const Topology::Link& link : s.topology.kind->build(s.topology).links) {
    if ((link.a.node == end.node && link.a.port == end.port) ||
        (link.b.node == end.node && link.b.port == end.port)) {
      s.own_rates[{link.a.node, link.a.port}] = rate;
      s.own_rates[{link.b.node, link.b.port}] = rate;
      found = true;
    }
  }
  ASSERT_TRUE(found);
}

/// Each architecture with each flow control.
template <typename Act>
void for_each_kind(Act&& act) {
  for (const SwitchKind* architecture : switch_kinds()) {
    for (const FlowControlKind* flow_control : flow_controls()) {
      SCOPED_TRACE(fmt::format("{} {}", architecture->name, flow_control->name));
      act(*architecture, *flow_control);
    }
  }
}

// host0 -1/2- switch0 - switch1 -1/4- switch2 - host2. The message of 16 flits is sent in cycle
// 100. It takes 32 cycles on the first link, of 3 cycles delay, so its last flit comes in cycle
// 135. As one goes each cycle from there on, the first may cross 15 cycles earlier and 4 for the
// pipeline later, in 124; 4 cycles later it is on the wire. 16 and 5 cycles: the last one comes in
// 149. It may cross in 138, goes on the wire in 142, takes 64 and 5 cycles: 211. Crosses in 200, on
// the wire in 204, 16 and 3 cycles: 223.
// One flit: 2 and 3 cycles, 105; 8 of pipeline, 1 and 5, 119; 8, 4 and 5, 136; 8, 1 and 3, 148.
TEST(LinkRate, ZeroLoadLatencyOverSlowFastSlowIsTheSumOfItsHops) {
  for_each_kind([](const SwitchKind& architecture, const FlowControlKind& flow_control) {
    for (const auto& [flits, due] : {std::pair{16U, 223U}, {1U, 148U}}) {
      Scenario s;
      s.topology = grid(kMesh, {3});
      s.arbiter.max_packet_flits = 16;
      s.link_delays = {3, 5, 0};
      build_with(s, architecture);
      s.switches.flow_control = &flow_control;
      s.traffic = {one_message(0, flits * s.flit_bytes, 0, 2, 100)};
      s.measure = 1000;
      set_rate(s, {.node = 0}, {1, 2});
      set_rate(s, {.node = 4, .port = 1}, {1, 4});
      Network network(s, references());
      Cycle arrival = 0;
      network.on_delivery([&arrival](const PacketRecord&, Cycle cycle) { arrival = cycle; });
      network.run(1000);
      EXPECT_EQ(arrival, due);
    }
  });
}

// Whatever the packets' lengths, a link of 2/5 that always has one carries two flits in five
// cycles.
TEST(LinkRate, ASaturatedLinkCarriesItsRateExactly) {
  for_each_kind([](const SwitchKind& architecture, const FlowControlKind& flow_control) {
    Scenario s;
    s.topology.ports = 3;
    s.arbiter.max_packet_flits = 4;
    build_with(s, architecture);
    s.switches.flow_control = &flow_control;
    s.traffic = {hot_spot_traffic(0, 1.0, MessageSizes::range(1, 256), 2, 3)};
    s.warmup = 2000;
    s.measure = 10'000;
    set_rate(s, {.node = 2}, {2, 5});
    Network network(s, references());
    network.run(s.end());
    EXPECT_EQ(network.classes()[0].accepted_flits, 4000U);
    EXPECT_EQ(network.totals().lost(), 0);
    Recording whole(network, 0, false);
    const auto links = whole.links();
    const auto to_host = std::find_if(links.begin(), links.end(), [](const Recording::Link& link) {
      return link.name == "switch0.port2";
    });
    EXPECT_NEAR(to_host->utilization, 1, 0.01);
  });
}

// A window that begins or ends within a packet counts the flits that come within it. A packet of 8
// flits, sent in cycle 100, is in the switch from 101 on; it crosses in 105 and is granted in 107.
// Over the link of 1/4 to host 1 its flits come in 107 + 2 + 4 and every 4 cycles from there on.
TEST(LinkRate, AWindowCountsFlitsAsTheyCome) {
  Scenario s;
  s.topology.ports = 2;
  s.arbiter.max_packet_flits = 8;
  s.link_delays.fill(0);
  s.traffic = {one_message(0, 8 * 64, 0, 1, 100)};
  set_rate(s, {.node = 1}, {1, 4});
  for (Cycle begin = 110; begin < 145; ++begin) {
    for (Cycle end = begin + 1; end < 146; ++end) {
      std::uint64_t due = 0;
      for (Cycle comes = 113; comes <= 141; comes += 4) {
        due += comes >= begin && comes < end ? 1 : 0;
      }
      s.warmup = begin;
      s.measure = end - begin;
      Network network(s, references());
      network.run(end);
      EXPECT_EQ(network.classes()[0].accepted_flits, due) << begin << " " << end;
      const FlitTotals totals = network.totals();
      EXPECT_EQ(totals.delivered, end <= 113 ? 0U : std::min<Cycle>(8, (end - 114) / 4 + 1));
      EXPECT_EQ(totals.lost(), 0);
      network.run(200);
      EXPECT_EQ(network.classes()[0].accepted_flits, due) << begin << " " << end << ", later";
    }
  }
}

// A load and what is offered, accepted and delivered are shares of the rate of the host's link.
TEST(LinkRate, ALoadIsAShareOfTheHostsOwnLink) {
  for (const Arrival arrival : {Arrival::Even, Arrival::Poisson}) {
    Scenario s;
    s.topology.ports = 4;
    s.arbiter.max_packet_flits = 4;
    s.traffic = {uniform_traffic(0, 0.5, MessageSizes::fixed(256), 4)};
    s.traffic[0].pattern = Pattern::Permutation;
    s.traffic[0].permutation = PermutationKind::Shift;
    s.traffic[0].shift = 2;
    s.traffic[0].arrival = arrival;
    s.warmup = 1000;
    s.measure = 200'000;
    set_rate(s, {.node = 0}, {1, 4});
    set_rate(s, {.node = 2}, {1, 4});
    Network network(s, references());
    network.run(s.end());
    const double within = arrival == Arrival::Even ? 0.0002 : 0.02;
    const std::vector<HostStatistics> hosts = network.host_statistics();
    const double due[] = {0.125, 0.5, 0.125, 0.5};
    const RunReport report = report_of(network);
    for (std::size_t host = 0; host < 4; ++host) {
      EXPECT_NEAR(ratio(hosts[host].offered_flits, s.measure), due[host], within) << host;
      EXPECT_NEAR(report.hosts[host].offered, 0.5, 4 * within) << host;
      EXPECT_NEAR(report.hosts[host].delivered_from, 0.5, 4 * within) << host;
    }
    EXPECT_NEAR(report.classes[0].offered, 0.5, 2 * within);
    EXPECT_NEAR(report.classes[0].accepted, 0.5, 2 * within);
    EXPECT_NEAR(report.classes[0].host_accepted->upper, 0.5, 4 * within);
  }
}

// A line whose hosts all send to its first one, in two classes of the weights 3 and 1; its last
// link runs at half the rate. Where two ways meet within a class, the inputs take turns.
TEST(LinkRate, AParkingLotSharesASlowUplinkByItsWeights) {
  for (const SwitchKind* architecture : {&kCioq, &kInputQueued}) {
    SCOPED_TRACE(architecture->name);
    Scenario s;
    s.topology = grid(kMesh, {5});
    s.arbiter.policy = policy_named("bxi-deficit");
    s.arbiter.queues = 2;
    s.arbiter.max_packet_flits = 4;
    s.arbiter.parameters = BxiConfig{.table = {{0, 48}, {1, 16}}};
    s.switches.architecture = architecture;
    s.switches.flow_control = &kCredit;
    s.switches.input_queue_flits = 256;
    s.switches.output_queue_flits = 256;
    s.traffic = {hot_spot_traffic(0, 1.0, MessageSizes::fixed(256), 0, 5),
                 hot_spot_traffic(1, 1.0, MessageSizes::fixed(256), 0, 5)};
    s.traffic[1].name = "other";
    s.warmup = 40'000;
    s.measure = 64'000;
    set_rate(s, {.node = 6, .port = 2}, {1, 2});  // from switch 1 to switch 0
    Network network(s, references());
    network.run(s.end());
    const double of_class[] = {0.75, 0.25};
    const double of_host[] = {0, 0.5, 0.25, 0.125, 0.125};
    for (std::size_t entry = 0; entry < 2; ++entry) {
      for (int host = 1; host < 5; ++host) {
        const double due = 0.5 * of_class[entry] * of_host[host];
        EXPECT_NEAR(ratio(network.sender_statistics(entry, host).accepted_flits, s.measure), due,
                    0.01 * due)
            << "class " << entry << " host " << host;
      }
    }
  }
}

}  // namespace
}  // namespace qosarb::test
