// dtable: deficit table (Omni-Path paper, Algorithm 2; docs/policies/dtable.md).
#pragma once

#include <memory>
#include <vector>

#include "qosarb/policy/sl_queues.hpp"
#include "qosarb/policy/table_arbiter.hpp"

namespace qosarb {

/// dtable: deficit table (Omni-Path paper, Sect. 3.3).
struct DTableConfig {
  using Entry = SlEntry;              ///< weight in flits, at least the SL's MTU
  std::vector<int> queue_sl;          ///< the SL of each queue
  std::vector<std::uint32_t> sl_mtu;  ///< the longest packet of each SL, in flits
  std::vector<Entry> table;

  friend bool operator==(const DTableConfig&, const DTableConfig&) = default;
};

extern const Policy& kDTable;

class DeficitTable final : public TableArbiter {
 public:
  /// `config.table` holds at least one entry, each with a weight of at least its SL's MTU. A head
  /// above its SL's MTU is too long, which only the corrected variant knows.
  DeficitTable(const DTableConfig& config, Variant variant);

  Decision decide(Cycle now, Heads heads) override;
  [[nodiscard]] std::string describe() const override;
  bool append_state(std::vector<std::uint64_t>& numbers) const override;
  [[nodiscard]] std::unique_ptr<Arbiter> clone() const override { return copy_of(*this); }

  /// Flits that the selected SL may still send in this turn.
  [[nodiscard]] std::uint64_t accumulated_weight() const { return acc_; }
  /// Flits owed to each SL.
  [[nodiscard]] const std::vector<std::uint64_t>& deficits() const { return deficit_; }

 private:
  Decision decide(Heads heads, const auto& tell);
  [[nodiscard]] std::uint64_t cost(Index queue, Heads heads) const;

  Variant variant_;
  std::vector<DTableConfig::Entry> table_;
  std::vector<std::uint32_t> sl_mtu_;  ///< of each SL, in flits
  std::vector<int> queue_sl_;
  SlQueues queues_;

  int selected_ = -1;                   ///< the SL whose turn it is; -1: none
  std::size_t entry_;                   ///< the entry that was selected last
  std::uint64_t acc_ = 0;               ///< flits
  std::vector<std::uint64_t> deficit_;  ///< of each SL, in flits
};

}  // namespace qosarb
