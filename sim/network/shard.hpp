// A part of a network, which is simulated by itself for a while.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "qosarb/network/backlog.hpp"
#include "qosarb/network/flow_table.hpp"
#include "qosarb/network/scenario.hpp"
#include "qosarb/network/statistics.hpp"
#include "qosarb/switch/switch.hpp"
#include "qosarb/traffic/trace_run.hpp"

namespace qosarb {

/// A host: its NIC and what it has to send.
struct Host {
  struct EntrySource {
    std::uint16_t entry = 0;
    std::unique_ptr<Source> source;
    Cycle next = 0;  ///< what source->next() says
  };
  Egress nic;
  std::vector<EntrySource> sources;  ///< in the order of the traffic list
  Cycle planned = kNever;            ///< the next Generate event that counts
  Cycle last_arrival = 0;
  std::vector<Backlog> backlogs;         ///< [queue]: packets behind those of the NIC
  std::vector<std::uint32_t> generated;  ///< [service level]: packets, for PacketRecord::number
  Random routes;                         ///< for what a routing draws

  // Ask for the memory that generating and injecting read, as Egress does for its own.
  void ask_for_memory() const {
    nic.ask_for_memory();
    __builtin_prefetch(&sources);
    __builtin_prefetch(&backlogs);
  }
  void ask_for_queues() const {
    nic.ask_for_queues();
    __builtin_prefetch(&backlogs.front());
    __builtin_prefetch(&backlogs.back());
  }
};

/// All hosts and switches of a network, each of which only its own shard touches in a run, and what
/// all shards need to know.
struct Nodes {
  Nodes(Scenario scenario, std::unique_ptr<Routing> routing);

  Scenario scenario;
  std::unique_ptr<Routing> routing;
  std::vector<Host> hosts;
  std::vector<std::unique_ptr<Switch>> switches;
  std::vector<Index> shard_of_host;
  std::vector<KnownHop> known_hops;  ///< Fabric::known_hops, or empty

  /// What a message needs of its item of the traffic list, together.
  struct EntryWay {
    Mask vcs = 0;               ///< that its packets may take
    std::uint32_t longest = 1;  ///< packet, in flits
    std::uint16_t level = 0;    ///< service level
    bool trace = false;         ///< it is one
  };
  std::vector<EntryWay> ways;  ///< [traffic entry]

  std::vector<std::vector<int>> senders;          ///< [traffic entry]: hosts that ever send
  std::vector<std::unique_ptr<TraceRun>> traces;  ///< [traffic entry], null if it is none
  std::vector<bool> finished;                     ///< [traffic entry]
  int traces_left = -1;                           ///< not finished; -1 if there are none

  /// What a packet's ends know of it besides its record.
  struct PacketEnds {
    std::uint32_t message = 0;  ///< that it is a part of; kNoMessage for one that is all of it
    std::uint32_t turn = 0;     ///< in its flow; see FlowTable
  };
  static constexpr std::uint32_t kNoMessage = ~std::uint32_t{0};
  Reserved<PacketEnds> packet_ends{kMostPackets};
  /// A message that is under way, of several packets or of a trace.
  struct MessageRecord {
    std::uint32_t flits_left = 0;
    std::uint32_t number = 0;  ///< Message::number
  };
  Reserved<MessageRecord> messages{kMostPackets};

  Cycle window_begin;
  Cycle window_end;
  bool traffic_stopped = false;
  bool has_routes;          ///< Packet::route means something to the routing
  bool slow_hosts = false;  ///< a host's link is slower than the port clock
  std::function<void(Cycle)> after_cycle;
  std::function<void(const PacketRecord&, Cycle)> delivered_hook;

