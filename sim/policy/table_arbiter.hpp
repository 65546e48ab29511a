// What the references of policies with a table have in common.
#pragma once

#include <cstdint>

#include "qosarb/policy/arbiter.hpp"

namespace qosarb {

/// Does not look at the time; an entry of a table pays for each grant.
class TableArbiter : public Arbiter {
 public:
  [[nodiscard]] bool keeps_time() const final { return false; }
  [[nodiscard]] int paying_entry() const final { return paying_entry_; }
  [[nodiscard]] std::uint64_t paying_turn() const final { return paying_turn_; }
  void narrate(Narrator* narrator) override { narrator_ = narrator; }

 protected:
  Narrator* narrator_ = nullptr;
  int paying_entry_ = -1;
  std::uint64_t paying_turn_ = 0;
};

}  // namespace qosarb
