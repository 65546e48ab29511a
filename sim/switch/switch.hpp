// A switch: input ports with a queue for each virtual channel, divided into virtual output queues.
// How packets get from there to the wires is what the architectures differ in: see cioq.cpp,
// input_queued.cpp, seastar.cpp and hierarchical.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qosarb/policy/arbiter.hpp"
#include "qosarb/policy/counting.hpp"
#include "qosarb/switch/egress.hpp"
#include "qosarb/switch/flow_control.hpp"

namespace qosarb {

/// Ports of a switch: the masks of its crossbar have a bit for each. BXIv3's has 64.
inline constexpr int kMaxRadix = 64;

struct SwitchKind;
extern const SwitchKind kCioq;

struct SwitchConfig {
  std::uint32_t input_queue_flits = 768;  ///< of each virtual channel of each input port
  /// Of each virtual channel of each output port; seastar: of each staging buffer.
  std::uint32_t output_queue_flits = 768;
  Speedup speedup;                     ///< of the crossbar
  std::uint32_t input_latency = 4;     ///< cycles from a flit's arrival until it may cross
  std::uint32_t crossbar_latency = 2;  ///< cycles through the crossbar, >= 1
  std::uint32_t output_latency = 2;    ///< cycles from an output to the wire
  // Of switches with central buffers (hierarchical):
  int mport_ports = 4;                      ///< ports of an MPort
  std::uint32_t central_queue_flits = 768;  ///< of each virtual channel of a central buffer
  Speedup central_speedup = {4, 1};         ///< of the central crossbar
  std::uint32_t central_latency = 1;        ///< as input_latency, of a central buffer, >= 1
  const FlowControlKind* flow_control = &kPfc;
  const SwitchKind* architecture = &kCioq;
  /// Virtual channels of a link, where the outputs' arbiters have a queue for each (input, virtual
  /// channel); otherwise they have one for each virtual channel, and this means nothing.
  int vcs = 1;
  /// Of the same switches: so many flits in so many cycles may go to a host; not above the link's
  /// rate.
  Speedup ejection = {1, 1};
  /// Only for tests: the headroom is that much smaller than pfc_headroom() says.
  std::uint32_t headroom_cut = 0;
};

/// What a switch saw, for reports.
struct SwitchPeaks {
  /// Most flits in one input queue, before a cycle's crossings; with credits, most that were taken.
  std::uint32_t input_queue_flits = 0;
  std::uint32_t output_queue_flits = 0;  ///< most flits reserved in one output queue
};

/// What a switch is built from.
struct SwitchParts {
  SwitchConfig config;
  std::string place;  ///< "switch0"
  Index node = 0;     ///< of the network
  Index number = 0;   ///< of the switches
  int ports = 1;
  int queues = 1;  ///< virtual channels of a link
  int service_levels = 1;
  int arbiter_queues = 1;  ///< of each output's arbiter
  std::uint32_t max_packet_flits = 1;
  /// The arbiter of an output port.
  std::function<std::unique_ptr<Arbiter>(int port)> arbiter;
};

/// A packet that waits in a switch, for explaining a stall.
struct Waiting {
  PacketId packet = kNoPacket;
  int input = -1;  ///< by which it came; -1 if it has left the input queues
  int output = 0;
  int central = -1;       ///< the central buffer that it is in
  int next_central = -1;  ///< the one that it waits for; -1: it waits for the output
  int buffer = -1;        ///< seastar: the staging buffer that it is in or waits for
};

/// Handlers of the events of one switch. A network creates it, connects its ports, and calls the
/// handler that an event names, in the order of SimEventKind within each cycle.
///
/// Times are exact although packets move as one object: flits arrive one a cycle; a packet that
/// starts to cross in cycle x has flit i read in max(x + ceil((i+1)/speedup) - 1, ready + i), and
/// the output's wire takes one a cycle. Slower links bring and take them as LinkRate says; what
/// came by one is ready late enough for flit i to be there in ready + i. So every occupancy has a
/// closed form in the time.
class Switch : public Congestion {
 public:
  explicit Switch(const SwitchParts& parts, const Speedup& reader);

  /// Joins output `port` to what receives there, and input `port` to the sender at the same link.
  void connect(Fabric& fabric, int port, const Wire& wire, const Upstream& upstream);

