// Traces in GOAL, the text form that LogGOPSim reads (Hoefler, Siebert, Lumsdaine: "Group Operation
// Assembly Language - a flexible way to express collective communication", ICPP 2009; Hoefler,
// Schneider, Lumsdaine: "LogGOPSim - simulating large-scale applications in the LogGOPS model",
// 2010).
#pragma once

#include <string>

#include "qosarb/traffic/trace.hpp"

namespace qosarb {

/// Reads a trace, plain or compressed by gzip or xz:
///
///     num_ranks 2
///     rank 0 {
///       l1: calc 100 cpu 1
///       l2: send 1024b to 1 tag 7
///       l2 requires l1
///     }
///     rank 1 { l1: recv 1024b from 0 tag 7 }
///
/// `calc` in ns; tag and cpu are 0 where they are not given; `nic` is read and means nothing;
/// `l2 irequires l1`: l2 may start when l1 has started. Comments as in C++. LogGOPSim's -1 for any
/// source or any tag is refused: whom such a receive gets would hang on the network.
/// Errors: InputError naming file and line, also for an operation that waits for itself and a
/// receive that no send matches.
Trace load_goal(const std::string& file);

/// The line of an operation of a trace that load_goal() has read.
int line_in_goal(const std::string& file, std::uint32_t operation);

}  // namespace qosarb
