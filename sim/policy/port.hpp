// The queues in front of one arbiter, and the rule of one port cycle.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "qosarb/policy/arbiter.hpp"

namespace qosarb {

/// A packet that waits at a port. `handle` is the caller's own and is given back when it wins.
struct QueuedPacket {
  std::uint32_t flits = 0;
  std::uint8_t age = 0;
  std::uint64_t handle = 0;
  AgeStamp stamp;
};

/// Sees everything that goes into a port's arbiter and comes out of it, in order of time.
class PortObserver {
 public:
  virtual ~PortObserver() = default;
  /// Where packets are stamped before they come to their queue: `packet`, which is one's name until
  /// then, is stamped for `queue`; and it comes, which on_arrive() tells next.
  virtual void on_stamp(Cycle /*now*/, Index /*queue*/, std::uint8_t /*age*/,
                        std::uint32_t /*packet*/) {}
  virtual void on_stamped_arrival(Index /*queue*/, std::uint32_t /*packet*/) {}
  virtual void on_arrive(Cycle now, Index queue, std::uint32_t flits, std::uint8_t age) = 0;
  virtual void on_stop(Cycle now, Index queue, bool stopped) = 0;
  /// The head of `queue` goes without a grant; where packets are stamped before they come it is
  /// one of those again, by the name `packet`.
  virtual void on_withdraw(Cycle /*now*/, Index /*queue*/, std::uint32_t /*packet*/) {}
  /// An arbitration begins; on_decision() follows, unless the arbiter throws.
  virtual void on_arbitration(Cycle /*now*/, Heads /*heads*/) {}
  virtual void on_decision(Cycle now, const Decision& decision) = 0;
};

/// Queues without bound, their stop flags, and the arbiter that chooses among them.
///
/// Calls come in order of time; within a cycle arrivals and stops come before arbitrate(), which is
/// called at most once a cycle. The port does not model the link: whoever owns it knows when the
/// link is free and asks then.
class Port {
 public:
  /// `queues` >= 1. Takes the arbiter over.
  Port(int queues, std::unique_ptr<Arbiter> arbiter);

  /// A packet that will come to `queue` is stamped.
  void stamp(Cycle now, Index queue, std::uint8_t age);

  /// A packet of `flits` comes to the end of `queue`; one of 0 counts as one of 1 flit. If some are
  /// stamped for that queue it is one of these, and `age` is its place among them (the last one's
  /// if there are not so many); else the packet's age, up to 255.
  void arrive(Cycle now, Index queue, std::uint32_t flits, std::uint32_t age = 0,
              std::uint64_t handle = 0);

  /// PFC pause (or missing credit) begins or ends for `queue`. Saying it twice changes nothing.
  void stop(Cycle now, Index queue, bool stopped);

  /// The head of `queue`, if there is one, goes without a grant; where packets are stamped before
  /// they come it is the last of those that will come to the queue.
  void withdraw(Cycle now, Index queue);

  struct Grant {
    Decision decision;    ///< with the flits that the packet shows
    QueuedPacket packet;  ///< taken from its queue; meaningless when decision.queue is -1
  };
  /// One arbitration; the winner's packet leaves its queue.
  Grant arbitrate(Cycle now);

  /// From now on `arbiter` is asked, which is taken over; what waits stays as it is.
  void restart(std::unique_ptr<Arbiter> arbiter);

  /// Lets all cycles before `now` pass at the arbiter. Only needed to look at it from outside, for
  /// arrive(), stop() and arbitrate() do the same.
  void reach(Cycle now);

  /// Packets in `queue`.
  [[nodiscard]] std::size_t packets(Index queue) const { return queues_[index(queue)].size(); }
  /// visit(packet) for every packet that waits, queue by queue, first to last.
  template <typename Visitor>
  void for_each_waiting(Visitor&& visit) const {
    for (const std::deque<QueuedPacket>& queue : queues_) {
      for (const QueuedPacket& packet : queue) {
        visit(packet);
      }
    }
  }
  /// True when some queue is not empty and not stopped: a decision may grant.
  [[nodiscard]] bool any_active() const { return active_ > 0; }
  [[nodiscard]] Heads heads() const { return heads_; }
  [[nodiscard]] Arbiter& arbiter() { return *arbiter_; }
  /// Not owned; may be null.
  void observe(PortObserver* observer) { observer_ = observer; }

 private:
  static std::size_t index(Index queue) { return queue; }
  void show_head(std::size_t queue);

  std::unique_ptr<Arbiter> arbiter_;
  std::vector<std::deque<QueuedPacket>> queues_;
  std::vector<std::deque<QueuedPacket>> stamped_;  ///< [queue]; empty where none ever was
  std::uint32_t stamps_ = 0;
  std::vector<Head> heads_;
  int active_ = 0;
  Cycle now_ = 0;
  PortObserver* observer_ = nullptr;
};

}  // namespace qosarb
