// What a mismatch leaves behind, so that anybody can have it again.
#pragma once

#include <string>
#include <vector>

#include "cosim/lockstep.hpp"
#include "qosarb/events/event_log.hpp"

namespace qosarb {

/// Writes config.yaml, events.csv, waves.fst with its layout waves.gtkw (the last cycles before the
/// failure, by a replay) and README.txt (the explanation and the commands that replay and show it)
/// into a new directory and returns its path. `directory` is the wished path; empty stands for
/// "qosarb-reproducer". A number is appended until the path is new, so nothing is overwritten.
///
/// `events` is what the port was shown, up to the failing cycle; later events are left out. The arb
/// of the failing cycle is added if it is missing, as observers do not see a decision that failed.
/// `origin` tells how the mismatch came up, such as the command line or the seed; `plusargs` are
/// those of the RTL. Errors: InputError if the directory cannot be written.
std::string write_reproducer(const std::string& directory, const ArbiterConfig& config,
                             std::vector<Event> events, const Mismatch& mismatch,
                             const std::string& origin, const std::vector<std::string>& plusargs);

/// `mismatch` with two more lines: its reproducer, which is written as above, and the command that
/// shrinks it. If it cannot be written, the line says so: the mismatch itself is what counts.
Mismatch with_reproducer(const Mismatch& mismatch, const std::string& directory,
                         const ArbiterConfig& config, std::vector<Event> events,
                         const std::string& origin, const std::vector<std::string>& plusargs = {});

}  // namespace qosarb
