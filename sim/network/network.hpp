// Hosts and switches, joined as a topology says, under traffic, with everything checked that must
// hold: nothing lost, nothing reordered.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qosarb/network/scenario.hpp"
#include "qosarb/network/shard.hpp"
#include "qosarb/network/statistics.hpp"
#include "qosarb/network/topology.hpp"
#include "qosarb/policy/counting.hpp"
#include "qosarb/switch/switch.hpp"

namespace qosarb {

class StallSearch;

/// Flits counted by the end of the cycles that have passed.
struct FlitTotals {
  std::uint64_t injected = 0;   ///< left a host
  std::uint64_t delivered = 0;  ///< arrived at a host
  std::uint64_t in_flight = 0;  ///< found on wires, in queues and in crossbars
  /// injected - delivered - in_flight; anything but 0 is a fault of the model.
  [[nodiscard]] std::int64_t lost() const {
    return static_cast<std::int64_t>(injected - delivered - in_flight);
  }
};

/// How a network is simulated, which changes nothing but how long that takes.
struct Cut {
  /// On more than one, arbiters of different switches, and of hosts, are asked at the same time.
  int threads = 1;
  /// Parts of which each is simulated by itself for a while; 0: as many as are fastest.
  int shards = 0;
  /// It is too large for the caches, so that memory is asked for before its turn; nothing: if it
  /// has many nodes.
  std::optional<bool> large = std::nullopt;
};

class Network {
 public:
  /// Builds it, every port's arbiter by `factory`. Errors: std::invalid_argument for what
  /// fault_of_switch() and obstacle_to_threads() tell, and for fewer shards than threads or more
  /// than there may be; InputError for a trace whose calculations take longer than any run. What
  /// else load_scenario() would refuse is not looked for: of a scenario that is made by hand it has
  /// to be right.
  Network(const Scenario& scenario, const ArbiterFactory& factory, Cut cut = {});
  /// The same with another routing than the scenario's.
  Network(Scenario scenario, const ArbiterFactory& factory, std::unique_ptr<Routing> routing,
          Cut cut = {});
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network();

  /// Runs all cycles before `end`, or until the last rank of all traces is done; later calls go on
  /// from there.
  /// Errors: InputError for a trace whose ranks wait for each other; CheckFailure naming cycle,
  /// place and packet; also if packets wait for each other in a ring and can never move again, with
  /// the ring.
  void run(Cycle end);

  /// Looks for what run() looks for from time to time, as nobody does after the last time. Costs a
  /// walk through the whole network. Errors: CheckFailure if packets wait for each other for good,
  /// or nothing can move any more.
  void check_stall() const { static_cast<void>(search_for_stall(false)); }

  /// Cycles that have passed.
  [[nodiscard]] Cycle now() const { return shards_.front()->now(); }
  /// The first cycle from now() on in which something happens; `end` if that is not before it. Not
  /// to be called by a hook.
  [[nodiscard]] Cycle next_busy(Cycle end) const {
    for (const auto& one : shards_) {
      end = one->fabric.events.next_busy(end);
    }
    return end;
  }

  /// A port with its arbiter: "switch0.port3" or "host5.nic".
  struct NamedPort {
    std::string name;
    Sender* port = nullptr;
    int number = 0;  ///< of the switch's ports
  };
  /// All ports, switches first.
  [[nodiscard]] std::vector<NamedPort> ports();
  /// The same without those that have no link.
  [[nodiscard]] std::vector<NamedPort> ports_with_links();
  /// What the arbiter of `port` has counted by now, and its switch at the input of that number;
  /// nothing where they do not count.
  [[nodiscard]] std::vector<CounterValue> counters(const NamedPort& port);
  /// The port called `name`, or null.
  [[nodiscard]] Sender* find_port(std::string_view name);

  /// Calls `hook(cycle)` at the end of every single cycle, also of those in which nothing happens.
  /// Sender::reach() is not called: an arbiter with a clock of its own lags behind until it is
  /// asked. Errors: std::logic_error if the network is cut into several shards.
  void every_cycle(std::function<void(Cycle)> hook);

  /// Calls `hook(packet, cycle)` for each packet whose last flit arrives at its host, cycle by
  /// cycle: in that cycle, or if there are several shards, before run() returns.
  void on_delivery(std::function<void(const PacketRecord&, Cycle)> hook) {
    nodes_.delivered_hook = std::move(hook);
  }

  /// No message is generated any more from now on.
  void stop_traffic() { nodes_.traffic_stopped = true; }

  /// There are traces, and all their ranks are done.
  [[nodiscard]] bool finished() const { return nodes_.traces_left == 0; }
  /// The trace of an item of the traffic list; null if it has none.
  [[nodiscard]] const TraceRun* trace_run(std::size_t entry) const {
    return nodes_.traces[entry].get();
  }
  /// Cycles of the measuring window that have passed.
  [[nodiscard]] Cycle measured() const {
    return std::min(now(), nodes_.window_end) - std::min(now(), nodes_.window_begin);
  }