  // The handlers, by event; see handle_events(). All errors are CheckFailures. An architecture has
  // visible() and serve() of its own if it schedules those events, and always
  //   ready(fabric, in, packet)
  //   pause_frame(fabric, port, frame)
  //   credit_wake(fabric, port, queue)
  //   transfer_ends(fabric, in, out)
  //   room(fabric, port)
  //   match(fabric)
  [[gnu::always_inline]] void head_arrives(Fabric& fabric, int port, PacketId packet) {
    FlowControl::Late late;
    if ((slow_links_ & bit(port)) != 0) [[unlikely]] {
      late = comes_slowly(fabric, port, packet);
    }
    if (flow_control_ != nullptr) {
      flow_control_->arrives(fabric, port, fabric.packets[packet], late);
    }
    fabric.events.schedule(fabric.events.now() + config_.input_latency + late.cycles,
                           SimEventKind::Ready, SimEvent::at(node_, port, 0, packet));
  }
  /// Only where senders have no credits, as headroom().
  void level(Fabric& fabric, int port, int queue) { flow_control_->level(fabric, port, queue); }
  void visible(Fabric& /*fabric*/, SimEvent /*event*/) {}
  void serve(Fabric& /*fabric*/, int /*out*/) {}

  /// The way of a packet whose head may cross from now on: Packet::ready, out_port and next_vc.
  /// It does not depend on what else becomes ready in this cycle. Errors: CheckFailure if another
  /// one is still arriving.
  void find_way(Fabric& fabric, int port, PacketId id);

  // In large networks memory is asked for before it is needed; see for_each_ahead(). An
  // architecture whose outputs have queues has the first three of its own, as Egress has them.
  void ask_for_memory(int /*port*/) const {}
  void ask_for_queues(int /*port*/) const {}
  void ask_for_packets(const PacketPool& /*packets*/, int /*port*/) const {}
  /// Asks for the memory that ready() of a packet whose way is known reads besides it.
  void ask_for_voq(const Packet& packet, int port) const {
    const Lane lane = this->lane(packet.out_port, packet.next_vc);
    __builtin_prefetch(&lane.inputs());
    __builtin_prefetch(&lane.queue(port));
  }
  /// The same of head_arrives().
  void ask_for_input(int port, int queue) const {
    if (flow_control_ != nullptr) {
      flow_control_->ask_for_memory(port * queues_ + queue);
    }
  }

  /// An input queue of `port` wants its sender stopped, or started again.
  virtual void pause_upstream(Fabric& fabric, int port, int queue, bool paused) = 0;
  /// What the switch itself has counted at input `port` in the cycles before `now`.
  virtual void append_counters(Cycle /*now*/, int /*port*/,
                               std::vector<CounterValue>& /*counters*/) const {}
  [[nodiscard]] virtual Sender& sender(int port) = 0;
  [[nodiscard]] virtual const Sender& sender(int port) const = 0;

  [[nodiscard]] int ports() const { return ports_; }
  [[nodiscard]] int queues() const { return queues_; }
  [[nodiscard]] Index node() const { return node_; }
  [[nodiscard]] std::uint32_t max_packet_flits() const { return max_packet_flits_; }
  [[nodiscard]] const SwitchConfig& config() const { return config_; }
  [[nodiscard]] const Speedup& reader() const { return reader_; }
  [[nodiscard]] const std::string& place() const { return place_; }
  /// In the cycles before `now`, but for what the senders at the other ends counted.
  [[nodiscard]] SwitchPeaks peaks(Cycle now) const {
    return {flow_control_ != nullptr ? flow_control_->peak(now) : 0, output_peak_};
  }
  /// Flits of headroom of the input queues of `port`.
  [[nodiscard]] std::uint32_t headroom(int port) const { return flow_control_->headroom(port); }
  /// "cycle 17, switch0.port3 queue 1".
  [[nodiscard]] std::string where(Cycle now, int port, int queue) const;

  /// visit(waiting) for every packet in the switch that no event knows of; in order for those of
  /// one input or output queue.
  virtual void for_each_waiting(const PacketPool& packets,
                                const std::function<void(const Waiting&)>& visit) const;

  [[nodiscard]] std::uint64_t waiting_flits(int port, int service_level) const override;

 protected:
  /// One virtual channel of one output.
  struct LaneHead {
    Mask inputs = 0;    ///< with a packet
    int connected = 0;  ///< the input that was last
  };
  /// The same with its virtual output queues.
  class Lane {
   public:
    [[nodiscard]] Mask& inputs() const { return head_->inputs; }
    [[nodiscard]] int& connected() const { return head_->connected; }
    [[nodiscard]] PacketList& queue(int in) const { return queues_[in]; }

