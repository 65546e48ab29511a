// What an arbiter's configuration gives to each queue when all of them are backlogged.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "qosarb/analyze/packet_mix.hpp"
#include "qosarb/analyze/rational.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

/// How far apart the turns of one queue are, from the beginning of one to that of the next.
/// A turn is what one visit of a table entry sends; without a table, every packet is a turn.
struct Distances {
  std::uint64_t turns = 0;  ///< distances that were counted
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  Rational mean;
};

/// Shares and distances of one queue (or of a service level, where several queues share one).
struct BackloggedShare {
  int index = 0;      ///< queue (VL), or service level
  bool idle = false;  ///< a queue to which the mix gives no packets; what follows means nothing
  Rational share;     ///< of all flits sent
  double share_error = 0.0;  ///< of `share` when not exact: two standard errors of batch means
  std::optional<Distances> in_turns;  ///< none: fewer than two turns were seen
  std::optional<Distances> in_flits;  ///< flits on the wire
  /// Between the end of a packet and the queue's next one; none: fewer than two were seen.
  std::optional<std::uint64_t> longest_gap_flits;
};

/// One packet mix, all queues backlogged that it gives packets to.
struct MixAnalysis {
  PacketMix mix;
  bool exact = false;  ///< one whole period was followed
  /// That, or a cycle of the table at least. If not, nothing is known of shares and starvation.
  bool whole_cycle = false;
  bool strict_idle = false;     ///< strict-priority queues had no packets
  std::uint64_t decisions = 0;  ///< of the period; when not exact, those that were followed
  std::uint64_t flits = 0;      ///< sent in them
  std::uint64_t idle_cycles = 0;
  std::vector<BackloggedShare> queues;
  std::vector<BackloggedShare> service_levels;  ///< sbt and dtable only
  std::vector<int> paying_entries;              ///< table entries that sent something, in order

  /// That of one of `queues` or `service_levels`; nothing where less than a cycle was followed.
  [[nodiscard]] std::optional<Rational> known_share(const BackloggedShare& of) const {
    return whole_cycle ? std::optional(of.share) : std::nullopt;
  }
};

struct AnalysisLimits {
  /// Longest transient and period that are followed to the end.
  std::uint64_t max_decisions = 1U << 20U;
  /// Cycles of the table after which a longer one is given up.
  std::uint64_t runs = 30;
};

/// Flits that a port sends while every table entry has one turn, or as many as it takes until each
/// of its queues had a packet, but for rounding to whole packets; for policies without a table,
/// while every queue has one packet that is sure of one at all.
std::uint64_t table_cycle_flits(const ArbiterConfig& config, const PacketMix& mix);

/// Errors: none; a config that parsed can be analyzed.
MixAnalysis analyze_backlogged(const ArbiterConfig& config, const PacketMix& mix,
                               const AnalysisLimits& limits = {});

}  // namespace qosarb
