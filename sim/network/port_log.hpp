// What one port of a network is shown, as an event log.
#pragma once

#include <vector>

#include "qosarb/events/event_log.hpp"
#include "qosarb/network/scenario.hpp"

namespace qosarb {

/// Runs the scenario by `arbiters` to the end of cycle `last`, with an eye on the port at `place`:
/// what it was shown and, where ports share the clock of their chip, that together with what the
/// chip's other ports did to it. What the arbiters throw ends the run, too.
std::vector<LogCase> logs_of_port(const Scenario& scenario, const PortPlace& place, Cycle last,
                                  const ArbiterFactory& arbiters = make_reference_factory());

}  // namespace qosarb
