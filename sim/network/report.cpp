#include "qosarb/network/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "qosarb/policy/policy.hpp"

namespace qosarb {

namespace {

using Json = nlohmann::ordered_json;

LatencySummary summary_of(const LatencyCounts& counts, const Scenario& scenario) {
  return {counts.mean() * scenario.cycle_ns(), scenario.ns(counts.percentile(50)),
          scenario.ns(counts.percentile(99)), scenario.ns(counts.quantile(999, 1000)),
          scenario.ns(counts.max())};
}

/// Of at least one value.
Quartiles quartiles_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&values](std::size_t quarter) {
    return values[(values.size() * quarter + 3) / 4 - 1];
  };
  return {values.front(), at(1), at(2), at(3), values.back()};
}

Json json_of(double number) { return number; }

Json json_of(const Quartiles& quartiles) {
  return {{"min", quartiles.min},
          {"q1", quartiles.lower},
          {"median", quartiles.median},
          {"q3", quartiles.upper},
          {"max", quartiles.max}};
}

template <typename Value>
Json json_of(const std::optional<Value>& value) {
  return value ? json_of(*value) : Json(nullptr);
}

/// Null unless it is `known`.
template <typename Value>
Json json_if(bool known, const Value& value) {
  return known ? json_of(value) : Json(nullptr);
}

/// How the hosts that send an entry differ.
void compare_hosts(const Network& network, std::size_t entry, ClassReport& row) {
  std::vector<double> accepted;
  std::vector<double> latency;
  std::vector<double> longest;
  for (const SenderReport& one : senders_of(network, entry)) {
    if (one.accepted) {
      accepted.push_back(*one.accepted);
    }
    if (one.packets > 0) {
      latency.push_back(*one.mean_ns);
      longest.push_back(*one.longest_ns);
    }
  }
  if (!accepted.empty()) {
    row.host_accepted = quartiles_of(std::move(accepted));
  }
  if (!latency.empty()) {
    row.host_latency = quartiles_of(std::move(latency));
    row.host_longest = quartiles_of(std::move(longest));
  }
}

// Null without a packet: no latency is not a latency of 0.
Json json_of(const LatencySummary& latency, std::uint64_t packets) {
  const bool known = packets > 0;
  return {{"mean", json_if(known, latency.mean)},
          {"p50", json_if(known, latency.p50)},
          {"p99", json_if(known, latency.p99)},
          {"p99.9", json_if(known, latency.p999)},
          {"max", json_if(known, latency.max)}};
}

/// All but its share. The host links carry `capacity` flits together.
ClassReport class_report(const Network& network, std::size_t entry,
                         const ClassStatistics& statistics, double capacity) {
  const Scenario& scenario = network.scenario();
  ClassReport row{.name = scenario.traffic[entry].name, .queue = scenario.traffic[entry].queue};
  const bool has_shares = network.has_in_force(scenario.arbiter);
  for (Mask left = has_shares ? network.queues_of(row.queue) : 0; left != 0; left &= left - 1) {
    const auto asked = scenario.arbiter.policy->asked_share(scenario.arbiter, lowest(left));
    row.asked = asked ? row.asked.value_or(0) + *asked : row.asked;
  }
  row.offered = static_cast<double>(statistics.offered_flits) / capacity;
  row.accepted = static_cast<double>(statistics.accepted_flits) / capacity;
  row.packets = statistics.packet_latency.count();
  row.packet_latency = summary_of(statistics.packet_latency, scenario);
  row.network_latency = summary_of(statistics.network_latency, scenario);
  row.messages = statistics.message_latency.count();
  row.message_latency = summary_of(statistics.message_latency, scenario);
  compare_hosts(network, entry, row);
  return row;
}

TraceReport trace_report(const std::string& name, const TraceRun& run) {
  TraceReport report{.name = name, .messages = run.messages(), .bytes = run.bytes()};
  report.finish_ns = 0;
  for (int rank = 0; rank < run.trace().ranks(); ++rank) {
    const std::optional<double> finish = run.finish_ns(rank);
    report.rank_finish_ns.push_back(finish);
    if (!finish || !report.finish_ns) {
      report.finish_ns = std::nullopt;
    } else {
      report.finish_ns = std::max(*report.finish_ns, *finish);
    }
  }
  return report;
}

