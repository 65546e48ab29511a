// The sending side of a link: the arbiter and the heads that it sees, the wire, the credits or the
// pauses of the neighbour, and the PFC frames that the receiving side of the same link wants sent.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "qosarb/policy/arbiter.hpp"
#include "qosarb/policy/mask.hpp"
#include "qosarb/policy/port.hpp"
#include "qosarb/policy/rr.hpp"
#include "qosarb/switch/credits.hpp"
#include "qosarb/switch/fabric.hpp"
#include "qosarb/switch/link_rate.hpp"
#include "qosarb/switch/pfc.hpp"

namespace qosarb {

/// A wire, as its sender knows it. Delays in cycles.
struct Wire {
  Index node = 0;  ///< that receives
  Index port = 0;  ///< of that node
  bool to_host = false;
  std::uint32_t delay = 0;
  std::uint32_t latency = 0;        ///< from the grant to the wire
  std::uint32_t frame_flits = 1;    ///< of a PFC frame
  std::uint32_t credits = 0;        ///< flits of each queue of the receiver; 0: it gives no credits
  std::uint32_t input_latency = 0;  ///< of the receiver, if it gives credits
  Index first_credits = 0;          ///< the number of the Credits of its queue 0
  Index first_sent = 0;             ///< of service level 0, in Fabric::sent_flits
  Index service_levels = 1;
  Index vcs = 1;                ///< virtual channels
  Index shard = Fabric::kHere;  ///< of the receiver, if that is another one
  LinkRate rate;
};

/// A port asks its arbiter in every cycle in which its wire is free, no PFC frame waits and some
/// queue is active; in no other.
class alignas(64) Sender {
 public:
  /// `node` and `port` say where this sender stands, `place` how people call it.
  Sender(std::string place, Index node, Index port, int queues, std::unique_ptr<Arbiter> arbiter);

  void connect(Fabric& fabric, const Wire& wire);

  /// The input queue at this end of the link wants its sender stopped, or started again. True if
  /// a frame has to be sent.
  bool set_pause(int queue, bool paused) {
    pause_.set(queue, paused);
    return pause_.pending();
  }
  [[nodiscard]] bool wants_pause(int queue) const { return pause_.paused(queue); }
  [[nodiscard]] bool frame_pending() const { return pause_.pending(); }
  /// The receiver's frames have stopped `queue`.
  [[nodiscard]] bool paused(int queue) const { return (paused_ >> queue & 1) != 0; }
  /// Puts the next frame on the wire. One is pending.
  void send_frame(Fabric& fabric);

  /// The classes that a frame from the receiver stops, of those that it speaks of.
  static std::pair<Mask, Mask> stopped_by(std::uint32_t frame);

  /// The receiver does.
  [[nodiscard]] bool gives_credits() const { return gives_credits_ != 0; }
  [[nodiscard]] bool has_credit(const Fabric& fabric, int vc, std::uint32_t flits) const {
    return !gives_credits() || credits_[vc].has(flits, fabric.events.now(), fabric.reader);
  }
  /// Most flits of one of the receiver's queues for which credits were away at once.
  [[nodiscard]] std::uint32_t most_taken() const;
  /// `queue` waits for credits for a packet of `flits`: a CreditWake comes when they will be in,
  /// or when more are.
  void wait_for_credit(Fabric& fabric, int queue, std::uint32_t flits) {
    const Cycle when = credits_[queue].when(flits, fabric.reader);
    if (when != kNever) {
      wake_for_credit(fabric, queue, when);
    }
  }

  /// Before the first event. Not owned; may be null.
  void observe(PortObserver* observer);
  [[nodiscard]] Arbiter& arbiter() { return *arbiter_; }
  /// Only kept up to date for who looks at them: an observer, or an arbiter that is no RoundRobin;
  /// if neither keeps time, when it is asked for a decision.
  [[nodiscard]] Heads heads() const { return heads_; }
  /// Lets all cycles before `now` pass at the arbiter. Only needed to look at it from outside.
  void reach(Cycle now) {
    if (now > now_) {
      arbiter_->advance(now, heads_);
      now_ = now;
    }
  }

