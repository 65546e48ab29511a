// What an arbiter guarantees to one queue whatever the others do: a wait and a service curve.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "qosarb/analyze/rational.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

/// The lengths of a queue's own packets, in flits.
struct OwnPackets {
  std::uint32_t min_flits = 1;
  std::uint32_t max_flits = 1;
};

/// What strict-priority queues together put ahead of all others: in any u + 1 successive cycles at
/// most burst + rate x u flits come to them.
struct StrictLoad {
  Rational rate;  ///< flits per cycle, 0 or more
  std::uint64_t burst_flits = 0;
};

/// A guarantee that holds for any traffic of the other queues, with packets of at most
/// max_packet_flits, on a link that carries one flit a cycle and never stops the queue itself.
/// docs/analyze.md derives it for each policy.
struct ServiceGuarantee {
  /// Cycles from the moment a packet becomes the head of its queue until it wins.
  std::int64_t max_wait_flits = 0;
  /// Rate-latency service curve: t cycles after the queue became active, if it has stayed so, at
  /// least rate x (t - latency) of its flits were sent.
  Rational rate;                   ///< flits per cycle, above 0
  std::int64_t latency_flits = 0;  ///< cycles
};

/// The guarantee, or why there is none.
struct ServiceBound {
  std::optional<ServiceGuarantee> guarantee;
  std::string why_not;
};

/// `queue` is within 0..config.queues-1 and own.min_flits within 1..own.max_flits. `strict` is what
/// is known of strict-priority queues, where the policy has such; nothing: they may take all.
/// Errors: std::overflow_error if it needs fractions of more than 64 bits.
ServiceBound guaranteed_service(const ArbiterConfig& config, Index queue, const OwnPackets& own,
                                const std::optional<StrictLoad>& strict = {});

/// The same for packets of 1 flit up to the longest that the queue may hold.
ServiceBound guaranteed_service(const ArbiterConfig& config, Index queue,
                                const std::optional<StrictLoad>& strict = {});

}  // namespace qosarb