Json json_of(const TraceReport& trace) {
  Json ranks = Json::array();
  for (const std::optional<double>& finish : trace.rank_finish_ns) {
    ranks.push_back(json_of(finish));
  }
  return {{"name", trace.name},
          {"finish_ns", json_of(trace.finish_ns)},
          {"rank_finish_ns", ranks},
          {"messages", trace.messages},
          {"bytes", trace.bytes}};
}

Json json_of(const ClassReport& row, bool measured) {
  return {{"name", row.name},
          {"queue", row.queue},
          {"asked", json_of(row.asked)},
          {"offered", json_if(measured, row.offered)},
          {"accepted", json_if(measured, row.accepted)},
          {"share", json_if(measured, row.share)},
          {"packets", row.packets},
          {"packet_latency_ns", json_of(row.packet_latency, row.packets)},
          {"network_latency_ns", json_of(row.network_latency, row.packets)},
          {"messages", row.messages},
          {"message_latency_ns", json_of(row.message_latency, row.messages)},
          {"over_hosts",
           {{"accepted", json_of(row.host_accepted)},
            {"packet_latency_ns", json_of(row.host_latency)},
            {"longest_packet_latency_ns", json_of(row.host_longest)}}}};
}

}  // namespace

std::vector<SenderReport> senders_of(const Network& network, std::size_t entry) {
  const Scenario& scenario = network.scenario();
  const Cycle window = network.measured();
  std::vector<SenderReport> senders;
  for (const int host : network.hosts_that_send(entry)) {
    const SenderStatistics one = network.sender_statistics(entry, host);
    SenderReport sender{.host = host, .packets = one.packets};
    if (window > 0) {
      sender.accepted = ratio(one.accepted_flits, window) / scenario.host_rate(host).per_cycle();
    }
    if (one.packets > 0) {
      sender.mean_ns = ratio(one.latency, one.packets) * scenario.cycle_ns();
      sender.longest_ns = scenario.ns(one.longest);
    }
    senders.push_back(sender);
  }
  return senders;
}

RunReport report_of(const Network& network) {
  const Scenario& scenario = network.scenario();
  RunReport report;
  report.seed = scenario.seed;
  report.cycle_ns = scenario.cycle_ns();
  report.cycles = network.now();
  report.measured = network.measured() > 0;
  report.decisions = network.decisions();
  report.flits = network.totals();
  report.flit_hops = network.flit_hops();
  report.pause_frames = network.pause_frames();
  report.input_queue_flits = scenario.switches.input_queue_flits;
  report.output_queue_flits = scenario.switches.output_queue_flits;
  report.peaks = network.peaks();
  report.packet_hops = network.packet_hops();
  report.reordered = network.reordered();

  const std::vector<ClassStatistics> classes = network.classes();
  std::uint64_t all = 0;
  for (const ClassStatistics& statistics : classes) {
    all += statistics.accepted_flits;
  }
  const Cycle window = std::max<Cycle>(network.measured(), 1);
  const double capacity = static_cast<double>(window) * network.host_rates();
  for (std::size_t entry = 0; entry < classes.size(); ++entry) {
    ClassReport row = class_report(network, entry, classes[entry], capacity);
    row.share = ratio(classes[entry].accepted_flits, all);
    report.classes.push_back(std::move(row));
    if (const TraceRun* const trace = network.trace_run(entry)) {
      report.traces.push_back(trace_report(scenario.traffic[entry].name, *trace));
    }
  }
  const std::vector<HostStatistics> hosts = network.host_statistics();
  for (Index h = 0; h < count(hosts); ++h) {
    const double rate = scenario.host_rate(h).per_cycle();
    report.hosts.push_back({ratio(hosts[h].offered_flits, window) / rate,
                            ratio(hosts[h].delivered_flits, window) / rate});
  }
  return report;
}

void add_counters(RunReport& report, Network& network) {
  for (const Network::NamedPort& named : network.ports()) {
    const bool nic = named.port->node() < network.host_count();
    for (const CounterValue& counter : network.counters(named)) {
      auto& sums = (nic ? report.nic_counters : report.switch_counters)[std::string(counter.name)];
      sums.resize(std::max(count(sums), counter.of + 1));
      sums[counter.of] += counter.value;
    }
  }
}

