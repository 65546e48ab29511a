// A scenario file: the arbiter of every port, the network, the traffic, the run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "qosarb/config/ratio.hpp"
#include "qosarb/network/topology.hpp"
#include "qosarb/policy/config.hpp"
#include "qosarb/switch/switch.hpp"
#include "qosarb/switch/vc_allocation.hpp"
#include "qosarb/traffic/traffic.hpp"

namespace qosarb {

/// The largest seed, of a file and of a command's option: numbers of YAML and of JSON are signed to
/// many readers.
inline constexpr std::int64_t kMaxSeed = INT64_MAX;

/// The arbiter of some ports, instead of the scenario's.
struct ArbiterAt {
  std::string at;  ///< "switches", "nics", "switch3", "switch3.port2", "host5.nic"
  ArbiterConfig arbiter;
};

struct Scenario {
  std::string text;  ///< of its file, which may be another one by the end of a run
  ArbiterConfig arbiter;
  std::vector<ArbiterAt> arbiters;  ///< of several that name a port the last one holds
  int channels_per_queue = 1;       ///< more: each queue of the arbiters is a class of so many

  TopologyConfig topology = single_switch(8);
  std::uint64_t link_mbps = 400'000;                     ///< of the port clock: a flit each cycle
  std::array<std::uint32_t, 3> link_delays{20, 20, 20};  ///< [LinkKind], in cycles, rounded up
  std::array<LinkRate, 3> link_rates;                    ///< [LinkKind]
  /// Of links that have one of their own, by either end: (node, port).
  std::map<std::pair<Index, Index>, std::uint32_t> own_delays;
  std::map<std::pair<Index, Index>, LinkRate> own_rates;
  std::uint32_t flit_bytes = 64;
  SwitchConfig switches;
  VcMap vcs;  ///< empty: default_vcs()
  const VcAllocation* vc_allocation = vc_allocations().front();

  std::vector<TrafficEntry> traffic;

  Cycle warmup = 0;   ///< cycles before the measuring window
  Cycle measure = 1;  ///< cycles of the window; kNever: until all ranks of all traces are done
  std::uint64_t seed = 1;

  /// The cycle behind the last one, unless all ranks are done before; kNever if only that ends it.
  [[nodiscard]] Cycle end() const { return measure == kNever ? kNever : warmup + measure; }

  /// One flit on a link at the port clock's rate.
  [[nodiscard]] double cycle_ns() const {
    return ratio(std::uint64_t{flit_bytes} * 8000, link_mbps);
  }
  [[nodiscard]] double ns(Cycle cycles) const { return static_cast<double>(cycles) * cycle_ns(); }
  /// Of the link at `end`, in cycles.
  [[nodiscard]] std::uint32_t delay_of(const Topology::End& end, LinkKind kind) const {
    const auto own = own_delays.find({end.node, end.port});
    return own != own_delays.end() ? own->second : link_delays[static_cast<std::size_t>(kind)];
  }
  /// Of the link at `end`.
  [[nodiscard]] LinkRate rate_of(const Topology::End& end, LinkKind kind) const {
    const auto own = own_rates.find({end.node, end.port});
    return own != own_rates.end() ? own->second : link_rates[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] LinkRate host_rate(Index host) const {
    return rate_of({.node = host}, LinkKind::Host);
  }
  /// No link's is longer.
  [[nodiscard]] std::uint32_t longest_delay() const;
  /// No link is slower.
  [[nodiscard]] LinkRate slowest_rate() const;
  /// Virtual channels of a link: the queues of a NIC.
  [[nodiscard]] int link_vcs() const {
    return switches.architecture->queue_per_input ? switches.vcs
                                                  : arbiter.queues * channels_per_queue;
  }
  /// The files that its traffic was read from: traces and lists of sizes.
  [[nodiscard]] std::vector<std::string> files_of_traffic() const;
  /// Ranks of a trace or an application are among the traffic: the run ends when they are done.
  [[nodiscard]] bool has_traces() const;
  /// The arbiter of a port, named as PortPlace does.
  [[nodiscard]] const ArbiterConfig& arbiter_at(const std::string& chip,
                                                const std::string& port) const;
};

/// Where switches have arbiters with a queue for each (input, virtual channel), those of the NICs
/// have one for each virtual channel. This gives NICs round robin, for which `arbiters` may have
/// others; it does nothing where all have the same queues.
void add_nic_arbiters(Scenario& scenario);

/// Service level s has the queues s x stages to s x stages + stages - 1, one for each stage.
VcMap default_vcs(int queues, int stages);

/// What no switch of a network can be built from.
struct SwitchFault {
  std::string key;  ///< of the `switch:` section
  std::string says;
};
/// Why the queues of `scenario` do not fit its packets and links, if they do not.
std::optional<SwitchFault> fault_of_switch(const Scenario& scenario, const Topology& topology);

/// Reads a scenario; files that it names are looked for beside it.
/// Errors: InputError naming file, line and fault, for whatever docs/switch-model.md,
/// docs/networks.md and docs/traffic.md do not allow, and for an input queue that cannot hold its
/// PFC headroom and a packet.
Scenario load_scenario(const std::string& file);

}  // namespace qosarb