  /// Whoever decides or observes has to know of the time that passes.
  [[nodiscard]] bool keeps_time() const { return keeps_time_; }
  /// Whoever decides or observes has to know of each arrival.
  [[nodiscard]] bool stamps() const { return stamps_; }

  /// Flits of packets that were put on the wire; a packet counts whole at its grant.
  [[nodiscard]] std::uint64_t sent_flits() const {
    const auto sent = sent_of_levels();
    return std::accumulate(sent.begin(), sent.end(), std::uint64_t{0});
  }
  /// The same of each service level; empty without a link.
  [[nodiscard]] std::span<const std::uint64_t> sent_of_levels() const {
    return {sent_flits_, has_link() ? std::size_t{0} + wire_.service_levels : 0};
  }

  /// PFC frames that were put on the wire.
  [[nodiscard]] std::uint64_t pause_frames() const { return pause_frames_; }
  /// How often the receiver's frames stopped a queue, and how long it was.
  struct Pauses {
    int queue = 0;
    std::uint64_t times = 0;
    Cycle cycles = 0;
  };
  /// A frame is heard: see pauses(). Whoever handles it calls this, too.
  void count_pauses(Cycle now, std::uint32_t frame);
  /// In the cycles before `now`, of the queues that were ever stopped.
  [[nodiscard]] std::vector<Pauses> pauses(Cycle now) const;

  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] Index node() const { return here().node(); }
  /// Where it stands.
  [[nodiscard]] SimEvent here() const { return {here_, 0}; }
  /// The same with `queue`.
  [[nodiscard]] SimEvent here(Index queue) const {
    return SimEvent::at(here().node(), here().port(), queue);
  }
  /// First cycle in which the wire may take another flit.
  [[nodiscard]] Cycle free_at() const { return free_at_; }
  [[nodiscard]] const Wire& wire() const { return wire_; }
  /// The port leads somewhere: it is not at an open end of a mesh, for one.
  [[nodiscard]] bool has_link() const { return sent_flits_ != nullptr; }

  /// The cycle behind the last flit of a packet of `flits` that was put on the wire in cycle `now`;
  /// none was since.
  [[nodiscard]] Cycle wire_end(Cycle now, std::uint32_t flits) const {
    return slow_ ? busy_.end : now + flits;
  }
  /// Of the packet on the wire, flits that are still to go `cycles` before its end.
  [[nodiscard]] std::uint32_t left(Cycle cycles) const {
    return static_cast<std::uint32_t>(slow_ ? wire_.rate.left(cycles, busy_.spare) : cycles);
  }
  /// The inverse: so many cycles before its end no more than `flits` are still to go.
  [[nodiscard]] Cycle last_cycles(std::uint32_t flits) const {
    return slow_ ? wire_.rate.last_cycles(flits, busy_.spare) : flits;
  }
  /// Of a packet that was put on the wire in cycle `start`, flits that had not gone before cycle
  /// `now`.
  [[nodiscard]] std::uint32_t left_of(Cycle start, std::uint32_t flits, Cycle now) const {
    if (slow_) {
      return start == busy_.start && busy_.end > now ? left(busy_.end - now) : 0;
    }
    return start + flits > now ? static_cast<std::uint32_t>(start + flits - now) : 0;
  }

