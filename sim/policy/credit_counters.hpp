// Credits of a link: what the sender knows of the free space in the neighbour's queues.
//
// H. T. Kung, T. Blackwell and A. Chapman, "Credit-based flow control for ATM networks: credit
// update protocol, adaptive credit allocation, and statistical multiplexing", SIGCOMM 1994;
// InfiniBand, Omni-Path, SeaStar and the CBFC of Ultra Ethernet count in this way, each in units of
// its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace qosarb {

/// One counter for each queue, in flits: the room that the neighbour's queue has for certain. This
/// is the reference of rtl/port/qosarb_credit.sv; what a simulated network counts by is
/// sim/switch/credits.hpp.
class CreditCounters {
 public:
  /// The counts of a link that is down: 0.
  explicit CreditCounters(std::size_t queues) : room_(queues), credit_(queues) {}

  /// The link comes up, and the neighbour's queues have `room` flits each.
  void load(std::vector<std::uint32_t> room) {
    room_ = std::move(room);
    credit_ = room_;
  }

  /// The flits that a head of `flits` needs: all of its own, and one that says 0 needs 1.
  static std::uint32_t need(std::uint32_t flits) { return std::max(flits, 1U); }

  /// Whether a packet of `flits` has to wait: its whole length must have credit. `leaving` are the
  /// flits that the one before it takes, if that is granted in this cycle and a port with Latency 1
  /// is asked for the next one; 0: it is not.
  [[nodiscard]] bool stops(std::size_t queue, std::uint32_t flits,
                           std::uint32_t leaving = 0) const {
    return credit_[queue] < std::uint64_t{need(flits)} + leaving;
  }

  enum class Fault : std::uint8_t {
    None,
    Overflow,   ///< more has come back than was taken
    Underflow,  ///< more was taken than there was
  };
  /// A cycle ends in which `taken` flits were granted (0: none) and `returned` came back. After a
  /// fault the count stands at the end of its range, 0 or the room.
  Fault update(std::size_t queue, std::uint32_t taken, std::uint32_t returned) {
    const std::int64_t sum = std::int64_t{credit_[queue]} + returned - taken;
    credit_[queue] = static_cast<std::uint32_t>(std::clamp<std::int64_t>(sum, 0, room_[queue]));
    return sum < 0 ? Fault::Underflow : sum > room_[queue] ? Fault::Overflow : Fault::None;
  }

  [[nodiscard]] std::uint32_t credit(std::size_t queue) const { return credit_[queue]; }

 private:
  std::vector<std::uint32_t> room_;
  std::vector<std::uint32_t> credit_;
};

}  // namespace qosarb
