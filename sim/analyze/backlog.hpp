// Follows an arbiter while every queue always has packets, until its state repeats.
#pragma once

#include <cstdint>
#include <vector>

#include "qosarb/analyze/packet_mix.hpp"
#include "qosarb/policy/config.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb {

/// One decision, or several in a row of one queue and table entry. `queue` is -1 when none won; the
/// link then idles for one cycle.
struct Sent {
  std::int32_t queue = -1;
  std::int32_t entry = -1;  ///< table entry that paid; -1: the policy has no table
  std::uint32_t flits = 0;  ///< of all packets; 0 when none won
  std::uint32_t decisions = 1;
  bool begins = true;  ///< a turn of its entry, as at the beginning
};

/// What a backlogged port sends.
struct Schedule {
  std::vector<Sent> sent;  ///< from reset on
  bool exact = false;      ///< from `period_begin` to the end, `sent` is one period of a cycle
  std::size_t period_begin = 0;
};

/// Follows an arbiter from reset, each queue q backlogged with the packets of mix.flits[q].
/// Decisions come as fast as the link takes packets, at one flit a cycle. Stops when the state (the
/// arbiter's, and the place in each queue's sequence) stands as it stood before, so the schedule is
/// exact, or after `max_decisions` items of the schedule.
Schedule follow_backlogged(const ArbiterConfig& config, const PacketMix& mix,
                           std::uint64_t max_decisions);

/// The same by asking the policy's reference, decision by decision.
Schedule follow_reference(const ArbiterConfig& config, const PacketMix& mix,
                          std::uint64_t max_decisions);

/// The same for InfiniBand's tables and one packet length per VL, turn by turn: much faster.
Schedule follow_turns(const InfiniBandConfig& config, const PacketMix& mix,
                      std::uint64_t max_decisions);

}  // namespace qosarb
