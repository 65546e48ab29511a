// seastar-age: age-based arbitration (Cray XT paper, Procedures 1 and 2;
// docs/policies/seastar-age.md).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "qosarb/policy/age_clock.hpp"
#include "qosarb/policy/arbiter.hpp"
#include "qosarb/policy/chip_clock.hpp"
#include "qosarb/policy/counting.hpp"

namespace qosarb {

/// seastar-age: age-based arbitration (Cray XT paper, Sect. 2.1). Queues are input ports x vcs.
struct SeastarConfig {
  int vcs = 2;                              ///< even; the lower half carries requests
  std::vector<std::uint32_t> req_age_bias;  ///< of each input port, 0..7
  std::vector<std::uint32_t> rsp_age_bias;  ///< of each input port, 0..7
  std::uint32_t age_clock_period = 1;       ///< cycles per unit of age, at least 1
  std::uint64_t age_rr_select = 0;          ///< bit g: grant g mod 64 goes by age, not round robin

  friend bool operator==(const SeastarConfig&, const SeastarConfig&) = default;
};

extern const Policy& kSeastarAge;

/// Procedure 2, lines 1 to 11: the age of a packet that carries `stamp`, at `timestamp` of `epoch`.
/// `printed`: with the paper's test for overflow, which is wrong (errata.md).
std::uint8_t new_age(AgeStamp stamp, std::uint8_t timestamp, bool epoch, Variant variant);

/// One output port. Queue q is the staging buffer of input port q / vcs and VC q mod vcs.
class AgeBasedArbiter final : public Arbiter, public Counting, public SharesChipClock {
 public:
  /// The performance counters of the paper's Table 4, taken at the output port: packets are counted
  /// as they leave.
  struct Counters {
    /// Of each VC: cycles in which a packet of it waits at the head of a stopped queue.
    std::vector<std::uint64_t> blocked_cycles;
    /// Cycles in which packets wait and all of them are stopped.
    std::uint64_t stalled_cycles = 0;
    std::vector<std::uint64_t> packets;  ///< of each VC
    std::vector<std::uint64_t> flits;    ///< of each VC
    /// Packets by the age with which they leave: 0..63, 64..127, 128..191, 192..255.
    std::array<std::uint64_t, 4> age_groups{};

    friend bool operator==(const Counters&, const Counters&) = default;
  };

  /// `clock` is shared by all ports of the chip.
  AgeBasedArbiter(const SeastarConfig& config, int queues, Variant variant,
                  std::shared_ptr<AgeClock> clock);

  void advance(Cycle now, Heads heads) override;
  AgeStamp arrive(Cycle now, Index queue, std::uint8_t age) override;
  void enter_elsewhere(Cycle now, std::uint32_t packets) override;
  void leave_elsewhere(Cycle now, bool epoch, std::uint32_t packets) override;
  Decision decide(Cycle now, Heads heads) override;
  [[nodiscard]] std::string describe() const override;
  bool append_state(std::vector<std::uint64_t>& numbers) const override;
  void narrate(Narrator* narrator) override { narrator_ = narrator; }
  [[nodiscard]] std::unique_ptr<Arbiter> clone() const override;

  [[nodiscard]] const AgeClock& clock() const { return *clock_; }
  /// Over all cycles that have passed at this port and the one of its last decision.
  [[nodiscard]] const Counters& counters() const { return counters_; }
  void append_counters(std::vector<CounterValue>& counters) const override;

 private:
  Decision choose(Heads heads, const auto& tell);
  [[nodiscard]] int oldest(Heads heads, const auto& tell) const;
  [[nodiscard]] int round_robin(Heads heads, bool other_epoch_only, const auto& tell) const;
  [[nodiscard]] std::uint8_t age_of(const Head& head) const;
  void count_waiting(Heads heads, Cycle cycles);

  SeastarConfig config_;
  Variant variant_;
  std::shared_ptr<AgeClock> clock_;
  Narrator* narrator_ = nullptr;

  int last_rr_;          ///< the rr pointer: the queue that it chose last
  int last_age_;         ///< the age pointer
  unsigned grants_ = 0;  ///< modulo 64

  Cycle counted_ = 0;  ///< cycles before this one are in the counters
  Counters counters_;
};

}  // namespace qosarb
