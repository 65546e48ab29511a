// The formulas by which nodes are numbered, joined and routed, each worked by hand.
#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "policy_under_test.hpp"
#include "qosarb/network/report.hpp"
#include "scenarios_under_test.hpp"

namespace qosarb::test {
namespace {

using Joint = std::pair<Index, int>;  // node, port

/// What stands at the other end of each port.
std::map<Joint, Joint> joints(const Topology& topology) {
  std::map<Joint, Joint> far;
  for (const Topology::Link& link : topology.links) {
    far[{link.a.node, link.a.port}] = {link.b.node, link.b.port};
    far[{link.b.node, link.b.port}] = {link.a.node, link.a.port};
  }
  return far;
}

/// The switches that a packet visits.
std::vector<Index> way(const TopologyConfig& config, Index source, Index destination) {
  const Topology topology = config.kind->build(config);
  const auto far = joints(topology);
  const auto routing = config.routing->make(config);
  PacketRecord record;
  record.source = source;
  record.destination = destination;
  Packet packet;
  packet.destination = destination;
  std::vector<Index> switches;
  Joint at = far.at({source, 0});
  while (at.first >= topology.node_of(0)) {
    switches.push_back(at.first - topology.node_of(0));
    const Hop hop = routing->hop(switches.back(), at.second, packet, record, nullptr);
    at = far.at({at.first, hop.port});
  }
  EXPECT_EQ(at.first, destination);
  return switches;
}

using Switches = std::vector<Index>;

TEST(Topologies, HostsFillSwitchesAndTheFirstDimensionVariesFastest) {
  TopologyConfig mesh = topology_of(kMesh);
  mesh.dims = {3, 2};
  mesh.hosts_per_switch = 2;
  // Host 0 is on switch 0 = (0, 0), host 11 on switch floor(11 / 2) = 5 = (2, 1).
  EXPECT_EQ(way(mesh, 0, 11), (Switches{0, 1, 2, 5}));
  EXPECT_EQ(way(mesh, 11, 0), (Switches{5, 4, 3, 0}));
}

TEST(Topologies, TiesOfATorusGoUp) {
  TopologyConfig torus = topology_of(kTorus);
  torus.dims = {4};
  EXPECT_EQ(way(torus, 0, 2), (Switches{0, 1, 2}));
  EXPECT_EQ(way(torus, 1, 3), (Switches{1, 2, 3}));
  EXPECT_EQ(way(torus, 3, 1), (Switches{3, 0, 1}));
  EXPECT_EQ(way(torus, 1, 0), (Switches{1, 0}));  // no tie
}

TEST(Topologies, TiesOfATorusAreSplitByOneBitOfTheFlow) {
  TopologyConfig torus = topology_of(kTorus);
  torus.ties_split = true;
  torus.dims = {4};
  EXPECT_EQ(way(torus, 0, 2), (Switches{0, 1, 2}));  // 0 is even
  EXPECT_EQ(way(torus, 1, 3), (Switches{1, 0, 3}));  // 1 is odd
  torus.dims = {4, 4};
  // (0, 0) to (2, 1): in dimension 0 the source's 0 + 0 and the destination's other one, 1: odd.
  EXPECT_EQ(way(torus, 0, 6), (Switches{0, 3, 2, 6}));
  // (0, 0) to (2, 2): 0 + 0 + 2 is even in dimension 0, and in dimension 1.
  EXPECT_EQ(way(torus, 0, 10), (Switches{0, 1, 2, 6, 10}));
  // (1, 0) to (3, 2): 1 + 0 + 2 is odd, in dimension 1 1 + 0 + 3 is even.
  EXPECT_EQ(way(torus, 1, 11), (Switches{1, 0, 3, 7, 11}));
}

TEST(Topologies, UpPortsOfATreeAreDModK) {
  // PGFT(2; 4, 3; 1, 2; 1, 2): switches 0..2 are leaves, 3 and 4 roots. From leaf 0 to host 7 the
  // up port is 7 mod (2 x 2) = 3: root 3 mod 2 = 1, its second parallel link.
  TopologyConfig tree = topology_of(kPgft);
  tree.down = {4, 3};
  tree.up = {1, 2};
  tree.parallel = {1, 2};
  const auto far = joints(tree.kind->build(tree));
  const auto routing = tree.routing->make(tree);
  PacketRecord record;
  Packet packet;
  packet.destination = 7;
  const Hop up = routing->hop(0, 0, packet, record, nullptr);
  EXPECT_EQ(up.port, 4 + 3);
  EXPECT_EQ(far.at({12 + 0, up.port}).first, 12U + 4);
  EXPECT_EQ(way(tree, 0, 7), (Switches{0, 4, 1}));
  EXPECT_EQ(way(tree, 0, 6), (Switches{0, 3, 1}));  // 6 mod 4 = 2: root 0
  // Its three levels: floor(d / (w_1 w_2)) mod (w_3 p_3) at level 2, here floor(14 / 3) mod 2 = 0.
  tree.down = {2, 3, 3};
  tree.up = {1, 3, 2};
  tree.parallel = {1, 1, 1};
  packet.destination = 14;
  // 9 leaves; of level 2 switch 9 is above leaf 0. Its ports down are 0..2.
  EXPECT_EQ(tree.routing->make(tree)->hop(9, 0, packet, record, nullptr).port, 3 + 0);
  packet.destination = 16;  // floor(16 / 3) = 5
  EXPECT_EQ(tree.routing->make(tree)->hop(9, 0, packet, record, nullptr).port, 3 + 1);
}

TEST(Topologies, GlobalLinksOfADragonflyGoAround) {
  TopologyConfig config = topology_of(kDragonfly);
  config.groups = 9;
  config.switches = 4;
  config.hosts_per_switch = 2;
  config.global_links = 2;
  const Topology topology = config.kind->build(config);
  const auto far = joints(topology);
  const auto node = [&](int group, int number) { return topology.node_of(group * 4 + number); };
  const int global = 2 + 3;  // behind two hosts and three other switches
  // Port 1 of switch 2 in group 3: group (3 + 2 x 2 + 1 + 1) mod 9 = 0. Back: 3 = 0 + 1 x 2 + 0
  // + 1.
  EXPECT_EQ(far.at({node(3, 2), global + 1}), (Joint{node(0, 1), global + 0}));
  // Port 0 of switch 0 in group 8: group 0. Back: 8 = 0 + 3 x 2 + 1 + 1.
  EXPECT_EQ(far.at({node(8, 0), global + 0}), (Joint{node(0, 3), global + 1}));
  // With 5 groups the ports for the offsets 5 .. 8 have nobody.
  config.groups = 5;
  const auto fewer = joints(config.kind->build(config));
  const Index first = config.kind->build(config).node_of(0);
  EXPECT_TRUE(fewer.contains({first + 1, global + 1}));   // 1 x 2 + 1 + 1 = 4
  EXPECT_FALSE(fewer.contains({first + 2, global + 0}));  // 2 x 2 + 0 + 1 = 5
  EXPECT_FALSE(fewer.contains({first + 3, global + 1}));
}

TEST(Hosts, EachHasWhatItOfferedAndWhatOfItArrivedWithinTheWindow) {
  Scenario s;
  s.topology.ports = 4;
  s.arbiter.max_packet_flits = 16;
  s.link_delays.fill(20);
  s.warmup = 100;
  s.measure = 60;
  // 16 flits from cycle 110 on: idle, the last is in after 16 + 2 x 20 + 1 + 8 = 65 cycles, in 175:
  // the window ends after 160 - 1, so nothing of it arrives in it. One from 90 on has all flits in
  // 140..155. One from 101 on has its last in 166: 9 of 16 are in by 159.
  s.traffic = {one_message(0, 16 * 64, 0, 3, 110), one_message(0, 16 * 64, 1, 2, 90),
               one_message(0, 16 * 64, 2, 1, 101)};
  Network network(s, references());
  network.run(s.warmup + s.measure);
  const RunReport report = report_of(network);
  ASSERT_EQ(report.hosts.size(), 4U);
  EXPECT_EQ(report.hosts[0].offered, 16.0 / 60);
  EXPECT_EQ(report.hosts[0].delivered_from, 0);
  EXPECT_EQ(report.hosts[1].offered, 0);
  EXPECT_EQ(report.hosts[1].delivered_from, 16.0 / 60);
  EXPECT_EQ(report.hosts[2].offered, 16.0 / 60);
  EXPECT_EQ(report.hosts[2].delivered_from, 9.0 / 60);
  EXPECT_EQ(report.hosts[3].offered, 0);
  EXPECT_EQ(report.hosts[3].delivered_from, 0);
  // The averages over all hosts are those of the classes.
  EXPECT_EQ(report.classes[1].accepted, 16.0 / 60 / 4);
  EXPECT_EQ(report.classes[2].accepted, 9.0 / 60 / 4);
}

// The switches' queue takes two flits at a time, the NICs' sixteen.
TEST(Packets, FitEveryArbiterOnTheirWay) {
  Scenario s;
  s.topology.ports = 4;
  s.arbiter.max_packet_flits = 16;
  s.arbiters = {{"switches", arbiter_config("{policy: dtable, queues: 1, max_packet_flits: 16, "
                                            "queue_sl: [0], sl_mtu: [2], "
                                            "table: [{sl: 0, weight: 4}]}")}};
  s.traffic = {one_message(0, 16 * 64, 0, 3, 0)};
  s.measure = 1000;
  Network network(s, references());
  int packets = 0;
  network.on_delivery([&packets](const PacketRecord&, Cycle) { ++packets; });
  network.run(1000);
  EXPECT_EQ(packets, 8);
  EXPECT_EQ(network.totals().delivered, 16U);
}

}  // namespace
}  // namespace qosarb::test
