// Traces in VEF (Andujar, Villar, Sanchez, Alfaro, Escudero-Sahuquillo: "VEF traces: a framework
// for modelling MPI traffic in interconnection network simulators", CLUSTER 2015; "An open-source
// family of tools to reproduce MPI-based workloads in interconnection network simulators", J
// Supercomput 72(12), 2016). The grammar is that of the header TraceManager.h of VEF-TraceLIB,
// which their reader comes with.
#pragma once

#include <string>

#include "qosarb/traffic/trace.hpp"

namespace qosarb {

/// Reads a trace, plain or compressed by gzip or xz: a header, the communicators, and a record in
/// each line, in any order:
///
///     VEF <tasks> <messages> <communicators> <collectives> <parts in collectives> TRUE|FALSE
///     C0 0 1 2                                  # number, tasks
///     0 0 1 1024 0 500 -1                       # number src dst bytes Dep ns IDdep
///     G0 0 2 1 64 64 2 100 0                    # number communicator op task sent received Dep ns
///     IDdep
///
/// (without the comments). Dep says from when the ns are counted until the message is sent, or the
/// task begins its part: 0 from the start of the run (IDdep -1), 1 from the sending of message
/// IDdep by this task, 2 from its arrival here, 3 from the end of this task's part in collective
/// IDdep, "G4". Digits may follow VEF; the flag is read and means nothing. Operations: 0 broadcast,
/// 1 reduce, 2 allreduce, 3 gather, 4 scatter, 5 allgather, 6 barrier, 7 all-to-all (received 0:
/// `sent` to each; else, 1 by that header, `sent` divided among all). The root of a broadcast or
/// scatter is the task that sends something, that of a reduce or gather the one that receives
/// something; of several the first of the communicator. What messages they consist of the format
/// leaves open; see collective.hpp for what is sent here.
/// Errors: InputError naming file and line, also for less or more than the header says, a
/// dependency of another task, collectives that do not have each task of their communicator once,
/// and an operation that waits for itself.
Trace load_vef(const std::string& file);

/// The line of an operation of a trace that load_vef() has read.
int line_in_vef(const std::string& file, std::uint32_t operation);

}  // namespace qosarb
