// Hosts and switches, joined as a topology says, under traffic, with everything checked that must
// hold: nothing lost, nothing reordered.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "qosarb/network/scenario.hpp"
#include "qosarb/network/statistics.hpp"
#include "qosarb/network/topology.hpp"
#include "qosarb/switch/switch.hpp"

namespace qosarb {

/// Flits counted by the end of the cycles that have passed.
struct FlitTotals {
  std::uint64_t injected = 0;   ///< left a host
  std::uint64_t delivered = 0;  ///< arrived at a host
  std::uint64_t in_flight = 0;  ///< found on wires, in queues and in crossbars
  /// injected - delivered - in_flight; anything but 0 is a fault of the model.
  [[nodiscard]] std::int64_t lost() const {
    return static_cast<std::int64_t>(injected) - static_cast<std::int64_t>(delivered) -
           static_cast<std::int64_t>(in_flight);
  }
};

class Network {
 public:
  /// Builds it, every port's arbiter by `factory`.
  Network(Scenario scenario, const ArbiterFactory& factory);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network();

  /// Runs all cycles before `end`; later calls go on from there.
  /// Errors: CheckFailure naming cycle, place and packet.
  void run(Cycle end);

  /// Cycles that have passed.
  [[nodiscard]] Cycle now() const { return fabric_.events.now(); }

  /// A port with its arbiter: "switch0.port3" or "host5.nic".
  struct NamedPort {
    std::string name;
    Port* port = nullptr;
  };
  /// All ports, switches first.
  [[nodiscard]] std::vector<NamedPort> ports();
  /// The port called `name`, or null.
  [[nodiscard]] Port* find_port(std::string_view name);

  /// Calls `hook(cycle)` at the end of every single cycle, also of those in which nothing happens.
  /// Port::reach() is not called: an arbiter with a clock of its own lags behind until it is asked.
  void every_cycle(std::function<void(Cycle)> hook) { after_cycle_ = std::move(hook); }

  /// Calls `hook(packet, cycle)` when the last flit of a packet arrives at its host.
  void on_delivery(std::function<void(const Packet&, Cycle)> hook) {
    delivered_hook_ = std::move(hook);
  }

  /// No message is generated any more from now on.
  void stop_traffic() { traffic_stopped_ = true; }

  [[nodiscard]] std::size_t host_count() const { return hosts_.size(); }
  [[nodiscard]] const Scenario& scenario() const { return scenario_; }
  /// One for each item of the traffic list, up to now.
  [[nodiscard]] std::vector<ClassStatistics> classes() const;
  /// Counts flits where they are. Costs a walk through the whole network.
  /// Errors: CheckFailure if a packet is in no place or in two.
  [[nodiscard]] FlitTotals totals() const;
  /// Packets in the network and in the hosts' queues.
  [[nodiscard]] std::size_t packets_in_use() const { return fabric_.packets.in_use(); }
  [[nodiscard]] std::uint64_t decisions() const { return fabric_.decisions; }
  [[nodiscard]] std::uint64_t flit_hops() const { return fabric_.flit_hops; }
  [[nodiscard]] std::uint64_t pause_frames() const { return fabric_.pause_frames; }
  [[nodiscard]] const std::vector<Switch>& switches() const { return switches_; }

 private:
  struct Host {
    Egress nic;
    std::vector<TrafficSource> sources;
    Cycle last_arrival = 0;
  };

  void handle(const SimEvent& event);
  void generate(std::uint32_t host);
  void plan_generation(std::uint32_t host);
  void serve_host(std::uint32_t host);
  void delivered(std::uint32_t host, PacketId id);
  [[nodiscard]] std::size_t flow(const Packet& packet) const;
  void connect(const Topology::End& from, const Topology::End& to);

  Scenario scenario_;
  Topology topology_;
  Fabric fabric_;
  std::vector<Host> hosts_;
  std::vector<Switch> switches_;
  std::vector<ClassStatistics> classes_;
  std::vector<std::uint32_t> next_number_;      ///< of each flow, to be generated
  std::vector<std::uint32_t> expected_number_;  ///< of each flow, to be delivered
  std::uint64_t injected_ = 0;                  ///< flits of packets that started to leave hosts
  std::uint64_t delivered_ = 0;                 ///< flits of packets delivered whole
  Cycle window_begin_;
  Cycle window_end_;
  bool traffic_stopped_ = false;
  std::function<void(Cycle)> after_cycle_;
  std::function<void(const Packet&, Cycle)> delivered_hook_;
};

}  // namespace qosarb
