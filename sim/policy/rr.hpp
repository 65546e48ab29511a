// rr: round robin over all queues, the baseline (semantics.md, "rr").
#pragma once

#include "qosarb/policy/arbiter.hpp"

namespace qosarb {

extern const Policy& kRr;

class RoundRobin final : public Arbiter {
 public:
  /// `queues` >= 1.
  explicit RoundRobin(int queues) : last_(queues - 1) {}

  Decision decide(Cycle now, Heads heads) override;
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
