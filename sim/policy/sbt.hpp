// sbt: simple bandwidth table (Omni-Path paper, Algorithm 1; docs/policies/sbt.md).
#pragma once

#include <memory>
#include <vector>

#include "qosarb/policy/sl_queues.hpp"
#include "qosarb/policy/table_arbiter.hpp"

namespace qosarb {

/// sbt: simple bandwidth table (Omni-Path paper, Table 2).
struct SbtConfig {
  using Entry = SlEntry;      ///< weight in packets, at least 1
  std::vector<int> queue_sl;  ///< the SL of each queue
  std::vector<Entry> table;   ///< no two entries of one SL

  friend bool operator==(const SbtConfig&, const SbtConfig&) = default;
};

extern const Policy& kSbt;

/// Weights count packets. Each SL that the table names has exactly one entry.
class SimpleBandwidthTable final : public TableArbiter {
 public:
  SimpleBandwidthTable(const SbtConfig& config, Variant variant);

  Decision decide(Cycle now, Heads heads) override;
  [[nodiscard]] std::string describe() const override;
  bool append_state(std::vector<std::uint64_t>& numbers) const override;
  [[nodiscard]] std::unique_ptr<Arbiter> clone() const override { return copy_of(*this); }

  /// Packets that each entry may still send before all weights are restored.
  [[nodiscard]] const std::vector<std::uint32_t>& left() const { return left_; }

 private:
  Decision decide_corrected(Heads heads, const auto& tell);
  Decision decide_printed(Heads heads, const auto& tell);

  Variant variant_;
  std::vector<int> sl_;                ///< of each entry
  std::vector<std::uint32_t> weight_;  ///< of each entry, in packets
  std::vector<int> queue_entry_;       ///< the entry of each queue's SL; -1: it has none
  SlQueues queues_;

  std::vector<std::uint32_t> left_;  ///< of each entry, in packets
  std::size_t cur_ = 0;              ///< corrected: the entry that won last
  Index last_ = 0;                   ///< printed: the queue that won last
};

}  // namespace qosarb
