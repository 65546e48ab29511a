// bxi-basic and bxi-deficit: one arbitration table (BXIv3 paper, Algorithms 1 and 2; semantics.md).
#pragma once

#include <memory>
#include <vector>

#include "qosarb/policy/arbiter.hpp"

namespace qosarb {

class BxiTable final : public Arbiter {
 public:
  /// `deficits`: Algorithm 2, else Algorithm 1. `config.table` holds at least one entry.
  BxiTable(const BxiConfig& config, bool deficits, Variant variant);

  Decision decide(Cycle now, Heads heads) override;
  [[nodiscard]] std::string describe() const override;
  bool append_state(std::vector<std::uint64_t>& numbers) const override;
  [[nodiscard]] std::unique_ptr<Arbiter> clone() const override { return copy_of(*this); }
  [[nodiscard]] int paying_entry() const override { return paying_entry_; }
  void narrate(Narrator* narrator) override { narrator_ = narrator; }

  /// The entry whose turn it is, and the flits that it may still send in this turn.
  [[nodiscard]] std::size_t current_entry() const { return cur_; }
  [[nodiscard]] std::uint64_t remaining_flits() const { return rem_; }
  /// Flits saved by each entry when it was last skipped.
  [[nodiscard]] const std::vector<std::uint64_t>& deficits() const { return deficit_; }

 private:
  Decision decide_corrected(Heads heads, const auto& tell);
  Decision decide_printed(Heads heads, const auto& tell);
  void step(const auto& tell);
  [[nodiscard]] const Head& head(Heads heads) const;
  [[nodiscard]] Decision grant(Heads heads, const auto& tell);
  void tell_passed_over(Heads heads, const auto& tell) const;

  std::vector<int> queue_;              ///< of each entry
  std::vector<std::uint64_t> quantum_;  ///< of each entry, in flits
  bool deficits_on_;
  Variant variant_;
  Narrator* narrator_ = nullptr;

  std::size_t cur_ = 0;
  std::uint64_t rem_ = 0;
  std::vector<std::uint64_t> deficit_;
  int paying_entry_ = -1;
};

}  // namespace qosarb
