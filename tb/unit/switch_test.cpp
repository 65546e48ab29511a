// The switch model: exact times, nothing lost, PFC that is just enough.
#include "qosarb/switch/switch.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "naive_network.hpp"
#include "qosarb/config/check_failure.hpp"
#include "qosarb/switch/vc_allocation.hpp"
#include "random/random.hpp"
#include "scenarios_under_test.hpp"

namespace qosarb::test {
namespace {

using ::testing::HasSubstr;

std::uint32_t headroom_of(const Scenario& s) {
  return pfc_headroom({.wire_delay = s.link_delays[0],
                       .receiver_latency = s.switches.output_latency,
                       .sender_latency = 0,
                       .max_packet_flits = s.arbiter.max_packet_flits,
                       .frame_flits = pause_frame_flits(s.flit_bytes),
                       .queues = s.arbiter.queues,
                       .rate = s.link_rates[0]});
}

// The strongest check of the event-driven model: each packet arrives in the very cycle in which it
// does when every flit of every cycle is stepped, and PFC and the arbiters do the same, too.
TEST(Switch, EventsGiveWhatSteppingEveryFlitGives) {
  std::uint64_t deliveries = 0;
  std::uint64_t frames = 0;
  // QOSARB_NETWORKS in the environment draws more of them.
  const std::uint64_t switches = from_environment("QOSARB_NETWORKS", 100);
  for (std::uint64_t seed = 1; seed <= switches; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Scenario scenario = random_scenario(seed, single_switch(2 + static_cast<int>(seed % 5)));
    const NaiveOutcome outcome = expect_alike(scenario);
    if (HasFailure()) {
      return;
    }
    deliveries += outcome.deliveries.size();
    frames += outcome.pause_frames;
  }
  EXPECT_GT(deliveries, 150 * switches);
  EXPECT_GT(frames, 15 * switches);  // the comparison covers flow control
}

TEST(Switch, AnIdleSwitchAddsItsPipelineItsWiresAndOneFlit) {
  for (const std::uint32_t flits : {1U, 2U, 17U, 80U}) {
    for (const std::uint32_t delay : {0U, 1U, 20U}) {
      for (const Speedup speedup : {Speedup{1, 1}, Speedup{2, 1}, Speedup{3, 2}}) {
        Scenario s;
        s.topology.ports = 4;
        s.arbiter.max_packet_flits = 80;
        s.link_delays.fill(delay);
        s.switches.speedup = speedup;
        s.switches.input_latency = 3;
        s.switches.crossbar_latency = 5;
        s.switches.output_latency = 7;
        s.traffic = {one_message(0, flits * s.flit_bytes, 1, 2, 100)};
        s.measure = 1000;
        Network network(s, references());
        Cycle arrival = 0;
        network.on_delivery([&arrival](const PacketRecord&, Cycle cycle) { arrival = cycle; });
        network.run(1000);
        // Two wires, each flits + delay long if alone; the switch adds the flit that it must have
        // before it can go on, instead of the whole packet, and its pipeline.
        EXPECT_EQ(arrival, 100 + delay + 1 + (3 + 5 + 7) + delay + flits);
      }
    }
  }
}

TEST(Switch, AnOutputHoldsWhatIsLeftOfThePacketOnItsWireToo) {
  Scenario s;
  s.topology.ports = 3;
  s.arbiter.max_packet_flits = 8;
  s.switches.speedup = {2, 1};
  s.switches.crossbar_latency = 2;
  for (const int host : {0, 1}) {
    s.traffic.push_back(one_message(0, 4 * 8 * s.flit_bytes, host, 2, 0));
  }
  s.measure = 1000;
  Network network(s, references());
  network.run(1000);
  // The first packet crosses as it comes, from cycle 0 of the crossbar, the others from cycles 8,
  // 12, 16, ... 32. By cycle 32 the wire has taken packets from 2, 10, 18 and 26 on: of eight that
  // crossed four wait, and two flits of the fourth.
  EXPECT_EQ(network.peaks().output_queue_flits, 4 * 8 + 2);
  EXPECT_EQ(expect_alike(s).max_output_queue_flits, 4 * 8 + 2);
}

TEST(Switch, KeepsEveryFlitWithQueuesOfTheSmallestSizeUnderAHotSpot) {
  Scenario s;
  s.topology.ports = 8;
  s.arbiter.queues = 3;
  s.arbiter.max_packet_flits = 80;
  s.switches.input_queue_flits = headroom_of(s) + 80;
  s.switches.output_queue_flits = 80;
  for (Index queue = 0; queue < 3; ++queue) {
    s.traffic.push_back(hot_spot_traffic(queue, 0.6, MessageSizes::range(1, 5120), 0, 8));
    s.traffic.push_back(uniform_traffic(queue, 0.1, MessageSizes::range(1, 5120), 8));
  }
  s.measure = 60000;
  Network network(s, references());
  network.run(30000);
  EXPECT_GT(network.pause_frames(), 300U);
  EXPECT_EQ(network.totals().lost(), 0);
  // Without new messages everything arrives and the network is empty.
  network.stop_traffic();
  network.run(3'000'000);
  const FlitTotals totals = network.totals();
  EXPECT_EQ(totals.injected, totals.delivered);
  EXPECT_EQ(totals.in_flight, 0U);
  EXPECT_EQ(network.packets_in_use(), 0U);
}

// Sets of ports, inputs and queues are masks of 64 bits, all of which may be in use.
TEST(Switch, OfSixtyFourPortsKeepsEveryFlit) {
  for (const SwitchKind* architecture : switch_kinds()) {
    for (const FlowControlKind* flow_control : flow_controls()) {
      SCOPED_TRACE(fmt::format("{} {}", architecture->name, flow_control->name));
      Scenario s;
      s.topology.ports = 64;
      s.arbiter.queues = architecture->queue_per_input ? 1 : 64;
      s.arbiter.max_packet_flits = 4;
      build_with(s, *architecture);
      s.switches.flow_control = flow_control;
      s.traffic = {uniform_traffic(0, 0.1, MessageSizes::range(1, 256), 64)};
      if (!architecture->queue_per_input) {  // the first and the last class are paused
        for (const Index queue : {0, 63}) {
          s.traffic.push_back(hot_spot_traffic(queue, 0.4, MessageSizes::range(1, 256), queue, 64));
        }
      }
      s.switches.input_queue_flits = s.arbiter.max_packet_flits;
      while (fault_of_switch(s, s.topology.kind->build(s.topology))) {
        ++s.switches.input_queue_flits;
      }
      s.measure = 100'000;
      Network network(s, references());
      network.run(500);
      EXPECT_EQ(network.pause_frames() > 0, flow_control == &kPfc);
      EXPECT_EQ(network.totals().lost(), 0);
      network.stop_traffic();
      network.run(100'000);
      EXPECT_EQ(network.totals().injected, network.totals().delivered);
      EXPECT_EQ(network.packets_in_use(), 0U);
      for (const HostStatistics& host : network.host_statistics()) {
        EXPECT_GT(host.delivered_flits, 0U);
      }
    }
  }
}

TEST(VcAllocation, LowestTakesTheLowestByFlowSpreadsFlows) {
  std::map<std::string_view, std::set<int>> taken;
  for (const VcAllocation* allocation : vc_allocations()) {
    for (Index source = 0; source < 10; ++source) {
      PacketRecord flow;
      flow.source = source;
      flow.destination = 3;
      const int vc = allocation->choose(0b1011'0100, flow);
      ++flow.number;
      EXPECT_EQ(vc, allocation->choose(0b1011'0100, flow)) << "a flow stays in order";
      taken[allocation->name()].insert(vc);
    }
  }
  EXPECT_EQ(taken["lowest"], (std::set<int>{2}));
  EXPECT_EQ(taken["by-flow"], (std::set<int>{2, 4, 5, 7}));
  PacketRecord flow;  // by the default number (2 + 5) mod 4 of them
  flow.source = 2;
  flow.destination = 5;
  EXPECT_EQ(vc_allocations().front()->choose(0b1011'0100, flow), 7);
}

// A service level may have several channels, whichever way they are taken.
TEST(Switch, WithSeveralChannelsKeepsEveryFlitInOrder) {
  for (const SwitchKind* architecture : switch_kinds()) {
    for (const VcAllocation* allocation : vc_allocations()) {
      SCOPED_TRACE(fmt::format("{} {}", architecture->name, allocation->name()));
      Scenario s;
      s.topology.ports = 4;
      s.arbiter.queues = 3;
      s.arbiter.max_packet_flits = 8;
      build_with(s, *architecture);
      s.vcs.stages = 1;
      s.vcs.masks = {0b011, 0b100};
      s.vc_allocation = allocation;
      s.traffic = {uniform_traffic(0, 0.4, MessageSizes::range(1, 1024), 4),
                   hot_spot_traffic(1, 0.3, MessageSizes::range(1, 1024), 2, 4)};
      Network network(s, references());
      network.run(5000);  // throws if a flow is out of order
      EXPECT_EQ(network.totals().lost(), 0);
      network.stop_traffic();
      network.run(100'000);
      EXPECT_EQ(network.totals().injected, network.totals().delivered);
    }
  }
}

TEST(Switch, RefusesAQueueThatCannotHoldTheHeadroomAndAPacket) {
  Scenario s;
  s.arbiter.max_packet_flits = 80;
  s.traffic = {uniform_traffic(0, 0.1, MessageSizes::fixed(64), 8)};
  s.switches.input_queue_flits = headroom_of(s) + 79;
  EXPECT_THROW(Network(s, references()), std::invalid_argument);
}

TEST(Pfc, HeadroomOfTheDefaultLinkIsTheSumOfItsParts) {
  // 2 x 20 cycles of wire, 2 + 0 of output pipelines, a frame of one flit, one packet of 80 that
  // just started on either side.
  EXPECT_EQ(pfc_headroom({.wire_delay = 20,
                          .receiver_latency = 2,
                          .sender_latency = 0,
                          .max_packet_flits = 80,
                          .frame_flits = 1,
                          .queues = 5}),
            40U + 2U + 1U + 79U + 79U);
  EXPECT_EQ(pfc_headroom({.max_packet_flits = 1, .frame_flits = 4, .queues = 17}), 3U * 4U + 3U);
}

// Queue 0 from cycle 100 to 150, queue 1 from 110 on; a frame that says the same again begins
// nothing.
TEST(Pfc, APauseIsFromItsFirstFrameToTheOneThatEndsIt) {
  Egress nic("host0.nic", 0, 0, 2, references()({}, {}));
  nic.count_pauses(100, 0b01);
  nic.count_pauses(110, 0b11);
  nic.count_pauses(150, 0b10);
  const std::vector<Sender::Pauses> pauses = nic.pauses(180);
  ASSERT_EQ(pauses.size(), 2U);
  EXPECT_EQ(pauses[0].times, 1U);
  EXPECT_EQ(pauses[0].cycles, 50U);
  EXPECT_EQ(pauses[1].times, 1U);
  EXPECT_EQ(pauses[1].cycles, 70U);
}

TEST(Pfc, GroupsOfClassesThatChangedSendTheirFramesInTurn) {
  PauseSender sender;
  const auto frame = [](std::uint32_t group, std::uint32_t states) { return group << 8U | states; };
  for (const int queue : {0, 3, 9, 23}) {
    sender.set(queue, true);
  }
  EXPECT_EQ(sender.next_frame(), frame(1, 1U << 1U));
  sender.set(10, true);  // group 1 waits for the others now
  sender.set(3, false);  // was not told yet
  EXPECT_EQ(sender.next_frame(), frame(2, 1U << 7U));
  EXPECT_EQ(sender.next_frame(), frame(0, 1U << 0U));
  EXPECT_EQ(sender.next_frame(), frame(1, 3U << 1U));
  EXPECT_FALSE(sender.pending());
  sender.set(20, true);
  sender.set(20, false);
  EXPECT_FALSE(sender.pending());
}

/// Twelve hosts overload host 0 with class 0. Hosts 0 to 3 send packets of class 1 to all, so that
/// the frames that should stop the twelve wait at times as long as they can.
Scenario headroom_scenario(std::uint64_t seed, const LinkRate& rate, std::uint32_t cut) {
  Scenario s;
  s.link_rates.fill(rate);
  s.seed = seed;
  s.topology.ports = 16;
  s.flit_bytes = 64;
  s.link_delays.fill(1);
  s.arbiter.queues = 2;
  s.arbiter.max_packet_flits = 4;
  s.switches.output_latency = 1;
  s.switches.input_queue_flits = headroom_of(s) + 4;
  s.switches.output_queue_flits = 4;
  s.switches.headroom_cut = cut;
  s.traffic = {hot_spot_traffic(0, 1.0, MessageSizes::range(1, 4 * 64), 0, 16),
               uniform_traffic(1, 0.9, MessageSizes::range(1, 4 * 64), 16)};
  std::erase_if(s.traffic[0].hosts, [](int host) { return host < 4; });
  s.traffic[1].hosts = {0, 1, 2, 3};
  s.measure = 20000;
  return s;
}

constexpr LinkRate kRates[] = {{1, 1}, {1, 2}, {1, 3}, {2, 3}};

TEST(Pfc, HeadroomIsJustEnough) {
  for (const LinkRate& rate : kRates) {
    SCOPED_TRACE(testing::Message() << rate.flits << " in " << rate.cycles);
    std::uint32_t fullest = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Scenario s = headroom_scenario(seed, rate, 0);
      Network network(s, references());
      network.run(s.measure);  // throws if a queue overflows
      fullest = std::max(fullest, network.peaks().input_queue_flits);
    }
    EXPECT_EQ(fullest, headroom_scenario(1, rate, 0).switches.input_queue_flits);
  }
}

TEST(Pfc, HeadroomOneFlitTooSmallIsCaught) {
  for (const LinkRate& rate : kRates) {
    SCOPED_TRACE(testing::Message() << rate.flits << " in " << rate.cycles);
    int caught = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Scenario s = headroom_scenario(seed, rate, 1);
      Network network(s, references());
      try {
        network.run(s.measure);
      } catch (const CheckFailure& failure) {
        EXPECT_THAT(failure.what(), HasSubstr("switch0.port"));
        EXPECT_THAT(failure.what(), HasSubstr("the input queue holds"));
        ++caught;
      }
    }
    EXPECT_GT(caught, 0);
  }
}

}  // namespace
}  // namespace qosarb::test