 protected:
  /// Asks the arbiter. `active` has a bit for each queue whose head is active.
  Decision arbitrate(Fabric& fabric, Mask active) {
    ++fabric.decisions;
    if (!needs_heads()) {
      return {round_robin_->choose(active), 0, 0};
    }
    return arbitrate_heads(fabric);
  }
  /// The same where only `queue` is active and nobody needs heads.
  void arbitrate_only(Fabric& fabric, int queue) {
    ++fabric.decisions;
    if (!one_queue_) {
      round_robin_->choose_only(queue);
    }
  }
  /// Tells the observer, if there is one, that `queue` is stopped, or is no more. Behind a decision
  /// of this cycle that is seen from the next one on.
  void tell_stop(Cycle now, int queue, bool stopped);
  /// Somebody looks at heads().
  [[nodiscard]] bool needs_heads() const { return round_robin_ == nullptr; }
  /// Takes credits for a packet of `flits`. False if some lack.
  [[nodiscard]] bool take_credit(Fabric& fabric, int vc, std::uint32_t flits) {
    return credits_[vc & gives_credits_].take(flits & gives_credits_, fabric.events.now(),
                                              fabric.reader);
  }
  /// Puts a packet on the wire whose credits are taken. False if that is a slow one. Errors:
  /// CheckFailure if the wire is busy. Its pipe is the short way, but not always open: it is only
  /// tried if that is `foretold`.
  template <bool foretold = true>
  bool put_on_wire(Fabric& fabric, PacketId id, Packet& packet);
  /// Takes the credits of a packet. Errors: CheckFailure if some lack.
  [[gnu::always_inline]] void take_or_fail(Fabric& fabric, PacketId id, const Packet& packet) {
    if (fabric.gives_credits && !take_credit(fabric, packet.next_vc, packet.flits)) [[unlikely]] {
      fail_credit(fabric, id);
    }
  }
  /// Both.
  [[gnu::always_inline]] void send(Fabric& fabric, PacketId id, Packet& packet) {
    take_or_fail(fabric, id, packet);
    put_on_wire(fabric, id, packet);
  }
  /// The first two cache lines.
  void ask_for_sender() const {
    __builtin_prefetch(this);
    __builtin_prefetch(&arbiter_);
  }
  /// What arbitrate() and put_on_wire() read elsewhere. An arbiter and what it allocated first lie
  /// together.
  void ask_for_decision() const {
    __builtin_prefetch(sent_flits_);
    const auto* const at = static_cast<const std::byte*>(static_cast<const void*>(arbiter_.get()));
    for (int line = 0; line < 4; ++line) {
      __builtin_prefetch(at + 64 * line);
    }
  }
  /// What take_credit() reads of one.
  void ask_for_credit(int vc) const { __builtin_prefetch(&credits_[vc]); }
  void check_free(Cycle now) const {
    if (now < free_at_) [[unlikely]] {
      fail_busy(now);
    }
  }

  // What every packet needs comes first, in two cache lines.
  Cycle free_at_ = 0;
  /// The arbiter, if it is that reference and nobody observes it: it needs no heads.
  RoundRobin* round_robin_ = nullptr;
  Mask paused_ = 0;  ///< queues, by frames of the receiver

 private:
  std::uint64_t* sent_flits_ = nullptr;     ///< [service level]; see Fabric::sent_flits
  const EventQueue::Pipe* pipe_ = nullptr;  ///< `way_` long, if there is one in this shard
  Credits* credits_ = nullptr;              ///< [virtual channel]; see Fabric::credits
  std::uint32_t gives_credits_ = 0;         ///< all bits if the receiver does
  std::uint32_t tail_ = 0;                  ///< all bits if it is the last flit that arrives
  std::uint32_t far_end_ = 0;               ///< SimEvent::where of the receiver
  /// What comes of a packet: its head arrives, it is ready (with credits) or delivered to a host.
  /// SimEvent::queue() is the virtual channel.
  SimEventKind arrival_ = SimEventKind::HeadArrives;
  bool slow_ = false;  ///< the link is slower than the port clock
  bool one_queue_;     ///< which always is the one that won last
  bool keeps_time_ = true;

  std::unique_ptr<Arbiter> arbiter_;
  bool stamps_ = true;
  std::uint32_t here_;           ///< SimEvent::where of this end
  std::uint32_t way_ = 0;        ///< from the grant to the arrival of that flit
  Index shard_ = Fabric::kHere;  ///< Wire::shard

