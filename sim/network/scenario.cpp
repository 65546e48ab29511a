#include "qosarb/network/scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/divided_up.hpp"
#include "qosarb/config/yaml_reader.hpp"
#include "qosarb/network/placement.hpp"
#include "qosarb/network/places.hpp"
#include "qosarb/policy/age_clock.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/traffic/application.hpp"
#include "qosarb/traffic/trace_file.hpp"

namespace qosarb {

namespace {

// Beyond these a number is taken for a mistake.
constexpr std::uint32_t kMaxQueueFlits = 1U << 24U;
constexpr std::uint32_t kMaxLatency = 1U << 16U;
constexpr double kMaxRunUs = 1e6;
constexpr Cycle kMaxCycles = Cycle{1} << 32U;
constexpr std::uint32_t kMaxBytes = 1U << 30U;
static_assert(kMostRanks == kMostHosts);

/// A number of up to 4 million as an integer count of thousandths. Errors: InputError if it is
/// none.
std::uint32_t thousandths(MapReader& reader, const std::string& key, double low, double high) {
  const double value = reader.number(key, low, high);
  const double scaled = std::round(value * 1000);
  if (std::abs(scaled - value * 1000) > 1e-12 * std::max(1.0, scaled)) {
    throw reader.error(key, fmt::format("{} is {}; at most three decimals are kept", key, value));
  }
  return static_cast<std::uint32_t>(scaled);
}

enum class Rounded { Down, Up };

/// Microseconds as whole cycles.
Cycle cycles_of_us(const Scenario& scenario, MapReader& reader, const std::string& key, double low,
                   Rounded rounded) {
  const std::uint64_t ns = thousandths(reader, key, low, kMaxRunUs);
  const std::uint64_t flit = std::uint64_t{scenario.flit_bytes} * 8000;
  const std::uint64_t more = rounded == Rounded::Up ? flit - 1 : 0;
  return (ns * scenario.link_mbps + more) / flit;
}

/// The names of a list of pointers to what has a name.
template <typename List, typename Name>
std::vector<std::string_view> names_of(const List& list, Name&& name) {
  std::vector<std::string_view> names;
  for (const auto& item : list) {
    names.emplace_back(name(item));
  }
  return names;
}

void parse_topology(MapReader& reader, Scenario& scenario) {
  MapReader topology = reader.map("topology");
  TopologyConfig& config = scenario.topology;
  config.kind = topology_kinds()[topology.choice(
      "kind", names_of(topology_kinds(), [](const TopologyKind* kind) { return kind->name(); }))];
  config.kind->parse(topology, config);
  topology.finish();
  const std::span<const RoutingKind> routings = config.kind->routings();
  config.routing = &routings.front();
  if (reader.has("routing")) {
    const std::string name = reader.text("routing");
    const auto found = std::find_if(routings.begin(), routings.end(),
                                    [&](const RoutingKind& kind) { return kind.name == name; });
    if (found == routings.end()) {
      throw reader.error(
          "routing",
          fmt::format(
              "routing '{}' does not cover a {}, which takes {}", name, config.kind->name(),
              fmt::join(names_of(routings, [](const RoutingKind& kind) { return kind.name; }),
                        ", ")));
    }
    config.routing = &*found;
  }
}

/// What a link has of its own.
struct LinkKeys {
  std::optional<std::uint32_t> delay;  ///< in cycles, rounded up
  std::optional<LinkRate> rate;
};

std::uint32_t parse_delay(MapReader& reader, const Scenario& scenario) {
  const std::uint64_t delay_ps = thousandths(reader, "delay_ns", 0, 1e6);
  const std::uint64_t flit = std::uint64_t{scenario.flit_bytes} * 8'000'000;  // ps x Mb/s in a flit
  const std::uint64_t delay = divided_up(delay_ps * scenario.link_mbps, flit);
  if (delay > kMaxLatency) {
    throw reader.error("delay_ns",
                       fmt::format("a link holds {} flits, more than {}", delay, kMaxLatency));
  }
  return static_cast<std::uint32_t>(delay);
}

LinkRate parse_rate(MapReader& reader, const Scenario& scenario) {
  const std::uint64_t mbps = thousandths(reader, "gbps", 0.001, 1e5);
  const std::uint64_t clock = scenario.link_mbps;
  if (mbps > clock) {
    throw reader.error("gbps", fmt::format("{} Gb/s are more than the {} of `link:`, by which the "
                                           "ports are clocked",
                                           ratio(mbps, 1000), ratio(clock, 1000)));
  }
  const std::uint64_t divisor = std::gcd(mbps, clock);
  if (clock / divisor > LinkRate::kFinest) {
    throw reader.error("gbps", fmt::format("{} of {} Gb/s are {}/{}; parts of at most {} are kept",
                                           ratio(mbps, 1000), ratio(clock, 1000), mbps / divisor,
                                           clock / divisor, LinkRate::kFinest));
  }
  return {static_cast<std::uint32_t>(mbps / divisor), static_cast<std::uint32_t>(clock / divisor)};
}

/// `delay_ns` and `gbps`, one at least.
LinkKeys parse_link_keys(MapReader& reader, const Scenario& scenario) {
  LinkKeys keys;
  if (reader.has("gbps")) {
    keys.rate = parse_rate(reader, scenario);
  }
  if (reader.has("delay_ns") || !keys.rate) {
    keys.delay = parse_delay(reader, scenario);
  }
  reader.finish();
  return keys;
}

/// `links:` a list of {at: , delay_ns: , gbps: }, of several that name a link the last one holds.
void parse_own_links(MapReader& reader, Scenario& scenario) {
  const Topology topology = scenario.topology.kind->build(scenario.topology);
  for (MapReader& own : reader.maps("links", 1, 4096)) {
    const std::string at = own.text("at");
    const LinkKeys keys = parse_link_keys(own, scenario);
    const auto named = [&](const Topology::End& end) {
      return end.node < topology.hosts
                 ? names_port(at, fmt::format("host{}", end.node), "nic")
                 : names_port(at, fmt::format("switch{}", end.node - topology.hosts),
                              fmt::format("port{}", end.port));
    };
    bool found = false;
    for (const Topology::Link& link : topology.links) {
      if (named(link.a) || named(link.b)) {
        found = true;
        for (const Topology::End& end : {link.a, link.b}) {
          const std::pair place{end.node, end.port};
          if (keys.delay) {
            scenario.own_delays[place] = *keys.delay;
          }
          if (keys.rate) {
            scenario.own_rates[place] = *keys.rate;
          }
        }
      }
    }
    if (!found) {
      throw own.error("at", fmt::format("there is no link at '{}': nics, switches, hostN, switchN "
                                        "or switchN.portM are expected",
                                        at));
    }
  }
}

void parse_links(MapReader& reader, Scenario& scenario) {
  MapReader link = reader.map("link");
  scenario.link_mbps = thousandths(link, "gbps", 0.001, 1e5);
  scenario.link_delays.fill(parse_delay(link, scenario));
  link.finish();
  const auto other = [&](const char* key, LinkKind kind) {
    if (reader.has(key)) {
      MapReader map = reader.map(key);
      const auto of_kind = static_cast<std::size_t>(kind);
      const LinkKeys keys = parse_link_keys(map, scenario);
      scenario.link_delays[of_kind] = keys.delay.value_or(scenario.link_delays[of_kind]);
      scenario.link_rates[of_kind] = keys.rate.value_or(LinkRate{});
    }
  };
  other("host_link", LinkKind::Host);
  if (reader.has("global_link") && !scenario.topology.kind->has_groups()) {
    throw reader.error("global_link",
                       fmt::format("global links join the groups of a dragonfly; a {} has none",
                                   scenario.topology.kind->name()));
  }
  other("global_link", LinkKind::Global);
  if (reader.has("links")) {
    parse_own_links(reader, scenario);
  }
}

/// `virtual_channels:` a list for each service level, in it a list of queues for each stage.
/// `needs` says who needs so many `stages`.
VcMap parse_virtual_channels(MapReader& reader, int queues, int stages, const std::string& needs) {
  const YAML::Node levels = reader.node("virtual_channels");
  const auto fail = [&](const YAML::Node& node, const std::string& fault) {
    throw yaml_error(reader.file(), node, fault);
  };
  if (!levels.IsSequence() || levels.size() == 0) {
    fail(levels, "virtual_channels must be a list of service levels");
  }
  if (levels.size() > kMaxSwitchQueues) {
    fail(levels[kMaxSwitchQueues],
         fmt::format("there are at most {} service levels", kMaxSwitchQueues));
  }
  VcMap map{.stages = stages, .masks = {}};
  for (const YAML::Node& level : levels) {
    if (!level.IsSequence() || std::cmp_not_equal(level.size(), stages)) {
      fail(level, fmt::format("{}: a list of {} lists is expected", needs, stages));
    }
    Mask used = 0;
    for (const YAML::Node& stage : level) {
      if (!stage.IsSequence() || stage.size() == 0) {
        fail(stage, "a stage must be a list of queues");
      }
      Mask mask = 0;
      for (const YAML::Node& item : stage) {
        mask |= bit(yaml_integer(reader.file(), item, "a queue", 0, queues - 1));
      }
      if ((mask & used) != 0) {
        fail(stage, "the stages of a service level may not share a queue");
      }
      used |= mask;
      map.masks.push_back(mask);
    }
  }
  return map;
}

void parse_vcs(MapReader& reader, Scenario& scenario) {
  scenario.channels_per_queue = scenario.switches.architecture->queue_per_input
                                    ? 1
                                    : reader.index_or("channels_per_queue", 1, kMaxSwitchQueues, 1);
  const int queues = scenario.link_vcs();
  if (queues > kMaxSwitchQueues) {
    throw reader.error(
        "channels_per_queue",
        fmt::format("a switch has at most {} virtual channels a port; {} are asked for",
                    kMaxSwitchQueues, queues));
  }
  const int stages = scenario.topology.routing->make(scenario.topology)->stages();
  const std::string needs =
      fmt::format("{} on a {} needs {} virtual channels for a service level",
                  scenario.topology.routing->name, scenario.topology.kind->name(), stages);
  if (reader.has("virtual_channels")) {
    scenario.vcs = parse_virtual_channels(reader, queues, stages, needs);
  } else if (queues < stages) {
    throw reader.error("topology", fmt::format("{}; there are {}", needs, queues));
  } else {
    scenario.vcs = default_vcs(queues, stages);
  }
  const auto& all = vc_allocations();
  scenario.vc_allocation = all[reader.choice_or(
      "vc_allocation", names_of(all, [](const VcAllocation* one) { return one->name(); }), 0)];
}

Speedup parse_speedup(MapReader& sw, const std::string& key) {
  const std::uint32_t speedup = thousandths(sw, key, 1, 64);
  const std::uint32_t divisor = std::gcd(speedup, 1000U);
  return {speedup / divisor, 1000 / divisor};
}

/// What decides how many virtual channels a link has.
void parse_architecture(MapReader& sw, Scenario& scenario) {
  SwitchConfig& config = scenario.switches;
  const auto& kinds = switch_kinds();
  config.architecture = kinds[sw.choice_or(
      "architecture", names_of(kinds, [](const SwitchKind* kind) { return kind->name; }), 0)];
  if (config.architecture->queue_per_input) {
    const ArbiterConfig& arbiter = scenario.arbiter;
    config.vcs = sw.index_or("vcs", 1, kMaxSwitchQueues,
                             arbiter.policy->queues_together(arbiter.parameters));
  }
}

void parse_switch(MapReader& sw, Scenario& scenario) {
  SwitchConfig& config = scenario.switches;
  config.input_queue_flits = sw.unsigned_32("input_queue_flits", 1, kMaxQueueFlits);
  if (config.architecture->has_output_queues || sw.has("output_queue_flits")) {
    config.output_queue_flits = sw.unsigned_32("output_queue_flits", 1, kMaxQueueFlits);
  }
  if (config.architecture->queue_per_input) {
    config.speedup = {1, 1};
    if (sw.has("ejection_rate")) {
      config.ejection = {thousandths(sw, "ejection_rate", 0.001, 1), 1000};
    }
  }
  if (sw.has("crossbar_speedup") ||
      (config.architecture->has_output_queues && !config.architecture->queue_per_input)) {
    config.speedup = parse_speedup(sw, "crossbar_speedup");
  }
  const auto latency = [](MapReader& from, const char* key, std::uint32_t low,
                          std::uint32_t otherwise) {
    return from.unsigned_32_or(key, low, kMaxLatency, otherwise);
  };
  if (config.architecture->has_central_buffers) {
    config.mport_ports = sw.index_or("mport_ports", 1, kMaxRadix, 4);
    config.central_queue_flits = sw.unsigned_32("central_queue_flits", 1, kMaxQueueFlits);
    config.central_speedup = parse_speedup(sw, "central_speedup");
  }
  const auto& controls = flow_controls();
  config.flow_control = controls[sw.choice(
      "flow_control", names_of(controls, [](const FlowControlKind* kind) { return kind->name; }))];
  if (sw.has("pipeline")) {
    MapReader pipeline = sw.map("pipeline");
    config.input_latency = latency(pipeline, "input", 0, config.input_latency);
    config.crossbar_latency = latency(pipeline, "crossbar", 1, config.crossbar_latency);
    config.output_latency = latency(pipeline, "output", 0, config.output_latency);
    if (config.architecture->has_central_buffers) {
      config.central_latency = latency(pipeline, "central", 1, config.central_latency);
    }
    pipeline.finish();
  }
  sw.finish();
  if (const auto fault =
          fault_of_switch(scenario, scenario.topology.kind->build(scenario.topology))) {
    throw sw.error(fault->key, fault->says);
  }
}

void parse_network(MapReader reader, Scenario& scenario) {
  parse_topology(reader, scenario);
  MapReader sw = reader.map("switch");
  parse_architecture(sw, scenario);
  parse_vcs(reader, scenario);
  scenario.flit_bytes = reader.unsigned_32("flit_bytes", 1, 4096);
  parse_links(reader, scenario);
  parse_switch(sw, scenario);
  reader.finish();
}

/// Why an arbiter cannot have the queues of inputs with `vcs` virtual channels each.
std::optional<std::string> fault_of_channels(const ArbiterConfig& arbiter, int vcs) {
  const int together = arbiter.policy->queues_together(arbiter.parameters);
  if (together == 1 || together == vcs) {
    return std::nullopt;
  }
  return fmt::format("the arbiter has {} VCs of an input, the links have {}", together, vcs);
}

/// The period of the age clock that the arbiter shares; 0 if it shares none.
std::uint32_t age_clock_period(const ArbiterConfig& arbiter) {
  return arbiter.policy->shares_chip_clock() ? arbiter.policy->make_chip_clock(arbiter)->countdown()
                                             : 0;
}

/// A switch has one age clock, which has one period.
void check_age_clocks(const MapReader& top, const Topology& topology, const Scenario& scenario) {
  std::set<std::uint32_t> periods = {0, age_clock_period(scenario.arbiter)};
  for (const ArbiterAt& one : scenario.arbiters) {
    periods.insert(age_clock_period(one.arbiter));
  }
  if (periods.size() <= 2) {
    return;
  }
  for (std::size_t s = 0; s < topology.switch_ports.size(); ++s) {
    std::uint32_t period = 0;
    for (int port = 0; port < topology.switch_ports[s]; ++port) {
      const std::string chip = fmt::format("switch{}", s);
      const std::uint32_t other =
          age_clock_period(scenario.arbiter_at(chip, fmt::format("port{}", port)));
      if (period != 0 && other != 0 && other != period) {
        throw top.error("arbiters",
                        fmt::format("the ports of {} share an age clock, but have {} and {} as its "
                                    "age_clock_period",
                                    chip, period, other));
      }
      period = std::max(period, other);
    }
  }
}

/// `arbiters:` a list of {at: , arbiter: }.
void parse_arbiters(MapReader& top, const Topology& topology, Scenario& scenario) {
  add_nic_arbiters(scenario);
  if (!top.has("arbiters")) {
    return;
  }
  const std::set<std::string> places = place_names(topology);
  for (MapReader& reader : top.maps("arbiters", 1, 4096)) {
    ArbiterAt one;
    one.at = reader.text("at");
    if (!places.contains(one.at)) {
      throw reader.error("at", fmt::format("there is no '{}': nics, switches, hostN, switchN or "
                                           "switchN.portM are expected",
                                           one.at));
    }
    one.arbiter = parse_arbiter(reader.node("arbiter"), reader.file());
    const bool nic = one.at == "nics" || one.at.starts_with("host");
    const int queues = nic && scenario.switches.architecture->queue_per_input
                           ? scenario.switches.vcs
                           : scenario.arbiter.queues;
    if (one.arbiter.queues != queues ||
        one.arbiter.max_packet_flits != scenario.arbiter.max_packet_flits) {
      throw reader.error("arbiter",
                         fmt::format("all arbiters of a network have the same queues and "
                                     "max_packet_flits, at {} here {} and {}",
                                     one.at, queues, scenario.arbiter.max_packet_flits));
    }
    if (scenario.switches.architecture->queue_per_input) {
      if (const auto fault = fault_of_channels(one.arbiter, scenario.switches.vcs)) {
        throw reader.error("arbiter", *fault);
      }
    }
    reader.finish();
    scenario.arbiters.push_back(std::move(one));
  }
  check_age_clocks(top, topology, scenario);
}

std::vector<int> parse_hosts(MapReader& reader, int all) {
  std::vector<int> hosts;
  const int last = all - 1;
  if (!reader.has("hosts")) {
    hosts.resize(all);
    std::iota(hosts.begin(), hosts.end(), 0);
    return hosts;
  }
  const YAML::Node node = reader.node("hosts");
  if (node.IsMap()) {
    MapReader range = reader.map("hosts");
    const Index from = range.index("from", 0, last);
    const Index to = range.index("to", from, last);
    const int every = range.index_or("every", 1, all, 1);
    range.finish();
    for (Index host = from; host <= to; host += every) {
      hosts.push_back(host);
    }
    return hosts;
  }
  if (!node.IsSequence() || node.size() == 0) {
    throw reader.error("hosts", "hosts must be a list of hosts or {from: , to: }");
  }
  for (const YAML::Node& item : node) {
    const Index host = yaml_integer(reader.file(), item, "a host", 0, last);
    if (std::find(hosts.begin(), hosts.end(), host) != hosts.end()) {
      throw yaml_error(reader.file(), item, fmt::format("host {} is given twice", host));
    }
    hosts.push_back(host);
  }
  return hosts;
}

/// What `load` makes of a file that stands beside the scenario. Where the file as a whole is at
/// fault, it is the scenario that is to be mended: it cannot be opened, or is of another kind.
template <typename Load>
auto load_beside(MapReader& reader, const std::string& key, const Load& load) {
  const std::filesystem::path beside = std::filesystem::path(reader.file()).parent_path();
  const std::string file = (beside / reader.text(key)).string();
  try {
    return load(file);
  } catch (const InputError& error) {
    if (error.line() != 0) {
      throw;
    }
    throw reader.error(key, error.what());
  }
}

MessageSizes parse_sizes(MapReader& reader) {
  const std::string key = "message_bytes";
  if (!reader.node(key).IsMap()) {
    return MessageSizes::fixed(reader.unsigned_32(key, 1, kMaxBytes));
  }
  MapReader sizes = reader.map(key);
  MessageSizes parsed = MessageSizes::fixed(1);
  if (sizes.has("range")) {
    const YAML::Node range = sizes.node("range");
    if (!range.IsSequence() || range.size() != 2) {
      throw sizes.error("range", "range must be [low, high], in bytes");
    }
    const auto low = yaml_integer(reader.file(), range[0], "range's low", 1U, kMaxBytes);
    const auto high = yaml_integer(reader.file(), range[1], "range's high", low, kMaxBytes);
    parsed = MessageSizes::range(low, high);
  } else {
    parsed = load_beside(sizes, "file", &MessageSizes::from_file);
  }
  sizes.finish();
  return parsed;
}

void parse_when(MapReader& reader, const Scenario& scenario, TrafficEntry& entry) {
  if (reader.has("burst")) {
    MapReader burst = reader.map("burst");
    entry.arrival = Arrival::Burst;
    entry.burst_bytes = burst.unsigned_32("bytes", 1, kMaxBytes);
    entry.burst_period = cycles_of_us(scenario, burst, "period_us", 0.001, Rounded::Down);
    if (entry.burst_period == 0) {
      throw burst.error("period_us", "the period is shorter than a cycle");
    }
    entry.burst_offset =
        burst.has("offset_us") ? cycles_of_us(scenario, burst, "offset_us", 0, Rounded::Down) : 0;
    burst.finish();
    return;
  }
  if (reader.has("on_off")) {
    MapReader on_off = reader.map("on_off");
    entry.arrival = Arrival::OnOff;
    entry.mean_on =
        std::max<Cycle>(cycles_of_us(scenario, on_off, "on_us", 0.001, Rounded::Down), 1);
    entry.mean_off =
        std::max<Cycle>(cycles_of_us(scenario, on_off, "off_us", 0.001, Rounded::Down), 1);
    on_off.finish();
  } else {
    entry.arrival = reader.choice_or("arrival", {"even", "poisson"}, Arrival::Even);
  }
  constexpr double kPpm = 1e-6;  // an entry that sends nothing is a mistake
  entry.load_ppm = static_cast<std::uint64_t>(std::round(reader.number("load", kPpm, 4) * 1e6));
  LinkRate slowest;
  for (const int host : entry.hosts) {
    slowest = std::min(slowest, scenario.host_rate(host));
  }
  const Uint128 gap =
      (Uint128{entry.sizes.mean_flits(scenario.flit_bytes)} * 1'000'000 * slowest.cycles >> 32U) /
      (entry.load_ppm * slowest.flits);
  const bool off_at_times = entry.arrival == Arrival::OnOff;
  const Cycle off = off_at_times ? entry.mean_off : 0;  // behind each `on`
  const Cycle on = off_at_times ? entry.mean_on : 1;
  if (gap * (on + off) >= Uint128{kMaxCycles} * on) {
    throw reader.error("load", "messages come further apart than any run is long");
  }
}

/// The hosts, and those that jobs have.
struct Places {
  const Topology& topology;
  std::vector<bool> taken = std::vector<bool>(topology.hosts);
};

/// The hosts of `ranks` ranks, or as many as there are hosts to be had if that is 0.
std::vector<int> place_ranks(MapReader& reader, Places& places, int ranks) {
  std::vector<int> hosts;
  if (!reader.has("placement")) {
    hosts = parse_hosts(reader, places.topology.hosts);
  } else {
    const PlacementKind& kind = placements()[reader.choice(
        "placement", names_of(placements(), [](const PlacementKind& one) { return one.name; }))];
    const std::uint64_t seed = reader.integer_or("placement_seed", 0, kMaxSeed, 1);
    for (const int host : kind.order(places.topology, seed)) {
      if (!places.taken[host]) {
        hosts.push_back(host);
      }
    }
  }
  if (ranks > count(hosts)) {
    throw reader.error("name", fmt::format("{} has {} ranks for {} hosts", reader.text("name"),
                                           ranks, hosts.size()));
  }
  hosts.resize(ranks == 0 ? count(hosts) : ranks);
  for (const int host : hosts) {
    places.taken[host] = true;
  }
  return hosts;
}

/// `trace:` a file beside the scenario.
void parse_trace(MapReader& reader, Places& places, TrafficEntry& entry) {
  auto trace = std::make_shared<Trace>(load_beside(reader, "trace", &load_trace));
  entry.hosts = place_ranks(reader, places, trace->ranks());
  entry.trace = std::move(trace);
}

void parse_application(MapReader& reader, Places& places, TrafficEntry& entry) {
  const ApplicationKind& kind = applications()[reader.choice(
      "application",
      names_of(applications(), [](const ApplicationKind& one) { return one.name; }))];
  const int ranks = reader.has("ranks") ? reader.index("ranks", 2, places.topology.hosts) : 0;
  entry.hosts = place_ranks(reader, places, ranks);
  if (entry.hosts.size() < 2) {
    throw reader.error("application", "an application has two ranks or more");
  }
  const int times = reader.index_or("iterations", 1, 1'000'000, 1);
  const std::uint64_t calculate_ns = reader.integer_or("calculate_ns", 0, 1'000'000'000'000, 0);
  const Iterations iterations{.ranks = count(entry.hosts),
                              .count = times,
                              .calculate_ns = calculate_ns,
                              .bytes = reader.unsigned_32("message_bytes", 0, kMaxBytes)};
  try {
    Trace trace = kind.make(reader, iterations);
    trace.file = reader.file();
    trace.line = reader.line("application");
    entry.trace = std::make_shared<Trace>(std::move(trace));
  } catch (const TraceFault& fault) {
    throw reader.error("application", fault.says);
  }
}

TrafficEntry parse_traffic(MapReader& reader, const Scenario& scenario, Places& places) {
  const int hosts = places.topology.hosts;
  TrafficEntry entry;
  entry.name = reader.text("name");
  if (std::any_of(entry.name.begin(), entry.name.end(),
                  [](unsigned char c) { return c < 0x20 || c == 0x7f; })) {
    throw reader.error("name", "a name stands in one line of a table, without control characters");
  }
  entry.queue = reader.index("queue", 0, scenario.vcs.service_levels() - 1);
  if (reader.has("trace") || reader.has("application")) {
    (reader.has("trace") ? parse_trace : parse_application)(reader, places, entry);
    reader.finish();
    return entry;
  }
  entry.pattern = reader.choice<Pattern>("pattern", {"uniform", "permutation", "hot-spot"});
  entry.hosts = parse_hosts(reader, hosts);
  if (entry.pattern == Pattern::Permutation) {
    entry.permutation = reader.choice_or(
        "permutation", {"random", "shift", "bit-complement", "bit-reverse", "transpose"},
        PermutationKind::Random);
    if (entry.permutation == PermutationKind::Shift) {
      entry.shift = reader.index_or("shift", 1, hosts - 1, 1);
    }
    try {
      permutation_of(entry, hosts, 0, 0);
    } catch (const std::invalid_argument& fault) {
      throw reader.error("permutation", fault.what());
    }
  } else if (entry.pattern == Pattern::HotSpot) {
    entry.hot_spot = reader.index("to", 0, hosts - 1);
    const auto itself = std::find(entry.hosts.begin(), entry.hosts.end(), entry.hot_spot);
    if (itself != entry.hosts.end()) {
      if (reader.has("hosts")) {
        throw reader.error("hosts", fmt::format("host {} cannot send to itself", *itself));
      }
      entry.hosts.erase(itself);
    }
  }
  if (entry.pattern == Pattern::Uniform) {
    entry.among_hosts = reader.choice_or("destinations", {"all", "senders"}, 0) == 1;
    if (entry.among_hosts && entry.hosts.size() < 2) {
      throw reader.error("destinations", "a single sender has no other one to send to");
    }
  }
  entry.messages = reader.integer_or("messages", 1, INT64_MAX, 0);
  entry.sizes = parse_sizes(reader);
  parse_when(reader, scenario, entry);
  reader.finish();
  return entry;
}

void parse_run(MapReader run, Scenario& scenario) {
  scenario.warmup = cycles_of_us(scenario, run, "warmup_us", 0, Rounded::Up);
  scenario.measure = cycles_of_us(scenario, run, "measure_us", 0.001, Rounded::Up);
  scenario.seed = run.integer_or("seed", 0, kMaxSeed, 1);
  if (scenario.end() > kMaxCycles) {
    throw run.error("measure_us",
                    fmt::format("the run has {} cycles, more than {}", scenario.end(), kMaxCycles));
  }
  run.finish();
}

}  // namespace

const ArbiterConfig& Scenario::arbiter_at(const std::string& chip, const std::string& port) const {
  const ArbiterConfig* found = &arbiter;
  for (const ArbiterAt& one : arbiters) {
    if (names_port(one.at, chip, port)) {
      found = &one.arbiter;
    }
  }
  return *found;
}

std::vector<std::string> Scenario::files_of_traffic() const {
  std::vector<std::string> files;
  for (const TrafficEntry& entry : traffic) {
    const std::string& file = entry.trace ? entry.trace->file : entry.sizes.file();
    if (!file.empty()) {
      files.push_back(file);
    }
  }
  return files;
}

bool Scenario::has_traces() const {
  return std::any_of(traffic.begin(), traffic.end(),
                     [](const TrafficEntry& entry) { return entry.trace != nullptr; });
}

std::uint32_t Scenario::longest_delay() const {
  std::uint32_t longest = *std::max_element(link_delays.begin(), link_delays.end());
  for (const auto& [end, delay] : own_delays) {
    longest = std::max(longest, delay);
  }
  return longest;
}

LinkRate Scenario::slowest_rate() const {
  LinkRate slowest = *std::min_element(link_rates.begin(), link_rates.end());
  for (const auto& [end, rate] : own_rates) {
    slowest = std::min(slowest, rate);
  }
  return slowest;
}

void add_nic_arbiters(Scenario& scenario) {
  if (scenario.switches.architecture->queue_per_input) {
    ArbiterConfig nic;
    nic.queues = scenario.switches.vcs;
    nic.max_packet_flits = scenario.arbiter.max_packet_flits;
    scenario.arbiters.insert(scenario.arbiters.begin(), {"nics", nic});
  }
}

VcMap default_vcs(int queues, int stages) {
  VcMap map{.stages = stages, .masks = {}};
  for (int queue = 0; queue < queues / stages * stages; ++queue) {
    map.masks.push_back(std::uint64_t{1} << queue);
  }
  return map;
}

std::optional<SwitchFault> fault_of_switch(const Scenario& scenario, const Topology& topology) {
  const SwitchConfig& config = scenario.switches;
  const std::uint32_t packet = scenario.arbiter.max_packet_flits;
  if (config.architecture->has_output_queues && config.output_queue_flits < packet) {
    return SwitchFault{"output_queue_flits",
                       fmt::format("an output queue of {} flits cannot hold a packet of {}",
                                   config.output_queue_flits, packet)};
  }
  if (config.architecture->has_central_buffers && config.central_queue_flits < packet) {
    return SwitchFault{"central_queue_flits",
                       fmt::format("a central buffer of {} flits cannot hold a packet of {}",
                                   config.central_queue_flits, packet)};
  }
  if (config.ejection.flits < config.ejection.cycles && !config.flow_control->gives_credits) {
    return SwitchFault{"ejection_rate",
                       "only with credits: the headroom of PFC does not know that a wire rests"};
  }
  if (config.architecture->queue_per_input) {
    const ArbiterConfig& arbiter = scenario.arbiter;
    if (const auto fault = fault_of_channels(arbiter, config.vcs)) {
      return SwitchFault{"vcs", *fault};
    }
    const int ports = *std::max_element(topology.switch_ports.begin(), topology.switch_ports.end());
    if (arbiter.queues < ports * config.vcs || arbiter.queues % config.vcs != 0 ||
        arbiter.queues > kMaxSwitchQueues) {
      return SwitchFault{
          "vcs", fmt::format("{} inputs with {} virtual channels each need an arbiter with {} "
                             "queues, or a multiple of {} above that, up to {}; it has {}",
                             ports, config.vcs, ports * config.vcs, config.vcs, kMaxSwitchQueues,
                             arbiter.queues)};
    }
  }
  const std::uint32_t latency = config.architecture->grant_to_wire(config);
  std::set<std::tuple<LinkKind, std::uint32_t, LinkRate>> seen;
  for (const Topology::Link& link : topology.links) {
    const std::uint32_t delay = scenario.delay_of(link.a, link.kind);
    const LinkRate rate = scenario.rate_of(link.a, link.kind);
    if (!seen.insert({link.kind, delay, rate}).second) {
      continue;
    }
    if (const auto fault = config.flow_control->too_small(
            config.input_queue_flits, {.wire_delay = delay,
                                       .receiver_latency = latency,
                                       .sender_latency = link.kind == LinkKind::Host ? 0 : latency,
                                       .max_packet_flits = packet,
                                       .frame_flits = pause_frame_flits(scenario.flit_bytes),
                                       .queues = scenario.link_vcs(),
                                       .rate = rate})) {
      return SwitchFault{"input_queue_flits", *fault};
    }
  }
  return std::nullopt;
}

Scenario load_scenario(const std::string& file) {
  Scenario scenario;
  MapReader top(load_yaml_map(file, &scenario.text), file, kWholeFile);
  scenario.arbiter = parse_arbiter(top.node("arbiter"), file);
  if (scenario.arbiter.queues > kMaxSwitchQueues) {
    throw top.error("arbiter",
                    fmt::format("a switch has at most {} queues a port; {} are asked for",
                                kMaxSwitchQueues, scenario.arbiter.queues));
  }
  parse_network(top.map("network"), scenario);
  const Topology topology = scenario.topology.kind->build(scenario.topology);
  parse_arbiters(top, topology, scenario);

  std::set<std::string> names;
  Places places{topology};
  for (MapReader& reader : top.maps("traffic", 1, 1024)) {
    scenario.traffic.push_back(parse_traffic(reader, scenario, places));
    if (!names.insert(scenario.traffic.back().name).second) {
      throw reader.error("name",
                         fmt::format("the name '{}' is given twice", scenario.traffic.back().name));
    }
  }

  if (scenario.has_traces() && !top.has("run")) {
    scenario.measure = kNever;
  } else {
    parse_run(top.map("run"), scenario);
  }
  top.finish();
  return scenario;
}

}  // namespace qosarb
