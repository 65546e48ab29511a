// An arbiter without queues of its own, under observation.
#pragma once

#include <memory>
#include <vector>

#include "qosarb/policy/arbiter.hpp"
#include "qosarb/policy/port.hpp"

namespace qosarb {

/// Tells an observer what another arbiter is shown, where it is shown packets of several queues in
/// turn: those of a switch's inputs, or of the channels of a class. To the observer each head comes
/// when it is shown, and is withdrawn when another one, or none, is shown without a grant.
class ObservedArbiter final : public Arbiter {
 public:
  /// `stamps`: the packets are stamped as they arrive, before they are shown. `observer` is not
  /// owned.
  ObservedArbiter(std::unique_ptr<Arbiter> inner, int queues, bool stamps, PortObserver& observer);

  void advance(Cycle now, Heads heads) override;
  AgeStamp arrive(Cycle now, Index queue, std::uint8_t age) override;
  Decision decide(Cycle now, Heads heads) override;
  [[nodiscard]] std::string describe() const override { return inner_->describe(); }

 private:
  struct Packet {
    std::uint32_t name = 0;  ///< to the observer
    std::uint8_t age = 0;
    AgeStamp stamp;
  };

  void show(Cycle now, Heads heads);
  void come(Cycle now, Index queue, const Head& head);
  void go(Cycle now, Index queue);

  std::unique_ptr<Arbiter> inner_;
  PortObserver* observer_;
  bool stamps_;
  std::vector<Head> shown_;                   ///< [queue]; none where it was granted
  std::vector<Packet> packet_;                ///< [queue]: the one that is shown
  std::vector<std::vector<Packet>> stamped_;  ///< [queue]: those that are not
  std::uint32_t names_ = 0;
  Cycle since_ = 0;  ///< from when on the heads stand that advance() is told of
};

}  // namespace qosarb
