// infiniband: a high and a low table, and LimitOfHighPriority (InfiniBand paper, Sect. 2;
// docs/policies/infiniband.md).
#pragma once

#include <memory>
#include <vector>

#include "qosarb/policy/table_arbiter.hpp"

namespace qosarb {

inline constexpr int kMaxDataVls = 15;  ///< VL15 is for subnet management
inline constexpr int kMaxVlArbitrationEntries = 64;
inline constexpr std::uint32_t kMaxVlWeight = 255;
inline constexpr std::uint32_t kWeightUnitBytes = 64;
inline constexpr std::uint64_t kLimitUnitBytes = 4096;  ///< of LimitOfHighPriority
inline constexpr std::uint32_t kNoHighPriorityLimit = 255;

/// infiniband: VL arbitration (InfiniBand paper, Sect. 2). A queue is a VL.
struct InfiniBandConfig {
  struct Entry {
    int vl = 0;
    std::uint32_t weight = 0;  ///< units of 64 bytes, 0..255; 0: the entry is skipped

    friend bool operator==(const Entry&, const Entry&) = default;
  };
  enum class LowTurn {
    Entry,   ///< the low table sends until its entry's weight is used up
    Packet,  ///< the low table sends one packet
  };
  std::uint32_t flit_bytes = 64;
  std::uint32_t limit_of_high_priority = 0;  ///< units of 4096 bytes; 255: none, 0: one packet
  LowTurn low_turn = LowTurn::Entry;
  std::vector<Entry> high;
  std::vector<Entry> low;

  friend bool operator==(const InfiniBandConfig&, const InfiniBandConfig&) = default;
};

extern const Policy& kInfiniBand;

class InfiniBandArbiter final : public TableArbiter {
 public:
  /// The byte counter of the high table saturates here. Twenty bits hold more than the greatest
  /// limit that closes the table, 254 x 4096 bytes, so saturation changes no decision.
  static constexpr std::uint64_t kHighBytesMax = (1U << 20) - 1;

  explicit InfiniBandArbiter(const InfiniBandConfig& config);

  Decision decide(Cycle now, Heads heads) override;
  [[nodiscard]] std::string describe() const override;
  bool append_state(std::vector<std::uint64_t>& numbers) const override;
  [[nodiscard]] std::unique_ptr<Arbiter> clone() const override { return copy_of(*this); }

  /// Bytes sent from the high table since the last turn of the low table.
  [[nodiscard]] std::uint64_t high_bytes() const { return hi_bytes_; }
  /// True while a low entry is part-way through its turn (low_turn: entry).
  [[nodiscard]] bool in_low_turn() const { return in_low_turn_; }

 private:
  /// One VL arbitration table: its entries, the current one, and the weight left to it.
  class Table {
   public:
    /// `name`: what it is called when it is told of.
    Table(const char* name, const std::vector<InfiniBandConfig::Entry>& entries);
    /// Some entry with a weight has an active VL.
    [[nodiscard]] bool ready(Heads heads) const;
    /// The VL of the current entry has something to send.
    [[nodiscard]] bool current_active(Heads heads) const;
    void next_entry(const auto& tell);
    struct Sent {
      std::size_t entry = 0;
      int vl = 0;
      bool used_up = false;    ///< the entry's weight is spent
      std::uint64_t turn = 0;  ///< one more with each turn of the table
    };
    /// Sends one packet of a ready table.
    Sent send(Heads heads, std::uint32_t flit_bytes, const auto& tell);
    [[nodiscard]] std::string describe() const;
    void append_state(std::vector<std::uint64_t>& numbers) const;

   private:
    [[nodiscard]] const char* why_skipped(Heads heads) const;

    const char* name_;
    std::vector<InfiniBandConfig::Entry> entries_;
    std::size_t cur_ = 0;
    std::uint64_t turn_ = 0;
    std::int64_t remaining_ = 0;  ///< units of 64 bytes; below 0 when a packet was rounded up
  };

  [[nodiscard]] bool high_open() const;
  Decision decide(Heads heads, const auto& tell);
  Decision send_high(Heads heads, bool count, const auto& tell);
  Decision send_low(Heads heads, const auto& tell);

  InfiniBandConfig config_;
  Table high_;
  Table low_;
  std::uint64_t hi_bytes_ = 0;
  bool in_low_turn_ = false;
};

}  // namespace qosarb
