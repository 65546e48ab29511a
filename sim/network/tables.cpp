#include "qosarb/network/tables.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace qosarb {

namespace {

using Cell = nlohmann::json;

constexpr std::array<std::string_view, 6> kFigures = {"mean_ns",  "p50_ns", "p99_ns",
                                                      "p99_9_ns", "max_ns", "count"};

Cell cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(nullptr); }

/// Of cells of any kinds.
template <typename... Cells>
Cell row(const Cells&... cells) {
  return Cell::array({Cell(cells)...});
}

void append(Cell& row, const LatencySummary& latency, std::uint64_t count) {
  for (const double figure : {latency.mean, latency.p50, latency.p99, latency.p999, latency.max}) {
    row.push_back(count == 0 ? Cell(nullptr) : Cell(figure));
  }
  row.push_back(count);
}

Table classes_table(const RunReport& report) {
  Table table{.columns = {"class", "queue", "asked", "offered", "accepted", "share"}};
  for (const std::string_view what : {"packet", "network", "message"}) {
    for (const std::string_view figure : kFigures) {
      table.columns.push_back(fmt::format("{}_{}", what, figure));
    }
  }
  for (const ClassReport& one : report.classes) {
    Cell cells = row(one.name, one.queue, cell(one.asked));
    for (const double share : {one.offered, one.accepted, one.share}) {
      cells.push_back(report.measured ? Cell(share) : Cell(nullptr));
    }
    append(cells, one.packet_latency, one.packets);
    append(cells, one.network_latency, one.packets);
    append(cells, one.message_latency, one.messages);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table hosts_table(const Network& network) {
  Table table{
      .columns = {"host", "class", "accepted", "packets", "packet_mean_ns", "packet_max_ns"}};
  const std::vector<TrafficEntry>& traffic = network.scenario().traffic;
  for (std::size_t t = 0; t < traffic.size(); ++t) {
    for (const SenderReport& one : senders_of(network, t)) {
      table.rows.push_back(row(one.host, traffic[t].name, cell(one.accepted), one.packets,
                               cell(one.mean_ns), cell(one.longest_ns)));
    }
  }
  return table;
}

Table ranks_table(const Network& network, const RunReport& report) {
  Table table{.columns = {"trace", "rank", "host", "finish_ns"}};
  auto trace = report.traces.begin();
  for (std::size_t t = 0; t < network.scenario().traffic.size(); ++t) {
    const TraceRun* const run = network.trace_run(t);
    if (run == nullptr) {
      continue;
    }
    for (int rank = 0; rank < run->trace().ranks(); ++rank) {
      table.rows.push_back(
          row(trace->name, rank, run->host(rank), cell(trace->rank_finish_ns[rank])));
    }
    ++trace;
  }
  return table;
}

Table series_table(const Network& network, const Recording& recording) {
  const Scenario& scenario = network.scenario();
  Table table{.columns = {"end_ns", "class", "got", "packet_mean_ns"}};
  for (const Recording::Slice& slice : recording.slices()) {
    for (std::size_t t = 0; t < scenario.traffic.size(); ++t) {
      std::optional<double> mean;
      if (slice.latency[t] >= 0) {
        mean = slice.latency[t] * scenario.cycle_ns();
      }
      table.rows.push_back(
          row(scenario.ns(slice.end), scenario.traffic[t].name, slice.got[t], cell(mean)));
    }
  }
  return table;
}

Table links_table(Network& network, const Recording& recording) {
  Table table{.columns = {"from", "to", "utilization", "pause_frames"}};
  const std::vector<Network::NamedPort> ports = network.ports_with_links();
  const std::vector<Recording::Link> links = recording.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    table.rows.push_back(row(links[i].name, network.place_of(links[i].to), links[i].utilization,
                             ports[i].port->pause_frames()));
  }
  return table;
}

Table link_flits_table(Network& network) {
  Table table{.columns = {"from", "service_level", "flits"}};
  for (const Network::NamedPort& named : network.ports_with_links()) {
    const std::span<const std::uint64_t> sent = named.port->sent_of_levels();
    for (std::size_t level = 0; level < sent.size(); ++level) {
      table.rows.push_back(row(named.name, level, sent[level]));
    }
  }
  return table;
}

Table pauses_table(Network& network) {
  Table table{.columns = {"port", "queue", "pauses", "paused_ns"}};
  for (const Network::NamedPort& named : network.ports_with_links()) {
    for (const Sender::Pauses& one : named.port->pauses(network.now())) {
      table.rows.push_back(
          row(named.name, one.queue, one.times, network.scenario().ns(one.cycles)));
    }
  }
  return table;
}

Table counters_table(Network& network) {
  Table table{.columns = {"port", "counter", "of", "value"}};
  for (const Network::NamedPort& named : network.ports_with_links()) {
    for (const CounterValue& counter : network.counters(named)) {
      table.rows.push_back(row(named.name, counter.name, counter.of, counter.value));
    }
  }
  return table;
}

Table counter_series_table(const Network& network, const Recording& recording) {
  Table table{.columns = {"end_ns", "counter", "of", "value"}};
  for (const Recording::Slice& slice : recording.slices()) {
    for (const CounterValue& counter : slice.counters) {
      table.rows.push_back(
          row(network.scenario().ns(slice.end), counter.name, counter.of, counter.value));
    }
  }
  return table;
}

Table cdf_table(const Network& network) {
  Table table{.columns = {"class", "of", "ns", "share"}};
  const std::vector<ClassStatistics> classes = network.classes();
  for (std::size_t t = 0; t < classes.size(); ++t) {
    for (const auto& [of, counts] : {std::pair{"packets", &classes[t].packet_latency},
                                     {"messages", &classes[t].message_latency}}) {
      std::uint64_t seen = 0;
      counts->for_each([&, what = of, all = counts->count()](Cycle cycles, std::uint64_t times) {
        seen += times;
        table.rows.push_back(row(network.scenario().traffic[t].name, what,
                                 network.scenario().ns(cycles), ratio(seen, all)));
      });
    }
  }
  return table;
}

/// What tables are made of.
struct Run {
  Network& network;
  const Recording& recording;
  const RunReport& report;
};

struct RunTable {
  const char* name;
  Table (*of)(const Run&);
};

constexpr RunTable kTables[] = {
    {"classes", [](const Run& run) { return classes_table(run.report); }},
    {"hosts", [](const Run& run) { return hosts_table(run.network); }},
    {"ranks", [](const Run& run) { return ranks_table(run.network, run.report); }},
    {"series", [](const Run& run) { return series_table(run.network, run.recording); }},
    {"links", [](const Run& run) { return links_table(run.network, run.recording); }},
    {"link-flits", [](const Run& run) { return link_flits_table(run.network); }},
    {"pauses", [](const Run& run) { return pauses_table(run.network); }},
    {"cdf", [](const Run& run) { return cdf_table(run.network); }},
    {"counters", [](const Run& run) { return counters_table(run.network); }},
    {"counter-series",
     [](const Run& run) { return counter_series_table(run.network, run.recording); }},
};

std::string csv_cell(const Cell& value) {
  if (value.is_null()) {
    return "";
  }
  if (value.is_number_float()) {
    return fmt::format("{}", value.get<double>());
  }
  if (!value.is_string()) {
    return value.dump();
  }
  const auto& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string all = "\"";
  for (const char c : text) {
    all += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return all + "\"";
}

}  // namespace

std::vector<std::string> names_of_tables() {
  std::vector<std::string> names;
  for (const RunTable& one : kTables) {
    names.emplace_back(one.name);
  }
  return names;
}

std::vector<Table> tables_of_run(Network& network, const Recording& recording,
                                 const RunReport& report) {
  std::vector<Table> tables;
  for (const RunTable& one : kTables) {
    tables.push_back(one.of({network, recording, report}));
    tables.back().name = one.name;
  }
  return tables;
}

std::string to_csv(const Table& table) {
  std::string text;
  for (const std::string& column : table.columns) {
    text += (text.empty() ? "" : ",") + column;
  }
  text += "\n";
  for (const Cell& cells : table.rows) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text += (i == 0 ? "" : ",") + csv_cell(cells[i]);
    }
    text += "\n";
  }
  return text;
}

std::string with_tables(const std::string& json, const std::vector<Table>& tables) {
  auto object = nlohmann::ordered_json::parse(json);
  for (const Table& table : tables) {
    object["tables"][table.name] = {{"columns", table.columns}, {"rows", table.rows}};
  }
  return object.dump(2) + "\n";
}

}  // namespace qosarb
