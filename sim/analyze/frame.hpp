// The round of a table, as one of its users sees it.
#pragma once

#include <cstdint>
#include <vector>

#include "qosarb/analyze/rational.hpp"

namespace qosarb {

/// One table entry in a round. All amounts are flits.
struct FrameEntry {
  bool own = false;
  /// Others: the most that one visit sends, but for the carry. Own: the least that one visit sends
  /// while the user is backlogged, but for the carry.
  std::uint64_t flits = 0;
  /// What visits share beyond that, once each however often they come: entries with the same
  /// `carrier` share one carry. Others send up to `carry` more in total, the own ones as much less.
  int carrier = 0;
  std::uint64_t carry = 0;
};

/// Rate and latency that the round guarantees to its own entries, and the longest gap.
struct FrameService {
  Rational rate;             ///< flits per cycle
  Rational latency;          ///< cycles, before any packet that was on the link at the start
  std::int64_t longest_gap;  ///< most flits that others send between two own visits
};

/// Visits come in the order of the table, circularly, from any place on. At least one entry is own,
/// and every own visit sends something: flits > carry.
FrameService frame_service(const std::vector<FrameEntry>& round);

}  // namespace qosarb