   private:
    friend class Switch;
    Lane(LaneHead* head, PacketList* queues) : head_(head), queues_(queues) {}
    LaneHead* head_;
    PacketList* queues_;
  };
  struct InPort {
    Cycle link_end = 0;  ///< the last flit announced so far
    // Who gets credits, if anybody does, and after how many cycles.
    std::uint32_t first_credits = 0;
    std::uint32_t credit_cycles = 0;
    Index shard = Fabric::kHere;  ///< that they are in, if that is another one
  };
  [[nodiscard]] Lane lane(int out, int vc) const {
    const std::size_t at = of(out, vc);
    return {lane_heads_ + at, voqs_ + at * ports_};
  }

  [[nodiscard]] const Packet& first_packet(const PacketPool& packets, int in, int vc,
                                           int out) const {
    return packets[lane(out, vc).queue(in).first];
  }

  /// The same hop, from a routing that is not known_hops_.
  Hop ask_routing(Fabric& fabric, int port, PacketId id, Packet& packet);

  /// A packet whose way is found is at the end of a virtual output queue then, which was empty if
  /// that is true.
  bool enter(Fabric& fabric, int port, PacketId id, const Packet& packet);

  /// `packet`, which came by input `in`, starts to cross in this cycle. No crossbar reads faster
  /// than the link where `may_read_faster` is false.
  template <bool may_read_faster = true>
  [[gnu::always_inline]] void leaves(Fabric& fabric, int in, const Packet& packet,
                                     std::uint32_t flits) {
    const InPort& from = in_[in];
    const std::uint32_t at = from.first_credits + packet.vc;
    if (credit_pipe_ != nullptr) [[likely]] {
      fabric.events.put_in(*credit_pipe_, {at, flits});
    } else if (gives_credits_) {
      fabric.schedule_in(from.shard, fabric.events.now() + from.credit_cycles,
                         SimEventKind::Credits, {at, flits});
    } else {
      flow_control_->starts_to_cross(fabric, in, packet);
      return;
    }
    if (may_read_faster && reads_faster_) [[unlikely]] {
      const std::uint32_t waited = (fabric.events.now() - packet.ready) & kKept;
      if (waited < flits) {
        fabric.schedule_in(from.shard, fabric.events.now() + from.credit_cycles,
                           SimEventKind::LateCredits, SimEvent{at, waited});
      }
    }
  }

  /// Takes `packet`, the first one that came by `in`, from `lane`, which is that of `vc` and `out`.
  /// True if it was the last one.
  bool pop(const Packet& packet, Lane lane, int in, int vc, int out);
  /// An adaptive routing sees `packet` no more: it starts on the wire.
  void no_longer_waits(const Fabric& fabric, int port, const Packet& packet) {
    if (fabric.adaptive) [[unlikely]] {
      waiting_[of_level(port, packet.service_level)] -= packet.flits;
    }
  }
  /// Packet `id`, which has crossed a crossbar, starts on the wire of `port`. Errors: CheckFailure
  /// if its last flit is not there when the wire would take it.
  [[gnu::always_inline]] void starts_on_wire(Fabric& fabric, int port, PacketId id) {
    ++fabric.packet_hops;
    const Packet& packet = fabric.packets[id];
    if (-since(packet.last_read, fabric.events.now()) + config_.crossbar_latency > packet.flits - 1)
        [[unlikely]] {
      fail_dry(fabric, port, id);
    }
    no_longer_waits(fabric, port, packet);
  }
  /// The switch matches in this cycle, if that is `wanted`.
  [[gnu::always_inline]] void want_match(Fabric& fabric, bool wanted = true) const {
    fabric.events.match_now(match_word_, match_bit_ & -Mask{wanted});
  }
  /// The same in the next cycle.
  [[gnu::always_inline]] void want_next_match(Fabric& fabric) const {
    fabric.events.match_next(match_word_, match_bit_);
  }

  [[nodiscard]] std::size_t of(int port, int queue) const { return port * queues_ + queue; }
  [[nodiscard]] std::size_t of_level(int port, int service_level) const {
    return port * service_levels_ + service_level;
  }

  SwitchConfig config_;
  std::string place_;
  std::uint32_t max_packet_flits_;
  Speedup reader_;
  std::uint32_t output_peak_ = 0;