std::string to_json(const RunReport& report, const std::string& engine, double wall_s) {
  Json classes = Json::array();
  for (const ClassReport& row : report.classes) {
    classes.push_back(json_of(row, report.measured));
  }
  Json hosts = Json::array();
  for (const HostReport& host : report.hosts) {
    hosts.push_back({{"offered", json_if(report.measured, host.offered)},
                     {"delivered_from", json_if(report.measured, host.delivered_from)}});
  }
  Json mismatches = nullptr;
  if (report.compared > 0) {
    mismatches = 0;  // the first one ends a run without a report
  }
  Json json = {
      {"engine", engine},
      {"seed", report.seed},
      {"cycle_ns", report.cycle_ns},
      {"cycles", report.cycles},
      {"decisions", report.decisions},
      {"compared_decisions", report.compared},
      {"mismatches", mismatches},
      {"flits_injected", report.flits.injected},
      {"flits_delivered", report.flits.delivered},
      {"flits_lost", report.flits.lost()},
      {"flits_in_flight", report.flits.in_flight},
      {"flit_hops", report.flit_hops},
      {"packet_hops", report.packet_hops},
      {"reordered", report.reordered},
      {"pause_frames", report.pause_frames},
      {"max_input_queue_flits", report.peaks.input_queue_flits},
      {"max_output_queue_flits", report.peaks.output_queue_flits},
      {"wall_s", wall_s},
      {"classes", classes},
      {"hosts", hosts},
  };
  if (!report.switch_counters.empty() || !report.nic_counters.empty()) {
    json["counters"] = {{"switches", report.switch_counters}, {"nics", report.nic_counters}};
  }
  if (!report.traces.empty()) {
    Json traces = Json::array();
    for (const TraceReport& trace : report.traces) {
      traces.push_back(json_of(trace));
    }
    json["traces"] = traces;
  }
  return json.dump(2) + "\n";
}

std::string to_table(const RunReport& report, const std::string& engine, double wall_s) {
  const auto share = [&report](double value) {
    return report.measured ? fmt::format("{:.2f}", value * 100) : std::string("-");
  };
  std::size_t width = 5;
  for (const ClassReport& row : report.classes) {
    width = std::max(width, row.name.size());
  }
  std::string text = fmt::format(
      "{:{}}  queue   asked  offered     got   share    packet latency, ns         "
      "network latency, ns\n"
      "{:{}}              %        %       %       %     mean     p99     max     "
      "mean     p99     max\n",
      "class", width, "", width);
  double offered = 0;
  double accepted = 0;
  for (const ClassReport& row : report.classes) {
    const std::string asked = row.asked ? fmt::format("{:.2f}", *row.asked * 100) : "-";
    text += fmt::format("{:{}}  {:5}  {:>6}  {:>7}  {:>6}  {:>6}", row.name, width, row.queue,
                        asked, share(row.offered), share(row.accepted), share(row.share));
    text += " ";
    for (const LatencySummary& latency : {row.packet_latency, row.network_latency}) {
      for (const double ns : {latency.mean, latency.p99, latency.max}) {
        text += row.packets == 0 ? fmt::format(" {:>7}", "-") : fmt::format(" {:7.0f}", ns);
      }
      text += " ";
    }
    text.back() = '\n';
    offered += row.offered;
    accepted += row.accepted;
  }
  text += fmt::format("{:{}}                 {:>7}  {:>6}\n", "all", width, share(offered),
                      share(accepted));
  for (const TraceReport& trace : report.traces) {
    text += fmt::format("trace {}: {}, {} messages, {} bytes received\n", trace.name,
                        trace.finish_ns ? fmt::format("done after {:.0f} ns", *trace.finish_ns)
                                        : std::string("not done"),
                        trace.messages, trace.bytes);
  }
  text += fmt::format(
      "\nengine {}, seed {}: {} cycles of {} ns, {} decisions, {}\n"
      "flits: {} injected, {} delivered, {} in flight, {} lost; {} PFC frames\n"
      "fullest queue: input {} of {} flits, output {} of {}\n"
      "{:.2f} s, {:.1f} million flit-hops a second\n",
      engine, report.seed, report.cycles, report.cycle_ns, report.decisions,
      report.compared > 0 ? fmt::format("{} of them compared: 0 mismatches", report.compared)
                          : "none of them compared",
      report.flits.injected, report.flits.delivered, report.flits.in_flight, report.flits.lost(),
      report.pause_frames, report.peaks.input_queue_flits, report.input_queue_flits,
      report.peaks.output_queue_flits, report.output_queue_flits, wall_s,
      wall_s > 0 ? static_cast<double>(report.flit_hops) / wall_s / 1e6 : 0.0);
  return text;
}

}  // namespace qosarb
