// bxi-basic and bxi-deficit: one arbitration table (BXIv3 paper, Algorithms 1 and 2).
#pragma once

#include <memory>
#include <vector>

#include "qosarb/policy/table_arbiter.hpp"

namespace qosarb {

/// bxi-basic and bxi-deficit: one arbitration table (BXIv3 paper, Table 1).
struct BxiConfig {
  struct Entry {
    Index queue = 0;
    std::uint32_t weight = 0;

    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::uint32_t quantum_scale = 1;  ///< flits per unit of weight (the paper's k)
  std::vector<Entry> table;

  /// The flits that entry `e` may send in a turn.
  [[nodiscard]] std::uint64_t quantum(std::size_t e) const {
    return std::uint64_t{table[e].weight} * quantum_scale;
  }

  friend bool operator==(const BxiConfig&, const BxiConfig&) = default;
};

extern const Policy& kBxiBasic;
extern const Policy& kBxiDeficit;

/// For parse(): refuses a quantum of `weight` x `scale` flits that is beyond kMaxQuantumFlits or,
/// under strict, too small for a packet. Errors: InputError at the key weight of `entry`.
void refuse_quantum(const ConfigReader& entry, const ArbiterConfig& config, std::uint32_t weight,
                    std::uint32_t scale);

class BxiTable final : public TableArbiter {
 public:
  /// `deficits`: Algorithm 2, else Algorithm 1. `config.table` holds at least one entry. A head
  /// above `max_packet_flits` is too long, which only the corrected variant knows.
  BxiTable(const BxiConfig& config, std::uint32_t max_packet_flits, bool deficits, Variant variant);

  Decision decide(Cycle now, Heads heads) override;
  [[nodiscard]] std::string describe() const override;
  bool append_state(std::vector<std::uint64_t>& numbers) const override;
  [[nodiscard]] std::unique_ptr<Arbiter> clone() const override { return copy_of(*this); }

  /// The entry whose turn it is, and the flits that it may still send in this turn.
  [[nodiscard]] std::size_t current_entry() const { return cur_; }
  [[nodiscard]] std::uint64_t remaining_flits() const { return rem_; }
  /// Flits saved by each entry when it was last skipped.
  [[nodiscard]] std::vector<std::uint64_t> deficits() const;

 private:
  Decision decide_corrected(Heads heads, const auto& tell);
  Decision decide_printed(Heads heads, const auto& tell);
  void step(const auto& tell);
  /// The entry behind `cur_`, circularly, has its turn.
  void turn_to_next() {
    cur_ = cur_ + 1 == entries_.size() ? 0 : cur_ + 1;
    ++turn_;
  }
  [[nodiscard]] bool too_long(const Head& head) const { return head.flits > max_packet_flits_; }
  [[nodiscard]] const Head& head(Heads heads) const;
  [[nodiscard]] Decision grant(Heads heads, const auto& tell);
  void tell_passed_over(Heads heads, const auto& tell) const;

  struct Entry {
    Index queue = 0;
    std::uint64_t quantum = 0;  ///< flits of a turn
    std::uint64_t deficit = 0;  ///< flits saved
  };
  std::vector<Entry> entries_;
  std::size_t cur_ = 0;
  std::uint64_t rem_ = 0;
  std::uint64_t turn_ = 0;  ///< one more with each turn
  std::uint32_t max_packet_flits_;
  bool fresh_;  ///< the turn has had no grant, and its entry has a quantum
  bool deficits_on_;
  Variant variant_;
};

}  // namespace qosarb
