// ets: strict priority above bandwidth shares (IEEE 802.1Q, enhanced transmission selection;
// docs/policies/ets.md).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "qosarb/policy/arbiter.hpp"
#include "qosarb/policy/bxi.hpp"

namespace qosarb {

struct EtsConfig {
  /// A traffic class, which is a queue.
  struct Class {
    bool strict_priority = false;
    std::uint32_t weight = 0;  ///< at least 1; 0 under strict priority, which has none

    friend bool operator==(const Class&, const Class&) = default;
  };
  std::uint32_t quantum_scale = 1;  ///< flits per unit of weight
  std::vector<Class> classes;       ///< one for each queue

  /// The table of the weighted queues: one entry for each, in order of queue number. Its entries
  /// are none where all queues have strict priority.
  [[nodiscard]] BxiConfig table() const;

  friend bool operator==(const EtsConfig&, const EtsConfig&) = default;
};

extern const Policy& kEts;

class EnhancedTransmissionSelection final : public Arbiter {
 public:
  /// A head above `max_packet_flits` is too long.
  EnhancedTransmissionSelection(const EtsConfig& config, std::uint32_t max_packet_flits);

  [[nodiscard]] bool keeps_time() const override { return false; }
  Decision decide(Cycle now, Heads heads) override;
  [[nodiscard]] std::string describe() const override;
  bool append_state(std::vector<std::uint64_t>& numbers) const override;
  [[nodiscard]] std::unique_ptr<Arbiter> clone() const override { return copy_of(*this); }
  /// The entry of the weighted queues' table; -1 after a strict-priority grant, which nobody pays.
  [[nodiscard]] int paying_entry() const override { return paying_entry_; }
  [[nodiscard]] std::uint64_t paying_turn() const override {
    return table_ ? table_->paying_turn() : 0;
  }
  void narrate(Narrator* narrator) override;

  /// The table of the weighted queues; nothing if there are none.
  [[nodiscard]] const std::optional<BxiTable>& table() const { return table_; }

 private:
  Decision decide_strict(Heads heads, const auto& tell);

  std::vector<int> strict_;  ///< strict-priority queues, the highest-numbered first
  std::optional<BxiTable> table_;
  Narrator* narrator_ = nullptr;
  int paying_entry_ = -1;
};

}  // namespace qosarb
