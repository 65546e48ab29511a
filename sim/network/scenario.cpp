#include "qosarb/network/scenario.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>
#include <stdexcept>

#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/yaml_reader.hpp"

namespace qosarb {

namespace {

// Beyond these a number is taken for a mistake.
constexpr std::int64_t kMaxQueueFlits = 1 << 24;
constexpr std::int64_t kMaxLatency = 1 << 16;
constexpr double kMaxRunUs = 1e6;
constexpr Cycle kMaxCycles = Cycle{1} << 32U;
constexpr std::int64_t kMaxBytes = 1 << 30;

/// A number as an integer count of thousandths. Errors: InputError if it is none.
std::uint64_t thousandths(MapReader& reader, const std::string& key, double low, double high) {
  const double value = reader.number(key, low, high);
  const double scaled = std::round(value * 1000);
  if (std::abs(scaled - value * 1000) > 1e-6 * std::max(1.0, scaled)) {
    throw reader.error(key, fmt::format("{} is {}; at most three decimals are kept", key, value));
  }
  return static_cast<std::uint64_t>(scaled);
}

/// Microseconds as whole cycles, rounded down.
Cycle cycles_of_us(const Scenario& scenario, MapReader& reader, const std::string& key,
                   double low) {
  const std::uint64_t ns = thousandths(reader, key, low, kMaxRunUs);
  return static_cast<Cycle>(Uint128{ns} * scenario.link_mbps /
                            (Uint128{scenario.flit_bytes} * 8000));
}

void parse_network(MapReader reader, Scenario& scenario) {
  MapReader topology = reader.map("topology");
  scenario.topology = static_cast<TopologyKind>(topology.choice("kind", {"single-switch"}));
  scenario.ports = static_cast<int>(topology.integer("ports", 2, kMaxRadix));
  topology.finish();

  scenario.flit_bytes = static_cast<std::uint32_t>(reader.integer("flit_bytes", 1, 4096));
  MapReader link = reader.map("link");
  scenario.link_mbps = thousandths(link, "gbps", 0.001, 1e5);
  const std::uint64_t delay_ps = thousandths(link, "delay_ns", 0, 1e6);
  link.finish();
  const Uint128 flit = Uint128{scenario.flit_bytes} * 8'000'000;  // ps x Mb/s in a flit
  const Uint128 delay = (Uint128{delay_ps} * scenario.link_mbps + flit - 1) / flit;
  if (delay > kMaxLatency) {
    throw reader.error("link", fmt::format("a link holds {} flits, more than {}",
                                           static_cast<std::uint64_t>(delay), kMaxLatency));
  }
  scenario.link_delay = static_cast<std::uint32_t>(delay);

  MapReader sw = reader.map("switch");
  SwitchConfig& config = scenario.switches;
  config.input_queue_flits =
      static_cast<std::uint32_t>(sw.integer("input_queue_flits", 1, kMaxQueueFlits));
  config.output_queue_flits =
      static_cast<std::uint32_t>(sw.integer("output_queue_flits", 1, kMaxQueueFlits));
  const std::uint64_t speedup = thousandths(sw, "crossbar_speedup", 1, 64);
  const std::uint64_t divisor = std::gcd(speedup, std::uint64_t{1000});
  config.speedup = {static_cast<std::uint32_t>(speedup / divisor),
                    static_cast<std::uint32_t>(1000 / divisor)};
  if (sw.choice("flow_control", {"pfc", "credit"}) != 0) {
    throw sw.error("flow_control", "flow_control 'credit' is not modelled yet; use pfc");
  }
  if (sw.has("pipeline")) {
    MapReader pipeline = sw.map("pipeline");
    const auto latency = [&pipeline](const char* key, std::int64_t low, std::uint32_t otherwise) {
      return static_cast<std::uint32_t>(pipeline.integer_or(key, low, kMaxLatency, otherwise));
    };
    config.input_latency = latency("input", 0, config.input_latency);
    config.crossbar_latency = latency("crossbar", 1, config.crossbar_latency);
    config.output_latency = latency("output", 0, config.output_latency);
    pipeline.finish();
  }
  sw.finish();

  const std::uint32_t packet = scenario.arbiter.max_packet_flits;
  if (config.output_queue_flits < packet) {
    throw sw.error("output_queue_flits",
                   fmt::format("an output queue of {} flits cannot hold a packet of {}",
                               config.output_queue_flits, packet));
  }
  const std::uint32_t headroom =
      pfc_headroom({.wire_delay = scenario.link_delay,
                    .receiver_latency = config.output_latency,
                    .sender_latency = 0,
                    .max_packet_flits = packet,
                    .frame_flits = pause_frame_flits(scenario.flit_bytes),
                    .queues = scenario.arbiter.queues});
  if (config.input_queue_flits < headroom + packet) {
    throw sw.error("input_queue_flits",
                   fmt::format("an input queue of {} flits cannot hold the PFC headroom of {} "
                               "flits and a packet of {}",
                               config.input_queue_flits, headroom, packet));
  }
  reader.finish();
}

std::vector<int> parse_hosts(MapReader& reader, const Scenario& scenario) {
  std::vector<int> hosts;
  const int last = scenario.ports - 1;
  if (!reader.has("hosts")) {
    hosts.resize(static_cast<std::size_t>(scenario.ports));
    std::iota(hosts.begin(), hosts.end(), 0);
    return hosts;
  }
  const YAML::Node node = reader.node("hosts");
  if (node.IsMap()) {
    MapReader range = reader.map("hosts");
    const std::int64_t from = range.integer("from", 0, last);
    const std::int64_t to = range.integer("to", from, last);
    range.finish();
    for (std::int64_t host = from; host <= to; ++host) {
      hosts.push_back(static_cast<int>(host));
    }
    return hosts;
  }
  if (!node.IsSequence() || node.size() == 0) {
    throw reader.error("hosts", "hosts must be a list of hosts or {from: , to: }");
  }
  for (const YAML::Node& item : node) {
    const auto host = static_cast<int>(yaml_integer(reader.file(), item, "a host", 0, last));
    if (std::find(hosts.begin(), hosts.end(), host) != hosts.end()) {
      throw yaml_error(reader.file(), item, fmt::format("host {} is given twice", host));
    }
    hosts.push_back(host);
  }
  return hosts;
}

MessageSizes parse_sizes(MapReader& reader) {
  const std::string key = "message_bytes";
  if (!reader.node(key).IsMap()) {
    return MessageSizes::fixed(static_cast<std::uint32_t>(reader.integer(key, 1, kMaxBytes)));
  }
  MapReader sizes = reader.map(key);
  MessageSizes parsed = MessageSizes::fixed(1);
  if (sizes.has("range")) {
    const YAML::Node range = sizes.node("range");
    if (!range.IsSequence() || range.size() != 2) {
      throw sizes.error("range", "range must be [low, high], in bytes");
    }
    const std::int64_t low = yaml_integer(reader.file(), range[0], "range's low", 1, kMaxBytes);
    const std::int64_t high = yaml_integer(reader.file(), range[1], "range's high", low, kMaxBytes);
    parsed = MessageSizes::range(static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high));
  } else {
    const std::filesystem::path beside = std::filesystem::path(reader.file()).parent_path();
    parsed = MessageSizes::from_file((beside / sizes.text("file")).string());
  }
  sizes.finish();
  return parsed;
}

void parse_when(MapReader& reader, const Scenario& scenario, TrafficEntry& entry) {
  if (reader.has("burst")) {
    MapReader burst = reader.map("burst");
    entry.arrival = Arrival::Burst;
    entry.burst_bytes = static_cast<std::uint64_t>(burst.integer("bytes", 1, kMaxBytes));
    entry.burst_period = cycles_of_us(scenario, burst, "period_us", 0.001);
    if (entry.burst_period == 0) {
      throw burst.error("period_us", "the period is shorter than a cycle");
    }
    entry.burst_offset = burst.has("offset_us") ? cycles_of_us(scenario, burst, "offset_us", 0) : 0;
    burst.finish();
    return;
  }
  entry.arrival = static_cast<Arrival>(reader.choice_or("arrival", {"even", "poisson"}, 0));
  const double load = reader.number("load", 0, 4);
  entry.load_ppm = static_cast<std::uint64_t>(std::round(load * 1e6));
  if (entry.load_ppm == 0) {
    throw reader.error("load", fmt::format("a load of {} is below one millionth", load));
  }
  const Uint128 gap =
      (Uint128{entry.sizes.mean_flits(scenario.flit_bytes)} * 1'000'000 >> 32U) / entry.load_ppm;
  if (gap >= kMaxCycles) {
    throw reader.error("load", "messages come further apart than any run is long");
  }
}

TrafficEntry parse_traffic(MapReader reader, const Scenario& scenario) {
  TrafficEntry entry;
  entry.name = reader.text("name");
  entry.queue = static_cast<int>(reader.integer("queue", 0, scenario.arbiter.queues - 1));
  entry.pattern =
      static_cast<Pattern>(reader.choice("pattern", {"uniform", "permutation", "hot-spot"}));
  entry.hosts = parse_hosts(reader, scenario);
  if (entry.pattern == Pattern::Permutation) {
    entry.permutation = static_cast<PermutationKind>(reader.choice_or(
        "permutation", {"random", "shift", "bit-complement", "bit-reverse", "transpose"}, 0));
    if (entry.permutation == PermutationKind::Shift) {
      entry.shift = static_cast<int>(reader.integer_or("shift", 1, scenario.ports - 1, 1));
    }
    try {
      permutation_of(entry, scenario.ports, 0, 0);
    } catch (const std::invalid_argument& fault) {
      throw reader.error("permutation", fault.what());
    }
  } else if (entry.pattern == Pattern::HotSpot) {
    entry.hot_spot = static_cast<int>(reader.integer("to", 0, scenario.ports - 1));
    const auto itself = std::find(entry.hosts.begin(), entry.hosts.end(), entry.hot_spot);
    if (itself != entry.hosts.end()) {
      if (reader.has("hosts")) {
        throw reader.error("hosts", fmt::format("host {} cannot send to itself", *itself));
      }
      entry.hosts.erase(itself);
    }
  }
  entry.sizes = parse_sizes(reader);
  parse_when(reader, scenario, entry);
  reader.finish();
  return entry;
}

}  // namespace

