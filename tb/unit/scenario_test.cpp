// Scenario files: what they mean, and every fault by file and line.
#include "qosarb/network/scenario.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "qosarb/config/input_error.hpp"
#include "qosarb/traffic/trace.hpp"

namespace qosarb::test {
namespace {

using ::testing::HasSubstr;

const char* const kScenario =
    "arbiter:\n"                                                                            // 1
    "  policy: rr\n"                                                                        // 2
    "  queues: 2\n"                                                                         // 3
    "  max_packet_flits: 80\n"                                                              // 4
    "network:\n"                                                                            // 5
    "  topology: {kind: single-switch, ports: 8}\n"                                         // 6
    "  link: {gbps: 400, delay_ns: 25}\n"                                                   // 7
    "  flit_bytes: 64\n"                                                                    // 8
    "  switch:\n"                                                                           // 9
    "    input_queue_flits: 768\n"                                                          // 10
    "    output_queue_flits: 700\n"                                                         // 11
    "    crossbar_speedup: 1.25\n"                                                          // 12
    "    flow_control: pfc\n"                                                               // 13
    "traffic:\n"                                                                            // 14
    "  - {name: a, queue: 0, pattern: uniform, load: 0.2, message_bytes: 1024}\n"           // 15
    "  - {name: b, queue: 1, pattern: hot-spot, to: 3, hosts: [1, 5], arrival: poisson,\n"  // 16
    "     load: 0.0625, message_bytes: {range: [64, 5120]}}\n"                              // 17
    "  - {name: c, queue: 1, pattern: permutation, permutation: shift, shift: 2,\n"         // 18
    "     burst: {bytes: 8192, period_us: 10, offset_us: 2.5}, message_bytes: 4096,\n"      // 19
    "     hosts: {from: 2, to: 4}}\n"                                                       // 20
    "run: {warmup_us: 20, measure_us: 100, seed: 7}\n";                                     // 21

std::string write_scenario(const std::string& text) {
  std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::replace(name.begin(), name.end(), '/', '-');
  std::string path = testing::TempDir() + "scenario-" + name + ".yaml";
  std::ofstream(path) << text;
  return path;
}

TEST(Scenario, EveryKeyArrives) {
  const Scenario s = load_scenario(write_scenario(kScenario));
  EXPECT_EQ(s.topology.ports, 8);
  EXPECT_EQ(s.link_delays[0], 20U);  // 25 / 1.28 = 19.5 cycles
  EXPECT_DOUBLE_EQ(s.cycle_ns(), 1.28);
  EXPECT_EQ(s.switches.input_queue_flits, 768U);
  EXPECT_EQ(s.switches.output_queue_flits, 700U);
  EXPECT_EQ(s.switches.speedup.flits, 5U);
  EXPECT_EQ(s.switches.speedup.cycles, 4U);
  ASSERT_EQ(s.traffic.size(), 3U);
  EXPECT_EQ(s.traffic[0].load_ppm, 200'000U);
  EXPECT_EQ(s.traffic[0].hosts.size(), 8U);
  EXPECT_EQ(s.traffic[0].arrival, Arrival::Even);
  EXPECT_EQ(s.traffic[1].arrival, Arrival::Poisson);
  EXPECT_EQ(s.traffic[1].hot_spot, 3);
  EXPECT_EQ(s.traffic[1].hosts, (std::vector<int>{1, 5}));
  EXPECT_EQ(s.traffic[1].sizes.largest(), 5120U);
  EXPECT_EQ(s.traffic[2].arrival, Arrival::Burst);
  EXPECT_EQ(s.traffic[2].burst_period, 7812U);  // 10 us / 1.28 ns
  EXPECT_EQ(s.traffic[2].burst_offset, 1953U);
  EXPECT_EQ(s.traffic[2].shift, 2);
  EXPECT_EQ(s.traffic[2].hosts, (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(s.warmup, 15'625U);
  EXPECT_EQ(s.measure, 78'125U);
  EXPECT_EQ(s.seed, 7U);
}

// What the command's --seed takes, too.
TEST(Scenario, TheLargestSeedIsTheLargestSignedNumber) {
  std::string text = kScenario;
  text.replace(text.find("seed: 7"), 7, "seed: 9223372036854775807");
  EXPECT_EQ(load_scenario(write_scenario(text)).seed, 9'223'372'036'854'775'807U);
}

// 0.000249 times a million is a little less than 249.
TEST(Scenario, LoadsOfAMillionthAndOfFourLinksAreTaken) {
  for (const auto& [load, ppm] :
       {std::pair{"0.000001", 1U}, std::pair{"0.000249", 249U}, std::pair{"4", 4'000'000U}}) {
    std::string text = kScenario;
    text.replace(text.find("0.2,"), 3, load);
    EXPECT_EQ(load_scenario(write_scenario(text)).traffic[0].load_ppm, ppm);
  }
}

TEST(Scenario, KnowsTheFilesOfItsTraffic) {
  const std::string sizes = QOSARB_SOURCE_DIR "/scenarios/workloads/google-search-rpc.txt";
  TraceBuilder builder(1);
  builder.begin_rank(0);
  builder.end_rank();
  Trace trace = builder.finish();
  trace.file = "a.goal";
  Scenario s;
  s.traffic.resize(3);
  s.traffic[1].sizes = MessageSizes::from_file(sizes);
  s.traffic[2].trace = std::make_shared<Trace>(std::move(trace));
  EXPECT_EQ(s.files_of_traffic(), (std::vector<std::string>{sizes, "a.goal"}));
}

TEST(Scenario, ADelayOfWholeCyclesIsNotRoundedUp) {
  std::string text = kScenario;
  text.replace(text.find("delay_ns: 25"), 12, "delay_ns: 25.6");
  EXPECT_EQ(load_scenario(write_scenario(text)).link_delays[0], 20U);
}

TEST(Scenario, ALinkHasItsOwnDelay) {
  std::string text = kScenario;
  text.replace(text.find("flit_bytes: 64"), 14,
               "host_link: {delay_ns: 8}\n  links: [{at: nics, delay_ns: 128}, {at: switch0.port2, "
               "delay_ns: 2.56}]\n  flit_bytes: 64");
  const Scenario s = load_scenario(write_scenario(text));
  const Topology topology = s.topology.kind->build(s.topology);
  for (const Topology::Link& link : topology.links) {
    const std::uint32_t cycles = link.a.node == 2 ? 2 : 100;
    EXPECT_EQ(s.delay_of(link.a, link.kind), cycles);
    EXPECT_EQ(s.delay_of(link.b, link.kind), cycles);
  }
  EXPECT_EQ(s.longest_delay(), 100U);
}

TEST(Scenario, ALinkHasItsOwnRate) {
  std::string text = kScenario;
  text.replace(text.find("flit_bytes: 64"), 14,
               "host_link: {gbps: 100}\n  links: [{at: host1, delay_ns: 128, gbps: 400}, {at: "
               "switch0.port2, gbps: 160}, {at: host1, gbps: 398.4}]\n  flit_bytes: 64");
  const Scenario s = load_scenario(write_scenario(text));
  const std::vector<LinkRate> due = {{1, 4}, {249, 250}, {2, 5}, {1, 4}};
  for (Index host = 0; host < 4; ++host) {
    EXPECT_EQ(s.host_rate(host), due[host]) << host;
    EXPECT_EQ(s.rate_of({.node = 8, .port = host}, LinkKind::Host), due[host]) << host;
    EXPECT_EQ(s.delay_of({.node = host}, LinkKind::Host), host == 1 ? 100U : 20U);
  }
  EXPECT_EQ(s.slowest_rate(), (LinkRate{1, 4}));
  text.replace(text.find("gbps: 160"), 9, "gbps: 80");
  EXPECT_EQ(load_scenario(write_scenario(text)).slowest_rate(), (LinkRate{1, 5}));
}

// That of hosts is not the others'.
TEST(Scenario, ALinkWithoutARateHasThePortClocks) {
  std::string text = kScenario;
  text.replace(text.find("single-switch, ports: 8"), 23,
               "dragonfly, groups: 3, switches: 2, hosts_per_switch: 2, global_links: 1");
  text.replace(text.find("queue: 1"), 8, "queue: 0");
  text.replace(text.find("queue: 1"), 8, "queue: 0");
  text.replace(text.find("flit_bytes: 64"), 14,
               "host_link: {gbps: 200}\n  global_link: {delay_ns: 8}\n  flit_bytes: 64");
  const Scenario s = load_scenario(write_scenario(text));
  EXPECT_EQ(s.link_rates[static_cast<std::size_t>(LinkKind::Host)], (LinkRate{1, 2}));
  EXPECT_EQ(s.link_rates[static_cast<std::size_t>(LinkKind::Global)], (LinkRate{1, 1}));
}

// 32 flits at a millionth of a 250th of the port clock's rate.
TEST(Scenario, MessagesOfASlowHostMayComeTooFarApart) {
  std::string text = kScenario;
  const std::size_t load = text.find("load: 0.2, message_bytes: 1024");
  ASSERT_NE(load, std::string::npos);
  text.replace(load, 30, "load: 0.000001, message_bytes: 2048");
  EXPECT_NO_THROW(load_scenario(write_scenario(text)));
  text.replace(text.find("flit_bytes: 64"), 14, "flit_bytes: 64\n  host_link: {gbps: 1.6}");
  EXPECT_THROW(load_scenario(write_scenario(text)), InputError);
}

TEST(Scenario, WhatIsLeftOutHasItsDefault) {
  std::string text = kScenario;
  text.replace(text.find(", offset_us: 2.5"), 16, "");
  text.replace(text.find(" hosts: [1, 5],"), 15, "");
  text.replace(
      text.find("load: 0.2,"), 10,
      "destinations: senders, hosts: [2, 4], load: 0.2, on_off: {on_us: 5, off_us: 0.001},");
  const Scenario s = load_scenario(write_scenario(text));
  EXPECT_EQ(s.traffic[0].hosts, (std::vector<int>{2, 4}));
  EXPECT_TRUE(s.traffic[0].among_hosts);
  EXPECT_EQ(s.traffic[0].arrival, Arrival::OnOff);
  EXPECT_EQ(s.traffic[0].mean_on, 3906U);  // 5 us / 1.28 ns
  EXPECT_EQ(s.traffic[0].mean_off, 1U);    // no time is shorter than a cycle
  EXPECT_EQ(s.traffic[1].hosts, (std::vector<int>{0, 1, 2, 4, 5, 6, 7}));  // all but host 3 itself
  EXPECT_EQ(s.traffic[2].burst_offset, 0U);
}

TEST(Scenario, ARunIsOfAllCyclesThatItReachesInto) {
  std::string text = kScenario;
  text.replace(text.find("warmup_us: 20, measure_us: 100"), 30,
               "warmup_us: 0.001, measure_us: 0.002");
  const Scenario s = load_scenario(write_scenario(text));
  EXPECT_EQ(s.warmup, 1U);   // 1 ns / 1.28 ns
  EXPECT_EQ(s.measure, 2U);  // 2 ns / 1.28 ns
}

TEST(Scenario, OneHostInSoManyMaySend) {
  std::string text = kScenario;
  text.replace(text.find("{from: 2, to: 4}"), 16, "{from: 1, to: 7, every: 3}");
  EXPECT_EQ(load_scenario(write_scenario(text)).traffic[2].hosts, (std::vector<int>{1, 4, 7}));
}

TEST(Scenario, ALinkMayHaveAllVirtualChannelsThatThereAre) {
  std::string text = kScenario;
  text.replace(text.find("flow_control: pfc"), 17, "flow_control: credit");
  text.replace(text.find("flit_bytes: 64"), 14, "channels_per_queue: 32\n  flit_bytes: 64");
  EXPECT_EQ(load_scenario(write_scenario(text)).link_vcs(), 64);
  std::string levels = "virtual_channels: [";
  for (int level = 0; level < 64; ++level) {
    levels += fmt::format("[[{}]], ", level);
  }
  text.replace(text.find("flit_bytes: 64"), 0, levels + "]\n  ");
  EXPECT_EQ(load_scenario(write_scenario(text)).vcs.service_levels(), 64);
  text.replace(text.find("[[0]]"), 0, "[[0]], ");
  const std::string file = write_scenario(text);
  EXPECT_THAT(
      [&file] { load_scenario(file); },
      testing::ThrowsMessage<InputError>(HasSubstr(":9: there are at most 64 service levels")));
}

TEST(Scenario, PlacesHaveArbitersOfTheirOwn) {
  std::string text = kScenario;
  text.replace(text.find("    output_queue"), 0, "    architecture: seastar\n    vcs: 2\n");
  text.replace(text.find("queues: 2"), 9, "queues: 16");
  text.replace(
      text.find("traffic:"), 0,
      "arbiters:\n"
      "  - {at: nics, arbiter: {policy: rr, queues: 2, max_packet_flits: 80}}\n"
      "  - {at: host3, arbiter: {policy: bxi-basic, queues: 2, max_packet_flits: 80,\n"
      "     table: [{queue: 0, weight: 80}, {queue: 1, weight: 80}]}}\n"
      "  - {at: switch0.port2, arbiter: {policy: rr, queues: 16, max_packet_flits: 80}}\n");
  const Scenario s = load_scenario(write_scenario(text));
  std::vector<std::pair<std::string, int>> places;
  for (const ArbiterAt& one : s.arbiters) {
    places.emplace_back(one.at, one.arbiter.queues);
  }
  // In front are those that a NIC has where nothing else is said.
  EXPECT_THAT(places, testing::ElementsAre(std::pair("nics", 2), std::pair("nics", 2),
                                           std::pair("host3", 2), std::pair("switch0.port2", 16)));
}

TEST(Scenario, ArbitersOfTheirOwnHaveTheChannelsOfTheLinks) {
  std::string text = kScenario;
  text.replace(text.find("    output_queue"), 0, "    architecture: seastar\n    vcs: 2\n");
  text.replace(text.find("queues: 2"), 9, "queues: 16");
  text.replace(text.find("traffic:"), 0,
               "arbiters:\n"
               "  - at: switch0\n"
               "    arbiter: {policy: seastar-age, queues: 16, max_packet_flits: 80, vcs: 2,\n"
               "      age_clock_period: 8, age_rr_select: 0xffffffffffffffff}\n");
  EXPECT_NO_THROW(load_scenario(write_scenario(text)));
  text.replace(text.rfind("vcs: 2"), 6, "vcs: 4");
  const std::string file = write_scenario(text);
  EXPECT_THAT([&file] { load_scenario(file); },
              testing::ThrowsMessage<InputError>(
                  HasSubstr(file + ":18: the arbiter has 4 VCs of an input, the links have 2")));
}

// Ports of a switch share an age clock; those of two have one each.
TEST(Scenario, AnAgeClockHasOnePeriod) {
  const auto with = [](const std::string& places, const std::string& period) {
    std::string text = kScenario;
    const std::string ages =
        "arbiter: {policy: seastar-age, queues: 2, max_packet_flits: 80, "
        "vcs: 2, age_rr_select: 0, age_clock_period: ";
    text.replace(text.find("single-switch, ports: 8"), 23, "mesh, dims: [8]");
    text.replace(text.find("traffic:"), 0,
                 "arbiters:\n  - {at: switches, " + ages + "8}}\n" + "  - {at: " + places + ", " +
                     ages + period + "}}\n");
    return write_scenario(text);
  };
  EXPECT_NO_THROW(load_scenario(with("switch3", "9")));
  EXPECT_NO_THROW(load_scenario(with("nics", "9")));
  EXPECT_NO_THROW(load_scenario(with("switch3.port1", "8")));
  const std::string one_without =
      "switch3.port1, arbiter: {policy: rr, queues: 2, max_packet_flits: 80}}\n"
      "  - {at: switch3.port2";
  for (const std::string& places : {std::string("switch3.port1"), one_without}) {
    const std::string file = with(places, "9");
    EXPECT_THAT([&file] { load_scenario(file); },
                testing::ThrowsMessage<InputError>(
                    HasSubstr(file + ":15: the ports of switch3 share an age clock, but have 8 and "
                                     "9 as its age_clock_period")));
  }
}

TEST(Scenario, HostsMayTakeFlitsMoreSlowlyWhereverCreditsAreGiven) {
  const FlowControlKind other = {"other", true, kCredit.too_small, kCredit.make};
  Scenario s;
  s.switches.ejection = {1, 2};
  const Topology topology = s.topology.kind->build(s.topology);
  for (const FlowControlKind* flow_control : {&kCredit, &other}) {
    s.switches.flow_control = flow_control;
    EXPECT_FALSE(fault_of_switch(s, topology).has_value()) << flow_control->name;
  }
  s.switches.flow_control = &kPfc;
  EXPECT_TRUE(fault_of_switch(s, topology).has_value());
  std::string text = kScenario;
  text.replace(text.find("queues: 2"), 9, "queues: 8");
  text.replace(text.find("pfc"), 3, "credit\n    architecture: seastar\n    ejection_rate: 0.5");
  text.replace(text.find("queue: 1"), 8, "queue: 0");
  text.replace(text.find("queue: 1"), 8, "queue: 0");
  EXPECT_EQ(load_scenario(write_scenario(text)).switches.ejection.cycles, 1000U);
}

// A run is not longer than time is exact, with its warmup.
TEST(Scenario, TheWarmupIsPartOfTheRun) {
  std::string text = kScenario;
  text.replace(text.find("flit_bytes: 64"), 14, "flit_bytes: 16");
  text.replace(text.find("warmup_us: 20, measure_us: 100"), 30,
               "warmup_us: 700000, measure_us: 700000");
  const std::string file = write_scenario(text);
  EXPECT_THAT([&file] { load_scenario(file); },
              testing::ThrowsMessage<InputError>(
                  HasSubstr(":21: the run has 4375000000 cycles, more than 4294967296")));
}

// 201 flits on a host's link; a switch at the other end sends 2 cycles later what it let go.
TEST(Scenario, TheHeadroomOfALinkIsForBothEndsPipelines) {
  std::string text = kScenario;
  text.replace(text.find("single-switch, ports: 8"), 23, "mesh, dims: [2], hosts_per_switch: 4");
  text.replace(text.find("input_queue_flits: 768"), 22, "input_queue_flits: 283");
  EXPECT_NO_THROW(load_scenario(write_scenario(text)));
  text.replace(text.find("flits: 283"), 10, "flits: 282");
  const std::string file = write_scenario(text);
  EXPECT_THAT([&file] { load_scenario(file); },
              testing::ThrowsMessage<InputError>(HasSubstr(
                  file + ":10: an input queue of 282 flits cannot hold the PFC headroom of 203 ")));
}

struct Fault {
  const char* name;
  const char* replaced;
  const char* by;
  const char* says;  ///< line and fault, behind the file; or any part of the message
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.by; }

class BadScenario : public testing::TestWithParam<Fault> {};

TEST_P(BadScenario, IsRefusedByFileAndLine) {
  std::string text = kScenario;
  const std::size_t at = text.find(GetParam().replaced);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string(GetParam().replaced).size(), GetParam().by);
  const std::string file = write_scenario(text);
  try {
    load_scenario(file);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    const std::string says = GetParam().says;
    EXPECT_THAT(error.what(), HasSubstr(says[0] == ':' ? file + says : says));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Scenario, BadScenario,
    testing::Values(
        Fault{"UnknownKey", "flit_bytes: 64", "flit_bytes: 64\n  jumbo: 1", ":9: network has an"},
        Fault{"UnknownTrafficKey", "load: 0.2,", "load: 0.2, to: 3,",
              ":15: traffic[0] has an unknown"},
        Fault{"MissingTraffic", "traffic:", "trafic:", "the file lacks the key 'traffic'"},
        Fault{"NoTraffic", "run:", "run: [", "not valid YAML"},
        Fault{"Topology", "single-switch", "torus", ":6: "},
        Fault{"TooManyPorts", "ports: 8", "ports: 65", ":6: "},
        Fault{"TooManyPortsOfADragonfly", "single-switch, ports: 8",
              "dragonfly, groups: 2, switches: 32, hosts_per_switch: 32, global_links: 2",
              ":6: a switch has at most 64 ports; 65 are asked for"},
        Fault{"OnePort", "ports: 8", "ports: 1", ":6: "},
        Fault{"NoRate", "gbps: 400", "gbps: 0", ":7: "},
        Fault{"RateOfFourDecimals", "gbps: 400", "gbps: 400.1234",
              ":7: gbps is 400.1234; at most three decimals are kept"},
        Fault{"WindowOfFourDecimals", "measure_us: 100", "measure_us: 1000.0004",
              ":21: measure_us is 1000.0004; at most three decimals are kept"},
        Fault{"NegativeDelay", "delay_ns: 25", "delay_ns: -1", ":7: "},
        Fault{"Planet", "delay_ns: 25", "delay_ns: 999999", ":7: a link holds 781250 flits"},
        Fault{"AbsurdQueue", "input_queue_flits: 768", "input_queue_flits: 1000000000", ":10: "},
        Fault{"NoHeadroom", "input_queue_flits: 768", "input_queue_flits: 280",
              ":10: an input queue of 280 flits cannot hold the PFC headroom of 201 flits and a "
              "packet of 80"},
        Fault{"ShortOutput", "output_queue_flits: 700", "output_queue_flits: 79", ":11: "},
        Fault{"SlowCrossbar", "speedup: 1.25", "speedup: 0.5", ":12: "},
        Fault{"OddSpeedup", "speedup: 1.25", "speedup: 1.23456", ":12: "},
        Fault{"FlowControl", "flow_control: pfc", "flow_control: on-off", ":13: "},
        Fault{
            "CreditForLessThanAPacket",
            "768\n    output_queue_flits: 700\n    crossbar_speedup: 1.25\n    flow_control: pfc",
            "79\n    output_queue_flits: 700\n    crossbar_speedup: 1.25\n    flow_control: credit",
            ":10: an input queue of 79 flits cannot hold a packet of 80"},
        Fault{"HeadroomOfTheLongestLink", "flit_bytes: 64",
              "host_link: {delay_ns: 800}\n  flit_bytes: 64",
              ":11: an input queue of 768 flits cannot hold the PFC headroom of 1411 flits and a "
              "packet of 80"},
        Fault{"HeadroomOfALinkOfItsOwn", "flit_bytes: 64",
              "links: [{at: host3, delay_ns: 800}]\n  flit_bytes: 64",
              ":11: an input queue of 768 flits cannot hold the PFC headroom of 1411 flits and a "
              "packet of 80"},
        Fault{"NoLinkThere", "flit_bytes: 64",
              "links: [{at: host3, delay_ns: 8}, {at: switch0.port9, delay_ns: 8}]\n"
              "  flit_bytes: 64",
              ":8: there is no link at 'switch0.port9': nics, switches, hostN"},
        Fault{"NoRateOfALink", "flit_bytes: 64", "host_link: {gbps: 0}\n  flit_bytes: 64",
              ":8: network.host_link.gbps"},
        Fault{"NegativeRate", "flit_bytes: 64",
              "links: [{at: host3, gbps: -100}]\n  flit_bytes: 64", ":8: network.links[0].gbps"},
        Fault{"RateAboveTheClocks", "flit_bytes: 64", "host_link: {gbps: 800}\n  flit_bytes: 64",
              ":8: 800 Gb/s are more than the 400 of `link:`, by which the ports are clocked"},
        Fault{"RateTooFine", "flit_bytes: 64", "host_link: {gbps: 399.9}\n  flit_bytes: 64",
              ":8: 399.9 of 400 Gb/s are 3999/4000; parts of at most 256 are kept"},
        Fault{"RateOf320ths", "flit_bytes: 64", "host_link: {gbps: 398.75}\n  flit_bytes: 64",
              ":8: 398.75 of 400 Gb/s are 319/320; parts of at most 256 are kept"},
        Fault{"LinkOfNothing", "flit_bytes: 64", "links: [{at: host3}]\n  flit_bytes: 64",
              "network.links[0] lacks the key 'delay_ns'"},
        Fault{"HeadroomOfASlowLink", "flit_bytes: 64",
              "host_link: {delay_ns: 800, gbps: 300}\n  flit_bytes: 64",
              ":11: an input queue of 768 flits cannot hold the PFC headroom of 1100 flits and a "
              "packet of 80"},
        Fault{"GlobalLinkWithoutGroups", "flit_bytes: 64",
              "global_link: {delay_ns: 8}\n  flit_bytes: 64",
              ":8: global links join the groups of a dragonfly; a single-switch has none"},
        Fault{"NoSuchTopology", "single-switch", "hypercube", ":6: "},
        Fault{"RoutingOfAnother", "ports: 8}", "ports: 8}\n  routing: dimension-order",
              ":7: routing 'dimension-order' does not cover a single-switch, which takes direct"},
        Fault{"FewChannels", "{kind: single-switch, ports: 8}",
              "{kind: dragonfly, groups: 3, switches: 2, hosts_per_switch: 2, global_links: 1}\n"
              "  routing: adaptive",
              ":6: adaptive on a dragonfly needs 4 virtual channels for a service level; there are "
              "2"},
        Fault{"ManyChannels", "flit_bytes: 64", "channels_per_queue: 33\n  flit_bytes: 64",
              ":8: a switch has at most 64 virtual channels a port; 66 are asked for"},
        Fault{"AmongOneHost", "pattern: uniform",
              "pattern: uniform, destinations: senders, hosts: [3]",
              ":15: a single sender has no other one to send to"},
        Fault{"NoMessages", "load: 0.2,", "load: 0.2, messages: 0,", ":15: "},
        Fault{"ChannelsOfARing",
              "queues: 2\n  max_packet_flits: 80\nnetwork:\n  topology: "
              "{kind: single-switch, ports: 8}",
              "queues: 1\n  max_packet_flits: 80\nnetwork:\n  topology: {kind: torus, dims: [4]}",
              ":6: dimension-order on a torus needs 2 virtual channels for a service level; there "
              "are 1"},
        Fault{"ServiceLevelsOfATorus", "{kind: single-switch, ports: 8}",
              "{kind: torus, dims: [4, 4]}", ":16: traffic[1].queue is 1"},
        Fault{"SharedChannel", "{kind: single-switch, ports: 8}",
              "{kind: torus, dims: [4, 4]}\n  virtual_channels: [[[0], [0]]]",
              ":7: the stages of a service level may not share a queue"},
        Fault{"Product", "{kind: single-switch, ports: 8}",
              "{kind: mesh, dims: [65535, 65535, 65535]}", ":6: the product of dims is more than"},
        Fault{"FourDims", "{kind: single-switch, ports: 8}", "{kind: mesh, dims: [2, 2, 2, 2]}",
              ":6: "},
        Fault{"NoDims", "{kind: single-switch, ports: 8}", "{kind: mesh}", ":6: "},
        Fault{"OneHost", "{kind: single-switch, ports: 8}", "{kind: mesh, dims: [1]}",
              ":6: a network has at least two hosts"},
        Fault{"WideTrunk", "{kind: single-switch, ports: 8}",
              "{kind: torus, dims: [4, 4], trunk: 16}",
              ":6: a switch has at most 64 ports; 65 are asked for"},
        Fault{"MeshDimNowhere", "{kind: single-switch, ports: 8}",
              "{kind: torus, dims: [4, 4], mesh_dims: [2]}", ":6: "},
        Fault{"LevelsOfATree", "{kind: single-switch, ports: 8}",
              "{kind: pgft, down: [4, 4], up: [1], parallel: [1, 1]}", ":6: "},
        Fault{"TreeProduct", "{kind: single-switch, ports: 8}", "{kind: kary-ntree, k: 32, n: 40}",
              ":6: "},
        Fault{"ManyGroups", "{kind: single-switch, ports: 8}",
              "{kind: dragonfly, groups: 4, switches: 2, hosts_per_switch: 2, global_links: 1}",
              ":6: "},
        Fault{"ArbiterNowhere", "traffic:",
              "arbiters:\n  - {at: switch9, arbiter: {policy: rr, queues: 2, max_packet_flits: "
              "80}}\ntraffic:",
              ":15: there is no 'switch9'"},
        Fault{"ArbiterOfAnotherSize", "traffic:",
              "arbiters:\n  - {at: nics, arbiter: {policy: rr, queues: 3, max_packet_flits: "
              "80}}\ntraffic:",
              ":15: all arbiters of a network have the same queues and max_packet_flits"},
        Fault{"InputsWithoutQueues", "    flow_control",
              "    architecture: seastar\n    flow_control",
              ":10: 8 inputs with 1 virtual channels each need an arbiter with 8 queues"},
        Fault{"InputsShareNoQueue",
              "queues: 2\n  max_packet_flits: 80\nnetwork:\n  topology: {kind: "
              "single-switch, ports: 8}\n  link: {gbps: 400, delay_ns: 25}\n  flit_bytes: 64\n  "
              "switch:\n",
              "queues: 25\n  max_packet_flits: 80\nnetwork:\n  topology: {kind: single-switch, "
              "ports: 8}\n  link: {gbps: 400, delay_ns: 25}\n  flit_bytes: 64\n  switch:\n    "
              "architecture: seastar\n    vcs: 3\n",
              "or a multiple of 3 above that, up to 64; it has 25"},
        Fault{"CentreOfACrossbar", "    flow_control",
              "    central_queue_flits: 100\n    flow_control",
              ":13: network.switch has an unknown key 'central_queue_flits'"},
        Fault{"NoCentre", "    flow_control", "    architecture: hierarchical\n    flow_control",
              "network.switch lacks the key 'central_queue_flits'"},
        Fault{"ShortCentre", "    flow_control",
              "    architecture: hierarchical\n    central_queue_flits: 79\n"
              "    central_speedup: 4\n    flow_control",
              ":14: a central buffer of 79 flits cannot hold a packet of 80"},
        Fault{"SlowCentre", "    flow_control",
              "    architecture: hierarchical\n    central_queue_flits: 80\n"
              "    central_speedup: 0.9\n    flow_control",
              ":15: "},
        Fault{"EjectionOfACrossbar", "    flow_control", "    ejection_rate: 0.5\n    flow_control",
              ":13: network.switch has an unknown key 'ejection_rate'"},
        Fault{"FastEjection", "    flow_control",
              "    architecture: seastar\n    ejection_rate: 1.5\n    flow_control", ":14: "},
        Fault{"EjectionWithPauses", "    flow_control",
              "    architecture: seastar\n    ejection_rate: 0.5\n    flow_control",
              ":14: only with credits"},
        Fault{"MPortOfNoPorts", "    flow_control",
              "    architecture: hierarchical\n    central_queue_flits: 80\n"
              "    central_speedup: 4\n    mport_ports: 0\n    flow_control",
              ":16: "},
        Fault{"Queue", "queue: 0", "queue: 2", ":15: traffic[0].queue is 2"},
        Fault{"NoLoad", "load: 0.2", "load: 0",
              ":15: traffic[0].load is 0, which is not within 1e-06..4"},
        Fault{"AbsurdLoad", "load: 0.2", "load: 40", ":15: "},
        Fault{"TextLoad", "load: 0.2", "load: much", ":15: traffic[0].load must be a number"},
        Fault{"EmptyMessage", "message_bytes: 1024", "message_bytes: 0", ":15: "},
        Fault{"NameOfTwoLines", "name: c", "name: \"c\\nd\"",
              ":18: a name stands in one line of a table, without control characters"},
        Fault{"NameWithADelete", "name: c", "name: \"c\\x7fd\"",
              ":18: a name stands in one line of a table, without control characters"},
        Fault{"NameTwice", "name: c", "name: b", ":18: the name 'b' is given twice"},
        Fault{"ToItself", "hosts: [1, 5]", "hosts: [1, 3]", ":16: host 3 cannot send to itself"},
        Fault{"HostTwice", "hosts: [1, 5]", "hosts: [1, 1]", ":16: host 1 is given twice"},
        Fault{"NoSuchHost", "hosts: [1, 5]", "hosts: [1, 8]", ":16: "},
        Fault{"NoHost", "hosts: [1, 5]", "hosts: []", ":16: "},
        Fault{"RangeBackwards", "range: [64, 5120]", "range: [64, 63]", ":17: "},
        Fault{"NoFile", "range: [64, 5120]", "file: no.txt", "no.txt: cannot be opened"},
        Fault{"Formula", "permutation: shift, shift: 2", "permutation: transpose",
              ":18: permutation transpose needs a number of hosts that is a power of 4; 8"},
        Fault{"NoPeriod", "period_us: 10", "period_us: 0.001", ":19: the period is shorter"},
        Fault{"LoadAndBurst", "burst: {", "load: 0.1, burst: {", ":19: traffic[2] has an unknown"},
        Fault{"NoRun", "run: {warmup_us: 20, measure_us: 100, seed: 7}\n", "",
              "the file lacks the key 'run'"},
        Fault{"NoWindow", "measure_us: 100", "measure_us: 0", ":21: "},
        Fault{"AbsurdRun", "measure_us: 100", "measure_us: 100000000", ":21: "},
        Fault{"NoLevels", "ports: 8}", "ports: 8}\n  virtual_channels: []",
              ":7: virtual_channels must be a list of service levels"},
        Fault{"OneLevel", "ports: 8}", "ports: 8}\n  virtual_channels: 0",
              ":7: virtual_channels must be a list of service levels"},
        Fault{"LevelIsNoList", "ports: 8}", "ports: 8}\n  virtual_channels: [0]",
              ":7: direct on a single-switch needs 1 virtual channels for a service level: a list "
              "of 1 lists is expected"},
        Fault{"ManyStages", "ports: 8}", "ports: 8}\n  virtual_channels: [[[0], [1]]]",
              "needs 1 virtual channels for a service level: a list of 1 lists is expected"},
        Fault{"StageIsNoList", "ports: 8}", "ports: 8}\n  virtual_channels: [[0]]",
              ":7: a stage must be a list of queues"},
        Fault{"NoQueues", "ports: 8}", "ports: 8}\n  virtual_channels: [[[]]]",
              ":7: a stage must be a list of queues"},
        Fault{"NoSpeedup", "    crossbar_speedup: 1.25\n", "",
              "network.switch lacks the key 'crossbar_speedup'"},
        Fault{"ArbiterOfAnotherLength", "traffic:",
              "arbiters:\n  - {at: host1, arbiter: {policy: rr, queues: 2, max_packet_flits: "
              "81}}\ntraffic:",
              ":15: all arbiters of a network have the same queues and max_packet_flits, at host1 "
              "here 2 and 80"},
        Fault{"HostIsNoList", "hosts: [1, 5]", "hosts: 1", ":16: hosts must be a list of hosts"},
        Fault{"RangeIsNoList", "range: [64, 5120]", "range: 64", ":17: range must be [low, high]"},
        Fault{"RangeOfOne", "range: [64, 5120]", "range: [64]", ":17: range must be [low, high]"},
        Fault{"LessThanAMillionth", "load: 0.2,", "load: 0.0000009,", "is not within 1e-06..4"},
        Fault{"FourLinksAndMore", "load: 0.2,", "load: 4.000001,",
              ":15: traffic[0].load is 4.000001, which is not within 1e-06..4"},
        Fault{"SeedOf64Bits", "seed: 7", "seed: 9223372036854775808", ":21: "},
        Fault{"Rare", "load: 0.2, message_bytes: 1024", "load: 0.000001, message_bytes: 1000000000",
              ":15: messages come further apart than any run is long"},
        Fault{"RareAsItIsMostlyOff", "load: 0.2, message_bytes: 1024",
              "load: 0.005, on_off: {on_us: 0.002, off_us: 20}, message_bytes: 1000000000",
              ":15: messages come further apart than any run is long"},
        Fault{"ApplicationOfOne", "pattern: uniform, load: 0.2, message_bytes: 1024",
              "application: allreduce, hosts: [3], message_bytes: 8",
              ":15: an application has two ranks or more"},
        Fault{"ManyVcsOfAnInput",
              "queues: 2\n  max_packet_flits: 80\nnetwork:\n  topology: {kind: "
              "single-switch, ports: 8}\n  link: {gbps: 400, delay_ns: 25}\n  flit_bytes: 64\n  "
              "switch:\n",
              "queues: 24\n  max_packet_flits: 80\nnetwork:\n  topology: {kind: single-switch, "
              "ports: 8}\n  link: {gbps: 400, delay_ns: 25}\n  flit_bytes: 64\n  switch:\n    "
              "architecture: seastar\n    vcs: 5\n",
              "8 inputs with 5 virtual channels each need an arbiter with 40 queues"},
        Fault{"LargeTrees", "{kind: single-switch, ports: 8}", "{kind: kary-ntree, k: 64, n: 3}",
              ":6: the tree has more than 131072 switches or 131072 hosts"},
        Fault{"TreeOfManyRoots", "{kind: single-switch, ports: 8}",
              "{kind: pgft, down: [2, 2, 2], up: [1, 131072, 131072], parallel: [1, 1, 1]}",
              ":6: the tree has more than 131072 switches or 131072 hosts"},
        Fault{"TreeOfManyHosts", "{kind: single-switch, ports: 8}",
              "{kind: pgft, down: [131072, 2], up: [1, 1], parallel: [1, 1]}",
              ":6: the tree has more than 131072 switches or 131072 hosts"},
        Fault{"TreeOfOneHost", "{kind: single-switch, ports: 8}",
              "{kind: pgft, down: [1], up: [1], parallel: [1]}",
              ":6: a network has at least two hosts"},
        Fault{"WideTree", "{kind: single-switch, ports: 8}", "{kind: kary-ntree, k: 33, n: 2}",
              ":6: a switch of level 1 would have 66 ports, more than 64"},
        Fault{"ParallelLevels", "{kind: single-switch, ports: 8}",
              "{kind: pgft, down: [4, 4], up: [1, 2], parallel: [1]}",
              ":6: parallel has 1 levels and down 2"},
        Fault{"HostOfTwoSwitches", "{kind: single-switch, ports: 8}",
              "{kind: pgft, down: [4, 4], up: [2, 2], parallel: [1, 1]}",
              ":6: a host has one link"},
        Fault{"HostOfTwoLinks", "{kind: single-switch, ports: 8}",
              "{kind: pgft, down: [4, 4], up: [1, 2],\n    parallel: [2, 1]}",
              ":7: a host has one link"},
        Fault{"WideParallel", "{kind: single-switch, ports: 8}",
              "{kind: pgft, down: [4, 4], up: [1, 2], parallel: [1, 65]}",
              ":6: 65 parallel links are more than 64"},
        Fault{"WideDragonfly", "{kind: single-switch, ports: 8}",
              "{kind: dragonfly, groups: 3, switches: 8, hosts_per_switch: 60, global_links: 1}",
              ":6: a switch has at most 64 ports; 68 are asked for"},
        Fault{
            "LargeDragonfly", "{kind: single-switch, ports: 8}",
            "{kind: dragonfly, groups: 545, switches: 32, hosts_per_switch: 16, global_links: 17}",
            ":6: 279040 hosts are not within 2..131072"},
        Fault{"DragonflyOfOneHost", "{kind: single-switch, ports: 8}",
              "{kind: dragonfly, groups: 1, switches: 1, hosts_per_switch: 1, global_links: 1}",
              ":6: 1 hosts are not within 2..131072"},
        Fault{"LargeMesh", "{kind: single-switch, ports: 8}",
              "{kind: mesh, dims: [65535], hosts_per_switch: 64}",
              ":6: the product of dims is more than 131072 switches or 131072 hosts"},
        Fault{"TooManyQueues", "queues: 2", "queues: 65", ":2: a switch has at most 64 queues"}),
    [](const auto& fault) { return fault.param.name; });

TEST(Scenario, AllThatShipLoad) {
  int files = 0;
  for (const char* folder : {"/scenarios", "/scenarios/policies", "/scenarios/networks"}) {
    for (const auto& file :
         std::filesystem::directory_iterator(std::string(QOSARB_SOURCE_DIR) + folder)) {
      if (file.path().extension() == ".yaml") {
        EXPECT_NO_THROW(load_scenario(file.path().string())) << file.path();
        ++files;
      }
    }
  }
  EXPECT_GE(files, 42);
}

}  // namespace
}  // namespace qosarb::test
