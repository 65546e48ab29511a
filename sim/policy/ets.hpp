// ets: strict priority above bandwidth shares (IEEE 802.1Q, enhanced transmission selection;
// docs/policies/ets.md).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/table_arbiter.hpp"

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

class EnhancedTransmissionSelection final : public TableArbiter {
 public:
  /// A head above `max_packet_flits` is too long.
  EnhancedTransmissionSelection(const EtsConfig& config, std::uint32_t max_packet_flits);

  Decision decide(Cycle now, Heads heads) override;
  [[nodiscard]] std::string describe() const override;
  bool append_state(std::vector<std::uint64_t>& numbers) const override;
  [[nodiscard]] std::unique_ptr<Arbiter> clone() const override { return copy_of(*this); }
  void narrate(Narrator* narrator) override;

 private:
  Decision decide_strict(Heads heads, const auto& tell);

  std::vector<int> strict_;  ///< strict-priority queues, the highest-numbered first
  std::optional<BxiTable> table_;
};

}  // namespace qosarb