  [[nodiscard]] Index host_count() const { return count(nodes_.hosts); }
  /// Flits a cycle that the links from all hosts carry together.
  [[nodiscard]] double host_rates() const;
  [[nodiscard]] const Scenario& scenario() const { return nodes_.scenario; }
  /// The arbiters' queues that packets of a service level may use, in any stage of the routing; of
  /// each input, where those have their own.
  [[nodiscard]] Mask queues_of(int level) const;
  /// Some port has this arbiter of the scenario.
  [[nodiscard]] bool has_in_force(const ArbiterConfig& arbiter) const {
    return in_force_.contains(&arbiter);
  }
  /// One for each item of the traffic list, up to now.
  [[nodiscard]] std::vector<ClassStatistics> classes() const;
  /// One for each host, up to now.
  [[nodiscard]] std::vector<HostStatistics> host_statistics() const;
  /// Those of one traffic entry that ever send: not the rank of a trace that only receives, nor a
  /// host that a permutation maps to itself.
  [[nodiscard]] const std::vector<int>& hosts_that_send(std::size_t entry) const {
    return nodes_.senders[entry];
  }
  /// One traffic entry at one host that sends.
  [[nodiscard]] SenderStatistics sender_statistics(std::size_t entry, int host) const;
  /// One for each item of the traffic list, from cycle 0 on.
  [[nodiscard]] std::vector<ClassTotals> class_totals() const;
  /// "host3" or "switch5".
  [[nodiscard]] std::string place_of(Index node) const;
  /// Counts flits where they are. Costs a walk through the whole network.
  /// Errors: CheckFailure if a packet is in no place or in two.
  [[nodiscard]] FlitTotals totals() const;
  /// Queues of switches whose packets wait for each other, so that they never move again; run()
  /// looks for them from time to time. Costs a walk through the whole network.
  [[nodiscard]] std::size_t dead_queues() const;
  /// Packets in the network and in the hosts' queues.
  [[nodiscard]] std::size_t packets_in_use() const;
  [[nodiscard]] std::uint64_t decisions() const {
    return sum([](const Shard& one) { return one.fabric.decisions; });
  }
  [[nodiscard]] std::uint64_t flit_hops() const {
    return sum([](const Shard& one) { return one.fabric.flit_hops; });
  }
  [[nodiscard]] std::uint64_t pause_frames() const {
    return sum([](const Shard& one) { return one.fabric.pause_frames; });
  }
  /// Packets granted at switches.
  [[nodiscard]] std::uint64_t packet_hops() const {
    return sum([](const Shard& one) { return one.fabric.packet_hops; });
  }
  /// Packets that arrived behind a later one of their flow. On routes that depend on the flow alone
  /// there is none: it would be a CheckFailure.
  [[nodiscard]] std::uint64_t reordered() const {
    return sum([](const Shard& one) { return one.reordered; });
  }
  /// Over all switches.
  [[nodiscard]] SwitchPeaks peaks() const;

 private:
  /// `get(shard)` of all shards together.
  template <typename Get>
  [[nodiscard]] std::uint64_t sum(Get&& get) const {
    std::uint64_t sum = 0;
    for (const auto& one : shards_) {
      sum += get(*one);
    }
    return sum;
  }
  /// visit(cycle, kind, event) for every event that is still to come; see EventQueue::for_each().
  template <typename Visitor>
  void for_each_event(Visitor&& visit) const {
    for (const auto& one : shards_) {
      one->fabric.events.for_each(visit);
    }
  }
  /// visit(packet, flits) for each packet of which only a part has arrived: `flits` of it within
  /// the window, up to now.
  template <typename Visitor>
  void for_each_partly_arrived(Visitor&& visit) const;
  /// Flits of packet `id` as Nodes::arrived().
  [[nodiscard]] std::uint64_t arrived(PacketId id, Cycle last, Cycle begin, Cycle end) const {
    return nodes_.arrived(packets().record(id), packets()[id].flits, last, begin, end);
  }
  [[nodiscard]] const PacketPool& packets() const { return shards_.front()->fabric.packets; }

  void build(const ArbiterFactory& factory, Cut cut);
  void build_shards(const Topology& topology, int shards, Cut cut);
  void build_fabric(Fabric& fabric, const Topology& topology, Cut cut) const;
  /// Hosts and switches with their arbiters, not joined yet.
  void build_nodes(const Topology& topology, const ArbiterFactory& factory);
  [[nodiscard]] VcMap vc_map() const {
    const Scenario& of = nodes_.scenario;
    return of.vcs.masks.empty() ? default_vcs(of.link_vcs(), nodes_.routing->stages()) : of.vcs;
  }
  void ask_routing_before(const Topology& topology);
  /// In flits, of a service level.
  [[nodiscard]] std::uint32_t longest_packet(int level) const;
  [[nodiscard]] StallSearch stall_search() const;
  void add_sources(std::uint16_t entry, int hosts);
  void connect(const Topology::End& from, const Topology::End& to, LinkKind kind, Index direction,
               std::span<const Index> shard_of);
  /// Errors: those of check_stall().
  void check_progress();
  void check_arbiters() const;
  [[nodiscard]] bool any_match() const;
  /// The same, where it is known whether something `moves`. Packets and queues that were looked at.
  [[nodiscard]] std::size_t search_for_stall(bool moves) const;
  /// What a shard does shows in others, or ends the run, after so many cycles or later; 0 if that
  /// has ended.
  [[nodiscard]] Cycle look_ahead() const;

  Nodes nodes_;
  std::vector<Common> commons_;  ///< one for each thread
  std::vector<std::unique_ptr<Shard>> shards_;
  std::set<const ArbiterConfig*> in_force_;  ///< the scenario's that some port has
  Cycle look_ahead_ = kNever;                ///< look_ahead() while traces have messages to send
  Cycle next_check_ = 0;                     ///< of progress
  Cycle check_interval_ = 1;                 ///< until then
  std::uint64_t checked_flit_hops_ = 0;      ///< then
  std::uint64_t next_search_ = 0;  ///< for a part that stands still, when so many hops are done
};

/// Why a network of `scenario` cannot run on so many threads, in words; nothing if it can.
std::optional<std::string> obstacle_to_threads(const Scenario& scenario, int threads);

}  // namespace qosarb
