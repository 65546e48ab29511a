// An event log through one arbiter of any engine: what `qosarb decide` does.
#pragma once

#include <string>
#include <vector>

#include "cosim/engine.hpp"
#include "qosarb/events/event_log.hpp"
#include "qosarb/events/explanation.hpp"

namespace qosarb {

/// The place of an arbiter that stands alone.
inline const PortPlace kLonePort{"", "port"};

/// Lets all of `events` happen at a port whose arbiter `engine` is; the outcome of each arb. In
/// lockstep the states are compared at the end, too. With options.waves every cycle is clocked.
/// `explanation`, if not null, is told all of it.
/// Errors: InputError for a bad log or a config that the RTL cannot run; Mismatch.
std::vector<TimedDecision> run_log(const ArbiterConfig& config, EventSource& events, Engine engine,
                                   const FactoryOptions& options,
                                   Explanation* explanation = nullptr);

}  // namespace qosarb
