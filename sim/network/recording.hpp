// What a run looked like over time, and which links and flows were worst.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "qosarb/network/network.hpp"

namespace qosarb {

/// Looks at a network at the ends of slices of time. Without a length of its own, slices are as
/// long as it takes for there to be between 64 and 128 of them, but at least 256 cycles.
class Recording {
 public:
  /// `slice` in cycles; 0: by itself. `network` must outlive this. With `flows`, which takes memory
  /// for each, it has no other hook for deliveries.
  Recording(Network& network, Cycle slice, bool flows);

  /// The end of the present slice: Network::run() up to there, then sample().
  [[nodiscard]] Cycle next() const { return samples_.back().end + slice_; }
  /// A slice ends now; at the end of the run, a shorter one.
  void sample();

  /// The figures of one slice.
  struct Slice {
    Cycle end = 0;
    std::vector<double> got;      ///< [class], share of the host links
    std::vector<double> latency;  ///< [class], mean of packets, cycles; < 0: none
    /// [link], flits as a share of what it carries in a slice. A packet counts whole at its grant:
    /// in a slice that is short beside it this may be above 1.
    std::vector<float> utilization;
    std::vector<CounterValue> counters;  ///< of all switches together, what the slice added
  };
  [[nodiscard]] std::vector<Slice> slices() const;

  /// One direction of a link.
  struct Link {
    std::string name;  ///< of the port that sends
    Index from = 0;
    Index port = 0;  ///< of `from`
    Index to = 0;
    double utilization = 0;  ///< of the whole run
  };
  /// As in Slice::utilization: of all ports that have a link.
  [[nodiscard]] std::vector<Link> links() const;

  struct Flow {
    Index source = 0;
    Index destination = 0;
    std::uint16_t entry = 0;
    std::uint64_t packets = 0;
    std::uint64_t latency = 0;  ///< of packets, summed, cycles
    Cycle longest = 0;
  };
  /// The `most` with the largest mean latency of all packets of the run, slowest first.
  [[nodiscard]] std::vector<Flow> slowest_flows(int most) const;

 private:
  struct Sample {
    Cycle end = 0;
    std::vector<ClassTotals> classes;
    std::vector<std::uint64_t> sent;     ///< [port], flits
    std::vector<CounterValue> counters;  ///< sums over all ports of switches
  };
  [[nodiscard]] Sample take() const;
  /// Flits a cycle of the link of a port.
  [[nodiscard]] double rate_of(std::size_t port) const {
    return ports_[port].port->wire().rate.per_cycle();
  }
  static void add(std::vector<CounterValue>& sums, const std::vector<CounterValue>& counters);

  Network& network_;
  std::vector<Network::NamedPort> ports_;  ///< with a link
  Cycle slice_;
  bool adapts_;
  std::vector<Sample> samples_;  ///< from cycle 0 on
  std::unordered_map<std::uint64_t, Flow> flows_;
};

}  // namespace qosarb