 private:
  struct Fresh {  ///< a packet that came in the present cycle, which no routing sees yet
    std::size_t at = 0;
    std::uint32_t flits = 0;
  };
  [[nodiscard]] FlowControl::Late comes_slowly(const Fabric& fabric, int port, PacketId id) const;
  void make_routing_view(Cycle now);
  [[noreturn]] void fail_dry(const Fabric& fabric, int port, PacketId id) const;
  [[noreturn]] void fail_arrival(const Fabric& fabric, int port, PacketId id) const;

  std::vector<std::uint64_t> waiting_;  ///< [output][service level], flits; empty if nobody looks
  std::vector<Fresh> fresh_;
  Cycle fresh_at_ = 0;
  Index number_;
  int service_levels_;

  std::vector<Mask> all_out_queues_;
  std::vector<InPort> all_in_;
  std::vector<LaneHead> all_lane_heads_;
  std::vector<PacketList> all_voqs_;

 protected:
  Index node_;
  std::unique_ptr<FlowControl> flow_control_;

  // What every packet needs comes last, in one cache line; that of an architecture follows.
  alignas(64) Mask match_bit_;  ///< of EventQueue::match_now()
  std::uint32_t match_word_;    ///< the same
  int ports_;
  int queues_;
  bool reads_faster_;         ///< than the link
  bool gives_credits_;        ///< the flow control
  Mask request_outputs_ = 0;  ///< outputs with a packet
  Mask slow_links_ = 0;       ///< ports whose link is slower than the port clock
  Mask* out_queues_;          ///< [output]: virtual channels with a packet
  InPort* in_;
  LaneHead* lane_heads_;  ///< [output][virtual channel]
  PacketList* voqs_;      ///< [output][virtual channel][input]
  /// As long as credits of all inputs take, if that is the same, they stay in this shard and there
  /// is one.
  const EventQueue::Pipe* credit_pipe_ = nullptr;

