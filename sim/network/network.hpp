// Hosts and switches, joined as a topology says, under traffic, with everything checked that must
// hold: nothing lost, nothing reordered.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "qosarb/network/backlog.hpp"
#include "qosarb/network/flow_table.hpp"
#include "qosarb/network/scenario.hpp"
#include "qosarb/network/statistics.hpp"
#include "qosarb/network/topology.hpp"
#include "qosarb/policy/counting.hpp"
#include "qosarb/switch/switch.hpp"
#include "qosarb/traffic/trace_run.hpp"

namespace qosarb {

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

class Network {
 public:
  /// Builds it, every port's arbiter by `factory`.
  /// Errors: std::invalid_argument for what load_scenario() would refuse.
  Network(const Scenario& scenario, const ArbiterFactory& factory);
  /// The same with another routing than the scenario's.
  Network(Scenario scenario, const ArbiterFactory& factory, std::unique_ptr<Routing> routing);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network();

  /// Runs all cycles before `end`, or until the last rank of all traces is done; later calls go on
  /// from there.
  /// Errors: InputError for a trace whose ranks wait for each other; CheckFailure naming cycle,
  /// place and packet; also if packets wait for each other in a ring and can never move again, with
  /// the ring.
  void run(Cycle end);

  /// Cycles that have passed.
  [[nodiscard]] Cycle now() const { return fabric_.events.now(); }

  /// A port with its arbiter: "switch0.port3" or "host5.nic".
  struct NamedPort {
    std::string name;
    Sender* port = nullptr;
    int number = 0;  ///< of the switch's ports
  };
  /// All ports, switches first.
  [[nodiscard]] std::vector<NamedPort> ports();
  /// What the arbiter of `port` has counted by now, and its switch at the input of that number;
  /// nothing where they do not count.
  [[nodiscard]] std::vector<CounterValue> counters(const NamedPort& port);
  /// The port called `name`, or null.
  [[nodiscard]] Sender* find_port(std::string_view name);

  /// Calls `hook(cycle)` at the end of every single cycle, also of those in which nothing happens.
  /// Sender::reach() is not called: an arbiter with a clock of its own lags behind until it is
  /// asked.
  void every_cycle(std::function<void(Cycle)> hook) { after_cycle_ = std::move(hook); }

  /// Calls `hook(packet, cycle)` when the last flit of a packet arrives at its host.
  void on_delivery(std::function<void(const PacketRecord&, Cycle)> hook) {
    delivered_hook_ = std::move(hook);
  }

  /// No message is generated any more from now on.
  void stop_traffic() { traffic_stopped_ = true; }

  /// There are traces, and all their ranks are done.
  [[nodiscard]] bool finished() const { return traces_left_ == 0; }
  /// The trace of an item of the traffic list; null if it has none.
  [[nodiscard]] const TraceRun* trace_run(std::size_t entry) const { return traces_[entry].get(); }
  /// Cycles of the measuring window that have passed.
  [[nodiscard]] Cycle measured() const {
    return std::min(now(), window_end_) - std::min(now(), window_begin_);
  }

  [[nodiscard]] Index host_count() const { return count(hosts_); }
  /// Flits a cycle that the links from all hosts carry together.
  [[nodiscard]] double host_rates() const;
  [[nodiscard]] const Scenario& scenario() const { return scenario_; }
  /// One for each item of the traffic list, up to now.
  [[nodiscard]] std::vector<ClassStatistics> classes() const;
  /// One for each host, up to now.
  [[nodiscard]] std::vector<HostStatistics> host_statistics() const;
  /// One traffic entry at one host that sends.
  [[nodiscard]] const SenderStatistics& sender_statistics(std::size_t entry, int host) const {
    return senders_[entry * hosts_.size() + host];
  }
  /// One for each item of the traffic list, from cycle 0 on.
  [[nodiscard]] const std::vector<ClassTotals>& class_totals() const { return class_totals_; }
  /// "host3" or "switch5".
  [[nodiscard]] std::string place_of(Index node) const;
  /// Counts flits where they are. Costs a walk through the whole network.
  /// Errors: CheckFailure if a packet is in no place or in two.
  [[nodiscard]] FlitTotals totals() const;
  /// Queues of switches whose packets wait for each other, so that they never move again; run()
  /// looks for them from time to time. Costs a walk through the whole network.
  [[nodiscard]] std::size_t dead_queues() const;
  /// Packets in the network and in the hosts' queues.
  [[nodiscard]] std::size_t packets_in_use() const {
    return fabric_.packets.in_use() + in_backlogs_;
  }
  [[nodiscard]] std::uint64_t decisions() const { return fabric_.decisions; }
  [[nodiscard]] std::uint64_t flit_hops() const { return fabric_.flit_hops; }
  [[nodiscard]] std::uint64_t pause_frames() const { return fabric_.pause_frames; }
  /// Packets granted at switches.
  [[nodiscard]] std::uint64_t packet_hops() const { return fabric_.packet_hops; }
  /// Packets that arrived behind a later one of their flow. On routes that depend on the flow alone
  /// there is none: it would be a CheckFailure.
  [[nodiscard]] std::uint64_t reordered() const { return reordered_; }
  /// Over all switches.
  [[nodiscard]] SwitchPeaks peaks() const;
  [[nodiscard]] const std::vector<std::unique_ptr<Switch>>& switches() const { return switches_; }