Scenario load_scenario(const std::string& file) {
  MapReader top(load_yaml_map(file), file, kWholeFile);
  Scenario scenario;
  scenario.arbiter = parse_arbiter(top.node("arbiter"), file);
  if (scenario.arbiter.queues > kMaxSwitchQueues) {
    throw top.error("arbiter",
                    fmt::format("a switch has at most {} queues a port; {} are asked for",
                                kMaxSwitchQueues, scenario.arbiter.queues));
  }
  parse_network(top.map("network"), scenario);

  std::set<std::string> names;
  for (MapReader& reader : top.maps("traffic", 1, 1024)) {
    scenario.traffic.push_back(parse_traffic(reader, scenario));
    if (!names.insert(scenario.traffic.back().name).second) {
      throw reader.error("name",
                         fmt::format("the name '{}' is given twice", scenario.traffic.back().name));
    }
  }

  MapReader run = top.map("run");
  scenario.warmup = cycles_of_us(scenario, run, "warmup_us", 0);
  scenario.measure = cycles_of_us(scenario, run, "measure_us", 0.001);
  scenario.seed = static_cast<std::uint64_t>(run.integer_or("seed", 0, INT64_MAX, 1));
  if (scenario.measure == 0) {
    throw run.error("measure_us", "the measuring window is shorter than a cycle");
  }
  if (scenario.warmup + scenario.measure > kMaxCycles) {
    throw run.error("measure_us", fmt::format("the run has {} cycles, more than {}",
                                              scenario.warmup + scenario.measure, kMaxCycles));
  }
  run.finish();
  top.finish();
  return scenario;
}

}  // namespace qosarb
