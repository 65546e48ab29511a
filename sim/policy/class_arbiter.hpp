// An arbiter whose queues are classes of several virtual channels each.
#pragma once

#include <memory>
#include <vector>

#include "qosarb/policy/arbiter.hpp"
#include "qosarb/policy/counting.hpp"

namespace qosarb {

/// Offers to another arbiter, as the head of queue c, that of one virtual channel of class c:
/// channels c x n to c x n + n - 1. Channels take turns, packet by packet: it is the first active
/// one behind the channel whose packet went last, circularly. The other arbiter decides among the
/// classes and may be the reference, the RTL or both.
class ClassArbiter final : public Arbiter, public Counting {
 public:
  /// `classes` and `channels` of each, both at least 1, together at most 64; `inner` has `classes`
  /// queues.
  ClassArbiter(std::unique_ptr<Arbiter> inner, int classes, int channels);

  void advance(Cycle now, Heads heads) override;
  AgeStamp arrive(Cycle now, Index queue, std::uint8_t age) override;
  [[nodiscard]] bool keeps_time() const override { return inner_->keeps_time(); }
  [[nodiscard]] bool stamps() const override { return inner_->stamps(); }
  Decision decide(Cycle now, Heads heads) override;
  [[nodiscard]] std::string describe() const override;
  void narrate(Narrator* narrator) override { inner_->narrate(narrator); }
  [[nodiscard]] int paying_entry() const override { return inner_->paying_entry(); }
  [[nodiscard]] std::uint64_t paying_turn() const override { return inner_->paying_turn(); }

  /// Those of whoever decides among the classes, if that counts.
  void append_counters(std::vector<CounterValue>& counters) const override;

 private:
  void show(Heads heads);

  std::unique_ptr<Arbiter> inner_;
  int channels_;
  std::vector<Head> shown_;   ///< [class]
  std::vector<Index> offer_;  ///< [class]: the channel that is shown
  std::vector<int> last_;     ///< [class]: of its channels the one that won last
};

}  // namespace qosarb
