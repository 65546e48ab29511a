// What a port was shown, for reproducers and for whoever looks behind the heads.
#pragma once

#include <deque>
#include <vector>

#include "qosarb/events/event_log.hpp"
#include "qosarb/events/shrink.hpp"

namespace qosarb::test {

/// Keeps what a port was shown, since its reset and since its arbiter started over.
class Recorder final : public PortObserver {
 public:
  explicit Recorder(ArbiterConfig config);

  void on_arrive(Cycle now, Index queue, std::uint32_t flits, std::uint8_t age) override;
  void on_stop(Cycle now, Index queue, bool stopped) override;
  void on_arbitration(Cycle now, Heads heads) override;
  void on_decision(Cycle now, const Decision& decision) override;

  /// In cycle `now` a commit brings `config` into force. The short log forgets the past but for
  /// what stands in the queues, as if it all came in that cycle.
  void commit(Cycle now, const ArbiterConfig& config);
  /// In cycle `now` a reset does: nothing that was before it counts, in either log.
  void reset(Cycle now, const ArbiterConfig& config);

  /// The short log and that of the life since a reset. The age clock of a chip counts packets of
  /// one policy only: a life that changes to it or from it is no log.
  [[nodiscard]] std::vector<LogCase> logs() const;
  /// The arrivals of the packets that wait in `queue`, the head's first.
  [[nodiscard]] const std::deque<Event>& waiting(Index queue) const { return queued_[queue]; }
  /// Queues that were active at the last arbitration.
  [[nodiscard]] Index active_queues() const { return active_; }

 private:
  void start_over(Cycle now, const ArbiterConfig& config);
  void record(const Event& event);

  std::vector<Event> events_;
  std::vector<std::deque<Event>> queued_;
  std::vector<bool> stopped_;
  ArbiterConfig config_;
  LogCase life_;
  Index active_ = 0;
};

}  // namespace qosarb::test