  /// In the measuring window.
  [[nodiscard]] bool measures(Cycle cycle) const {
    return cycle - window_begin < window_end - window_begin;
  }
  /// Flits of a packet whose last one arrives at its host in cycle `last`, that arrive in the
  /// cycles from `begin` on before `end`.
  [[nodiscard]] std::uint64_t arrived(const PacketRecord& record, std::uint64_t flits, Cycle last,
                                      Cycle begin, Cycle end) const;
};

/// What the shards of one thread share, which run one after the other.
struct Common {
  std::vector<Credits> credits;           ///< Fabric::credits
  std::vector<std::uint64_t> sent_flits;  ///< Fabric::sent_flits
  std::vector<ClassStatistics> classes;   ///< [traffic entry]; flits are counted in `senders`
  std::vector<SenderStatistics> senders;  ///< [traffic entry][host], whatever its shard
  std::vector<ClassTotals> class_totals;  ///< [traffic entry]
};

/// Some of the hosts and switches, with the events that happen there and what is counted there.
/// Shards meet over links only: what one does to another takes the delay of a link, and is told to
/// it when the cycles of that delay are over. So each may run that long before the next one does,
/// which is kinder to caches than one shard that has all, or on a thread of its own; the bits are
/// the same.
class Shard {
 public:
  /// Number `number` of `count`. Those behind the first one share its packets' memory.
  Shard(Nodes& nodes, Common& common, Index number, Index count, Shard* first);

  /// Handles all events before cycle `end`. Errors: those of Network::run().
  void run(Cycle end);
  [[nodiscard]] Cycle now() const { return fabric.events.now(); }

  /// Tells the others what was left for them, and takes a few free numbers of packets to where they
  /// are used. When the first of what is told happens, or kNever. None of `all` runs now.
  static Cycle meet(std::span<const std::unique_ptr<Shard>> all);
  /// Takes in what others told.
  void hear();
  /// Calls Nodes::delivered_hook for what was delivered in several shards, cycle by cycle.
  static void tell_deliveries(std::span<const std::unique_ptr<Shard>> all);

  /// Packets taken here, less those given back here, and those in backlogs.
  [[nodiscard]] std::int64_t packets_in_use() const {
    return fabric.packets.ids().in_use() + static_cast<std::int64_t>(in_backlogs);
  }

  /// A host of this shard has a new source, or none yet: its first message is planned.
  void plan_generation(Index host);

  Fabric fabric;
  std::size_t in_backlogs = 0;  ///< packets
  std::uint64_t reordered = 0;
  std::uint64_t injected = 0;   ///< flits of packets that started to leave hosts
  std::uint64_t delivered = 0;  ///< flits of packets delivered whole

 private:
  /// There are no others.
  [[nodiscard]] bool alone() const { return heard_.size() == 1; }
  void handle(SimEventKind kind, const EventList& events);
  void handle_at_hosts(SimEventKind kind, const EventList& events);
  void generate(Index host);
  void send(Index host, std::uint16_t entry, const Message& message);
  void take_from(Index host, Host::EntrySource& from);
  std::uint32_t begin_message(const Message& message);
  void tell_trace(Index host, std::uint16_t entry, std::uint32_t number);
  void finish_trace(std::uint16_t entry);
  void inject(Index host, int queue, const SourcePacket& from);
  /// A packet that was injected. Its record is not to be read for that by another thread.
  struct Injected {
    PacketId packet = kNoPacket;
    Index source = 0;
    Index destination = 0;
    Index level = 0;  ///< service level
  };
  /// These packets, which come to hosts of this shard, have their turns in their flows.
  void take_turns(std::vector<Injected>& packets);
  void serve_host(Index host);
  void deliver(Index host, PacketId id);
  [[nodiscard]] SenderStatistics& sender(std::size_t entry, Index host) {
    return common_.senders[entry * fabric.hosts + host];
  }

  Nodes& nodes_;
  Common& common_;
  Index number_;
  FlowTable flows_;  ///< to hosts of this shard
  Ids messages_;
  std::int64_t elsewhere_ = 0;  ///< packets_in_use() of the others when they met last
  /// [shard]: packets that were injected here for its hosts and have no turns yet: in a while, when
  /// the memory for it is there, or when the shards meet.
  std::vector<std::vector<Injected>> injected_for_;
  // What others told.
  std::vector<std::vector<Fabric::Post>> heard_;      ///< [shard]
  std::vector<std::vector<Injected>> heard_packets_;  ///< [shard]
  struct Delivery {
    PacketRecord packet;
    Cycle when = 0;
  };
  std::vector<Delivery> deliveries_;  ///< if somebody wants to know, and there are other shards
};

}  // namespace qosarb
