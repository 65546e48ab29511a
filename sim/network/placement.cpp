#include "qosarb/network/placement.hpp"

#include <array>
#include <numeric>
#include <utility>

#include "qosarb/traffic/random.hpp"

namespace qosarb {

namespace {

std::vector<int> numbers(std::size_t count) {
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Fisher and Yates.
void shuffle(std::vector<int>& list, std::uint64_t seed) {
  Random random(seed, list.size());
  for (std::size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[random.below(i)]);
  }
}

std::vector<int> linear(const Topology& topology, std::uint64_t /*seed*/) {
  return numbers(topology.hosts);
}

std::vector<int> at_random(const Topology& topology, std::uint64_t seed) {
  std::vector<int> hosts = linear(topology, seed);
  shuffle(hosts, seed);
  return hosts;
}

// A group is what hangs together without global links, where there are groups; else the hosts of a
// switch are one.
std::vector<int> by_group(const Topology& topology, std::uint64_t seed) {
  std::vector<int> root = numbers(topology.hosts + topology.switch_ports.size());
  const auto find = [&root](Index node) {
    while (root[node] != node) {
      node = root[node] = root[root[node]];
    }
    return node;
  };
  for (const Topology::Link& link : topology.links) {
    if (link.kind == LinkKind::Host || (topology.in_groups && link.kind == LinkKind::Local)) {
      root[find(link.a.node)] = find(link.b.node);
    }
  }
  std::vector<int> group_of(root.size(), -1);
  std::vector<std::vector<int>> groups;
  for (int host = 0; host < topology.hosts; ++host) {
    int& group = group_of[find(host)];
    if (group < 0) {
      group = count(groups);
      groups.emplace_back();
    }
    groups[group].push_back(host);
  }
  std::vector<int> order = numbers(groups.size());
  shuffle(order, seed);
  std::vector<int> hosts;
  for (const int group : order) {
    const std::vector<int>& members = groups[group];
    hosts.insert(hosts.end(), members.begin(), members.end());
  }
  return hosts;
}

}  // namespace

std::span<const PlacementKind> placements() {
  static constexpr std::array kAll = {PlacementKind{"linear", linear},
                                      PlacementKind{"random", at_random},
                                      PlacementKind{"by-group", by_group}};
  return kAll;
}

}  // namespace qosarb
