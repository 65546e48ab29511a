// The formulas by which nodes are numbered, joined and routed, each worked by hand.
#include <gtest/gtest.h>

#include <map>
#include <tuple>
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

// PGFT(2; 2, 2; 1, 2; 1, 2): up port q of a leaf is parallel link floor(q / 2), and packets to host
// d come down by the link of d mod 4.
TEST(Topologies, ParallelLinksDownAreThoseUp) {
  TopologyConfig tree = topology_of(kPgft);
  tree.down = {2, 2};
  tree.up = {1, 2};
  tree.parallel = {1, 2};
  const auto routing = tree.routing->make(tree);
  const int due[] = {0, 0, 1 + 2, 1 + 2};  // child + link x 2
  for (Index host = 0; host < 4; ++host) {
    Packet packet;
    packet.destination = host;
    EXPECT_EQ(routing->hop(2, 0, packet, {}, nullptr).port, due[host]) << host;
  }
}

TEST(Topologies, EachLevelOfATreeDrawsItsOwnWayUp) {
  TopologyConfig tree = topology_of(kPgft);
  tree.routing = &kPgft.routings().back();
  tree.down = {2, 2, 2};
  tree.up = {1, 2, 2};
  tree.parallel = {1, 1, 1};
  const auto routing = tree.routing->make(tree);
  Random random(1);
  std::map<std::pair<int, int>, int> ways;
  for (int draw = 0; draw < 100; ++draw) {
    Packet packet;
    packet.destination = 7;
    packet.route = routing->start({}, random);
    const int first = routing->hop(0, 0, packet, {}, nullptr).port;  // a leaf
    ++ways[{first, routing->hop(4, 0, packet, {}, nullptr).port}];
  }
  EXPECT_EQ(ways.size(), 4U);
}

// The link is that of the sum of source and destination, so it is not known by the destination.
TEST(Topologies, FlowsAreSpreadOverATrunk) {
  TopologyConfig mesh = topology_of(kMesh);
  mesh.dims = {2};
  mesh.hosts_per_switch = 2;
  mesh.trunk = 2;
  const auto routing = mesh.routing->make(mesh);
  EXPECT_FALSE(routing->by_destination());
  for (const auto& [source, destination, link] :
       {std::tuple{0, 2, 0}, {1, 2, 1}, {0, 3, 1}, {1, 3, 0}}) {
    PacketRecord record;
    record.source = source;
    record.destination = destination;
    Packet packet;
    packet.destination = destination;
    EXPECT_EQ(routing->hop(0, 0, packet, record, nullptr).port, 2 + link);
  }
}

TEST(Topologies, ADimensionOfOneSwitchHasNoLinks) {
  TopologyConfig torus = topology_of(kTorus);
  torus.dims = {4, 1};
  EXPECT_EQ(torus.kind->build(torus).links.size(), 4U + 4);  // of hosts, and the ring
}

TEST(Topologies, AProductMayBeAllThereMayBe) {
  EXPECT_EQ(product_up_to(std::vector{2, 3}, 6), 6);
  EXPECT_EQ(product_up_to(std::vector{2, 3}, 5), -1);
}

/// Four groups of two switches with two hosts and two global links each.
TopologyConfig four_groups(std::size_t routing) {
  TopologyConfig config = topology_of(kDragonfly);
  config.routing = &kDragonfly.routings()[routing];
  config.groups = 4;
  config.switches = 2;
  config.hosts_per_switch = 2;
  config.global_links = 2;
  return config;
}
constexpr int kLocal = 2;
constexpr int kGlobal = 3;

// A group drawn for it would lie outside.
TEST(Topologies, APacketWithinAGroupOfADragonflyStaysThere) {
  const auto valiant = kDragonfly.routings()[1].make(four_groups(1));
  Random random(1);
  for (int draw = 0; draw < 20; ++draw) {
    PacketRecord record;
    record.destination = 2;
    Packet packet;
    packet.destination = 2;
    packet.route = valiant->start(record, random);
    EXPECT_EQ(valiant->hop(0, 0, packet, record, nullptr).port, kLocal);
  }
  const auto adaptive = kDragonfly.routings()[2].make(four_groups(2));
  Packet packet;
  packet.destination = 2;
  const Hop hop = adaptive->hop(0, 0, packet, {}, nullptr);
  EXPECT_EQ(hop.port, kLocal);
  EXPECT_EQ(hop.stage, 0);
}

/// So many flits wait for the minimal way of switch 0 to group 1, and 10 for that to group 2.
class TwoWays final : public Congestion {
 public:
  explicit TwoWays(std::uint64_t minimal) : minimal_(minimal) {}
  [[nodiscard]] std::uint64_t waiting_flits(int port, int service_level) const override {
    seen = service_level;
    return port == kGlobal ? minimal_ : 10;
  }
  mutable int seen = 0;

 private:
  std::uint64_t minimal_;
};

// The way through another group has twice the global links, and `divert_above_flits` is the start
// that the minimal one has: 2 x 10 + 5 flits. Behind the way there the packet goes on to its group.
TEST(Topologies, APacketIsDivertedAboveTwiceWhatWaitsForTheOtherWayAndAThreshold) {
  for (const bool own_class : {true, false}) {
    TopologyConfig config = four_groups(2);
    config.divert_above_flits = 5;
    config.own_class_view = own_class;
    const auto routing = config.routing->make(config);
    for (const std::uint64_t minimal : {25U, 26U}) {
      const TwoWays congestion(minimal);
      Packet packet;
      packet.destination = 4;  // of group 1
      packet.route = 2;        // the group that was drawn
      packet.service_level = 1;
      const Hop hop = routing->hop(0, 0, packet, {}, &congestion);
      EXPECT_EQ(hop.port, minimal == 26 ? kGlobal + 1 : kGlobal);
      EXPECT_EQ(hop.stage, 0);
      EXPECT_EQ(congestion.seen, own_class ? 1 : -1);
      if (minimal == 26) {
        // Group 2 is joined to group 1 at its second switch.
        Packet other = packet;
        const Hop local = routing->hop(4, kGlobal, packet, {}, &congestion);
        EXPECT_EQ(local.port, kLocal);
        EXPECT_EQ(local.stage, 2);
        const Hop global = routing->hop(5, kGlobal, other, {}, &congestion);
        EXPECT_EQ(global.port, kGlobal);
        EXPECT_EQ(global.stage, 1);
      }
    }
  }
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
