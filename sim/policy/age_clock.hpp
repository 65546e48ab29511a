// The clock by which a SeaStar chip ages its packets (Cray XT paper, Procedure 3;
// docs/policies/seastar-age.md).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "qosarb/policy/types.hpp"

namespace qosarb {

/// One for the whole chip: all its ports share the timestamp, the epoch and the packet counts.
///
/// Time: the clock stands in one cycle, now(). Within it every port sees the same timestamp, epoch
/// and inhibit; arrivals and departures of the cycle change the counts, but the tick at its end
/// works on the counts with which the cycle began. Ports may call in any order within a cycle, and
/// as rarely as they like, but never for a cycle that has passed.
class AgeClock {
 public:
  /// `period`: cycles between two increments of the timestamp, 1 .. 2^32-1.
  explicit AgeClock(std::uint32_t period) : period_(period), countdown_(period) {}

  /// Ends all cycles before `now`, which is not before now(). Takes a bounded time, however many
  /// cycles that are. Errors: std::logic_error if `now` has passed.
  void advance(Cycle now);

  /// A packet arrives in the present cycle, with its age after the bias (Procedure 1).
  AgeStamp arrive(std::uint8_t age);
  /// A packet that arrived in epoch `in_epoch` leaves in the present cycle.
  void leave(bool in_epoch);

  /// From now on, until it ticks again, the clock is as another one is that it stands for, whose
  /// countdown and counts it does not know: it counts nothing any more.
  void show(std::uint8_t timestamp, bool epoch, bool inhibit) {
    stands_for_another_ = true;
    timestamp_ = timestamp;
    epoch_ = epoch;
    inhibit_ = inhibit;
    countdown_ = period_;
  }

  /// The present cycle.
  [[nodiscard]] Cycle now() const { return now_; }
  [[nodiscard]] std::uint8_t timestamp() const { return timestamp_; }
  [[nodiscard]] bool epoch() const { return epoch_; }
  /// Age-based choice waits until the packets of the other epoch have left.
  [[nodiscard]] bool inhibit() const { return inhibit_; }
  /// Cycles until the timestamp is due.
  [[nodiscard]] std::uint32_t countdown() const { return countdown_; }
  /// Packets of an epoch that are in the chip.
  [[nodiscard]] std::uint64_t packet_count(bool epoch) const { return count_[epoch ? 1 : 0]; }
  [[nodiscard]] std::string describe() const;
  /// Appends all that later cycles depend on, besides the number of the present one.
  void append_state(std::vector<std::uint64_t>& numbers) const;

 private:
  using Counts = std::array<std::uint64_t, 2>;  ///< packets of each epoch

  void tick(Cycle cycles, const Counts& counts);

  std::uint32_t period_;
  Cycle now_ = 0;
  std::uint8_t timestamp_ = 0;
  bool epoch_ = false;
  bool inhibit_ = false;
  bool stands_for_another_ = false;
  std::uint32_t countdown_;
  Counts count_{};     ///< as they stand
  Counts at_start_{};  ///< as they stood when the present cycle began
};

}  // namespace qosarb
