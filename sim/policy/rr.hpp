// rr: round robin over all queues, the baseline.
#pragma once

#include <bit>

#include "qosarb/policy/arbiter.hpp"

namespace qosarb {

extern const Policy& kRr;

class RoundRobin final : public Arbiter {
 public:
  /// `queues` >= 1.
  explicit RoundRobin(int queues) : last_(queues - 1) {}

  [[nodiscard]] bool keeps_time() const override { return false; }
  Decision decide(Cycle now, Heads heads) override;
  /// The same for who knows the active queues as a mask, of at most 64: bit q is queue q. Not 0.
  int choose(std::uint64_t active) {
    const std::uint64_t above = last_ >= 63 ? 0 : active & (~std::uint64_t{0} << (last_ + 1));
    last_ = std::countr_zero(above != 0 ? above : active);
    return last_;
  }
  /// The same where only `queue` is active.
  void choose_only(int queue) { last_ = queue; }
  [[nodiscard]] std::string describe() const override;
  bool append_state(std::vector<std::uint64_t>& numbers) const override;
  void narrate(Narrator* narrator) override { narrator_ = narrator; }
  [[nodiscard]] std::unique_ptr<Arbiter> clone() const override { return copy_of(*this); }

 private:
  Decision decide(Heads heads, const auto& tell);

  Narrator* narrator_ = nullptr;
  int last_;  ///< the queue that won last
};

}  // namespace qosarb
