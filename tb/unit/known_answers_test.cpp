// What networks must give by theory: shares, saturation and waiting times.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "qosarb/config/ratio.hpp"
#include "qosarb/network/network.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "scenarios_under_test.hpp"

namespace qosarb::test {
namespace {

/// The arbiter of one shipped scenario of each policy.
std::map<std::string, ArbiterConfig> shipped_arbiters() {
  std::map<std::string, ArbiterConfig> arbiters;
  for (const char* folder : {"/scenarios", "/scenarios/policies"}) {
    for (const auto& file :
         std::filesystem::directory_iterator(std::string(QOSARB_SOURCE_DIR) + folder)) {
      if (file.path().extension() == ".yaml") {
        const ArbiterConfig arbiter = load_scenario(file.path().string()).arbiter;
        arbiters.emplace(arbiter.policy->name(), arbiter);
      }
    }
  }
  return arbiters;
}

// A line of switches whose hosts all send to its first one, in one class. Where two ways meet, the
// inputs of a queue take turns whatever the policy, which only chooses between queues: so the
// nearest host gets a half, the next one a half of what is left, and the last two the same.
TEST(KnownAnswers, AParkingLotHalvesTheSharesUnderEveryPolicy) {
  const std::map<std::string, ArbiterConfig> arbiters = shipped_arbiters();
  for (const PolicyRef policy : policies()) {
    ASSERT_TRUE(arbiters.contains(std::string(policy->name()))) << policy->name();
    for (const SwitchKind* architecture : {&kCioq, &kInputQueued}) {
      SCOPED_TRACE(fmt::format("{} {}", policy->name(), architecture->name));
      Scenario s;
      s.topology = grid(kMesh, {5});
      s.arbiter = arbiters.at(std::string(policy->name()));
      s.switches.architecture = architecture;
      s.switches.flow_control = &kCredit;
      s.switches.input_queue_flits = 256;
      s.switches.output_queue_flits = 256;
      s.traffic = {hot_spot_traffic(0, 1.0, MessageSizes::fixed(256), 0, 5)};
      s.warmup = 10'000;
      s.measure = 40'000;
      Network network(s, make_reference_factory());
      network.run(s.warmup + s.measure);
      const std::vector<HostStatistics> hosts = network.host_statistics();
      const double due[] = {0, 0.5, 0.25, 0.125, 0.125};
      for (std::size_t host = 0; host < hosts.size(); ++host) {
        EXPECT_NEAR(ratio(hosts[host].delivered_flits, 40'000), due[host], 0.01 * due[host])
            << "host " << host;
      }
    }
  }
}

// The same line of SeaStar routers, where the arbiter chooses among the inputs: the paper's Fig.
// 4(a) for five nodes. Round robin halves, in the periodic pattern exactly; so does seastar-age as
// long as AGE_RR_SELECT is 0.
TEST(KnownAnswers, AParkingLotOfSeaStarRoutersHalvesUnderRoundRobin) {
  for (const bool by_rr : {true, false}) {
    Scenario s;
    s.topology = grid(kMesh, {5});
    s.arbiter.queues = 4;
    s.arbiter.max_packet_flits = 9;
    build_with(s, kSeastar);
    if (!by_rr) {
      s.arbiter.policy = kSeastarAge;
      s.arbiter.parameters = SeastarConfig{
          .vcs = 4, .req_age_bias = {1, 1, 1}, .rsp_age_bias = {1, 1, 1}, .age_clock_period = 4096};
    }
    s.switches.flow_control = &kCredit;
    s.switches.speedup = {1, 1};
    s.switches.input_queue_flits = 96;
    s.switches.output_queue_flits = 16;
    s.traffic = {hot_spot_traffic(0, 1.0, MessageSizes::fixed(9 * 64), 0, 5)};
    s.warmup = 20'000;
    s.measure = 9 * 8 * 500;
    Network network(s, make_reference_factory());
    network.run(s.warmup + s.measure);
    const std::vector<HostStatistics> hosts = network.host_statistics();
    const std::uint64_t due[] = {0, 9 * 4 * 500, 9 * 2 * 500, 9 * 500, 9 * 500};
    for (std::size_t host = 0; host < hosts.size(); ++host) {
      EXPECT_EQ(hosts[host].delivered_flits, due[host]) << "host " << host;
    }
  }
}

double accepted(const TopologyConfig& topology, double load) {
  Scenario s;
  s.topology = topology;
  s.arbiter.queues = topology.routing->make(topology)->stages();
  s.arbiter.max_packet_flits = 1;
  s.link_delays.fill(1);
  s.switches.architecture = &kInputQueued;
  s.switches.flow_control = &kCredit;
  s.switches.input_queue_flits = 256;
  s.traffic = {uniform_traffic(0, load, MessageSizes::fixed(64), 64)};
  s.traffic[0].arrival = Arrival::Poisson;
  s.warmup = 2000;
  s.measure = 4000;
  Network network(s, references());
  network.run(s.warmup + s.measure);
  EXPECT_EQ(network.totals().lost(), 0);
  return ratio(network.classes()[0].accepted_flits, 4000) / 64;
}

// Uniform traffic at a load x per host on 8 x 8. In the mesh the 8 links across the middle carry
// what 32 hosts send to the other 32 of 63: 32 x (32 / 63) x = 8, x = 0.492. In the torus ties go
// up, so a packet takes (1 + 2 + 3 + 4) / 8 x 64 / 63 links upward in each dimension, of which a
// host has one: x = 0.7875. Three quarters of that all arrive; of more than the bound not all can.
TEST(KnownAnswers, UniformTrafficSaturatesWhereTheBusiestLinksAreFull) {
  for (const auto& [topology, bound] :
       {std::pair{grid(kMesh, {8, 8}), 63.0 / 128}, {grid(kTorus, {8, 8}), 0.8 * 63 / 64}}) {
    SCOPED_TRACE(topology.kind->name());
    EXPECT_NEAR(accepted(topology, 0.75 * bound), 0.75 * bound, 0.01 * bound);
    const double most = accepted(topology, 1.1 * bound);
    EXPECT_LT(most, 1.08 * bound);
    RecordProperty(std::string(topology.kind->name()) + "_of_bound",
                   fmt::format("{:.3f}", most / bound));
  }
}

// Messages of one flit, Poisson, at one NIC: a queue M/D/1 whose service begins with a cycle. The
// mean wait is x / (2 (1 - x)) cycles.
TEST(KnownAnswers, ANicWithPoissonArrivalsIsAQueueMD1) {
  for (const double load : {0.3, 0.5, 0.8}) {
    Scenario s;
    s.topology.ports = 2;
    s.arbiter.max_packet_flits = 1;
    s.traffic = {uniform_traffic(0, load, MessageSizes::fixed(64), 2)};
    s.traffic[0].arrival = Arrival::Poisson;
    s.traffic[0].hosts = {0};
    s.warmup = 1000;
    s.measure = 500'000;
    Network network(s, references());
    network.run(s.warmup + s.measure);
    const ClassStatistics statistics = network.classes()[0];
    const double wait = statistics.packet_latency.mean() - statistics.network_latency.mean();
    EXPECT_NEAR(wait, load / (2 * (1 - load)), 0.04 * load / (2 * (1 - load))) << load;
  }
}

}  // namespace
}  // namespace qosarb::test