 private:
  struct Host {
    struct EntrySource {
      std::uint16_t entry = 0;
      std::unique_ptr<Source> source;
      Cycle next = 0;  ///< what source->next() says
    };
    Egress nic;
    std::vector<EntrySource> sources;  ///< in the order of the traffic list
    Random routes;                     ///< for what a routing draws
    Cycle last_arrival = 0;
    Cycle planned = kNever;         ///< the next Generate event that counts
    std::vector<Backlog> backlogs;  ///< [queue]: packets behind those of the NIC
  };
  void handle_at_hosts(SimEventKind kind, const EventList& events);
  /// Flits of a packet whose last one arrives at its host in cycle `last`, that arrive in the
  /// cycles from `begin` on before `end`.
  [[nodiscard]] std::uint64_t arrived(PacketId id, Cycle last, Cycle begin, Cycle end) const;
  /// visit(packet, flits) for each packet of which only a part has arrived: `flits` of it within
  /// the window, up to now.
  template <typename Visitor>
  void for_each_partly_arrived(Visitor&& visit) const;
  /// A message that is under way, of several packets or of a trace.
  struct MessageRecord {
    std::uint32_t flits_left = 0;
    std::uint32_t number = 0;  ///< Message::number
  };

  void build(const ArbiterFactory& factory);
  /// Of a sender: a switch's output may have one for each input and virtual channel.
  [[nodiscard]] int most_queues() const {
    return std::max(scenario_.link_vcs(), scenario_.arbiter.queues);
  }
  void ask_routing_before(const Topology& topology);
  /// In flits, of a service level.
  [[nodiscard]] std::uint32_t longest_packet(int level) const;
  void handle(SimEventKind kind, const EventList& events);
  void add_sources(std::uint16_t entry, int hosts);
  void generate(Index host);
  void plan_generation(Index host);
  void send(Index host, std::uint16_t entry, const Message& message);
  void take_from(Index host, Host::EntrySource& from);
  std::uint32_t begin_message(const Message& message);
  void tell_trace(Index host, std::uint16_t entry, std::uint32_t number);
  void finish_trace(std::uint16_t entry);
  void inject(Index host, int queue, const SourcePacket& from);
  [[nodiscard]] SenderStatistics& sender(std::size_t entry, Index host) {
    return senders_[entry * fabric_.hosts + host];
  }
  /// In the measuring window.
  [[nodiscard]] bool measures(Cycle cycle) const {
    return cycle - window_begin_ < window_end_ - window_begin_;
  }
  void serve_host(Index host);
  void delivered(Index host, PacketId id);
  void connect(const Topology::End& from, const Topology::End& to, LinkKind kind, Index direction);
  /// Errors: CheckFailure if packets wait for each other for good, or nothing can move any more.
  void check_progress();

  Scenario scenario_;
  std::unique_ptr<Routing> routing_;
  Fabric fabric_;
  std::vector<Host> hosts_;
  std::vector<std::unique_ptr<Switch>> switches_;
  std::vector<ClassStatistics> classes_;           ///< flits are counted in senders_
  std::vector<SenderStatistics> senders_;          ///< [traffic entry][host]
  std::vector<ClassTotals> class_totals_;          ///< [traffic entry]
  std::vector<bool> finished_;                     ///< [traffic entry]
  std::vector<std::unique_ptr<TraceRun>> traces_;  ///< [traffic entry], null if it is none
  int traces_left_ = -1;                           ///< not finished; -1 if there are none
  std::vector<MessageRecord> messages_;
  std::vector<std::uint32_t> free_messages_;
  static constexpr std::uint32_t kNoMessage = ~std::uint32_t{0};
  std::vector<std::uint32_t> message_of_;  ///< [packet]; kNoMessage for one that is all of it
  /// What a message needs of its item of the traffic list, together.
  struct EntryWay {
    Mask vcs = 0;               ///< that its packets may take
    std::uint32_t longest = 1;  ///< packet, in flits
    std::uint16_t level = 0;    ///< service level
    bool trace = false;         ///< it is one
  };
  std::vector<EntryWay> ways_;  ///< [traffic entry]
  FlowTable flows_;
  std::size_t in_backlogs_ = 0;  ///< packets
  std::uint64_t reordered_ = 0;
  std::uint64_t injected_ = 0;   ///< flits of packets that started to leave hosts
  std::uint64_t delivered_ = 0;  ///< flits of packets delivered whole
  Cycle window_begin_;
  Cycle window_end_;
  bool traffic_stopped_ = false;
  bool has_routes_ = true;               ///< Packet::route means something to the routing
  bool slow_hosts_ = false;              ///< a host's link is slower than the port clock
  Cycle next_check_ = 0;                 ///< of progress
  Cycle check_interval_ = 1;             ///< until then
  std::uint64_t checked_flit_hops_ = 0;  ///< then
  std::uint64_t next_search_ = 0;  ///< for a part that stands still, when so many hops are done
  std::function<void(Cycle)> after_cycle_;
  std::function<void(const PacketRecord&, Cycle)> delivered_hook_;
};

}  // namespace qosarb
