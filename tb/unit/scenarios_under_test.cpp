#include "scenarios_under_test.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace qosarb::test {

TopologyConfig topology_of(const TopologyKind& kind) {
  TopologyConfig config;
  config.kind = &kind;
  config.routing = &kind.routings().front();
  return config;
}

TopologyConfig grid(const TopologyKind& kind, std::vector<int> dims, int hosts_per_switch) {
  TopologyConfig config = topology_of(kind);
  config.dims = std::move(dims);
  config.hosts_per_switch = hosts_per_switch;
  return config;
}

ArbiterFactory references() {
  return [](const ArbiterConfig& config, const PortPlace&) { return make_reference(config); };
}

void build_with(Scenario& scenario, const SwitchKind& kind) {
  scenario.switches.architecture = &kind;
  if (kind.queue_per_input) {
    const std::vector<int> ports = scenario.topology.kind->build(scenario.topology).switch_ports;
    scenario.switches.vcs = scenario.arbiter.queues;
    scenario.arbiter.queues *= *std::max_element(ports.begin(), ports.end());
    add_nic_arbiters(scenario);
  }
}

TrafficEntry uniform_traffic(Index queue, double load, const MessageSizes& sizes, int hosts) {
  TrafficEntry entry;
  entry.name = "queue" + std::to_string(queue);
  entry.queue = queue;
  entry.load_ppm = std::llround(load * 1e6);
  entry.sizes = sizes;
  entry.hosts.resize(hosts);
  std::iota(entry.hosts.begin(), entry.hosts.end(), 0);
  return entry;
}

TrafficEntry hot_spot_traffic(Index queue, double load, const MessageSizes& sizes, int to,
                              int hosts) {
  TrafficEntry entry = uniform_traffic(queue, load, sizes, hosts);
  entry.pattern = Pattern::HotSpot;
  entry.hot_spot = to;
  std::erase(entry.hosts, to);
  return entry;
}

TrafficEntry one_message(Index queue, std::uint32_t bytes, int source, int destination,
                         Cycle when) {
  TrafficEntry entry = uniform_traffic(queue, 0, MessageSizes::fixed(bytes), 0);
  entry.pattern = Pattern::HotSpot;
  entry.hosts = {source};
  entry.hot_spot = destination;
  entry.arrival = Arrival::Burst;
  entry.burst_bytes = bytes;
  entry.burst_period = Cycle{1} << 40U;
  entry.burst_offset = when;
  return entry;
}

std::vector<double> shares_of(const Scenario& scenario) {
  Network network(scenario, references());
  network.run(scenario.warmup + scenario.measure);
  std::vector<double> shares;
  double all = 0;
  for (const ClassStatistics& statistics : network.classes()) {
    shares.push_back(static_cast<double>(statistics.accepted_flits));
    all += shares.back();
  }
  for (double& share : shares) {
    share /= all;
  }
  return shares;
}

}  // namespace qosarb::test