 protected:
  std::vector<Head> heads_;

 private:
  PauseSender pause_;

 protected:
  PortObserver* observer_ = nullptr;

 private:
  Decision arbitrate_heads(Fabric& fabric) {
    if (keeps_time_) {
      return arbitrate_in_time(fabric);
    }
    return arbiter_->decide(fabric.events.now(), heads_);
  }
  Decision arbitrate_in_time(Fabric& fabric);
  void wake_for_credit(Fabric& fabric, int queue, Cycle when);
  /// On a slow wire: the cycle behind the last one that `flits` take, beginning with `now`.
  Cycle occupy(Cycle now, std::uint32_t flits);
  void put_on_slow_wire(Fabric& fabric, PacketId id, const Packet& packet);
  [[noreturn]] void fail_busy(Cycle now) const;
  [[noreturn]] void fail_credit(const Fabric& fabric, PacketId id) const;

  Cycle now_ = 0;           ///< of the arbiter
  Cycle decided_ = kNever;  ///< the last decision that was observed
  Wire wire_;
  struct Busy {  ///< a slow wire, with the packet or frame that was put on it last
    Cycle start = 0;
    Cycle end = 0;
    std::uint32_t spare = 0;  ///< that it leaves
  };
  Busy busy_;
  std::vector<Cycle> wakes_;  ///< [queue]: a CreditWake comes then
  std::string place_;
  static constexpr Cycle kNotPaused = kNever;
  struct Paused {
    Cycle since = kNotPaused;
    std::uint64_t times = 0;
    Cycle cycles = 0;  ///< of the pauses that have ended
  };
  std::vector<Paused> pauses_;  ///< [queue]; empty before the first one
  std::uint64_t pause_frames_ = 0;
};

template <bool foretold>
[[gnu::always_inline]] inline bool Sender::put_on_wire(Fabric& fabric, PacketId id,
                                                       Packet& packet) {
  const Cycle now = fabric.events.now();
  const std::uint32_t flits = packet.flits;
  check_free(now);
  fabric.flit_hops += flits;
  sent_flits_[packet.service_level] += flits;
  packet.vc = packet.next_vc;
  if (slow_) [[unlikely]] {
    put_on_slow_wire(fabric, id, packet);
    return false;
  }
  free_at_ = now + flits;
  const SimEvent event{far_end_ | packet.next_vc << SimEvent::kPortBits, id};
  const std::uint32_t behind = tail_ & (flits - 1);
  if (foretold && behind == 0 && pipe_ != nullptr) [[likely]] {
    fabric.events.put_in(*pipe_, event);
  } else {
    fabric.schedule_in(shard_, now + way_ + behind, arrival_, event);
  }
  return true;
}

/// A sender with queues of its own: a NIC, or the output of a CIOQ switch.
class Egress final : public Sender {
 public:
  /// serve() is to be called when an event `served` says so.
  Egress(std::string place, Index node, Index port, int queues, std::unique_ptr<Arbiter> arbiter,
         SimEventKind served = SimEventKind::Serve)
      : Sender(std::move(place), node, port, queues, std::move(arbiter)),
        served_(served),
        lists_(heads_.size()) {}

  /// A packet comes to the end of `queue`. `age` is the one that it comes with.
  void arrive(Fabric& fabric, int queue, PacketId id);

  /// A packet is in the queue of the virtual channel by which it leaves.
  [[gnu::always_inline]] void becomes_visible(Fabric& fabric, PacketId id) {
    arrive(fabric, fabric.packets[id].next_vc, id);
    wake(fabric);
  }

  /// Something may be there to send: serve() is called in this cycle, or when the wire is free.
  [[gnu::always_inline]] void wake(Fabric& fabric) {
    if (!awake_) {
      awake_ = true;
      fabric.events.schedule(std::max(fabric.events.now(), free_at_), served_, here());
    }
  }

