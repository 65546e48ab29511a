// Numbers of things that come and go.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace qosarb {

/// Numbers that are not in use, the one that was given back last first. What several share, each on
/// a thread of its own, is which numbers were never used: one may take a number that another one
/// gives back.
class Ids {
 public:
  /// Of numbers below `limit`.
  explicit Ids(std::uint32_t limit)
      : limit_(limit), never_used_(std::make_shared<std::atomic<std::uint32_t>>(0)) {}
  /// Others that share those which were never used.
  [[nodiscard]] Ids sharing() const { return Ids(limit_, never_used_); }

  /// Errors: CheckFailure if all are in use.
  std::uint32_t take() {
    ++in_use_;
    if (free_.empty()) [[unlikely]] {
      take_new();
    }
    const std::uint32_t id = free_.back();
    free_.pop_back();
    return id;
  }
  void give_back(std::uint32_t id) {
    --in_use_;
    free_.push_back(id);
  }
  /// Those taken from here less those given back here.
  [[nodiscard]] std::int64_t in_use() const { return in_use_; }

  /// Who has many free ones gives of them to who has few. No other thread uses any of `all` now.
  static void even_out(std::span<Ids* const> all);

 private:
  Ids(std::uint32_t limit, std::shared_ptr<std::atomic<std::uint32_t>> never_used)
      : limit_(limit), never_used_(std::move(never_used)) {}
  void take_new();

  std::vector<std::uint32_t> free_;
  std::int64_t in_use_ = 0;
  std::uint32_t limit_;
  std::shared_ptr<std::atomic<std::uint32_t>> never_used_;
};

}  // namespace qosarb
