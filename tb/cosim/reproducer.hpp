// What a mismatch leaves behind, so that anybody can have it again.
#pragma once

#include <string>
#include <vector>

#include "cosim/lockstep.hpp"
#include "qosarb/events/event_log.hpp"

namespace qosarb {

/// `mismatch` with two more lines: its reproducer, and the command that shrinks it.
///
/// config.yaml, events.csv, waves.fst with its layout waves.gtkw (the last cycles before the
/// failure, by a replay) and README.txt (the explanation and the commands that replay and show it,
/// with --raw where the log is raw) go into a new directory. `directory` is the wished path; empty
/// stands for "qosarb-reproducer". A number is appended until the path is new, so nothing is
/// overwritten. If it cannot be written, the line says so: the mismatch itself is what counts.
///
/// `logs` are what the port was shown, up to the failing cycle, in one way or in several: as short
/// as can be first, and with more of what went before behind it. The first one that fails by itself
/// is written, or the first if none does. Later events are left out. The arb of the failing cycle
/// is added if it is missing, as observers do not see a decision that failed. `origin` tells how
/// the mismatch came up, such as the command line or the seed; `plusargs` are those of the RTL.
Mismatch with_reproducer(const Mismatch& mismatch, const std::string& directory,
                         std::vector<LogCase> logs, const std::string& origin,
                         const std::vector<std::string>& plusargs = {});

}  // namespace qosarb
