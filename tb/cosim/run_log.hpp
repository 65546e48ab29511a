// An event log through one arbiter of any engine: what `qosarb decide` does.
#pragma once

#include <span>
#include <vector>

#include "cosim/engine.hpp"
#include "qosarb/events/event_log.hpp"
#include "qosarb/events/explanation.hpp"

namespace qosarb {

/// The place of an arbiter that stands alone.
inline const PortPlace kLonePort{"", "port"};

/// Lets all of `events` happen at a port whose arbiter `engine` is, by the first of `sections`, and
/// from commits on by those behind it; the outcome of each arb. In lockstep the states are compared
/// at the end, too. With options.waves every cycle is clocked. `explanation`, if not null, is told
/// all of it.
/// Errors: InputError for a bad log or sections that one build of the RTL cannot run; Mismatch.
std::vector<TimedDecision> run_log(std::span<const ArbiterConfig> sections, EventSource& events,
                                   Engine engine, FactoryOptions options,
                                   Explanation* explanation = nullptr);

/// The arbiter of a case, and what its commits bring into force.
std::vector<ArbiterConfig> sections_of(const LogCase& log_case);

}  // namespace qosarb