  /// wake() if a queue has a packet that may be sent.
  void wake_if_wanted(Fabric& fabric) {
    if ((active() | unsure_) != 0) {
      wake(fabric);
    }
  }

  /// Sends a PFC frame, or the packet that the arbiter chooses, if there is one. Returns it.
  /// Errors: CheckFailure if the wire is not free.
  PacketId serve(Fabric& fabric);

  // Handlers of the events of the same name.
  void pause_frame(Fabric& fabric, std::uint32_t frame);
  void credit_wake(Fabric& fabric, int queue);

  /// As Sender::set_pause(), and the frame is sent.
  void pause_upstream(Fabric& fabric, int queue, bool paused) {
    if (set_pause(queue, paused)) {
      wake(fabric);
    }
  }

  /// Asks for the memory that arrive() and serve() read, from a while before on: first for what
  /// stands in here, later for where that points.
  void ask_for_memory() const {
    ask_for_sender();
    __builtin_prefetch(&filled_);
  }
  void ask_for_queues() const {
    __builtin_prefetch(heads_.data());
    __builtin_prefetch(lists_.data());
    ask_for_decision();
  }
  /// At last for the first packets: of as many queues in every port, as nothing foretells which
  /// have any.
  void ask_for_packets(const PacketPool& packets) const {
    constexpr std::size_t kAskedFor = 4;
    for (const PacketList& list : std::span(lists_).first(std::min(lists_.size(), kAskedFor))) {
      __builtin_prefetch(list.empty() ? static_cast<const void*>(&list) : &packets[list.first]);
    }
  }

  /// visit(id) for every packet that waits, queue by queue, first to last.
  template <typename Visitor>
  void for_each_waiting(const PacketPool& packets, Visitor&& visit) const {
    for (const PacketList& list : lists_) {
      list.for_each(packets, visit);
    }
  }

 private:
  /// Queues whose head is active.
  [[nodiscard]] Mask active() const { return filled_ & ~stopped_; }
  /// One queue has packets, is not known to be stopped, and nobody needs heads.
  [[nodiscard]] bool has_only_one() const {
    return !needs_heads() && (filled_ & (filled_ - 1)) == 0 && (filled_ & ~stopped_) != 0;
  }
  PacketId serve_only(Fabric& fabric);
  PacketId serve_any(Fabric& fabric);
  void show_head(const Fabric& fabric, int queue);
  static void show(const Packet& packet, Head& head);
  void take_away(const Fabric& fabric, int queue);
  /// Whoever keeps time has to know at once which heads have credit.
  void settle(Fabric& fabric);
  void refresh(Fabric& fabric);
  void stop(Cycle now, int queue, bool stopped);

  alignas(64) Mask filled_ = 0;  ///< queues with a packet
  Mask stopped_ = 0;             ///< queues that are stopped, with a packet or without
  Mask unsure_ = 0;              ///< queues whose head may have got or lost its credit
  /// By which a packet left last. Unless somebody keeps time, heads() tells of the one behind it
  /// only when the arbiter is asked again: it is far from the cache now.
  int left_ = 0;
  Head nowhere_;                   ///< for what is not to be shown
  SimEventKind served_;            ///< by this event
  bool awake_ = false;             ///< it is on its way
  std::vector<PacketList> lists_;  ///< [queue]
};

[[gnu::always_inline]] inline void Egress::show_head(const Fabric& fabric, int queue) {
  static constexpr Packet kNothing;
  const PacketList& list = lists_[queue];
  show(list.empty() ? kNothing : fabric.packets[list.first], heads_[queue]);
}

// Field by field, as one that is put together and copied would wait for its parts.
[[gnu::always_inline]] inline void Egress::show(const Packet& packet, Head& head) {
  head.flits = packet.flits;
  head.age = packet.age;
  head.stamp = packet.stamp;
}

