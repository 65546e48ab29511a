#include "qosarb/network/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace qosarb {

namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string all = "\"";
  for (const char c : text) {
    all += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return all + "\"";
}

std::string cell(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

std::string cells(const LatencySummary& latency, std::uint64_t count) {
  return count == 0 ? ",,,,,0"
                    : fmt::format("{},{},{},{},{},{}", latency.mean, latency.p50, latency.p99,
                                  latency.p999, latency.max, count);
}

std::string classes_csv(const RunReport& report) {
  std::string text = "class,queue,asked,offered,accepted,share";
  for (const char* what : {"packet", "network", "message"}) {
    for (const char* figure : {"mean_ns", "p50_ns", "p99_ns", "p99_9_ns", "max_ns", "count"}) {
      text += fmt::format(",{}_{}", what, figure);
    }
  }
  text += "\n";
  for (const ClassReport& row : report.classes) {
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{}\n", quoted(row.name), row.queue, cell(row.asked), row.offered,
        row.accepted, row.share, cells(row.packet_latency, row.packets),
        cells(row.network_latency, row.packets), cells(row.message_latency, row.messages));
  }
  return text;
}

std::string hosts_csv(const Network& network) {
  const Scenario& scenario = network.scenario();
  const auto window = static_cast<double>(std::max<Cycle>(network.measured(), 1));
  std::string text = "host,class,accepted,packets,packet_mean_ns\n";
  for (std::size_t t = 0; t < scenario.traffic.size(); ++t) {
    for (const int host : scenario.traffic[t].hosts) {
      const SenderStatistics& one = network.sender_statistics(t, host);
      std::optional<double> mean;
      if (one.packets > 0) {
        mean = static_cast<double>(one.latency) / static_cast<double>(one.packets) *
               scenario.cycle_ns();
      }
      text +=
          fmt::format("{},{},{},{},{}\n", host, quoted(scenario.traffic[t].name),
                      static_cast<double>(one.accepted_flits) / window, one.packets, cell(mean));
    }
  }
  return text;
}

std::string series_csv(const Network& network, const Recording& recording) {
  const Scenario& scenario = network.scenario();
  std::string text = "end_ns,class,got,packet_mean_ns\n";
  for (const Recording::Slice& slice : recording.slices()) {
    for (std::size_t t = 0; t < scenario.traffic.size(); ++t) {
      std::optional<double> mean;
      if (slice.latency[t] >= 0) {
        mean = slice.latency[t] * scenario.cycle_ns();
      }
      text += fmt::format("{},{},{},{}\n", static_cast<double>(slice.end) * scenario.cycle_ns(),
                          quoted(scenario.traffic[t].name), slice.got[t], cell(mean));
    }
  }
  return text;
}

std::string links_csv(const Network& network, const Recording& recording) {
  std::string text = "from,to,utilization\n";
  for (const Recording::Link& link : recording.links()) {
    text += fmt::format("{},{},{}\n", link.name, network.place_of(link.to), link.utilization);
  }
  return text;
}

std::string counters_csv(Network& network) {
  std::string text = "port,counter,of,value\n";
  for (const Network::NamedPort& named : network.ports()) {
    for (const CounterValue& counter : network.counters(named)) {
      text += fmt::format("{},{},{},{}\n", named.name, counter.name, counter.of, counter.value);
    }
  }
  return text;
}

std::string counter_series_csv(const Network& network, const Recording& recording) {
  std::string text = "end_ns,counter,of,value\n";
  for (const Recording::Slice& slice : recording.slices()) {
    for (const CounterValue& counter : slice.counters) {
      text += fmt::format("{},{},{},{}\n",
                          static_cast<double>(slice.end) * network.scenario().cycle_ns(),
                          counter.name, counter.of, counter.value);
    }
  }
  return text;
}

std::string cdf_csv(const Network& network) {
  std::string text = "class,of,ns,share\n";
  const std::vector<ClassStatistics> classes = network.classes();
  for (std::size_t t = 0; t < classes.size(); ++t) {
    for (const auto& [of, counts] : {std::pair{"packets", &classes[t].packet_latency},
                                     {"messages", &classes[t].message_latency}}) {
      std::uint64_t seen = 0;
      counts->for_each([&, what = of, all = counts->count()](Cycle cycles, std::uint64_t times) {
        seen += times;
        text += fmt::format("{},{},{},{}\n", quoted(network.scenario().traffic[t].name), what,
                            static_cast<double>(cycles) * network.scenario().cycle_ns(),
                            static_cast<double>(seen) / static_cast<double>(all));
      });
    }
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> csv_of_run(Network& network,
                                                            const Recording& recording,
                                                            const RunReport& report) {
  return {{"classes.csv", classes_csv(report)},
          {"hosts.csv", hosts_csv(network)},
          {"series.csv", series_csv(network, recording)},
          {"links.csv", links_csv(network, recording)},
          {"cdf.csv", cdf_csv(network)},
          {"counters.csv", counters_csv(network)},
          {"counter-series.csv", counter_series_csv(network, recording)}};
}

}  // namespace qosarb