 private:
  const KnownHop* known_hops_ = nullptr;  ///< Fabric::known_hops of this switch, if it has any
};

[[gnu::always_inline]] inline void Switch::find_way(Fabric& fabric, int port, PacketId id) {
  Packet& packet = fabric.packets[id];
  const Cycle now = fabric.events.now();
  Cycle& link_end = in_[port].link_end;
  if (now <= link_end) [[unlikely]] {
    fail_arrival(fabric, port, id);
  }
  link_end = now + packet.flits - 1;
  packet.ready = now & kKept;

  Hop hop;
  if (known_hops_ != nullptr) {
    const KnownHop known = known_hops_[packet.destination];
    hop = {known.port, known.stage};
  } else {
    hop = ask_routing(fabric, port, id, packet);
  }
  packet.out_port = hop.port & 0xff;
  packet.next_vc = fabric.vc_of(packet.service_level, hop.stage, id) & 0xff;
}

[[gnu::always_inline]] inline bool Switch::enter(Fabric& fabric, int port, PacketId id,
                                                 const Packet& packet) {
  const int vc = packet.next_vc;
  request_outputs_ |= bit(packet.out_port);
  out_queues_[packet.out_port] |= bit(vc);
  const Lane lane = this->lane(packet.out_port, vc);
  const bool first = lane.queue(port).push(fabric.packets, id);
  lane.inputs() |= bit(port);
  return first;
}

[[gnu::always_inline]] inline bool Switch::pop(const Packet& packet, Lane lane, int in, int vc,
                                               int out) {
  const PacketId next = packet.next;
  const bool last = next == kNoPacket;
  lane.queue(in).first = next;
  const Mask inputs = lane.inputs() ^ Mask { last } << in;
  lane.inputs() = inputs;
  const Mask queues = out_queues_[out] ^ Mask { inputs == 0 } << vc;
  out_queues_[out] = queues;
  request_outputs_ ^= Mask{queues == 0} << out;
  return last;
}

/// The switches of a network, all of one architecture; the first one has the node behind the last
/// host.
using SwitchList = std::span<const std::unique_ptr<Switch>>;

/// Calls the handlers of the switches that `events` of `kind` name, host's events left out. As
/// all switches are a `One`, the way to a handler is known to the compiler.
template <typename One, SimEventKind kind>
void handle_events(Fabric& fabric, SwitchList switches, const EventList& events) {
  const auto at = [&](SimEvent event) -> One& {
    return static_cast<One&>(*switches[event.node() - fabric.hosts]);
  };
  const auto ahead = [&](auto&& far, auto&& near, auto&& next, auto&& act) {
    for_each_ahead(events, fabric.large, far, near, next, act);
  };
  const auto nothing = [](SimEvent) {};
  // Of an event that hosts have, too.
  const auto each = [&](auto&& act) {
    for_each(events, [&](SimEvent event) {
      if (event.node() >= fabric.hosts) {
        act(event);
      }
    });
  };
  switch (kind) {
    case SimEventKind::HeadArrives:
      return ahead(
          [&](SimEvent event) {
            fabric.packets.ask_for(event.data);
            at(event).ask_for_input(event.port(), event.queue());
          },
          nothing, nothing,
          [&](SimEvent event) { at(event).head_arrives(fabric, event.port(), event.data); });
    case SimEventKind::PauseFrame:
      return each([&](SimEvent event) {
        at(event).sender(event.port()).count_pauses(fabric.events.now(), event.data);
        at(event).pause_frame(fabric, event.port(), event.data);
      });
    case SimEventKind::CreditWake:
      return each(
          [&](SimEvent event) { at(event).credit_wake(fabric, event.port(), event.queue()); });
    case SimEventKind::Level:
      return for_each(
          events, [&](SimEvent event) { at(event).level(fabric, event.port(), event.queue()); });
    case SimEventKind::Ready: {
      const auto find_way = [&](SimEvent event) {
        at(event).find_way(fabric, event.port(), event.data);
      };
      return ahead([&](SimEvent event) { fabric.packets.ask_for(event.data); },
                   [&](SimEvent event) {
                     find_way(event);
                     at(event).ask_for_voq(fabric.packets[event.data], event.port());
                   },
                   nothing,
                   [&](SimEvent event) {
                     if (!fabric.large) [[likely]] {
                       find_way(event);
                     }
                     at(event).ready(fabric, event.port(), event.data);
                   });
    }
    case SimEventKind::TransferEnd:
      return for_each(events, [&](SimEvent event) {
        at(event).transfer_ends(fabric, event.port(), static_cast<Index>(event.data));
      });
    case SimEventKind::Room:
      return for_each(events, [&](SimEvent event) { at(event).room(fabric, event.port()); });
    case SimEventKind::Visible:
      return ahead(
          [&](SimEvent event) {
            fabric.packets.ask_for(event.data);
            at(event).ask_for_memory(event.port());
          },
          [&](SimEvent event) { at(event).ask_for_queues(event.port()); }, nothing,
          [&](SimEvent event) { at(event).visible(fabric, event); });
    case SimEventKind::Serve:
      return ahead([&](SimEvent event) { at(event).ask_for_memory(event.port()); },
                   [&](SimEvent event) { at(event).ask_for_queues(event.port()); },
                   [&](SimEvent event) { at(event).ask_for_packets(fabric.packets, event.port()); },
                   [&](SimEvent event) { at(event).serve(fabric, event.port()); });
    default:  // of the network
      return;
  }
}

using EventHandler = void (*)(Fabric& fabric, SwitchList switches, const EventList& events);
/// handle_events() of each kind.
template <typename One>
constexpr std::array<EventHandler, kSimEventKinds> event_handlers() {
  std::array<EventHandler, kSimEventKinds> handlers{};
  for_each_kind(
      [&](auto kind) { handlers[static_cast<std::size_t>(kind())] = &handle_events<One, kind>; });
  return handlers;
}

/// The switches match whose numbers are 64 x `word` and the places of the bits of `which` behind
/// it.
template <typename One>
void match_switches(Fabric& fabric, SwitchList switches, std::uint32_t word, Mask which) {
  for (; which != 0; which &= which - 1) {
    static_cast<One&>(*switches[64 * word + lowest(which)]).match(fabric);
  }
}

/// One entry of the list of architectures.
struct SwitchKind {
  std::string_view name;
  /// Cycles from an output's grant to the wire.
  std::uint32_t (*grant_to_wire)(const SwitchConfig& config);
  /// How fast an input queue is read.
  Speedup (*reader)(const SwitchConfig& config);
  bool has_output_queues;
  std::unique_ptr<Switch> (*make)(const SwitchParts& parts);
  /// An output's arbiter has a queue for each (input i, virtual channel v) of SwitchConfig::vcs:
  /// i x vcs + v.
  bool queue_per_input = false;
  bool has_central_buffers = false;
  /// event_handlers() and match_switches() of it.
  std::array<EventHandler, kSimEventKinds> handlers;
  void (*match)(Fabric& fabric, SwitchList switches, std::uint32_t word, Mask which);
};

extern const SwitchKind kInputQueued;
extern const SwitchKind kSeastar;
extern const SwitchKind kHierarchical;

/// All there are.
std::span<const SwitchKind* const> switch_kinds();

}  // namespace qosarb