// The first packet of `queue` has left. Credits are only looked at when the port may send, unless
// somebody keeps time: see settle(). Without a branch, as nothing would foretell which way it goes.
[[gnu::always_inline]] inline void Egress::take_away(const Fabric& fabric, int queue) {
  const Mask empty = Mask{lists_[queue].empty()} << queue;
  filled_ &= ~empty;
  unsure_ = (unsure_ | (bit(queue) & (gives_credits() ? ~Mask{0} : 0))) & ~empty;
  if (keeps_time()) {
    show_head(fabric, queue);
  } else {
    left_ = queue;
  }
}

[[gnu::always_inline]] inline void Egress::arrive(Fabric& fabric, int queue, PacketId id) {
  Packet& packet = fabric.packets[id];
  const bool first = lists_[queue].push(fabric.packets, id);
  if (stamps() || (first && keeps_time())) {  // otherwise the heads stand as they did
    reach(fabric.events.now());
  }
  if (stamps()) {
    packet.stamp = arbiter().arrive(fabric.events.now(), queue, packet.age);
  }
  filled_ |= bit(queue);  // all without a branch, as nothing would foretell it
  unsure_ |= (Mask{first} & Mask{gives_credits()}) << queue;
  if (needs_heads()) {
    show(packet, first ? heads_[queue] : nowhere_);
  }
  if (keeps_time() && observer_ != nullptr) [[unlikely]] {
    observer_->on_arrive(fabric.events.now(), queue, packet.flits, packet.age);
  }
  settle(fabric);
}

[[gnu::always_inline]] inline void Egress::settle(Fabric& fabric) {
  if (keeps_time() && unsure_ != 0) [[unlikely]] {
    refresh(fabric);
  }
}

[[gnu::always_inline]] inline PacketId Egress::serve(Fabric& fabric) {
  awake_ = false;
  PacketId sent = kNoPacket;
  if (frame_pending()) [[unlikely]] {
    send_frame(fabric);
  } else if (!has_only_one() || (sent = serve_only(fabric)) == kNoPacket) [[unlikely]] {
    sent = serve_any(fabric);
  }
  if ((this->active() | unsure_) != 0 || frame_pending()) {
    wake(fabric);
  }
  return sent;
}

/// What serve_any() would do if that queue's first packet has credit; nothing otherwise.
[[gnu::always_inline]] inline PacketId Egress::serve_only(Fabric& fabric) {
  const int queue = lowest(filled_);
  PacketList& list = lists_[queue];
  const PacketId id = list.first;
  Packet& packet = fabric.packets[id];
  if (!take_credit(fabric, queue, packet.flits)) [[unlikely]] {
    return kNoPacket;
  }
  arbitrate_only(fabric, queue);
  list.first = packet.next;
  filled_ &= Mask{list.empty()} - 1;
  unsure_ = gives_credits() ? filled_ : 0;
  put_on_wire<false>(fabric, id, packet);
  return id;
}

[[gnu::always_inline]] inline PacketId Egress::serve_any(Fabric& fabric) {
  if (unsure_ != 0) {
    refresh(fabric);
  }
  const Mask active = this->active();
  if (active == 0) {
    return kNoPacket;
  }
  if (needs_heads() && !keeps_time()) {
    show_head(fabric, left_);
  }
  const Decision decision = arbitrate(fabric, active);
  if (decision.queue < 0) {
    free_at_ = fabric.events.now() + 1;  // a table that is not strict may let this chance pass
    return kNoPacket;
  }
  const PacketId sent = lists_[decision.queue].pop(fabric.packets);
  take_away(fabric, decision.queue);
  Packet& packet = fabric.packets[sent];
  if (needs_heads()) {
    packet.age = decision.age;
  }
  take_or_fail(fabric, sent, packet);
  put_on_wire<false>(fabric, sent, packet);
  settle(fabric);
  return sent;
}

}  // namespace qosarb
