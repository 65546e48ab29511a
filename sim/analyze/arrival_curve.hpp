// Traffic that was agreed on, and how long it waits at most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "qosarb/analyze/rational.hpp"
#include "qosarb/analyze/service.hpp"

namespace qosarb {

/// A queue's arrivals: in any u + 1 successive cycles at most burst + rate x u flits.
struct ArrivalCurve {
  Index queue = 0;
  Rational rate;  ///< flits per cycle
  std::uint64_t burst_flits = 1;
  OwnPackets packets;
};

/// The most cycles from a packet's arrival until its last flit is sent; none if the curve's rate is
/// above the guaranteed one, for then no bound holds.
std::optional<std::int64_t> delay_bound(const ArrivalCurve& curve, const ServiceGuarantee& service);

/// Reads a file with the one key `curves`, a list of {queue, rate, burst} with optional
/// min_packet_flits and max_packet_flits (by default 1 and the longest that the queue may hold).
/// Errors: InputError naming file, line and fault; also for a queue that has two curves and for a
/// burst that does not hold a packet.
std::vector<ArrivalCurve> load_curves(const std::string& file, const ArbiterConfig& config);

}  // namespace qosarb
