// Coverage of the Verilated RTL, in builds that have it (QOSARB_COVERAGE).
#pragma once

#include <string>

class VerilatedContext;

namespace qosarb {

/// Adds what the models of `context` have counted to the process's sum. To be called before the
/// models go, as their counters go with them. Does nothing in builds without coverage.
void collect_coverage(VerilatedContext& context);

/// Writes the sum as a file that verilator_coverage reads.
/// Errors: InputError if it cannot be written, or in builds without coverage.
void write_coverage(const std::string& file);

}  // namespace qosarb
