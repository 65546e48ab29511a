// trtcm: two rates, three colours, strict priorities (dragonfly paper, Sect. III-A and IV-E; RFC
// 2698, colour-blind; docs/policies/trtcm.md).
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "qosarb/policy/arbiter.hpp"
#include "qosarb/policy/counting.hpp"

namespace qosarb {

/// trtcm: two rates, three colours (dragonfly paper, Sect. III-A). A queue is a class.
struct TrtcmConfig {
  struct Class {
    int priority = 0;                 ///< 0 is the highest; no two alike
    std::uint32_t assured_rate = 0;   ///< 1/65536 flits per cycle
    std::uint32_t peak_rate = 0;      ///< 1/65536 flits per cycle, at least the assured rate
    std::uint64_t assured_burst = 0;  ///< flits; counts for nothing where the rate is 0
    std::uint64_t peak_burst = 0;     ///< flits

    friend bool operator==(const Class&, const Class&) = default;
  };
  std::vector<Class> classes;  ///< one for each queue

  friend bool operator==(const TrtcmConfig&, const TrtcmConfig&) = default;
};

extern const Policy& kTrtcm;

/// Tokens in 1/65536 flits, filled at the end of each cycle.
class TokenBucket {
 public:
  /// `rate`: 1/65536 flits per cycle; `burst`: flits. A bucket with rate 0 has size 0.
  TokenBucket(std::uint32_t rate, std::uint64_t burst);

  /// A head of `flits` fits when the bucket holds them, or when it is too long (above the longest
  /// packet that there may be) and the bucket is full.
  [[nodiscard]] bool fits(std::uint32_t flits, bool too_long) const {
    return level_ >= tokens(flits) || (too_long && full());
  }
  /// Takes the tokens of `flits` out, or all that are there.
  void pay(std::uint32_t flits) { level_ -= std::min(level_, tokens(flits)); }
  /// What `cycles` fills of one cycle each do.
  void fill(Cycle cycles);
  /// In how many of the next `cycles` cycles, this one included and no payment made, a head does
  /// not fit. These are the first ones, for a bucket only gains.
  [[nodiscard]] Cycle cycles_short_of(std::uint32_t flits, bool too_long, Cycle cycles) const;
  /// 1/65536 flits.
  [[nodiscard]] std::uint64_t level() const { return level_; }
  /// A bucket without a size is never full.
  [[nodiscard]] bool full() const { return size_ > 0 && level_ == size_; }

 private:
  static std::uint64_t tokens(std::uint32_t flits) { return std::uint64_t{flits} << 16; }

  std::uint64_t rate_;
  std::uint64_t size_;
  std::uint64_t level_;
};

class TwoRateArbiter final : public Arbiter, public Counting {
 public:
  enum class Colour { Green, Yellow, Red };

  /// Cycles in which a class had an active head that did not win, by the head's colour in each.
  struct Stalls {
    std::uint64_t green = 0;
    std::uint64_t yellow = 0;
    std::uint64_t red = 0;

    friend bool operator==(const Stalls&, const Stalls&) = default;
  };

  /// One class per queue, no two of one priority. A head above `max_packet_flits` is too long.
  TwoRateArbiter(const TrtcmConfig& config, std::uint32_t max_packet_flits);

  void advance(Cycle now, Heads heads) override;
  Decision decide(Cycle now, Heads heads) override;
  [[nodiscard]] bool stamps() const override { return false; }
  [[nodiscard]] std::string describe() const override;
  bool append_state(std::vector<std::uint64_t>& numbers) const override;
  void narrate(Narrator* narrator) override { narrator_ = narrator; }
  [[nodiscard]] std::unique_ptr<Arbiter> clone() const override { return copy_of(*this); }

  /// The colour that a head of `flits` of `queue` has in the present cycle.
  [[nodiscard]] Colour colour(Index queue, std::uint32_t flits) const;
  /// Of each class, over all cycles that have passed and the one of the last decision.
  [[nodiscard]] const std::vector<Stalls>& stalls() const { return stalls_; }
  void append_counters(std::vector<CounterValue>& counters) const override;
  /// Tokens of `queue` in the present cycle, in 1/65536 flits.
  [[nodiscard]] std::uint64_t assured_tokens(Index queue) const;
  [[nodiscard]] std::uint64_t peak_tokens(Index queue) const;

 private:
  struct Class {
    TokenBucket assured;
    TokenBucket peak;

    void fill(Cycle cycles) {
      assured.fill(cycles);
      peak.fill(cycles);
    }
  };
  Decision choose(Heads heads, const auto& tell);
  /// Counts the stalls of `cycles` cycles from the present one on, in which the class has an active
  /// head of `flits` and never wins.
  void count_stalls(std::size_t queue, std::uint32_t flits, Cycle cycles);
  std::uint64_t& stall(Index queue, Colour colour);

  [[nodiscard]] bool too_long(std::uint32_t flits) const { return flits > max_packet_flits_; }

  std::uint32_t max_packet_flits_;
  Narrator* narrator_ = nullptr;
  std::vector<Class> classes_;
  std::vector<int> by_priority_;  ///< queues, the highest priority first
  int last_red_;                  ///< the queue that won last as a red one
  Cycle now_ = 0;                 ///< the present cycle: its fill is still to come
  Cycle counted_ = 0;             ///< stalls are counted for all cycles before this one
  std::vector<Stalls> stalls_;
};

}  // namespace qosarb
