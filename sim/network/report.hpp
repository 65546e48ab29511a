// What a run gave, for programs (JSON) and for people (a table).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "qosarb/network/network.hpp"

namespace qosarb {

/// Mean, percentiles and maximum of a latency, in ns; all 0 if there was no packet.
struct LatencySummary {
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
};

/// Nearest rank.
struct Quartiles {
  double min = 0;
  double lower = 0;
  double median = 0;
  double upper = 0;
  double max = 0;
};

/// One item of the traffic list. Rates are shares of what the links of all hosts carry together.
struct ClassReport {
  std::string name;
  int queue = 0;
  std::optional<double> asked;  ///< the arbiter's share for its queues, where it promises one
  double offered = 0;
  double accepted = 0;
  double share = 0;           ///< of all flits delivered in the window
  std::uint64_t packets = 0;  ///< that the latencies are taken from
  LatencySummary packet_latency;
  LatencySummary network_latency;
  std::uint64_t messages = 0;      ///< that the next is taken from
  LatencySummary message_latency;  ///< from generation to the last flit's arrival: completion time
  std::optional<Quartiles> host_accepted;  ///< over the hosts that send: what arrived, of its rate
  std::optional<Quartiles> host_latency;  ///< over those of them that have one: mean of packets, ns
  std::optional<Quartiles> host_longest;  ///< the same, the longest of packets, ns
};

/// One host; shares of its link's rate within the measuring window.
struct HostReport {
  double offered = 0;
  double delivered_from = 0;  ///< its flits that arrived anywhere
};

/// A trace that ran. Times from cycle 0; none for what has not finished.
struct TraceReport {
  std::string name;
  std::optional<double> finish_ns;  ///< of the last rank
  std::vector<std::optional<double>> rank_finish_ns;
  std::uint64_t messages = 0;  ///< received
  std::uint64_t bytes = 0;
};

struct RunReport {
  std::uint64_t seed = 0;
  double cycle_ns = 0;
  Cycle cycles = 0;
  bool measured = false;  ///< some cycle of the window has passed; without one shares are all 0
  std::uint64_t decisions = 0;
  std::uint64_t compared = 0;  ///< decisions that two implementations made, and made alike
  FlitTotals flits;
  std::uint64_t flit_hops = 0;
  std::uint64_t packet_hops = 0;
  std::uint64_t pause_frames = 0;
  std::uint64_t reordered = 0;
  SwitchPeaks peaks;  ///< over all switches
  std::uint32_t input_queue_flits = 0;
  std::uint32_t output_queue_flits = 0;
  std::vector<ClassReport> classes;
  std::vector<HostReport> hosts;
  std::vector<TraceReport> traces;
  /// Of the whole run by name, one sum for each queue, class, virtual channel or group.
  using Counters = std::map<std::string, std::vector<std::uint64_t>>;
  Counters switch_counters;  ///< over all ports of switches
  Counters nic_counters;
};

/// One item of the traffic list at a host that sends it.
struct SenderReport {
  int host = 0;
  std::optional<double> accepted;  ///< what arrived of it in the window, of its link's rate; none
                                   ///< if no cycle of that has passed
  std::uint64_t packets = 0;       ///< that the next two are taken from; none without one
  std::optional<double> mean_ns;
  std::optional<double> longest_ns;
};

/// In the order of Network::hosts_that_send(); `entry` counts the items of the traffic list.
std::vector<SenderReport> senders_of(const Network& network, std::size_t entry);

/// Takes the figures of a network that has run. Errors: CheckFailure (see Network::totals()).
RunReport report_of(const Network& network);

/// Adds what the arbiters of all ports have counted.
void add_counters(RunReport& report, Network& network);

/// The JSON object whose keys docs/switch-model.md lists, indented.
/// `engine` is whoever decided. Where nothing was compared, "mismatches" is null, and where no
/// cycle was measured shares are. All but wall_s is the same for the same scenario and seed.
std::string to_json(const RunReport& report, const std::string& engine, double wall_s);

/// A table: asked for, offered, got, latencies of each class; then what the run was.
std::string to_table(const RunReport& report, const std::string& engine, double wall_s);

}  // namespace qosarb
