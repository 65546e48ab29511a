#include "qosarb/network/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "qosarb/report/page.hpp"

namespace qosarb {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kWorst = 12;
constexpr std::uint64_t kPointsOfCdf = 200;

/// Points of a distribution function, no more than the eye can tell apart; and the last one.
Json cdf_of(const LatencyCounts& counts, const Scenario& scenario) {
  Json points = Json::array();
  const std::uint64_t all = counts.count();
  std::uint64_t seen = 0;
  std::uint64_t shown = 0;
  counts.for_each([&](Cycle cycles, std::uint64_t times) {
    seen += times;
    if (points.empty() || (seen - shown) * kPointsOfCdf >= all || seen == all) {
      shown = seen;
      points.push_back({scenario.ns(cycles), ratio(seen, all)});
    }
  });
  return points;
}

Json series_of(const Network& network, const std::vector<Recording::Slice>& slices,
               double cycle_ns) {
  Json ends = Json::array();
  for (const Recording::Slice& slice : slices) {
    ends.push_back(network.scenario().ns(slice.end));
  }
  Json classes = Json::array();
  for (std::size_t t = 0; t < network.scenario().traffic.size(); ++t) {
    Json got = Json::array();
    Json latency = Json::array();
    for (const Recording::Slice& slice : slices) {
      got.push_back(slice.got[t]);
      latency.push_back(slice.latency[t] < 0 ? Json(nullptr) : Json(slice.latency[t] * cycle_ns));
    }
    classes.push_back({{"name", network.scenario().traffic[t].name},
                       {"got", got},
                       {"packet_latency_ns", latency}});
  }
  return {{"ends_ns", ends}, {"classes", classes}};
}

/// Each link once, as two nodes and their ports, with both directions; utilizations in the order
/// direction a to b, b to a.
Json topology_of(const Network& network, const Recording& recording,
                 const std::vector<Recording::Slice>& slices) {
  const TopologyConfig& config = network.scenario().topology;
  const Topology topology = config.kind->build(config);
  std::map<std::pair<Index, Index>, std::size_t> of_sender;  // node and port
  const std::vector<Recording::Link> all = recording.links();
  for (std::size_t i = 0; i < all.size(); ++i) {
    of_sender[{all[i].from, all[i].port}] = i;
  }
  std::vector<std::size_t> order;
  Json links = Json::array();
  for (const Topology::Link& link : topology.links) {
    links.push_back({link.a.node, link.b.node, link.a.port, link.b.port});
    for (const Topology::End& end : {link.a, link.b}) {
      order.push_back(of_sender.at({end.node, end.port}));
    }
  }
  Json whole = Json::array();
  for (const std::size_t direction : order) {
    whole.push_back(std::round(all[direction].utilization * 1e4) / 1e4);
  }
  // One sign for each direction and slice: 0 to 63 of 63.
  constexpr std::string_view kSigns =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Json utilization = Json::array();
  for (const Recording::Slice& slice : slices) {
    std::string text;
    for (const std::size_t direction : order) {
      const float share = std::clamp(slice.utilization[direction], 0.0F, 1.0F);
      text += kSigns[std::lround(share * 63)];
    }
    utilization.push_back(text);
  }
  return {{"kind", std::string(config.kind->name())},
          {"dims", config.dims},
          {"groups", config.groups},
          {"hosts", topology.hosts},
          {"switches", topology.switch_ports.size()},
          {"links", links},
          {"whole", whole},
          {"utilization", utilization}};
}

Json worst_links(const Network& network, const Recording& recording) {
  std::vector<Recording::Link> links = recording.links();
  std::stable_sort(links.begin(), links.end(),
                   [](const Recording::Link& a, const Recording::Link& b) {
                     return a.utilization > b.utilization;
                   });
  links.resize(std::min(count(links), kWorst));
  Json list = Json::array();
  for (const Recording::Link& link : links) {
    list.push_back({{"name", link.name},
                    {"to", network.place_of(link.to)},
                    {"utilization", link.utilization}});
  }
  return list;
}

Json worst_flows(const Network& network, const Recording& recording) {
  Json list = Json::array();
  for (const Recording::Flow& flow : recording.slowest_flows(kWorst)) {
    list.push_back(
        {{"name", fmt::format("host{} to host{}", flow.source, flow.destination)},
         {"class", network.scenario().traffic[flow.entry].name},
         {"packets", flow.packets},
         {"mean_ns", network.scenario().ns(flow.latency) / static_cast<double>(flow.packets)},
         {"max_ns", network.scenario().ns(flow.longest)}});
  }
  return list;
}

}  // namespace

std::string page_of_run(const Network& network, const Recording& recording, const std::string& json,
                        const std::string& name, const std::string& scenario) {
  const double cycle_ns = network.scenario().cycle_ns();
  const std::vector<Recording::Slice> slices = recording.slices();
  Json run = Json::parse(json);
  run.erase("hosts");
  Json cdf = Json::array();
  const std::vector<ClassStatistics> classes = network.classes();
  for (std::size_t t = 0; t < classes.size(); ++t) {
    cdf.push_back({{"name", network.scenario().traffic[t].name},
                   {"packets", cdf_of(classes[t].packet_latency, network.scenario())},
                   {"messages", cdf_of(classes[t].message_latency, network.scenario())}});
  }
  return page_of({{"kind", "sim"},
                  {"name", name},
                  {"scenario", scenario},
                  {"run", run},
                  {"cdf", cdf},
                  {"series", series_of(network, slices, cycle_ns)},
                  {"topology", topology_of(network, recording, slices)},
                  {"worst_links", worst_links(network, recording)},
                  {"worst_flows", worst_flows(network, recording)}});
}

}  // namespace qosarb
